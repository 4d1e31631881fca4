// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Undefined symbols. Some may stay so: system calls, which the driver provides; dynamic shared
// memory; image references; whatever is only weakly undefined.
#include "link/check_undefined.h"

#include "link/special_symbols.h"

namespace culink {

using elf::SymbolType;

namespace {

bool is_system_call(std::string_view name) {
  return name == "vprintf" || name == "malloc" || name == "free" || name == "__assertfail" ||
         name.starts_with("cnp") || name.starts_with("__cuda_syscall");
}

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

} // namespace

void check_undefined(const Program &p, Diagnostics &diag) {
  if (p.options.relocatable)
    return;
  for (u32 i = 0; i < p.symbols.entities.size(); ++i) {
    const Entity &entity = p.symbols.entities[i];
    if (entity.defined() || entity.local || !p.stays(EntityId(i)))
      continue;
    const InputObject &object = p.objects[entity.first.object.value];
    const elf::Symbol &first = object.symbols[entity.first.symbol];
    if (first.in_section() || may_stay_undefined(entity, first))
      continue;
    diag.report(DiagId::UndefinedReference, {std::string(entity.name)},
                {"referenced by " + object.name});
  }
}

} // namespace culink
