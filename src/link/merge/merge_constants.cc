// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant banks that belong to one function: parameters of kernels (bank 0) and compiler constants
// (bank 2: literals, branch tables).
//
// Compiler constants of a kernel become its section; those of a device function are collected as
// FunctionConstants, which place_constants copies into the bank of each kernel that reaches the
// function. A definition that overrides an earlier one starts over with its own constants.
//
// What may surprise: constants of a discarded definition are appended after those of the prevailing
// one, where no code refers to them. nvlink does so, and sizes and offsets follow from it (Q040).
#include "link/merge/merger.h"

#include <algorithm>

#include "support/bytes.h"

namespace culink {

using elf::SectionType;
using elf::SymbolType;

// A symbol in a bank of compiler constants: the bank as a whole is appended at its first symbol.
void Merger::define_compiler_constant(EntityId id, const elf::Symbol &symbol) {
  const elf::Section &bank = object_->section(symbol.section);
  const SectionLocation &text = location(bank.info);
  if (text.discarded || !text.section.valid())
    return;
  // If the next link resolves constants again, an overridden definition leaves none.
  if (p_.policy.keeps_all_relocations &&
      p_.symbols[layout_.sections.function(text.section)].prevailing.object != id_)
    return;
  const SectionLocation &at = location(bank.index);
  if (!at.section.valid() && at.constants == kNoIndex)
    append_constants(bank, text.section, false);
  address_of(id) = {at.section, symbol.value + at.offset, at.constants};
  if (at.section.valid() && p_.policy.keeps_constant_symbols)
    layout_.sections.add_local(id);
}

// Constants of a discarded definition follow those of the prevailing one (Q040).
void Merger::append_discarded_constants(const elf::Section &bank) {
  if (p_.policy.keeps_all_relocations)
    return;
  if (const OutId text = layout_.sections.find(object_->section(bank.info).name); text.valid())
    append_constants(bank, text, true);
}

// An overriding definition is about to be read: the constants of the overridden one are dropped.
void Merger::discard_constants(EntityId function) {
  const ConstantsLocation &old = constants_of_[p_.function_of(function).value];
  if (old.section.valid()) {
    layout_.sections.table.clear_content(old.section);
    layout_.sections[old.section].size = 0;
    layout_.sections[old.section].presence =
        Presence::Nothing; // unless the new definition needs it
    discards_sections_ = true;
  }
  if (old.index == kNoIndex)
    return;
  layout_.placement.function_constants[old.index].pieces.clear();
  layout_.placement.function_constants[old.index].size = 0;
  layout_.placement.function_constants[old.index].parts.clear();
  layout_.placement.function_constants[old.index].discarded_piece = FunctionConstants::kNone;
}

std::vector<u64> Merger::starts_of_constants(const elf::Section &bank) {
  if (!constant_starts_) { // collected once for each object
    constant_starts_.emplace();
    for (const elf::Symbol &symbol : object_->symbols)
      if (symbol.in_section() && symbol.type() != SymbolType::Section &&
          object_->kinds[symbol.section].is_constant())
        constant_starts_->emplace_back(symbol.section, symbol.value);
    if (!std::is_sorted(constant_starts_->begin(), constant_starts_->end()))
      std::sort(constant_starts_->begin(), constant_starts_->end());
  }
  std::vector<u64> starts;
  const auto first = std::lower_bound(constant_starts_->begin(), constant_starts_->end(),
                                      std::pair<u32, u64>(bank.index, 0));
  for (auto at = first; at != constant_starts_->end() && at->first == bank.index; ++at)
    if (starts.empty() || starts.back() != at->second)
      starts.push_back(at->second);
  return starts;
}

// Returns the number of bytes that symbols name; the whole size for a bank without references.
u64 Merger::constants_size(const elf::Section &bank, bool discarded) {
  return discarded ? bank.size : std::min(bank.size, end_of_symbols(bank.index));
}

void Merger::append_constants(const elf::Section &bank, OutId text, bool discarded) {
  SectionLocation &at = location(bank.index);
  at.discarded = discarded;
  const ByteSpan bytes = bank.data.first(constants_size(bank, discarded));
  const EntityId function = layout_.sections.function(text);
  const FunctionId id = p_.function_of(function);
  ConstantsLocation &known = constants_of_[id.value];
  // Constants that only a discarded definition has get a section of their own.
  const bool alone = discarded && known.index == kNoIndex;
  if (!p_.policy.executable || is_kernel_mark(p_.symbols[function].other) || alone) {
    // Local functions of one name in several files have a bank each.
    if (const OutId named = layout_.sections.find(bank.name);
        !known.section.valid() && named.valid() && layout_.sections[named].target() == text)
      known.section = named;
    if (!known.section.valid())
      known.section = add(bank.name, {.type = bank.type,
                                      .flags = bank.flags | elf::kFlagInfoLink,
                                      .align = bank.align,
                                      .info = text,
                                      .presence = Presence::Always,
                                      .has_symbol = true});
    at.section = known.section;
    layout_.sections[at.section].presence = Presence::Always;
    if (!discarded) {
      layout_.sections.table.clear_content(at.section);
      layout_.sections[at.section].size = 0;
    }
    at.offset = layout_.sections.table.append(at.section, bytes, bank.align);
    return;
  }
  u32 &number = known.index;
  if (number == kNoIndex) {
    number = static_cast<u32>(layout_.placement.function_constants.size());
    FunctionConstants &made = layout_.placement.function_constants.emplace_back();
    made.function = id;
    made.type = bank.type;
    made.flags = bank.flags | elf::kFlagInfoLink; // which toolkits before 12.4 leave out
    made.align = bank.align;
  }
  at.constants = number;
  FunctionConstants &constants = layout_.placement.function_constants[number];
  if (!discarded) {
    constants.pieces.clear();
    constants.size = 0;
  }
  at.offset = align_up(constants.size, bank.align);
  if (!bytes.empty())
    constants.pieces.push_back({at.offset, bytes});
  constants.size = at.offset + bytes.size();
  constants.discarded_piece = discarded ? at.offset : FunctionConstants::kNone;
  constants.parts = discarded ? std::move(constants.parts) : starts_of_constants(bank);
  if (discarded || constants.parts.empty())
    constants.parts.push_back(at.offset);
}

void Merger::define_parameter(EntityId id, const elf::Symbol &symbol) {
  const elf::Section &bank = object_->section(symbol.section);
  const SectionLocation &text = location(bank.info);
  if (!location(bank.index).section.valid() && joins_parameters(bank))
    append_parameter_bank(bank);
  else if (text.section.valid() && !text.discarded && !location(bank.index).section.valid())
    create_function_bank(bank, text.section);
  // Parameter symbols are kept where another link or a debugger may want them, also those of a
  // discarded kernel.
  if (!p_.policy.keeps_constant_symbols)
    return;
  const OutId placed = location(bank.index).section;
  const OutId section = placed.valid() ? placed : layout_.sections.find(bank.name);
  if (!section.valid())
    return;
  address_of(id) = {section, symbol.value + location(bank.index).offset};
  layout_.sections.add_local(id);
}

// A bank of one function has the bytes of the definition that was accepted last.
void Merger::create_function_bank(const elf::Section &section, OutId text) {
  const auto [id, is_new] = find_or_add_for_kernel(
      section.name,
      {.type = section.type,
       .flags = section.flags | (p_.policy.takes_bank_flags ? 0 : elf::kFlagInfoLink),
       .align = section.align,
       .info = text,
       .presence = Presence::Always, // records name it
       .has_symbol = true},
      text);
  const bool parameters = object_->kinds[section.index].bank == p_.arch.banks.parameters;
  if (!is_new && parameters && layout_.sections[id].target() != text) {
    append_parameter_bank(section);
    return;
  }
  if (is_new) {
    // In executables a .rel table is named with each parameter bank, although it has no entries.
    // Its section symbol comes before the bank's, its name after (Q003).
    if (p_.policy.executable && parameters)
      name_only_for(layout_.sections.keep_name(".rel", section.name), id);
    layout_.sections.add_section_symbol(id);
  }
  layout_.sections[id].size = section.size;
  layout_.sections.table.clear_content(id);
  if (section.size != 0)
    layout_.sections.table.add_piece(id, 0, section.data);
  location(section.index).set(id, 0);
}

bool Merger::joins_parameters(const elf::Section &bank) const {
  return object_->kinds[bank.index].bank == p_.arch.banks.parameters &&
         beside_strong_[object_->owner_of(bank.index)] && layout_.sections.find(bank.name).valid();
}

// Weak definitions of a kernel share one parameter bank. Beside a strong definition each has its
// own, appended after the first, where no code refers to it (Q044).
void Merger::append_parameter_bank(const elf::Section &section) {
  const OutId id = layout_.sections.find(section.name);
  OutSection &out = layout_.sections[id];
  const u64 offset = align_up(out.size, section.align);
  if (section.size != 0)
    layout_.sections.table.add_piece(id, offset, section.data);
  out.size = offset + section.size;
  location(section.index).set(id, offset);
}

} // namespace culink
