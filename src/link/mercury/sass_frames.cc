// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Call frames of the SASS plane: of each function in the output, its FDE after a copy of its CIE.
// Frames of the Mercury plane whose relocation was kept say which functions have frames, and in
// which order relocations name them; the frames themselves are the finalizer's or the object's.
//
// What may surprise: code has further frames for functions that `nvcc -ewp` has left inside a
// kernel. The addresses of those have addends, which are offsets in the SASS here, and their CIEs
// have the address of the kernel in them.
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "arch/reloc.h"
#include "base/bytes.h"
#include "elf/records/debug_frame.h"
#include "link/mercury/sass_debug.h"
#include "link/nvlink/merged_frames.h"

namespace culink {

using elf::FrameRecord;
using Frame = FinalizedDebug::Frame;

namespace {

// Returns where the address of the code goes.
u64 append_frame(std::vector<u8> &section, const Frame &frame) {
  const u64 cie = section.size(), fde = cie + frame.cie.size();
  section.insert(section.end(), frame.cie.begin(), frame.cie.end());
  section.insert(section.end(), frame.fde.begin(), frame.fde.end());
  store_le<u64>(section.data() + fde + elf::kFrameCie, cie);
  return fde + elf::kFrameAddress;
}

// Call frames of SASS for those of Mercury code, by the function they are about. An object that an
// earlier link has made has frames of more functions on its Mercury plane.
class FrameFinder {
public:
  FrameFinder(const InputObject &sass, const InputObject &mercury, u32 section,
              const std::vector<FrameRecord> &records) {
    std::unordered_map<u64, Frame> by_address;
    ByteSpan cie;
    for (const FrameRecord &record : records)
      if (record.is_cie)
        cie = record.bytes;
      else
        by_address.emplace(record.offset + elf::kFrameAddress, Frame{cie, record.bytes});
    const std::vector<CodeAddress> addresses = code_addresses(sass, section);
    for (auto one = addresses.rbegin(); one != addresses.rend(); ++one)
      if (const auto found = by_address.find(one->offset); found != by_address.end())
        frames_[one->symbol].push_back(found->second);
    for (const CodeAddress &address : code_addresses(mercury, section))
      symbol_at_.emplace(address.offset, address.symbol);
  }

  // Nothing for a CIE, and where there is none.
  [[nodiscard]] Frame take(const FrameRecord &mercury) {
    const auto named = symbol_at_.find(mercury.offset + elf::kFrameAddress);
    if (mercury.is_cie || named == symbol_at_.end())
      return {};
    std::vector<Frame> &list = frames_[named->second];
    if (list.empty())
      return {};
    const Frame frame = list.back();
    list.pop_back();
    return frame;
  }

private:
  std::unordered_map<u32, std::vector<Frame>> frames_; // by symbol, the last one first
  std::unordered_map<u64, u32> symbol_at_;             // in the Mercury section
};

// By offset in the Mercury section: the relocation that stores an address of code.
using AddressAt = std::map<u64, const KeptRelocation *>;

nvlink::FrameMerger make_merger(const SassContext &c, const FinalizedParts &parts,
                                const nvlink::MergedDebug &merged, OutId id,
                                const AddressAt &address_at) {
  std::unordered_map<u32, u32> count;
  std::unordered_set<u32> with_inner; // their frames are of different functions
  for (const auto &[offset, kept] : address_at)
    if (kept->against == KeptRelocation::Against::Entity) {
      ++count[kept->id];
      if (kept->addend != 0)
        with_inner.insert(kept->id);
    }
  for (const u32 function : with_inner)
    count[function] = 1;
  return nvlink::FrameMerger({.program = c.mercury,
                              .sass = c.sass.objects,
                              .layout = c.layout(),
                              .section = id,
                              .merged = merged,
                              .alias_owners = c.alias_owners,
                              .count = std::move(count),
                              .finalized = [&parts](u32 object, EntityId function) {
                                return parts.debug_of(object, function);
                              }});
}

// Puts the section together, one object after the other.
class FrameJoiner {
public:
  FrameJoiner(const SassContext &c, const SassCodeList &code, const nvlink::MergedDebug &merged,
              OutId id, const AddressAt &address_at)
      : c_(c), id_(id), address_at_(address_at), parts_(c, code, merged),
        merger_(make_merger(c, parts_, merged, id, address_at)) {}

  void add(u32 object, Diagnostics &diag) {
    const elf::Section *section = c_.sass_part(object, id_);
    if (!section)
      return;
    const InputObject &plane = c_.mercury.objects[object];
    const auto sass = elf::split_frames(section->data);
    const auto mercury = elf::split_frames(plane.section(section->index).data);
    if (!sass || !mercury) {
      report_broken(c_, object, *section, "broken call frames", diag);
      return;
    }
    FrameFinder frames(c_.sass.objects[object], plane, section->index, *sass);
    const u64 base = c_.layout().placement.location_of[object][section->index].offset;
    FrameRecord mercury_cie;
    for (const FrameRecord &record : *mercury) {
      if (record.is_cie)
        mercury_cie = record;
      Frame frame = frames.take(record);
      const auto found = address_at_.find(base + record.offset + elf::kFrameAddress);
      if (frame.fde.empty() || found == address_at_.end() ||
          found->second->against != KeptRelocation::Against::Entity)
        continue;
      const EntityId function(found->second->id);
      if (const Frame *made = parts_.next(object, function, &FinalizedDebug::frames))
        frame = *made;
      const bool inner = found->second->addend != 0;
      if (!inner)
        frame = merger_.choose(function, frame, {mercury_cie.bytes, record.bytes});
      move_address_in_cie(base + mercury_cie.offset, frame.cie.size());
      const u64 place = append_frame(bytes_, frame);
      moved_[found->first] = {place, inner ? stored_at(place) : 0};
    }
  }

  // An address of code, and the offset in the code that it stands for.
  struct Place {
    u64 offset = 0;
    i64 addend = 0;
  };
  // Where an address of code went.
  [[nodiscard]] std::optional<Place> moved(u64 offset) const {
    const auto found = moved_.find(offset);
    return found == moved_.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] std::vector<u8> take_bytes() { return std::move(bytes_); }

private:
  // The next CIE, a copy of one of the Mercury plane, has the address of a function where that has.
  void move_address_in_cie(u64 mercury_cie, u64 size) {
    const auto found = address_at_.lower_bound(mercury_cie);
    if (found != address_at_.end() && found->first + sizeof(u64) <= mercury_cie + size)
      moved_[found->first] = {
          c_.mercury.policy.loses_place_in_cie ? 0 : bytes_.size() + found->first - mercury_cie};
  }

  // Fields of addresses hold the addends, too.
  [[nodiscard]] i64 stored_at(u64 place) const {
    return static_cast<i64>(load_le<u64>(bytes_.data() + place));
  }

  const SassContext &c_;
  OutId id_;
  const AddressAt &address_at_;
  FinalizedParts parts_;
  nvlink::FrameMerger merger_;
  std::vector<u8> bytes_;
  std::unordered_map<u64, Place> moved_; // from the Mercury section to this one
};

} // namespace

DebugSection make_sass_frames(const SassContext &c, const SassCodeList &code,
                              const nvlink::MergedDebug &merged, OutId id, Diagnostics &diag) {
  std::vector<const KeptRelocation *> kept;
  AddressAt address_at;
  for (const KeptRelocation &one : c.plan.relocations.kept)
    if (c.section(one.table).target() == id) {
      kept.push_back(&one);
      address_at.emplace(one.offset, &one);
    }
  FrameJoiner frames(c, code, merged, id, address_at);
  for (u32 o = 0; o < c.sass.objects.size(); ++o)
    frames.add(o, diag);
  DebugSection out;
  out.id = id;
  const OutId table = relocation_table_of(c.layout(), id);
  for (const KeptRelocation *one : kept)
    if (const auto place = frames.moved(one->offset); place && table.valid())
      out.addresses.push_back({.table = table,
                               .id = one->id,
                               .offset = place->offset,
                               .addend = place->addend,
                               .type = arch::reloc_for(arch::RelocRole::CodeAddress).number,
                               .against = KeptRelocation::Against::Entity});
  out.bytes = frames.take_bytes();
  return out;
}

} // namespace culink
