// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libnvJitLink looks for the GPU driver whenever it is asked for a link. Where there is one, it is
// loaded and started, which takes twenty times as long as a small link and has no influence on what
// is linked. A worker must not find it. This program's dlopen is found before that of the C library
// for every library that it loads: what asks for the driver is told that there is none, and all
// else goes to the C library.
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

// A path that cannot exist leaves the reason for dlerror, and no folder is searched.
extern "C" [[gnu::visibility("default")]] void *dlopen(const char *path, int mode) noexcept {
  const Open open = reinterpret_cast<Open>(::dlsym(RTLD_NEXT, "dlopen"));
  return open(path && is_driver(path) ? "/dev/null/libcuda.so.1" : path, mode);
}

#endif
