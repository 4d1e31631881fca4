// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/resolve/program.h"
#include "model/shared_plan.h"

namespace culink::emulate {

// Shared memory of a relocatable link that resolves early: sizes the sections of kernels, defines
// dynamic memory and makes instances of it.
[[nodiscard]] PlacedShared place_shared_early(const Program &program, SharedUses uses,
                                              Layout layout);

// Lists shared memory that is dynamic where a file defines it with a size.
[[nodiscard]] Layout list_sized_memory(Layout layout, EntityId variable, u64 align);

// Shared memory that is dynamic and sized takes part in sorting, but gets no address.
[[nodiscard]] bool is_never_placed(const Entity &variable);

// The value of its symbol in an executable. `offset` does not count the reserved area.
[[nodiscard]] u64 value_of_unplaced(const Program &program, u64 offset, bool has_slots);

// Whether --preserve-relocs keeps the symbol of dynamic memory, which has no offset of its own.
[[nodiscard]] bool keeps_dynamic_symbol(const Program &program, bool has_slots);

// Whether local symbols may stand among the global ones (Q114).
[[nodiscard]] bool misplaces_locals(const Program &program);

// The binding of a shared variable whose symbol is kept: nvlink 13.4 makes it local and leaves it
// where it stands, among the global ones (Q114).
[[nodiscard]] elf::SymbolBinding binding_of_shared(const Program &program,
                                                   elf::SymbolBinding binding);

} // namespace culink::emulate
