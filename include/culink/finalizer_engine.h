// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace culink {

// NVIDIA's programs that can schedule code of sm_100 and later again, by their paths. If both are
// given, nvlink takes the objects that the library refuses (objects of sm_100 for sm_103).
struct FinalizerEngine {
  std::string library;         // libnvJitLink
  std::string worker;          // culink, which is run to load the library; empty: no library
  std::string nvlink;          // the program nvlink
  std::string folder = "/tmp"; // for temporary files of nvlink

  [[nodiscard]] bool has_library() const { return !library.empty() && !worker.empty(); }
  [[nodiscard]] bool empty() const { return !has_library() && nvlink.empty(); }
};

} // namespace culink
