// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The resolved symbols of relocations. Functions and variables in global memory get their
// addresses from the loader. What the linker lays out itself has a value now: constants (an offset
// in their bank), shared variables (an offset in a kernel's shared memory), sections that are
// merged file by file (the start of this file's part). A lossless relocatable link resolves nothing
// that the next link will move; nvlink's does.
//
// classify_relocations calls resolve_target for each run of relocations against one symbol. What
// may surprise: the same shared variable has different values in different kernels, so the function
// that a relocation is in matters.
#include "link/relocs/reloc_target.h"

#include <algorithm>
#include <array>

#include "link/resolve/special_symbols.h"

namespace culink {

using elf::SectionType;
using elf::SymbolType;
using Against = KeptRelocation::Against;

namespace {

constexpr std::string_view kLineSection = ".debug_line";

constexpr u8 bank_of(SectionType type) {
  return static_cast<u8>((static_cast<u32>(type) - static_cast<u32>(SectionType::CudaConstantB0)) &
                         31);
}

bool is_global_memory(SectionType type) {
  return type == SectionType::CudaGlobal || type == SectionType::CudaGlobalInit;
}

// The kind of a symbol that the loader or the next link places.
TargetKind unplaced_kind(const Entity &entity) {
  if (is_constant(entity.other))
    return TargetKind::UnplacedConstant;
  return entity.type() == SymbolType::Object && !entity.defined() ? TargetKind::UndefinedObject
                                                                  : TargetKind::Variable;
}

TargetKind placed_kind(const Entity &entity) {
  return entity.other == (elf::kOtherConstant | kOtherInternal) ? TargetKind::Internal
                                                                : TargetKind::Placed;
}

// -r leaves shared memory to the next link. nvlink still stores offsets within this object's.
RelocTarget unplaced_shared_target(const RelocationContext &c, RelocTarget target,
                                   FunctionId function) {
  const Entity &entity = c.program.symbols[EntityId(target.id)];
  target.value = c.layout.placement.address_of[target.id].value;
  target.kind = TargetKind::Placed;
  if (!c.program.policy.resolves_shared_early || entity.weak())
    target.kind = unplaced_kind(entity);
  const u32 instance =
      function.valid() && target.dynamic_shared ? c.shared.instance_of(function) : kNoIndex;
  if (instance != kNoIndex) {
    target.kind = TargetKind::Variable;
    target.against = Against::Instance;
    target.id = instance;
  }
  return target;
}

RelocTarget shared_target(const RelocationContext &c, EntityId id, FunctionId function) {
  const Entity &entity = c.program.symbols[id];
  RelocTarget target{.against = Against::Entity, .id = id.value};
  target.dynamic_shared = c.shared.dynamic(id);
  target.bank = bank_of(target.dynamic_shared ? SectionType::Null : SectionType::CudaShared);
  if (!c.program.policy.places_memory)
    return unplaced_shared_target(c, target, function);
  target.kind = target.dynamic_shared || !c.program.policy.keeps_shared_symbols
                    ? TargetKind::InternalUnnamed
                    : TargetKind::Internal;
  target.value = static_cast<u64>(c.shared.offset[id.value]);
  if (target.dynamic_shared && !c.shared.one_dynamic_value && function.valid())
    target.value = static_cast<u64>(c.shared.dynamic_end_of(function));
  const bool reached =
      function.valid() && c.shared.dynamic_end_of(function) != SharedPlan::kNowhere;
  const bool per_kernel = target.dynamic_shared && (c.shared.one_dynamic_value || reached);
  // An instance that an earlier relocatable link made.
  const bool instance =
      (entity.other & kOtherInternal) != 0 && !(c.shared.one_dynamic_value && c.shared.has_slots);
  target.unlisted = c.shared.deleted[id.value] || instance ||
                    (target.dynamic_shared && !c.shared.one_dynamic_value && reached);
  target.dangling = c.shared.deleted[id.value] && !per_kernel &&
                    (c.shared.has_slots || c.layout.placement.unnamed_in(
                                               c.layout.placement.address_of[id.value].section));
  return target;
}

RelocTarget undefined_target(const RelocationContext &c, EntityId id, const elf::Symbol &symbol) {
  const Entity &entity = c.program.symbols[id];
  RelocTarget target{.kind = unplaced_kind(entity), .against = Against::Entity, .id = id.value};
  if (c.program.policy.keeps_all_relocations)
    return target;
  if (entity.local) { // the size of the constant bank
    target.kind = placed_kind(entity);
    target.value = c.layout.placement.address_of[id.value].value;
    target.unlisted = true;
    return target;
  }
  // An undefined constant that need not be defined: no address at all, in no bank.
  const bool weak = symbol.binding() == elf::SymbolBinding::Weak;
  if (is_constant(symbol.other) && !(weak && !c.program.policy.executable)) {
    target.kind = placed_kind(entity);
    target.value = ~u64{0};
    // A finalizer still knows the bank.
    target.bank = c.program.sass_plane ? c.program.arch.banks.user : bank_of(SectionType::Null);
  }
  return target;
}

RelocTarget data_target(const RelocationContext &c, ObjectId object, EntityId id,
                        const elf::Symbol &symbol) {
  const Entity &entity = c.program.symbols[id];
  const SymbolAddress &address = c.layout.placement.address_of[id.value];
  RelocTarget target{.kind = placed_kind(entity), .against = Against::Entity, .id = id.value};
  if (address.constants != kNoIndex) {
    const FunctionConstants &block = c.layout.placement.function_constants[address.constants];
    target.value = block.offset + address.value;
    target.bank = bank_of(block.type);
    target.unlisted = true;
    return target;
  }
  const bool keeps = c.program.policy.keeps_all_relocations;
  if (address.section.valid()) {
    const SectionType type = c.layout.sections[address.section].type;
    const bool finalized = type == SectionType::CudaReservedShared &&
                           c.program.arch.code_kind == arch::CodeKind::Capmerc;
    // nvlink -r keeps what refers to weak variables, because they may still be overridden.
    const bool overridable = !c.program.policy.executable && entity.weak();
    if (is_global_memory(type) || keeps || finalized || overridable)
      target.kind = unplaced_kind(entity);
    else
      target.value = address.value;
    target.bank = bank_of(type);
    return target;
  }
  if (keeps || !entity.defined())
    return undefined_target(c, id, symbol);
  // A name for the parameters of a kernel, which executables do not keep.
  const SectionLocation &location =
      c.layout.placement.location_of[object.value][symbol.in_section() ? symbol.section : 0];
  if (!location.section.valid() || !is_constant(symbol.other))
    return {.kind = TargetKind::DiscardedData};
  target.kind =
      target.kind == TargetKind::Internal ? TargetKind::InternalUnnamed : TargetKind::PlacedUnnamed;
  target.value = location.offset + symbol.value;
  target.bank = bank_of(c.layout.sections[location.section].type);
  return target;
}

RelocTarget section_target(const RelocationContext &c, ObjectId object, u32 section) {
  const SectionLocation &location = c.layout.placement.location_of[object.value][section];
  if (!location.section.valid())
    return {.kind = TargetKind::Placed}; // a section that is not part of the output starts at 0
  const OutSection &out = c.layout.sections[location.section];
  // Units of line tables move once more when SASS is rescheduled.
  const bool moves_again = c.program.sass_plane && !c.program.policy.executable &&
                           c.layout.sections.name(out) == kLineSection;
  const bool unplaced =
      is_global_memory(out.type) || c.program.policy.keeps_all_relocations || moves_again;
  return {.kind = unplaced ? TargetKind::Variable : TargetKind::Placed,
          .against = Against::Section,
          .bank = bank_of(out.type),
          .id = location.section.value,
          .addend_shift = location.offset};
}

RelocTarget function_target(const RelocationContext &c, EntityId id) {
  if (!c.program.is_live(id))
    return {.kind = TargetKind::DiscardedFunction, .against = Against::Entity, .id = id.value};
  // Relocations do not refer to an alias, but to the function whose code it names.
  const OutId text = c.layout.placement.address_of[id.value].section;
  return {.kind = TargetKind::Function,
          .against = Against::Entity,
          .id = text.valid() ? c.layout.sections.function(text).value : id.value};
}

// The target of a symbol that is neither that of a section nor a function.
RelocTarget other_target(const RelocationContext &c, ObjectId object, const elf::Symbol &symbol,
                         EntityId id, FunctionId function) {
  constexpr RelocTarget null{.kind = TargetKind::Null, .bank = bank_of(SectionType::Null)};
  if (!id.valid()) { // a label without a location becomes symbol 0
    RelocTarget label = null;
    label.value = c.layout.placement.null_symbol_value;
    return label;
  }
  const Entity &entity = c.program.symbols[id];
  if (is_image(entity.type()))
    return {.kind = TargetKind::Image,
            .against = Against::Entity,
            .bank = bank_of(entity.opaque ? SectionType::Progbits : SectionType::Null),
            .id = id.value,
            .value = c.constants.slot_of(id)};
  if (!entity.defined() && is_unified_table(entity.name)) {
    // Indirect calls go through the table of unified functions, if there is one (Q067).
    const bool unused = entity.name == kUnifiedOffset && !c.layout.sections.has_unified_functions;
    return {.kind = unused ? TargetKind::Ignored : TargetKind::UnifiedTable,
            .against = Against::Entity,
            .id = id.value};
  }
  if (is_shared(entity.other))
    return shared_target(c, id, function);
  if (entity.type() == SymbolType::NoType ||
      (!symbol.in_section() && !symbol.undefined() && !symbol.common()))
    return null;
  return data_target(c, object, id, symbol);
}

} // namespace

RelocRuleInputs rule_inputs_of(const Program &program) {
  return {.policy = program.policy,
          .has_mercury = program.sass_plane || program.arch.code_kind == arch::CodeKind::Capmerc,
          .sass_plane = program.sass_plane};
}

RelocTarget resolve_target(const RelocationContext &c, ObjectId object, u32 index,
                           FunctionId function) {
  const elf::Symbol &symbol = c.program.objects[object.value].symbols[index];
  if (symbol.type() == elf::SymbolType::Section && symbol.in_section())
    return section_target(c, object, symbol.section);
  const EntityId id = c.program.symbols.of(object, index);
  if (id.valid() && c.program.symbols[id].function)
    return function_target(c, id);
  return other_target(c, object, symbol, id, function);
}

bool is_shared_variable(const Program &program, const RelocTarget &target) {
  return target.against == Against::Entity && is_shared(program.symbols[EntityId(target.id)].other);
}

} // namespace culink
