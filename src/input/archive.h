// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace culink {

struct ArchiveMember {
  std::string name;
  u64 offset = 0;    // of its header
  ByteSpan data;     // empty in a thin archive
  u64 size = 0;      // as the header says
  bool thin = false; // the name is a path, relative to the archive's folder, and holds the data
};

// What happens at a header without its end mark, or at a member that the file is too short for.
enum class ArchiveDamage : u8 {
  Refuse,
  Drop, // as nvlink does: the mark does not matter; a cut member and what follows it are lost
};

// The members of a Unix archive in their order, without symbol indexes and name tables. Reads the
// headers only: of a large library few pages are touched. Knows GNU's and BSD's long names and thin
// archives.
[[nodiscard]] Result<std::vector<ArchiveMember>>
read_archive(ByteSpan bytes, ArchiveDamage damage = ArchiveDamage::Refuse);

} // namespace culink
