// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "compilers/engine/engine_job.h"
#include "support/result.h"
#include "support/types.h"

namespace culink {

struct JitLinkResult {
  int code = 0;          // 0: all went well
  bool refused = false;  // an input was not taken
  std::string log;       // what the library said
  std::vector<u8> image; // none if it failed

  [[nodiscard]] WorkerOutcome outcome() const {
    return refused     ? WorkerOutcome::Refused
           : code != 0 ? WorkerOutcome::Failed
                       : WorkerOutcome::Linked;
  }
};

// libnvJitLink, loaded at run time.
class JitLink {
public:
  // A library that the process may have loaded under the same name: none, or culink's own, which
  // would then receive the calls that the library makes to itself.
  enum class Beside : u8 { Nothing, StandIn };

  [[nodiscard]] static Result<JitLink> load(const std::string &library,
                                            Beside beside = Beside::Nothing);

  [[nodiscard]] JitLinkResult run(const EngineJob &job) const;

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
