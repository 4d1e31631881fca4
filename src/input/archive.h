// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"
#include "support/types.h"

namespace culink {

struct ArchiveMember {
  std::string name;
  u64 offset = 0;    // of the header
  ByteSpan data;     // empty in a thin archive
  u64 size = 0;      // according to the header
  bool thin = false; // the data is in the file that `name` gives, relative to the archive's folder
};

// The treatment of a header without its end mark, or of a member that extends past the end of the
// file.
enum class ArchiveDamage : u8 {
  Refuse,
  Drop, // as nvlink does (Q086): the mark does not matter, a cut member is what there is of it, and
        // BSD's long names are part of the data
  DropWithin, // like Drop, but a cut member is refused, as by nvlink 13.4
};

// Reads a Unix archive member by member, in order, without symbol indexes and name tables. Reads
// headers only, so that few pages of a large library are touched. GNU's and BSD's long names and
// thin archives are supported.
class ArchiveReader {
public:
  explicit ArchiveReader(ByteSpan bytes, ArchiveDamage damage = ArchiveDamage::Refuse)
      : bytes_(bytes), drops_(damage != ArchiveDamage::Refuse),
        checks_bounds_(damage != ArchiveDamage::Drop) {}

  // Returns the next member; nullopt at the end. Must not be called again after an error.
  [[nodiscard]] Result<std::optional<ArchiveMember>> next();
  // The offset up to which the archive has been read.
  [[nodiscard]] u64 offset() const { return offset_; }
  // True if the error is that the file ends within a member.
  [[nodiscard]] bool is_cut() const { return cut_; }

private:
  [[nodiscard]] std::optional<Error> begin();
  [[nodiscard]] std::optional<Error> read_member(std::optional<ArchiveMember> &out);
  [[nodiscard]] std::optional<std::string> name_of(std::string_view field, ByteSpan &data) const;
  [[nodiscard]] Error refuse(std::string_view field, std::string message) const;
  [[nodiscard]] std::optional<Error> cut(Error error);

  ByteSpan bytes_;
  bool drops_;
  bool checks_bounds_;
  bool thin_ = false;
  bool cut_ = false;
  u64 offset_ = 0;
  std::string_view long_names_;
};

// Returns all members.
[[nodiscard]] Result<std::vector<ArchiveMember>>
read_archive(ByteSpan bytes, ArchiveDamage damage = ArchiveDamage::Refuse);

} // namespace culink
