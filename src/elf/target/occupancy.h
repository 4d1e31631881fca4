// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "elf/target/arch.h"

namespace culink::arch {

// What one multiprocessor (SM) of a target has for the blocks that run on it at once.
struct MultiprocessorInfo {
  u16 number;          // of the target: 90
  u32 warps;           // resident at once
  u32 blocks;          // resident at once
  u32 registers;       // of all its warps
  u32 shared;          // bytes
  u32 block_shared;    // bytes of one block, without those that the system reserves
  u32 reserved_shared; // bytes that the system takes of it for each block
  u32 shared_unit;     // shared memory of a block is a multiple of this
};

[[nodiscard]] std::span<const MultiprocessorInfo> all_multiprocessors();

// Nothing for a target of which the numbers are not published.
[[nodiscard]] const MultiprocessorInfo *find_multiprocessor(const ArchInfo &arch);

inline constexpr u32 kWarpThreads = 32;
inline constexpr u32 kMaxBlockThreads = 1024;

// What a launch asks for.
struct LaunchNeeds {
  u32 registers = 0; // per thread
  u64 shared = 0;    // bytes per block, static and dynamic, without the reserved area
  u32 threads = 0;   // per block
};

// What keeps further blocks from an SM: the first that is exhausted, in this order.
enum class OccupancyLimit : u8 { Warps, Blocks, Registers, Shared };
[[nodiscard]] std::string_view name_of(OccupancyLimit limit);

struct Occupancy {
  u32 blocks = 0;  // resident on one SM; 0: the launch fails
  u32 warps = 0;   // of these blocks
  u32 percent = 0; // of the warps that the SM could hold, rounded down
  OccupancyLimit limit = OccupancyLimit::Warps;
};

// How many warps of a kernel an SM holds at most. Nothing if blocks cannot have so many threads, or
// none. Clusters, barriers and the share of the cache do not count.
[[nodiscard]] std::optional<Occupancy> theoretical_occupancy(const MultiprocessorInfo &sm,
                                                             const LaunchNeeds &needs);

} // namespace culink::arch
