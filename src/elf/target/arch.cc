// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All properties of targets, as one row per target. There are three generations of targets: plain
// SASS up to sm_89, Hopper with reserved shared memory and unified tables, and files with a Mercury
// mirror from sm_100 on. Within a generation rows differ in a few numbers, so a row names its
// generation and only states its differences; a new target is one row.
//
// All values were read from files of ptxas and nvlink 13.0.88 for each target (13.4 for sm_107),
// the limits from their messages. Opt-in shared memory is from NVIDIA's documentation; sm_88 is not
// in it, and the value of sm_107 is the limit that sm_107a has without opt-in.
#include "elf/target/arch.h"

#include <algorithm>
#include <array>

namespace culink::arch {

namespace {

constexpr u32 kKiB = 1024;

// Targets for one chip allow static shared memory up to the limit that others only have at launch.
constexpr Limits limits_with(u32 opt_in_kib, char letter = 0) {
  return {.static_shared = (letter == 'a' ? opt_in_kib : 48) * kKiB,
          .opt_in_shared = opt_in_kib * kKiB,
          .constant_bank = 64 * kKiB,
          .textures = 256,
          .samplers = 32,
          .surfaces = 32,
          .registers = 255,
          .barriers = 16,
          .parameter_bytes = 0x7ffc};
}

constexpr ArchInfo classic(std::string_view name, u16 number, u32 opt_in_kib) {
  return {.name = name,
          .number = number,
          .letter = 0,
          .family = number,
          .code_kind = CodeKind::Sass,
          .relocations = RelocationStyle::RelAndRela,
          .text_align = 128,
          .instruction_size = 16,
          .parameter_base = 0x160,
          .image_slot_align = 4,
          .reserved_shared = 0,
          .reserved_slot = 0,
          .registers_in_text_info = true,
          .has_rel_action = true,
          .has_unified_symbols = false,
          .has_compat = false,
          .accelerator_target = 0,
          .fastpath_mask = 0,
          .has_mercury_plane = false,
          .calls_driver_for_images = false,
          .oldest_toolkit = 0,
          .banks = {},
          .limits = limits_with(opt_in_kib)};
}

constexpr ArchInfo hopper(std::string_view name, char letter) {
  ArchInfo arch = classic(name, 90, 227);
  arch.letter = letter;
  arch.limits = limits_with(227, letter);
  arch.relocations = RelocationStyle::Rela;
  arch.parameter_base = 0x210;
  arch.reserved_shared = kKiB;
  arch.registers_in_text_info = false;
  arch.has_unified_symbols = true;
  arch.has_compat = true;
  arch.accelerator_target = letter == 'a' ? 1 : 0;
  arch.oldest_toolkit = 120; // 11.8 supports the target, but not the final format of its objects
  return arch;
}

constexpr ArchInfo blackwell(std::string_view name, u16 number, char letter, u16 family,
                             u32 opt_in_kib, u64 fastpath_mask) {
  ArchInfo arch = hopper(name, letter);
  arch.number = number;
  arch.family = family;
  arch.code_kind = CodeKind::Capmerc;
  arch.parameter_base = 0x380;
  arch.image_slot_align = 16;
  arch.reserved_slot = 0x40;
  arch.has_rel_action = false;
  arch.oldest_toolkit = 0;
  arch.fastpath_mask = fastpath_mask;
  arch.has_mercury_plane = true;
  arch.limits = limits_with(opt_in_kib, letter);
  return arch;
}

constexpr ArchInfo since(u32 toolkit, ArchInfo arch) {
  arch.toolkit = toolkit;
  return arch;
}

constexpr ArchInfo calling_driver(ArchInfo arch) {
  arch.calls_driver_for_images = true;
  return arch;
}

constexpr std::array<ArchInfo, 26> kArchs{{
    since(118, classic("sm_75", 75, 64)),
    since(118, classic("sm_80", 80, 163)),
    since(118, classic("sm_86", 86, 99)),
    since(118, classic("sm_87", 87, 163)),
    classic("sm_88", 88, 0),
    since(118, classic("sm_89", 89, 99)),
    since(118, hopper("sm_90", 0)),
    since(120, hopper("sm_90a", 'a')),
    blackwell("sm_100", 100, 0, 100, 227, 0x09),
    blackwell("sm_100a", 100, 'a', 100, 227, 0x09),
    blackwell("sm_100f", 100, 'f', 100, 227, 0x09),
    blackwell("sm_103", 103, 0, 100, 227, 0),
    blackwell("sm_103a", 103, 'a', 100, 227, 0),
    blackwell("sm_103f", 103, 'f', 100, 227, 0),
    calling_driver(since(134, blackwell("sm_107", 107, 0, 100, 227, 0))),
    calling_driver(since(134, blackwell("sm_107a", 107, 'a', 100, 227, 0))),
    calling_driver(since(134, blackwell("sm_107f", 107, 'f', 100, 227, 0))),
    blackwell("sm_110", 110, 0, 110, 227, 0),
    blackwell("sm_110a", 110, 'a', 110, 227, 0),
    blackwell("sm_110f", 110, 'f', 110, 227, 0),
    blackwell("sm_120", 120, 0, 120, 99, 0x50),
    blackwell("sm_120a", 120, 'a', 120, 99, 0x50),
    blackwell("sm_120f", 120, 'f', 120, 99, 0x50),
    blackwell("sm_121", 121, 0, 120, 99, 0),
    blackwell("sm_121a", 121, 'a', 120, 99, 0),
    blackwell("sm_121f", 121, 'f', 120, 99, 0),
}};

constexpr bool in_order(const ArchInfo &a, const ArchInfo &b) {
  return a.number != b.number ? a.number < b.number : a.letter < b.letter;
}
static_assert(std::is_sorted(kArchs.begin(), kArchs.end(), in_order));

} // namespace

std::span<const ArchInfo> all_archs() {
  return kArchs;
}

const ArchInfo *find_arch(std::string_view name) {
  for (const ArchInfo &arch : kArchs)
    if (arch.name == name)
      return &arch;
  return nullptr;
}

const ArchInfo *find_arch(u32 number, char letter) {
  for (const ArchInfo &arch : kArchs)
    if (arch.number == number && arch.letter == letter)
      return &arch;
  return nullptr;
}

ArchInfo as_plain_sass(const ArchInfo &arch) {
  ArchInfo out = arch;
  if (!arch.has_mercury_plane)
    return out;
  out.code_kind = CodeKind::Sass;
  out.image_slot_align = 4;
  out.has_rel_action = true;
  return out;
}

// Reserved shared memory does not exist in this plane: it is added with the machine code.
ArchInfo as_mercury_plane(const ArchInfo &arch) {
  ArchInfo out = arch;
  out.reserved_shared = 0;
  out.reserved_slot = 0;
  return out;
}

// The objects that can be linked into an image. Machine code of an older target of the same line
// runs on a newer one in few cases. nvlink's list is short and was irregular before 13.2 (sm_87
// code only into sm_87, sm_86 into sm_89), so this list defines the rule: a pair of numbers that is
// not in it is refused.
//
// What may surprise: sm_90a code is linked into an sm_90 image without a warning. From sm_100 on, a
// family has a second member (103, 121) that accepts objects of the first, because a finalizer
// makes the code again, except code for one chip (100a). Plain SASS of these targets has separate
// rules: sm_120 code is accepted for sm_121, but sm_100 code is not for sm_103, and `f` images
// refuse `a` code, which they accept with a capsule. Releases since 13.1 only link `a` code for `a`
// targets; sm_107 always had this rule.

namespace {

constexpr std::array<CompatibleRow, 27> kCompatibleRows{{
    {75, 75, Letters::Any, Letters::None},        {80, 80, Letters::Any, Letters::None},
    {86, 80, Letters::Any, Letters::None},        {86, 86, Letters::Any, Letters::None},
    {87, 80, Letters::Any, Letters::None, 132},   {87, 86, Letters::Any, Letters::None, 132},
    {87, 87, Letters::Any, Letters::None},        {88, 80, Letters::Any, Letters::None, 132},
    {88, 86, Letters::Any, Letters::None, 132},   {88, 87, Letters::Any, Letters::None, 132},
    {88, 88, Letters::Any, Letters::None},        {89, 80, Letters::Any, Letters::None},
    {89, 86, Letters::Any, Letters::None},        {89, 87, Letters::Any, Letters::None, 132},
    {89, 88, Letters::Any, Letters::None, 132},   {89, 89, Letters::Any, Letters::None},
    {90, 90, Letters::Any, Letters::None},        {100, 100, Letters::NotAIntoF, Letters::Any},
    {103, 100, Letters::None, Letters::NotA},     {103, 103, Letters::NotAIntoF, Letters::Any},
    {107, 100, Letters::None, Letters::NotA},     {107, 103, Letters::None, Letters::NotA},
    {107, 107, Letters::AIntoA, Letters::AIntoA}, {110, 110, Letters::NotAIntoF, Letters::Any},
    {120, 120, Letters::NotAIntoF, Letters::Any}, {121, 120, Letters::NotANorIntoF, Letters::NotA},
    {121, 121, Letters::NotAIntoF, Letters::Any},
}};

bool accepts(Letters letters, char object, char target) {
  switch (letters) {
  case Letters::None:
    return false;
  case Letters::Any:
    return true;
  case Letters::NotA:
    return object != 'a';
  case Letters::NotAIntoF:
    return object != 'a' || target != 'f';
  case Letters::NotANorIntoF:
    return object != 'a' && target != 'f';
  case Letters::AIntoA:
    return object != 'a' || target == 'a';
  }
  return false;
}

} // namespace

bool can_link(const ArchInfo &object, CodeKind kind, const ArchInfo &target, u32 toolkit) {
  for (const CompatibleRow &row : kCompatibleRows)
    if (row.target == target.number && row.object == object.number && row.since <= toolkit)
      return accepts(kind == CodeKind::Capmerc ? row.capmerc : row.sass, object.letter,
                     target.letter);
  return false;
}

bool can_link(const ArchInfo &object, const ArchInfo &target, u32 toolkit) {
  return can_link(object, object.code_kind, target, toolkit);
}

std::span<const CompatibleRow> compatible_rows() {
  return kCompatibleRows;
}

} // namespace culink::arch
