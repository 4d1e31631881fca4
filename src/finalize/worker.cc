// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine is NVIDIA's libnvJitLink. It crashes on some damaged objects and does one link at a
// time however many threads ask, so it lives in processes of its own, and this is what they run.
// They die with the linker, whatever happens to it, and leave nothing behind.
//
// Only the documented functions of the library are used.
#include "finalize/worker.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <optional>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "finalize/jit_link.h"
#include "finalize/worker_messages.h"

namespace culink {

namespace {

constexpr int kBadCommandLine = 2;

// Descriptors the linker handed over.
struct WorkerFiles {
  int socket = -1;
  int object = -1;
  int answer = -1;
};

std::optional<int> descriptor_of(const std::string &word) {
  int number = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || number < 0)
    return std::nullopt;
  return number;
}

bool read_all(int fd, std::vector<u8> &out) {
  for (u64 done = 0; done < out.size();) {
    const ssize_t n = ::pread(fd, out.data() + done, out.size() - done, static_cast<off_t>(done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    done += static_cast<u64>(n);
  }
  return true;
}

bool write_all(int fd, ByteSpan bytes) {
  if (::ftruncate(fd, static_cast<off_t>(bytes.size())) != 0)
    return false;
  for (u64 done = 0; done < bytes.size();) {
    const ssize_t n =
        ::pwrite(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    done += static_cast<u64>(n);
  }
  return true;
}

void set_text(WorkerReply &reply, std::string_view text) {
  std::memcpy(reply.text, text.data(), std::min(text.size(), sizeof reply.text - 1));
}

WorkerReply serve(const JitLink &engine, const WorkerFiles &files, const WorkerRequest &request) {
  WorkerReply reply;
  struct stat info {};
  const bool sized =
      ::fstat(files.object, &info) == 0 && static_cast<u64>(info.st_size) == request.object_size;
  const bool named = std::memchr(request.target, 0, sizeof request.target) != nullptr;
  if (request.magic != kWorkerMagic || !sized || !named) {
    reply.outcome = WorkerOutcome::NotUnderstood;
    return reply;
  }
  std::vector<u8> object(request.object_size);
  if (!read_all(files.object, object)) {
    set_text(reply, "cannot read the object");
    return reply;
  }
  const JitLinkResult result = engine.link(request.target, request.debug != 0, object);
  reply.outcome = result.refused     ? WorkerOutcome::Refused
                  : result.code != 0 ? WorkerOutcome::Failed
                                     : WorkerOutcome::Linked;
  reply.code = static_cast<u32>(result.code);
  reply.answer_size = result.cubin.size();
  set_text(reply, result.log);
  if (reply.outcome == WorkerOutcome::Linked && !write_all(files.answer, result.cubin)) {
    reply.outcome = WorkerOutcome::Failed;
    set_text(reply, "cannot write the answer");
  }
  return reply;
}

} // namespace

int run_finalizer_worker(const std::vector<std::string> &words) {
  if (words.size() != 5)
    return kBadCommandLine;
  const std::optional<int> socket = descriptor_of(words[2]), object = descriptor_of(words[3]),
                           answer = descriptor_of(words[4]);
  if (!socket || !object || !answer)
    return kBadCommandLine;
  const WorkerFiles files{*socket, *object, *answer};
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const Result<JitLink> engine = JitLink::load(words[1]);
  for (WorkerRequest request;;) {
    const ssize_t n = ::recv(files.socket, &request, sizeof request, 0);
    if (n < 0 && errno == EINTR)
      continue;
    if (n != sizeof request)
      return n == 0 ? 0 : kBadCommandLine;
    WorkerReply reply;
    if (engine) {
      reply = serve(*engine, files, request);
    } else {
      reply.outcome = WorkerOutcome::NoEngine;
      set_text(reply, engine.error().text());
    }
    if (::send(files.socket, &reply, sizeof reply, MSG_NOSIGNAL) != sizeof reply)
      return 0;
  }
}

} // namespace culink
