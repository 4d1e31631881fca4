#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CuPy: RawModule with separate compilation by nvcc, whose nvlink is culink where NVCC names such a folder."""
import cupy

SOURCE = """
__device__ __noinline__ float twice(float x) { return 2.0f * x; }
__global__ void child(float *data) { data[threadIdx.x] = twice(data[threadIdx.x]); }
extern "C" __global__ void parent(float *data) { child<<<1, 32>>>(data); }
"""


def main():
    module = cupy.RawModule(code=SOURCE, backend="nvcc", options=("-dc", "-lcudadevrt"))
    data = cupy.arange(32, dtype=cupy.float32)
    module.get_function("parent")((1,), (1,), (data,))
    cupy.cuda.Device().synchronize()
    assert bool((data == 2 * cupy.arange(32, dtype=cupy.float32)).all()), data
    print(f"right, cupy {cupy.__version__}")


if __name__ == "__main__":
    main()
