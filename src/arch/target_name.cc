// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target of a file by name. The number is in e_flags; the letter of sm_90a and its like is an
// attribute of .nv.compat, in older files a flag of e_flags. sm_100f and its like cannot be
// distinguished from sm_100: the attribute is the same.
#include "arch/target_name.h"

#include <fmt/format.h>

#include "elf/records/nv_compat.h"

namespace culink::arch {

namespace {

bool is_accelerated(const elf::ElfView &file, const arch::ElfTarget &target) {
  if (target.accelerated)
    return true;
  for (const elf::Section &section : file.sections()) {
    if (section.type != elf::SectionType::CudaCompat)
      continue;
    for (const elf::CompatRecord &record : elf::decode_compat(section.data).records)
      if (record.attribute == elf::CompatAttribute::CudaAcceleratorTarget)
        return elf::compat_number(record) == 1;
  }
  return false;
}

} // namespace

FileTarget target_of(const elf::ElfView &file) {
  const elf::FileHeader &header = file.header();
  FileTarget out;
  out.flags = arch::decode_elf_target(header.ident[elf::kIdentOsAbi],
                                      header.ident[elf::kIdentAbiVersion], header.flags);
  const bool accelerated = is_accelerated(file, out.flags);
  out.arch = arch::find_arch(out.flags.sm, accelerated ? 'a' : '\0');
  out.name = fmt::format("sm_{}{}", out.flags.sm, accelerated ? "a" : "");
  return out;
}

bool is_code_for(std::string_view target, ByteSpan bytes) {
  const ArchInfo *wanted = find_arch(target);
  const Result<elf::ElfView> view = elf::ElfView::open(bytes);
  if (!wanted || !view)
    return false;
  const elf::FileHeader &header = view->header();
  return decode_elf_target(header.ident[elf::kIdentOsAbi], header.ident[elf::kIdentAbiVersion],
                           header.flags)
             .sm == wanted->number;
}

} // namespace culink::arch
