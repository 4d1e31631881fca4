// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "driver/repro/recorded_files.h"
#include "driver/repro/tar.h"

namespace culink {

// A link as --repro stores it, beside its files.
struct LinkRecord {
  std::vector<std::string> words;    // of the command line, as they were given
  std::string folder;                // in which it ran; empty: that does not matter
  std::vector<std::string> versions; // of culink and the compilers, one per line
  std::string response;              // a response file for those who unpack the archive by hand
};

// The archive of a link. The files have to outlive it.
[[nodiscard]] TarWriter store_link(const LinkRecord &record, const RecordedFiles &files);

struct StoredLink {
  LinkRecord record; // without the response file
  StoredFiles files; // refer to the bytes of the archive
};

[[nodiscard]] Result<StoredLink> read_stored_link(ByteSpan archive);

} // namespace culink
