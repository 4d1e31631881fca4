// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that a program is complete. Undefined symbols of live code are errors, with exceptions:
// functions that the driver provides; dynamic shared memory; image references; weak symbols.
// An executable also needs the register count of every function, and tables of unified functions
// need an index file, whose format is not known; images that are parameters need their kernel. The
// checks run after liveness, because dead code may refer to anything, and before sections are
// merged, because an incomplete program has no layout. Code that tools put into programs
// (--link-as-tools-patch) has been compiled for it, or it would change registers of the program:
// each function has a record that says so.
#include "link/resolve/check_undefined.h"

#include "arch/driver_functions.h"
#include "link/resolve/explain_undefined.h"
#include "link/resolve/references.h"
#include "link/resolve/special_symbols.h"
#include "model/report_from_threads.h"

namespace culink {

using elf::SymbolType;

namespace {

bool may_be_undefined(const Entity &entity, bool weak) {
  if (entity.function)
    return arch::is_driver_function(entity.name) || weak;
  if (is_image(entity.type()) || entity.dynamic || is_unified_table(entity.name) ||
      is_descriptor_size(entity.name) || entity.name.starts_with(".nv.reservedSmem"))
    return true;
  return entity.common_align != 0 || weak;
}

// A function without a register count would run without registers.
void check_register_counts(const Program &p, WorkerPool &pool, Diagnostics &diag) {
  if (std::ranges::none_of(p.objects, &InputObject::has_uncounted))
    return;
  const auto check = [&p](u32 f, Diagnostics &messages) {
    const Entity &entity = p.entity_of(FunctionId(f));
    if (!entity.defined() || !p.live.live[f])
      return;
    const InputObject &object = p.objects[entity.prevailing.object.value];
    const auto has_none = [&](u32 symbol) {
      return symbol >= object.registers.size() ||
             object.registers[symbol] == InputObject::kNoRegisters;
    };
    if (has_none(entity.prevailing.symbol) &&
        has_none(object.owner_of_code(object.symbols[entity.prevailing.symbol].section)))
      messages.report(DiagId::NoRegisterCount, {std::string(entity.name)})
          .at("defined in", object.origin());
  };
  constexpr u32 kFunctionsTogether = 4096;
  report_from_threads(pool, static_cast<u32>(p.calls.functions.size()), kFunctionsTogether, check,
                      diag);
}

// The slots of unified functions and variables come from an index file that is made for a whole
// system.
void check_unified(const Program &p, Diagnostics &diag) {
  for (const InputObject &object : p.objects)
    for (u32 i = 0; object.has_unified && i < object.kinds.size(); ++i)
      if (const elf::SectionRole role = object.kinds[i].role;
          role == elf::SectionRole::UftEntry || role == elf::SectionRole::UdtEntry) {
        diag.report(DiagId::UnifiedWithoutIndex,
                    {object.name + ": " + std::string(object.section(i).name)});
        return;
      }
}

// The kernel that the symbol of an image parameter stands in.
EntityId kernel_of_parameter(const Program &p, const Entity &opaque) {
  const InputObject &object = p.objects[opaque.prevailing.object.value];
  const u32 kernel = object.owner_of_code(object.symbols[opaque.prevailing.symbol].section);
  return kernel < object.symbols.size() ? p.symbols.of(opaque.prevailing.object, kernel)
                                        : EntityId{};
}

// ptxas writes one symbol for image parameters of one name, in the code of one kernel. The symbol
// is discarded with that code, and the slots of the other kernels could not be filled.
void check_image_parameters(const Program &p, Diagnostics &diag) {
  std::vector<bool> discarded;
  for (const EntityId id : p.symbols.opaque)
    if (const EntityId kernel = kernel_of_parameter(p, p.symbols[id]);
        kernel.valid() && !p.is_live(kernel)) {
      discarded.resize(p.symbols.entities.size());
      discarded[id.value] = true;
    }
  if (discarded.empty() || p.policy.joins_opaque_by_name) // where nvlink refuses all of them
    return;
  each_reference(p, [&](const Reference &reference) {
    if (!reference.from.valid() || !p.is_live(reference.from) || !discarded[reference.to.value])
      return;
    discarded[reference.to.value] = false; // one message is enough
    const Entity &image = p.symbols[reference.to];
    const std::string kernel(p.symbols[kernel_of_parameter(p, image)].name);
    diag.report(DiagId::DeletedParameter, {std::string(image.name)}, {},
                "the object has one symbol for parameters of this name; keep '" + kernel +
                    "', too, or give them different names")
        .at("parameter of", p.objects[image.prevailing.object.value].origin(kernel))
        .at("used by", p.objects[reference.object.value].origin(p.symbols[reference.from].name));
  });
}

} // namespace

// All functions count, since all of them stay.
void check_tools_patch(const Program &p, Diagnostics &diag) {
  if (!p.options.tools_patch)
    return;
  std::vector<std::vector<bool>> is_patch; // by object and section: code with the record
  for (const InputObject &object : p.objects) {
    std::vector<bool> &sections = is_patch.emplace_back(object.kinds.size());
    for (const InputObject::Info &info : object.infos)
      for (const elf::InfoRecord &record : info.records)
        if (record.attribute == elf::InfoAttribute::ToolsPatchFunc)
          sections[info.text] = true;
  }
  for (const Entity &entity : p.symbols.entities) {
    if (!entity.function || !entity.defined())
      continue;
    const InputObject &object = p.objects[entity.prevailing.object.value];
    if (!is_patch[entity.prevailing.object.value][object.symbols[entity.prevailing.symbol].section])
      diag.report(
              DiagId::NotAToolsPatch,
              {std::string(entity.name), object.name, std::string(p.dialect.command.patch_option)},
              {}, "compile it with -Xptxas -astoolspatch")
          .at("defined in", object.origin());
  }
}

void check_executable(const Program &p, WorkerPool &pool, Diagnostics &diag) {
  if (!p.policy.executable)
    return;
  check_unified(p, diag);
  check_register_counts(p, pool, diag);
  check_image_parameters(p, diag);
}

void check_undefined(const Program &p, Diagnostics &diag) {
  if (!p.policy.requires_definitions)
    return;
  std::vector<EntityId> missing;
  for (const EntityId id : p.symbols.undefined) {
    const Entity &entity = p.symbols[id];
    if (!p.is_live(id))
      continue;
    const InputObject &object = p.objects[entity.first.object.value];
    const elf::Symbol &first = object.symbols[entity.first.symbol];
    const bool weak =
        first.binding() == elf::SymbolBinding::Weak && !p.policy.requires_weak_definitions;
    if (first.in_section() || may_be_undefined(entity, weak))
      continue;
    missing.push_back(id);
  }
  report_undefined(p, missing, diag);
}

} // namespace culink
