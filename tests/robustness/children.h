// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <sys/mman.h>

#include "support/types.h"

namespace culink::robustness {

struct Limits {
  u64 seconds = 20;     // for one mutant
  u64 megabytes = 1024; // address space of a child; 0: no limit
};

// The command line of a campaign: --count=N and the like, and what to damage.
struct CampaignOptions {
  u64 count = 2000;
  u64 first = 0;
  u64 seed = 1;
  u64 threads = 0;       // of a link; 0: as many as there are
  i64 save = -1;         // number of a mutant to write to a file
  std::string code;      // what links for sm_100 and later write: sass, mercury or exact
  std::string finalizer; // for exact: libnvJitLink, and the culink that loads it
  std::string worker;
  bool structure = false; // change structures, rather than damage bytes
  bool strict = false;    // the checker has to agree with every link
  std::string keep;       // folder for what can be compared with nvlink
  Limits limits;
  std::vector<std::string> arguments;
};

[[nodiscard]] CampaignOptions parse_options(int argc, char **argv);

struct Deaths {
  u64 crashes = 0;
  u64 hangs = 0;
  u64 peak_kilobytes = 0;
};

// Zeroed memory that children share with their parent. Precondition of T: all zeros is a value.
template <typename T> T *shared_memory() {
  void *memory =
      mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<T *>(memory);
}

// Calls `run` for the numbers from `next` to `end`, in a child process; when it dies of one, calls
// `report` with the number and the cause, and a new child goes on behind it. `next` must lie in
// shared memory.
[[nodiscard]] Deaths run_in_children(u64 &next, u64 end, const Limits &limits,
                                     const std::function<void(u64)> &run,
                                     const std::function<void(u64, const char *)> &report);

// The mutants that the options ask for; says of each one that kills a child how to get it.
[[nodiscard]] Deaths run_campaign(const CampaignOptions &options, u64 &next,
                                  const std::function<void(u64)> &run);

} // namespace culink::robustness
