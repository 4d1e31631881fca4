// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Undefined symbols. Some may stay so: system calls, which the driver provides; dynamic shared
// memory; image references; whatever is only weakly undefined.
#include "link/resolve/check_undefined.h"

#include <algorithm>

#include "link/resolve/explain_undefined.h"
#include "link/resolve/special_symbols.h"

namespace culink {

using elf::SymbolType;

namespace {

bool may_stay_undefined(const Entity &entity, const elf::Symbol &first) {
  if (entity.function)
    return is_system_call(entity.name) || first.binding() == elf::SymbolBinding::Weak;
  switch (entity.type()) {
  case SymbolType::CudaTexture:
  case SymbolType::CudaSampler:
  case SymbolType::CudaSurface:
    return true;
  default:
    break;
  }
  if (entity.dynamic || is_unified_table(entity.name) ||
      entity.name.starts_with(".nv.reservedSmem"))
    return true;
  return entity.common_align != 0 || first.binding() == elf::SymbolBinding::Weak;
}

// Where an alias took code over because it was read before the owner, nvlink does not find the
// register count that the object gives under the owner's name, and gives up (Q043).
void check_register_counts(const Program &p, Diagnostics &diag) {
  for (u32 i = 0; i < p.symbols.entities.size(); ++i) {
    const Entity &entity = p.symbols.entities[i];
    if (!entity.function || !entity.defined() || entity.first.object == entity.prevailing.object ||
        !p.stays(EntityId(i)))
      continue;
    const InputObject &object = p.objects[entity.prevailing.object.value];
    const u32 owner = object.owner_of_code(object.symbols[entity.prevailing.symbol].section);
    if (entity.prevailing.symbol >= owner || owner >= object.symbols.size() ||
        object.registers[entity.prevailing.symbol] != InputObject::kNoRegisters)
      continue;
    const std::vector<u32> &order = p.symbols.functions_of[entity.prevailing.object.value];
    const auto read = std::find(order.begin(), order.end(), entity.prevailing.symbol);
    if (std::find(read, order.end(), owner) != order.end())
      diag.report(DiagId::NoRegisterCount, {std::string(entity.name)})
          .at("defined in", object.origin());
  }
}

// The code of a function without a register count would be run with none.
void check_missing_register_counts(const Program &p, Diagnostics &diag) {
  for (u32 i = 0; i < p.symbols.entities.size(); ++i) {
    const Entity &entity = p.symbols.entities[i];
    if (!entity.function || !entity.defined() || !p.stays(EntityId(i)))
      continue;
    const InputObject &object = p.objects[entity.prevailing.object.value];
    const u32 owner = object.owner_of_code(object.symbols[entity.prevailing.symbol].section);
    const auto has_none = [&](u32 symbol) {
      return symbol >= object.registers.size() ||
             object.registers[symbol] == InputObject::kNoRegisters;
    };
    if (has_none(entity.prevailing.symbol) && has_none(owner))
      diag.report(DiagId::NoRegisterCount, {std::string(entity.name)})
          .at("defined in", object.origin());
  }
}

// A second name of a function that nobody calls by that name goes away, and so does the first one
// where only the address of the second is taken. nvlink then stumbles over the code (Q053).
void check_dead_aliases(const Program &p, Diagnostics &diag) {
  if (std::find(p.live.live.begin(), p.live.live.end(), false) == p.live.live.end())
    return; // nothing goes away
  for (u32 i = 0; i < p.objects.size(); ++i) {
    const InputObject &object = p.objects[i];
    std::vector<EntityId> owner(object.view.sections().size());
    for (u32 s = 1; s < object.symbols.size(); ++s) {
      const elf::Symbol &symbol = object.symbols[s];
      if (symbol.type() != SymbolType::Function || !symbol.in_section() ||
          p.symbols.outcome(ObjectId(i), s) != DefinitionOutcome::Accepted)
        continue;
      const EntityId id = p.symbols.of(ObjectId(i), s);
      EntityId &first = owner[symbol.section];
      if (!first.valid())
        first = id;
      else if (p.stays(first) != p.stays(id)) {
        const Entity &gone = p.symbols[p.stays(first) ? id : first];
        diag.report(DiagId::DeletedSymbol, {std::string(gone.name)})
            .at("mentioned in", p.objects[gone.first.object.value].origin());
      }
    }
  }
}

// By section: code that has compiler constants.
std::vector<bool> code_with_constants(const Program &p, const InputObject &object) {
  std::vector<bool> out(object.kinds.size(), false);
  for (u32 i = 0; i < object.kinds.size(); ++i)
    if (object.kinds[i].is_constant() && object.kinds[i].bank == p.arch.banks.compiler &&
        object.section(i).size != 0)
      out[object.owner_of(i)] = true;
  return out;
}

// A copy without compiler constants replaces one that has some. nvlink -r stumbles over their
// symbols, unless a copy that loses later brings constants again (Q040).
void check_deleted_constants(const Program &p, Diagnostics &diag) {
  struct Constants {
    ObjectId object; // that has them; none: no copy so far
    bool deleted = false;
  };
  std::vector<Constants> constants(p.symbols.entities.size());
  for (u32 i = 0; i < p.objects.size(); ++i) {
    std::vector<bool> with_constants;
    for (const u32 s : p.symbols.functions_of[i]) {
      const EntityId id = p.symbols.of(ObjectId(i), s);
      const elf::Symbol &symbol = p.objects[i].symbols[s];
      if (!id.valid() || p.symbols[id].prevailing == p.symbols[id].first_definition ||
          !symbol.in_section() || !p.stays(id))
        continue;
      if (with_constants.empty())
        with_constants = code_with_constants(p, p.objects[i]);
      Constants &known = constants[id.value];
      if (with_constants[symbol.section])
        known = {ObjectId(i), false};
      else if (p.symbols.outcome(ObjectId(i), s) == DefinitionOutcome::Accepted)
        known.deleted = known.object.valid();
    }
  }
  for (u32 i = 0; i < constants.size(); ++i)
    if (constants[i].deleted)
      diag.report(DiagId::DeletedConstants, {std::string(p.symbols.entities[i].name)}, {},
                  "nvlink stops here; without --emulate this can be linked")
          .at("constants in", p.objects[constants[i].object.value].origin())
          .at("replaced by", p.objects[p.symbols.entities[i].prevailing.object.value].origin());
}

// nvlink crashes over them (Q057).
void check_commons(const Program &p, Diagnostics &diag) {
  for (const Entity &entity : p.symbols.entities)
    if (entity.weak_over_common)
      diag.report(DiagId::MultipleDefinition, {std::string(entity.name)})
          .at("common in", p.objects[entity.first.object.value].origin())
          .at("weak definition in", p.objects[entity.first_definition.object.value].origin());
}

// Unified functions and variables have their places from a file that is made for a whole system.
void check_unified(const Program &p, Diagnostics &diag) {
  for (const InputObject &object : p.objects)
    for (u32 i = 0; i < object.kinds.size(); ++i)
      if (const elf::SectionRole role = object.kinds[i].role;
          role == elf::SectionRole::UftEntry || role == elf::SectionRole::UdtEntry) {
        diag.report(DiagId::UnifiedWithoutIndex,
                    {object.name + ": " + std::string(object.section(i).name)});
        return;
      }
}

} // namespace

bool check_habits(const Program &p, Diagnostics &diag) {
  if (!p.policy.executable) {
    if (p.dialect.has(Defect::DeletedConstants))
      check_deleted_constants(p, diag);
    return !diag.failed();
  }
  check_unified(p, diag);
  check_missing_register_counts(p, diag);
  if (p.dialect.has(Defect::WeakOverCommon))
    check_commons(p, diag);
  if (p.dialect.has(Defect::AliasRegisterCount))
    check_register_counts(p, diag);
  if (p.dialect.has(Defect::DeadAlias))
    check_dead_aliases(p, diag);
  return !diag.failed();
}

void check_undefined(const Program &p, Diagnostics &diag) {
  if (!p.policy.requires_definitions)
    return;
  std::vector<EntityId> missing;
  for (u32 i = 0; i < p.symbols.entities.size(); ++i) {
    const Entity &entity = p.symbols.entities[i];
    if (entity.defined() || entity.local || !p.stays(EntityId(i)))
      continue;
    const InputObject &object = p.objects[entity.first.object.value];
    const elf::Symbol &first = object.symbols[entity.first.symbol];
    if (first.in_section() || may_stay_undefined(entity, first))
      continue;
    missing.push_back(EntityId(i));
  }
  report_undefined(p, missing, diag);
}

} // namespace culink
