// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvlink finds what it knows about code by the name of the function. So debug information of a
// definition that was overridden, or that was never accepted, is read with the instructions of the
// definition that prevails: offsets become others, or nonsense (Q106). Which ones depends on the
// size of each Mercury instruction, which only a finalizer knows. So it is given all objects that
// define such a function at once, and what it says about the function is used as it is. The same
// holds for functions whose alias takes their code (Q107) and for local functions of one name in
// several objects (Q109).
//
// Weak definitions with equal code need none of this, and they are what programs mostly have.
//
// What may surprise: the first frames and registers of a request are those of its first object, so
// the order of the objects matters.
#include "link/nvlink/merged_debug.h"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_set>

#include "base/bytes.h"
#include "base/name_map.h"
#include "elf/records/debug_frame.h"
#include "elf/records/nv_notes.h"
#include "elf/records/nv_registers.h"

namespace culink::nvlink {

using Definitions = MergedDebugRequest::Definitions;
using ForeignRegisters = MergedDebugRequest::ForeignRegisters;

namespace {

// Functions whose variables the object finds in registers: all of those compiled with -G.
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

// Functions whose alias precedes them are not found at all (Q107).
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

// Object by object: its functions of which others have definitions that nvlink confuses with its
// own.
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

// Made by a link with -r -g, whose code is for a debugger. The next link without -g finalizes it
// again.
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

} // namespace culink::nvlink
