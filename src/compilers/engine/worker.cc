// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine is NVIDIA's libnvJitLink. It crashes on some damaged objects and does one link at a
// time however many threads ask, so it lives in processes of its own, and this is what they run.
// They die with the linker, whatever happens to it, and leave nothing behind.
//
// Only the documented functions of the library are used.
#include "compilers/engine/worker.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "compilers/engine/jit_link.h"
#include "compilers/engine/sandbox.h"
#include "compilers/engine/worker_messages.h"
#include "support/bytes.h"
#include "support/file_descriptor.h"

namespace culink {

namespace {

constexpr int kBadCommandLine = 2;

// Descriptors the linker handed over.
struct WorkerFiles {
  int socket = -1;
  int job = -1;
  int answer = -1;
};

std::optional<int> descriptor_of(const std::string &word) {
  int number = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || number < 0)
    return std::nullopt;
  return number;
}

// A program that uses the library may have left others open.
void close_all_but(const WorkerFiles &files) {
  std::array<int, 3> kept = {files.socket, files.job, files.answer};
  std::sort(kept.begin(), kept.end());
  int first = STDERR_FILENO + 1;
  for (const int fd : kept) {
    if (fd > first)
      ::syscall(SYS_close_range, first, fd - 1, 0);
    first = fd + 1;
  }
  ::syscall(SYS_close_range, first, ~0U, 0);
}

// The reply, once image and text lie in the file of answers.
WorkerReply answer_with(WorkerOutcome outcome, int code, std::vector<u8> image,
                        std::string_view text, int file) {
  WorkerReply reply{.outcome = outcome,
                    .code = static_cast<u32>(code),
                    .image_size = image.size(),
                    .text_size = text.size()};
  image.insert(image.end(), text.begin(), text.end());
  if (!replace_content(file, image))
    return {};
  return reply;
}

WorkerReply serve(const JitLink &engine, const WorkerFiles &files, const WorkerRequest &request) {
  struct stat info {};
  const bool sized =
      ::fstat(files.job, &info) == 0 && static_cast<u64>(info.st_size) == request.job_size;
  if (request.magic != kWorkerMagic || !sized)
    return {.outcome = WorkerOutcome::NotUnderstood};
  std::vector<u8> bytes(request.job_size);
  if (!read_all(files.job, bytes))
    return answer_with(WorkerOutcome::Failed, 0, {}, "cannot read the job", files.answer);
  const Result<EngineJob> job = decode_job(bytes);
  if (!job)
    return {.outcome = WorkerOutcome::NotUnderstood};
  JitLinkResult result = engine.run(*job);
  const WorkerOutcome outcome = result.outcome();
  return answer_with(outcome, result.code, std::move(result.image), result.log, files.answer);
}

// The engine, loaded; in the sandbox, if the environment asks for that.
Result<JitLink> load_engine(const std::string &library) {
  Result<JitLink> engine = JitLink::load(library);
  if (!engine || !wants_sandbox())
    return engine;
  if (std::optional<Error> error = enter_sandbox())
    return std::move(*error);
  return engine;
}

} // namespace

int run_engine_worker(const std::vector<std::string> &words) {
  if (words.size() != 5)
    return kBadCommandLine;
  const std::optional<int> socket = descriptor_of(words[2]), job = descriptor_of(words[3]),
                           answer = descriptor_of(words[4]);
  if (!socket || !job || !answer)
    return kBadCommandLine;
  const WorkerFiles files{*socket, *job, *answer};
  close_all_but(files);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1); // the GPU driver, if it is found, has nothing to start
  const Result<JitLink> engine = load_engine(words[1]);
  for (WorkerRequest request;;) {
    const ssize_t n = ::recv(files.socket, &request, sizeof request, 0);
    if (n < 0 && errno == EINTR)
      continue;
    if (n != sizeof request)
      return n == 0 ? 0 : kBadCommandLine;
    const WorkerReply reply =
        engine ? serve(*engine, files, request)
               : answer_with(WorkerOutcome::NoEngine, 0, {}, engine.error().text(), files.answer);
    if (::send(files.socket, &reply, sizeof reply, MSG_NOSIGNAL) != sizeof reply)
      return 0;
  }
}

} // namespace culink
