// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The origin of relocations: one table of one object, whose entries share an output section.
#pragma once

#include "link/relocs/reloc_target.h"

namespace culink {

struct RelocSource {
  const RelocationGroup *group = nullptr; // which output table and output section they go to
  const elf::Section *table = nullptr;    // of the object
  const elf::Section *section = nullptr;  // of the object: what is relocated
  ObjectId object;
  FunctionId function;         // whose code is relocated, if any
  u64 base = 0;                // of the object's part in the output section
  u64 begin = 0;               // entries before this offset of the section are left out
  u64 end = ~u64{0};           // and those from here on
  u64 output_size = 0;         // of the output section
  bool moves = false;          // parts of sections may have been moved one by one
  bool discarded = false;      // bytes of the section are discarded
  bool about_code = false;     // debug information that is discarded with its function
  bool loses_pointers = false; // constants in which nvlink loses pointers
  bool field_addends = false;  // addends are in the fields, not in the table
  bool loses_addends = false;  // if nvlink loses them where parts of sections have moved
};

[[nodiscard]] RelocSource source_of(const RelocationContext &context, const RelocationGroup &group,
                                    const RelocationSlice &slice);

// The same for constants of a device function that were copied into a kernel's bank; those in
// [begin, end) of the function's. `group` is the bank.
[[nodiscard]] RelocSource source_of(const RelocationContext &context, const RelocationGroup &group,
                                    const FunctionConstants &constants,
                                    const ConstantRelocations &from, u64 begin, u64 end);

// Whether all relocations of the slice belong to a definition of a function that did not prevail:
// are in its code, or in its constants.
[[nodiscard]] inline bool is_of_overridden_code(const RelocationContext &context,
                                                const RelocationGroup &group,
                                                const RelocationSlice &slice) {
  const EntityId function = context.layout.sections[group.target].function;
  return function.valid() && context.program.symbols[function].prevailing.object != slice.object;
}
[[nodiscard]] bool is_of_overridden_bank_of(const RelocationContext &context, EntityId function,
                                            const RelocationSlice &slice);
[[nodiscard]] inline bool is_of_overridden_bank(const RelocationContext &context,
                                                const RelocationGroup &group,
                                                const RelocationSlice &slice) {
  const OutId text = context.layout.sections[group.target].target; // of constants, not of code
  return text.valid() && context.layout.sections[text].function.valid() &&
         is_of_overridden_bank_of(context, context.layout.sections[text].function, slice);
}

// Whether a relocation belongs to something that was discarded, so that no rule applies to it: its
// offset says so, or its symbol.
[[nodiscard]] inline bool drops_offset(const RelocationContext &context, const RelocSource &source,
                                       u64 offset) {
  return offset < source.begin || offset >= source.end ||
         (source.discarded &&
          context.layout.relocs.discarded[source.object.value].contain(source.table->info, offset));
}
[[nodiscard]] bool names_discarded(const RelocationContext &context, const RelocSource &source,
                                   u32 symbol);
// Whether a symbol is a function of the driver that machine code alone calls. Relocations against
// it are not those of the Mercury plane (link/mercury/driver_calls.h).
[[nodiscard]] bool is_of_sass_alone(const RelocationContext &context, const RelocSource &source,
                                    u32 symbol);
[[nodiscard]] inline bool drops_symbol(const RelocationContext &context, const RelocSource &source,
                                       u32 symbol) {
  return ((source.about_code || source.loses_pointers) &&
          names_discarded(context, source, symbol)) ||
         (context.program.sass_plane && is_of_sass_alone(context, source, symbol));
}

// The offset in the output section of what is at `offset` of a section of the object. `base` is
// where the object's part of it starts.
[[nodiscard]] u64 moved_offset(const RelocationContext &context, ObjectId object, u32 section,
                               u64 offset, u64 base);

// The offset of a relocation in the output section.
[[nodiscard]] inline u64 output_offset(const RelocationContext &context, const RelocSource &source,
                                       u64 offset) {
  return source.moves
             ? moved_offset(context, source.object, source.table->info, offset, source.base)
             : offset + source.base;
}

} // namespace culink
