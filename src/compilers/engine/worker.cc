// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The linker's side of a worker. A broken worker must not stop the linker: all waiting has a
// deadline, memory is allocated for received bytes and not for announced sizes, and writing to a
// dead worker is an error.
//
// What may surprise: if the process ignores SIGCHLD, or waits for all its children, the worker is
// reaped before this file waits for it, and its process number may be reused. So a worker is only
// killed while it keeps its end of the socket open.
#include "compilers/engine/worker.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

#include "compilers/engine/sandbox.h"
#include "support/bytes.h"
#include "support/file_descriptor.h"
#include "support/process.h"

namespace culink {

// ---- Messages
//
// Linker and worker exchange one message each way per job: a mark, a length, and the body. The body
// has numbers of eight bytes, and texts and contents, each after its length. Both ends are usually
// of one build. A wrong length is rejected anyway, because bytes from outside must not cause a
// crash.

namespace {

constexpr u64 kWorkerMagic = 0x34302d6b6e696c75; // changes with the format of messages
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

// Reads the parts of a message from its front.
class MessageReader {
public:
  explicit MessageReader(ByteSpan bytes) : rest_(bytes) {}

  u64 number() {
    const ByteSpan bytes = take(sizeof(u64));
    return bytes.empty() ? 0 : load_le<u64>(bytes.data());
  }
  ByteSpan block() { return take(number()); }
  // Reads a count of parts. Each part has a minimum size in bytes, which bounds the count.
  u64 count() {
    const u64 out = number();
    fits_ = fits_ && out <= kMostInputs;
    return fits_ ? out : 0;
  }
  [[nodiscard]] bool fits() const { return fits_; }
  [[nodiscard]] bool at_end() const { return fits_ && rest_.empty(); }

private:
  ByteSpan take(u64 size) {
    fits_ = fits_ && size <= rest_.size();
    const ByteSpan out = rest_.first(fits_ ? size : 0);
    rest_ = rest_.subspan(out.size());
    return out;
  }

  ByteSpan rest_;
  bool fits_ = true;
};

std::vector<u8> encode_answer(const WorkerAnswer &answer) {
  std::vector<u8> out;
  append_number(out, static_cast<u64>(answer.outcome));
  append_block(out, as_bytes(answer.text));
  append_block(out, answer.image);
  return out;
}

std::optional<WorkerAnswer> decode_answer(std::vector<u8> bytes) {
  MessageReader reader(bytes);
  WorkerAnswer out;
  out.outcome = static_cast<WorkerOutcome>(reader.number());
  out.text = as_text(reader.block());
  const size_t size = reader.block().size();
  if (!reader.at_end())
    return std::nullopt;
  bytes.erase(bytes.begin(), bytes.end() - static_cast<std::ptrdiff_t>(size));
  out.image = std::move(bytes);
  return out;
}

// The result of the exchange of a message.
enum class Exchange : u8 { Done, Closed, Late, Foreign };

// Waits until the socket is ready. Without a limit, the following call waits instead.
Exchange wait_for_socket(int socket, short event, const Patience &patience) {
  while (patience.milliseconds() >= 0) {
    pollfd waited{socket, event, 0};
    const int ready = ::poll(&waited, 1, patience.milliseconds());
    if (ready > 0)
      break;
    if (patience.is_over())
      return Exchange::Late;
  }
  return Exchange::Done;
}

Exchange send_bytes(int socket, ByteSpan bytes, const Patience &patience) {
  const int flags = MSG_NOSIGNAL | (patience.milliseconds() >= 0 ? MSG_DONTWAIT : 0);
  while (!bytes.empty()) {
    if (wait_for_socket(socket, POLLOUT, patience) == Exchange::Late)
      return Exchange::Late;
    const ssize_t n = ::send(socket, bytes.data(), bytes.size(), flags);
    if (n < 0 && errno != EINTR && errno != EAGAIN)
      return Exchange::Closed;
    bytes = bytes.subspan(static_cast<size_t>(std::max<ssize_t>(n, 0)));
  }
  return Exchange::Done;
}

Exchange receive_bytes(int socket, u64 size, std::vector<u8> &out, const Patience &patience) {
  constexpr u64 kPart = 256 << 10;
  for (out.clear(); out.size() < size;) {
    if (wait_for_socket(socket, POLLIN, patience) == Exchange::Late)
      return Exchange::Late;
    const u64 old = out.size();
    out.resize(std::min(size, old + kPart));
    const ssize_t n = ::recv(socket, out.data() + old, out.size() - old, 0);
    if (n == 0 || (n < 0 && errno != EINTR))
      return Exchange::Closed;
    out.resize(old + static_cast<u64>(std::max<ssize_t>(n, 0)));
  }
  return Exchange::Done;
}

Exchange send_message(int socket, ByteSpan message, const Patience &patience = {}) {
  std::vector<u8> head;
  append_number(head, kWorkerMagic);
  append_number(head, message.size());
  const Exchange sent = send_bytes(socket, head, patience);
  return sent == Exchange::Done ? send_bytes(socket, message, patience) : sent;
}

Exchange receive_message(int socket, std::vector<u8> &message, const Patience &patience = {}) {
  std::vector<u8> head;
  const Exchange received = receive_bytes(socket, 2 * sizeof(u64), head, patience);
  if (received != Exchange::Done)
    return received;
  if (load_le<u64>(head.data()) != kWorkerMagic)
    return Exchange::Foreign;
  return receive_bytes(socket, load_le<u64>(head.data() + sizeof(u64)), message, patience);
}

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
  MessageReader reader(bytes);
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
  if (!reader.at_end())
    return Error{"", "", "the job is cut"};
  return out;
}

// ---- The linker's side

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
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return system_error("cannot create a socket");
  for (int &end : ends)
    end = above_standard(end);
  const pid_t child = start_process(
      {program, std::string(kWorkerWord), library, std::to_string(ends[1])}, {ends[1]}, -1, false);
  if (child < 0) {
    const Error error = system_error("cannot start a worker");
    ::close(ends[0]);
    ::close(ends[1]);
    return error;
  }
  ::close(ends[1]);
  return WorkerProcess(child, ends[0]);
}

WorkerProcess::WorkerProcess(WorkerProcess &&other) noexcept
    : child_(std::exchange(other.child_, -1)), socket_(std::exchange(other.socket_, -1)),
      here_(std::exchange(other.here_, std::nullopt)) {}

WorkerProcess::~WorkerProcess() {
  end();
}

// Asks the worker to exit. The worker has no state to lose, and all requests come by the socket.
void WorkerProcess::stop() const {
  pollfd other_end{socket_, 0, 0};
  if (child_ > 0 && ::poll(&other_end, 1, 0) == 0)
    ::kill(child_, SIGKILL);
}

// Waits for the worker and returns its exit status.
int WorkerProcess::end() {
  stop();
  if (socket_ >= 0)
    ::close(std::exchange(socket_, -1));
  if (child_ <= 0)
    return 0;
  return wait_for_child(std::exchange(child_, -1)).value_or(kLostStatus);
}

// The worker has closed its socket, so it has exited or is exiting.
Error WorkerProcess::gone() {
  return Error{"", "", "the engine " + describe_exit(end())};
}

Result<WorkerAnswer> WorkerProcess::run(const EngineJob &job, std::chrono::seconds limit,
                                        const std::atomic<bool> *cancelled) {
  if (!alive())
    return Error{"", "", "the engine's worker is gone"};
  if (here_)
    return here_->run(job);
  const Patience patience{Patience::Clock::now() + limit, cancelled};
  std::vector<u8> message = encode_job(job);
  Exchange exchange = send_message(socket_, message, patience);
  if (exchange == Exchange::Done)
    exchange = receive_message(socket_, message, patience);
  switch (exchange) {
  case Exchange::Done:
    break;
  case Exchange::Closed:
    return gone();
  case Exchange::Late:
    end();
    if (cancelled && *cancelled)
      return Error{"", "", "the engine was ended, because the link was cancelled"};
    return Error{"", "",
                 "the engine did not finish within " + std::to_string(limit.count()) + " seconds"};
  case Exchange::Foreign:
    end();
    return Error{"", "", "the engine's worker is of another version of culink"};
  }
  std::optional<WorkerAnswer> out = decode_answer(std::move(message));
  if (!out)
    return Error{"", "", "the engine's answer is not as long as it says"};
  return std::move(*out);
}

Result<WorkerAnswer> run_in_worker(const std::string &program, const std::string &library,
                                   const EngineJob &job, std::chrono::seconds limit,
                                   const std::atomic<bool> *cancelled) {
  Result<WorkerProcess> worker = WorkerProcess::start(program, library);
  if (!worker)
    return worker.error();
  Result<WorkerAnswer> out = worker->run(job, limit, cancelled);
  if (out &&
      (out->outcome == WorkerOutcome::NoEngine || out->outcome == WorkerOutcome::NotUnderstood))
    return Error{"", "", std::move(out->text)};
  return out;
}

// ---- The worker's side
//
// The engine is NVIDIA's libnvJitLink. It crashes on some damaged objects, and it runs one link at
// a time even if several threads call it. So it runs in worker processes; below is their code.
// Workers are killed when the linker dies, for any reason, and leave no files.
//
// Only the documented functions of the library are used.

namespace {

constexpr int kBadCommandLine = 2;

std::optional<int> descriptor_of(const std::string &word) {
  int number = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || number <= STDERR_FILENO)
    return std::nullopt;
  return number;
}

// A program that uses culink as a library may have left other descriptors open.
void close_all_but(int kept) {
  if (kept > STDERR_FILENO + 1)
    ::syscall(SYS_close_range, STDERR_FILENO + 1, kept - 1, 0);
  ::syscall(SYS_close_range, kept + 1, ~0U, 0);
}

// Loads the engine, and enters the sandbox if the environment asks for it.
Result<JitLink> load_engine(const std::string &library) {
  Result<JitLink> engine = JitLink::load(library);
  if (!engine || !wants_sandbox())
    return engine;
  if (std::optional<Error> error = enter_sandbox())
    return std::move(*error);
  return engine;
}

WorkerAnswer serve(const Result<JitLink> &engine, ByteSpan message) {
  const Result<EngineJob> job = decode_job(message);
  if (!job)
    return {WorkerOutcome::NotUnderstood, {}, job.error().text()};
  return engine ? engine->run(*job)
                : WorkerAnswer{WorkerOutcome::NoEngine, {}, engine.error().text()};
}

} // namespace

int run_engine_worker(const std::vector<std::string> &words) {
  const std::optional<int> socket = words.size() == 3 ? descriptor_of(words[2]) : std::nullopt;
  if (!socket)
    return kBadCommandLine;
  close_all_but(*socket);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::setenv("CUDA_VISIBLE_DEVICES", "", 1); // leaves the GPU driver no device to initialise
  const Result<JitLink> engine = load_engine(words[1]);
  for (std::vector<u8> message;;) {
    const Exchange received = receive_message(*socket, message);
    if (received == Exchange::Foreign)
      message.clear();
    else if (received != Exchange::Done)
      return 0;
    if (send_message(*socket, encode_answer(serve(engine, message))) != Exchange::Done)
      return 0;
  }
}

} // namespace culink
