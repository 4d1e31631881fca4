// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvlink finds its data about code by the name of the function. So it reads debug information of an
// overridden or discarded definition with the instructions of the prevailing one, and offsets
// become wrong (Q106). The wrong offsets depend on the size of each Mercury instruction, which only
// a finalizer knows. So a finalizer gets all objects that define such a function at once, and its
// output for the function is used unchanged. The same holds for functions whose alias takes their
// code (Q107) and for local functions of one name in several objects (Q109).
//
// Most programs have only weak definitions with equal code, which do not need this.
//
// What may surprise: the first frames and registers of a request are those of its first object, so
// the order of the objects matters.
#include "link/nvlink/merged_debug.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <unordered_set>

#include "elf/codec.h"
#include "elf/records/debug_frame.h"
#include "elf/records/nv_notes.h"
#include "elf/records/nv_registers.h"
#include "support/bytes.h"
#include "support/string_index.h"

namespace culink {

// Questions about objects that hold their code twice, as Mercury code and as SASS. Debug sections
// are rebuilt function by function when code is laid out or finalized, so passes need the function
// of each part of a debug section, and whether two definitions are equal.

namespace {

bool same_bytes(ByteSpan a, ByteSpan b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

// A capsule without its first word, the number of its section, which links change.
ByteSpan code_in_capsule(const InputObject &plane, u32 section) {
  const ByteSpan capsule = plane.section(section).data;
  return capsule.subspan(std::min<size_t>(capsule.size(), sizeof(u32)));
}

} // namespace

bool have_equal_code(const Planes &planes, SymbolRef a, SymbolRef b) {
  const InputObject &sass_a = planes.sass[a.object.value], &sass_b = planes.sass[b.object.value];
  const elf::Symbol &symbol_a = sass_a.symbols[a.symbol], &symbol_b = sass_b.symbols[b.symbol];
  if (!symbol_a.in_section() || !symbol_b.in_section())
    return false;
  return same_bytes(sass_a.section(symbol_a.section).data, sass_b.section(symbol_b.section).data) &&
         same_bytes(code_in_capsule(planes.mercury[a.object.value], symbol_a.section),
                    code_in_capsule(planes.mercury[b.object.value], symbol_b.section));
}

std::vector<CodeAddress> code_addresses(const InputObject &object, u32 section) {
  std::vector<CodeAddress> out;
  for (const elf::Section &table : object.view.sections()) {
    if (table.type != elf::SectionType::Rela || table.info != section)
      continue;
    for (const elf::Relocation entry : object.view.relocations(table))
      if (object.symbols[entry.symbol].type() == elf::SymbolType::Function)
        out.push_back({entry.offset, entry.symbol});
  }
  std::sort(out.begin(), out.end(), [](const CodeAddress &a, const CodeAddress &b) {
    return std::pair(a.offset, a.symbol) < std::pair(b.offset, b.symbol);
  });
  return out;
}

const elf::Section *find_part(const InputObject &object, std::span<const SectionLocation> locations,
                              OutId id) {
  for (const elf::Section &section : object.view.sections())
    if (locations[section.index].section == id)
      return &section;
  return nullptr;
}

} // namespace culink

namespace culink::nvlink {

// Call frame instructions (DWARF, section 6.4) as far as a linker needs them: which ones advance in
// the code, and the length of the others. Their meaning is not needed. nvlink mixes the
// instructions of two frames (Q106), and merged frames are made with these maps.

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

using Definitions = MergedDebugRequest::Definitions;
using ForeignRegisters = MergedDebugRequest::ForeignRegisters;

namespace {

// Returns the functions with a register block in the object: all functions compiled with -G.
NameSet described_functions(const InputObject &object) {
  NameSet out;
  for (const elf::Section &section : object.view.sections())
    if (section.name == ".nv_debug_info_reg_sass")
      for (const elf::RegisterBlock &block : elf::split_registers(section.data))
        out.insert(block.function);
  return out;
}

// Calls use(SymbolRef, EntityId) for every definition of a live global function.
template <typename Use> void for_each_definition(const Program &p, const Use &use) {
  for (u32 o = 0; o < p.objects.size(); ++o)
    for (const u32 symbol : p.symbols.functions_of[o])
      if (const EntityId id = p.symbols.of(ObjectId(o), symbol);
          id.valid() && !p.symbols[id].local && p.is_live(id) &&
          p.symbols.outcome(ObjectId(o), symbol) != DefinitionOutcome::None)
        use(SymbolRef{ObjectId(o), symbol}, id);
}

// Functions of which an overridden definition was accepted once, or of which a discarded one is
// described in registers and has other code than the one that prevails.
std::unordered_set<u32> find_confused(const MergedDebugSources &s) {
  const Program &p = s.program;
  std::vector<NameSet> described;
  for (const InputObject &object : s.planes.sass)
    described.push_back(described_functions(object));
  std::unordered_set<u32> out;
  for_each_definition(p, [&](SymbolRef definition, EntityId id) {
    const SymbolRef prevailing = p.symbols[id].prevailing;
    if (definition == prevailing)
      return;
    const bool overridden =
        p.symbols.outcome(definition.object, definition.symbol) == DefinitionOutcome::Accepted;
    const std::string_view name = p.symbols[id].name;
    if (overridden || (described[definition.object.value].contains(name) &&
                       !(described[prevailing.object.value].contains(name) &&
                         have_equal_code(s.planes, definition, prevailing))))
      out.insert(id.value);
  });
  return out;
}

// nvlink does not find a function at all if an alias precedes it (Q107).
void add_functions_with_alias_owners(const MergedDebugSources &s,
                                     std::vector<std::set<u32>> &functions,
                                     std::vector<std::vector<u32>> &objects) {
  const Program &p = s.program;
  for (const EntityId alias : s.alias_owners.aliases) {
    const OutId text = s.layout.placement.address_of[alias.value].section;
    const EntityId function = s.layout.sections.function(text);
    const u32 owner = p.symbols[function].prevailing.object.value;
    if (!s.planes.sass[owner].view.find(".nv_debug_line_sass"))
      continue;
    functions[owner].insert(function.value);
    std::vector<u32> &all = objects[owner];
    all.insert(all.end(), {p.symbols[alias].first.object.value, owner});
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
}

// Returns, object by object, its functions with definitions in other objects that nvlink confuses
// with its own.
std::vector<Definitions> find_definitions(const MergedDebugSources &s) {
  const Program &p = s.program;
  if (!p.policy.mixes_debug_info)
    return {};
  std::vector<std::set<u32>> functions(s.planes.sass.size());
  std::vector<std::vector<u32>> objects(s.planes.sass.size());
  const std::unordered_set<u32> confused = find_confused(s);
  for_each_definition(p, [&](SymbolRef definition, EntityId id) {
    if (!confused.contains(id.value))
      return;
    const u32 owner = p.symbols[id].prevailing.object.value;
    functions[owner].insert(id.value);
    if (objects[owner].empty() || objects[owner].back() != definition.object.value)
      objects[owner].push_back(definition.object.value);
  });
  add_functions_with_alias_owners(s, functions, objects);
  std::vector<Definitions> out;
  for (u32 i = 0; i < functions.size(); ++i)
    if (!functions[i].empty()) {
      Definitions &one = out.emplace_back();
      for (const u32 id : functions[i])
        one.functions.emplace_back(id);
      one.objects = std::move(objects[i]);
    }
  return out;
}

// nvlink finds functions by name when it looks up the locations of the first block about a name.
std::vector<ForeignRegisters> find_foreign_registers(const MergedDebugSources &s) {
  const Program &p = s.program;
  if (!p.policy.registers_by_name)
    return {};
  std::map<std::pair<u32, u32>, ForeignRegisters> out;
  NameSet seen;
  for (u32 o = 0; o < s.planes.sass.size(); ++o) {
    const NameSet described = described_functions(s.planes.sass[o]);
    for (const u32 symbol : p.symbols.functions_of[o]) {
      const std::string_view name = s.planes.sass[o].symbols[symbol].name;
      const auto owner = s.first_of_name.find(name);
      if (!described.contains(name) || owner == s.first_of_name.end() || !seen.insert(name).second)
        continue;
      const SymbolRef own{ObjectId(o), symbol}, first = p.symbols[owner->second].prevailing;
      if (p.symbols.of(own.object, symbol) == owner->second ||
          have_equal_code(s.planes, own, first))
        continue;
      ForeignRegisters &pair = out[{o, first.object.value}];
      pair.object = o;
      pair.owner = first.object.value;
      pair.functions.push_back(name);
    }
  }
  std::vector<ForeignRegisters> list;
  for (auto &[key, pair] : out)
    list.push_back(std::move(pair));
  return list;
}

// A link with -r has left a call frame as it is in Mercury code, where code has no alignment (Q106,
// Q107). The next link finalizes it again.
bool has_unfinished_frames(const InputObject &object) {
  constexpr std::array<u8, 3> kVersionAndAlignment = {3, 0, 1};
  constexpr u64 kVersion = 20; // offset in a CIE
  for (const elf::Section &section : object.view.sections()) {
    if (section.name != ".debug_frame")
      continue;
    for (u64 at = 0; section.data.size() - at >= kVersion + kVersionAndAlignment.size();) {
      const u8 *record = section.data.data() + at;
      if (load_le<u64>(record + elf::kFrameCie) == ~u64{0} &&
          std::equal(kVersionAndAlignment.begin(), kVersionAndAlignment.end(), record + kVersion))
        return true;
      const u64 left = section.data.size() - at - elf::kFrameCie;
      at += elf::kFrameCie + std::min<u64>(load_le<u64>(record + elf::kFrameLength), left);
    }
  }
  return false;
}

// True for an object from a link with -r -g. Its code is for a debugger, and the next link without
// -g finalizes it again.
bool is_linked_for_debugger(const InputObject &object) {
  for (const elf::Section &section : object.view.sections()) {
    if (object.kinds[section.index].role != elf::SectionRole::NoteTkinfo)
      continue;
    for (const elf::Note &note : elf::decode_notes(section.data).notes)
      if (const auto info = elf::decode_toolkit_info(note.desc); info && !info->object.empty())
        return true;
  }
  return false;
}

// Stubs of unified functions, which compilers since 13.1 write shorter than engines do.
bool has_stubs(const InputObject &sass) {
  return std::ranges::any_of(sass.kinds, [](const elf::SectionKind &kind) {
    return kind.role == elf::SectionRole::UftRel;
  });
}

} // namespace

MergedDebugRequest find_merged_debug(const MergedDebugSources &sources) {
  return {find_definitions(sources), find_foreign_registers(sources)};
}

std::vector<FinalizeRequest::Object> objects_to_merge(const MergedDebugRequest &request,
                                                      std::span<const InputObject> sass) {
  std::vector<FinalizeRequest::Object> out;
  for (const Definitions &one : request.definitions) {
    FinalizeRequest::Object &object = out.emplace_back();
    for (const u32 number : one.objects)
      object.together.push_back(sass[number].view.file());
  }
  for (const ForeignRegisters &one : request.registers)
    out.push_back({.together = {sass[one.owner].view.file(), sass[one.object].view.file()},
                   .hidden = one.functions});
  return out;
}

MergedDebug read_merged_debug(const MergedDebugRequest &request, const Resolution &symbols,
                              std::vector<FinalizedObject> finalized) {
  MergedDebug out;
  out.finalized = std::move(finalized);
  auto next = out.finalized.begin();
  for (const Definitions &one : request.definitions) {
    NameMap<const FinalizedDebug *> by_name;
    for (const FinalizedFunction &function : next->functions)
      by_name.emplace(function.name, &function.debug);
    ++next;
    for (const EntityId id : one.functions)
      if (const auto found = by_name.find(symbols[id].name); found != by_name.end())
        out.functions.insert_or_assign(id.value, MergedDebug::Function{found->second, one.objects});
  }
  for (const ForeignRegisters &one : request.registers) {
    for (const FinalizedFunction &function : next->functions)
      if (std::find(one.functions.begin(), one.functions.end(), function.name) !=
              one.functions.end() &&
          !function.debug.registers.empty())
        out.foreign_registers.emplace(std::pair(one.object, function.name),
                                      function.debug.registers[0]);
    ++next;
  }
  return out;
}

std::vector<i64> merged_addends(const MergedDebug &merged,
                                std::span<const DebugReference> references) {
  std::vector<i64> out;
  out.reserve(references.size());
  std::map<std::pair<u32, bool>, std::vector<u32>> numbers; // by function and section
  for (const DebugReference &one : references) {
    if (merged.find(one.function))
      numbers[{one.function.value, one.in_info}].push_back(static_cast<u32>(out.size()));
    out.push_back(one.addend);
  }
  for (auto &[key, list] : numbers) {
    const FinalizedDebug &parts = *merged.find(EntityId(key.first))->parts;
    const std::vector<i64> &offsets = key.second ? parts.info_offsets : parts.location_offsets;
    if (offsets.size() != list.size())
      continue;
    std::sort(list.begin(), list.end(),
              [&](u32 a, u32 b) { return references[a].offset < references[b].offset; });
    for (size_t i = 0; i < list.size(); ++i)
      out[list[i]] = offsets[i];
  }
  return out;
}

bool is_finalized_again(const InputObject &sass) {
  return has_unfinished_frames(sass) || is_linked_for_debugger(sass) || has_stubs(sass) ||
         sass.view.header().type == elf::FileType::WholeProgram;
}

// Where a later definition of a function has overridden an earlier one, both have a call frame in
// the Mercury plane. When nvlink makes the SASS plane, it puts the instructions of both into the
// first frame and leaves the second one as it is in Mercury code, without any (Q106). The frame of
// a function whose alias takes its code is left like that, too (Q107). A finalizer that is given
// all definitions at once does the same; this is for links without one.

using Frame = FinalizedDebug::Frame;

namespace {

// Calls use(function, FDE) for every frame of an accepted definition whose function has several
// frames in the output.
template <typename Use> void for_each_frame(const FrameSources &s, const Use &use) {
  for (u32 o = 0; o < s.sass.size(); ++o) {
    const elf::Section *section =
        find_part(s.sass[o], s.layout.placement.location_of[o], s.section);
    const auto records = section ? elf::split_frames(section->data) : std::nullopt;
    if (!records)
      continue;
    std::unordered_map<u64, ByteSpan> frame_at;
    for (const elf::FrameRecord &record : *records)
      if (!record.is_cie)
        frame_at.emplace(record.offset + elf::kFrameAddress, record.bytes);
    for (const CodeAddress &address : code_addresses(s.sass[o], section->index)) {
      const EntityId function = s.program.symbols.of(ObjectId(o), address.symbol);
      const auto fde = frame_at.find(address.offset);
      if (!function.valid() || fde == frame_at.end() || !s.count.contains(function.value) ||
          s.count.at(function.value) < 2 || s.merged.find(function) ||
          s.program.symbols.outcome(ObjectId(o), address.symbol) != DefinitionOutcome::Accepted)
        continue;
      const FinalizedDebug *made = s.finalized(o, function);
      use(function, made && !made->frames.empty() ? made->frames[0].fde : fde->second);
    }
  }
}

} // namespace

FrameMerger::FrameMerger(const FrameSources &sources) : alias_owners_(sources.alias_owners) {
  if (!sources.program.policy.mixes_debug_info)
    return;
  std::unordered_map<u32, FrameInstructions> instructions_of;
  for_each_frame(sources, [&](EntityId function, ByteSpan fde) {
    const auto instructions = read_frame_instructions(fde);
    if (!instructions)
      return;
    FrameInstructions &all = instructions_of[function.value];
    all.insert(instructions->begin(), instructions->end());
    std::vector<u8> &frame = merged_[function.value];
    frame = with_frame_instructions(frame.empty() ? fde : ByteSpan(frame), all);
  });
}

Frame FrameMerger::choose(EntityId function, Frame frame, Frame mercury) {
  const auto first = merged_.find(function.value);
  const bool is_taken = alias_owners_.owner_of.contains(function.value);
  if (is_taken || (first != merged_.end() && !done_.insert(function.value).second)) {
    empty_frame_ = with_frame_instructions(mercury.fde, {});
    return {mercury.cie, empty_frame_};
  }
  return first == merged_.end() ? frame : Frame{frame.cie, first->second};
}

} // namespace culink::nvlink
