// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads a cubin with the driver, launches one kernel `void k(int *out)` with 32 threads, and prints
// what it wrote: `run_cubin FILE KERNEL [BYTES]`, with so much dynamic shared memory. The driver
// library is opened at run time and the few functions we need are declared here, so that this
// builds anywhere and runs where a GPU is.
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace {

using Handle = void *;
using DevicePointer = unsigned long long;

template <typename Function> Function find(void *library, const char *name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

// Prints the driver's name of a failed call.
bool ok(int status, const char *call) {
  if (status != 0)
    std::fprintf(stderr, "run_cubin: %s failed with error %d\n", call, status);
  return status == 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3 && argc != 4) {
    std::fprintf(stderr, "usage: run_cubin FILE KERNEL [BYTES]\n");
    return 2;
  }
  void *cuda = dlopen("libcuda.so.1", RTLD_NOW);
  if (!cuda) {
    std::printf("skipped: no CUDA driver\n");
    return 77;
  }
  const auto init = find<int (*)(unsigned)>(cuda, "cuInit");
  const auto retain = find<int (*)(Handle *, int)>(cuda, "cuDevicePrimaryCtxRetain");
  const auto set_context = find<int (*)(Handle)>(cuda, "cuCtxSetCurrent");
  const auto load = find<int (*)(Handle *, const char *)>(cuda, "cuModuleLoad");
  const auto get = find<int (*)(Handle *, Handle, const char *)>(cuda, "cuModuleGetFunction");
  const auto allocate = find<int (*)(DevicePointer *, size_t)>(cuda, "cuMemAlloc_v2");
  const auto clear = find<int (*)(DevicePointer, unsigned, size_t)>(cuda, "cuMemsetD32_v2");
  const auto copy = find<int (*)(void *, DevicePointer, size_t)>(cuda, "cuMemcpyDtoH_v2");
  const auto launch =
      find<int (*)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   Handle, void **, void **)>(cuda, "cuLaunchKernel");
  const auto wait = find<int (*)()>(cuda, "cuCtxSynchronize");

  Handle context = nullptr, module = nullptr, kernel = nullptr;
  DevicePointer out = 0;
  int values[32] = {};
  void *arguments[] = {&out};
  const unsigned shared = argc == 4 ? static_cast<unsigned>(std::atoi(argv[3])) : 0;
  const bool done =
      ok(init(0), "cuInit") && ok(retain(&context, 0), "cuDevicePrimaryCtxRetain") &&
      ok(set_context(context), "cuCtxSetCurrent") && ok(load(&module, argv[1]), "cuModuleLoad") &&
      ok(get(&kernel, module, argv[2]), "cuModuleGetFunction") &&
      ok(allocate(&out, sizeof(values)), "cuMemAlloc") && ok(clear(out, 0, 32), "cuMemsetD32") &&
      ok(launch(kernel, 1, 1, 1, 32, 1, 1, shared, nullptr, arguments, nullptr),
         "cuLaunchKernel") &&
      ok(wait(), "cuCtxSynchronize") && ok(copy(values, out, sizeof(values)), "cuMemcpyDtoH");
  if (!done)
    return 1;
  for (const int value : values)
    std::printf("%d ", value);
  std::printf("\n");
  return 0;
}
