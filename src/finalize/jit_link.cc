// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls through the documented interface of libnvJitLink, whose functions are looked up by name, so
// that culink is built and runs without the toolkit. The library stays loaded: the process that
// loads it does nothing else.
//
// A program that is linked statically cannot load libraries.
#include "finalize/jit_link.h"

#include <array>

#ifndef CULINK_STATIC_PROGRAM
#include <dlfcn.h>
#endif

namespace culink {

#ifndef CULINK_STATIC_PROGRAM

namespace {

constexpr int kInputCubin = 1; // NVJITLINK_INPUT_CUBIN

template <typename Function> bool look_up(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

} // namespace

Result<JitLink> JitLink::load(const std::string &library) {
  void *handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = ::dlerror();
    return Error{"", "", std::string("cannot be loaded: ") + (reason ? reason : library)};
  }
  Functions found;
  const bool all = look_up(handle, "nvJitLinkCreate", found.create) &&
                   look_up(handle, "nvJitLinkDestroy", found.destroy) &&
                   look_up(handle, "nvJitLinkAddData", found.add_data) &&
                   look_up(handle, "nvJitLinkComplete", found.complete) &&
                   look_up(handle, "nvJitLinkGetLinkedCubinSize", found.cubin_size) &&
                   look_up(handle, "nvJitLinkGetLinkedCubin", found.cubin) &&
                   look_up(handle, "nvJitLinkGetErrorLogSize", found.log_size) &&
                   look_up(handle, "nvJitLinkGetErrorLog", found.log);
  if (!all)
    return Error{"", "", library + " is not a libnvJitLink"};
  return JitLink(found);
}

JitLinkResult JitLink::link(const std::string &target, bool debug, ByteSpan object) const {
  const std::string arch = "-arch=" + target;
  std::array<const char *, 2> options = {arch.c_str(), "-g"};
  JitLinkResult out;
  Handle handle = nullptr;
  out.code = call_.create(&handle, debug ? 2 : 1, options.data());
  if (out.code == 0) {
    out.code = call_.add_data(handle, kInputCubin, object.data(), object.size(), "object");
    out.refused = out.code != 0;
  }
  if (out.code == 0)
    out.code = call_.complete(handle);
  size_t size = 0;
  if (out.code == 0)
    out.code = call_.cubin_size(handle, &size);
  if (out.code == 0) {
    out.cubin.resize(size);
    out.code = call_.cubin(handle, out.cubin.data());
  }
  if (size_t length = 0;
      out.code != 0 && handle && call_.log_size(handle, &length) == 0 && length) {
    out.log.resize(length);
    call_.log(handle, out.log.data());
    out.log.resize(out.log.find('\0') == std::string::npos ? length : out.log.find('\0'));
  }
  if (handle)
    call_.destroy(&handle);
  return out;
}

#else

Result<JitLink> JitLink::load(const std::string &library) {
  return Error{"", "", "a statically linked culink cannot load " + library};
}

JitLinkResult JitLink::link(const std::string &, bool, ByteSpan) const {
  return {};
}

#endif

} // namespace culink
