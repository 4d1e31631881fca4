// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/resolve/program.h"
#include "model/shared_plan.h"

namespace culink::emulate {

// Shared memory of a relocatable link that resolves early: sizes the sections of kernels, defines
// dynamic memory and makes instances of it.
[[nodiscard]] PlacedShared place_shared_early(const Program &program, SharedUses uses,
                                              Layout layout, WorkerPool &pool);

// Lists shared memory that is dynamic where a file defines it with a size.
[[nodiscard]] OutputSections list_sized_memory(OutputSections sections, EntityId variable);

// Shared memory that is dynamic and sized takes part in sorting, but gets no address.
[[nodiscard]] bool is_never_placed(const Entity &variable);

// The value of its symbol in an executable. `offset` does not count the reserved area.
[[nodiscard]] u64 value_of_unplaced(const Program &program, u64 offset, bool has_slots);

// The value of a shared variable whose symbol is kept.
[[nodiscard]] u64 value_of_kept(const Program &program, const Entity &variable, u64 value);

// Whether --preserve-relocs keeps the symbol of dynamic memory, which has no offset of its own.
[[nodiscard]] bool keeps_dynamic_symbol(const Program &program, bool has_slots);

// What is kept of an instance of dynamic memory, which an earlier relocatable link made: the value
// of its symbol, an offset there, which nvlink takes for an alignment (Q115), or the alignment.
[[nodiscard]] u64 value_of_instance(const Program &program, u64 value, u64 align);

// What an instance asks for. Before 13.1 that is nothing to nvlink.
[[nodiscard]] u64 align_of_instance(const Program &program, u64 kept);

// Whether a shared section without variables is a block of memory (Q117).
[[nodiscard]] bool keeps_unnamed_shared(const Program &program);

// Whether a kernel's section stays as it was: it has such a block, and the kernel was not selected.
// Nothing is reserved, no variables of several kernels are in it, and those that only this kernel
// refers to make it larger without having a place.
[[nodiscard]] bool stays_as_it_was(const Program &program, const UnnamedShared *block,
                                   FunctionId kernel);

// Whether a variable would be in a section with such a block.
[[nodiscard]] bool lies_beside_unnamed(const Layout &layout, EntityId variable);

// The value of symbol 0, which stands for such blocks, with one more of them that takes part;
// `known` is its value so far, if there is an earlier one. Of their offsets that of the first
// stays.
[[nodiscard]] u64 value_of_unnamed(const Program &program, u64 offset, bool first, u64 known);

// Whether dynamic memory keeps the alignment that was known for it first (Q116). A later instance
// of an earlier relocatable link counts for nothing with nvlink.
[[nodiscard]] bool keeps_first_alignment(const Program &program, bool instance);

// Whether only the first function of a group aligns dynamic memory (Q116).
[[nodiscard]] bool aligns_by_first_function(const Program &program);

// Where dynamic memory of each kernel starts then; the ends of a group agree.
[[nodiscard]] std::vector<u64> starts_by_first_function(const DynamicGroups &groups,
                                                        std::vector<u64> ends);

// To what ends of kernels are rounded up before dynamic memory.
[[nodiscard]] std::vector<u64> aligns_of_ends(const Program &program, std::vector<u64> aligns);

// Whether local symbols may stand among the global ones (Q114).
[[nodiscard]] bool misplaces_locals(const Program &program);

// The binding of a shared variable whose symbol is kept: nvlink 13.4 makes it local and leaves it
// where it stands, among the global ones (Q114).
[[nodiscard]] elf::SymbolBinding binding_of_shared(const Program &program,
                                                   elf::SymbolBinding binding);

} // namespace culink::emulate
