// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The relocations of the inputs that count, and their offsets in the output. A relocation is in a
// section of an object; that section, or the variable or line table in it, may have been discarded
// or moved since. Here that is asked once per table where possible, so that the loop over its
// entries has little left to ask.
//
// classify_relocations and the lists of --preserve-relocs use it. What may surprise: call frames
// and lines of a definition that did not prevail stay in the output, but without their address.
#include "link/relocs/reloc_source.h"

#include <algorithm>

#include "link/nvlink/lost_pointers.h"

namespace culink {

namespace {

// Debug information about a definition of a function that is not in the output.
bool is_about_discarded_code(const RelocationContext &c, const RelocSource &source, u32 index) {
  const Program &p = c.program;
  const elf::Symbol &symbol = p.objects[source.object.value].symbols[index];
  if (symbol.type() != elf::SymbolType::Function || !symbol.in_section())
    return false;
  const EntityId id = p.symbols.of(source.object, index);
  if (!id.valid())
    return false;
  if (p.symbols.outcome(source.object, index) != DefinitionOutcome::Accepted)
    return !p.policy.keeps_discarded_frames;
  if (p.policy.keeps_discarded_frames || p.symbols[id].prevailing.object == source.object)
    return false;
  if (!p.policy.keeps_overridden_frames)
    return p.is_live(id);
  const OutId rela = c.rela_of[source.group->target.value];
  const bool with_addends =
      source.group->has_addends || (rela.valid() && rela < source.group->table);
  return with_addends && c.layout.relocs.has_overridden[id.value];
}

// True if a symbol is a function of the driver that machine code alone calls. Relocations against
// it are not those of the Mercury plane (link/mercury/driver_calls.h).
bool is_of_sass_alone(const RelocationContext &c, const RelocSource &source, u32 symbol) {
  const elf::Symbol &named = c.program.objects[source.object.value].symbols[symbol];
  return named.type() == elf::SymbolType::Function &&
         !c.program.symbols.of(source.object, symbol).valid();
}

// The output table has room for addends where one of its entries needs it.
void set_addends(const RelocationContext &c, RelocSource &source) {
  source.loses_addends = c.program.policy.loses_field_addends;
  source.field_addends = source.loses_addends ? !source.group->has_addends
                                              : source.table->type == elf::SectionType::Rel;
}

const RelocationGroup &group_of(const RelocationContext &c, const RelocationSlice &slice) {
  return c.layout.relocs.groups[slice.group];
}

bool moves_parts(const RelocationContext &c, ObjectId object) {
  return !c.layout.relocs.moved.empty() && !c.layout.relocs.moved[object.value].empty();
}

} // namespace

RelocSource source_of(const RelocationContext &c, const RelocationSlice &slice) {
  const RelocationGroup &group = group_of(c, slice);
  const InputObject &object = c.program.objects[slice.object.value];
  const elf::Section &table = object.section(slice.section);
  const elf::SectionKind &kind = object.kinds[table.info];
  const OutSection &target = c.layout.sections[group.target];
  RelocSource source{.group = &group,
                     .table = &table,
                     .section = &object.section(table.info),
                     .object = slice.object,
                     .base = c.layout.placement.location_of[slice.object.value][table.info].offset,
                     .output_size = target.size,
                     .moves = moves_parts(c, slice.object),
                     .discarded = c.layout.relocs.discarded[slice.object.value].touch(table.info)};
  if (const EntityId function = c.layout.sections.function(group.target); function.valid())
    source.function = c.program.function_of(function);
  const std::string_view name = c.layout.sections.name(target);
  source.about_code = kind.is_debug() && name != ".debug_info" && name != ".debug_loc";
  set_addends(c, source);
  source.loses_pointers = kind.is_constant() && c.program.policy.forgets_pointers;
  return source;
}

RelocSource source_of(const RelocationContext &c, const RelocationGroup &group,
                      const FunctionConstants &constants, const ConstantRelocations &from,
                      u64 begin, u64 end) {
  const InputObject &object = c.program.objects[from.object.value];
  const elf::Section &table = object.section(from.section);
  RelocSource source{.group = &group,
                     .table = &table,
                     .section = &object.section(table.info),
                     .object = from.object,
                     .base = constants.offset + from.base,
                     .begin = std::max(begin, from.base) - from.base,
                     .end = std::max(end, from.base) - from.base,
                     .output_size = c.layout.sections[group.target].size,
                     .moves = moves_parts(c, from.object)};
  set_addends(c, source);
  return source;
}

bool is_of_overridden_code(const RelocationContext &c, const RelocationSlice &slice) {
  const EntityId function = c.layout.sections.function(group_of(c, slice).target);
  return function.valid() && c.program.symbols[function].prevailing.object != slice.object;
}

bool is_of_overridden_bank(const RelocationContext &c, const RelocationSlice &slice) {
  const OutId text =
      c.layout.sections[group_of(c, slice).target].target(); // of constants, not of code
  if (!text.valid() || c.program.policy.keeps_overridden_tables)
    return false;
  const EntityId function = c.layout.sections.function(text);
  const u32 bank = c.program.objects[slice.object.value].section(slice.section).info;
  return function.valid() && c.program.symbols[function].prevailing.object != slice.object &&
         !c.layout.placement.location_of[slice.object.value][bank].discarded;
}

bool drops_offset(const RelocationContext &c, const RelocSource &source, u64 offset) {
  return offset < source.begin || offset >= source.end ||
         (source.discarded &&
          c.layout.relocs.discarded[source.object.value].contain(source.table->info, offset));
}

bool drops_symbol(const RelocationContext &c, const RelocSource &source, u32 symbol) {
  return (source.loses_pointers &&
          nvlink::drops_pointer(c.program, source.object, source.table->info, symbol)) ||
         (source.about_code && is_about_discarded_code(c, source, symbol)) ||
         (c.program.sass_plane && is_of_sass_alone(c, source, symbol));
}

u64 moved_offset(const RelocationContext &c, ObjectId object, u32 section, u64 offset, u64 base) {
  if (c.layout.relocs.moved.empty())
    return offset + base;
  const std::vector<MovedRange> &ranges = c.layout.relocs.moved[object.value];
  const auto next = std::upper_bound(
      ranges.begin(), ranges.end(), offset, [section](u64 wanted, const MovedRange &range) {
        return std::pair(section, wanted) < std::pair(range.section, range.begin);
      });
  if (next == ranges.begin() || std::prev(next)->section != section)
    return offset + base;
  return std::prev(next)->offset + (offset - std::prev(next)->begin);
}

u64 output_offset(const RelocationContext &c, const RelocSource &source, u64 offset) {
  return source.moves ? moved_offset(c, source.object, source.table->info, offset, source.base)
                      : offset + source.base;
}

} // namespace culink
