// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// e_flags of a device ELF. There are two layouts, and only the ABI version distinguishes them. Up
// to ABI 7 (toolkits before 13, sm_90 and below) the SM number is in the low byte. In ABI 8 (sm_100
// since 12.8, all targets since 13.0) it is one byte higher, and the low byte is the kind of code
// in the file. Each field is one row, read and written by the same loop; bits without a row are
// preserved.
//
// The letter of targets such as sm_90a is an attribute of .nv.compat, in older files a flag of
// e_flags. sm_100f and similar targets cannot be distinguished from sm_100: the attribute is equal.
//
// Verified with ptxas 12.0, 12.4, 12.9 and 13.0 for all their targets, both texture modes and both
// address sizes.
#include "elf/target/elf_flags.h"

#include <array>
#include <span>

#include <fmt/format.h>

#include "elf/records/nv_compat.h"

namespace culink::arch {
namespace {

struct ByteField {
  u8 ElfTarget::*member;
  u32 shift;
  u32 mask; // after shifting
};
struct BitField {
  bool ElfTarget::*member;
  u32 bit;
};

constexpr std::array<ByteField, 2> kOldBytes{{
    {&ElfTarget::sm, 0, 0xff},
    {&ElfTarget::virtual_sm, 16, 0xff},
}};
constexpr std::array<BitField, 4> kOldBits{{
    {&ElfTarget::texture_unified, 0x100},
    {&ElfTarget::texture_independent, 0x200},
    {&ElfTarget::address_64, 0x400},
    {&ElfTarget::accelerated, 0x800},
}};

constexpr std::array<ByteField, 3> kBytes{{
    {&ElfTarget::code_kind, 0, 0xf7}, // bit 3 belongs to the next table
    {&ElfTarget::sm, 8, 0xff},
    {&ElfTarget::cuinfo_section, 24, 0xff},
}};
constexpr std::array<BitField, 1> kBits{{
    {&ElfTarget::accelerated, 0x8},
}};

struct Layout {
  std::span<const ByteField> bytes;
  std::span<const BitField> bits;
};

Layout layout_of(const ElfTarget &target) {
  if (target.old_layout())
    return {kOldBytes, kOldBits};
  return {kBytes, kBits};
}

bool is_accelerated(const elf::ElfView &file, const ElfTarget &target) {
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

bool ElfTarget::old_layout() const {
  return os_abi != elf::kOsAbiCuda && abi_version <= kAbiVersionOld;
}

ElfTarget decode_elf_target(u8 os_abi, u8 abi_version, u32 flags) {
  ElfTarget target;
  target.os_abi = os_abi;
  target.abi_version = abi_version;
  target.other = flags;
  const Layout layout = layout_of(target);
  for (const ByteField &field : layout.bytes) {
    target.*field.member = static_cast<u8>((flags >> field.shift) & field.mask);
    target.other &= ~(field.mask << field.shift);
  }
  for (const BitField &field : layout.bits) {
    target.*field.member = (flags & field.bit) != 0;
    target.other &= ~field.bit;
  }
  return target;
}

ElfTarget decode_elf_target(const elf::FileHeader &header) {
  return decode_elf_target(header.ident[elf::kIdentOsAbi], header.ident[elf::kIdentAbiVersion],
                           header.flags);
}

u32 encode_elf_flags(const ElfTarget &target) {
  u32 flags = target.other;
  const Layout layout = layout_of(target);
  for (const ByteField &field : layout.bytes)
    flags |= (target.*field.member & field.mask) << field.shift;
  for (const BitField &field : layout.bits)
    flags |= target.*field.member ? field.bit : 0;
  return flags;
}

FileTarget target_of(const elf::ElfView &file) {
  FileTarget out;
  out.flags = decode_elf_target(file.header());
  const bool accelerated = is_accelerated(file, out.flags);
  out.arch = find_arch(out.flags.sm, accelerated ? 'a' : '\0');
  out.name = fmt::format("sm_{}{}", out.flags.sm, accelerated ? "a" : "");
  return out;
}

bool is_code_for(std::string_view target, ByteSpan bytes) {
  const ArchInfo *wanted = find_arch(target);
  const Result<elf::ElfView> view = elf::ElfView::open(bytes);
  return wanted && view && decode_elf_target(view->header()).sm == wanted->number;
}

} // namespace culink::arch
