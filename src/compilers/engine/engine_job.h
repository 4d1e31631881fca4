// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "support/result.h"
#include "support/types.h"

namespace culink {

// The forms in which libnvJitLink takes code, by its numbers (NVJITLINK_INPUT_*).
enum class EngineInputKind : u32 { Cubin = 1, Ptx = 2, LtoIr = 3, Fatbin = 4, Any = 10 };

// What is wanted of it. LTO-IR, the optimised program in the form that it was read in, comes from
// releases since 13.4.
enum class EngineOutput : u32 { Cubin, Ptx, LtoIr };

struct EngineInput {
  EngineInputKind kind = EngineInputKind::Cubin;
  std::string name; // what its messages call it
  ByteSpan bytes;   // borrowed
};

// One link for libnvJitLink.
struct EngineJob {
  std::vector<std::string> options; // as the library spells them
  std::vector<EngineInput> inputs;
  EngineOutput wanted = EngineOutput::Cubin;
};

// How a job ended, in a worker process or here.
enum class WorkerOutcome : u32 {
  Linked,
  Refused,       // the engine does not take an input
  Failed,        // it took it, but did not link it
  NotUnderstood, // the message makes no sense
  NoEngine,      // the library cannot be loaded
};

// A job as bytes, for another process, and back. The inputs of a decoded job lie in `bytes`.
[[nodiscard]] std::vector<u8> encode_job(const EngineJob &job);
[[nodiscard]] Result<EngineJob> decode_job(ByteSpan bytes);

} // namespace culink
