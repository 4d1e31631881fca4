// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One block of an input against its place in the output: bytes, fields, relocations.
#pragma once

#include <vector>

#include "verify/link/targets.h"

namespace culink::check {

// A relocation of the output, as it is or as it has to be.
struct KeptEntry {
  u64 offset = 0;
  i64 addend = 0;
  u32 type = 0;
  u32 symbol = 0; // of the output; of several names of one function, the first
  bool explicit_addend = false;
  bool optional = false; // may be missing
  i64 in_field = 0;      // the addend of an input's entry without one, of a relocatable link

  [[nodiscard]] auto key() const { return std::tie(offset, type, symbol, addend, explicit_addend); }
};

struct Block {
  u32 object = 0, section = 0; // of the input
  u32 out = 0;                 // section of the output
  u64 base = 0;                // in it
  u64 begin = 0, end = 0;      // in the input's section
  u32 node = kNone;            // the function whose code it is
  std::string_view name;       // for findings
  bool live = true;            // it is reached: all that it refers to has to be there
  bool debug = false;          // information about code, also about what is gone
  bool any_bytes = false;      // only relocations are compared
  bool any_schedule = false;   // bits that only say when instructions start are not compared
  ByteSpan restored;           // what the output has there, if not that
};

// Compares bytes and fields, and adds to `kept` what the output's tables have to have.
void check_block(const Link &link, const Block &block, std::vector<KeptEntry> &kept,
                 Report &report);

// The relocations of a section of the output.
[[nodiscard]] std::vector<KeptEntry> kept_in_output(const Link &link, u32 out);

// Compares relocations with those that a section of the output has to have.
void compare_kept(const Link &link, u32 out, std::vector<KeptEntry> expected,
                  std::vector<KeptEntry> found, Report &report);
// The same for those of a section of the output.
// With `ranges`, only those inside them: nobody refers to what lies elsewhere.
using OffsetRanges = std::vector<std::pair<u64, u64>>;
void check_kept(const Link &link, u32 out, std::vector<KeptEntry> expected, Report &report,
                const OffsetRanges *ranges = nullptr);

} // namespace culink::check
