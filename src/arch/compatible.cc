// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The objects that can be linked into an image. Machine code of an older member of the same line
// runs on a newer one in few cases; nvlink's list is short and was not regular before 13.2 (sm_87
// code into nothing but sm_87, sm_86 into sm_89), so the list is the rule: a pair of numbers that
// is not here is refused.
//
// What may surprise: sm_90a code is linked into an sm_90 image without a warning. From sm_100 on a
// family has a second member (103, 121) that accepts objects of the first, because a finalizer
// makes the code again, but not code for one chip (100a). Plain SASS of these targets has rules of
// its own: sm_120 code is accepted for sm_121, sm_100 code is not for sm_103, and `f` images refuse
// `a` code, which they accept with a capsule. Releases since 13.1 link `a` code for `a` targets
// only, and sm_107 has never been otherwise.
#include "arch/compatible.h"

#include <array>

namespace culink::arch {
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
