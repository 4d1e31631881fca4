// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "support/result.h"
#include "support/types.h"

namespace culink {

// The forms of code that libnvJitLink accepts, by its numbers (NVJITLINK_INPUT_*).
enum class EngineInputKind : u32 { Cubin = 1, Ptx = 2, LtoIr = 3, Fatbin = 4, Any = 10 };

// The requested output. LtoIr, the optimised program in the form of the input, needs release 13.4
// or later.
enum class EngineOutput : u32 { Cubin, Ptx, LtoIr };

struct EngineInput {
  EngineInputKind kind = EngineInputKind::Cubin;
  std::string name; // the name in its messages
  ByteSpan bytes;   // borrowed
};

// One link by libnvJitLink.
struct EngineJob {
  std::vector<std::string> options; // in the library's spelling
  std::vector<EngineInput> inputs;
  EngineOutput wanted = EngineOutput::Cubin;
};

// How a job ended, in a worker process or in this process.
enum class WorkerOutcome : u32 {
  Linked,
  Refused,       // the engine does not accept an input
  Failed,        // the engine accepted the inputs but did not link them
  NotUnderstood, // the message is malformed
  NoEngine,      // the library cannot be loaded
};

// The result of a job. Texts are for messages.
struct WorkerAnswer {
  WorkerOutcome outcome = WorkerOutcome::Failed;
  std::vector<u8> image; // set if the link succeeded
  std::string text;      // the error of a failed link, or the warnings of a successful one
};

// libnvJitLink, loaded at run time.
class JitLink {
public:
  // The library that the process may have loaded under the same name: none, or culink's own
  // stand-in, which would then receive the calls that NVIDIA's library makes to itself.
  enum class Beside : u8 { Nothing, StandIn };

  [[nodiscard]] static Result<JitLink> load(const std::string &library,
                                            Beside beside = Beside::Nothing);

  [[nodiscard]] WorkerAnswer run(const EngineJob &job) const;

private:
  using Handle = void *;
  struct Functions {
    int (*create)(Handle *, u32, const char **) = nullptr;
    int (*destroy)(Handle *) = nullptr;
    int (*add_data)(Handle, int, const void *, size_t, const char *) = nullptr;
    int (*complete)(Handle) = nullptr;
    int (*cubin_size)(Handle, size_t *) = nullptr;
    int (*cubin)(Handle, void *) = nullptr;
    int (*ptx_size)(Handle, size_t *) = nullptr;
    int (*ptx)(Handle, char *) = nullptr;
    int (*ltoir_size)(Handle, size_t *) = nullptr; // null before 13.2
    int (*ltoir)(Handle, void *) = nullptr;
    int (*error_size)(Handle, size_t *) = nullptr;
    int (*errors)(Handle, char *) = nullptr;
    int (*info_size)(Handle, size_t *) = nullptr;
    int (*infos)(Handle, char *) = nullptr;
    int (*version)(unsigned *, unsigned *) = nullptr; // null before 12.3
  };
  explicit JitLink(const Functions &functions) : call_(functions) {}
  [[nodiscard]] int fetch(Handle handle, EngineOutput wanted, std::vector<u8> &image) const;

  [[maybe_unused]] Functions call_; // unused in a static program
};

} // namespace culink
