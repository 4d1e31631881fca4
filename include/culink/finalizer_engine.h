// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace culink {

// NVIDIA's programs that can schedule code of sm_100 and later again, by their paths. With both,
// nvlink gets the objects that the library refuses (those of sm_100 for sm_103).
struct FinalizerEngine {
  std::string library;         // libnvJitLink
  std::string worker;          // culink, which is run again to load it; without it: not used
  std::string nvlink;          // the program nvlink
  std::string folder = "/tmp"; // in which nvlink's files lie meanwhile

  [[nodiscard]] bool has_library() const { return !library.empty() && !worker.empty(); }
  [[nodiscard]] bool empty() const { return !has_library() && nvlink.empty(); }
};

} // namespace culink
