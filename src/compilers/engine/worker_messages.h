// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the linker and a worker process say to each other: one message each way per job, on a
// socket that keeps messages apart. Contents lie in two files in memory that both have open.
#pragma once

#include <string_view>

#include "support/types.h"

namespace culink {

// The first word of the command line of a worker; then the library, the socket and the two files.
inline constexpr std::string_view kWorkerWord = "--engine-worker";

inline constexpr u64 kWorkerMagic = 0x33302d6b6e696c75; // changes with the messages

struct WorkerRequest {
  u64 magic = kWorkerMagic;
  u64 job_size = 0; // in the first file
};

enum class WorkerOutcome : u32 {
  Linked,
  Refused,       // the engine does not take an input
  Failed,        // it took it, but did not link it
  NotUnderstood, // the message makes no sense
  NoEngine,      // the library cannot be loaded
};

struct WorkerReply {
  u64 magic = kWorkerMagic;
  WorkerOutcome outcome = WorkerOutcome::Failed;
  u32 code = 0;       // what the engine returned
  u64 image_size = 0; // in the second file; then what the engine said
  u64 text_size = 0;
};

} // namespace culink
