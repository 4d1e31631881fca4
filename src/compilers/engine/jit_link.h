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

// What became of a job. Texts are for messages.
struct WorkerAnswer {
  WorkerOutcome outcome = WorkerOutcome::Failed;
  std::vector<u8> image; // if it was linked
  std::string text;      // if not: why; else what there is to remark
};

// libnvJitLink, loaded at run time.
class JitLink {
public:
  // A library that the process may have loaded under the same name: none, or culink's own, which
  // would then receive the calls that the library makes to itself.
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

  [[maybe_unused]] Functions call_; // not in a static program
};

} // namespace culink
