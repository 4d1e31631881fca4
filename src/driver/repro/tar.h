// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"
#include "support/types.h"

namespace culink {

// Puts files into a tar archive (ustar). The archive depends only on names and bytes: it does not
// record a time, owner or mode.
class TarWriter {
public:
  // Names have at most 100 characters. The bytes are borrowed until the archive is written.
  void add(std::string_view name, ByteSpan bytes);
  // Adds a file with this text, which is kept here.
  void add_text(std::string_view name, std::string text);
  // The archive, piece by piece. Nothing may be added afterwards.
  [[nodiscard]] const std::vector<ByteSpan> &finish();

private:
  std::deque<std::vector<u8>> headers_;
  std::deque<std::string> texts_;
  std::vector<ByteSpan> pieces_;
};

struct TarMember {
  std::string name;
  ByteSpan bytes; // of the archive
};

// Returns the files of a tar archive in order, without folders. Links, devices and names that lead
// out of the unpacking folder are errors.
[[nodiscard]] Result<std::vector<TarMember>> read_tar(ByteSpan bytes);

} // namespace culink
