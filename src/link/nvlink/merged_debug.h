// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debug information of functions with several definitions, which the emulated nvlink confuses
// (Q106, Q107, Q109). A finalizer that is given all objects with such definitions at once confuses
// them in the same way. find_merged_debug returns the request, which is empty unless the dialect
// has one of these defects.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "link/model/finalized.h"
#include "link/model/input_object.h"
#include "link/model/layout.h"
#include "link/nvlink/section_owners.h"
#include "link/resolve/program.h"
#include "support/string_index.h"
#include "support/types.h"

namespace culink {

// The objects of a link for sm_100 and later in both forms of their code. Sections and symbols of
// an object have the same numbers in both.
struct Planes {
  std::span<const InputObject> mercury;
  std::span<const InputObject> sass;
};

using FunctionsByName = NameMap<EntityId>;

// True if two definitions are the same function in both forms. False if one of them has no code.
[[nodiscard]] bool have_equal_code(const Planes &planes, SymbolRef a, SymbolRef b);

// An offset in a debug section at which a relocation stores the address of a function.
struct CodeAddress {
  u64 offset = 0;
  u32 symbol = 0; // of the object
};

// Returns all such addresses in one section of an object, by offset.
[[nodiscard]] std::vector<CodeAddress> code_addresses(const InputObject &object, u32 section);

// The section of an object that is a part of an output section, or nothing. `locations`: of the
// object's sections.
[[nodiscard]] const elf::Section *find_part(const InputObject &object,
                                            std::span<const SectionLocation> locations, OutId id);

} // namespace culink

namespace culink::nvlink {

// The instructions of a call frame (FDE) of .debug_frame by location in the code, in units of its
// CIE. A location may have none.
using FrameInstructions = std::map<u64, std::vector<u8>>;

// Reads the instructions of an FDE of the 64-bit format. Nothing for one that cannot be read.
[[nodiscard]] std::optional<FrameInstructions> read_frame_instructions(ByteSpan fde);

// The FDE with other instructions, padded as ptxas does. Precondition: `fde` has an address and a
// size.
[[nodiscard]] std::vector<u8> with_frame_instructions(ByteSpan fde,
                                                      const FrameInstructions &instructions);

struct MergedDebugSources {
  const Program &program; // of Mercury code
  Planes planes;
  const Layout &layout;
  const AliasOwners &alias_owners;
  const FunctionsByName &first_of_name; // those of the output
};

struct MergedDebugRequest {
  // Functions with their prevailing definition in one object, and all objects that define them.
  struct Definitions {
    std::vector<EntityId> functions; // each once
    std::vector<u32> objects;        // in their order
  };
  // Functions with registers described by one object, but code from another one.
  struct ForeignRegisters {
    u32 object = 0;
    u32 owner = 0;
    std::vector<std::string_view> functions;
  };
  std::vector<Definitions> definitions;
  std::vector<ForeignRegisters> registers;
};

[[nodiscard]] MergedDebugRequest find_merged_debug(const MergedDebugSources &sources);

// The objects that a finalizer needs for it.
[[nodiscard]] std::vector<FinalizeRequest::Object>
objects_to_merge(const MergedDebugRequest &request, std::span<const InputObject> sass);

// The finalizer's output for these functions, used unchanged.
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

// True if code of an earlier link is finalized again although nothing else requires it.
[[nodiscard]] bool is_finalized_again(const InputObject &sass);

struct FrameSources {
  const Program &program; // of Mercury code
  std::span<const InputObject> sass;
  const Layout &layout;
  OutId section;             // .debug_frame
  const MergedDebug &merged; // functions whose frames a finalizer has merged already
  const AliasOwners &alias_owners;
  std::unordered_map<u32, u32> count; // by EntityId: frames of the function in the output
  // The code of a finalizer for a function of an object, or nothing.
  std::function<const FinalizedDebug *(u32 object, EntityId function)> finalized;
};

// Call frames of functions with several definitions, or with an alias that takes their code, as the
// emulated nvlink writes them (Q106, Q107). Frames stay as they are unless the dialect has these
// defects.
class FrameMerger {
public:
  explicit FrameMerger(const FrameSources &sources);

  // The frame to be written for the next one of a function, which would be `frame`; its Mercury
  // form is `mercury`. Valid until the next call.
  [[nodiscard]] FinalizedDebug::Frame choose(EntityId function, FinalizedDebug::Frame frame,
                                             FinalizedDebug::Frame mercury);

private:
  std::unordered_map<u32, std::vector<u8>> merged_; // by EntityId: its first FDE
  const AliasOwners &alias_owners_;
  std::unordered_set<u32> done_; // EntityIds whose first FDE was chosen
  std::vector<u8> empty_frame_;
};

} // namespace culink::nvlink
