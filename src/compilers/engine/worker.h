// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

#include "compilers/engine/jit_link.h"
#include "support/result.h"

namespace culink {

// A worker process, as the linker sees it. It takes one job after the other. After an error it is
// gone: every further job is an error too.
//
// Where no process can be started (a limit was reached, culink is not installed), the library is
// loaded into this process, unless CULINK_SANDBOX asks for the sandbox. Its jobs then have no time
// limit and cannot be cancelled.
class WorkerProcess {
public:
  // `program` is culink, which is run again as a worker that loads `library`.
  [[nodiscard]] static Result<WorkerProcess> start(const std::string &program,
                                                   const std::string &library);

  WorkerProcess(WorkerProcess &&other) noexcept;
  WorkerProcess(const WorkerProcess &) = delete;
  WorkerProcess &operator=(const WorkerProcess &) = delete;
  WorkerProcess &operator=(WorkerProcess &&) = delete;
  ~WorkerProcess();

  // The error says how the worker ended, or that it was ended because its time was over, or soon
  // after `cancelled` was set, unless null.
  [[nodiscard]] Result<WorkerAnswer> run(const EngineJob &job, std::chrono::seconds limit,
                                         const std::atomic<bool> *cancelled = nullptr);
  [[nodiscard]] bool alive() const { return child_ > 0 || here_; }
  // It is told to end. The destructor waits until it has.
  void stop() const;

private:
  WorkerProcess(pid_t child, int socket) : child_(child), socket_(socket) {}
  explicit WorkerProcess(JitLink here) : here_(std::move(here)) {}
  [[nodiscard]] static Result<WorkerProcess> start_child(const std::string &program,
                                                         const std::string &library);
  [[nodiscard]] Error gone();
  int end();

  pid_t child_ = -1;
  int socket_ = -1;
  std::optional<JitLink> here_; // instead of a process
};

// One job in a process of its own. An engine that cannot be asked is an error.
[[nodiscard]] Result<WorkerAnswer> run_in_worker(const std::string &program,
                                                 const std::string &library, const EngineJob &job,
                                                 std::chrono::seconds limit,
                                                 const std::atomic<bool> *cancelled = nullptr);

// A job as bytes, for another process, and back. The inputs of a decoded job lie in `bytes`.
[[nodiscard]] std::vector<u8> encode_job(const EngineJob &job);
[[nodiscard]] Result<EngineJob> decode_job(ByteSpan bytes);

// The first word of the command line of a worker; then the library and the socket.
inline constexpr std::string_view kWorkerWord = "--engine-worker";

// The main function of a worker, whose first word is kWorkerWord: loads the engine, serves requests
// until the socket is closed. Returns the exit code.
[[nodiscard]] int run_engine_worker(const std::vector<std::string> &words);

} // namespace culink
