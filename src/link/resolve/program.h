// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "arch/arch.h"
#include "model/dialect.h"
#include "model/options.h"
#include "model/program.h"

namespace culink {

// What the passes after resolution read.
struct Program {
  const std::vector<InputObject> &objects;
  const Resolution &symbols;
  const CallGraph &calls;
  const LiveSet &live;
  const LinkOptions &options;
  const arch::ArchInfo &arch;
  const Dialect &dialect;

  [[nodiscard]] FunctionId function_of(EntityId id) const { return calls.function_of[id.value]; }
  [[nodiscard]] const Entity &entity_of(FunctionId id) const {
    return symbols[calls.functions[id.value]];
  }
  // The input that a function's code is from, or that mentions it first.
  [[nodiscard]] Origin origin_of(FunctionId id, std::string detail = {}) const {
    const Entity &entity = entity_of(id);
    return objects[(entity.defined() ? entity.winner : entity.first).object.value].origin(
        {}, std::move(detail));
  }
  [[nodiscard]] const std::string &file_of(FunctionId id) const {
    const Entity &entity = entity_of(id);
    return objects[(entity.defined() ? entity.winner : entity.first).object.value].name;
  }
  // A relocatable link from which the next link can make what a direct link would have made.
  [[nodiscard]] bool lossless() const {
    return options.relocatable && dialect.lossless_relocatable;
  }
  // Variables always stay; functions as liveness says.
  [[nodiscard]] bool stays(EntityId id) const {
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
