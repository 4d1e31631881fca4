// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which release made a file. Files of 13.0 and later say so in .note.nv.cuinfo, those of the ABI
// before that in e_version. Toolkits 12.8 and 12.9 say it for sm_100 and later nowhere but in the
// words of .note.nv.tkinfo: the first note is that of the tool which made the file.
#include "inspect/reader/toolkit.h"

#include <fmt/format.h>

#include "elf/records/nv_notes.h"
#include "elf/section_kind.h"
#include "elf/target/elf_flags.h"

namespace culink::inspect {

namespace {

constexpr u32 kFirst =
    65; // the first release that could be told by a file; e_version is 1 elsewhere

u32 toolkit_in(const elf::Note &note) {
  if (note.name != elf::kNoteOwner)
    return 0;
  if (note.type == elf::kNoteCudaInfo) {
    const Result<elf::CudaInfo> info = elf::read_cuda_info(note);
    return info ? info->toolkit : 0;
  }
  const Result<elf::ToolkitInfo> info = elf::decode_toolkit_info(note.desc);
  return info ? elf::toolkit_of_version(info->tool_version) : 0;
}

// What the first note that names a release says, of those in sections of one kind.
u32 first_in(const elf::ElfView &file, elf::SectionRole role, u32 type) {
  for (const elf::Section &section : file.sections())
    if (elf::classify_section(section.name, section.type, section.flags).role == role)
      for (const elf::Note &note : elf::decode_notes(section.data).notes)
        if (const u32 found = note.type == type ? toolkit_in(note) : 0; found != 0)
          return found;
  return 0;
}

} // namespace

u32 toolkit_of(const elf::ElfView &file) {
  if (arch::target_of(file).flags.old_layout())
    return file.header().version >= kFirst ? file.header().version : 0;
  const u32 stated = first_in(file, elf::SectionRole::NoteCuinfo, elf::kNoteCudaInfo);
  return stated != 0 ? stated : first_in(file, elf::SectionRole::NoteTkinfo, elf::kNoteToolkitInfo);
}

std::string release_name(u32 toolkit) {
  return toolkit == 0 ? "" : fmt::format("{}.{}", toolkit / 10, toolkit % 10);
}

} // namespace culink::inspect
