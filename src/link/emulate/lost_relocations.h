// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/resolve/program.h"

namespace culink::emulate {

// Whether a pointer in a section of an object is lost because the object's own definition of the
// symbol was discarded when it was read.
[[nodiscard]] bool loses_pointer(const Program &program, ObjectId object, u32 section, u32 symbol);

// The same, also if that definition was overridden later.
[[nodiscard]] bool drops_pointer(const Program &program, ObjectId object, u32 section, u32 symbol);

// Whether pointers inside a definition that is discarded for an earlier weak one are dropped with
// it. The section is the definition's.
[[nodiscard]] bool drops_discarded_pointers(const Program &program, ObjectId object, u32 section);

// Whether the addend of a relocation without one of its own, which is what stands in the field, is
// lost where it gets one: in a table with addends, or because the part of a section that it means
// has moved.
[[nodiscard]] bool loses_field_addends(const Program &program);

// Whether a relocation of call frames or lines is dropped because it is about a definition of a
// function that a later one has overridden. `had_relocations`: such a definition had some in its
// code; `with_addends`: this one stands in a table with addends, or there was one before its table.
[[nodiscard]] bool drops_overridden_debug(const Program &program, EntityId function,
                                          bool had_relocations, bool with_addends);

// Whether sections of one name, as local functions of several files have them, have one list of
// resolved relocations together.
[[nodiscard]] bool shares_lists(const Program &program);

} // namespace culink::emulate
