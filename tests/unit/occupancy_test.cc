// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/target/occupancy.h"

#include <gtest/gtest.h>
#include <string>

namespace culink::arch {
namespace {

const MultiprocessorInfo &sm_of(std::string_view target) {
  return *find_multiprocessor(*find_arch(target));
}

TEST(Occupancy, EveryTargetHasARowThatAgreesWithItsLimits) {
  for (const ArchInfo &arch : all_archs()) {
    SCOPED_TRACE(std::string(arch.name));
    const MultiprocessorInfo *sm = find_multiprocessor(arch);
    ASSERT_NE(sm, nullptr);
    EXPECT_EQ(sm->number, arch.number);
    if (arch.limits.opt_in_shared != 0) {
      EXPECT_EQ(sm->block_shared, arch.limits.opt_in_shared);
    }
    if (arch.reserved_shared != 0) {
      EXPECT_EQ(sm->reserved_shared, arch.reserved_shared);
    }
    EXPECT_EQ(sm->block_shared + sm->reserved_shared, sm->shared);
    EXPECT_EQ(sm->registers, 65536u);
  }
  ArchInfo unknown = *find_arch("sm_90");
  unknown.number = 999;
  EXPECT_EQ(find_multiprocessor(unknown), nullptr);
}

TEST(Occupancy, EveryRowIsFullWithSmallKernelsAndHoldsOneBlockOfTheLargest) {
  for (const MultiprocessorInfo &sm : all_multiprocessors()) {
    SCOPED_TRACE(sm.number);
    const auto small = theoretical_occupancy(sm, {.registers = 16, .threads = 128});
    ASSERT_TRUE(small);
    EXPECT_EQ(small->percent, 100u);
    const auto large =
        theoretical_occupancy(sm, {.registers = 64, .shared = sm.block_shared, .threads = 1024});
    ASSERT_TRUE(large);
    EXPECT_EQ(large->blocks, 1u);
    EXPECT_EQ(large->warps, 32u);
  }
}

// Expected values are those of NVIDIA's cuda_occupancy.h.
struct Launch {
  std::string_view target;
  LaunchNeeds needs;
  u32 blocks;
  u32 percent;
  OccupancyLimit limit;
};

TEST(Occupancy, NamesWhatIsExhausted) {
  using enum OccupancyLimit;
  const Launch launches[] = {
      {"sm_90", {32, 0, 1024}, 2, 100, Warps},
      {"sm_90", {32, 0, 32}, 32, 50, Blocks},
      {"sm_90", {40, 0, 256}, 6, 75, Registers},
      {"sm_90", {16, 100 * 1024, 256}, 2, 25, Shared},
      {"sm_86", {168, 0, 128}, 3, 25, Registers},
      {"sm_75", {64, 32768, 64}, 2, 12, Shared},
      {"sm_80", {255, 0, 32}, 8, 12, Registers},
      // A warp takes its registers from one of four parts: 12 fit, though the sum has room for 13.
      {"sm_80", {160, 0, 32}, 12, 18, Registers},
      {"sm_107", {32, 0, 32}, 16, 50, Blocks},
      {"sm_120", {0, 0, 512}, 3, 100, Warps},
  };
  for (const Launch &launch : launches) {
    SCOPED_TRACE(std::string(launch.target) + " " + std::to_string(launch.needs.registers) + " " +
                 std::to_string(launch.needs.shared) + " " + std::to_string(launch.needs.threads));
    const auto found = theoretical_occupancy(sm_of(launch.target), launch.needs);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->blocks, launch.blocks);
    EXPECT_EQ(found->percent, launch.percent);
    EXPECT_EQ(name_of(found->limit), name_of(launch.limit));
  }
}

TEST(Occupancy, LaunchesThatCannotBeAreSeen) {
  const MultiprocessorInfo &sm = sm_of("sm_90");
  EXPECT_FALSE(theoretical_occupancy(sm, {.registers = 32, .threads = 0}));
  EXPECT_FALSE(theoretical_occupancy(sm, {.registers = 32, .threads = 1025}));
  EXPECT_EQ(theoretical_occupancy(sm, {.registers = 128, .threads = 1024})->blocks, 0u);
  EXPECT_EQ(theoretical_occupancy(sm, {.shared = sm.block_shared + 1, .threads = 32})->blocks, 0u);
  EXPECT_EQ(theoretical_occupancy(sm, {.shared = ~u64{0}, .threads = 32})->blocks, 0u);
}

} // namespace
} // namespace culink::arch
