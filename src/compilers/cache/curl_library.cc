// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libcurl at run time: only links with a shared store need it, and it brings thirty libraries with
// it. So the programs do not depend on it, and where it is missing, such a link does without the
// store. Distributions have it under one of two names.
#include "compilers/cache/curl_library.h"

#include <array>
#ifndef CULINK_STATIC_PROGRAM
#include <dlfcn.h>
#endif

namespace culink::curl {

#ifdef CULINK_STATIC_PROGRAM

Result<Functions> load() {
  return Error{"", "", "a statically linked program cannot load libcurl"};
}

#else

namespace {

constexpr std::array<const char *, 2> kNames = {"libcurl.so.4", "libcurl-gnutls.so.4"};

template <typename Function> bool look_up(void *library, const char *name, Function &out) {
  out = reinterpret_cast<Function>(::dlsym(library, name));
  return out != nullptr;
}

} // namespace

Result<Functions> load() {
  void *library = nullptr;
  for (const char *name : kNames)
    if (!library)
      library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Error{"", "", "libcurl (libcurl.so.4) is not installed"};
  Functions out;
  const bool complete = look_up(library, "curl_global_init", out.global_init) &&
                        look_up(library, "curl_easy_init", out.init) &&
                        look_up(library, "curl_easy_reset", out.reset) &&
                        look_up(library, "curl_easy_cleanup", out.cleanup) &&
                        look_up(library, "curl_easy_setopt", out.setopt) &&
                        look_up(library, "curl_easy_perform", out.perform) &&
                        look_up(library, "curl_easy_getinfo", out.getinfo) &&
                        look_up(library, "curl_easy_strerror", out.strerror) &&
                        look_up(library, "curl_slist_append", out.slist_append) &&
                        look_up(library, "curl_slist_free_all", out.slist_free);
  if (!complete || out.global_init(kInitAll) != kOk)
    return Error{"", "", "libcurl cannot be used"};
  return out;
}

#endif

} // namespace culink::curl
