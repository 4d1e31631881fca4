// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contents of the output: its sections, where input sections and symbols are in them, and the
// relocations of the inputs. merge_inputs makes a Layout; each placing pass takes it by value and
// returns it with its part filled in; all later passes only read it.
#pragma once

#include <vector>

#include "link/model/output_sections.h"
#include "support/types.h"

namespace culink {

// Bytes of an object's sections that belong to discarded definitions: relocations in them are
// dropped.
class DiscardedRanges {
public:
  void add(u32 section, u64 begin, u64 end);
  // After the last add(), before the first question.
  void sort();

  // True if there are any in a section.
  [[nodiscard]] bool touch(u32 section) const;
  [[nodiscard]] bool contain(u32 section, u64 offset) const;

private:
  struct Range {
    u32 section = 0;
    u64 begin = 0;
    u64 end = 0;
  };
  std::vector<Range> ranges_; // once sorted, they do not overlap
};

// The location of an object's section in the output.
struct SectionLocation {
  OutId section;
  u32 constants = kNoIndex; // compiler constants of a device function: in function_constants
  u64 offset : 63 = 0;
  bool discarded : 1 = false; // code of a definition that did not prevail when it was read

  // Field by field: see store_fields.
  void set(OutId in, u64 at) {
    section = in;
    constants = kNoIndex;
    offset = at;
    discarded = false;
  }
};
static_assert(sizeof(SectionLocation) == 16); // there is one for each section of each object

// The address of a symbol in the output: an offset in a section.
struct SymbolAddress {
  constexpr SymbolAddress() = default;
  constexpr SymbolAddress(OutId in, u64 offset, u32 function_constants = kNoIndex)
      : section(in), constants(function_constants), value(offset) {}

  OutId section;
  u32 constants = kNoIndex; // in function_constants, whose offset is added once it is placed
  u64 value = 0;
};

using SymbolAddresses = std::vector<SymbolAddress>;

// A relocation table of an object that applies to compiler constants of a device function. SASS has
// none; branch tables of Mercury code do.
struct ConstantRelocations {
  ObjectId object;
  u32 section = 0; // of the object: the table
  u64 base = 0;    // offset of the object's constants among the function's
};

// Compiler constants of a device function. place_constants copies them into the bank of each kernel
// that reaches the function.
struct FunctionConstants {
  FunctionId function;
  elf::SectionType type = elf::SectionType::CudaConstant;
  u64 flags = 0;
  u64 align = 1;
  std::vector<Piece> pieces;
  u64 size = 0;
  u64 offset = 0; // in each kernel's bank, once placed
  static constexpr u64 kNone = ~u64{0};
  u64 discarded_piece = kNone; // offset of the last piece of a discarded definition
  // Offset of each constant; all of a discarded definition count as one.
  std::vector<u64> parts;
  // In the order of the objects, also those of overridden definitions.
  std::vector<ConstantRelocations> relocations;
};

// Shared memory of a kernel without a variable.
struct UnnamedShared {
  OutId section;
  u64 size = 0;
  u64 align = 1;
};

// [object][section].
using LocationOf = std::vector<std::vector<SectionLocation>>;

struct Placement {
  SymbolAddresses address_of; // by EntityId
  LocationOf location_of;
  std::vector<FunctionConstants> function_constants; // in order of creation
  std::vector<u64> shared_align;                     // by EntityId of a shared variable
  std::vector<EntityId> bank_sizes;      // symbols whose value is the size of the user bank
  std::vector<u64> user_constant_aligns; // of the pieces of the bank of __constant__ variables
  std::vector<bool> dropped;             // by EntityId, or empty: variables that are left out
  std::vector<UnnamedShared> unnamed_shared;
  // Only when emulating nvlink:
  u64 null_symbol_value = 0;  // st_value of symbol 0
  bool wrong_symbols = false; // variables are not at the addresses of their symbols

  [[nodiscard]] const UnnamedShared *unnamed_in(OutId section) const {
    for (const UnnamedShared &block : unnamed_shared)
      if (block.section == section)
        return &block;
    return nullptr;
  }
};

// All input relocations of one output section that go to one of its tables.
struct RelocationGroup {
  OutId table;
  OutId target;
  bool has_addends = false;
};

// One input relocation table for an output section.
struct RelocationSlice {
  ObjectId object;
  u32 section = 0; // of the object: the table
  u32 group = 0;   // in RelocationInputs::groups
};

// The relocations of function constants that a kernel's bank gets with its copy of them.
struct CopiedRelocations {
  OutId table;
  OutId bank;
  u32 constants = 0; // in Placement::function_constants
};

// A part of an input section that is not where the rest of the section is: a variable of a bank
// that was packed, or a unit of a line table.
struct MovedRange {
  u32 section = 0;
  u64 begin = 0;
  u64 end = 0;
  u64 offset = 0; // in the output section
};

struct RelocationInputs {
  std::vector<RelocationGroup> groups;
  std::vector<RelocationSlice> slices;        // of all groups, in the order of reading
  std::vector<CopiedRelocations> copied;      // in output order
  std::vector<DiscardedRanges> discarded;     // [object], sorted
  std::vector<std::vector<MovedRange>> moved; // [object], sorted by section and begin; or empty
  std::vector<bool> has_overridden; // by EntityId: an overridden definition had relocations
};

struct Layout {
  OutputSections sections;
  Placement placement;
  RelocationInputs relocs;
};

// Shared memory: the users of each variable, and its location. The placing passes of executables
// and objects fill a SharedPlan; relocations and symbols read it.

// The alignment of dynamic shared memory.
inline constexpr u64 kDynamicAlign = 16;

// The size of a shared section in an object: that of its variables, but always more than the
// alignment (Q022).
[[nodiscard]] constexpr u64 size_in_object(u64 size, u64 align) {
  return size <= align ? size + align : size;
}

// The locations of shared variables, once their users are known. Offsets are from the start of a
// kernel's shared memory, without the area that the system reserves.
struct SharedPlan {
  static constexpr i64 kNowhere = -1;

  std::vector<i64> offset;      // by EntityId of a shared variable
  std::vector<bool> is_dynamic; // by EntityId: extern __shared__ x[]
  std::vector<bool> deleted;    // by EntityId: no symbol is left of it
  std::vector<i64> dynamic_end; // by FunctionId, or empty: see dynamic_end_of
  // -g gives dynamic memory one value for all users; then `offset` of the variable has it.
  bool one_dynamic_value = false;
  bool has_slots = false;     // .nv_debug.shared holds variables of several kernels
  std::vector<u32> instances; // by FunctionId, or empty: see instance_of

  SharedPlan() = default;
  explicit SharedPlan(u32 entities)
      : offset(entities, kNowhere), is_dynamic(entities), deleted(entities) {}

  [[nodiscard]] bool dynamic(EntityId id) const { return is_dynamic[id.value]; }
  // Where dynamic memory starts in the code of a function.
  [[nodiscard]] i64 dynamic_end_of(FunctionId id) const {
    return dynamic_end.empty() ? kNowhere : dynamic_end[id.value];
  }
  // The instance of dynamic memory of a function, in OutputSections::instances; kNoIndex: none.
  [[nodiscard]] u32 instance_of(FunctionId id) const {
    return instances.empty() ? kNoIndex : instances[id.value];
  }
};

struct PlacedShared {
  Layout layout;
  SharedPlan shared;
};

// References of code to shared variables.
struct SharedUses {
  std::vector<std::vector<FunctionId>> users; // by EntityId: functions in the output, ascending
  // By EntityId: code refers to it, also code of discarded functions.
  std::vector<bool> referenced;
  // Functions that refer to dynamic memory, in the order of their code, and to which one first.
  std::vector<std::pair<FunctionId, EntityId>> first_dynamic;
};

// Kernels that reach one function or kernel with dynamic memory, in the order of these functions,
// and the alignment of what the function refers to first.
struct DynamicGroups {
  std::vector<std::vector<FunctionId>> kernels;
  std::vector<u64> aligns;
};

// The ends of kernels, raised to the largest of each group of kernels, until all groups agree.
[[nodiscard]] std::vector<u64> agree_on_largest(const std::vector<std::vector<FunctionId>> &groups,
                                                std::vector<u64> ends);

} // namespace culink
