// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lists behind a link map: every definition of the inputs is either part of the output or
// discarded for a reason. Aliases are listed like other names.
#include "link/records/symbol_facts.h"

#include <algorithm>

#include "base/demangle.h"
#include "model/name_pattern.h"

namespace culink {

namespace {

std::string reference_text(const Program &p, ObjectId object, u32 symbol_number,
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

std::string unused_text(const Program &p, EntityId id) {
  const FunctionId function = p.function_of(id);
  const LiveReason reason = function.valid() ? p.live.why[function.value].reason : LiveReason::None;
  return reason == LiveReason::NoHostReference
             ? "no host code launches it, which -ignore-host-info overrides"
             : "unused";
}

} // namespace

bool names_symbol(const std::string &text, std::string_view symbol) {
  return is_meant(symbol, text);
}

SymbolLists list_symbols(const Program &p, const Layout &layout) {
  SymbolLists out;
  for (u32 i = 0; i < p.symbols.entities.size(); ++i) {
    const Entity &entity = p.symbols.entities[i];
    const SymbolAddress &address = layout.placement.address_of[i];
    if (entity.defined() && p.is_live(EntityId(i)) && address.section.valid())
      out.symbols.push_back(
          {std::string(entity.name), p.objects[entity.prevailing.object.value].name,
           std::string(layout.sections.name(address.section)), address.value, entity.size});
  }
  for (u32 o = 0; o < p.objects.size(); ++o) {
    const InputObject &object = p.objects[o];
    for (u32 s = 1; s < object.symbols.size(); ++s) {
      const EntityId id = p.symbols.of(ObjectId(o), s);
      if (!id.valid() || p.symbols.outcome(ObjectId(o), s) == DefinitionOutcome::None)
        continue;
      const Entity &entity = p.symbols[id];
      const bool wins = entity.prevailing == SymbolRef{ObjectId(o), s};
      if (wins && p.is_live(id))
        continue;
      const bool other = !wins && entity.defined() && p.is_live(id);
      const std::string_view name = object.symbols[s].name;
      out.discarded.push_back(
          {std::string(name), object.name, object.symbols[s].size,
           !other ? unused_text(p, id)
           : name != entity.name
               ? "the same as " + demangle(entity.name)
               : "the copy of " + p.objects[entity.prevailing.object.value].name + " is linked"});
    }
  }
  return out;
}

std::vector<FoldedFacts> list_folded(const Program &p) {
  std::vector<FoldedFacts> out;
  for (const Resolution::Folded &one : p.symbols.folded) {
    const InputObject &object = p.objects[one.definition.object.value];
    out.push_back({std::string(p.symbols[one.function].name), object.name,
                   std::string(p.symbols[one.into].name),
                   object.symbols[one.definition.symbol].size});
  }
  return out;
}

std::vector<ReferenceFacts> list_references(const Program &p) {
  std::vector<ReferenceFacts> out;
  std::vector<bool> traced(p.symbols.entities.size());
  for (u32 i = 0; i < traced.size(); ++i)
    traced[i] = p.options.all_references ||
                std::any_of(p.options.trace_symbols.begin(), p.options.trace_symbols.end(),
                            [name = p.symbols.entities[i].name](const std::string &text) {
                              return names_symbol(text, name);
                            });
  for (u32 o = 0; o < p.objects.size(); ++o)
    for (u32 s = 1; s < p.objects[o].symbols.size(); ++s)
      if (const EntityId id = p.symbols.of(ObjectId(o), s); id.valid() && traced[id.value])
        out.push_back({std::string(p.symbols[id].name), p.objects[o].name,
                       reference_text(p, ObjectId(o), s, p.symbols[id])});
  return out;
}

} // namespace culink
