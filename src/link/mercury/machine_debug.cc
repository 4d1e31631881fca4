// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debug information of machine code in a file with both forms. Sections that say something about
// places in the code are put together anew, function by function, because the finalizer has made
// the code anew: call frames of the functions that are in the output, each behind a copy of its
// CIE, and line tables with one sequence for each of them, in the order of the symbol table. All
// others are joined file by file, as in every link.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/bytes.h"
#include "elf/records/nv_registers.h"
#include "link/emulate/frame_instructions.h"
#include "link/mercury/machine_writer.h"

namespace culink {

using elf::SectionType;

namespace {

constexpr std::string_view kFrame = ".debug_frame", kLine = ".debug_line",
                           kSassLine = ".nv_debug_line_sass",
                           kRegisters = ".nv_debug_info_reg_sass";
constexpr u32 kAddress64 = 2; // R_CUDA_64

// A record of .debug_frame in the 64-bit format: ff ff ff ff, a length, then a mark of CIEs or a
// pointer to one, then, in an FDE, the address of the code.
struct FrameRecord {
  u64 offset = 0;
  ByteSpan bytes;
  bool is_cie = false;
};
constexpr u64 kFrameHead = 12, kFrameAddress = 20;

std::optional<std::vector<FrameRecord>> split_frames(ByteSpan section) {
  std::vector<FrameRecord> out;
  for (u64 at = 0; at < section.size();) {
    const std::optional<ByteSpan> head = slice(section, at, kFrameAddress);
    if (!head || load_le<u32>(head->data()) != 0xffffffff)
      return std::nullopt;
    const u64 length = load_le<u64>(head->data() + 4);
    if (length < 8 || length > section.size() - at - kFrameHead)
      return std::nullopt;
    const u64 size = length + kFrameHead;
    out.push_back(
        {at, section.subspan(at, size), load_le<u64>(head->data() + kFrameHead) == ~u64{0}});
    if (!out.back().is_cie && size < kFrameAddress + 8)
      return std::nullopt;
    at += size;
  }
  return out;
}

// The part of a line table for one unit of compilation: its head, and sequences that start with the
// address of a function (00 09 02, then the address).
struct LineUnit {
  u64 offset = 0; // in the section
  ByteSpan head;
  struct Sequence {
    u32 symbol;
    ByteSpan bytes;
  };
  std::vector<Sequence> sequences;
};
constexpr u64 kSequenceAddress = 3;

using CodeAddresses = std::vector<std::pair<u64, u32>>; // offset, symbol; ascending

std::optional<std::vector<LineUnit>> split_lines(ByteSpan section, const CodeAddresses &addresses) {
  std::vector<LineUnit> out;
  auto next = addresses.begin();
  for (u64 at = 0; at < section.size();) {
    const std::optional<ByteSpan> head = slice(section, at, 4);
    if (!head || load_le<u32>(head->data()) > section.size() - at - 4)
      return std::nullopt;
    const u64 end = at + 4 + load_le<u32>(head->data());
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
    for (; next != addresses.end() && next->first < end; ++next) {
      if (next->first < start + kSequenceAddress)
        return std::nullopt;
      close(next->first - kSequenceAddress);
      unit.sequences.push_back({next->second, {}});
    }
    close(end);
    if (unit.head.size() < 4)
      return std::nullopt;
    at = end;
  }
  return out;
}

CodeAddresses code_addresses(const InputObject &object, u32 target) {
  CodeAddresses out;
  for (const elf::Section &table : object.view.sections()) {
    if (table.type != SectionType::Rela || table.info != target)
      continue;
    const elf::RelocationTable entries = object.view.relocations(table);
    for (u32 i = 0; i < entries.size(); ++i)
      if (const elf::Relocation entry = entries[i];
          object.symbols[entry.symbol].type() == elf::SymbolType::Function)
        out.emplace_back(entry.offset, entry.symbol);
  }
  std::sort(out.begin(), out.end());
  return out;
}

using Frame = FinalizedDebug::Frame;

void clear_places(std::span<u8> table, const elf::RegisterBlock &block) {
  for (const elf::RegisterBlock::Record &record : block.records)
    std::memset(table.data() + record.offset, 0, 2 * sizeof(u32));
}

// Returns where the address of the code goes.
u64 append_frame(std::vector<u8> &section, const Frame &frame) {
  const u64 cie = section.size(), fde = cie + frame.cie.size();
  section.insert(section.end(), frame.cie.begin(), frame.cie.end());
  section.insert(section.end(), frame.fde.begin(), frame.fde.end());
  store_le<u64>(section.data() + fde + kFrameHead, cie);
  return fde + kFrameAddress;
}

// Call frames of machine code for those of Mercury code, by the function they are about. An object
// that an earlier link has made has frames of more functions in its Mercury half.
class FrameFinder {
public:
  FrameFinder(const InputObject &machine, const InputObject &plane, u32 section,
              const std::vector<FrameRecord> &records) {
    std::unordered_map<u64, Frame> by_address;
    ByteSpan cie;
    for (const FrameRecord &record : records)
      if (record.is_cie)
        cie = record.bytes;
      else
        by_address.emplace(record.offset + kFrameAddress, Frame{cie, record.bytes});
    const CodeAddresses addresses = code_addresses(machine, section);
    for (auto one = addresses.rbegin(); one != addresses.rend(); ++one)
      if (const auto found = by_address.find(one->first); found != by_address.end())
        frames_[one->second].push_back(found->second);
    for (const auto &[offset, symbol] : code_addresses(plane, section))
      symbol_at_.emplace(offset, symbol);
  }

  // Nothing for a CIE, and where there is none.
  [[nodiscard]] Frame take(const FrameRecord &mercury) {
    const auto named = symbol_at_.find(mercury.offset + kFrameAddress);
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

} // namespace

void MachineWriter::complain(u32 object, const elf::Section &section, std::string what) {
  diag_.report(DiagId::BadInput, {inputs_.objects[object].name,
                                  elf::describe_section(section) + ": " + std::move(what)});
}

// The code in the output, if it is that of this symbol.
const MachineWriter::Code *MachineWriter::code_from(u32 object, u32 symbol) const {
  const EntityId id = p_.symbols.of(ObjectId(object), symbol);
  if (!id.valid() || !p_.stays(id) ||
      p_.symbols[id].prevailing != SymbolRef{ObjectId(object), symbol})
    return nullptr;
  return code_of(id);
}

bool MachineWriter::is_rebuilt(OutId id) const {
  const std::string_view name = layout_.sections[id].name;
  return name == kFrame || name == kLine || name == kSassLine;
}

// The next part of a debug section about a function, if a finalizer has made it.
template <typename Part>
const Part *MachineWriter::finalized_part(u32 object, EntityId function,
                                          std::vector<Part> FinalizedDebug::*parts,
                                          UsedParts &used) const {
  const FinalizedDebug *debug = nullptr;
  if (const auto joined = joined_.find(function.value); joined != joined_.end())
    debug = joined->second.parts;
  else if (const Code *code = code_of(function);
           code && code->finalized && code->object == ObjectId(object))
    debug = &code->finalized->debug;
  if (!debug || (debug->*parts).empty())
    return nullptr;
  const size_t number = used[function.value]++;
  return &(debug->*parts)[std::min(number, (debug->*parts).size() - 1)];
}

// Where a later copy of a function has replaced an earlier one, both have a call frame. nvlink puts
// the instructions of both into the first one and leaves the second as it is in Mercury code,
// without any (Q106). A finalizer that links both objects does the same; this is for links without.
MachineWriter::JoinedFrames
MachineWriter::join_frames(OutId id,
                           const std::unordered_map<u64, const KeptRelocation *> &kept) const {
  JoinedFrames out;
  if (!p_.dialect.has(Defect::MixedDebugInfo))
    return out;
  std::unordered_map<u32, u32> count; // by function
  for (const auto &[offset, one] : kept)
    if (one->against == KeptRelocation::Against::Entity)
      ++count[one->id];
  std::unordered_map<u32, FrameInstructions> joined;
  for (u32 o = 0; o < inputs_.objects.size(); ++o) {
    const elf::Section *section = machine_section(o, id);
    const auto sass = section ? split_frames(section->data) : std::nullopt;
    if (!sass)
      continue;
    std::unordered_map<u64, ByteSpan> frame_at;
    for (const FrameRecord &record : *sass)
      if (!record.is_cie)
        frame_at.emplace(record.offset + kFrameAddress, record.bytes);
    for (const auto &[offset, symbol] : code_addresses(inputs_.objects[o], section->index)) {
      const EntityId function = p_.symbols.of(ObjectId(o), symbol);
      const auto fde = frame_at.find(offset);
      if (!function.valid() || fde == frame_at.end() || count[function.value] < 2 ||
          joined_.contains(function.value) ||
          p_.symbols.outcome(ObjectId(o), symbol) != DefinitionOutcome::Accepted)
        continue;
      UsedParts none;
      const Frame *made = finalized_part(o, function, &FinalizedDebug::frames, none);
      const ByteSpan own = made ? made->fde : fde->second;
      const auto instructions = read_frame_instructions(own);
      if (!instructions)
        continue;
      joined[function.value].insert(instructions->begin(), instructions->end());
      std::vector<u8> &frame = out[function.value];
      frame =
          with_frame_instructions(frame.empty() ? own : ByteSpan(frame), joined[function.value]);
    }
  }
  return out;
}

// Functions whose second name nvlink takes for the owner (Q107): of several, the first.
MachineWriter::FirstNames MachineWriter::functions_named_earlier() const {
  const auto position = [this](u32 entity) {
    const elf::SymbolId id = symbols_.of_entity[entity];
    return std::pair(*elf_.symbol(id).part, id.value);
  };
  FirstNames out;
  for (u32 i = 0; i < symbols_.of_entity.size(); ++i)
    if (p_.symbols[EntityId(i)].function && symbols_.of_entity[i].valid() &&
        stands_before_owner(EntityId(i))) {
      u32 &first =
          out.try_emplace(layout_.sections[layout_.placement.address_of[i].section].function.value,
                          i)
              .first->second;
      if (position(i) < position(first))
        first = i;
    }
  return out;
}

// Mercury call frames whose code address stayed say which functions have frames here, and in which
// order relocations name them.
void MachineWriter::fill_frames() {
  const OutId id = layout_.sections.find(kFrame);
  if (!id.valid() || !is_emitted_[id.value])
    return;
  std::vector<const KeptRelocation *> kept;
  std::unordered_map<u64, const KeptRelocation *> at;
  for (const KeptRelocation &one : plan_.relocations.kept)
    if (layout_.sections[one.table].target == id) {
      kept.push_back(&one);
      at.emplace(one.offset, &one);
    }
  std::vector<u8> bytes;
  std::unordered_map<u64, u64> moved; // from the Mercury section to this one
  const JoinedFrames joined = join_frames(id, at);
  const FirstNames taken = functions_named_earlier();
  std::unordered_set<u32> done; // functions
  UsedParts used;
  for (u32 o = 0; o < inputs_.objects.size(); ++o) {
    const elf::Section *section = machine_section(o, id);
    if (!section)
      continue;
    const u64 base = layout_.placement.location_of[o][section->index].offset;
    const auto sass = split_frames(section->data);
    const auto mercury = split_frames(p_.objects[o].section(section->index).data);
    if (!sass || !mercury) {
      complain(o, *section, "broken call frames");
      continue;
    }
    FrameFinder frames(inputs_.objects[o], p_.objects[o], section->index, *sass);
    ByteSpan mercury_cie;
    std::vector<u8> left; // of a second frame
    for (const FrameRecord &record : *mercury) {
      if (record.is_cie)
        mercury_cie = record.bytes;
      Frame frame = frames.take(record);
      const auto found = at.find(base + record.offset + kFrameAddress);
      if (frame.fde.empty() || found == at.end() ||
          found->second->against != KeptRelocation::Against::Entity)
        continue;
      const EntityId function(found->second->id);
      if (const Frame *made = finalized_part(o, function, &FinalizedDebug::frames, used))
        frame = *made;
      const auto first = joined.find(function.value);
      const bool again = taken.contains(function.value) ||
                         (first != joined.end() && !done.insert(function.value).second);
      if (again)
        frame = {mercury_cie, left = with_frame_instructions(record.bytes, {})};
      else if (first != joined.end())
        frame.fde = first->second;
      moved[found->first] = append_frame(bytes, frame);
    }
  }
  elf_.append_copy(section(id), bytes);
  std::vector<elf::RelocationSpec> entries;
  for (const KeptRelocation *one : kept)
    if (const auto found = moved.find(one->offset); found != moved.end())
      entries.push_back({found->second, kAddress64, symbols_.of_entity[one->id], one->addend});
  add_code_addresses(id, entries);
}

void MachineWriter::add_code_addresses(OutId id, const std::vector<elf::RelocationSpec> &entries) {
  const OutId table = relocation_table_of(id);
  for (const elf::RelocationSpec &entry : entries)
    if (table.valid() && is_emitted_[table.value])
      elf_.add_relocation(section(table), entry);
}

// Heads of units may say where the strings of their object are. Only the Mercury form, whose heads
// are the same, has relocations for that.
std::vector<MachineWriter::HeadValue> MachineWriter::values_in_heads(u32 object,
                                                                     u32 section) const {
  const InputObject &mercury = p_.objects[object];
  std::vector<u64> starts;
  const ByteSpan lines = mercury.section(section).data;
  for (u64 at = 0; lines.size() - at >= 4;) {
    starts.push_back(at);
    const u64 length = load_le<u32>(lines.data() + at);
    at += 4 + std::min<u64>(length, lines.size() - at - 4);
  }
  std::vector<HeadValue> out;
  for (const elf::Section &table : mercury.view.sections()) {
    if (!elf::is_relocation_table(table.type) || table.info != section)
      continue;
    const elf::RelocationTable entries = mercury.view.relocations(table);
    for (u32 i = 0; i < entries.size(); ++i) {
      const elf::Relocation entry = entries[i];
      const elf::Symbol &symbol = mercury.symbols[entry.symbol];
      if (symbol.type() != elf::SymbolType::Section || !symbol.in_section())
        continue;
      const auto unit = std::upper_bound(starts.begin(), starts.end(), entry.offset);
      if (unit == starts.begin())
        continue;
      const u64 value = layout_.placement.location_of[object][symbol.section].offset +
                        static_cast<u64>(entry.addend);
      out.push_back({static_cast<u32>(unit - starts.begin() - 1), entry.offset - *std::prev(unit),
                     static_cast<u32>(value)});
    }
  }
  return out;
}

void MachineWriter::fill_lines(OutId id) {
  std::vector<u8> bytes;
  std::vector<elf::RelocationSpec> entries;
  UsedParts used;
  struct Found {
    std::pair<elf::SymbolPart, u32> number;
    EntityId function;
    ByteSpan bytes;
  };
  for (u32 o = 0; o < inputs_.objects.size(); ++o) {
    const elf::Section *from = machine_section(o, id);
    if (!from)
      continue;
    layout_.placement.location_of[o][from->index].offset = bytes.size();
    const auto units = split_lines(from->data, code_addresses(inputs_.objects[o], from->index));
    if (!units) {
      complain(o, *from, "a broken line table");
      continue;
    }
    const std::vector<HeadValue> head_values = values_in_heads(o, from->index);
    for (u32 number = 0; number < units->size(); ++number) {
      const LineUnit &unit = (*units)[number];
      std::vector<Found> found;
      for (const LineUnit::Sequence &sequence : unit.sequences) {
        const EntityId function = p_.symbols.of(ObjectId(o), sequence.symbol);
        const bool joined =
            function.valid() && p_.stays(function) && joined_.contains(function.value) &&
            !layout_.relocs.has_overridden[function.value] && // Q028
            p_.symbols.outcome(ObjectId(o), sequence.symbol) == DefinitionOutcome::Accepted;
        if (!joined && !code_from(o, sequence.symbol))
          continue;
        const elf::SymbolId symbol = symbols_.of_entity[function.value];
        const ByteSpan *made =
            finalized_part(o, function,
                           layout_.sections[id].name == kLine ? &FinalizedDebug::lines
                                                              : &FinalizedDebug::sass_lines,
                           used);
        found.push_back(
            {{*elf_.symbol(symbol).part, symbol.value}, function, made ? *made : sequence.bytes});
      }
      std::stable_sort(found.begin(), found.end(),
                       [](const Found &a, const Found &b) { return a.number < b.number; });
      const u64 start = bytes.size();
      layout_.relocs.moved[o].push_back({from->index, unit.offset, unit.offset + 1, start});
      bytes.insert(bytes.end(), unit.head.begin(), unit.head.end());
      for (const HeadValue &value : head_values)
        if (value.unit == number && value.offset + 4 <= unit.head.size())
          store_le<u32>(bytes.data() + start + value.offset, value.value);
      for (const Found &one : found) {
        entries.push_back({bytes.size() + kSequenceAddress, kAddress64,
                           symbols_.of_entity[one.function.value], 0});
        bytes.insert(bytes.end(), one.bytes.begin(), one.bytes.end());
      }
      store_le<u32>(bytes.data() + start, static_cast<u32>(bytes.size() - start - 4));
    }
  }
  if (!shares_bytes(id))
    elf_.append_copy(section(id), bytes);
  add_code_addresses(id, entries);
}

// The same records with other places, if a finalizer has made them.
void MachineWriter::take_registers(std::span<u8> table, const elf::RegisterBlock &block,
                                   const ByteSpan *made) {
  if (made && made->size() == block.bytes.size())
    std::copy(made->begin(), made->end(), table.begin() + static_cast<i64>(block.offset));
}

void MachineWriter::move_places(std::span<u8> table, const elf::RegisterBlock &block,
                                const Code &code) {
  for (const elf::RegisterBlock::Record &record : block.records)
    if (code.moves()) {
      store_le<u32>(table.data() + record.offset, static_cast<u32>(code.moved(record.start)));
      store_le<u32>(table.data() + record.offset + 4, static_cast<u32>(code.moved(record.end)));
    }
}

// Places in the code that the blocks of one object name. nvlink finds functions by name: the first
// block of a name counts, wherever the code comes from; in all others places become 0 (Q109).
void MachineWriter::move_registers(std::span<u8> bytes, u32 object,
                                   std::unordered_set<std::string_view> &described,
                                   UsedParts &used) const {
  const InputObject &input = inputs_.objects[object];
  std::unordered_map<std::string_view, u32> functions;
  for (u32 i = 0; i < input.symbols.size(); ++i)
    if (input.symbols[i].type() == elf::SymbolType::Function)
      functions.emplace(input.symbols[i].name, i);
  for (const elf::RegisterBlock &block : elf::split_registers(bytes)) {
    const auto found = functions.find(block.function);
    const auto owner = first_of_name_.find(block.function);
    if (found == functions.end() || owner == first_of_name_.end()) {
      clear_places(bytes, block);
      continue;
    }
    const EntityId function = p_.symbols.of(ObjectId(object), found->second);
    const auto joined = function == owner->second ? joined_.find(function.value) : joined_.end();
    const bool counts = joined == joined_.end()
                            ? described.insert(owner->first).second
                            : std::binary_search(joined->second.objects.begin(),
                                                 joined->second.objects.end(), object);
    const auto foreign = foreign_.find({object, block.function});
    const SymbolRef first = p_.symbols[owner->second].prevailing;
    if (!counts)
      clear_places(bytes, block);
    else if (joined != joined_.end() || first == SymbolRef{ObjectId(object), found->second})
      take_registers(bytes, block,
                     finalized_part(object, function, &FinalizedDebug::registers, used));
    else if (foreign != foreign_.end())
      take_registers(bytes, block, &foreign->second);
    else if (have_equal_code({ObjectId(object), found->second}, first))
      move_places(bytes, block, *code_of(owner->second));
    else
      clear_places(bytes, block);
  }
}

void MachineWriter::fill_other(OutId id) {
  std::vector<u8> bytes;
  std::unordered_set<std::string_view> described;
  UsedParts used;
  for (u32 o = 0; o < inputs_.objects.size(); ++o) {
    const elf::Section *from = machine_section(o, id);
    if (!from)
      continue;
    const u64 start = bytes.size();
    layout_.placement.location_of[o][from->index].offset = start;
    bytes.insert(bytes.end(), from->data.begin(), from->data.end());
    if (layout_.sections[id].name == kRegisters)
      move_registers(std::span(bytes).subspan(start), o, described, used);
  }
  layout_.sections[id].size = bytes.size();
  if (!shares_bytes(id))
    elf_.append_copy(section(id), bytes);
}

// Where the parts of a section begin is not the same in both halves; what refers to them needs the
// new places.
void MachineWriter::fill_debug_sections() {
  layout_.relocs.moved.resize(inputs_.objects.size());
  fill_frames();
  for (const OutId id : order_)
    if (const OutSection &s = layout_.sections[id];
        s.type == SectionType::Progbits && (s.flags & elf::kFlagAlloc) == 0 && s.name != kFrame) {
      if (is_rebuilt(id))
        fill_lines(id);
      else
        fill_other(id);
    }
  for (std::vector<MovedRange> &ranges : layout_.relocs.moved)
    std::sort(ranges.begin(), ranges.end(), [](const MovedRange &a, const MovedRange &b) {
      return std::pair(a.section, a.begin) < std::pair(b.section, b.begin);
    });
  std::erase_if(layout_.relocs.groups,
                [this](const RelocationGroup &group) { return is_rebuilt(group.target); });
  for (const RelocationGroup &group : layout_.relocs.groups)
    for (u32 i = group.newest; i != RelocationSlice::kNoSlice;
         i = layout_.relocs.slices[i].previous) {
      RelocationSlice &slice = layout_.relocs.slices[i];
      const u32 target = inputs_.objects[slice.object.value].section(slice.section).info;
      slice.base = layout_.placement.location_of[slice.object.value][target].offset;
    }
}

} // namespace culink
