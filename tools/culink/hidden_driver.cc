// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hides the GPU driver from libnvJitLink, which looks for it on every link. Loading and starting
// the driver takes twenty times as long as a small link and does not affect the link. The loader
// finds the dlopen of this program before the one of the C library, for all libraries that the
// program loads. This dlopen fails for the driver and passes all other calls to the C library.
#ifndef CULINK_STATIC_PROGRAM

#include <cstring>
#include <dlfcn.h>

namespace {

using Open = void *(*)(const char *, int);

bool is_driver(const char *path) {
  const char *slash = std::strrchr(path, '/');
  return std::strncmp(slash ? slash + 1 : path, "libcuda.so", std::strlen("libcuda.so")) == 0;
}

} // namespace

// A path that cannot exist sets the reason for dlerror, and the loader does not search folders.
extern "C" [[gnu::visibility("default")]] void *dlopen(const char *path, int mode) noexcept {
  const Open open = reinterpret_cast<Open>(::dlsym(RTLD_NEXT, "dlopen"));
  return open(path && is_driver(path) ? "/dev/null/libcuda.so.1" : path, mode);
}

#endif
