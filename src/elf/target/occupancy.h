// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "elf/target/arch.h"

namespace culink::arch {

// The resources of one multiprocessor (SM) of a target for its resident blocks.
struct MultiprocessorInfo {
  u16 number;          // number of the target, such as 90
  u32 warps;           // resident at once
  u32 blocks;          // resident at once
  u32 registers;       // total of the SM
  u32 shared;          // bytes per SM
  u32 block_shared;    // bytes per block at most, without reserved bytes
  u32 reserved_shared; // bytes that the system reserves per block
  u32 shared_unit;     // allocation unit of a block's shared memory in bytes
};

[[nodiscard]] std::span<const MultiprocessorInfo> all_multiprocessors();

// Returns null for a target without published numbers.
[[nodiscard]] const MultiprocessorInfo *find_multiprocessor(const ArchInfo &arch);

inline constexpr u32 kWarpThreads = 32;
inline constexpr u32 kMaxBlockThreads = 1024;

// The resources that a launch requests.
struct LaunchNeeds {
  u32 registers = 0; // per thread
  u64 shared = 0;    // bytes per block, static and dynamic, without reserved bytes
  u32 threads = 0;   // per block
};

// The resource that limits the blocks of an SM: the first exhausted one, in this order.
enum class OccupancyLimit : u8 { Warps, Blocks, Registers, Shared };
[[nodiscard]] std::string_view name_of(OccupancyLimit limit);

struct Occupancy {
  u32 blocks = 0;  // resident blocks per SM; 0: the launch fails
  u32 warps = 0;   // warps of these blocks
  u32 percent = 0; // of the SM's maximum number of warps, rounded down
  OccupancyLimit limit = OccupancyLimit::Warps;
};

// Returns the maximum number of resident warps of a kernel on an SM. Returns nullopt if the block
// size is invalid. Ignores clusters, barriers and the size of the cache.
[[nodiscard]] std::optional<Occupancy> theoretical_occupancy(const MultiprocessorInfo &sm,
                                                             const LaunchNeeds &needs);

} // namespace culink::arch
