// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The view: opens strictly and tolerantly and calls every accessor. What the strict way accepts,
// the tolerant way must accept without a violation.
#include "elf/elf_view.h"

#include "elf/section_kind.h"
#include "round_trip.h"
#include "targets.h"

using namespace culink;

namespace {

void walk(const elf::ElfView &view) {
  u64 sum = 0;
  for (const elf::Section &s : view.sections()) {
    for (const u8 byte : s.data)
      sum += byte;
    sum += s.name.size() + elf::classify_section(s.name, s.type, s.flags).owner.size();
    const elf::SymbolTable symbols = view.symbols(s);
    for (u32 i = 0; i < symbols.size(); ++i) {
      const elf::Symbol symbol = symbols[i];
      fuzz::require(!symbol.in_section() || symbol.section < view.sections().size());
      sum += symbol.name.size() + symbol.value;
    }
    const elf::RelocationTable relocations = view.relocations(s);
    const u32 count = view.linked_symbols(s).size();
    for (u32 i = 0; i < relocations.size(); ++i)
      fuzz::require(relocations[i].symbol < std::max(count, 1u));
    if (const elf::Section *target = view.info_section(s))
      sum += target->size;
    fuzz::require(!elf::describe_section(s).empty());
  }
  for (const elf::Segment &segment : view.segments())
    sum += segment.filesz;
  static_cast<void>(view.find(".symtab"));
  // The compiler must not conclude that nobody reads the bytes.
  fuzz::require(sum != 0 || view.file().size() != 0);
}

} // namespace

int fuzz::view_fuzz(const u8 *data, size_t size) {
  const ByteSpan file(data, size);
  const Result<elf::ElfView> strict = elf::ElfView::open(file);
  const Result<elf::ElfView> tolerant = elf::ElfView::open_tolerant(file);
  if (strict) {
    fuzz::require(tolerant.ok() && tolerant->violations().empty());
    walk(*strict);
  }
  if (tolerant)
    walk(*tolerant);
  return 0;
}
