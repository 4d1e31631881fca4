// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data of the inputs: one block per file and section, behind the blocks of earlier files, nothing
// moved inside. Shared variables are only listed here; their place depends on who uses them
// (place_shared.cc). Compiler constants of device functions go to the kernels that reach them
// (place_constants.cc).
//
// What may surprise: initialised data is appended even if every symbol in it lost, zeroed data is
// not; and relocations in the range of weak data that lost against weak data are dropped.
#include "link/merge/merger.h"

#include <algorithm>

#include "base/bytes.h"
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
      mention_undefined(id, symbol);
      continue;
    }
    const elf::SectionKind &kind = object_->kinds[symbol.section];
    const bool function_bank = is_function_bank(*object_, symbol.section);
    if (function_bank && kind.bank == p_.arch.banks.parameters)
      create_bank0_symbol(id, symbol);
    else if (function_bank && kind.bank == p_.arch.banks.compiler)
      create_bank2_symbol(id, symbol);
    else
      define_data(id, s);
  }
}

// Undefined and common symbols. The only local one is the size of the constant bank.
void Merger::mention_undefined(EntityId id, const elf::Symbol &symbol) {
  if (listed_[id.value])
    return;
  listed_[id.value] = true;
  if (symbol.binding() == SymbolBinding::Local) {
    layout_.placement.bank_sizes.push_back(id);
    // One is enough where nothing refers to it any more (Q023).
    if (!p_.policy.executable &&
        (p_.policy.keeps_all_relocations || layout_.placement.bank_sizes.size() == 1))
      layout_.sections.add_local(id);
    return;
  }
  // A variable that nobody defines has no place: nvlink writes -1. Those of no memory space
  // (.nv.reservedSmem.offset0, __UFT) keep 0.
  if (symbol.undefined() && !p_.policy.keeps_all_relocations &&
      (is_global(symbol.other) || is_constant(symbol.other) ||
       (is_shared(symbol.other) && symbol.size != 0)))
    layout_.placement.address_of[id.value].value = ~u64{0};
  if (is_reserved_shared_mark(symbol.name))
    layout_.placement.address_of[id.value].value = symbol.value;
  const bool dynamic_shared =
      symbol.undefined() && (symbol.other & elf::kOtherShared) != 0 && symbol.size == 0;
  if (dynamic_shared && !layout_.sections.debug_shared.valid())
    layout_.sections.debug_shared = need(".nv_debug.shared", shared_section(0));
  if (dynamic_shared) {
    layout_.sections.add_shared_variable(layout_.sections.debug_shared, id);
    // The value of an instance that an earlier relocatable link made counts as alignment (Q020).
    layout_.placement.shared_align[id.value] =
        symbol.binding() == SymbolBinding::Weak ? symbol.value : 1;
  }
  if (p_.symbols[id].in_local_part)
    layout_.sections.add_local(id);
  else
    layout_.sections.globals.push_back(id);
}

// A bank of compiler constants belongs to a function. One that replaces an earlier copy starts over
// (Q040).
void Merger::create_bank2_symbol(EntityId id, const elf::Symbol &symbol) {
  const elf::Section &bank = object_->section(symbol.section);
  const SectionLocation &text = where(bank.info);
  if (text.discarded || !text.section.valid())
    return;
  // A copy that a later one replaces leaves nothing behind, unless it is to be as nvlink has it.
  if (p_.policy.keeps_all_relocations &&
      p_.symbols[layout_.sections[text.section].function].prevailing.object != id_)
    return;
  const SectionLocation &place = where(bank.index);
  if (!place.section.valid() && place.constants == kNoIndex) // once, however many symbols it has
    append_bank2(bank, text.section, false);
  layout_.placement.address_of[id.value] = {place.section, symbol.value + place.offset,
                                            place.constants};
  if (place.section.valid() && p_.policy.keeps_constant_symbols)
    layout_.sections.add_local(id);
}

// A copy of the function that lost still adds its constants behind the prevailing's (Q040).
void Merger::append_lost_bank2(const elf::Section &bank) {
  const OutId text = layout_.sections.find(object_->section(bank.info).name);
  if (text.valid() && !p_.policy.keeps_all_relocations)
    append_bank2(bank, text, true);
}

// What the replaced copy of a function had.
void Merger::forget_bank2(EntityId function) {
  if (bank2_of_.empty())
    return;
  const Bank2Place &old = bank2_of_[p_.function_of(function).value];
  if (old.section.valid()) {
    layout_.sections[old.section].pieces.clear();
    layout_.sections[old.section].size = 0;
    layout_.sections[old.section].emit = Emit::Discarded; // unless the new definition needs it
  }
  if (old.block == kNoIndex)
    return;
  layout_.placement.function_constants[old.block].pieces.clear();
  layout_.placement.function_constants[old.block].size = 0;
  layout_.placement.function_constants[old.block].parts.clear();
  layout_.placement.function_constants[old.block].discarded_piece = FunctionConstants::kNone;
}

std::vector<u64> Merger::starts_of_symbols(const elf::Section &bank) {
  if (bank2_starts_.empty()) // of all banks, once for each object
    for (const elf::Symbol &symbol : object_->symbols)
      if (symbol.in_section() && symbol.type() != SymbolType::Section &&
          object_->kinds[symbol.section].is_constant())
        bank2_starts_.emplace_back(symbol.section, symbol.value);
  if (!std::is_sorted(bank2_starts_.begin(), bank2_starts_.end()))
    std::sort(bank2_starts_.begin(), bank2_starts_.end());
  std::vector<u64> starts;
  const auto first = std::lower_bound(bank2_starts_.begin(), bank2_starts_.end(),
                                      std::pair<u32, u64>(bank.index, 0));
  for (auto at = first; at != bank2_starts_.end() && at->first == bank.index; ++at)
    if (starts.empty() || starts.back() != at->second)
      starts.push_back(at->second);
  return starts;
}

// What symbols name counts, not the size of the section; unless nobody will use it.
u64 Merger::used_size(const elf::Section &bank, bool lost) const {
  return lost ? bank.size : std::min(bank.size, extent_[bank.index]);
}

void Merger::append_bank2(const elf::Section &bank, OutId text, bool lost) {
  SectionLocation &place = where(bank.index);
  place.discarded = lost;
  const auto append = [&](PieceList &pieces, u64 &size) {
    if (!lost) {
      pieces.clear();
      size = 0;
    }
    const u64 used = used_size(bank, lost);
    place.offset = align_up(size, bank.align);
    pieces.push_back({place.offset, bank.data.first(used)});
    size = place.offset + used;
  };
  const EntityId function = layout_.sections[text].function;
  const FunctionId id = p_.function_of(function);
  if (bank2_of_.empty())
    bank2_of_.resize(p_.calls.functions.size());
  Bank2Place &known = bank2_of_[id.value];
  // Constants that only a copy that lost has stay where they are: nobody asks for them.
  const bool alone = lost && known.block == kNoIndex;
  if (!p_.policy.executable || is_kernel_mark(p_.symbols[function].other) || alone) {
    // Local functions of several files may have one name; each has a bank of its own.
    if (const OutId named = layout_.sections.find(bank.name);
        !known.section.valid() && named.valid() && layout_.sections[named].target == text)
      known.section = named;
    if (!known.section.valid())
      known.section = add(bank.name, {.type = bank.type,
                                      .flags = bank.flags,
                                      .align = bank.align,
                                      .target = text,
                                      .emit = Emit::Always,
                                      .has_symbol = true});
    place.section = known.section;
    layout_.sections[place.section].emit = Emit::Always;
    append(layout_.sections[place.section].pieces, layout_.sections[place.section].size);
    return;
  }
  u32 &number = known.block;
  if (number == kNoIndex) {
    number = static_cast<u32>(layout_.placement.function_constants.size());
    FunctionConstants &made = layout_.placement.function_constants.emplace_back();
    made.function = id;
    made.type = bank.type;
    made.flags = bank.flags;
    made.align = bank.align;
  }
  place.constants = number;
  FunctionConstants &block = layout_.placement.function_constants[number];
  append(block.pieces, block.size);
  block.discarded_piece = lost ? place.offset : FunctionConstants::kNone;
  block.parts = lost ? std::move(block.parts) : starts_of_symbols(bank);
  if (lost || block.parts.empty())
    block.parts.push_back(place.offset);
}

void Merger::create_bank0_symbol(EntityId id, const elf::Symbol &symbol) {
  const elf::Section &bank = object_->section(symbol.section);
  const SectionLocation &text = where(bank.info);
  if (!where(bank.index).section.valid() && joins_parameters(bank))
    append_parameter_bank(bank);
  else if (text.section.valid() && !text.discarded && !where(bank.index).section.valid())
    create_function_bank(bank, text.section);
  // Parameter symbols stay only where another link or the loader may want them; relocatable links
  // keep that of a kernel that lost, too.
  const OutId section = layout_.sections.find(bank.name);
  if (!section.valid() || !p_.policy.keeps_constant_symbols)
    return;
  layout_.placement.address_of[id.value] = {section, symbol.value + where(bank.index).offset};
  layout_.sections.add_local(id);
}

void Merger::define_data(EntityId id, u32 symbol_index) {
  const elf::Symbol &symbol = object_->symbols[symbol_index];
  const elf::Section &section = object_->section(symbol.section);
  const bool weak = symbol.binding() == SymbolBinding::Weak;
  const bool local = symbol.binding() == SymbolBinding::Local;
  if (!listed_[id.value] && !weak && !local) {
    listed_[id.value] = true;
    layout_.sections.globals.push_back(id);
  }
  const DefinitionOutcome outcome = p_.symbols.outcome(id_, symbol_index);
  if (outcome == DefinitionOutcome::DiscardedForWeak ||
      outcome == DefinitionOutcome::DiscardedForStrong) {
    // In constants it counts what pointers point to, not where they stand (Q045).
    if (outcome == DefinitionOutcome::DiscardedForWeak &&
        !(p_.dialect.miscompiles_constants && object_->kinds[section.index].is_constant()))
      layout_.relocs.discarded[id_.value].push_back(
          {section.index, symbol.value, symbol.value + symbol.size});
    // Memory of a definition that lost to a common symbol is there all the same (Q057).
    if (const Entity &entity = p_.symbols[id]; entity.common_align == 0 || entity.defined())
      no_block_[section.index] = true;
    if (p_.symbols[id].sized && layout_.sections.debug_shared.valid()) {
      // Defined without being placed, but not without its alignment, and listed again (Q041).
      layout_.placement.shared_align[id.value] =
          std::max(layout_.placement.shared_align[id.value], symbol.value);
      layout_.sections.add_shared_variable(layout_.sections.debug_shared, id);
    }
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
  layout_.placement.address_of[id.value].value = symbol.value + where(section.index).offset;
  if (section.type == SectionType::CudaShared) {
    layout_.placement.shared_align[id.value] = symbol.value;
    layout_.sections.add_shared_variable(out, id);
  }
}

OutId Merger::place_data(const elf::Section &section) {
  if (section.type != SectionType::CudaShared)
    return append_block(section);
  const OutId out =
      need(section.name, {.type = section.type, .flags = section.flags, .has_symbol = true});
  if (object_->kinds[section.index].role == SectionRole::DebugShared)
    layout_.sections.debug_shared = out;
  where(section.index).section = out;
  return out;
}

// Shared memory that the system uses: every kernel has all of it, at the same place. The value of
// such a variable is its alignment. Weak copies come here once, since the others have lost.
OutId Merger::place_reserved(EntityId id, const elf::Section &section, const elf::Symbol &symbol) {
  const OutId out_id =
      need(section.name, {.type = section.type, .flags = section.flags, .has_symbol = true});
  where(section.index).section = out_id;
  OutSection &out = layout_.sections[out_id];
  out.align = std::max(out.align, section.align);
  const u64 start = p_.policy.places_memory ? p_.arch.reserved_slot : 0;
  const u64 offset = align_up(std::max(out.size, start), symbol.value);
  layout_.placement.address_of[id.value].value = p_.policy.places_memory ? offset : symbol.value;
  out.size = offset + symbol.size;
  return out_id;
}

// Appends this file's part of a section at its own alignment.
OutId Merger::append_block(const elf::Section &section) {
  SectionLocation &place = where(section.index);
  if (place.section.valid())
    return place.section;
  const OutId id = need(section.name, {.type = section.type,
                                       .flags = section.flags,
                                       .entsize = section.entsize,
                                       .has_symbol = true});
  OutSection &out = layout_.sections[id];
  place.section = id;
  place.offset = align_up(out.size, section.align);
  if (!section.no_data() && section.size != 0) {
    out.pieces.push_back({place.offset, section.data});
    if (object_->kinds[section.index].role == SectionRole::Constant &&
        object_->kinds[section.index].bank == p_.arch.banks.user)
      layout_.placement.user_constant_aligns.push_back(section.align);
  }
  out.size = place.offset + section.size;
  out.align = std::max(out.align, section.align);
  if (const u32 owner = object_->owner_of(section.index); owner != 0)
    out.target = where(owner).section;
  return id;
}

// A bank of one function: the newest accepted definition's bytes.
void Merger::create_function_bank(const elf::Section &section, OutId text) {
  OutId id = layout_.sections.find(section.name);
  if (!id.valid()) {
    const u64 link_flag = p_.dialect.copies_old_flags ? 0 : elf::kFlagInfoLink;
    // Executable links create a .rel companion that never holds anything. Its section symbol comes
    // before the bank's, its name after (Q003).
    id = layout_.sections.add({.name = section.name,
                               .type = section.type,
                               .flags = section.flags | link_flag,
                               .align = section.align,
                               .target = text,
                               .emit = Emit::Always, // records name it
                               .has_symbol = true});
    if (p_.policy.executable && object_->kinds[section.index].bank == p_.arch.banks.parameters)
      name_only(layout_.sections.keep_name(".rel", section.name));
    layout_.sections.add_section_symbol(id);
  }
  OutSection &out = layout_.sections[id];
  out.size = section.size;
  out.pieces.clear();
  if (section.size != 0)
    out.pieces.push_back({0, section.data});
  where(section.index) = {.section = id, .offset = 0};
}

bool Merger::joins_parameters(const elf::Section &bank) const {
  return object_->kinds[bank.index].bank == p_.arch.banks.parameters &&
         joins_strong_[object_->owner_of(bank.index)] && layout_.sections.find(bank.name).valid();
}

// Of weak copies of a kernel one bank of parameters is left; beside a strong one each has its own,
// the later ones behind the first, where nobody looks for them (Q044).
void Merger::append_parameter_bank(const elf::Section &section) {
  const OutId id = layout_.sections.find(section.name);
  OutSection &out = layout_.sections[id];
  const u64 offset = align_up(out.size, section.align);
  if (section.size != 0)
    out.pieces.push_back({offset, section.data});
  out.size = offset + section.size;
  where(section.index) = {.section = id, .offset = offset};
}

void Merger::create_other_sections() {
  for (const elf::Section &section : object_->view.sections())
    if (!where(section.index).section.valid() && where(section.index).constants == kNoIndex)
      create_other_section(section);
}

// Debug sections are concatenated without padding, as DWARF consumers expect.
void Merger::append_debug(const elf::Section &section) {
  const OutId id = need(section.name, {.type = section.type,
                                       .flags = section.flags,
                                       .align = section.align,
                                       .emit = Emit::Always,
                                       .has_symbol = true});
  OutSection &out = layout_.sections[id];
  where(section.index) = {.section = id, .offset = out.size};
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
    } else if (const SectionLocation &text = where(owner);
               text.section.valid() && !text.discarded) {
      create_function_bank(section, text.section);
    } else if (text.discarded && is_function_bank(*object_, section.index) &&
               kind.bank == p_.arch.banks.compiler) {
      append_lost_bank2(section);
    }
    break;
  case SectionRole::Global:
    if (!no_block_[section.index])
      append_block(section);
    break;
  case SectionRole::Unknown:
  case SectionRole::Host:
  case SectionRole::Uidx:
  case SectionRole::PtxConstSize:
  case SectionRole::DescriptorSize:
    // Whatever it is, it is not ours to leave out (Q058).
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

// Identities of unified functions and variables. nvlink -r marks what it has seen.
void Merger::add_unified_entries(const elf::Section &section) {
  constexpr u32 kLinked = 6;
  const OutId id = need(section.name, {.type = section.type,
                                       .flags = section.flags,
                                       .align = section.align,
                                       .entsize = section.entsize,
                                       .links_symtab = true,
                                       .emit = Emit::Always,
                                       .has_symbol = true});
  where(section.index).section = id;
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

// Behind the blocks of all files, the newest symbol first.
void Merger::place_commons() {
  const auto place = [this](EntityId id) {
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
    place(layout_.sections.globals[i]);
  // Those that were weak definitions first stand among the locals.
  for (size_t i = layout_.sections.locals.size(); i-- > 0;)
    if (layout_.sections.locals[i].kind == LocalSymbol::Kind::Entity)
      place(EntityId(layout_.sections.locals[i].id));
}

} // namespace culink
