// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of functions and what debug information says about them. nvlink finds what it knows about
// code by the name of the function. So debug information of a copy that was replaced, or that was
// never taken, is read with the instructions of the copy that counts: places become others, or
// nonsense (Q106). Which ones depends on the size of each Mercury instruction, which only a
// finalizer knows. So it is given all objects with copies of such a function at once, and what it
// says about the function is used as it is.
//
// Copies with equal code need none of this, and they are what programs mostly have.
#include <algorithm>
#include <map>

#include "elf/records/nv_registers.h"
#include "link/mercury/machine_writer.h"

namespace culink {

namespace {

// Functions whose variables the object finds in registers: all of those compiled with -G.
std::unordered_set<std::string_view> described_functions(const InputObject &object) {
  std::unordered_set<std::string_view> out;
  for (const elf::Section &section : object.view.sections())
    if (section.name == ".nv_debug_info_reg_sass")
      for (const elf::RegisterBlock &block : elf::split_registers(section.data))
        out.insert(block.function);
  return out;
}

bool same_bytes(ByteSpan a, ByteSpan b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

// A capsule without the word that links change.
ByteSpan code_in_capsule(const InputObject &plane, u32 section) {
  const ByteSpan capsule = plane.section(section).data;
  return capsule.subspan(std::min<size_t>(capsule.size(), sizeof(u32)));
}

} // namespace

bool MachineWriter::have_equal_code(SymbolRef a, SymbolRef b) const {
  const auto is_code = [this](SymbolRef one) {
    return inputs_.objects[one.object.value].symbols[one.symbol].in_section();
  };
  if (!is_code(a) || !is_code(b))
    return false;
  const u32 at_a = inputs_.objects[a.object.value].symbols[a.symbol].section;
  const u32 at_b = inputs_.objects[b.object.value].symbols[b.symbol].section;
  return same_bytes(inputs_.objects[a.object.value].section(at_a).data,
                    inputs_.objects[b.object.value].section(at_b).data) &&
         same_bytes(code_in_capsule(p_.objects[a.object.value], at_a),
                    code_in_capsule(p_.objects[b.object.value], at_b));
}

// Functions of one object after the other of which others have copies that nvlink confuses with
// its own.
std::vector<MachineWriter::JointCopies> MachineWriter::joint_copies() const {
  if (!p_.dialect.has(Defect::MixedDebugInfo))
    return {};
  std::vector<JointCopies> out(inputs_.objects.size());
  std::vector<std::unordered_set<std::string_view>> described;
  for (const InputObject &object : inputs_.objects)
    described.push_back(described_functions(object));
  std::unordered_set<u32> confused;
  const auto for_each_copy = [this](auto use) {
    for (u32 o = 0; o < inputs_.objects.size(); ++o)
      for (const u32 symbol : p_.symbols.functions_of[o])
        if (const EntityId id = p_.symbols.of(ObjectId(o), symbol);
            id.valid() && !p_.symbols[id].local && p_.stays(id) &&
            p_.symbols.outcome(ObjectId(o), symbol) != DefinitionOutcome::None)
          use(SymbolRef{ObjectId(o), symbol}, id);
  };
  for_each_copy([&](SymbolRef copy, EntityId id) {
    const SymbolRef prevailing = p_.symbols[id].prevailing;
    if (copy == prevailing)
      return;
    const bool replaced =
        p_.symbols.outcome(copy.object, copy.symbol) == DefinitionOutcome::Accepted;
    const std::string_view name = p_.symbols[id].name;
    if (replaced ||
        (described[copy.object.value].contains(name) &&
         !(described[prevailing.object.value].contains(name) && have_equal_code(copy, prevailing))))
      confused.insert(id.value);
  });
  for_each_copy([&](SymbolRef copy, EntityId id) {
    if (!confused.contains(id.value))
      return;
    JointCopies &copies = out[p_.symbols[id].prevailing.object.value];
    copies.functions.insert(id.value);
    if (copies.objects.empty() || copies.objects.back() != copy.object.value)
      copies.objects.push_back(copy.object.value);
  });
  add_functions_named_earlier(out);
  std::erase_if(out, [](const JointCopies &copies) { return copies.functions.empty(); });
  return out;
}

// Functions whose second name stands before them are not found at all (Q107).
void MachineWriter::add_functions_named_earlier(std::vector<JointCopies> &out) const {
  for (u32 i = 0; i < symbols_.of_entity.size(); ++i) {
    const EntityId alias(i);
    if (!p_.symbols[alias].function || !symbols_.of_entity[i].valid() ||
        !stands_before_owner(alias))
      continue;
    const EntityId function = layout_.sections[layout_.placement.address_of[i].section].function;
    const u32 owner = p_.symbols[function].prevailing.object.value;
    if (!inputs_.objects[owner].view.find(".nv_debug_line_sass"))
      continue;
    JointCopies &copies = out[owner];
    copies.functions.insert(function.value);
    copies.objects.insert(copies.objects.end(), {p_.symbols[alias].first.object.value, owner});
    std::sort(copies.objects.begin(), copies.objects.end());
    copies.objects.erase(std::unique(copies.objects.begin(), copies.objects.end()),
                         copies.objects.end());
  }
}

void MachineWriter::note_joint_debug(const JointCopies &copies, const FinalizedObject &joint) {
  std::unordered_map<std::string_view, const FinalizedDebug *> by_name;
  for (const FinalizedFunction &function : joint.functions)
    by_name.emplace(function.name, &function.debug);
  for (const u32 id : copies.functions)
    if (const auto found = by_name.find(p_.symbols[EntityId(id)].name); found != by_name.end())
      joined_.insert_or_assign(id, JoinedDebug{found->second, copies.objects});
}

void MachineWriter::find_first_of_names() {
  using Number = std::pair<elf::SymbolPart, u32>;
  std::unordered_map<std::string_view, Number> best;
  for (const OutId id : order_) {
    const EntityId function = layout_.sections[id].function;
    if (!function.valid() || !symbols_.of_entity[function.value].valid())
      continue;
    const elf::SymbolId symbol = symbols_.of_entity[function.value];
    const Number number{*elf_.symbol(symbol).part, symbol.value};
    const std::string_view name = p_.symbols[function].name;
    const auto [found, added] = best.emplace(name, number);
    if (!added && found->second < number)
      continue;
    found->second = number;
    first_of_name_.insert_or_assign(name, function);
  }
}

// nvlink finds functions by name when it looks up the places of the first block about a name.
std::vector<MachineWriter::ForeignRegisters> MachineWriter::foreign_registers() const {
  if (!p_.dialect.has(Defect::RegistersByName))
    return {};
  std::map<std::pair<u32, u32>, ForeignRegisters> out;
  std::unordered_set<std::string_view> seen;
  for (u32 o = 0; o < inputs_.objects.size(); ++o) {
    const std::unordered_set<std::string_view> described = described_functions(inputs_.objects[o]);
    for (const u32 symbol : p_.symbols.functions_of[o]) {
      const std::string_view name = inputs_.objects[o].symbols[symbol].name;
      const auto owner = first_of_name_.find(name);
      if (!described.contains(name) || owner == first_of_name_.end() || !seen.insert(name).second)
        continue;
      const SymbolRef copy{ObjectId(o), symbol}, first = p_.symbols[owner->second].prevailing;
      if (p_.symbols.of(copy.object, symbol) == owner->second || have_equal_code(copy, first))
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

void MachineWriter::note_foreign_registers(const ForeignRegisters &foreign,
                                           const FinalizedObject &joint) {
  for (const FinalizedFunction &function : joint.functions)
    if (std::find(foreign.functions.begin(), foreign.functions.end(), function.name) !=
            foreign.functions.end() &&
        !function.debug.registers.empty())
      foreign_.emplace(std::pair(foreign.object, function.name), function.debug.registers[0]);
}

// Places that debug information names in a copy that does not count, or in the one that does, as
// the finalizer of all says (Q106).
void MachineWriter::move_joined_places(RelocationPlan &machine) const {
  if (joined_.empty())
    return;
  std::map<std::pair<u32, bool>, std::vector<KeptRelocation *>> mentions; // function, .debug_info
  for (KeptRelocation &kept : machine.kept) {
    const std::string_view name = layout_.sections[layout_.sections[kept.table].target].name;
    if (kept.against == KeptRelocation::Against::Entity && joined_.contains(kept.id) &&
        (name == ".debug_loc" || name == ".debug_info"))
      mentions[{kept.id, name == ".debug_info"}].push_back(&kept);
  }
  for (auto &[key, entries] : mentions) {
    const FinalizedDebug &parts = *joined_.at(key.first).parts;
    const std::vector<i64> &places = key.second ? parts.info_places : parts.location_places;
    if (places.size() != entries.size())
      continue;
    std::sort(entries.begin(), entries.end(), [](const KeptRelocation *a, const KeptRelocation *b) {
      return a->offset < b->offset;
    });
    for (size_t i = 0; i < entries.size(); ++i)
      entries[i]->addend = places[i];
  }
}

} // namespace culink
