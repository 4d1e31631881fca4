// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which objects go into which image. Machine code of an older member of the same line runs on a
// newer one in few cases; nvlink's list is short and not regular (sm_87 code into nothing but
// sm_87, sm_86 into sm_89), so the list is the rule: a pair of numbers that is not here is refused.
//
// What may surprise: sm_90a code goes into an sm_90 image without a word. From sm_100 on a family
// has a second member (103, 121) that takes objects of the first, because a finalizer makes the
// code anew; that works for capmerc code only and not for code that asked for one chip (100a).
#include "arch/compatible.h"

#include <array>

namespace culink::arch {
namespace {

constexpr std::array<CompatibleRow, 17> kRows{{
    {75, 75, false},
    {80, 80, false},
    {86, 80, false},
    {86, 86, false},
    {87, 87, false},
    {88, 88, false},
    {89, 80, false},
    {89, 86, false},
    {89, 89, false},
    {90, 90, false},
    {100, 100, false},
    {103, 100, true},
    {103, 103, false},
    {110, 110, false},
    {120, 120, false},
    {121, 120, true},
    {121, 121, false},
}};

} // namespace

bool can_link(const ArchInfo &object, CodeKind kind, const ArchInfo &target) {
  for (const CompatibleRow &row : kRows)
    if (row.target == target.number && row.object == object.number)
      return !row.across_family || (object.letter != 'a' && kind == CodeKind::Capmerc);
  return false;
}

bool can_link(const ArchInfo &object, const ArchInfo &target) {
  return can_link(object, object.code_kind, target);
}

std::span<const CompatibleRow> compatible_rows() {
  return kRows;
}

} // namespace culink::arch
