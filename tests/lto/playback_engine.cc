// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library with the functions of libnvJitLink that answers from a folder, CULINK_PLAYBACK: the
// file is named after a hash of all that it was asked, options and inputs, so that a linker that
// asks for something else gets an error. With the real library in CULINK_REAL_ENGINE it passes
// everything on and keeps the answers: this is how the folder was filled.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <vector>

namespace {

constexpr int kFailed = 5; // as if the optimiser had given up

struct Job {
  std::uint64_t hash = 14695981039346656037u; // FNV-1a
  std::string answer;
  std::string log;
  void *real = nullptr;
};

void add(Job &job, const void *bytes, size_t size) {
  for (size_t i = 0; i < size; ++i)
    job.hash = (job.hash ^ static_cast<const unsigned char *>(bytes)[i]) * 1099511628211u;
}

std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::string path_of(const Job &job) {
  char name[32];
  std::snprintf(name, sizeof name, "/%016llx.ptx", static_cast<unsigned long long>(job.hash));
  return variable("CULINK_PLAYBACK") + name;
}

template <typename Function> Function real(const char *name) {
  static void *library = ::dlopen(variable("CULINK_REAL_ENGINE").c_str(), RTLD_NOW);
  return library ? reinterpret_cast<Function>(::dlsym(library, name)) : nullptr;
}

bool records() {
  return !variable("CULINK_REAL_ENGINE").empty();
}

bool read_file(const std::string &path, std::string &out) {
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (!file)
    return false;
  char buffer[4096];
  for (size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, file)) != 0;)
    out.append(buffer, n);
  std::fclose(file);
  return true;
}

// What the real library answers, as a file: a digit for the code, then the text or the log.
std::string ask_real(void *handle) {
  const int code = real<int (*)(void *)>("nvJitLinkComplete")(handle);
  size_t size = 0;
  const char *const what = code == 0 ? "nvJitLinkGetLinkedPtx" : "nvJitLinkGetErrorLog";
  real<int (*)(void *, size_t *)>((std::string(what) + "Size").c_str())(handle, &size);
  std::string text(size, '\0');
  if (size != 0)
    real<int (*)(void *, char *)>(what)(handle, text.data());
  while (!text.empty() && text.back() == '\0')
    text.pop_back();
  return (code == 0 ? "0" : "1") + text;
}

} // namespace

extern "C" [[gnu::visibility("default")]] int nvJitLinkCreate(void **handle, std::uint32_t count,
                                                              const char **options) {
  Job *job = new Job();
  for (std::uint32_t i = 0; i < count; ++i)
    add(*job, options[i], std::strlen(options[i]) + 1);
  *handle = job;
  return records() ? real<int (*)(void **, std::uint32_t, const char **)>("nvJitLinkCreate")(
                         &job->real, count, options)
                   : 0;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkDestroy(void **handle) {
  delete static_cast<Job *>(*handle);
  *handle = nullptr;
  return 0;
}

extern "C" [[gnu::visibility("default")]] int
nvJitLinkAddData(void *handle, int kind, const void *bytes, size_t size, const char *name) {
  Job &job = *static_cast<Job *>(handle);
  add(job, &kind, sizeof kind);
  add(job, bytes, size);
  add(job, name, std::strlen(name) + 1);
  return records() ? real<int (*)(void *, int, const void *, size_t, const char *)>(
                         "nvJitLinkAddData")(job.real, kind, bytes, size, name)
                   : 0;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkComplete(void *handle) {
  Job &job = *static_cast<Job *>(handle);
  if (records()) {
    const std::string answer = ask_real(job.real);
    if (std::FILE *file = std::fopen(path_of(job).c_str(), "wb")) {
      std::fwrite(answer.data(), 1, answer.size(), file);
      std::fclose(file);
    }
  }
  std::string answer;
  if (!read_file(path_of(job), answer) || answer.empty())
    job.log = "nothing was recorded for this: " + path_of(job);
  else
    (answer[0] == '0' ? job.answer : job.log) = answer.substr(1);
  return job.answer.empty() ? kFailed : 0;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkGetLinkedPtxSize(void *handle,
                                                                        size_t *size) {
  *size = static_cast<Job *>(handle)->answer.size() + 1;
  return 0;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkGetLinkedPtx(void *handle, char *text) {
  const std::string &answer = static_cast<Job *>(handle)->answer;
  std::memcpy(text, answer.c_str(), answer.size() + 1);
  return 0;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkGetLinkedCubinSize(void *, size_t *) {
  return kFailed;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkGetLinkedCubin(void *, void *) {
  return kFailed;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkGetErrorLogSize(void *handle, size_t *size) {
  *size = static_cast<Job *>(handle)->log.size() + 1;
  return 0;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkGetErrorLog(void *handle, char *text) {
  const std::string &log = static_cast<Job *>(handle)->log;
  std::memcpy(text, log.c_str(), log.size() + 1);
  return 0;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkGetInfoLogSize(void *, size_t *size) {
  *size = 0;
  return 0;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkGetInfoLog(void *, char *) {
  return 0;
}
