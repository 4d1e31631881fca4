// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks of an object before its records are read. Two generations of objects can be linked.
// ABI 8 is of toolkit 13 (for sm_100, of 12.8): e_flags hold the index of the .note.nv.cuinfo
// section, which has the other facts. ABI 7 is older: e_flags hold the virtual architecture, and
// e_version the toolkit. Toolkits 12.8 and 12.9 do not record their version in .note.nv.cuver, only
// in the note about the compiler. Objects are only refused as too old for targets that
// changed after their first toolkit.
//
// nvlink refuses objects of newer toolkits; we link them with a warning (Q065). This file does not
// see executables (Q066). Objects of `nvcc -ewp` have a different file type and are linked like
// others.
#include "input/load_object.h"

#include <algorithm>

#include <fmt/format.h>

#include "elf/records/nv_compat.h"
#include "elf/records/nv_notes.h"
#include "elf/section_kind.h"
#include "elf/target/arch.h"
#include "elf/target/elf_flags.h"

namespace culink {

namespace {

constexpr u16 kNamesToolkit = 2;     // the first version of the CUDA note that names the toolkit
constexpr u32 kFirstToolkit = 65;    // the first toolkit that a file can name
constexpr u32 kFirstOfTargets = 100; // the first toolkit with sm_75, the oldest target

// "12.4" for 124.
std::string release(u32 toolkit) {
  return fmt::format("{}.{}", toolkit / 10, toolkit % 10);
}

// Returns the note with the index in e_flags; the first note if e_flags mark the index as too
// large.
std::optional<elf::CudaInfo> cuda_info(const elf::ElfView &view, u32 index) {
  constexpr u32 kAnywhere = 0xff;
  for (const elf::Section &section : view.sections()) {
    if ((index != kAnywhere && section.index != index) ||
        elf::classify_section(section.name, section.type, section.flags).role !=
            elf::SectionRole::NoteCuinfo)
      continue;
    for (const elf::Note &note : elf::decode_notes(section.data).notes)
      if (const Result<elf::CudaInfo> info = elf::read_cuda_info(note);
          info && note.type == elf::kNoteCudaInfo)
        return *info;
  }
  return std::nullopt;
}

// The bits with a known meaning. nvlink ignores the others.
constexpr u8 kCodeKinds =
    static_cast<u8>(arch::CodeKind::Capmerc) | static_cast<u8>(arch::CodeKind::Sass);

bool has_capsule(const arch::ElfTarget &made) {
  return (made.code_kind & kCodeKinds) == static_cast<u8>(arch::CodeKind::Capmerc);
}

// From sm_100 on, e_flags have no letter; .nv.compat records that an object is for one chip.
char letter_of(const elf::ElfView &view) {
  for (const elf::Section &section : view.sections())
    if (elf::classify_section(section.name, section.type, section.flags).role ==
        elf::SectionRole::Compat)
      for (const elf::CompatRecord &record : elf::decode_compat(section.data).records)
        if (record.attribute == elf::CompatAttribute::CudaAcceleratorTarget && record.value != 0)
          return 'a';
  return 0;
}

// Returns the toolkit notes of the tools that made a file, in order.
std::vector<elf::ToolkitInfo> tool_notes(const elf::ElfView &view) {
  std::vector<elf::ToolkitInfo> out;
  for (const elf::Section &section : view.sections()) {
    if (elf::classify_section(section.name, section.type, section.flags).role !=
        elf::SectionRole::NoteTkinfo)
      continue;
    for (const elf::Note &note : elf::decode_notes(section.data).notes)
      if (Result<elf::ToolkitInfo> info = elf::decode_toolkit_info(note.desc);
          info && note.type == elf::kNoteToolkitInfo)
        out.push_back(*info);
  }
  return out;
}

// Returns the tool that made a file, such as "ptxas, Cuda compilation tools, release 13.4,
// V13.4.92"; empty if it is not recorded.
std::string maker_of(const elf::ElfView &view) {
  for (const elf::ToolkitInfo &info : tool_notes(view))
    if (!info.tool.empty())
      return fmt::format("{}{}{}", info.tool, info.tool_version.empty() ? "" : ", ",
                         info.tool_version);
  return "";
}

bool accept_abi(const std::string &name, const elf::ElfView &view, const arch::ElfTarget &made,
                Diagnostics &diag) {
  const bool known =
      (made.os_abi == elf::kOsAbiCuda && made.abi_version == arch::kAbiVersion) ||
      (made.os_abi == elf::kOsAbiCudaOld && made.abi_version == arch::kAbiVersionOld);
  if (known)
    return true;
  std::vector<std::string> notes = {fmt::format(
      "EI_OSABI {:#x} and EI_ABIVERSION {} in the ELF header; {:#x} and {} are those of "
      "CUDA 13, {:#x} and {} of CUDA 12",
      made.os_abi, made.abi_version, elf::kOsAbiCuda, arch::kAbiVersion, elf::kOsAbiCudaOld,
      arch::kAbiVersionOld)};
  if (const std::string maker = maker_of(view); !maker.empty())
    notes.push_back("made by " + maker);
  diag.report(DiagId::WrongAbi, {name, std::to_string(made.abi_version)}, std::move(notes),
              made.abi_version > arch::kAbiVersion ? "a newer culink may know it" : "");
  return false;
}

bool accept_architecture(const std::string &name, const elf::ElfView &view,
                         const arch::ElfTarget &made, const arch::ArchInfo &target,
                         const Dialect &dialect, Diagnostics &diag) {
  const bool limited = target.has_mercury_plane && !has_capsule(made);
  if (!dialect.release.accelerates_any_target && target.letter != 'a' && letter_of(view) == 'a') {
    diag.report(DiagId::AcceleratedObject,
                {name, std::to_string(made.sm), std::string(target.name),
                 limited ? std::to_string(target.number) : ""},
                {".nv.compat"}, fmt::format("this one links with -arch=sm_{}a", made.sm));
    return false;
  }
  const arch::ArchInfo *object = arch::find_arch(made.sm);
  if (object && object->has_mercury_plane)
    object = arch::find_arch(made.sm, letter_of(view));
  const bool odd_number = !made.old_layout() && (made.other & 0xff0000) != 0;
  const bool capsule = has_capsule(made);
  const arch::CodeKind kind = capsule ? arch::CodeKind::Capmerc : arch::CodeKind::Sass;
  if (object && !odd_number && arch::can_link(*object, kind, target, dialect.newest_toolkit))
    return true;
  std::string fitting;
  for (const arch::ArchInfo &row : arch::all_archs())
    if (arch::can_link(row, target, dialect.newest_toolkit))
      fitting += fmt::format("{}{}", fitting.empty() ? "" : ", ", row.name);
  diag.report(DiagId::WrongArchitecture,
              {name,
               fmt::format("sm_{}{}", made.sm | (odd_number ? made.other >> 8 & 0xff00 : 0),
                           capsule ? " with a Mercury capsule" : ""),
               std::string(target.name), limited ? std::to_string(target.number) : ""},
              {"e_flags in the ELF header"},
              fmt::format("{} takes objects of {}{}", target.name, fitting,
                          object ? fmt::format("; this one links with -arch={}", object->name)
                                 : fmt::format("; a newer culink may know sm_{}", made.sm)));
  return false;
}

// Describes the recorded age of a file that is too old.
std::string describe_age(const elf::ElfView &view, const arch::ElfTarget &made, u32 toolkit) {
  if (toolkit >= kFirstToolkit)
    return "it was made by CUDA " + release(toolkit);
  if (made.old_layout())
    return fmt::format("its e_version, {}, names no toolkit", toolkit);
  const std::optional<elf::CudaInfo> info = cuda_info(view, made.cuinfo_section);
  if (!info)
    return fmt::format("section {}, which e_flags name, is not a .note.nv.cuinfo",
                       made.cuinfo_section);
  return info->version < kNamesToolkit
             ? fmt::format("its .note.nv.cuinfo has version {}", info->version)
             : fmt::format("its .note.nv.cuinfo names no toolkit ({})", toolkit);
}

// Returns the toolkit in the header or the CUDA note; 0 if it is not recorded.
u32 stated_toolkit(const elf::ElfView &view, const arch::ElfTarget &made) {
  if (made.old_layout())
    return view.header().version;
  const std::optional<elf::CudaInfo> info = cuda_info(view, made.cuinfo_section);
  return info && info->version >= kNamesToolkit ? info->toolkit : 0;
}

// Returns the release of the tool that made the file, from its first note; 0 if it is not recorded.
u32 toolkit_of_compiler(const elf::ElfView &view) {
  const std::vector<elf::ToolkitInfo> notes = tool_notes(view);
  const u32 toolkit = notes.empty() ? 0 : elf::toolkit_of_version(notes.front().tool_version);
  return toolkit < kFirstOfTargets ? 0 : toolkit;
}

bool accept_toolkit(const std::string &name, const elf::ElfView &view, const arch::ElfTarget &made,
                    const arch::ArchInfo &target, const Dialect &dialect, Diagnostics &diag) {
  const u32 toolkit = stated_toolkit(view, made);
  // The output would have the same number, which no toolkit writes.
  const bool is_damaged = made.old_layout() && toolkit < kFirstOfTargets && dialect.name.empty();
  if (toolkit < target.oldest_toolkit || is_damaged) {
    diag.report(DiagId::OldObject, {name, describe_age(view, made, toolkit)});
    return false;
  }
  if (view.header().type == elf::FileType::WholeProgram && toolkit < dialect.newest_toolkit &&
      dialect.defects.refuses_foreign_programs) {
    diag.report(DiagId::ForeignWholeProgram, {name, release(toolkit)});
    return false;
  }
  if (toolkit <= dialect.newest_toolkit || !dialect.defects.refuses_newer_toolkit)
    return true;
  diag.report(DiagId::TooNewToolkit,
              {name, release(toolkit), release(dialect.newest_toolkit), std::to_string(toolkit),
               std::to_string(dialect.newest_toolkit)});
  return false;
}

} // namespace

ObjectIdentity identify_object(const elf::ElfView &view) {
  const arch::ElfTarget made = arch::decode_elf_target(view.header());
  if (made.old_layout())
    return {made.sm, made.virtual_sm, view.header().version, false};
  const elf::CudaInfo info = cuda_info(view, made.cuinfo_section).value_or(elf::CudaInfo{});
  const u32 toolkit = stated_toolkit(view, made);
  return {made.sm, info.virtual_arch,
          toolkit >= kFirstOfTargets ? toolkit : toolkit_of_compiler(view), has_capsule(made)};
}

namespace {

// Reports one warning about all objects of releases that are newer than `known`.
void report_newer(DiagId id, const std::vector<InputObject> &objects, u32 known, std::string hint,
                  Diagnostics &diag) {
  const auto is_newer = [known](const InputObject &object) { return object.toolkit > known; };
  const auto first = std::ranges::find_if(objects, is_newer);
  if (first == objects.end())
    return;
  std::vector<std::string> notes;
  if (const auto count = std::ranges::count_if(objects, is_newer); count > 1)
    notes.push_back(fmt::format("and {} more files", count - 1));
  diag.report(id, {first->name, release(first->toolkit), release(known)}, std::move(notes),
              std::move(hint));
}

} // namespace

void report_newer_toolkits(const std::vector<InputObject> &objects, const Dialect &dialect,
                           Diagnostics &diag) {
  report_newer(DiagId::NewerToolkit, objects, dialect.newest_toolkit,
               "a newer culink may know more about it", diag);
}

void report_older_dialect(const std::vector<InputObject> &objects, const Dialect &dialect,
                          Diagnostics &diag) {
  report_newer(DiagId::OlderDialect, objects, dialect.release.toolkit,
               "what is new in its code and records stays; .note.nv.cuinfo names the newer release",
               diag);
}

void report_partial_programs(const std::vector<InputObject> &objects, Diagnostics &diag) {
  const auto is_whole = [](const InputObject &object) {
    return object.view.header().type == elf::FileType::WholeProgram;
  };
  const auto whole = std::find_if(objects.begin(), objects.end(), is_whole);
  if (whole == objects.end())
    return;
  for (const InputObject &object : objects)
    if (!object.system && !is_whole(object))
      diag.report(DiagId::PartialProgram, {object.name, whole->name});
}

bool accept_object(const std::string &name, const elf::ElfView &view, const arch::ArchInfo &target,
                   const Dialect &dialect, Diagnostics &diag) {
  const elf::FileType type = view.header().type;
  if (type != elf::FileType::Relocatable && type != elf::FileType::WholeProgram &&
      !dialect.input.any_type_links) {
    diag.report(DiagId::NotRelocatable, {name, fmt::format("{:#x}", static_cast<u32>(type))});
    return false;
  }
  const arch::ElfTarget made = arch::decode_elf_target(view.header());
  if (made.os_abi != elf::kOsAbiCuda && !made.address_64)
    diag.report(DiagId::NoAddressSize, {name});
  if (!made.old_layout() && dialect.input.old_headers_only) {
    diag.report(DiagId::NoAddressSize, {name});
    diag.report(DiagId::WrongArchitecture,
                {name, fmt::format("sm_{}", made.sm), std::string(target.name), ""});
    return false;
  }
  if (!made.old_layout() && (made.code_kind & kCodeKinds) == kCodeKinds) {
    diag.report(DiagId::TwoKindsOfCode, {name});
    return false;
  }
  return accept_abi(name, view, made, diag) &&
         accept_architecture(name, view, made, target, dialect, diag) &&
         accept_toolkit(name, view, made, target, dialect, diag);
}

} // namespace culink
