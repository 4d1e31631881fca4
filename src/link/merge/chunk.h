// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merging by several threads, private to this room. The objects are cut into chunks of neighbours.
// Each chunk is merged as if it were alone, and the results are joined in their order: sections are
// numbered anew, and those that are shared by name, .debug_frame or .nv.global, become one. Nearly
// everything that a link has most of, functions and what belongs to them, concerns one object only.
//
// Where a rule asks for something that an earlier chunk may have decided, a chunk assumes the usual
// answer and writes it down. If an assumption turns out to be wrong when chunks are joined, or a
// rule refuses to assume anything, all objects are merged again as one chunk. So there is one copy
// of the rules, and the result is the same for every number of chunks.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/worker_pool.h"
#include "link/resolve/program.h"
#include "model/layout.h"

namespace culink {

// Where the compiler constants of a function are: in a section or in function_constants.
struct ConstantsLocation {
  OutId section;
  u32 index = kNoIndex;
};

// Tables by number that all chunks fill: each element belongs to one chunk, that of the object, or
// of the object that defines or first refers to the entity. Sections have the chunk's own numbers
// until chunks are joined.
struct MergeTables {
  MergeTables(const Program &program, WorkerPool &pool);

  SymbolAddresses address_of;
  std::vector<OutId, UninitializedAllocator<OutId>> shared_of;
  std::vector<u64, UninitializedAllocator<u64>> shared_align;
  LocationOf location_of;
  std::vector<DiscardedRanges> discarded;
  std::vector<u8, UninitializedAllocator<u8>> listed; // by EntityId: is in the symbol table
  // By FunctionId
  std::vector<ConstantsLocation, UninitializedAllocator<ConstantsLocation>> constants_of;
};

// How many entities objects [begin, end) are the first to name.
[[nodiscard]] size_t count_entities(const Program &program, u32 begin, u32 end);

// A section of an object.
struct SectionRef {
  ObjectId object;
  u32 section = 0;
};

struct MergedChunk {
  // The sections, the lists of the placement and the groups and slices of relocations that the
  // chunk has created, with its own numbers.
  Layout layout;
  bool refused = false;

  // What it assumes:
  std::vector<u32> looked_up;           // numbers of names that no earlier chunk has
  std::vector<std::string_view> absent; // likewise, and it does not have them either
  std::vector<EntityId> assumed_listed; // an earlier chunk has listed them
  std::vector<SectionRef> shifted;      // their blocks do not start at 0
  OutId reserved;                       // no earlier chunk has this section

  // What is done again when the section proves to be one of an earlier chunk:
  struct Block {
    SectionRef from;
    OutId section;
    OutId target; // the code that it belongs to
    bool has_target = false;
    bool packed = false; // without padding
    u64 align = 1;
    u64 size = 0;
    ByteSpan data;
    u64 offset = 0; // in the section of an earlier chunk, once it is known
  };
  struct InBlock {
    EntityId entity;
    u32 symbol = 0;
    SectionRef from;
  };
  std::vector<OutId> shared;      // sections that are shared by name, ascending
  std::vector<Block> blocks;      // in the order of appending
  std::vector<InBlock> in_blocks; // definitions in blocks
  std::vector<OutId> always;      // sections that are emitted even if empty
  std::vector<u32> shared_groups; // of relocations of such sections: in RelocationInputs::groups

  // What is done for all chunks together:
  struct Align {
    EntityId variable;
    u64 align = 1;
  };
  std::vector<EntityId> addressed;   // entities whose address it has set
  std::vector<EntityId> with_shared; // kernels whose shared section it has set
  std::vector<Align> aligns;         // of dynamic memory that an earlier chunk has listed
  std::vector<EntityId> overridden;  // see RelocationInputs::has_overridden
  bool has_commons = false;          // some entity is a common symbol
};

// All chunks as one: its layout, `overridden` and `has_commons`, with final numbers here and in the
// tables; or nothing where an assumption was wrong. `starts`: the first object of each chunk, and
// the end.
[[nodiscard]] std::optional<MergedChunk> join_chunks(const Program &program, MergeTables &tables,
                                                     std::vector<MergedChunk> chunks,
                                                     std::span<const u32> starts, WorkerPool &pool);

} // namespace culink
