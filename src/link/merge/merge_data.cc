// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data of the inputs. Sections of one name are concatenated in the order of the files, each file's
// part as a block at its own alignment; nothing moves inside a block. Shared variables are only
// listed here, because their addresses depend on which kernels use them (place/place_shared.cc).
// Constants of single functions are in merge_constants.cc.
//
// What may surprise: a block of initialised data is appended even if none of its definitions is
// accepted; a block of zeroed data is not. Relocations inside a weak definition that is discarded
// for an earlier weak one are dropped.
#include "link/merge/merger.h"

#include <algorithm>

#include "link/resolve/special_symbols.h"
#include "support/bytes.h"

namespace culink {

using elf::SectionRole;
using elf::SectionType;
using elf::SymbolBinding;
using elf::SymbolType;

namespace {

constexpr u64 kMaxExtent = u64{1} << 40; // keeps sums in range; no bank is nearly that large

bool is_function_bank(const InputObject &object, u32 section) {
  return object.kinds[section].role == SectionRole::Constant && object.owner_of(section) != 0;
}

} // namespace

u64 Merger::end_of_symbols(u32 section) {
  if (!extents_) { // found once for each object
    extents_.emplace(object_->view.sections().size(), 0);
    for (const elf::Symbol &symbol : object_->symbols)
      if (symbol.in_section() && symbol.size < kMaxExtent && symbol.value < kMaxExtent)
        (*extents_)[symbol.section] =
            std::max((*extents_)[symbol.section], symbol.value + symbol.size);
  }
  return (*extents_)[section];
}

void Merger::create_data() {
  const std::span<const elf::Symbol> symbols = object_->symbols;
  const std::span<const EntityId> entities = p_.symbols.entity_of[id_.value];
  for (u32 s = 1; s < symbols.size(); ++s) {
    const EntityId id = entities[s];
    if (!id.valid() || symbols[s].type() == SymbolType::Function)
      continue;
    const elf::Symbol &symbol = symbols[s];
    if (!symbol.in_section()) {
      list_undefined(id, symbol);
      continue;
    }
    const elf::SectionKind &kind = object_->kinds[symbol.section];
    if (p_.symbols[id].opaque) {
      define_opaque(id, s);
      continue;
    }
    const bool function_bank = is_function_bank(*object_, symbol.section);
    if (function_bank && kind.bank == p_.arch.banks.parameters)
      define_parameter(id, symbol);
    else if (function_bank && kind.bank == p_.arch.banks.compiler)
      define_compiler_constant(id, symbol);
    else
      define_data(id, s);
  }
}

// An image that is a parameter of a kernel is listed with the kernel.
void Merger::define_opaque(EntityId id, u32 symbol_index) {
  const SectionLocation &text = location(object_->symbols[symbol_index].section);
  if (p_.symbols.outcome(id_, symbol_index) != DefinitionOutcome::Accepted ||
      !text.section.valid() || text.discarded || is_listed(id))
    return;
  set_listed(id);
  address_of(id).section = text.section;
  layout_.sections.add_local(id);
}

// Lists undefined and common symbols. The value of the only local one is the size of the user bank.
void Merger::list_undefined(EntityId id, const elf::Symbol &symbol) {
  const bool dynamic_shared =
      symbol.undefined() && (symbol.other & elf::kOtherShared) != 0 && symbol.size == 0;
  if (dynamic_shared)
    align_dynamic(id, symbol);
  if (is_listed(id))
    return;
  set_listed(id);
  if (symbol.binding() == SymbolBinding::Local) {
    layout_.placement.bank_sizes.push_back(id);
    if (p_.policy.executable)
      return;
    // One symbol suffices where early resolution has left no reference to the others.
    if (p_.policy.keeps_all_relocations || layout_.placement.bank_sizes.size() == 1)
      layout_.sections.add_local(id);
    return;
  }
  // An undefined variable has the value -1. Symbols of no memory space that every file declares
  // (.nv.reservedSmem.offset0, __UFT) keep 0. A definition that follows decides alone.
  const Entity &entity = p_.symbols[id];
  if (symbol.undefined() && !p_.policy.keeps_all_relocations &&
      (is_global(symbol.other) || is_constant(symbol.other) ||
       (is_shared(symbol.other) ? symbol.size != 0 : entity.weak())))
    address_of(id).value = ~u64{0};
  if (is_reserved_shared_mark(symbol.name))
    address_of(id).value = symbol.value;
  if (dynamic_shared && !layout_.sections.debug_shared.valid())
    layout_.sections.debug_shared =
        need(".nv_debug.shared", {.type = SectionType::CudaShared,
                                  .flags = elf::kFlagAlloc | elf::kFlagWrite,
                                  .has_symbol = true});
  if (dynamic_shared)
    layout_.sections.add_shared_variable(layout_.sections.debug_shared, id);
  if (entity.in_local_part)
    layout_.sections.add_local(id);
  else
    layout_.sections.globals.push_back(id);
}

// Since 13.1 an undefined symbol of dynamic memory has its alignment.
void Merger::align_dynamic(EntityId id, const elf::Symbol &symbol) {
  const bool instance = symbol.binding() == SymbolBinding::Weak;
  const u64 own = instance ? align_of_instance(symbol) : std::max(symbol.value, u64{1});
  u64 &align = layout_.placement.shared_align[id.value];
  if (!is_listed(id))
    align = own;
  else if (!(instance ? p_.policy.misreads_instances : p_.policy.keeps_first_alignment))
    align = std::max(align, own);
}

// nvlink -r makes a symbol for the dynamic memory of a kernel; its value is the offset of the
// memory. The offset is a multiple of the alignment, which is at most the largest alignment of
// dynamic memory in the file. Other symbols of dynamic memory, defined or not, have their alignment
// as value.
u64 Merger::align_of_instance(const elf::Symbol &symbol) {
  if (!dynamic_align_) {
    dynamic_align_ = 1;
    for (const elf::Symbol &other : object_->symbols)
      if (is_shared(other.other) && other.size == 0 && other.binding() != SymbolBinding::Weak)
        dynamic_align_ = std::max(*dynamic_align_, other.value);
  }
  const u64 divisor = symbol.value & (~symbol.value + 1); // the largest power of two; 0 for 0
  return p_.policy.misreads_instances ? symbol.value
         : divisor == 0               ? *dynamic_align_
                                      : std::min(divisor, *dynamic_align_);
}

void Merger::define_data(EntityId id, u32 symbol_index) {
  const elf::Symbol &symbol = object_->symbols[symbol_index];
  const elf::Section &section = object_->section(symbol.section);
  const bool weak = symbol.binding() == SymbolBinding::Weak;
  const bool local = symbol.binding() == SymbolBinding::Local;
  if (!local && !(weak && p_.policy.weak_among_locals) && !is_listed(id)) {
    set_listed(id);
    layout_.sections.globals.push_back(id);
  }
  const DefinitionOutcome outcome = p_.symbols.outcome(id_, symbol_index);
  if (outcome == DefinitionOutcome::DiscardedForWeak ||
      outcome == DefinitionOutcome::DiscardedForStrong) {
    discard_data(id, symbol, outcome);
    return;
  }
  const bool reserved = section.type == SectionType::CudaReservedShared;
  const OutId out = reserved ? place_reserved(id, section, symbol) : place_data(section);
  if (!is_listed(id)) {
    set_listed(id);
    layout_.sections.add_local(id);
  }
  address_of(id) = {out, reserved ? address_of(id).value
                                  : symbol.value + location(section.index).offset};
  if (!reserved && section.type == SectionType::CudaShared) {
    layout_.placement.shared_align[id.value] = symbol.value;
    layout_.sections.add_shared_variable(out, id);
  }
}

void Merger::discard_data(EntityId id, const elf::Symbol &symbol, DefinitionOutcome outcome) {
  const Entity &entity = p_.symbols[id];
  if (outcome == DefinitionOutcome::DiscardedForWeak &&
      !(p_.policy.forgets_pointers && object_->kinds[symbol.section].is_constant()))
    layout_.relocs.discarded[id_.value].add(symbol.section, symbol.value,
                                            symbol.value + symbol.size);
  // A strong definition that is discarded for a common symbol still takes memory (Q057).
  if (entity.common_align != 0 && !entity.defined() && symbol.binding() != SymbolBinding::Weak)
    append_block(object_->section(symbol.section));
  if (entity.sized && layout_.sections.debug_shared.valid()) {
    u64 &align = layout_.placement.shared_align[id.value];
    align = std::max(align, symbol.value);
    layout_.sections.add_shared_variable(layout_.sections.debug_shared, id);
  }
}

OutId Merger::place_data(const elf::Section &section) {
  if (section.type != SectionType::CudaShared)
    return append_block(section);
  const u32 owner = object_->owner_of(section.index);
  const OutId text = owner != 0 ? location(owner).section : OutId{};
  OutSection shared = {.type = section.type, .flags = section.flags, .has_symbol = true};
  OutId out;
  if (text.valid()) { // as a rule the section was made with the kernel's code
    shared.flags |= elf::kFlagInfoLink;
    out = need_for_kernel(section.name, shared, text);
  } else {
    out = need(section.name, shared);
  }
  if (object_->kinds[section.index].role == SectionRole::DebugShared)
    layout_.sections.debug_shared = out;
  location(section.index).section = out;
  return out;
}

// Shared memory that the system uses: every kernel has all of it, at the same addresses. The symbol
// value of such a variable is its alignment. Of weak definitions only the accepted one comes here.
OutId Merger::place_reserved(EntityId id, const elf::Section &section, const elf::Symbol &symbol) {
  const OutId out_id =
      need(section.name, {.type = section.type, .flags = section.flags, .has_symbol = true});
  location(section.index).section = out_id;
  OutSection &out = layout_.sections[out_id];
  out.align = std::max(out.align, section.align);
  const u64 start = p_.policy.places_memory ? p_.arch.reserved_slot : 0;
  const u64 offset = align_up(std::max(out.size, start), symbol.value);
  address_of(id).value = p_.policy.places_memory ? offset : symbol.value;
  out.size = offset + symbol.size;
  return out_id;
}

// Appends this file's block of a section at its own alignment.
OutId Merger::append_block(const elf::Section &section) {
  SectionLocation &at = location(section.index);
  if (at.section.valid())
    return at.section;
  const OutId id = need(section.name, {.type = section.type,
                                       .flags = section.flags,
                                       .entsize = section.entsize,
                                       .has_symbol = true});
  OutSection &out = layout_.sections[id];
  at.section = id;
  at.offset = align_up(out.size, section.align);
  if (!section.no_data() && section.size != 0) {
    layout_.sections.table.add_piece(id, at.offset, section.data);
    if (object_->kinds[section.index].role == SectionRole::Constant &&
        object_->kinds[section.index].bank == p_.arch.banks.user)
      layout_.placement.user_constant_aligns.push_back(section.align);
  }
  out.size = at.offset + section.size;
  out.align = std::max(out.align, section.align);
  const u32 owner = object_->owner_of(section.index);
  if (owner != 0)
    out.info = location(owner).section;
  return id;
}

void Merger::create_other_sections() {
  // Most sections have other roles, for which this step creates nothing.
  constexpr auto bit = [](SectionRole role) { return u64{1} << static_cast<u8>(role); };
  constexpr u64 kLeftOut = bit(SectionRole::Text) | bit(SectionRole::Info) | bit(SectionRole::Rel) |
                           bit(SectionRole::Rela) | bit(SectionRole::Shared);
  const std::span<const elf::SectionKind> kinds = object_->kinds;
  for (u32 i = 0; i < kinds.size(); ++i)
    if ((kLeftOut >> static_cast<u8>(kinds[i].role) & 1) == 0 && !location(i).section.valid() &&
        location(i).constants == kNoIndex)
      create_other_section(object_->section(i));
}

// True if a shared section without variables is a block of memory. A remainder of dynamic memory
// from nvlink -r is not: its size equals its alignment, or the object defines dynamic memory.
bool Merger::keeps_unnamed_shared(const elf::Section &section) const {
  if (object_->view.header().type == elf::FileType::WholeProgram)
    return !p_.policy.loses_placed_shared;
  if (section.size == 0 || p_.policy.keeps_unnamed_shared || p_.policy.emulates_nvlink)
    return section.size != 0 && p_.policy.keeps_unnamed_shared;
  return section.size > section.align &&
         std::ranges::none_of(object_->symbols, [](const elf::Symbol &symbol) {
           return is_shared(symbol.other) && symbol.in_section() && symbol.size == 0;
         });
}

// Shared sections of kernels that hold no variable. `nvcc -ewp` has placed the variables of its
// own; nvlink -r leaves such sections where a kernel has dynamic memory.
void Merger::create_unnamed_shared() {
  for (const elf::Section &section : object_->view.sections())
    if (object_->kinds[section.index].role == SectionRole::Shared &&
        end_of_symbols(section.index) == 0 && keeps_unnamed_shared(section))
      layout_.placement.unnamed_shared.push_back(
          {.section = place_data(section), .size = section.size, .align = section.align});
}

// Debug sections are concatenated without padding, as DWARF consumers expect.
void Merger::append_debug(const elf::Section &section) {
  const OutId id = need(section.name, {.type = section.type,
                                       .flags = section.flags,
                                       .align = section.align,
                                       .presence = Presence::Always,
                                       .has_symbol = true});
  OutSection &out = layout_.sections[id];
  location(section.index).set(id, out.size);
  if (section.size != 0)
    layout_.sections.table.add_piece(id, out.size, section.data);
  out.size += section.size;
}

void Merger::create_other_section(const elf::Section &section) {
  const elf::SectionKind &kind = object_->kinds[section.index];
  if (kind.mercury)
    return;
  switch (kind.role) {
  case SectionRole::Dwarf:
  case SectionRole::NvDebug:
    append_debug(section);
    break;
  case SectionRole::Constant:
  case SectionRole::ConstantNamed:
    if (const u32 owner = object_->owner_of(section.index); owner == 0) {
      append_block(section);
    } else if (joins_parameters(section)) {
      append_parameter_bank(section);
    } else if (const SectionLocation &text = location(owner);
               text.section.valid() && !text.discarded) {
      create_function_bank(section, text.section);
    } else if (is_dead(text)) {
      count_removed_section();
      if (p_.policy.executable && kind.bank == p_.arch.banks.parameters) // .rel.nv.constant0.K
        count_removed_section();
    } else if (text.discarded && is_function_bank(*object_, section.index) &&
               kind.bank == p_.arch.banks.compiler) {
      append_discarded_constants(section);
    }
    break;
  case SectionRole::Unknown:
    if (section.type != SectionType::Progbits && !p_.policy.drops_unknown_sections) {
      keep_unknown_section(section);
      break;
    }
    [[fallthrough]];
  case SectionRole::Host:
  case SectionRole::Uidx:
  case SectionRole::PtxConstSize:
  case SectionRole::DescriptorSize:
    // Sections of unknown meaning are kept (Q058).
    if (section.type == SectionType::Progbits) {
      const OutId id = append_block(section);
      if ((section.flags & elf::kFlagAlloc) == 0)
        layout_.sections[id].presence = Presence::Always;
    }
    break;
  case SectionRole::GlobalInit:
  case SectionRole::Udt:
    append_block(section);
    break;
  case SectionRole::UftEntry:
  case SectionRole::UdtEntry:
    add_unified_entries(section);
    break;
  default:
    break;
  }
}

// A section of a type that a later release has introduced, with its type. One that belongs to a
// function goes where the function goes; others are joined by name.
void Merger::keep_unknown_section(const elf::Section &section) {
  OutId id;
  if ((section.flags & elf::kFlagInfoLink) == 0) {
    id = append_block(section);
  } else {
    if (section.info >= object_->kinds.size() || !object_->kinds[section.info].is_code())
      return;
    const SectionLocation &code = location(section.info);
    if (!code.section.valid() || code.discarded)
      return;
    id = add(section.name, {.type = section.type,
                            .flags = section.flags,
                            .align = section.align,
                            .entsize = section.entsize,
                            .size = section.size,
                            .info = code.section,
                            .has_symbol = true});
    layout_.sections.table.add_piece(id, 0, section.data);
    location(section.index).section = id;
  }
  OutSection &out = layout_.sections[id];
  out.presence = Presence::Always;
  const bool links_symtab = section.link != 0 && section.link < object_->kinds.size() &&
                            object_->kinds[section.link].role == SectionRole::SymbolTable;
  out.link = links_symtab ? elf::SectionTable::kSymtab : OutId();
}

// A variable that a common symbol prevails over keeps its own place, or none if it is weak (Q057).
u64 Merger::offset_of_unified(const elf::Symbol &symbol, EntityId named) const {
  if (const SymbolAddress &at = layout_.placement.address_of[named.value]; at.section.valid())
    return at.value;
  constexpr u64 kNoPlace = 0 - u64{2};
  return symbol.binding() == elf::SymbolBinding::Weak
             ? kNoPlace
             : location(symbol.section).offset + symbol.value;
}

// Identities of unified functions and variables, marked as seen by a linker.
void Merger::add_unified_entries(const elf::Section &section) {
  constexpr u32 kLinked = 6;
  const OutId id = need(section.name, {.type = section.type,
                                       .flags = section.flags,
                                       .align = section.align,
                                       .entsize = section.entsize,
                                       .link = elf::SectionTable::kSymtab,
                                       .presence = Presence::Always,
                                       .has_symbol = true});
  location(section.index).section = id;
  for (elf::UnifiedEntry entry : elf::decode_unified_entries(section.data).records) {
    const EntityId named =
        entry.symbol < object_->symbols.size() ? p_.symbols.of(id_, entry.symbol) : EntityId{};
    entry.flags |= kLinked;
    if (object_->kinds[section.index].role == SectionRole::UdtEntry && named.valid())
      entry.offset = offset_of_unified(object_->symbols[entry.symbol], named);
    else
      layout_.sections.has_unified_functions = true;
    layout_.sections.unified.push_back({id, named, entry});
  }
}

} // namespace culink
