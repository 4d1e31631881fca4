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

// A worker process, from the linker's side. It runs one job at a time. After an error the process
// is dead, and every further job fails too.
//
// If a process cannot be started (a limit is reached, culink is not installed), the library is
// loaded into this process, unless CULINK_SANDBOX asks for the sandbox. Jobs then have no time
// limit and cannot be cancelled.
class WorkerProcess {
public:
  // `program` is culink, which is started again as a worker and loads `library`.
  [[nodiscard]] static Result<WorkerProcess> start(const std::string &program,
                                                   const std::string &library);

  WorkerProcess(WorkerProcess &&other) noexcept;
  WorkerProcess(const WorkerProcess &) = delete;
  WorkerProcess &operator=(const WorkerProcess &) = delete;
  WorkerProcess &operator=(WorkerProcess &&) = delete;
  ~WorkerProcess();

  // Runs a job. The error says how the worker ended, or that it was killed after `limit` or soon
  // after `cancelled` was set. `cancelled` may be null.
  [[nodiscard]] Result<WorkerAnswer> run(const EngineJob &job, std::chrono::seconds limit,
                                         const std::atomic<bool> *cancelled = nullptr);
  [[nodiscard]] bool alive() const { return child_ > 0 || here_; }
  // Asks the worker to exit. The destructor waits for it.
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
  std::optional<JitLink> here_; // used if there is not a process
};

// Runs one job in a new process. Fails if the engine cannot be used.
[[nodiscard]] Result<WorkerAnswer> run_in_worker(const std::string &program,
                                                 const std::string &library, const EngineJob &job,
                                                 std::chrono::seconds limit,
                                                 const std::atomic<bool> *cancelled = nullptr);

// Encode a job for another process, and decode it. A decoded job refers to `bytes`.
[[nodiscard]] std::vector<u8> encode_job(const EngineJob &job);
[[nodiscard]] Result<EngineJob> decode_job(ByteSpan bytes);

// The first word of a worker's command line. The library and the socket follow it.
inline constexpr std::string_view kWorkerWord = "--engine-worker";

// The main function of a worker; words[0] is kWorkerWord. Loads the engine and serves requests
// until the socket is closed. Returns the exit code.
[[nodiscard]] int run_engine_worker(const std::vector<std::string> &words);

} // namespace culink
