// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A link checks its image before it returns it, and debug information is left out after that. So
// what is left is looked at again: it breaks no rule that the image keeps, and every section that
// still has contents has those of the image, which the checks were about.
#include "strip_output.h"

#include <algorithm>

#include <fmt/format.h>

#include "edit/prune.h"
#include "elf/elf_view.h"
#include "verify/file/verify.h"

namespace culink {

namespace {

std::string find_flaw(const elf::ElfView &image, const elf::ElfView &stripped) {
  if (image.sections().size() != stripped.sections().size())
    return "sections are missing";
  for (u32 i = 0; i < image.sections().size(); ++i) {
    const elf::Section &before = image.sections()[i], &after = stripped.sections()[i];
    if (after.size != 0 && !std::ranges::equal(before.data, after.data))
      return fmt::format("contents of {} differ", elf::describe_section(before));
  }
  const std::vector<Finding> known = verify_device_elf(image);
  for (const Finding &finding : verify_device_elf(stripped))
    if (std::ranges::none_of(known, [&](const Finding &one) { return one.rule == finding.rule; }))
      return fmt::format("{}: {}", rule_id(finding.rule), finding.what.text());
  return "";
}

} // namespace

StrippedImage strip_output(ByteSpan image) {
  StrippedImage out{.bytes = strip_debug(image), .flaw = ""};
  if (!out.bytes)
    return out;
  const Result<elf::ElfView> before = elf::ElfView::open(image);
  const Result<elf::ElfView> after = elf::ElfView::open(*out.bytes);
  out.flaw = !after ? after.error().text() : before ? find_flaw(*before, *after) : "";
  return out;
}

} // namespace culink
