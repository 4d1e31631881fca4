#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CuPy: two sources compiled by NVRTC for separate compilation, linked by libnvJitLink, run as RawModule.

CuPy's own RawModule(options=("-dc",)) links with the driver, and backend="nvcc" with nvlink; neither calls
libnvJitLink. So the link is made through the library's functions, as nvmath and others do, once for each
form of code that NVRTC gives out, and CuPy loads and runs the result.
"""
import ctypes
import pathlib
import sys
import tempfile

import cupy
from cupy.cuda import compiler

MAIN = """
extern __device__ float scale(float x);
extern __device__ float offset;
extern "C" __global__ void apply(float *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = scale(data[i]) + offset;
}
"""
PART = """
__device__ float offset = 3.0f;
__device__ float scale(float x) { return 2.0f * x; }
"""
CUBIN, LTO_IR = 1, 3
# Kind of input, what CuPy's compiler is asked for, options of the compiler and of the link.
FORMS = ((CUBIN, None, ("-rdc=true",), ()),
         (LTO_IR, "lto", ("-rdc=true", "-dlto"), ("-lto",)))


def check(code, library, handle):
    if code != 0:
        size = ctypes.c_size_t()
        library.nvJitLinkGetErrorLogSize(handle, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value + 1)
        library.nvJitLinkGetErrorLog(handle, text)
        sys.exit(f"nvJitLink returned {code}: {text.value.decode()}")


def link(arch, kind, pieces, more):
    library = ctypes.CDLL("libnvJitLink.so.13")
    handle = ctypes.c_void_p()
    words = [f"-arch=sm_{arch}".encode(), *(word.encode() for word in more)]
    options = (ctypes.c_char_p * len(words))(*words)
    check(library.nvJitLinkCreate(ctypes.byref(handle), len(words), options), library, handle)
    for number, piece in enumerate(pieces):
        check(library.nvJitLinkAddData(handle, kind, piece, ctypes.c_size_t(len(piece)),
                                       f"piece{number}".encode()), library, handle)
    check(library.nvJitLinkComplete(handle), library, handle)
    size = ctypes.c_size_t()
    check(library.nvJitLinkGetLinkedCubinSize(handle, ctypes.byref(size)), library, handle)
    cubin = ctypes.create_string_buffer(size.value)
    check(library.nvJitLinkGetLinkedCubin(handle, cubin), library, handle)
    library.nvJitLinkDestroy(ctypes.byref(handle))
    return cubin.raw


def compiled(source, arch, method, options):
    out, _ = compiler.compile_using_nvrtc(source, options, arch, method=method)
    return out if isinstance(out, bytes) else out.encode()


def run(cubin, folder):
    path = pathlib.Path(folder) / "linked.cubin"
    path.write_bytes(cubin)
    data = cupy.arange(1000, dtype=cupy.float32)
    cupy.RawModule(path=str(path)).get_function("apply")((4,), (256,), (data, data.size))
    expected = 2 * cupy.arange(1000, dtype=cupy.float32) + 3
    assert bool((data == expected).all()), data


def main():
    arch = cupy.cuda.Device().compute_capability
    with tempfile.TemporaryDirectory() as folder:
        for kind, method, compiling, linking in FORMS:
            pieces = [compiled(source, arch, method, compiling) for source in (MAIN, PART)]
            run(link(arch, kind, pieces, linking), folder)
            print(f"{method or 'cubin'}: right")
    print(f"cupy {cupy.__version__}")


if __name__ == "__main__":
    main()
