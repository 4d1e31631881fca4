// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Theoretical occupancy: blocks are added to a multiprocessor (SM) until one of four resources is
// exhausted. Registers are allocated to warps in units of 256, from one of the four parts of the
// SM, so the limit applies to each part and not to the sum.
//
// The numbers are from the table of technical specifications in the CUDA programming guide and from
// the open source headers of CCCL (arch_traits.h), the units from the documentation of the
// occupancy calculator. NVIDIA's own calculation, the header cuda_occupancy.h of CUDA 13.4, gives
// the same blocks for every row with all register counts, block sizes that are multiples of 16, and
// 150 sizes of shared memory: 31,824,000 launches.
#include "elf/target/occupancy.h"

#include <algorithm>

#include "support/bytes.h"

namespace culink::arch {
namespace {

constexpr u32 kKilobyte = 1024;
constexpr u32 kParts = 4; // parts of an SM, each with its scheduler and its registers
constexpr u32 kRegisterUnit = 256;

constexpr MultiprocessorInfo sm_row(u16 number, u32 warps, u32 blocks, u32 shared_kib) {
  return {.number = number,
          .warps = warps,
          .blocks = blocks,
          .registers = 64 * kKilobyte,
          .shared = shared_kib * kKilobyte,
          .block_shared = (shared_kib - 1) * kKilobyte,
          .reserved_shared = kKilobyte,
          .shared_unit = 128};
}

// The system reserves no shared memory before sm_80.
constexpr MultiprocessorInfo turing() {
  MultiprocessorInfo sm = sm_row(75, 32, 16, 64);
  sm.block_shared = sm.shared;
  sm.reserved_shared = 0;
  sm.shared_unit = 256;
  return sm;
}

constexpr std::array<MultiprocessorInfo, 13> kMultiprocessors{{
    turing(),
    sm_row(80, 64, 32, 164),
    sm_row(86, 48, 16, 100),
    sm_row(87, 48, 16, 164),
    sm_row(88, 48, 16, 100),
    sm_row(89, 48, 24, 100),
    sm_row(90, 64, 32, 228),
    sm_row(100, 64, 32, 228),
    sm_row(103, 64, 32, 228),
    sm_row(107, 32, 16, 228),
    sm_row(110, 48, 24, 228),
    sm_row(120, 48, 24, 100),
    sm_row(121, 48, 24, 100),
}};

constexpr bool by_number(const MultiprocessorInfo &a, const MultiprocessorInfo &b) {
  return a.number < b.number;
}
static_assert(std::is_sorted(kMultiprocessors.begin(), kMultiprocessors.end(), by_number));

constexpr std::array<std::string_view, 4> kLimitNames = {"warps", "blocks", "registers", "shared"};

u64 divide_up(u64 value, u64 unit) {
  return (value + unit - 1) / unit;
}

// Returns the number of blocks that the registers allow. 0 registers means unknown, without a
// limit.
u64 blocks_by_registers(const MultiprocessorInfo &sm, u64 block_warps, u32 registers) {
  if (registers == 0)
    return sm.blocks;
  const u64 of_warp = divide_up(u64{registers} * kWarpThreads, kRegisterUnit) * kRegisterUnit;
  // A whole block must also fit, with its warps rounded up to a multiple of the parts.
  if (divide_up(block_warps, kParts) * kParts * of_warp > sm.registers)
    return 0;
  return sm.registers / kParts / of_warp * kParts / block_warps;
}

u64 blocks_by_shared(const MultiprocessorInfo &sm, u64 shared) {
  if (shared > sm.block_shared)
    return 0;
  const u64 of_block = divide_up(shared + sm.reserved_shared, sm.shared_unit) * sm.shared_unit;
  return of_block == 0 ? sm.blocks : sm.shared / of_block;
}

} // namespace

std::span<const MultiprocessorInfo> all_multiprocessors() {
  return kMultiprocessors;
}

const MultiprocessorInfo *find_multiprocessor(const ArchInfo &arch) {
  const auto *const at =
      std::find_if(kMultiprocessors.begin(), kMultiprocessors.end(),
                   [&](const MultiprocessorInfo &sm) { return sm.number == arch.number; });
  return at == kMultiprocessors.end() ? nullptr : &*at;
}

std::string_view name_of(OccupancyLimit limit) {
  return kLimitNames[static_cast<size_t>(limit)];
}

std::optional<Occupancy> theoretical_occupancy(const MultiprocessorInfo &sm,
                                               const LaunchNeeds &needs) {
  if (needs.threads == 0 || needs.threads > kMaxBlockThreads)
    return {};
  const u64 block_warps = divide_up(needs.threads, kWarpThreads);
  const std::array<u64, 4> by_limit = {sm.warps / block_warps, sm.blocks,
                                       blocks_by_registers(sm, block_warps, needs.registers),
                                       blocks_by_shared(sm, needs.shared)};
  const auto *const least = std::min_element(by_limit.begin(), by_limit.end());
  Occupancy out;
  out.blocks = static_cast<u32>(*least);
  out.warps = static_cast<u32>(*least * block_warps);
  out.percent = out.warps * 100 / sm.warps;
  out.limit = static_cast<OccupancyLimit>(least - by_limit.begin());
  return out;
}

} // namespace culink::arch
