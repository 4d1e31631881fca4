// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string_view>

#include "base/types.h"
#include "culink/elf_writer.h"
#include "elf/constants.h"
#include "elf/name_offsets.h"

namespace culink::elf {

// The position of a section in the table: sections are sorted by bucket, stably. The default is the
// order of ptxas and nvlink; buckets above LastDefault are free for a caller's own groups.
enum class Bucket : u8 {
  Tables = 0,
  Debug = 1,
  Metadata = 2,
  Relocations = 3,
  Constants = 4,
  Code = 5,
  Data = 6,
  NoData = 7,
  LastDefault = 7,
};

struct SectionSpec {
  std::string_view name;
  SectionType type = SectionType::Progbits;
  u32 name_number = kNoNumber; // in BuilderOptions::numbered_names: saves looking for the name
  u64 flags = 0;
  u64 align = 1;
  u64 entsize = 0;
  SectionId link = {};
  InfoField info = {};
  bool emitted = true;               // false: only the name appears, in the string tables
  std::optional<Bucket> bucket = {}; // default: default_bucket(...)
  SectionId shares_bytes_with = {};  // a Mercury counterpart that has no bytes of its own
  u64 gap_after = 0;                 // unused zero bytes behind the content
};

[[nodiscard]] Bucket default_bucket(std::string_view name, SectionType type, u64 flags);
// Whether the bucket of a section of type Progbits is Debug.
[[nodiscard]] inline bool is_debug_name(std::string_view name) {
  return name.starts_with(".debug_") || name.starts_with(".nv_debug_");
}

} // namespace culink::elf
