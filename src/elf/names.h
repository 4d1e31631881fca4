// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts numbers of a device ELF to names and back. A number without a name gives nullopt; the
// caller prints it in hex.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "elf/constants.h"
#include "support/types.h"

namespace culink::elf {

struct NamedNumber {
  u32 number;
  std::string_view name;
};

// True if the numbers ascend and each occurs once.
[[nodiscard]] constexpr bool sorted_by_number(std::span<const NamedNumber> table) {
  return std::ranges::is_sorted(table, std::ranges::less_equal{}, &NamedNumber::number);
}

// The lookups of NameTable. Precondition: sorted_by_number(table).
[[nodiscard]] std::optional<std::string_view> find_name(std::span<const NamedNumber> table,
                                                        u32 number);
[[nodiscard]] std::optional<u32> find_number(std::span<const NamedNumber> table,
                                             std::string_view prefix, std::string_view name);

// The names of one kind of number. Names are unique. `number_of` accepts a name with and without
// the customary prefix, whether the rows have it (EIATTR_) or not (SHT_).
template <typename Number> class NameTable {
public:
  constexpr NameTable(std::string_view prefix, std::span<const NamedNumber> rows)
      : prefix_(prefix), rows_(rows) {}

  [[nodiscard]] std::optional<std::string_view> name_of(Number number) const {
    return find_name(rows_, static_cast<u32>(number));
  }
  [[nodiscard]] std::optional<Number> number_of(std::string_view name) const {
    const std::optional<u32> number = find_number(rows_, prefix_, name);
    return number ? std::optional(static_cast<Number>(*number)) : std::nullopt;
  }
  // Returns the rows, sorted by number, for listings and tests.
  [[nodiscard]] std::span<const NamedNumber> rows() const { return rows_; }

private:
  std::string_view prefix_;
  std::span<const NamedNumber> rows_;
};

extern const NameTable<SectionType> kSectionTypeNames;
extern const NameTable<SymbolType> kSymbolTypeNames;
extern const NameTable<SymbolBinding> kSymbolBindingNames;
extern const NameTable<u8> kSymbolVisibilityNames; // the low two bits of st_other
extern const NameTable<FileType> kFileTypeNames;
extern const NameTable<SegmentType> kSegmentTypeNames;
extern const NameTable<u32> kInfoFormatNames;      // EIFMT_*: of .nv.info and .nv.compat records
extern const NameTable<u32> kCompatAttributeNames; // EICOMPAT_ATTR_*: of .nv.compat records
// Attributes of .nv.info records: kInfoAttributeNames in records/nv_info.h.

// Section names have three forms: of machine code (.nv.constant3), inside a link of Mercury code
// (.nv.constant.user), and of the counterpart in a file with both (.nv.merc.nv.constant.user). The
// first two only differ for constant banks. Relocation tables follow their targets:
// .rela.nv.constant3 becomes .rela.nv.constant.user.
[[nodiscard]] std::string mercury_link_name(std::string_view name);
[[nodiscard]] std::string mercury_counterpart_name(std::string_view name);

// Section types differ where a reader of machine code must not use a Mercury table. `mercury_type`
// returns the type of the counterpart, `mirrored_type` is its inverse; other types are equal in
// both planes.
[[nodiscard]] SectionType mercury_type(SectionType type);
[[nodiscard]] SectionType mirrored_type(SectionType type);

} // namespace culink::elf
