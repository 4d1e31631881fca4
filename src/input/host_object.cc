// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc wraps device code into the host object of its translation unit. The wrapper record in
// .nvFatBinSegment is for the runtime library; its presence means that there is device code, and a
// linker does not need its contents. The name of the section with the code shows whether it can be
// linked.
//
// What may surprise: `ld -r` merges sections of one name, so a section may hold the lists or
// fatbins of several translation units, with padding between them; an empty list is one NUL.
#include "input/host_object.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "elf/elf_view.h"
#include "elf/section_scan.h"

namespace culink {

namespace {

// The prefixes of the names below.
constexpr std::array kStarts = {elf::NameStart(".nv"), elf::NameStart("__nv_"),
                                elf::NameStart(".rela.nv")};

std::vector<std::string_view> names_in(ByteSpan section) {
  std::vector<std::string_view> names = elf::decode_names(section).names;
  std::erase(names, "");
  return names;
}

// True if a section shows that a host object had device code, even if the other sections are not
// recognised.
bool is_trace(std::string_view name) {
  return name == "__nv_relfatbin" || name == "__nv_module_id" || name == ".rela.nvFatBinSegment" ||
         elf::host_reference_list(name) != nullptr;
}

void read_section(HostObject &out, const elf::Section &section) {
  out.has_traces |= is_trace(section.name);
  if (section.name == ".nvFatBinSegment") {
    out.has_segment = true;
  } else if (section.name == "__nv_relfatbin") {
    out.linkable.push_back(section.data);
  } else if (section.name == ".nv_fatbin") {
    out.finished.push_back(section.data);
  } else if (section.name == "__nv_module_id") {
    std::ranges::transform(names_in(section.data), std::back_inserter(out.modules), elf::module_id);
  } else if (const elf::HostReferenceList *list = elf::host_reference_list(section.name)) {
    if (list->kind == elf::HostReferenceKind::Kernel && !list->internal)
      out.lists_kernels |= !section.data.empty();
    out.references.push_back({list, names_in(section.data)});
  }
}

} // namespace

Result<HostObject> read_host_object(ByteSpan file) {
  HostObject out;
  if (const std::optional<elf::SectionScan> scan = elf::scan_sections(file, kStarts)) {
    out.has_all_names = scan->count > 1 && scan->all_named;
    for (const elf::Section &section : scan->wanted)
      read_section(out, section);
    return out;
  }
  const Result<elf::ElfView> view = elf::ElfView::open_sections(file);
  if (!view)
    return view.error();
  // A damaged name table index would give wrong names, and no section would be recognised.
  const elf::FileHeader &header = view->header();
  if (header.name_section != 0 && header.name_section < view->sections().size()) {
    const ByteSpan names = view->sections()[header.name_section].data;
    if (names.empty() || names.front() != 0)
      return Error{"section table", "e_shstrndx", "the table of names does not begin with NUL"};
  }
  out.has_all_names = view->sections().size() > 1;
  for (const elf::Section &section : view->sections()) {
    if (section.index != 0)
      out.has_all_names &= !section.name.empty();
    read_section(out, section);
  }
  return out;
}

} // namespace culink
