// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <sys/types.h>

#include "base/process.h"
#include "base/result.h"
#include "engine/engine_job.h"
#include "engine/worker_messages.h"

namespace culink {

// What a worker made of a job. Texts are for messages.
struct WorkerAnswer {
  WorkerOutcome outcome = WorkerOutcome::Failed;
  std::vector<u8> image; // if it was linked
  std::string text;      // if not: why; else what there is to remark
};

// A worker process, as the linker sees it. It takes one job after the other. After an error it is
// gone: every further job is an error too.
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
  [[nodiscard]] bool alive() const { return child_ > 0; }
  // It is told to end. The destructor waits until it has.
  void stop() const;

private:
  WorkerProcess(pid_t child, int socket, MemoryFile job, MemoryFile answer)
      : child_(child), socket_(socket), job_(std::move(job)), answer_(std::move(answer)) {}
  [[nodiscard]] Error gone();
  [[nodiscard]] Result<WorkerReply> wait_for_reply(std::chrono::seconds limit,
                                                   const std::atomic<bool> *cancelled);
  int end();

  pid_t child_;
  int socket_;
  MemoryFile job_;
  MemoryFile answer_;
};

} // namespace culink
