// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One row per release of the toolkit whose files differ from those of the release before. A row
// starts from the one above and says what is new. Dialects refer to rows, and a default link takes
// the row of its newest object (docs/compat.md).
#pragma once

#include <array>

#include "link/model/dialect.h"

namespace culink {

namespace releases {

using elf::CompatAttribute;
using elf::CompatRecord;
using elf::InfoAttribute;
using elf::InfoRecord;
using elf::RecordFormat;

inline constexpr std::array kFastpath = {CompatAttribute::CanFastpathFinalize};
inline constexpr std::array kOpportunistic = {CompatAttribute::EnableOpportunisticFinalization};

// What a section .nv.compat means that does not say more, such as that of a link of objects without
// any.
inline constexpr std::array kAssumed13_0 = {
    CompatRecord{.format = RecordFormat::Byte, .attribute = CompatAttribute::IsaClass, .value = 0},
    CompatRecord{
        .format = RecordFormat::Byte, .attribute = CompatAttribute::InstTensormapV1, .value = 3},
    CompatRecord{
        .format = RecordFormat::Byte, .attribute = CompatAttribute::InstTcgen05Mma, .value = 0},
    CompatRecord{.format = RecordFormat::Byte,
                 .attribute = CompatAttribute::EnableOpportunisticFinalization,
                 .value = 1},
    CompatRecord{.format = RecordFormat::Half,
                 .attribute = CompatAttribute::MercuryIsaMajorMinorVersion,
                 .value = 0x100},
};
inline constexpr std::array kAssumed13_1 = {kAssumed13_0[0], kAssumed13_0[1], kAssumed13_0[4]};
inline constexpr std::array kAssumed13_3 = {kAssumed13_0[0], kAssumed13_0[1]};

inline constexpr CompatRecord kAttribute13 = {
    .format = RecordFormat::Half, .attribute = CompatAttribute::Unnamed13, .value = 0x100};
inline constexpr std::array kAdded13_3 = {kAttribute13};
inline constexpr std::array kAdded13_4 = {
    CompatRecord{
        .format = RecordFormat::Byte, .attribute = CompatAttribute::CudaInternalTarget, .value = 2},
    kAttribute13};

inline constexpr std::array kUnanimous13_1 = {CompatAttribute::InstTcgen05Mma};
inline constexpr std::array kUnanimous13_4 = {CompatAttribute::InstTcgen05Mma,
                                              CompatAttribute::FinalizerVersion};
inline constexpr std::array kFinalizer13_4 = {CompatRecord{
    .format = RecordFormat::Half, .attribute = CompatAttribute::FinalizerVersion, .value = 0x400}};

inline constexpr std::array kFinalizer13_5 = {CompatRecord{
    .format = RecordFormat::Half, .attribute = CompatAttribute::FinalizerVersion, .value = 0x440}};

inline constexpr InfoRecord kNvsalSwWar = {
    .format = RecordFormat::Half, .attribute = InfoAttribute::NvsalSwWar, .value = 1};
inline constexpr std::array kFinalized13_2 = {kNvsalSwWar};
inline constexpr std::array kFinalized13_4 = {
    kNvsalSwWar, InfoRecord{.format = RecordFormat::Byte, .attribute = InfoAttribute::PreexitUsed}};

constexpr Release make_13_0() {
  return {.toolkit = 130, .compat = {.sass_drops = kFastpath, .assumes = kAssumed13_0}};
}

constexpr Release make_12_4() {
  Release row = make_13_0();
  row.toolkit = 124;
  row.old_abi = true;
  return row;
}

constexpr Release make_13_1() {
  Release row = make_13_0();
  row.toolkit = 131;
  row.compat.drops = kOpportunistic;
  row.compat.unanimous = kUnanimous13_1;
  row.compat.assumes = kAssumed13_1;
  row.compat.excluding_version = 0;
  row.rounds_shared_size = true;
  row.accelerates_any_target = false;
  return row;
}

constexpr Release make_13_2() {
  Release row = make_13_1();
  row.toolkit = 132;
  row.compat.sass_drops = {};
  row.reverses_externs = false;
  row.finalizer_records = kFinalized13_2;
  return row;
}

constexpr Release make_13_3() {
  Release row = make_13_2();
  row.toolkit = 133;
  row.compat.adds = kAdded13_3;
  row.compat.excluding_version = 0x101;
  row.finalizes_any_code = true;
  row.compat.assumes = kAssumed13_3;
  row.zeroed_data_prevails = true;
  return row;
}

constexpr Release make_13_4() {
  Release row = make_13_3();
  row.toolkit = 134;
  row.compat.adds = kAdded13_4;
  row.compat.unanimous = kUnanimous13_4;
  row.compat.finalizer = kFinalizer13_4;
  row.finalizer_records = kFinalized13_4;
  row.mirrors_calls = true;
  row.weak_among_locals = false;
  return row;
}

constexpr Release make_13_5() {
  Release row = make_13_4();
  row.toolkit = 135;
  row.names_rel_tables = false;
  row.compat.finalizer = kFinalizer13_5;
  row.compacts_planes = true;
  row.shares_debug_info = true;
  row.ends_empty_lines = true;
  return row;
}

inline constexpr std::array kReleases = {make_12_4(), make_13_0(), make_13_1(), make_13_2(),
                                         make_13_3(), make_13_4(), make_13_5()};

} // namespace releases

// The newest release we know that is not newer than `toolkit`; the oldest if all are.
[[nodiscard]] constexpr const Release &find_release(u32 toolkit) {
  const Release *found = releases::kReleases.data();
  for (const Release &row : releases::kReleases)
    if (row.toolkit <= toolkit)
      found = &row;
  return *found;
}

} // namespace culink
