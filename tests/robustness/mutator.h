// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "support/types.h"

namespace culink::robustness {

// Random numbers that are the same on every machine: the mutant of (seed, number) is always the
// same bytes.
class Random {
public:
  explicit Random(u64 seed) : state_(seed) {}
  [[nodiscard]] u64 next();
  // Less than `bound`; 0 for a bound of 0.
  [[nodiscard]] u64 below(u64 bound) { return bound == 0 ? 0 : next() % bound; }
  [[nodiscard]] bool one_in(u64 n) { return below(n) == 0; }

private:
  u64 state_;
};

// Parts of a cubin that damage aims at. One is chosen first and a place in it second, so that small
// tables are hit as often as code.
enum class Target : u8 {
  Header,
  SectionTable,
  Segments,
  Symbols,
  Relocations,
  Info,
  CallGraph,
  Notes,
  Strings,
  Mercury,
  Code,
  Data,
  Debug,
  Anywhere,
};
inline constexpr u32 kTargetCount = static_cast<u32>(Target::Anywhere) + 1;
[[nodiscard]] std::string_view name_of_target(Target target);

// A cubin to mutate, with a map of its parts.
struct Original {
  struct Range {
    u64 begin = 0;
    u64 size = 0;
  };
  std::vector<u8> bytes;
  std::array<std::vector<Range>, kTargetCount> parts;
  u64 section_table = 0;
  u32 section_count = 0;
};
// Any bytes; those that are no ELF file have no parts.
[[nodiscard]] Original map_parts(std::vector<u8> bytes);

// The cubins of a list with commas between them. False: one of them cannot be read.
[[nodiscard]] bool read_originals(const std::string &list, std::vector<std::string> &names,
                                  std::vector<Original> &files);

struct Mutant {
  std::vector<u8> bytes;
  Target target = Target::Anywhere; // where the first edit was made
};

// One to four edits of `originals[which]`; some take bytes from another original.
[[nodiscard]] Mutant make_mutant(const std::vector<Original> &originals, u64 which, Random &random);

} // namespace culink::robustness
