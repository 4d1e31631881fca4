// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

#include "compilers/cache/digest.h"
#include "support/types.h"

namespace culink {

// What tells one state of a file from another without reading it.
struct FileState {
  u64 device = 0;
  u64 number = 0;
  u64 size = 0;
  i64 written = 0; // nanoseconds
  i64 changed = 0; // the same for any change, which nobody can set back

  bool operator==(const FileState &) const = default;
};

[[nodiscard]] std::optional<FileState> state_of(const std::string &path);

struct ProgramIdentity {
  Digest contents;
  FileState state;
  bool settled = false; // a later change will show in the state
};

// Reads the whole file. Nothing: it cannot be read, changes meanwhile, or is no program or library:
// what a script does is decided elsewhere.
[[nodiscard]] std::optional<ProgramIdentity> identify_program(const std::string &path);

} // namespace culink
