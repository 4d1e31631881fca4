// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The references to a symbol, for messages and reports, and the order in which they are read. The
// call graph knows calls only; references to variables, and the code or table that takes a
// function's address, are in the relocations. They are needed only if a link failed or --why-live
// was given, so nothing is indexed in advance: a caller walks all relocations of the program once
// and picks out what it was asked for.
#include "link/resolve/references.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

namespace culink {

namespace {

// The symbols of one object by section and offset.
class SymbolsBySection {
public:
  SymbolsBySection(const Program &program, ObjectId object);

  [[nodiscard]] EntityId at(u32 section, u64 offset) const;

private:
  struct Entry {
    u32 section = 0;
    u64 begin = 0;
    u64 size = 0;
    EntityId entity;
  };

  [[nodiscard]] EntityId function_in(u32 section) const;
  [[nodiscard]] std::vector<Entry>::const_iterator first_in(u32 section) const {
    return std::partition_point(entries_.begin(), entries_.end(),
                                [section](const Entry &e) { return e.section < section; });
  }

  const Program &p_;
  const ObjectId object_;
  std::vector<Entry> entries_;
};

SymbolsBySection::SymbolsBySection(const Program &program, ObjectId object)
    : p_(program), object_(object) {
  const std::span<const elf::Symbol> symbols = p_.objects[object.value].symbols;
  for (u32 s = 1; s < symbols.size(); ++s)
    if (const EntityId id = p_.symbols.of(object, s);
        id.valid() && symbols[s].in_section() && !p_.symbols[id].opaque) // those are not code
      entries_.push_back({symbols[s].section, symbols[s].value, symbols[s].size, id});
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry &a, const Entry &b) {
    return std::tie(a.section, a.begin) < std::tie(b.section, b.begin);
  });
}

EntityId SymbolsBySection::function_in(u32 section) const {
  const InputObject &object = p_.objects[object_.value];
  const u32 owner = object.owner_of_code(section);
  EntityId found;
  if (owner != 0 && owner < object.symbols.size())
    found = p_.symbols.of(object_, owner);
  if (found.valid() && p_.is_live(found))
    return found;
  for (auto entry = first_in(section); entry != entries_.end() && entry->section == section;
       ++entry)
    if (p_.is_live(entry->entity))
      return entry->entity;
  return found;
}

EntityId SymbolsBySection::at(u32 section, u64 offset) const {
  if (p_.objects[object_.value].kinds[section].is_code())
    return function_in(section);
  auto behind = std::partition_point(first_in(section), entries_.end(), [&](const Entry &e) {
    return e.section == section && e.begin <= offset;
  });
  if (behind == entries_.begin())
    return {};
  const Entry &before = *--behind;
  const bool inside = before.section == section && offset - before.begin < before.size;
  return inside ? before.entity : EntityId{};
}

} // namespace

void each_reference(const Program &p, const std::function<void(const Reference &)> &visit) {
  for (u32 i = 0; i < p.objects.size(); ++i) {
    const elf::ElfView &view = p.objects[i].view;
    const SymbolsBySection symbols(p, ObjectId(i));
    for (const elf::Section &table : view.sections()) {
      if (table.info >= view.sections().size())
        continue;
      for (const elf::Relocation entry : view.relocations(table))
        if (const EntityId to = p.symbols.of(ObjectId(i), entry.symbol); to.valid())
          visit({ObjectId(i), table.info, symbols.at(table.info, entry.offset), to});
    }
  }
}

std::vector<FunctionId> in_reading_order(const Program &p, std::vector<FunctionId> kernels) {
  std::map<u32, std::vector<u32>> tables; // by object: the table of each section
  const auto place = [&](FunctionId k) {
    const SymbolRef code = p.entity_of(k).prevailing;
    if (!code.valid())
      return std::pair(~u32{0}, 0u);
    const InputObject &object = p.objects[code.object.value];
    std::vector<u32> &table_of = tables[code.object.value];
    if (table_of.empty()) {
      table_of.resize(object.view.sections().size());
      for (const elf::Section &table : object.view.sections())
        if (elf::is_relocation_table(table.type) && table.info < table_of.size())
          table_of[table.info] = table.index;
    }
    return std::pair(code.object.value, table_of[object.symbols[code.symbol].section]);
  };
  std::vector<std::pair<std::pair<u32, u32>, FunctionId>> order;
  for (const FunctionId k : kernels)
    order.emplace_back(place(k), k);
  std::ranges::stable_sort(order, {}, [](const auto &one) { return one.first; });
  for (size_t i = 0; i < order.size(); ++i)
    kernels[i] = order[i].second;
  return kernels;
}

} // namespace culink
