// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls the documented interface of libnvJitLink. Its functions are looked up by name, so that
// culink builds and runs without the toolkit. The library stays loaded.
//
// A statically linked program cannot load libraries.
#include "compilers/engine/jit_link.h"

#ifndef CULINK_STATIC_PROGRAM
#include <dlfcn.h>
#endif

namespace culink {

#ifndef CULINK_STATIC_PROGRAM

namespace {

constexpr int kInternal = 6; // the error of a release that cannot give the output
constexpr const char *kStandInMark = "culink_stand_in_for_nvJitLink";

template <typename Function> bool look_up(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

// Returns the text of a log by two functions of the library: one for its size, one for its
// contents.
template <typename Size, typename Text> std::string read_log(void *handle, Size size, Text text) {
  std::string out;
  if (size_t length = 0; size(handle, &length) == 0 && length != 0) {
    out.resize(length);
    text(handle, out.data());
    out.resize(out.find('\0') == std::string::npos ? length : out.find('\0'));
  }
  return out;
}

} // namespace

Result<JitLink> JitLink::load(const std::string &library, Beside beside) {
  void *handle = ::dlopen(library.c_str(),
                          RTLD_NOW | RTLD_LOCAL | (beside == Beside::StandIn ? RTLD_DEEPBIND : 0));
  if (!handle) {
    const char *reason = ::dlerror();
    return Error{"", "", std::string("cannot be loaded: ") + (reason ? reason : library)};
  }
  // A stand-in would ask for an engine itself, and so on without end.
  if (::dlsym(handle, kStandInMark))
    return Error{"", "", library + " is culink's own and not NVIDIA's"};
  Functions found;
  const bool all = look_up(handle, "nvJitLinkCreate", found.create) &&
                   look_up(handle, "nvJitLinkDestroy", found.destroy) &&
                   look_up(handle, "nvJitLinkAddData", found.add_data) &&
                   look_up(handle, "nvJitLinkComplete", found.complete) &&
                   look_up(handle, "nvJitLinkGetLinkedCubinSize", found.cubin_size) &&
                   look_up(handle, "nvJitLinkGetLinkedCubin", found.cubin) &&
                   look_up(handle, "nvJitLinkGetLinkedPtxSize", found.ptx_size) &&
                   look_up(handle, "nvJitLinkGetLinkedPtx", found.ptx) &&
                   look_up(handle, "nvJitLinkGetErrorLogSize", found.error_size) &&
                   look_up(handle, "nvJitLinkGetErrorLog", found.errors) &&
                   look_up(handle, "nvJitLinkGetInfoLogSize", found.info_size) &&
                   look_up(handle, "nvJitLinkGetInfoLog", found.infos);
  if (!all)
    return Error{"", "", library + " is not a libnvJitLink"};
  if (!look_up(handle, "nvJitLinkGetLinkedLTOIRSize", found.ltoir_size) ||
      !look_up(handle, "nvJitLinkGetLinkedLTOIR", found.ltoir))
    found.ltoir_size = nullptr;
  static_cast<void>(look_up(handle, "nvJitLinkVersion", found.version));
  return JitLink(found);
}

int JitLink::fetch(Handle handle, EngineOutput wanted, std::vector<u8> &image) const {
  const auto size_of = wanted == EngineOutput::Cubin ? call_.cubin_size
                       : wanted == EngineOutput::Ptx ? call_.ptx_size
                                                     : call_.ltoir_size;
  size_t size = 0;
  if (const int code = size_of ? size_of(handle, &size) : kInternal; code != 0)
    return code;
  image.resize(size);
  if (wanted != EngineOutput::Ptx)
    return (wanted == EngineOutput::Cubin ? call_.cubin : call_.ltoir)(handle, image.data());
  const int code = call_.ptx(handle, reinterpret_cast<char *>(image.data()));
  while (!image.empty() && image.back() == 0) // the library ends the text with a NUL
    image.pop_back();
  return code;
}

WorkerAnswer JitLink::run(const EngineJob &job) const {
  std::vector<const char *> options;
  for (const std::string &option : job.options)
    options.push_back(option.c_str());
  WorkerAnswer out;
  Handle handle = nullptr;
  int code = call_.create(&handle, static_cast<u32>(options.size()), options.data());
  bool refused = false;
  for (const EngineInput &input : job.inputs) {
    if (code != 0)
      break;
    code = call_.add_data(handle, static_cast<int>(input.kind), input.bytes.data(),
                          input.bytes.size(), input.name.c_str());
    refused = code != 0;
  }
  if (code == 0)
    code = call_.complete(handle);
  // LTO-IR is available before the compiler of PTX can fail.
  if (code == 0 || (!refused && handle && job.wanted == EngineOutput::LtoIr))
    code = fetch(handle, job.wanted, out.image);
  if (handle) {
    out.text = read_log(handle, call_.info_size, call_.infos) +
               read_log(handle, call_.error_size, call_.errors);
    call_.destroy(&handle);
  }
  unsigned major = 0, minor = 0;
  if (out.text.find("newer version of nvJitLink") != std::string::npos && call_.version &&
      call_.version(&major, &minor) == 0)
    out.text += "this one is of CUDA " + std::to_string(major) + "." + std::to_string(minor) + "\n";
  out.outcome = refused     ? WorkerOutcome::Refused
                : code != 0 ? WorkerOutcome::Failed
                            : WorkerOutcome::Linked;
  if (code != 0)
    out.image.clear();
  if (code != 0 && out.text.empty())
    out.text = "error " + std::to_string(code);
  return out;
}

#else

Result<JitLink> JitLink::load(const std::string &library, Beside) {
  return Error{"", "", "a statically linked culink cannot load " + library};
}

WorkerAnswer JitLink::run(const EngineJob &) const {
  return {};
}

#endif

} // namespace culink
