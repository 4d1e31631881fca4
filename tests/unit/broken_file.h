// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A shipped example cubin to break by hand: sections and fields by name, stores at any place.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "elf/elf_view.h"
#include "examples.h"
#include "support/bytes.h"

namespace culink::test {

// Offsets of fields in the 64-bit wire structures.
enum HeaderField : u64 {
  kEType = 16,
  kEMachine = 18,
  kEVersion = 20,
  kEPhoff = 32,
  kEShoff = 40,
  kEFlags = 48,
  kEEhsize = 52,
  kEPhentsize = 54,
  kEPhnum = 56,
  kEShnum = 60,
  kEShstrndx = 62,
};
enum SectionField : u64 {
  kShName = 0,
  kShType = 4,
  kShFlags = 8,
  kShAddr = 16,
  kShOffset = 24,
  kShSize = 32,
  kShLink = 40,
  kShInfo = 44,
  kShAlign = 48,
  kShEntsize = 56,
};
enum SymbolField : u64 { kStName = 0, kStInfo = 4, kStOther = 5, kStShndx = 6, kStValue = 8 };
enum SegmentField : u64 { kPType = 0, kPFlags = 4, kPVaddr = 16, kPMemsz = 40, kPAlign = 48 };

class BrokenFile {
public:
  // `example` is a path below examples/.
  explicit BrokenFile(std::string_view example) : bytes_(read_example(example)) {}

  [[nodiscard]] const std::vector<u8> &bytes() const { return bytes_; }
  [[nodiscard]] std::vector<u8> &bytes() { return bytes_; }

  template <typename T> [[nodiscard]] T get(u64 offset) const {
    return load_at<T>(bytes_, offset).value_or(T{});
  }
  template <typename T> void set(u64 offset, T value) {
    if (offset + sizeof(T) <= bytes_.size())
      store_le<T>(bytes_.data() + offset, value);
    else
      ADD_FAILURE() << "no byte " << offset;
  }

  // Where the header of the first section of that name lies; where its contents lie.
  [[nodiscard]] u64 header_of(std::string_view section) const {
    return get<u64>(kEShoff) + u64{index_of(section)} * 64;
  }
  [[nodiscard]] u64 data_of(std::string_view section) const {
    return get<u64>(header_of(section) + kShOffset);
  }
  [[nodiscard]] u32 index_of(std::string_view section) const {
    const Result<elf::ElfView> view = elf::ElfView::open_tolerant(bytes_);
    const elf::Section *found = view ? view->find(section) : nullptr;
    if (!found)
      ADD_FAILURE() << "no section " << section;
    return found ? found->index : 0;
  }
  // Where the entry of a symbol lies, and its index.
  [[nodiscard]] u32 symbol_index(std::string_view name) const {
    const Result<elf::ElfView> view = elf::ElfView::open_tolerant(bytes_);
    const elf::SymbolTable symbols = view ? view->symbols() : elf::SymbolTable{};
    for (u32 i = 0; i < symbols.size(); ++i)
      if (symbols[i].name == name)
        return i;
    ADD_FAILURE() << "no symbol " << name;
    return 0;
  }
  [[nodiscard]] u64 symbol(std::string_view name) const {
    return data_of(".symtab") + u64{symbol_index(name)} * 24;
  }
  [[nodiscard]] u64 segment(u64 index) const { return get<u64>(kEPhoff) + index * 56; }

private:
  std::vector<u8> bytes_;
};

} // namespace culink::test
