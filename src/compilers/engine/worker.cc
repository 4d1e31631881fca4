// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The linker's side of a worker. Nothing a worker does may stop the linker: replies are waited for
// with a deadline, their sizes are checked against the file, contents are copied and not mapped (a
// file that shrinks under a mapping would be a signal), and writing to a dead worker is an error.
//
// What may surprise: a process that ignores SIGCHLD, or waits for all its children, loses the
// worker before it is waited for here, and its number may be that of another process by then. So a
// worker is ended by a signal only while it has its end of the socket open.
#include "compilers/engine/worker.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

#include "compilers/engine/sandbox.h"
#include "support/bytes.h"
#include "support/file_descriptor.h"
#include "support/process.h"

namespace culink {

constexpr u64 kWorkerMagic = 0x33302d6b6e696c75; // changes with the messages

// The linker and a worker exchange one message each way per job, on a socket that keeps messages
// apart. Contents lie in two files in memory that both have open.
struct WorkerReply {
  u64 magic = kWorkerMagic;
  WorkerOutcome outcome = WorkerOutcome::Failed;
  u32 code = 0;       // what the engine returned
  u64 image_size = 0; // in the second file; then what the engine said
  u64 text_size = 0;
};

namespace {

struct WorkerRequest {
  u64 magic = kWorkerMagic;
  u64 job_size = 0; // in the first file
};

// Without descriptors of ours but those that are handed over.
Result<pid_t> spawn_worker(const std::vector<std::string> &words, const std::vector<int> &kept) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  for (const int fd : kept) // onto itself: it stays open
    ::posix_spawn_file_actions_adddup2(&actions, fd, fd);
  std::vector<char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = -1;
  ChildEnvironment environment;
  errno = ::posix_spawn(&child, words.front().c_str(), &actions, nullptr, arguments.data(),
                        environment.data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (errno != 0)
    return system_error("cannot start a worker");
  return child;
}

} // namespace

Result<WorkerProcess> WorkerProcess::start(const std::string &program, const std::string &library) {
  Result<WorkerProcess> out = start_child(program, library);
  if (out || library.empty() || wants_sandbox())
    return out;
  Result<JitLink> here = JitLink::load(library, JitLink::Beside::StandIn);
  if (!here)
    return Error{"", "", out.error().text() + "; " + here.error().text()};
  return WorkerProcess(std::move(*here));
}

Result<WorkerProcess> WorkerProcess::start_child(const std::string &program,
                                                 const std::string &library) {
  Result<MemoryFile> job = MemoryFile::create({});
  Result<MemoryFile> answer = MemoryFile::create({});
  if (!job || !answer)
    return job ? answer.error() : job.error();
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return system_error("cannot create a socket");
  for (int &end : ends)
    end = above_standard(end);
  const Result<pid_t> child =
      spawn_worker({program, std::string(kWorkerWord), library, std::to_string(ends[1]),
                    std::to_string(job->descriptor()), std::to_string(answer->descriptor())},
                   {ends[1], job->descriptor(), answer->descriptor()});
  ::close(ends[1]);
  if (!child) {
    ::close(ends[0]);
    return child.error();
  }
  return WorkerProcess(*child, ends[0], std::move(*job), std::move(*answer));
}

WorkerProcess::WorkerProcess(WorkerProcess &&other) noexcept
    : child_(std::exchange(other.child_, -1)), socket_(std::exchange(other.socket_, -1)),
      job_(std::move(other.job_)), answer_(std::move(other.answer_)),
      here_(std::exchange(other.here_, std::nullopt)) {}

WorkerProcess::~WorkerProcess() {
  end();
}

// It has nothing to lose: what is wanted of it lies in our files.
void WorkerProcess::stop() const {
  pollfd other_end{socket_, 0, 0};
  if (child_ > 0 && ::poll(&other_end, 1, 0) == 0)
    ::kill(child_, SIGKILL);
}

// Returns its status.
int WorkerProcess::end() {
  stop();
  if (socket_ >= 0)
    ::close(std::exchange(socket_, -1));
  if (child_ <= 0)
    return 0;
  return wait_for_child(std::exchange(child_, -1)).value_or(kLostStatus);
}

// The socket was closed at the other end, so it is ending, if it has not ended.
Error WorkerProcess::gone() {
  return Error{"", "", "the engine " + describe_exit(end())};
}

Result<WorkerReply> WorkerProcess::wait_for_reply(std::chrono::seconds limit,
                                                  const std::atomic<bool> *cancelled) {
  using Clock = std::chrono::steady_clock;
  constexpr i64 kMost = 1 << 30;
  constexpr i64 kGlance = 50; // milliseconds between looks whether it was cancelled
  const Clock::time_point deadline = Clock::now() + limit;
  for (;;) {
    if (cancelled && *cancelled) {
      end();
      return Error{"", "", "the engine was ended, because the link was cancelled"};
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd waited{socket_, POLLIN, 0};
    const int ready =
        ::poll(&waited, 1,
               static_cast<int>(std::clamp<i64>(left.count(), 0, cancelled ? kGlance : kMost)));
    if ((ready < 0 && errno == EINTR) || (ready == 0 && Clock::now() < deadline))
      continue;
    if (ready == 0) {
      end();
      return Error{
          "", "", "the engine did not finish within " + std::to_string(limit.count()) + " seconds"};
    }
    WorkerReply reply;
    const ssize_t n = ::recv(socket_, &reply, sizeof reply, 0);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return gone();
    if (n != sizeof reply || reply.magic != kWorkerMagic) {
      end();
      return Error{"", "", "the engine's worker is of another version of culink"};
    }
    return reply;
  }
}

Result<WorkerAnswer> WorkerProcess::run(const EngineJob &job, std::chrono::seconds limit,
                                        const std::atomic<bool> *cancelled) {
  if (!alive())
    return Error{"", "", "the engine's worker is gone"};
  if (here_) {
    JitLinkResult result = here_->run(job);
    const WorkerOutcome outcome = result.outcome();
    return WorkerAnswer{outcome, std::move(result.image), std::move(result.log)};
  }
  const std::vector<u8> bytes = encode_job(job);
  if (std::optional<Error> error = job_->replace(bytes))
    return std::move(*error);
  const WorkerRequest request{.job_size = bytes.size()};
  if (::send(socket_, &request, sizeof request, MSG_NOSIGNAL) != sizeof request)
    return gone();
  const Result<WorkerReply> reply = wait_for_reply(limit, cancelled);
  if (!reply)
    return reply.error();
  WorkerAnswer out;
  out.outcome = reply->outcome;
  if (reply->image_size != 0 || reply->text_size != 0) {
    Result<std::vector<u8>> answer = answer_->read();
    if (!answer)
      return answer.error();
    if (reply->image_size > answer->size() ||
        answer->size() - reply->image_size != reply->text_size)
      return Error{"", "", "the engine's answer is not as long as it says"};
    out.text.assign(answer->begin() + static_cast<i64>(reply->image_size), answer->end());
    answer->resize(reply->image_size);
    out.image = std::move(*answer);
  }
  if (out.outcome != WorkerOutcome::Linked && out.text.empty())
    out.text = "error " + std::to_string(reply->code);
  return out;
}

// ---- Jobs as bytes
//
// A job travels to the worker process as one run of bytes: numbers of eight bytes, and texts and
// inputs behind their lengths. Both ends are of one build, so there is no version in it; a length
// that does not fit is refused all the same, because nobody should crash over bytes from outside.

namespace {

constexpr u64 kMostInputs = 1 << 20;

void append_number(std::vector<u8> &out, u64 number) {
  const size_t at = out.size();
  out.resize(at + sizeof number);
  store_le(out.data() + at, number);
}

void append_block(std::vector<u8> &out, ByteSpan bytes) {
  append_number(out, bytes.size());
  out.insert(out.end(), bytes.begin(), bytes.end());
}

// Takes the parts from the front of a job, as long as there are any.
class JobReader {
public:
  explicit JobReader(ByteSpan bytes) : rest_(bytes) {}

  u64 number() {
    if (rest_.size() < sizeof(u64)) {
      fits_ = false;
      return 0;
    }
    const u64 out = load_le<u64>(rest_.data());
    rest_ = rest_.subspan(sizeof(u64));
    return out;
  }
  ByteSpan block() {
    const u64 size = number();
    if (size > rest_.size()) {
      fits_ = false;
      return {};
    }
    const ByteSpan out = rest_.first(size);
    rest_ = rest_.subspan(size);
    return out;
  }
  // A count of parts, of which each takes some bytes.
  u64 count() {
    const u64 out = number();
    fits_ = fits_ && out <= kMostInputs;
    return fits_ ? out : 0;
  }
  [[nodiscard]] bool fits() const { return fits_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

private:
  ByteSpan rest_;
  bool fits_ = true;
};

} // namespace

std::vector<u8> encode_job(const EngineJob &job) {
  std::vector<u8> out;
  append_number(out, static_cast<u64>(job.wanted));
  append_number(out, job.options.size());
  for (const std::string &option : job.options)
    append_block(out, as_bytes(option));
  append_number(out, job.inputs.size());
  for (const EngineInput &input : job.inputs) {
    append_number(out, static_cast<u64>(input.kind));
    append_block(out, as_bytes(input.name));
    append_block(out, input.bytes);
  }
  return out;
}

Result<EngineJob> decode_job(ByteSpan bytes) {
  JobReader reader(bytes);
  EngineJob out;
  out.wanted = static_cast<EngineOutput>(reader.number());
  const u64 options = reader.count();
  for (u64 i = 0; i < options && reader.fits(); ++i)
    out.options.emplace_back(as_text(reader.block()));
  const u64 inputs = reader.count();
  for (u64 i = 0; i < inputs && reader.fits(); ++i) {
    EngineInput &input = out.inputs.emplace_back();
    input.kind = static_cast<EngineInputKind>(reader.number());
    input.name = as_text(reader.block());
    input.bytes = reader.block();
  }
  if (!reader.fits() || !reader.at_end())
    return Error{"", "", "the job is cut"};
  return out;
}

// ---- The worker's side
//
// The engine is NVIDIA's libnvJitLink. It crashes on some damaged objects and does one link at a
// time however many threads ask, so it lives in processes of its own, and this is what they run.
// They die with the linker, whatever happens to it, and leave nothing behind.
//
// Only the documented functions of the library are used.

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
