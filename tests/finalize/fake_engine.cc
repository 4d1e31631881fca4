// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library with the functions of libnvJitLink that does as CULINK_FAKE_ENGINE says: `crash`,
// `refuse`, `fail`, or the name of a file that holds the answer to every object. It shows what the
// linker does with good and bad engines where there is none. As the real one it looks for the GPU
// driver first; it refuses to work where it finds it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace {

std::vector<char> read_answer(const char *path) {
  std::vector<char> out;
  if (std::FILE *file = std::fopen(path, "rb")) {
    char buffer[4096];
    for (size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, file)) != 0;)
      out.insert(out.end(), buffer, buffer + n);
    std::fclose(file);
  }
  return out;
}

std::string wanted() {
  const char *value = std::getenv("CULINK_FAKE_ENGINE");
  return value ? value : "fail";
}

constexpr int kInvalidInput = 3;
constexpr int kInternal = 6;
constexpr const char kLog[] = "it does not want to";

} // namespace

extern "C" [[gnu::visibility("default")]] int nvJitLinkCreate(void **handle, std::uint32_t,
                                                              const char **) {
  *handle = new std::vector<char>();
  const char *devices = std::getenv("CUDA_VISIBLE_DEVICES");
  const bool hidden = devices && *devices == '\0' && !::dlopen("libcuda.so.1", RTLD_NOW);
  return hidden ? 0 : kInternal;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkDestroy(void **handle) {
  delete static_cast<std::vector<char> *>(*handle);
  *handle = nullptr;
  return 0;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkAddData(void *, int, const void *, size_t,
                                                               const char *) {
  if (wanted() == "crash")
    std::abort();
  return wanted() == "refuse" ? kInvalidInput : 0;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkComplete(void *handle) {
  if (wanted() == "fail")
    return kInternal;
  if (wanted() == "escape") { // by a file, a socket, a program: one is too much
    std::FILE *file = std::fopen("escaped", "w");
    const bool escaped = file || ::socket(AF_INET, SOCK_STREAM, 0) >= 0 || std::system("true") == 0;
    return escaped ? 0 : kInternal;
  }
  *static_cast<std::vector<char> *>(handle) = read_answer(wanted().c_str());
  return 0;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkGetLinkedCubinSize(void *handle,
                                                                          size_t *size) {
  *size = static_cast<std::vector<char> *>(handle)->size();
  return 0;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkGetLinkedCubin(void *handle, void *bytes) {
  const auto &answer = *static_cast<std::vector<char> *>(handle);
  if (!answer.empty())
    std::memcpy(bytes, answer.data(), answer.size());
  return 0;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkGetErrorLogSize(void *, size_t *size) {
  *size = sizeof kLog;
  return 0;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkGetErrorLog(void *, char *text) {
  std::memcpy(text, kLog, sizeof kLog);
  return 0;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkGetInfoLogSize(void *, size_t *size) {
  *size = 0;
  return 0;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkGetInfoLog(void *, char *) {
  return 0;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkGetLinkedPtxSize(void *handle,
                                                                        size_t *size) {
  return nvJitLinkGetLinkedCubinSize(handle, size);
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkGetLinkedPtx(void *handle, char *text) {
  return nvJitLinkGetLinkedCubin(handle, text);
}
