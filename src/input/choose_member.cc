// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice between the members of a fatbin. nvlink takes the member with the highest SM number
// that can serve the target: machine code before PTX of the same number, chip-specific (a) before
// family code (f) before plain code, the earlier one of equals; but of plain PTX for the very
// target the last. What surprises: PTX of a nearer number is preferred to older machine code, and
// sm_90a code is chosen for an sm_90 target even if the fatbin has sm_90 code, too (not
// since 13.1).
#include "input/choose_member.h"

#include <tuple>

#include "arch/compatible.h"

namespace culink {

namespace {

// PTX of a family runs on the family's later members, chip-specific PTX on that chip only.
bool can_compile(const FatbinEntry &entry, const arch::ArchInfo &target) {
  switch (entry.letter()) {
  case 'a':
    return entry.sm == target.number && target.letter == 'a';
  case 'f': {
    const arch::ArchInfo *made_for = arch::find_arch(entry.sm, 'f');
    return made_for && made_for->family == target.family && entry.sm <= target.number;
  }
  default:
    return entry.sm <= target.number;
  }
}

bool can_serve(const FatbinEntry &entry, const arch::ArchInfo &target, const Release &release) {
  if (!entry.has(FatbinFlags::kIs64Bit))
    return false;
  if (entry.kind == FatbinKind::Ptx)
    return can_compile(entry, target);
  const arch::ArchInfo *made_for =
      entry.kind == FatbinKind::Elf ? arch::find_arch(entry.sm, entry.letter()) : nullptr;
  const bool too_special =
      entry.letter() == 'a' && target.letter != 'a' && !release.accelerates_any_target;
  return made_for && !too_special && arch::can_link(*made_for, target, release.toolkit);
}

std::tuple<u32, bool, int> rank(const FatbinEntry &entry) {
  const char letter = entry.letter();
  return {entry.sm, entry.kind == FatbinKind::Elf, letter == 'a' ? 2 : letter == 'f' ? 1 : 0};
}

bool is_better(const FatbinEntry &entry, const FatbinEntry &best, const arch::ArchInfo &target) {
  if (rank(entry) != rank(best))
    return rank(entry) > rank(best);
  return entry.kind == FatbinKind::Ptx && entry.letter() == 0 && entry.sm == target.number;
}

} // namespace

const FatbinEntry *choose_member(std::span<const FatbinEntry> entries, const arch::ArchInfo &target,
                                 const Release &release) {
  const FatbinEntry *best = nullptr;
  for (const FatbinEntry &entry : entries)
    if (can_serve(entry, target, release) && (!best || is_better(entry, *best, target)))
      best = &entry;
  return best;
}

const FatbinEntry *choose_lto_member(std::span<const FatbinEntry> entries,
                                     const arch::ArchInfo &target) {
  const FatbinEntry *best = nullptr;
  for (const FatbinEntry &entry : entries)
    if (entry.kind == FatbinKind::Lto && entry.has(FatbinFlags::kIs64Bit) &&
        can_compile(entry, target) && (!best || rank(entry) > rank(*best)))
      best = &entry;
  return best;
}

std::string list_members(std::span<const FatbinEntry> entries) {
  std::string out;
  for (const FatbinEntry &entry : entries) {
    out += out.empty() ? "" : ", ";
    out += entry.kind == FatbinKind::Ptx   ? "compute_"
           : entry.kind == FatbinKind::Elf ? "sm_"
           : entry.kind == FatbinKind::Lto ? "lto_"
                                           : "unknown code for ";
    out += std::to_string(entry.sm);
    if (entry.letter() != 0)
      out += entry.letter();
    if (!entry.has(FatbinFlags::kIs64Bit))
      out += " (32 bits)";
  }
  return out.empty() ? "nothing" : out;
}

} // namespace culink
