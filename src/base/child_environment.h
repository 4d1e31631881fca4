// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace culink {

// The variables of this process for a child that runs a compiler, with a list of pointers as system
// calls take it. A libnvJitLink in LD_PRELOAD is left out: it would come between NVIDIA's library
// and itself in a process that loads the latter. A mark is added for runs_as_engine().
class ChildEnvironment {
public:
  ChildEnvironment();

  [[nodiscard]] char **data() { return pointers_.data(); }

private:
  std::string preload_; // the one variable that may differ
  std::vector<char *> pointers_;
};

// True in a process that a linker has started as a compiler. A link there would start compilers
// again, without end.
[[nodiscard]] bool runs_as_engine();

// A list of libraries for LD_PRELOAD without those of that name, whatever folder they are in.
[[nodiscard]] std::string without_library(const std::string &list, const std::string &name);

} // namespace culink
