// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions and variables in global memory get their addresses from the loader. What the linker
// lays out itself has a value now: constants (an offset in their bank), shared variables (an offset
// in a kernel's shared memory), sections that are merged file by file (the start of this file's
// part). Relocatable links resolve nothing that the next link will move, unless they imitate
// nvlink, which does (Q023).
#include "link/relocs/reloc_target.h"

#include <algorithm>
#include <array>

#include "link/resolve/special_symbols.h"

namespace culink {

using elf::SectionType;
using elf::SymbolType;
using Against = KeptRelocation::Against;
using Kind = SymbolMeaning::Kind;

namespace {

constexpr std::string_view kLineSection = ".debug_line";

u8 bank_of(SectionType type) {
  return static_cast<u8>((static_cast<u32>(type) - static_cast<u32>(SectionType::CudaConstantB0)) &
                         31);
}

bool is_global_memory(SectionType type) {
  return type == SectionType::CudaGlobal || type == SectionType::CudaGlobalInit;
}

SymbolMeaning section_meaning(const RelocationContext &c, ObjectId object, u32 section) {
  const SectionLocation &place = c.layout.placement.location_of[object.value][section];
  if (!place.section.valid())
    return {.kind = Kind::Value}; // a section that is not part of the output starts nowhere
  const OutSection &out = c.layout.sections[place.section];
  SymbolMeaning meaning{.kind = Kind::Value,
                        .against = Against::Section,
                        .id = place.section.value,
                        .addend_shift = place.offset,
                        .bank = bank_of(out.type)};
  // Units of line tables move once more when machine code is made anew (Q103).
  const bool moves_again =
      c.program.sass_plane && !c.program.policy.executable && out.name == kLineSection;
  if (is_global_memory(out.type) || c.program.policy.keeps_all_relocations || moves_again)
    meaning.kind = Kind::Loader;
  return meaning;
}

SymbolMeaning shared_meaning(const RelocationContext &c, EntityId id, FunctionId function) {
  const Entity &entity = c.program.symbols[id];
  SymbolMeaning meaning{.kind = Kind::Value, .against = Against::Entity, .id = id.value};
  meaning.dynamic_shared = c.shared.dynamic(id);
  meaning.bank = bank_of(meaning.dynamic_shared ? SectionType::Null : SectionType::CudaShared);
  if (!c.program.policy.places_memory) {
    const u32 instance = function.valid() && meaning.dynamic_shared
                             ? c.shared.instance_of[function.value]
                             : kNoIndex;
    if (instance != kNoIndex) {
      meaning.kind = Kind::Loader;
      meaning.against = Against::Instance;
      meaning.id = instance;
    } else if (c.program.policy.keeps_all_relocations || entity.weak()) {
      meaning.kind = Kind::Loader;
    }
    meaning.value = c.layout.placement.address_of[id.value].value;
    return meaning;
  }
  meaning.nameless = meaning.dynamic_shared || !c.program.policy.keeps_shared_symbols;
  meaning.value = static_cast<u64>(c.shared.offset[id.value]);
  if (meaning.dynamic_shared && !c.shared.one_dynamic_value && function.valid())
    meaning.value = static_cast<u64>(c.shared.dynamic_end[function.value]);
  const bool reached =
      function.valid() && c.shared.dynamic_end[function.value] != SharedPlan::kNowhere;
  constexpr u8 kInternal = 1; // an instance that an earlier relocatable link made
  const bool per_kernel = meaning.dynamic_shared && (c.shared.one_dynamic_value || reached);
  const bool instance =
      (entity.other & kInternal) != 0 && !(c.shared.one_dynamic_value && c.shared.has_slots);
  meaning.unlisted = c.shared.deleted[id.value] || instance ||
                     (meaning.dynamic_shared && !c.shared.one_dynamic_value && reached);
  meaning.dangling = c.shared.deleted[id.value] && c.shared.has_slots && !per_kernel;
  return meaning;
}

SymbolMeaning data_meaning(const RelocationContext &c, ObjectId object, EntityId id,
                           const elf::Symbol &symbol) {
  const Entity &entity = c.program.symbols[id];
  const SymbolAddress &place = c.layout.placement.address_of[id.value];
  SymbolMeaning meaning{.kind = Kind::Loader, .against = Against::Entity, .id = id.value};
  if (place.constants != kNoIndex) {
    const FunctionConstants &block = c.layout.placement.function_constants[place.constants];
    meaning.kind = Kind::Value;
    meaning.value = block.offset + place.value;
    meaning.bank = bank_of(block.type);
    meaning.unlisted = true;
    return meaning;
  }
  const bool keeps = c.program.policy.keeps_all_relocations;
  if (place.section.valid()) {
    const SectionType type = c.layout.sections[place.section].type;
    // nvlink -r keeps what refers to weak variables, because they may still be replaced.
    const bool finalized = type == SectionType::CudaReservedShared &&
                           c.program.arch.code_kind == arch::CodeKind::Capmerc;
    if (is_global_memory(type) || keeps || finalized ||
        (!c.program.policy.executable && entity.weak()))
      return meaning;
    meaning.kind = Kind::Value;
    meaning.value = place.value;
    meaning.bank = bank_of(type);
    return meaning;
  }
  if (keeps || !entity.defined()) {
    if (!keeps && entity.local) { // the size of the constant bank
      meaning.kind = Kind::Value;
      meaning.value = place.value;
      meaning.unlisted = true;
      return meaning;
    }
    // An undefined constant that nobody has to define: no address at all, in no bank.
    const bool weak = symbol.binding() == elf::SymbolBinding::Weak;
    if (!keeps && is_constant(symbol.other) && !(weak && !c.program.policy.executable)) {
      meaning.kind = Kind::Value;
      meaning.value = ~u64{0};
      // A finalizer knows the bank all the same (Q103).
      meaning.bank = c.program.sass_plane ? c.program.arch.banks.user : bank_of(SectionType::Null);
    }
    return meaning;
  }
  // A name for the parameters of a kernel, which executables do not keep.
  if (const SectionLocation &at =
          c.layout.placement.location_of[object.value][symbol.in_section() ? symbol.section : 0];
      at.section.valid() && is_constant(symbol.other)) {
    meaning.kind = Kind::Value;
    meaning.value = at.offset + symbol.value;
    meaning.bank = bank_of(c.layout.sections[at.section].type);
    meaning.nameless = true;
    return meaning;
  }
  return {.kind = Kind::Gone}; // in a section that is not part of the output
}

} // namespace

SymbolMeaning meaning_of(const RelocationContext &c, ObjectId object, u32 index,
                         FunctionId function) {
  const elf::Symbol &symbol = c.program.objects[object.value].symbols[index];
  if (symbol.type() == SymbolType::Section && symbol.in_section())
    return section_meaning(c, object, symbol.section);
  const EntityId id = c.program.symbols.of(object, index);
  SymbolMeaning plain{.kind = Kind::Plain, .bank = bank_of(SectionType::Null)};
  if (!id.valid()) {
    plain.value =
        c.layout.placement.null_symbol_value; // such a name stands for symbol 0 (Q019, Q056)
    return plain;
  }
  const Entity &entity = c.program.symbols[id];
  if (entity.function) {
    if (!c.program.stays(id))
      return {.kind = Kind::Gone, .against = Against::Entity, .id = id.value};
    const bool missing = !entity.defined() && symbol.binding() == elf::SymbolBinding::Weak &&
                         !c.program.options.keeps_all_code();
    // A second name of code is not named by relocations: the first one is.
    const OutId text = c.layout.placement.address_of[id.value].section;
    const u32 named = text.valid() ? c.layout.sections[text].function.value : id.value;
    return {.kind = missing ? Kind::Gone : Kind::Loader, .against = Against::Entity, .id = named};
  }
  switch (entity.type()) {
  case SymbolType::CudaTexture:
  case SymbolType::CudaSampler:
  case SymbolType::CudaSurface:
    return {.kind = Kind::Image,
            .against = Against::Entity,
            .id = id.value,
            .value = c.constants.slot[id.value]};
  default:
    break;
  }
  if (is_unified_table(entity.name) && !entity.defined()) {
    // Indirect calls go through the table of unified functions, if there is one (Q067).
    const bool unused = entity.name == kUnifiedOffset && !c.layout.sections.has_unified_functions;
    return {
        .kind = unused ? Kind::Ignored : Kind::Unified, .against = Against::Entity, .id = id.value};
  }
  if (is_shared(entity.other))
    return shared_meaning(c, id, function);
  if (entity.type() == SymbolType::NoType ||
      (!symbol.in_section() && !symbol.undefined() && !symbol.common()))
    return plain;
  return data_meaning(c, object, id, symbol);
}

} // namespace culink
