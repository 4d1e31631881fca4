// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Restores code that a finalizer has changed. A finalizer may add and remove instructions that do
// nothing, add barriers, remove a barrier before a stronger one, and encode an instruction
// differently. All other instructions must follow each other as in the definition; branches, return
// addresses and branch tables must lead to the same instructions. The code of the output is then
// copied into the order of the definition, with its fields, so that all other parts (place.cc,
// contents.cc) can compare it as if nothing had moved. If the instructions differ, nothing is
// restored, and the comparison of bytes reports the difference.
#include <algorithm>
#include <array>

#include "elf/records/nv_info.h"
#include "elf/target/instructions.h"
#include "support/bytes.h"
#include "verify/link/link.h"

namespace culink::check {

namespace {

using arch::Barrier;
using arch::kInstructionSize;

struct Code {
  ByteSpan bytes;

  [[nodiscard]] u64 count() const { return bytes.size() / kInstructionSize; }
  [[nodiscard]] ByteSpan operator[](u64 i) const {
    return bytes.subspan(i * kInstructionSize, kInstructionSize);
  }
  // Returns the first instruction from `i` on that has an effect.
  [[nodiscard]] u64 next(u64 i) const {
    while (i < count() && arch::does_nothing((*this)[i]))
      ++i;
    return i;
  }
};

u16 operation_of(ByteSpan code) {
  return load_le<u16>(code.data()) & 0xfff;
}

// Returns an instruction with the constant of another one.
std::array<u8, kInstructionSize> with_constant_of(ByteSpan code, ByteSpan other) {
  std::array<u8, kInstructionSize> result{};
  std::copy_n(code.begin(), result.size(), result.begin());
  std::copy_n(other.begin() + arch::kConstantByte, sizeof(u32),
              result.begin() + arch::kConstantByte);
  return result;
}

class Restorer {
public:
  Restorer(ByteSpan in, ByteSpan out, std::vector<bool> relocated)
      : in_{in}, out_{out}, relocated_(std::move(relocated)) {}

  // Returns an empty result if no instruction has moved, or if the instructions differ.
  [[nodiscard]] RestoredCode run() {
    if (is_in_place() || !align())
      return {};
    result_.code.assign(in_.bytes.begin(), in_.bytes.end());
    for (u64 i = 0; i < in_.count(); ++i)
      if (result_.place[i] != kNone)
        restore(i);
    return std::move(result_);
  }

private:
  [[nodiscard]] bool is_in_place() const {
    if (in_.bytes.size() != out_.bytes.size())
      return false;
    for (u64 i = 0; i < in_.count(); ++i)
      if (!arch::is_same_instruction(in_[i], out_[i]) &&
          !(relocated_[i] && operation_of(in_[i]) == operation_of(out_[i])))
        return false;
    return true;
  }

  // Fields are compared later, when their expected values are known.
  [[nodiscard]] bool is_same(u64 from, u64 to) const {
    const ByteSpan a = in_[from], b = out_[to];
    if (arch::is_same_instruction(a, b))
      return true;
    if (relocated_[from])
      return operation_of(a) == operation_of(b) ||
             arch::is_other_spelling(with_constant_of(a, b), b);
    if (has_return_address(from))
      return arch::is_same_instruction(with_constant_of(a, b), b);
    if (operation_of(a) != operation_of(b) || !arch::branch_distance(a))
      return false;
    std::array<u8, kInstructionSize> branch{};
    std::copy_n(b.begin(), branch.size(), branch.begin());
    arch::set_branch_distance(branch, *arch::branch_distance(a));
    return arch::is_same_instruction(a, branch);
  }

  // True for debugging code that waits at the end of a kernel and then reports errors, and for a
  // barrier before another one, which has no effect.
  [[nodiscard]] bool may_be_removed(u64 from) const {
    const Barrier barrier = arch::barrier_of(in_[from]);
    if (barrier == Barrier::ReportErrors) {
      u64 first = from;
      while (first > 0 && arch::barrier_of(in_[first]) == Barrier::ReportErrors)
        --first;
      return arch::barrier_of(in_[first]) == Barrier::EndOfKernel && result_.place[first] == kNone;
    }
    if (barrier == Barrier::EndOfKernel)
      return true;
    const u64 next = in_.next(from + 1);
    return barrier == Barrier::Memory && next < in_.count() &&
           arch::barrier_of(in_[next]) == Barrier::Memory;
  }

  // Returns false if the instructions differ.
  [[nodiscard]] bool align() {
    result_.place.assign(in_.count(), kNone);
    result_.origin.assign(out_.count(), kNone);
    u64 from = in_.next(0), to = out_.next(0);
    while (from < in_.count() || to < out_.count()) {
      if (from < in_.count() && to < out_.count() && is_same(from, to)) {
        result_.place[from] = static_cast<u32>(to);
        result_.origin[to] = static_cast<u32>(from);
        from = in_.next(from + 1);
        to = out_.next(to + 1);
      } else if (from < in_.count() && may_be_removed(from)) {
        from = in_.next(from + 1);
      } else if (to < out_.count() && arch::barrier_of(out_[to]) != Barrier::None) {
        to = out_.next(to + 1);
      } else {
        return false;
      }
    }
    return true;
  }

  // True if the constant is the return address of the next call within the same code.
  [[nodiscard]] bool has_return_address(u64 from) const {
    const std::optional<u32> place = arch::moved_constant(in_[from]);
    const u64 behind = place.value_or(0) / kInstructionSize;
    if (relocated_[from] || place.value_or(1) % kInstructionSize != 0 || behind <= from + 1 ||
        behind > in_.count())
      return false;
    u64 call = from + 1;
    while (call < behind && !arch::is_local_call(in_[call]))
      ++call;
    return call + 1 == behind;
  }

  // Copies an instruction of the output, in the encoding and at the place of the definition.
  void restore(u64 from) {
    const u64 to = result_.place[from];
    const ByteSpan a = in_[from], b = out_[to];
    const std::span<u8> code =
        std::span(result_.code).subspan(from * kInstructionSize, kInstructionSize);
    if (operation_of(a) != operation_of(b)) {
      if (relocated_[from])
        std::ranges::copy(with_constant_of(a, b), code.begin());
      return;
    }
    if (arch::is_other_spelling(a, b))
      return;
    std::ranges::copy(b, code.begin());
    if (has_return_address(from)) {
      const u64 place = result_.place_before(*arch::moved_constant(a), *arch::moved_constant(b));
      store_le<u32>(code.data() + arch::kConstantByte, static_cast<u32>(place));
    } else if (!relocated_[from] && arch::branch_distance(a)) {
      const u64 end = (from + 1) * kInstructionSize, end_of_other = (to + 1) * kInstructionSize;
      const u64 place =
          result_.place_before(end + static_cast<u64>(*arch::branch_distance(a)),
                               end_of_other + static_cast<u64>(*arch::branch_distance(b)));
      arch::set_branch_distance(code, static_cast<i64>(place - end));
    }
  }

  const Code in_, out_;
  const std::vector<bool> relocated_; // by instruction of the definition
  RestoredCode result_;
};

std::vector<bool> relocated_instructions(const Object &object, u32 section) {
  std::vector<bool> out(object.section(section).data.size() / kInstructionSize);
  object.each_relocation(section, [&out](const elf::Relocation &entry, bool) {
    if (const u64 at = entry.offset / kInstructionSize; at < out.size())
      out[at] = true;
  });
  return out;
}

} // namespace

bool RestoredCode::moved() const {
  for (u32 i = 0; i < place.size(); ++i)
    if (place[i] != kNone && place[i] != i)
      return true;
  return place.size() != origin.size();
}

std::optional<u64> RestoredCode::origin_of(u64 offset) const {
  const u64 at = offset / kInstructionSize;
  if (at >= origin.size() || origin[at] == kNone)
    return std::nullopt;
  return origin[at] * kInstructionSize + offset % kInstructionSize;
}

u64 RestoredCode::first_kept(u64 offset) const {
  u64 at = offset / kInstructionSize;
  while (at < place.size() && place[at] == kNone)
    ++at;
  return at * kInstructionSize + offset % kInstructionSize;
}

u64 RestoredCode::first_kept_of_output(u64 offset) const {
  u64 at = offset / kInstructionSize;
  while (at < origin.size() && origin[at] == kNone)
    ++at;
  return (at < origin.size() ? origin[at] : place.size() + at - origin.size()) * kInstructionSize +
         offset % kInstructionSize;
}

u64 RestoredCode::place_before(u64 before, u64 after) const {
  const u64 found = first_kept_of_output(after);
  return first_kept(before) == found ? before : found;
}

namespace {

// Returns the possible targets of computed branches.
std::vector<u32> branch_targets(const Object &object, u32 code) {
  std::vector<u32> out;
  for (const elf::InfoRecord &record : object.records(code)) {
    const elf::InfoValue value = elf::decode_value(record);
    if (const auto *table = std::get_if<elf::InfoBranchTargets>(&value))
      for (const elf::InfoBranch &branch : table->branches)
        out.insert(out.end(), branch.targets.begin(), branch.targets.end());
  }
  std::sort(out.begin(), out.end());
  return out;
}

bool is_branch_table(ByteSpan constant, const std::vector<u32> &targets) {
  for (u64 at = 0; at < constant.size(); at += sizeof(u32))
    if (constant.size() - at < sizeof(u32) ||
        !std::binary_search(targets.begin(), targets.end(), load_le<u32>(constant.data() + at)))
      return false;
  return true;
}

} // namespace

std::vector<u8> restore_tables(const Link &link, const CodePlace &code, u32 bank, u32 out,
                               u64 base) {
  const Object &object = link.program.objects[code.object];
  const ByteSpan before = object.section(bank).data, after = link.out.section(out).data;
  std::vector<u8> bytes(after.begin(), after.end());
  const std::vector<u32> targets = branch_targets(object, code.section);
  for (const elf::Symbol &symbol : object.symbols) {
    const std::optional<ByteSpan> constant =
        symbol.section == bank ? slice(before, symbol.value, symbol.size) : std::nullopt;
    if (!constant || !is_branch_table(*constant, targets))
      continue;
    const u64 begin = base + symbol.value;
    for (u64 at = 0; at < symbol.size && begin + at + sizeof(u32) <= bytes.size();
         at += sizeof(u32)) {
      u8 *word = bytes.data() + begin + at;
      store_le<u32>(word, static_cast<u32>(code.restored.place_before(
                              load_le<u32>(constant->data() + at), load_le<u32>(word))));
    }
  }
  return bytes;
}

RestoredCode restore_code(const Link &link, const CodePlace &code) {
  const Object &object = link.program.objects[code.object];
  return Restorer(object.section(code.section).data, link.out.section(code.out).data,
                  relocated_instructions(object, code.section))
      .run();
}

} // namespace culink::check
