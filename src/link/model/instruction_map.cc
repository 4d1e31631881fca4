// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The correspondence of instructions before and after finalization. A finalizer keeps their order,
// but removes and inserts some. Both capsules list the same Mercury instructions, and how many
// machine instructions without a Mercury counterpart precede each of them. So an old instruction
// leads to its Mercury instruction, and that to the new one, exactly.
//
// Where code of one member of a family is finalized for another (double precision of sm_100 for
// sm_103), Mercury instructions are replaced too and the counts differ. Then the two codes are
// aligned as texts are compared: by the longest run of equal instructions, and so on to its left
// and right. Equal means equal opcode, predicate and destination (the first three bytes), because
// operands and scheduling bits change.
#include "link/model/instruction_map.h"

#include <algorithm>
#include <map>
#include <optional>

#include "elf/records/nv_capmerc.h"
#include "support/bytes.h"

namespace culink {

namespace {

constexpr u64 kInstructionBytes = 16;

// Numbers of the machine instructions that correspond to Mercury instructions. Nothing for a
// damaged capsule, or one that counts more code than there is.
std::optional<std::vector<u64>> mercury_positions(const CodeWithCapsule &code) {
  const elf::Capsule capsule = elf::decode_capsule(code.capsule);
  if (!capsule.violations.empty() || capsule.machine_count > code.text.size() / kInstructionBytes)
    return std::nullopt;
  return elf::machine_instructions(capsule);
}

// Fills the gaps of a map of some instructions: removed ones map to the next one.
InstructionMap complete(std::vector<std::optional<u32>> known, u32 new_count) {
  std::vector<u32> moved(known.size() + 1, new_count);
  for (size_t i = known.size(); i-- > 0;)
    moved[i] = known[i].value_or(moved[i + 1]);
  return InstructionMap(std::move(moved));
}

// Aligns two lists of keys as a text comparison does.
class CodeAligner {
public:
  CodeAligner(std::vector<u32> before, std::vector<u32> after)
      : before_(std::move(before)), after_(std::move(after)), runs_(after_.size() + 1) {
    for (u32 j = 0; j < after_.size(); ++j)
      positions_[after_[j]].push_back(j);
  }

  // Nothing if it would take too long.
  std::optional<std::vector<std::optional<u32>>> align() {
    std::vector<std::optional<u32>> out(before_.size());
    std::vector<Range> work = {{0, u32(before_.size()), 0, u32(after_.size())}};
    while (!work.empty()) {
      const Range range = work.back();
      work.pop_back();
      const Run run = longest_run(range);
      if (steps_ > kMostSteps)
        return std::nullopt;
      if (run.length == 0)
        continue;
      for (u32 k = 0; k < run.length; ++k)
        out[run.before + k] = run.after + k;
      work.push_back({range.before, run.before, range.after, run.after});
      work.push_back(
          {run.before + run.length, range.before_end, run.after + run.length, range.after_end});
    }
    return out;
  }

private:
  static constexpr u64 kMostSteps = u64{1} << 24;

  struct Range {
    u32 before, before_end, after, after_end;
  };
  struct Run {
    u32 before = 0, after = 0, length = 0;
  };

  // Returns the first of the longest runs. runs_[j + 1] is the run that ended with after_[j] at its
  // last visit; it is valid only if that visit was for the previous instruction.
  Run longest_run(const Range &range) {
    Run best;
    ++pass_;
    for (u32 i = range.before; i < range.before_end && steps_ <= kMostSteps; ++i) {
      const auto found = positions_.find(before_[i]);
      if (found == positions_.end())
        continue;
      const std::vector<u32> &all = found->second;
      for (auto j = all.rbegin(); j != all.rend();
           ++j) { // backwards: runs_[*j] is still the old one
        ++steps_;
        if (*j < range.after || *j >= range.after_end)
          continue;
        const Ending &last = runs_[*j];
        const bool grows = last.pass == pass_ && last.at + 1 == i;
        const u32 length = grows ? last.length + 1 : 1;
        runs_[*j + 1] = {pass_, i, length};
        const bool earlier = length == best.length && best.before + length == i + 1;
        if (length > best.length || earlier)
          best = {i + 1 - length, *j + 1 - length, length};
      }
    }
    return best;
  }

  struct Ending {
    u32 pass = 0, at = 0, length = 0;
  };

  std::vector<u32> before_, after_;
  std::map<u32, std::vector<u32>> positions_; // by key: its positions in `after`
  std::vector<Ending> runs_;
  u64 steps_ = 0;
  u32 pass_ = 0;
};

std::vector<u32> keys_of(ByteSpan text) {
  std::vector<u32> out;
  out.reserve(text.size() / kInstructionBytes);
  for (u64 at = 0; at + kInstructionBytes <= text.size(); at += kInstructionBytes)
    out.push_back(load_le<u32>(text.data() + at) & 0xffffff);
  return out;
}

} // namespace

Result<InstructionMap> map_instructions(const CodeWithCapsule &before,
                                        const CodeWithCapsule &after) {
  const u32 new_count = static_cast<u32>(after.text.size() / kInstructionBytes);
  const std::optional<std::vector<u64>> from = mercury_positions(before);
  const std::optional<std::vector<u64>> to = mercury_positions(after);
  const bool same_mercury = from && to && from->size() == to->size();
  if (before.text.size() == after.text.size() && same_mercury && *from == *to)
    return InstructionMap();
  std::vector<u32> old_keys = keys_of(before.text);
  std::vector<u32> new_keys = keys_of(after.text);
  if (old_keys == new_keys)
    return InstructionMap();
  if (same_mercury) {
    std::vector<std::optional<u32>> known(old_keys.size());
    for (size_t i = 0; i < from->size(); ++i)
      known[(*from)[i]] = static_cast<u32>((*to)[i]);
    return complete(std::move(known), new_count);
  }
  std::optional<std::vector<std::optional<u32>>> known =
      CodeAligner(std::move(old_keys), std::move(new_keys)).align();
  if (!known)
    return Error{"", "", "finalized code cannot be compared with the original in time"};
  return complete(std::move(*known), new_count);
}

} // namespace culink
