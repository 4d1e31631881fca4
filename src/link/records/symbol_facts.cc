// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lists behind a link map: every definition of the inputs is either part of the output or
// discarded for a reason. A second name of the same code counts like any other name.
#include "link/records/symbol_facts.h"

#include <algorithm>

#include "base/demangle.h"

namespace culink {

namespace {

bool is_traced(std::string_view name, const std::vector<std::string> &wanted) {
  for (const std::string &text : wanted) {
    if (text == name)
      return true;
    const std::string shown = demangle(name);
    if (text == shown || text == shown.substr(0, shown.find('(')))
      return true;
  }
  return false;
}

std::string mention_text(const Program &p, ObjectId object, u32 symbol_number,
                         const Entity &entity) {
  const elf::Symbol &symbol = p.objects[object.value].symbols[symbol_number];
  if (symbol.common())
    return "declares it as common, " + std::to_string(symbol.size) + " bytes";
  if (!symbol.in_section())
    return "refers to it";
  const bool weak = symbol.binding() == elf::SymbolBinding::Weak;
  const bool wins = entity.prevailing == SymbolRef{object, symbol_number};
  return std::string(weak           ? "defines it weakly"
                     : entity.local ? "defines its own"
                                    : "defines it") +
         (wins ? "" : ", but another definition is linked");
}

} // namespace

void add_symbol_facts(const Program &p, const Layout &layout, LinkFacts &facts) {
  for (u32 i = 0; i < p.symbols.entities.size(); ++i) {
    const Entity &entity = p.symbols.entities[i];
    const SymbolAddress &place = layout.placement.address_of[i];
    if (entity.defined() && p.stays(EntityId(i)) && place.section.valid())
      facts.symbols.push_back(
          {std::string(entity.name), p.objects[entity.prevailing.object.value].name,
           std::string(layout.sections[place.section].name), place.value, entity.size});
  }
  for (u32 o = 0; o < p.objects.size(); ++o) {
    const InputObject &object = p.objects[o];
    for (u32 s = 1; s < object.symbols.size(); ++s) {
      const EntityId id = p.symbols.of(ObjectId(o), s);
      if (!id.valid() || p.symbols.outcome(ObjectId(o), s) == DefinitionOutcome::None)
        continue;
      const Entity &entity = p.symbols[id];
      const bool wins = entity.prevailing == SymbolRef{ObjectId(o), s};
      if (wins && p.stays(id))
        continue;
      const bool other = !wins && entity.defined() && p.stays(id);
      facts.discarded.push_back(
          {std::string(entity.name), object.name, object.symbols[s].size,
           other ? "the copy of " + p.objects[entity.prevailing.object.value].name + " is linked"
                 : "unused"});
    }
  }
}

void add_mentions(const Program &p, LinkFacts &facts) {
  std::vector<bool> traced(p.symbols.entities.size());
  for (u32 i = 0; i < traced.size(); ++i)
    traced[i] = is_traced(p.symbols.entities[i].name, p.options.trace_symbols);
  for (u32 o = 0; o < p.objects.size(); ++o)
    for (u32 s = 1; s < p.objects[o].symbols.size(); ++s)
      if (const EntityId id = p.symbols.of(ObjectId(o), s); id.valid() && traced[id.value])
        facts.mentions.push_back({std::string(p.symbols[id].name), p.objects[o].name,
                                  mention_text(p, ObjectId(o), s, p.symbols[id])});
}

} // namespace culink
