// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiler constants of device functions (bank 2: branch tables, literals). The code of a function
// addresses its constants at one offset, whichever kernel called it. So they are copied to the same
// offset of the bank of each kernel that reaches the function: after the longest of those banks.
// Relocations against them use that offset.
//
// What may surprise: constants of two functions are not shared, even if equal, and the function
// that was created last is placed first (Q015).
#include "link/place/place_constants.h"

#include <algorithm>

#include "base/bytes.h"
#include "link/nvlink/section_owners.h"

namespace culink {

using elf::SectionType;

namespace {

class ConstantPlacer {
public:
  ConstantPlacer(const Program &program, const Reach &reach, Layout layout)
      : p_(program), reach_(reach), layout_(std::move(layout)) {}

  Layout run();

private:
  void place_constants_of(u32 number);
  void copy_relocations(u32 number, const std::vector<OutId> &banks);

  const Program &p_;
  const Reach &reach_;
  Layout layout_;
  std::vector<OutId> table_of_; // by section: its relocations
};

Layout ConstantPlacer::run() {
  if (layout_.placement.function_constants.empty())
    return std::move(layout_);
  table_of_.resize(layout_.sections.size());
  for (const RelocationGroup &group : layout_.relocs.groups)
    if (OutId &table = table_of_[group.target.value]; !table.valid())
      table = group.table;
  for (size_t i = layout_.placement.function_constants.size(); i-- > 0;)
    place_constants_of(static_cast<u32>(i));
  return std::move(layout_);
}

void ConstantPlacer::place_constants_of(u32 number) {
  FunctionConstants &constants = layout_.placement.function_constants[number];
  const FunctionId one[] = {constants.function};
  std::vector<FunctionId> kernels = reach_.kernels_reaching(one);
  std::reverse(kernels.begin(), kernels.end());
  std::vector<OutId> banks;
  u64 longest = 0,
      align = constants.align; // the strictest of all these banks counts in each of them
  for (const FunctionId k : kernels) {
    const Entity &kernel = p_.entity_of(k);
    const std::string name = ".nv.constant2." + std::string(kernel.name);
    const OutId text = layout_.placement.address_of[p_.calls.functions[k.value].value].section;
    OutId id = nvlink::section_of_kernel(p_, layout_.sections, layout_.sections.find(name), text);
    // An overriding definition without constants still takes its position in banks that exist.
    if (!id.valid() && constants.size == 0)
      continue;
    if (!id.valid()) {
      id = layout_.sections.add({.name = layout_.sections.keep_name(name, ""),
                                 .type = constants.type,
                                 .flags = constants.flags,
                                 .target = text,
                                 .has_symbol = true});
      layout_.sections.add_section_symbol(id);
    }
    align = std::max(align, layout_.sections[id].align);
    longest = std::max(longest, layout_.sections[id].size);
    banks.push_back(id);
  }
  constants.offset = align_up(longest, align);
  for (const OutId id : banks) {
    layout_.sections[id].align = align;
    for (const Piece &piece : constants.pieces)
      layout_.sections.table.add_piece(id, constants.offset + piece.offset, piece.bytes);
    layout_.sections[id].size = align_up(constants.offset + constants.size, align);
  }
  copy_relocations(number, banks);
  // Constants of a discarded definition have no symbol.
  if (p_.policy.null_symbol_has_value && !banks.empty() &&
      constants.discarded_piece != FunctionConstants::kNone)
    layout_.placement.null_symbol_value = constants.offset + constants.discarded_piece;
}

void ConstantPlacer::copy_relocations(u32 number, const std::vector<OutId> &banks) {
  if (layout_.placement.function_constants[number].relocations.empty())
    return;
  for (const OutId bank : banks) {
    if (bank.value >= table_of_.size()) // the bank is new
      table_of_.resize(layout_.sections.size());
    OutId &table = table_of_[bank.value];
    if (!table.valid()) {
      table = layout_.sections.add(
          {.name = layout_.sections.keep_name(".rela", layout_.sections.name(bank)),
           .type = SectionType::Rela,
           .flags = elf::kFlagInfoLink,
           .align = 8,
           .entsize = 24,
           .target = bank,
           .links_symtab = true});
      layout_.sections.add_section_symbol(table);
      layout_.relocs.groups.push_back({table, bank, true});
      if (p_.policy.lists_resolved) // the list is only a name
        layout_.sections.add_section_symbol(layout_.sections.add(
            {.name = layout_.sections.keep_name(".nv.resolvedrela", layout_.sections.name(bank)),
             .type = SectionType::Null,
             .presence = Presence::NameOnly}));
    }
    layout_.relocs.copied.push_back({table, bank, number});
  }
}

} // namespace

Layout place_constants(const Program &program, const Reach &reach, Layout layout) {
  return ConstantPlacer(program, reach, std::move(layout)).run();
}

} // namespace culink
