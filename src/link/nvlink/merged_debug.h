// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debug information of functions with several definitions, which the emulated nvlink confuses
// (Q106, Q107, Q109). A finalizer that is given all objects with such definitions at once confuses
// them in the same way. find_merged_debug says what has to be asked; nothing, unless the dialect
// has one of these defects.
#pragma once

#include <map>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "link/nvlink/section_owners.h"
#include "link/resolve/program.h"
#include "model/finalized.h"
#include "model/layout.h"
#include "model/planes.h"

namespace culink::nvlink {

struct MergedDebugSources {
  const Program &program; // of Mercury code
  Planes planes;
  const Layout &layout;
  const AliasOwners &alias_owners;
  const FunctionsByName &first_of_name; // those of the output
};

struct MergedDebugRequest {
  // Functions whose prevailing definition is one object's, and all objects that define them.
  struct Definitions {
    std::vector<EntityId> functions; // each once
    std::vector<u32> objects;        // in their order
  };
  // Functions that one object describes the registers of, while another one's code is in the
  // output.
  struct ForeignRegisters {
    u32 object = 0;
    u32 owner = 0;
    std::vector<std::string_view> functions;
  };
  std::vector<Definitions> definitions;
  std::vector<ForeignRegisters> registers;
};

[[nodiscard]] MergedDebugRequest find_merged_debug(const MergedDebugSources &sources);

// What a finalizer has to be given for it.
[[nodiscard]] std::vector<FinalizeRequest::Object>
objects_to_merge(const MergedDebugRequest &request, std::span<const InputObject> sass);

// What the finalizer says about these functions, to be used as it is.
struct MergedDebug {
  struct Function {
    const FinalizedDebug *parts = nullptr;
    std::vector<u32> objects; // that were merged, ascending
  };
  std::unordered_map<u32, Function> functions; // by EntityId
  // By object and function: the block of registers.
  std::map<std::pair<u32, std::string_view>, ByteSpan> foreign_registers;
  std::vector<FinalizedObject> finalized; // whose bytes the above borrows

  [[nodiscard]] const Function *find(EntityId function) const {
    const auto found = functions.find(function.value);
    return found == functions.end() ? nullptr : &found->second;
  }
};

// `finalized`: in the order of objects_to_merge.
[[nodiscard]] MergedDebug read_merged_debug(const MergedDebugRequest &request,
                                            const Resolution &symbols,
                                            std::vector<FinalizedObject> finalized);

// A relocation of .debug_loc or .debug_info against a function.
struct DebugReference {
  EntityId function;
  bool in_info = false; // of .debug_info
  u64 offset = 0;       // in the output section
  i64 addend = 0;       // an offset in the code
};

// The addends, changed where definitions were merged.
[[nodiscard]] std::vector<i64> merged_addends(const MergedDebug &merged,
                                              std::span<const DebugReference> references);

// Whether code that an earlier link has made is finalized again although nothing else asks for it.
[[nodiscard]] bool is_finalized_again(const InputObject &sass);

} // namespace culink::nvlink
