// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The boundary between C and a session: arguments are checked, results are copied out, and
// exceptions from below (out of memory) become codes. Handles share no data, so there is no lock.
// NVIDIA's library crashes on null data, on null words, and on use of a handle with invalid
// options; this library reports an error in each case.
//
// What may surprise: the release that nvJitLinkVersion returns comes from the build, since one set
// of objects makes the libraries of two releases.
#include "driver/nvjitlink/abi.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "driver/nvjitlink/session.h"

namespace culink::jit {

namespace {

// Codes from 10 on are numbered as in CUDA 13; CUDA 12 has other codes at these numbers.
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

// Returns the result of a function as a number. An exception must not reach the client.
template <typename Function> int guarded(const Function &function) noexcept {
  try {
    return static_cast<int>(in_release(function()));
  } catch (...) {
    return static_cast<int>(Code::Internal);
  }
}

using Getter = Answer (Session::*)();

int give_size(nvJitLinkHandle handle, size_t *size, Getter get) {
  return guarded([&] {
    if (!handle || !size)
      return Code::NullInput;
    const Answer answer = (handle->*get)();
    if (answer.code == Code::Success)
      *size = answer.bytes.size();
    return answer.code;
  });
}

int give_bytes(nvJitLinkHandle handle, void *out, Getter get) {
  return guarded([&] {
    if (!handle || !out)
      return Code::NullInput;
    const Answer answer = (handle->*get)();
    if (answer.code == Code::Success)
      std::copy(answer.bytes.begin(), answer.bytes.end(), static_cast<u8 *>(out));
    return answer.code;
  });
}

} // namespace

} // namespace culink::jit

using culink::jit::Code;
using culink::jit::give_bytes;
using culink::jit::give_size;
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
    *handle = session.release(); // even after a failure: its log has the reason
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
  return give_size(handle, size, &Session::cubin);
}

int nvJitLinkGetLinkedCubin(nvJitLinkHandle handle, void *cubin) {
  return give_bytes(handle, cubin, &Session::cubin);
}

int nvJitLinkGetLinkedPtxSize(nvJitLinkHandle handle, size_t *size) {
  return give_size(handle, size, &Session::ptx);
}

int nvJitLinkGetLinkedPtx(nvJitLinkHandle handle, char *ptx) {
  return give_bytes(handle, ptx, &Session::ptx);
}

int nvJitLinkGetLinkedLTOIRSize(nvJitLinkHandle handle, size_t *size) {
  return give_size(handle, size, &Session::ltoir);
}

int nvJitLinkGetLinkedLTOIR(nvJitLinkHandle handle, void *ltoir) {
  return give_bytes(handle, ltoir, &Session::ltoir);
}

int nvJitLinkGetErrorLogSize(nvJitLinkHandle handle, size_t *size) {
  return give_size(handle, size, &Session::errors);
}

int nvJitLinkGetErrorLog(nvJitLinkHandle handle, char *log) {
  return give_bytes(handle, log, &Session::errors);
}

int nvJitLinkGetInfoLogSize(nvJitLinkHandle handle, size_t *size) {
  return give_size(handle, size, &Session::infos);
}

int nvJitLinkGetInfoLog(nvJitLinkHandle handle, char *log) {
  return give_bytes(handle, log, &Session::infos);
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
