// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debug information of the SASS plane. Sections that are about code are put together function by
// function, because a finalizer has made the code and what is said about it for each function: call
// frames (sass_frames.cc) and line tables (sass_lines.cc). Registers keep their blocks, with other
// offsets in the code (sass_registers.cc). All others are joined object by object, as in every
// link.
//
// What may surprise: where the part of an object begins is not the same on both planes. Relocations
// against it need to know, so the locations of all sections are a result of this.
#include "link/mercury/sass_debug.h"

#include <array>

namespace culink {

namespace {

constexpr std::string_view kFrame = ".debug_frame", kLine = ".debug_line",
                           kSassLine = ".nv_debug_line_sass",
                           kRegisters = ".nv_debug_info_reg_sass";

bool is_debug(const OutSection &section) {
  return section.type == elf::SectionType::Progbits && (section.flags & elf::kFlagAlloc) == 0;
}

} // namespace

bool is_rebuilt(std::string_view name) {
  return name == kFrame || name == kLine || name == kSassLine;
}

void report_broken(const SassContext &c, u32 object, const elf::Section &section, std::string what,
                   Diagnostics &diag) {
  diag.report(DiagId::BadInput, {c.sass.objects[object].name,
                                 elf::describe_section(section) + ": " + std::move(what)});
}

const FinalizedDebug *FinalizedParts::debug_of(u32 object, EntityId function) const {
  if (const nvlink::MergedDebug::Function *merged = merged_.find(function))
    return merged->parts;
  const SassCode *code = code_.find(context_.layout(), function);
  return code && code->finalized && code->definition.object == ObjectId(object)
             ? &code->finalized->debug
             : nullptr;
}

DebugSection join_parts(const SassContext &c, OutId id) {
  DebugSection out;
  out.id = id;
  u64 size = 0;
  const bool is_shared = c.shape.counterpart_of(id) == Counterpart::Shared;
  for (u32 o = 0; o < c.sass.objects.size(); ++o)
    if (const elf::Section *from = c.sass_part(o, id)) {
      out.parts.push_back({o, from->index, size});
      if (!is_shared)
        out.bytes.insert(out.bytes.end(), from->data.begin(), from->data.end());
      size += from->data.size();
    }
  out.size = size;
  return out;
}

SassDebug make_sass_debug(const SassContext &c, const SassCodeList &code,
                          const nvlink::MergedDebug &merged, Diagnostics &diag) {
  SassDebug out{{}, c.layout().placement.location_of};
  const auto add = [&out](DebugSection section) {
    for (const DebugSection::Part &part : section.parts)
      out.location_of[part.object][part.section].offset = part.offset;
    out.sections.push_back(std::move(section));
  };
  const OutId frame = c.layout().sections.find(kFrame);
  if (frame.valid() && c.section(frame).emitted())
    add(make_sass_frames(c, code, merged, frame, diag));
  // Line tables refer to other sections, so those come first.
  for (const OutId id : c.shape.order)
    if (is_debug(c.section(id)) && !is_rebuilt(c.name(id)))
      add(c.name(id) == kRegisters ? make_sass_registers(c, code, merged, id) : join_parts(c, id));
  for (const OutId id : c.shape.order)
    if (is_debug(c.section(id)) && (c.name(id) == kLine || c.name(id) == kSassLine))
      add(make_sass_lines(c, code, merged, out.location_of, id, diag));
  return out;
}

} // namespace culink
