#!/usr/bin/env bash
# A PyTorch extension of two CUDA files with device calls between them, built as torch.utils.cpp_extension
# does it with CUDA_HOME at the folder of culink --make-toolchain, is linked by culink and computes what
# PyTorch computes. Without a GPU it is built and not run if BUILD_WITHOUT_GPU is set.
. "${BASH_SOURCE%/*}/../common.inc.sh"
need nvcc python3 ninja
python3 -c 'import torch, setuptools' 2> /dev/null || skip "no PyTorch"
python3 -c 'import torch; raise SystemExit(not torch.cuda.is_available())' || gpu=no
[ "${gpu:-yes}" = yes ] || [ -n "${BUILD_WITHOUT_GPU:-}" ] || skip "no GPU"

cat > ext.cpp <<'EOT'
#include <torch/extension.h>
torch::Tensor smooth(torch::Tensor x);
torch::Tensor apply(torch::Tensor x, int64_t which);
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("smooth", &smooth);
  m.def("apply", &apply);
}
EOT
cat > kernels.cu <<'EOT'
#include <torch/types.h>
#include "functions.h"
__global__ void smooth_kernel(const float *x, float *y, int64_t n) {
  const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = weighted(x[i ? i - 1 : 0], x[i], x[i + 1 < n ? i + 1 : n - 1]);
}
__global__ void apply_kernel(const float *x, float *y, int64_t n, int which) {
  const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = operations[which](x[i]);
}
torch::Tensor smooth(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int64_t n = x.numel();
  smooth_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
torch::Tensor apply(torch::Tensor x, int64_t which) {
  auto y = torch::empty_like(x);
  const int64_t n = x.numel();
  apply_kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n, int(which));
  return y;
}
EOT
cat > functions.h <<'EOT'
#pragma once
using Operation = float (*)(float);
__device__ float weighted(float left, float middle, float right);
extern __device__ Operation operations[3];
EOT
cat > functions.cu <<'EOT'
#include "functions.h"
__constant__ float weights[3] = {0.25f, 0.5f, 0.25f};
__device__ float weighted(float left, float middle, float right) {
  return weights[0] * left + weights[1] * middle + weights[2] * right;
}
__device__ float twice(float x) { return 2 * x; }
__device__ float square(float x) { return x * x; }
__device__ float negative(float x) { return -x; }
__device__ Operation operations[3] = {twice, square, negative};
EOT
cat > setup.py <<'EOT'
from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension
setup(name="ext", cmdclass={"build_ext": BuildExtension},
      ext_modules=[CUDAExtension("ext", ["ext.cpp", "kernels.cu", "functions.cu"], dlink=True, dlink_libraries=[],
                                 extra_compile_args={"cxx": [], "nvcc": ["-rdc=true"]})])
EOT
cat > use.py <<'EOT'
import torch
import ext
x = torch.arange(10000, dtype=torch.float32, device="cuda").sin()
left, right = torch.cat([x[:1], x[:-1]]), torch.cat([x[1:], x[-1:]])
torch.testing.assert_close(ext.smooth(x), 0.25 * left + 0.5 * x + 0.25 * right)
for which, expected in enumerate((2 * x, x * x, -x)):
    torch.testing.assert_close(ext.apply(x, which), expected)
torch.cuda.synchronize()
print("right")
EOT

"$CULINK" --make-toolchain cuda > /dev/null
NVCC_APPEND_FLAGS="-Xnvlink --stats" CUDA_HOME=$PWD/cuda TORCH_CUDA_ARCH_LIST=${TORCH_CUDA_ARCH_LIST:-9.0} MAX_JOBS=4 \
  python3 setup.py -v build_ext --inplace > log 2>&1 || fail "$(tail -30 log)"
expect_contains log "-dlink" "peak memory"
[ "${gpu:-yes}" = yes ] || exit 0
python3 use.py > out 2>&1 || fail "$(tail -30 out)"
expect_contains out right
