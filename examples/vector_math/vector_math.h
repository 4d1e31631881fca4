// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the two files of this example promise each other.
#pragma once

constexpr int kTaps = 8;

// Defined in filter.cu, used by the kernels in main.cu.
extern __constant__ float filter_taps[kTaps];
extern __device__ unsigned long long samples_seen;
__device__ float filtered(const float *window);
__device__ float block_sum(float value);
