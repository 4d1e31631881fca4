// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debug information without its bytes. Removing sections would give all others new numbers, which
// symbols, attributes and relocations have in them; an empty section costs its header only. The
// relocations of such a section are emptied with it. No loaded segment has debug information in it,
// so nothing that the driver loads changes.
#include "edit/strip_debug.h"

#include "elf/elf_view.h"
#include "elf/replace_section.h"
#include "elf/section_kind.h"

namespace culink {

namespace {

bool is_debug_section(const elf::Section &section) {
  return elf::classify_section(section.name, section.type, section.flags).is_debug() &&
         !section.is_mercury() && section.name != ".debug_frame";
}

bool is_of_debug(const elf::ElfView &view, const elf::Section &section) {
  if (is_debug_section(section))
    return true;
  const elf::SectionKind kind = elf::classify_section(section.name, section.type, section.flags);
  return (kind.role == elf::SectionRole::Rel || kind.role == elf::SectionRole::Rela) &&
         section.info < view.sections().size() && is_debug_section(view.sections()[section.info]);
}

} // namespace

std::optional<std::vector<u8>> strip_debug(ByteSpan cubin) {
  const Result<elf::ElfView> view = elf::ElfView::open(cubin);
  if (!view)
    return std::nullopt;
  std::vector<u8> out(cubin.begin(), cubin.end());
  bool changed = false;
  for (const elf::Section &section : view->sections()) {
    if (section.size == 0 || section.no_data() || !is_of_debug(*view, section))
      continue;
    if (!elf::replace_section(out, section.index, {}))
      return std::nullopt;
    changed = true;
  }
  return changed ? std::optional(std::move(out)) : std::nullopt;
}

} // namespace culink
