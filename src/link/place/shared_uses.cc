// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Users of shared variables, found in the relocations of code. place_shared overlaps variables that
// no kernel uses together.
//
// What may surprise: discarded functions do not use a variable, but a reference from them is enough
// to give it memory (Q013). Discarded and overridden definitions of live functions do not count.
#include "link/place/shared_uses.h"

#include <algorithm>

namespace culink {

namespace {

// Returns the function that has a section of an object as its code in the output, or none.
FunctionId function_in(const Program &p, const Layout &layout, ObjectId object, u32 section) {
  const SectionLocation &place = layout.placement.location_of[object.value][section];
  if (!place.section.valid() || place.discarded)
    return {};
  const EntityId function = layout.sections.function(place.section);
  // An overridden definition: the section has the code of another object.
  if (!function.valid() || p.symbols[function].prevailing.object != object)
    return {};
  return p.function_of(function);
}

// By section of the object: code of a definition that a later one overrides.
std::vector<bool> overridden_code(const Program &p, u32 object) {
  std::vector<bool> out(p.objects[object].view.sections().size(), false);
  for (const u32 s : p.symbols.functions_of[object]) {
    const EntityId id = p.symbols.of(ObjectId(object), s);
    if (id.valid() && p.symbols.outcome(ObjectId(object), s) == DefinitionOutcome::Accepted &&
        p.symbols[id].prevailing != SymbolRef{ObjectId(object), s})
      out[p.objects[object].symbols[s].section] = true;
  }
  return out;
}

} // namespace

SharedUses find_shared_uses(const Program &p, const Layout &layout) {
  SharedUses out;
  if (!layout.sections.debug_shared.valid()) // kernels' own variables need no users
    return out;
  out.users.resize(p.symbols.entities.size());
  out.referenced.assign(p.symbols.entities.size(), false);
  std::vector<bool> listed(p.calls.functions.size(), false); // in first_dynamic
  for (u32 i = 0; i < p.objects.size(); ++i) {
    const InputObject &object = p.objects[i];
    const std::vector<bool> overridden = overridden_code(p, i);
    for (const elf::Section &table : object.view.sections()) {
      if ((table.type != elf::SectionType::Rel && table.type != elf::SectionType::Rela) ||
          table.info == 0 || object.kinds[table.info].role != elf::SectionRole::Text ||
          layout.placement.location_of[i][table.info].discarded || overridden[table.info])
        continue;
      const FunctionId function = function_in(p, layout, ObjectId(i), table.info);
      for (const elf::Relocation entry : object.view.relocations(table)) {
        if (!is_shared(object.symbols[entry.symbol].other))
          continue;
        const EntityId id = p.symbols.of(ObjectId(i), entry.symbol);
        if (!id.valid())
          continue;
        out.referenced[id.value] = true;
        if (!function.valid())
          continue;
        out.users[id.value].push_back(function);
        if (p.symbols[id].size != 0 || listed[function.value])
          continue;
        listed[function.value] = true;
        out.first_dynamic.emplace_back(function, id);
      }
    }
  }
  for (std::vector<FunctionId> &users : out.users) {
    std::sort(users.begin(), users.end());
    users.erase(std::unique(users.begin(), users.end()), users.end());
  }
  return out;
}

std::vector<FunctionId> kernels_of_users(const Program &p, const Reach &reach,
                                         const std::vector<FunctionId> &users) {
  std::vector<FunctionId> out = reach.kernels_reaching(users);
  for (const FunctionId f : users)
    if (p.live.demoted[f.value] && p.live.live[f.value] && !p.live.kernel[f.value])
      out.push_back(f);
  std::sort(out.begin(), out.end());
  return out;
}

} // namespace culink
