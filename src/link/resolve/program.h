// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "culink/link_options.h"
#include "elf/target/arch.h"
#include "link/model/dialect.h"
#include "link/model/link_policy.h"
#include "link/model/program.h"

namespace culink {

// The result of resolution and liveness, which all later passes read.
struct Program {
  const std::vector<InputObject> &objects;
  const Resolution &symbols;
  const CallGraph &calls;
  const LiveSet &live;
  const LinkOptions &options;
  const arch::ArchInfo &arch;
  const Dialect &dialect;
  const LinkPolicy &policy;
  bool sass_plane = false; // this is the SASS plane of a link of Mercury code

  [[nodiscard]] FunctionId function_of(EntityId id) const { return calls.function_of[id.value]; }
  [[nodiscard]] const Entity &entity_of(FunctionId id) const {
    return symbols[calls.functions[id.value]];
  }
  // The input with the prevailing definition of a function, or its first reference.
  [[nodiscard]] Origin origin_of(FunctionId id, std::string detail = {}) const {
    const Entity &entity = entity_of(id);
    return objects[(entity.defined() ? entity.prevailing : entity.first).object.value].origin(
        {}, std::move(detail));
  }
  // Variables are always live.
  [[nodiscard]] bool is_live(EntityId id) const {
    const FunctionId f = function_of(id);
    return !f.valid() || live.is_live(f);
  }
  [[nodiscard]] bool is_selected(EntityId id) const {
    const FunctionId f = function_of(id);
    return f.valid() && live.selected[f.value];
  }
  [[nodiscard]] bool is_kernel(EntityId id) const {
    const FunctionId f = function_of(id);
    return f.valid() && live.is_kernel(f);
  }
};

} // namespace culink
