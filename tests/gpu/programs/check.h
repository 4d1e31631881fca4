// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the programs share: run() gives a kernel a buffer, prints what the kernel wrote there, and
// compares it with what the host expects.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <vector>

inline void must(cudaError_t status, const char *what) {
  if (status == cudaSuccess)
    return;
  std::printf("%s: %s\n", what, cudaGetErrorName(status));
  std::exit(1);
}

inline void need_gpu() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0)
    return;
  std::printf("skipped: no GPU\n");
  std::exit(77);
}

// `launch` takes the buffer of `count` elements, all 0; `want` says what must be in element i.
template <typename T, typename Launch, typename Want>
int run(int count, const Launch &launch, const Want &want) {
  need_gpu();
  T *buffer = nullptr;
  must(cudaMalloc(&buffer, count * sizeof(T)), "cudaMalloc");
  must(cudaMemset(buffer, 0, count * sizeof(T)), "cudaMemset");
  launch(buffer);
  must(cudaGetLastError(), "launch");
  must(cudaDeviceSynchronize(), "kernel");
  std::vector<T> got(count);
  must(cudaMemcpy(got.data(), buffer, count * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
  int wrong = 0;
  for (int i = 0; i < count; ++i) {
    std::cout << got[i] << ' ';
    wrong += got[i] != static_cast<T>(want(i));
  }
  std::cout << "\n" << wrong << " wrong\n";
  return wrong == 0 ? 0 : 1;
}
