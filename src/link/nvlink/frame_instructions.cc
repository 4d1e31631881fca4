// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Call frame instructions (DWARF, section 6.4) as far as a linker has to know them: which ones move
// on in the code, and how long the others are. Their meaning does not matter here. nvlink mixes the
// instructions of two frames (Q106), and merged_frames.cc does so with the maps that are made here.
#include "link/nvlink/frame_instructions.h"

#include <array>
#include <string_view>

#include "base/bytes.h"
#include "elf/codec.h"

namespace culink::nvlink {

namespace {

constexpr u64 kLengthField = 4, kFrameStart = 12, kInstructions = 36, kFrameAlign = 8;
constexpr u8 kAdvance1 = 2, kAdvance4 = 4; // and 3, of two bytes

// Operands by opcode 0 to 0x13: 'u' a number of any length, 'b' a block with its length, '?' one
// that no compiler writes for these targets.
constexpr std::string_view kNone = "", kOne = "u", kTwo = "uu", kBlock = "b",
                           kNumberAndBlock = "ub", kUnknown = "?";
constexpr std::array<std::string_view, 0x14> kOperands = {
    kNone, kUnknown, kNone, kNone,  kNone,           kTwo, kOne, kOne, kOne, kTwo, kNone, kNone,
    kTwo,  kOne,     kOne,  kBlock, kNumberAndBlock, kTwo, kTwo, kOne};

std::string_view operands_of(u8 opcode) {
  if (opcode >> 6 != 0)
    return opcode >> 6 == 2 ? kOne : kNone; // offset; or restore and advance
  return opcode < kOperands.size() ? kOperands[opcode] : kUnknown;
}

class InstructionReader {
public:
  explicit InstructionReader(ByteSpan bytes) : bytes_(bytes) {}

  std::optional<FrameInstructions> read() {
    FrameInstructions out;
    u64 location = 0;
    while (at_ < bytes_.size()) {
      const u64 start = at_;
      const u8 opcode = bytes_[at_++];
      if (opcode == 0)
        continue; // padding
      if (const std::optional<u64> step = advance(opcode)) {
        location += *step;
        out[location];
        continue;
      }
      if (!skip_operands(operands_of(opcode)))
        return std::nullopt;
      const ByteSpan one = bytes_.subspan(start, at_ - start);
      out[location].insert(out[location].end(), one.begin(), one.end());
    }
    return out;
  }

private:
  std::optional<u64> advance(u8 opcode) {
    if (opcode >> 6 == 1)
      return opcode & 63;
    if (opcode < kAdvance1 || opcode > kAdvance4)
      return std::nullopt;
    const u64 size = u64{1} << (opcode - kAdvance1);
    u64 step = 0;
    for (u64 i = 0; i < size && at_ < bytes_.size(); ++i)
      step |= u64{bytes_[at_++]} << (8 * i);
    return step;
  }

  std::optional<u64> number() {
    u64 value = 0;
    for (u32 shift = 0; at_ < bytes_.size() && shift < 64; shift += 7) {
      const u8 byte = bytes_[at_++];
      value |= u64{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0)
        return value;
    }
    return std::nullopt;
  }

  bool skip_operands(std::string_view kinds) {
    for (const char kind : kinds) {
      const std::optional<u64> value = kind == '?' ? std::nullopt : number();
      if (!value || (kind == 'b' && *value > bytes_.size() - at_))
        return false;
      at_ += kind == 'b' ? *value : 0;
    }
    return true;
  }

  ByteSpan bytes_;
  u64 at_ = 0;
};

} // namespace

std::optional<FrameInstructions> read_frame_instructions(ByteSpan fde) {
  if (fde.size() < kInstructions)
    return std::nullopt;
  return InstructionReader(fde.subspan(kInstructions)).read();
}

std::vector<u8> with_frame_instructions(ByteSpan fde, const FrameInstructions &instructions) {
  std::vector<u8> out(fde.begin(), fde.begin() + kInstructions);
  u64 location = 0;
  for (const auto &[at, bytes] : instructions) {
    if (at != location) {
      out.push_back(kAdvance4);
      elf::append_le(out, static_cast<u32>(at - location));
      location = at;
    }
    elf::append_bytes(out, bytes);
  }
  out.resize(align_up(out.size(), kFrameAlign));
  store_le<u64>(out.data() + kLengthField, out.size() - kFrameStart);
  return out;
}

} // namespace culink::nvlink
