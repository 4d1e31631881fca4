// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The edge between C and a session: arguments are checked, results are copied out, and whatever is
// thrown below (memory that runs out) ends here as a code. Nothing is shared between handles, so
// there is no lock. NVIDIA's library crashes on null data, on words that are null, and when a
// handle is used whose options were refused; here each of them is an error.
//
// What may surprise: the release that nvJitLinkVersion names comes from the build, since one set of
// objects makes the libraries of two releases.
#include "driver/nvjitlink/abi.h"

#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "driver/nvjitlink/session.h"

namespace culink::jit {

namespace {

// Codes from 10 on are those of CUDA 13: releases of CUDA 12 have other ones in their place.
Code in_release(Code code) {
  if (release_of_library().major >= 13)
    return code;
  switch (code) {
  case Code::NullInput:
  case Code::IncompatibleOptions:
  case Code::IncorrectInputType:
    return Code::InvalidInput;
  case Code::UnrecognizedArch:
  case Code::UnsupportedArch:
  case Code::LtoNotEnabled:
    return Code::Internal;
  default:
    return code;
  }
}

// A function's result as a number; nothing may be thrown into a client.
template <typename Function> int guarded(const Function &function) noexcept {
  try {
    return static_cast<int>(in_release(function()));
  } catch (...) {
    return static_cast<int>(Code::Internal);
  }
}

template <typename Text> Code give_size(const Text &text, size_t *size, size_t end) {
  *size = text.empty() ? 0 : text.size() + end;
  return Code::Success;
}

// An empty log has the size 0, without an end: the client may have no room for one.
Code give_text(const std::string &text, char *out) {
  if (!text.empty())
    std::memcpy(out, text.c_str(), text.size() + 1);
  return Code::Success;
}

} // namespace

} // namespace culink::jit

using culink::jit::Code;
using culink::jit::give_size;
using culink::jit::give_text;
using culink::jit::guarded;
using culink::jit::InputKind;
using culink::jit::Session;

const char culink_stand_in_for_nvJitLink[] = "culink " CULINK_VERSION;

int nvJitLinkCreate(nvJitLinkHandle *handle, uint32_t count, const char **options) {
  return guarded([&] {
    if (!handle || count == 0 || !options)
      return Code::NullInput;
    std::vector<std::string> words;
    for (const char *option : std::span(options, count)) {
      if (!option)
        return Code::NullInput;
      words.emplace_back(option);
    }
    auto session = std::make_unique<Session>(words);
    const Code code = session->created();
    *handle = session.release(); // even if it failed: its log says why
    return code;
  });
}

int nvJitLinkDestroy(nvJitLinkHandle *handle) {
  return guarded([&] {
    if (!handle || !*handle)
      return Code::NullInput;
    const std::unique_ptr<Session> ended(*handle);
    *handle = nullptr;
    return Code::Success;
  });
}

int nvJitLinkAddData(nvJitLinkHandle handle, int kind, const void *data, size_t size,
                     const char *name) {
  return guarded([&] {
    if (!handle || (!data && size != 0))
      return Code::NullInput;
    return handle->add_data(static_cast<InputKind>(kind), name ? name : "",
                            {static_cast<const culink::u8 *>(data), size});
  });
}

int nvJitLinkAddFile(nvJitLinkHandle handle, int kind, const char *path) {
  return guarded([&] {
    return handle && path ? handle->add_file(static_cast<InputKind>(kind), path) : Code::NullInput;
  });
}

int nvJitLinkComplete(nvJitLinkHandle handle) {
  return guarded([&] { return handle ? handle->complete() : Code::NullInput; });
}

int nvJitLinkGetLinkedCubinSize(nvJitLinkHandle handle, size_t *size) {
  return guarded([&] {
    if (!handle || !size)
      return Code::NullInput;
    return handle->has_cubin() ? give_size(handle->cubin(), size, 0) : Code::Internal;
  });
}

int nvJitLinkGetLinkedCubin(nvJitLinkHandle handle, void *cubin) {
  return guarded([&] {
    if (!handle || !cubin)
      return Code::NullInput;
    if (!handle->has_cubin())
      return Code::Internal;
    std::memcpy(cubin, handle->cubin().data(), handle->cubin().size());
    return Code::Success;
  });
}

int nvJitLinkGetLinkedPtxSize(nvJitLinkHandle handle, size_t *size) {
  return guarded([&] {
    if (!handle || !size)
      return Code::NullInput;
    if (!handle->wants_ptx())
      return Code::InvalidInput;
    return handle->has_ptx() ? give_size(handle->ptx(), size, 1) : Code::Internal;
  });
}

int nvJitLinkGetLinkedPtx(nvJitLinkHandle handle, char *ptx) {
  return guarded([&] {
    if (!handle || !ptx)
      return Code::NullInput;
    if (!handle->wants_ptx())
      return Code::InvalidInput;
    return handle->has_ptx() ? give_text(handle->ptx(), ptx) : Code::Internal;
  });
}

int nvJitLinkGetLinkedLTOIRSize(nvJitLinkHandle handle, size_t *size) {
  return guarded([&] {
    if (!handle || !size)
      return Code::NullInput;
    if (!handle->wants_lto())
      return Code::InvalidInput;
    return handle->ltoir().empty() ? Code::Internal : give_size(handle->ltoir(), size, 0);
  });
}

int nvJitLinkGetLinkedLTOIR(nvJitLinkHandle handle, void *ltoir) {
  return guarded([&] {
    if (!handle || !ltoir)
      return Code::NullInput;
    if (!handle->wants_lto())
      return Code::InvalidInput;
    const culink::ByteSpan bytes = handle->ltoir();
    if (bytes.empty())
      return Code::Internal;
    std::memcpy(ltoir, bytes.data(), bytes.size());
    return Code::Success;
  });
}

int nvJitLinkGetErrorLogSize(nvJitLinkHandle handle, size_t *size) {
  return guarded(
      [&] { return handle && size ? give_size(handle->errors(), size, 1) : Code::NullInput; });
}

int nvJitLinkGetErrorLog(nvJitLinkHandle handle, char *log) {
  return guarded(
      [&] { return handle && log ? give_text(handle->errors(), log) : Code::NullInput; });
}

int nvJitLinkGetInfoLogSize(nvJitLinkHandle handle, size_t *size) {
  return guarded(
      [&] { return handle && size ? give_size(handle->infos(), size, 1) : Code::NullInput; });
}

int nvJitLinkGetInfoLog(nvJitLinkHandle handle, char *log) {
  return guarded([&] { return handle && log ? give_text(handle->infos(), log) : Code::NullInput; });
}

int nvJitLinkVersion(unsigned int *major, unsigned int *minor) {
  return guarded([&] {
    if (!major || !minor)
      return Code::NullInput;
    const culink::jit::Release release = culink::jit::release_of_library();
    *major = release.major;
    *minor = release.minor;
    return Code::Success;
  });
}
