// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debug information of the SASS plane. Call frames and line tables are put together function by
// function, because a finalizer makes code and its debug information for each function. Register
// tables keep their blocks, with new offsets in the code. Other sections are joined object by
// object, as in every link.
//
// What may surprise: the part of an object begins at different offsets on the two planes.
// Relocations against it need the offset, so the locations of all sections are part of the result.
#include "link/mercury/sass_debug.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "elf/records/debug_frame.h"
#include "elf/records/nv_registers.h"
#include "elf/target/reloc.h"
#include "link/nvlink/merged_debug.h"
#include "support/bytes.h"
#include "support/string_index.h"

namespace culink {

namespace {

constexpr std::string_view kFrame = ".debug_frame", kLine = ".debug_line",
                           kSassLine = ".nv_debug_line_sass",
                           kRegisters = ".nv_debug_info_reg_sass";

bool is_debug(const OutSection &section) {
  return section.type == elf::SectionType::Progbits && (section.flags & elf::kFlagAlloc) == 0;
}

} // namespace

bool is_rebuilt(std::string_view name) {
  return name == kFrame || name == kLine || name == kSassLine;
}

void report_broken(const SassContext &c, u32 object, const elf::Section &section, std::string what,
                   Diagnostics &diag) {
  diag.report(DiagId::BadInput, {c.sass.objects[object].name,
                                 elf::describe_section(section) + ": " + std::move(what)});
}

const FinalizedDebug *FinalizedParts::debug_of(u32 object, EntityId function) const {
  if (const nvlink::MergedDebug::Function *merged = merged_.find(function))
    return merged->parts;
  const SassCode *code = code_.find(context_.layout(), function);
  return code && code->finalized && code->definition.object == ObjectId(object)
             ? &code->finalized->debug
             : nullptr;
}

DebugSection join_parts(const SassContext &c, OutId id) {
  DebugSection out;
  out.id = id;
  u64 size = 0;
  const bool is_shared = c.shape.counterpart_of(id) == Counterpart::Shared;
  for (u32 o = 0; o < c.sass.objects.size(); ++o)
    if (const elf::Section *from = c.sass_part(o, id)) {
      out.parts.push_back({o, from->index, size});
      if (!is_shared)
        out.bytes.insert(out.bytes.end(), from->data.begin(), from->data.end());
      size += from->data.size();
    }
  out.size = size;
  return out;
}

SassDebug make_sass_debug(const SassContext &c, const SassCodeList &code,
                          const nvlink::MergedDebug &merged, Diagnostics &diag) {
  SassDebug out{{}, c.layout().placement.location_of};
  const auto add = [&out](DebugSection section) {
    for (const DebugSection::Part &part : section.parts)
      out.location_of[part.object][part.section].offset = part.offset;
    out.sections.push_back(std::move(section));
  };
  const OutId frame = c.layout().sections.find(kFrame);
  if (frame.valid() && c.section(frame).emitted())
    add(make_sass_frames(c, code, merged, frame, diag));
  // Line tables refer to other sections, so those come first.
  for (const OutId id : c.shape.order)
    if (is_debug(c.section(id)) && !is_rebuilt(c.name(id)))
      add(c.name(id) == kRegisters ? make_sass_registers(c, code, merged, id) : join_parts(c, id));
  for (const OutId id : c.shape.order)
    if (is_debug(c.section(id)) && (c.name(id) == kLine || c.name(id) == kSassLine))
      add(make_sass_lines(c, code, merged, out.location_of, id, diag));
  return out;
}

// Call frames of the SASS plane: of each function in the output, its FDE after a copy of its CIE.
// Frames of the Mercury plane with a kept relocation define the functions that have frames, and the
// order of their relocations; the frames themselves come from the finalizer or the object.
//
// What may surprise: code has further frames for functions that `nvcc -ewp` has left inside a
// kernel. The address in such a frame has an addend, here an offset in the SASS, and its CIE holds
// the address of the kernel.

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

  // An address of code, and the offset in the code that it means.
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
  // Notes the address in the next CIE, a copy of a CIE of the Mercury plane, if that has one.
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

// Line tables of the SASS plane (.debug_line for sources, .nv_debug_line_sass for PTX). An object
// has one or more units: a head, and sequences, each of which starts with the address of a
// function. A unit of the output has its head and one sequence for each function in the output, in
// the order of the symbol table; the finalizer's where there is one.
//
// What may surprise: a head may hold the offset of its object's strings. Only the Mercury plane,
// with equal heads, has relocations for it.

namespace {

constexpr u64 kLengthSize = 4;      // of a unit, in front of it
constexpr u64 kSequenceAddress = 3; // DW_LNE_set_address: 00 09 02, then the address
constexpr std::array<u8, 3> kEndSequence = {0, 1, 1}; // DW_LNE_end_sequence

struct LineUnit {
  u64 offset = 0; // in the section
  ByteSpan head;
  struct Sequence {
    u32 symbol;
    ByteSpan bytes;
  };
  std::vector<Sequence> sequences;
};

// Nothing for a damaged section. `addresses`: of code, by offset.
std::optional<std::vector<LineUnit>> split_lines(ByteSpan section,
                                                 const std::vector<CodeAddress> &addresses) {
  std::vector<LineUnit> out;
  auto next = addresses.begin();
  for (u64 at = 0; at < section.size();) {
    const std::optional<ByteSpan> length = slice(section, at, kLengthSize);
    if (!length || load_le<u32>(length->data()) > section.size() - at - kLengthSize)
      return std::nullopt;
    const u64 end = at + kLengthSize + load_le<u32>(length->data());
    LineUnit &unit = out.emplace_back();
    unit.offset = at;
    u64 start = at;
    const auto close = [&](u64 to) {
      const ByteSpan bytes = section.subspan(start, to - start);
      if (unit.sequences.empty())
        unit.head = bytes;
      else
        unit.sequences.back().bytes = bytes;
      start = to;
    };
    for (; next != addresses.end() && next->offset < end; ++next) {
      if (next->offset < start + kSequenceAddress)
        return std::nullopt;
      close(next->offset - kSequenceAddress);
      unit.sequences.push_back({next->symbol, {}});
    }
    close(end);
    if (unit.head.size() < kLengthSize)
      return std::nullopt;
    at = end;
  }
  return out;
}

struct HeadValue {
  u32 unit;   // of a line table
  u64 offset; // in the unit
  u32 value;
};

std::vector<HeadValue> values_in_heads(const InputObject &mercury,
                                       std::span<const SectionLocation> locations, u32 section) {
  std::vector<u64> starts;
  const ByteSpan lines = mercury.section(section).data;
  for (u64 at = 0; lines.size() - at >= kLengthSize;) {
    starts.push_back(at);
    const u64 length = load_le<u32>(lines.data() + at);
    at += kLengthSize + std::min<u64>(length, lines.size() - at - kLengthSize);
  }
  std::vector<HeadValue> out;
  for (const elf::Section &table : mercury.view.sections()) {
    if (!elf::is_relocation_table(table.type) || table.info != section)
      continue;
    for (const elf::Relocation entry : mercury.view.relocations(table)) {
      const elf::Symbol &symbol = mercury.symbols[entry.symbol];
      if (symbol.type() != elf::SymbolType::Section || !symbol.in_section())
        continue;
      const auto unit = std::upper_bound(starts.begin(), starts.end(), entry.offset);
      if (unit == starts.begin())
        continue;
      const u64 value = locations[symbol.section].offset + static_cast<u64>(entry.addend);
      out.push_back({static_cast<u32>(unit - starts.begin() - 1), entry.offset - *std::prev(unit),
                     static_cast<u32>(value)});
    }
  }
  return out;
}

// True if a sequence is about code that is in the output.
bool is_needed(const SassContext &c, const SassCodeList &code, const nvlink::MergedDebug &merged,
               SymbolRef symbol) {
  const EntityId function = c.mercury.symbols.of(symbol.object, symbol.symbol);
  if (!function.valid() || !c.mercury.is_live(function))
    return false;
  const bool is_merged =
      merged.find(function) && !c.layout().relocs.has_overridden[function.value] &&
      c.mercury.symbols.outcome(symbol.object, symbol.symbol) == DefinitionOutcome::Accepted;
  return is_merged ||
         (c.mercury.symbols[function].prevailing == symbol && code.find(c.layout(), function));
}

// Sequences of the output, in the order of the symbol table.
struct FunctionLines {
  EntityId function;
  ByteSpan bytes;
};

std::vector<FunctionLines> choose_sequences(const SassContext &c, const SassCodeList &code,
                                            const nvlink::MergedDebug &merged, u32 object,
                                            const LineUnit &unit,
                                            std::vector<ByteSpan> FinalizedDebug::*made_lines,
                                            FinalizedParts &parts) {
  std::vector<FunctionLines> out;
  for (const LineUnit::Sequence &sequence : unit.sequences) {
    const SymbolRef symbol{ObjectId(object), sequence.symbol};
    if (!is_needed(c, code, merged, symbol))
      continue;
    const EntityId function = c.mercury.symbols.of(symbol.object, symbol.symbol);
    const ByteSpan *made = parts.next(object, function, made_lines);
    out.push_back({function, made ? *made : sequence.bytes});
  }
  std::stable_sort(out.begin(), out.end(), [&](const FunctionLines &a, const FunctionLines &b) {
    return c.symbol_rank[a.function.value] < c.symbol_rank[b.function.value];
  });
  return out;
}

} // namespace

DebugSection make_sass_lines(const SassContext &c, const SassCodeList &code,
                             const nvlink::MergedDebug &merged, const LocationOf &location_of,
                             OutId id, Diagnostics &diag) {
  DebugSection out;
  out.id = id;
  std::vector<u8> &bytes = out.bytes;
  FinalizedParts parts(c, code, merged);
  const auto made_lines =
      c.name(id) == ".debug_line" ? &FinalizedDebug::lines : &FinalizedDebug::sass_lines;
  const OutId table = relocation_table_of(c.layout(), id);
  for (u32 o = 0; o < c.sass.objects.size(); ++o) {
    const elf::Section *from = c.sass_part(o, id);
    if (!from)
      continue;
    out.parts.push_back({o, from->index, bytes.size()});
    const auto units = split_lines(from->data, code_addresses(c.sass.objects[o], from->index));
    if (!units) {
      report_broken(c, o, *from, "a broken line table", diag);
      continue;
    }
    const std::vector<HeadValue> head_values =
        values_in_heads(c.mercury.objects[o], location_of[o], from->index);
    for (u32 number = 0; number < units->size(); ++number) {
      const LineUnit &unit = (*units)[number];
      const u64 start = bytes.size();
      out.units.push_back({o, {from->index, unit.offset, unit.offset + 1, start}});
      bytes.insert(bytes.end(), unit.head.begin(), unit.head.end());
      for (const HeadValue &value : head_values)
        if (value.unit == number && value.offset + 4 <= unit.head.size())
          store_le<u32>(bytes.data() + start + value.offset, value.value);
      const std::vector<FunctionLines> sequences =
          choose_sequences(c, code, merged, o, unit, made_lines, parts);
      for (const FunctionLines &one : sequences) {
        if (table.valid())
          out.addresses.push_back({.table = table,
                                   .id = one.function.value,
                                   .offset = bytes.size() + kSequenceAddress,
                                   .type = arch::reloc_for(arch::RelocRole::CodeAddress).number,
                                   .against = KeptRelocation::Against::Entity});
        bytes.insert(bytes.end(), one.bytes.begin(), one.bytes.end());
      }
      if (sequences.empty() && c.mercury.policy.ends_empty_lines)
        bytes.insert(bytes.end(), kEndSequence.begin(), kEndSequence.end());
      store_le<u32>(bytes.data() + start, static_cast<u32>(bytes.size() - start - kLengthSize));
    }
  }
  if (c.shape.counterpart_of(id) == Counterpart::Shared)
    bytes.clear();
  return out;
}

// .nv_debug_info_reg_sass records the register of each variable for a range of the code. Objects
// have a block for each function that was compiled with -G; blocks of all objects are kept, one
// object after the other, with offsets in the code of the output.
//
// What may surprise: functions are found by name. Only the first block of a name is used, whichever
// object has the code; in all others the offsets become 0.

using elf::RegisterBlock;

namespace {

void clear_offsets(std::span<u8> table, const RegisterBlock &block) {
  for (const RegisterBlock::Record &record : block.records)
    std::memset(table.data() + record.offset, 0, 2 * sizeof(u32));
}

void move_offsets(std::span<u8> table, const RegisterBlock &block, const SassCode &code) {
  if (!code.moves())
    return;
  for (const RegisterBlock::Record &record : block.records) {
    store_le<u32>(table.data() + record.offset, static_cast<u32>(code.moved(record.start)));
    store_le<u32>(table.data() + record.offset + 4, static_cast<u32>(code.moved(record.end)));
  }
}

// Stores the records with the finalizer's offsets, if it has made them.
void take_block(std::span<u8> table, const RegisterBlock &block, const ByteSpan *made) {
  if (made && made->size() == block.bytes.size())
    std::copy(made->begin(), made->end(), table.begin() + static_cast<i64>(block.offset));
}

class RegisterMover {
public:
  RegisterMover(const SassContext &c, const SassCodeList &code, const nvlink::MergedDebug &merged)
      : c_(c), code_(code), merged_(merged), first_of_name_(first_functions_of_name(c)),
        parts_(c, code, merged) {}

  // Changes the blocks of one object.
  void move(std::span<u8> table, u32 object) {
    const InputObject &input = c_.sass.objects[object];
    NameMap<u32> functions;
    for (u32 i = 0; i < input.symbols.size(); ++i)
      if (input.symbols[i].type() == elf::SymbolType::Function)
        functions.emplace(input.symbols[i].name, i);
    for (const RegisterBlock &block : elf::split_registers(table)) {
      const auto found = functions.find(block.function);
      const auto owner = first_of_name_.find(block.function);
      if (found == functions.end() || owner == first_of_name_.end())
        clear_offsets(table, block);
      else
        move_block(table, block, {ObjectId(object), found->second}, *owner);
    }
  }

private:
  void move_block(std::span<u8> table, const RegisterBlock &block, SymbolRef symbol,
                  const FunctionsByName::value_type &owner) {
    const u32 object = symbol.object.value;
    const EntityId function = c_.mercury.symbols.of(symbol.object, symbol.symbol);
    const nvlink::MergedDebug::Function *merged =
        function == owner.second ? merged_.find(function) : nullptr;
    const bool counts =
        merged ? std::binary_search(merged->objects.begin(), merged->objects.end(), object)
               : described_.insert(owner.first).second;
    const auto foreign = merged_.foreign_registers.find({object, block.function});
    const SymbolRef prevailing = c_.mercury.symbols[owner.second].prevailing;
    if (!counts)
      clear_offsets(table, block);
    else if (merged || prevailing == symbol)
      take_block(table, block, parts_.next(object, function, &FinalizedDebug::registers));
    else if (foreign != merged_.foreign_registers.end())
      take_block(table, block, &foreign->second);
    else if (have_equal_code(c_.planes(), symbol, prevailing))
      move_offsets(table, block, *code_.find(c_.layout(), owner.second));
    else
      clear_offsets(table, block);
  }

  const SassContext &c_;
  const SassCodeList &code_;
  const nvlink::MergedDebug &merged_;
  FunctionsByName first_of_name_;
  FinalizedParts parts_;
  NameSet described_; // functions
};

} // namespace

DebugSection make_sass_registers(const SassContext &c, const SassCodeList &code,
                                 const nvlink::MergedDebug &merged, OutId id) {
  DebugSection out = join_parts(c, id);
  if (out.bytes.empty())
    return out;
  RegisterMover mover(c, code, merged);
  for (size_t i = 0; i < out.parts.size(); ++i) {
    const u64 begin = out.parts[i].offset;
    const u64 end = i + 1 < out.parts.size() ? out.parts[i + 1].offset : out.bytes.size();
    mover.move(std::span(out.bytes).subspan(begin, end - begin), out.parts[i].object);
  }
  return out;
}

} // namespace culink
