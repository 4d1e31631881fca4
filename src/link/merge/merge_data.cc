// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data of the inputs. Sections of one name are concatenated in the order of the files, each file's
// part as a block at its own alignment; nothing moves inside a block. Shared variables are only
// listed here, because their addresses depend on which kernels use them (place/place_shared.cc).
// Constants of single functions are in merge_constants.cc.
//
// What may surprise: a block of initialised data is appended even if every definition in it is
// discarded, a block of zeroed data is not; and relocations inside a weak definition that is
// discarded for an earlier weak one are dropped.
#include "link/merge/merger.h"

#include <algorithm>

#include "base/bytes.h"
#include "link/emulate/lost_relocations.h"
#include "link/emulate/shared_memory.h"
#include "link/resolve/special_symbols.h"

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

void Merger::create_data() {
  extent_.assign(object_->view.sections().size(), 0);
  for (const elf::Symbol &symbol : object_->symbols)
    if (symbol.in_section() && symbol.size < kMaxExtent && symbol.value < kMaxExtent)
      extent_[symbol.section] = std::max(extent_[symbol.section], symbol.value + symbol.size);
  for (u32 s = 1; s < object_->symbols.size(); ++s) {
    const elf::Symbol &symbol = object_->symbols[s];
    const EntityId id = p_.symbols.of(id_, s);
    if (!id.valid() || symbol.type() == SymbolType::Function)
      continue;
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
      !text.section.valid() || text.discarded || listed_[id.value])
    return;
  listed_[id.value] = true;
  layout_.placement.address_of[id.value].section = text.section;
  layout_.sections.add_local(id);
}

// Undefined and common symbols. The only local one stands for the size of the user bank.
void Merger::list_undefined(EntityId id, const elf::Symbol &symbol) {
  const bool dynamic_shared =
      symbol.undefined() && (symbol.other & elf::kOtherShared) != 0 && symbol.size == 0;
  // Since 13.1 an undefined symbol of dynamic memory has its alignment.
  if (u64 &align = layout_.placement.shared_align[id.value]; dynamic_shared) {
    const bool instance = symbol.binding() == SymbolBinding::Weak;
    const u64 own = instance ? align_of_instance(symbol) : std::max(symbol.value, u64{1});
    if (!listed_[id.value])
      align = own;
    else if (!emulate::keeps_first_alignment(p_, instance))
      align = std::max(align, own);
  }
  if (listed_[id.value])
    return;
  listed_[id.value] = true;
  if (symbol.binding() == SymbolBinding::Local) {
    layout_.placement.bank_sizes.push_back(id);
    // One symbol suffices where early resolution has left no reference to the others.
    if (!p_.policy.executable &&
        (p_.policy.keeps_all_relocations || layout_.placement.bank_sizes.size() == 1))
      layout_.sections.add_local(id);
    return;
  }
  // An undefined variable has the value -1. Symbols of no memory space (.nv.reservedSmem.offset0,
  // __UFT) keep 0.
  if (symbol.undefined() && !p_.policy.keeps_all_relocations &&
      (is_global(symbol.other) || is_constant(symbol.other) ||
       (is_shared(symbol.other) && symbol.size != 0)))
    layout_.placement.address_of[id.value].value = ~u64{0};
  if (is_reserved_shared_mark(symbol.name))
    layout_.placement.address_of[id.value].value = symbol.value;
  if (dynamic_shared && !layout_.sections.debug_shared.valid())
    layout_.sections.debug_shared = need(".nv_debug.shared", shared_section(0));
  if (dynamic_shared)
    layout_.sections.add_shared_variable(layout_.sections.debug_shared, id);
  if (p_.symbols[id].in_local_part)
    layout_.sections.add_local(id);
  else
    layout_.sections.globals.push_back(id);
}

// A symbol that a relocatable link of nvlink's has made for dynamic memory of a kernel has the
// offset of that memory for a value. It is a multiple of the alignment, which is at most the
// largest that the file has for dynamic memory; symbols of that have it for a value, defined or
// not.
u64 Merger::align_of_instance(const elf::Symbol &symbol) {
  if (!dynamic_align_) {
    dynamic_align_ = 1;
    for (const elf::Symbol &other : object_->symbols)
      if (is_shared(other.other) && other.size == 0 && other.binding() != SymbolBinding::Weak)
        dynamic_align_ = std::max(*dynamic_align_, other.value);
  }
  const u64 divisor = symbol.value & (~symbol.value + 1); // the largest power of two; 0 has all
  return emulate::value_of_instance(
      p_, symbol.value, divisor == 0 ? *dynamic_align_ : std::min(divisor, *dynamic_align_));
}

void Merger::define_data(EntityId id, u32 symbol_index) {
  const elf::Symbol &symbol = object_->symbols[symbol_index];
  const elf::Section &section = object_->section(symbol.section);
  const bool weak = symbol.binding() == SymbolBinding::Weak;
  const bool local = symbol.binding() == SymbolBinding::Local;
  if (!listed_[id.value] && !local && !(weak && p_.dialect.release.weak_among_locals)) {
    listed_[id.value] = true;
    layout_.sections.globals.push_back(id);
  }
  const DefinitionOutcome outcome = p_.symbols.outcome(id_, symbol_index);
  if (outcome == DefinitionOutcome::DiscardedForWeak ||
      outcome == DefinitionOutcome::DiscardedForStrong) {
    if (outcome == DefinitionOutcome::DiscardedForWeak &&
        emulate::drops_discarded_pointers(p_, id_, section.index))
      layout_.relocs.discarded[id_.value].add(section.index, symbol.value,
                                              symbol.value + symbol.size);
    // A definition that is discarded for a common symbol still takes memory (Q057).
    if (const Entity &entity = p_.symbols[id]; entity.common_align == 0 || entity.defined())
      has_discarded_[section.index] = true;
    if (emulate::is_never_placed(p_.symbols[id]))
      layout_ = emulate::list_sized_memory(std::move(layout_), id, symbol.value);
    return;
  }
  const bool reserved = section.type == SectionType::CudaReservedShared;
  const OutId out = reserved ? place_reserved(id, section, symbol) : place_data(section);
  if (!listed_[id.value]) {
    listed_[id.value] = true;
    layout_.sections.add_local(id);
  }
  layout_.placement.address_of[id.value].section = out;
  if (reserved)
    return;
  layout_.placement.address_of[id.value].value = symbol.value + location(section.index).offset;
  if (section.type == SectionType::CudaShared) {
    layout_.placement.shared_align[id.value] = symbol.value;
    layout_.sections.add_shared_variable(out, id);
  }
}

OutId Merger::place_data(const elf::Section &section) {
  if (section.type != SectionType::CudaShared)
    return append_block(section);
  const u32 owner = object_->owner_of(section.index);
  const OutId text = owner != 0 ? location(owner).section : OutId{};
  OutSection made{.type = section.type,
                  .flags = section.flags | (text.valid() ? elf::kFlagInfoLink : 0),
                  .has_symbol = true};
  const OutId out = text.valid() ? need_for_kernel(section.name, text, std::move(made))
                                 : need(section.name, std::move(made));
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
  layout_.placement.address_of[id.value].value = p_.policy.places_memory ? offset : symbol.value;
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
    out.pieces.push_back({at.offset, section.data});
    if (object_->kinds[section.index].role == SectionRole::Constant &&
        object_->kinds[section.index].bank == p_.arch.banks.user)
      layout_.placement.user_constant_aligns.push_back(section.align);
  }
  out.size = at.offset + section.size;
  out.align = std::max(out.align, section.align);
  if (const u32 owner = object_->owner_of(section.index); owner != 0)
    out.target = location(owner).section;
  return id;
}

void Merger::create_other_sections() {
  for (const elf::Section &section : object_->view.sections())
    if (!location(section.index).section.valid() && location(section.index).constants == kNoIndex)
      create_other_section(section);
}

// Shared sections of kernels that hold no variable: nvlink -r leaves such where a kernel has
// dynamic memory.
void Merger::create_unnamed_shared() {
  if (!emulate::keeps_unnamed_shared(p_))
    return;
  for (const elf::Section &section : object_->view.sections())
    if (object_->kinds[section.index].role == SectionRole::Shared && section.size != 0 &&
        extent_[section.index] == 0)
      layout_.placement.unnamed_shared.push_back(
          {.section = place_data(section), .size = section.size, .align = section.align});
}

// Debug sections are concatenated without padding, as DWARF consumers expect.
void Merger::append_debug(const elf::Section &section) {
  const OutId id = need(section.name, {.type = section.type,
                                       .flags = section.flags,
                                       .align = section.align,
                                       .emit = Emit::Always,
                                       .has_symbol = true});
  OutSection &out = layout_.sections[id];
  location(section.index) = {.section = id, .offset = out.size};
  if (section.size != 0)
    out.pieces.push_back({out.size, section.data});
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
    } else if (text.discarded && is_function_bank(*object_, section.index) &&
               kind.bank == p_.arch.banks.compiler) {
      append_discarded_constants(section);
    }
    break;
  case SectionRole::Global:
    if (!has_discarded_[section.index])
      append_block(section);
    break;
  case SectionRole::Unknown:
    if (section.type != SectionType::Progbits && p_.policy.keeps_unknown_sections) {
      keep_unknown_section(section);
      break;
    }
    [[fallthrough]];
  case SectionRole::Host:
  case SectionRole::Uidx:
  case SectionRole::PtxConstSize:
  case SectionRole::DescriptorSize:
    // Sections of unknown meaning are not ours to leave out (Q058).
    if (section.type == SectionType::Progbits) {
      OutSection &out = layout_.sections[append_block(section)];
      if ((section.flags & elf::kFlagAlloc) == 0)
        out.emit = Emit::Always;
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
                            .target = code.section,
                            .has_symbol = true});
    layout_.sections[id].pieces.push_back({0, section.data});
    location(section.index).section = id;
  }
  OutSection &out = layout_.sections[id];
  out.emit = Emit::Always;
  out.links_symtab = section.link != 0 && section.link < object_->kinds.size() &&
                     object_->kinds[section.link].role == SectionRole::SymbolTable;
}

// Identities of unified functions and variables, marked as seen by a linker.
void Merger::add_unified_entries(const elf::Section &section) {
  constexpr u32 kLinked = 6;
  const OutId id = need(section.name, {.type = section.type,
                                       .flags = section.flags,
                                       .align = section.align,
                                       .entsize = section.entsize,
                                       .links_symtab = true,
                                       .emit = Emit::Always,
                                       .has_symbol = true});
  location(section.index).section = id;
  for (elf::UnifiedEntry entry : elf::decode_unified_entries(section.data).entries) {
    const EntityId named =
        entry.symbol < object_->symbols.size() ? p_.symbols.of(id_, entry.symbol) : EntityId{};
    entry.flags |= kLinked;
    if (object_->kinds[section.index].role == SectionRole::UdtEntry && named.valid())
      entry.offset = layout_.placement.address_of[named.value].value;
    else
      layout_.sections.has_unified_functions = true;
    layout_.sections.unified.push_back({id, named, entry});
  }
}

// Common symbols get memory after the blocks of all files, the newest symbol first.
void Merger::place_commons() {
  const auto allocate = [this](EntityId id) {
    const Entity &entity = p_.symbols[id];
    if (entity.common_align == 0 || entity.defined() || p_.policy.keeps_all_relocations)
      return;
    const OutId section = need(".nv.global", {.type = SectionType::CudaGlobal,
                                              .flags = elf::kFlagAlloc | elf::kFlagWrite,
                                              .has_symbol = true});
    OutSection &out = layout_.sections[section];
    out.emit = Emit::Always; // even if all it holds is empty
    const u64 offset = align_up(out.size, entity.common_align);
    out.align = std::max(out.align, entity.common_align);
    out.size = offset + entity.size;
    layout_.placement.address_of[id.value] = {section, offset};
  };
  for (size_t i = layout_.sections.globals.size(); i-- > 0;)
    allocate(layout_.sections.globals[i]);
  // A common symbol that was a weak definition first is in the local part of the symbol table.
  for (size_t i = layout_.sections.locals.size(); i-- > 0;)
    if (layout_.sections.locals[i].kind == LocalSymbol::Kind::Entity)
      allocate(EntityId(layout_.sections.locals[i].id));
}

} // namespace culink
