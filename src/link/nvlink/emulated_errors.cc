// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sound programs that nvlink does not link: it ends with an internal error, a crash or a wrong
// message. Each check finds the programs of one defect; a link that does not emulate the defect
// accepts them. A few checks are the opposite: nvlink links such a program wrongly, and other links
// refuse it. The checks read the resolved program only, so they run before sections are merged.
#include "link/nvlink/emulated_errors.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "link/model/diagnostics.h"

namespace culink::nvlink {

namespace {

// Q043: where an alias owns code because it was read before the function, nvlink does not find the
// register count that the object gives under the function's name.
void check_alias_register_counts(const Program &p, WorkerPool &pool, Diagnostics &diag) {
  if (std::ranges::none_of(p.objects, &InputObject::has_aliases))
    return;
  const auto check = [&p](u32 f, Diagnostics &messages) {
    const Entity &entity = p.entity_of(FunctionId(f));
    if (!entity.defined() || entity.first.object == entity.prevailing.object || !p.live.live[f])
      return;
    const InputObject &object = p.objects[entity.prevailing.object.value];
    if (object.registers[entity.prevailing.symbol] != InputObject::kNoRegisters)
      return;
    const u32 owner = object.owner_of_code(object.symbols[entity.prevailing.symbol].section);
    if (entity.prevailing.symbol >= owner || owner >= object.symbols.size())
      return;
    const std::span<const u32> order = p.symbols.functions_of[entity.prevailing.object.value];
    const auto read = std::find(order.begin(), order.end(), entity.prevailing.symbol);
    if (std::find(read, order.end(), owner) != order.end())
      messages.report(DiagId::NoRegisterCount, {std::string(entity.name)})
          .at("defined in", object.origin());
  };
  constexpr u32 kFunctionsTogether = 4096;
  report_from_threads(pool, static_cast<u32>(p.calls.functions.size()), kFunctionsTogether, check,
                      diag);
}

// Q053: nvlink discards an alias without callers, or a function of which only an alias has its
// address taken, and then does not find the owner of the code.
void check_dead_aliases(const Program &p, Diagnostics &diag) {
  if (std::find(p.live.live.begin(), p.live.live.end(), false) == p.live.live.end())
    return; // nothing is removed
  for (u32 i = 0; i < p.objects.size(); ++i) {
    const InputObject &object = p.objects[i];
    std::vector<EntityId> owner(object.view.sections().size());
    for (u32 s = 1; s < object.symbols.size(); ++s) {
      const elf::Symbol &symbol = object.symbols[s];
      if (symbol.type() != elf::SymbolType::Function || !symbol.in_section() ||
          p.symbols.outcome(ObjectId(i), s) != DefinitionOutcome::Accepted)
        continue;
      const EntityId id = p.symbols.of(ObjectId(i), s);
      EntityId &first = owner[symbol.section];
      if (!first.valid())
        first = id;
      else if (p.is_live(first) != p.is_live(id)) {
        const Entity &gone = p.symbols[p.is_live(first) ? id : first];
        diag.report(DiagId::DeletedSymbol, {std::string(gone.name)})
            .at("declared in", p.objects[gone.first.object.value].origin());
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

// Q040: a definition without compiler constants overrides one that has some. nvlink -r still lists
// their symbols, unless a definition that is discarded later brings constants again.
void check_deleted_constants(const Program &p, Diagnostics &diag) {
  struct Constants {
    ObjectId object; // that has them; none: no definition so far
    bool deleted = false;
  };
  std::vector<Constants> constants(p.symbols.entities.size());
  for (u32 i = 0; i < p.objects.size(); ++i) {
    std::vector<bool> with_constants;
    for (const u32 s : p.symbols.functions_of[i]) {
      const EntityId id = p.symbols.of(ObjectId(i), s);
      const elf::Symbol &symbol = p.objects[i].symbols[s];
      if (!id.valid() || p.symbols[id].prevailing == p.symbols[id].first_definition ||
          !symbol.in_section() || !p.is_live(id))
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
          .at("overridden by", p.objects[p.symbols.entities[i].prevailing.object.value].origin());
}

// Q057: a weak definition after a common symbol.
void check_commons(const Program &p, Diagnostics &diag) {
  for (const EntityId id : p.symbols.weak_over_common) {
    const Entity &entity = p.symbols[id];
    diag.report(DiagId::DeletedCommon, {std::string(entity.name)}, {},
                "nvlink stops here; without --emulate this can be linked")
        .at("common in", p.objects[entity.first.object.value].origin());
  }
}

// True if code of live functions in an object refers to a variable.
bool is_used_in(const Program &p, ObjectId in, EntityId variable) {
  const InputObject &object = p.objects[in.value];
  for (const elf::Section &table : object.view.sections()) {
    if (!elf::is_relocation_table(table.type) ||
        object.kinds[table.info].role != elf::SectionRole::Text)
      continue;
    const EntityId function = p.symbols.of(in, object.owner_of_code(table.info));
    if (!function.valid() || !p.is_live(function))
      continue;
    for (const elf::Relocation entry : object.view.relocations(table))
      if (p.symbols.of(in, entry.symbol) == variable)
        return true;
  }
  return false;
}

bool is_used(const Program &p, EntityId variable) {
  for (u32 i = 0; i < p.objects.size(); ++i)
    if (is_used_in(p, ObjectId(i), variable))
      return true;
  return false;
}

// Shared memory that is dynamic in one file and of a fixed size in another (Q041). Code that
// expects memory after all variables, with the size given at launch, would overwrite the data after
// the variable of fixed size. nvlink takes one for the other if the size comes first, and otherwise
// gives it no address. Both orders are refused where that defect is not emulated.
void refuse_sized_dynamic(const Program &p, WorkerPool &pool, Diagnostics &diag) {
  const auto check = [&p](u32 o, Diagnostics &messages) {
    for (u32 s = 1; s < p.objects[o].symbols.size(); ++s) {
      const elf::Symbol &symbol = p.objects[o].symbols[s];
      const EntityId id = is_shared(symbol.other) ? p.symbols.of(ObjectId(o), s) : EntityId{};
      if (!id.valid())
        continue;
      const Entity &entity = p.symbols[id];
      const bool sized_later = entity.sized && symbol.in_section() && symbol.size != 0;
      const bool dynamic_later = !entity.sized && entity.defined() && entity.size != 0 &&
                                 symbol.undefined() && symbol.size == 0;
      if (!(sized_later && is_used(p, id)) && !(dynamic_later && is_used_in(p, ObjectId(o), id)))
        continue;
      const ObjectId dynamic_in = sized_later ? entity.first.object : ObjectId(o);
      const ObjectId sized_in = sized_later ? ObjectId(o) : entity.prevailing.object;
      messages
          .report(DiagId::SpaceMismatch,
                  {std::string(symbol.name), "extern __shared__ without a size",
                   "__shared__ of " + std::to_string(entity.size) + " bytes",
                   p.objects[dynamic_in.value].name},
                  {}, "declare it with its size, or call the dynamic memory something else")
          .at("declared in", p.objects[dynamic_in.value].origin())
          .at("defined in", p.objects[sized_in.value].origin());
    }
  };
  constexpr u32 kObjectsTogether = 16;
  report_from_threads(pool, static_cast<u32>(p.objects.size()), kObjectsTogether, check, diag);
}

// An image that is a parameter of a discarded kernel: nvlink has removed the section that its
// symbol is in (Q131).
void check_deleted_parameters(const Program &p, Diagnostics &diag) {
  for (const EntityId id : p.symbols.opaque) {
    const Entity &entity = p.symbols[id];
    const InputObject &object = p.objects[entity.prevailing.object.value];
    const u32 kernel = object.owner_of_code(object.symbols[entity.prevailing.symbol].section);
    const EntityId owner = kernel < object.symbols.size()
                               ? p.symbols.of(entity.prevailing.object, kernel)
                               : EntityId{};
    if (!owner.valid() || p.is_live(owner))
      continue;
    diag.report(DiagId::DeletedParameter, {std::string(entity.name)}, {},
                "nvlink stops here; without --emulate this can be linked")
        .at("kernel defined in", object.origin(object.symbols[kernel].name));
    return;
  }
}

// Kernels of one name, of which at most one is not local (Q130). Each has its own sections, but the
// driver looks for kernels by name and finds the kernel with the last code, so that a program could
// launch the wrong kernel. nvlink links such programs; the kernel that is found has neither
// parameters nor shared memory.
void refuse_kernels_of_one_name(const Program &p, Diagnostics &diag) {
  std::map<std::string_view, std::vector<FunctionId>> kernels; // by names of local ones
  for (u32 f = 0; f < p.calls.functions.size(); ++f)
    if (p.live.kernel[f] && p.entity_of(FunctionId(f)).local)
      kernels[p.entity_of(FunctionId(f)).name];
  if (kernels.empty())
    return;
  for (u32 f = 0; f < p.calls.functions.size(); ++f)
    if (const Entity &entity = p.entity_of(FunctionId(f)); p.live.kernel[f] && entity.defined())
      if (const auto found = kernels.find(entity.name); found != kernels.end())
        found->second.push_back(FunctionId(f));
  for (const auto &[name, same] : kernels) {
    if (same.size() < 2)
      continue;
    Diagnostic &message = diag.report(DiagId::KernelsOfOneName, {std::string(name)}, {},
                                      "the driver finds kernels by name; rename all but one");
    for (const FunctionId f : same)
      message.at(p.entity_of(f).local ? "local to" : "defined in", p.origin_of(f));
  }
}

} // namespace

void check_emulated_errors(const Program &p, WorkerPool &pool, Diagnostics &diag) {
  if (!p.policy.accepts_sized_dynamic)
    refuse_sized_dynamic(p, pool, diag);
  if (!p.policy.executable) {
    if (p.policy.refuses_deleted_constants)
      check_deleted_constants(p, diag);
    return;
  }
  if (!p.policy.sections_by_name)
    refuse_kernels_of_one_name(p, diag);
  if (p.policy.joins_opaque_by_name)
    check_deleted_parameters(p, diag);
  if (p.policy.loses_weak_over_common)
    check_commons(p, diag);
  if (p.policy.refuses_early_alias)
    check_alias_register_counts(p, pool, diag);
  if (p.policy.refuses_dead_alias)
    check_dead_aliases(p, diag);
}

} // namespace culink::nvlink
