// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <mma.h>
using namespace nvcuda;
__device__ void multiply(float *product) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(a, __float2half(2.0f));
  wmma::fill_fragment(b, __float2half(3.0f));
  wmma::fill_fragment(sum, 0.0f);
  wmma::mma_sync(sum, a, b, sum);
  wmma::store_matrix_sync(product, sum, 16, wmma::mem_row_major);
}
