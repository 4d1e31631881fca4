// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linker may replace identical device functions by one of them. For each function that the
// program needs and the output lacks, this looks for an equal one in the output: with the same
// code, relocations, records and calls. The address of neither may be taken.
//
// Functions are sorted into classes, callees first. A string decides: all facts about a function,
// with class numbers for the functions that it refers to. In a cycle of calls some functions do not
// have a class yet and are represented by themselves. So fewer functions may be found equal, but
// never more.
#include <algorithm>
#include <string>
#include <unordered_map>

#include "elf/records/nv_info.h"
#include "support/bytes.h"
#include "verify/link/link.h"

namespace culink::check {

namespace {

class FoldFinder {
public:
  explicit FoldFinder(Link &link) : l_(link), p_(link.program) {}

  // Returns true if any function was folded.
  bool run() {
    count_names();
    if (!lacks_any())
      return false;
    find_owners();
    sort_into_classes();
    find_present();
    std::vector<u32> stands_for(p_.entities.size(), kNone); // by class
    for (u32 id = 0; id < class_of_.size(); ++id)
      if (class_of_[id] != kNone && present_[id] && stands_for[class_of_[id]] == kNone)
        stands_for[class_of_[id]] = id;
    std::vector<u32> into(p_.entities.size(), kNone);
    for (u32 id = 0; id < into.size(); ++id)
      if (class_of_[id] != kNone && is_needed(id) && !present_[id])
        into[id] = stands_for[class_of_[id]];
    const bool any = std::ranges::any_of(into, [](u32 id) { return id != kNone; });
    if (any)
      fold(into);
    return any;
  }

private:
  void count_names() {
    for (const elf::Symbol &symbol : l_.out.symbols)
      if (symbol.type() == elf::SymbolType::Function && symbol.in_section())
        ++found_[symbol.name];
  }

  [[nodiscard]] bool lacks_any() {
    std::unordered_map<std::string_view, u32> needed;
    for (u32 id = 0; id < p_.entities.size(); ++id)
      if (is_needed(id))
        ++needed[p_.entities[id].name];
    return std::ranges::any_of(needed, [this](const auto &one) {
      const auto found = found_.find(one.first);
      return found == found_.end() || found->second < one.second;
    });
  }

  // Several local functions can have one name. If the output has fewer functions of this name, it
  // keeps the first of each class.
  void find_present() {
    present_.assign(p_.entities.size(), false);
    std::vector<bool> begun(p_.entities.size()); // by class
    std::vector<u32> later;
    const auto take = [this](u32 id) {
      const auto found = found_.find(p_.entities[id].name);
      if (found == found_.end() || found->second == 0)
        return;
      --found->second;
      present_[id] = true;
    };
    for (u32 id = 0; id < p_.entities.size(); ++id) {
      if (!is_needed(id))
        continue;
      if (class_of_[id] != kNone && begun[class_of_[id]])
        later.push_back(id);
      else
        take(id);
      if (class_of_[id] != kNone)
        begun[class_of_[id]] = true;
    }
    std::ranges::for_each(later, take);
  }

  void find_owners() {
    for (const Object &object : p_.objects) {
      std::vector<bool> &owns = owns_memory_.emplace_back(object.kinds.size());
      for (u32 s = 1; s < object.kinds.size(); ++s)
        if (const u32 code = object.code_of[s];
            code != 0 && code != s && code < owns.size() &&
            (object.kinds[s].is_constant() || object.kinds[s].role == elf::SectionRole::Shared))
          owns[code] = true;
    }
  }

  void sort_into_classes() {
    class_of_.assign(p_.entities.size(), kNone);
    std::unordered_map<std::string, u32> numbers;
    for (const u32 node : l_.calls.callees_first)
      if (node < l_.calls.functions())
        if (const u32 id = l_.calls.entity_of[node]; may_be_folded(id))
          class_of_[id] =
              numbers.try_emplace(describe(id), static_cast<u32>(numbers.size())).first->second;
  }

  // Redirects all references to a missing function to the function that replaces it.
  void fold(const std::vector<u32> &into) {
    for (u32 o = 0; o < p_.objects.size(); ++o)
      for (u32 s = 0; s < p_.entity_of[o].size(); ++s) {
        u32 &id = p_.entity_of[o][s];
        if (id == kNone || into[id] == kNone)
          continue;
        id = into[id];
        if (p_.outcome[o][s] != Outcome::None)
          p_.outcome[o][s] = Outcome::Discarded;
      }
    for (u32 id = 0; id < into.size(); ++id)
      if (into[id] != kNone)
        p_.entities[id].object = p_.entities[id].first_definition = kNone;
  }

  [[nodiscard]] bool is_needed(u32 entity) const {
    const u32 node = l_.calls.node_of[entity];
    return node != kNone && l_.live.needed[node] && p_.entities[entity].defined();
  }

  // True if its address is not taken, it owns its section, and it has no memory or constants.
  [[nodiscard]] bool may_be_folded(u32 id) const {
    const Entity &entity = p_.entities[id];
    if (!entity.function() || !entity.defined() || entity.kernel() ||
        l_.calls.taken[l_.calls.node_of[id]])
      return false;
    const Object &object = p_.objects[entity.object];
    const elf::Symbol &symbol = p_.definition(entity);
    return symbol.in_section() && symbol.value == 0 &&
           object.owner_symbol(symbol.section) == entity.symbol &&
           !owns_memory_[entity.object][symbol.section];
  }

  [[nodiscard]] std::string describe(u32 id) const {
    const Entity &entity = p_.entities[id];
    const Object &object = p_.objects[entity.object];
    const elf::Section &text = object.section(p_.definition(entity).section);
    std::string out;
    add(out, entity.size, entity.other, text.flags, text.align, text.info >> 24, text.data.size(),
        object.registers[entity.symbol], object.frame[entity.symbol], object.stack[entity.symbol]);
    // A capsule begins with a section number, which may differ.
    const size_t skipped = l_.mercury ? std::min<size_t>(text.data.size(), sizeof(u32)) : 0;
    out.append(reinterpret_cast<const char *>(text.data.data()) + skipped,
               text.data.size() - skipped);
    add_relocations(entity, out);
    add_records(entity, out);
    for (const u32 callee : l_.calls.of(l_.calls.node_of[id])) {
      if (callee < l_.calls.functions())
        add_function(id, l_.calls.entity_of[callee], out);
      else
        add(out, 'p', callee);
    }
    return out;
  }

  void add_relocations(const Entity &entity, std::string &out) const {
    const Object &object = p_.objects[entity.object];
    for (u32 table = object.first_table[p_.definition(entity).section]; table != 0;
         table = object.next_table[table]) {
      const elf::RelocationTable entries = object.view.relocations(object.section(table));
      add(out, entries.size());
      for (u32 i = 0; i < entries.size(); ++i) {
        const elf::Relocation entry = entries[i];
        add(out, entry.offset, entry.type, entry.addend);
        add_symbol(entity, entry.symbol, out);
      }
    }
  }

  void add_records(const Entity &entity, std::string &out) const {
    for (const elf::InfoRecord &record :
         p_.objects[entity.object].records(p_.definition(entity).section)) {
      const u64 symbols = elf::symbol_word_count(record) * sizeof(u32);
      add(out, record.format, record.attribute, record.value, record.payload.size());
      for (u64 at = 0; at < symbols; at += sizeof(u32))
        add_symbol(entity, load_le<u32>(record.payload.data() + at), out);
      out.append(reinterpret_cast<const char *>(record.payload.data()) + symbols,
                 record.payload.size() - symbols);
    }
  }

  void add_symbol(const Entity &entity, u32 symbol, std::string &out) const {
    const std::vector<u32> &entities = p_.entity_of[entity.object];
    const u32 named = symbol < entities.size() ? entities[symbol] : kNone;
    if (named == kNone) // a label or a section of this object
      add(out, 's', entity.object, symbol);
    else
      add_function(p_.entity_of[entity.object][entity.symbol], named, out);
  }

  void add_function(u32 self, u32 named, std::string &out) const {
    if (named == self)
      add(out, 'o');
    else if (class_of_[named] != kNone)
      add(out, 'c', class_of_[named]);
    else
      add(out, 'e', named);
  }

  template <typename... Numbers> static void add(std::string &out, Numbers... numbers) {
    for (const u64 number : {static_cast<u64>(numbers)...})
      out.append(reinterpret_cast<const char *>(&number), sizeof number);
  }

  Link &l_;
  Program &p_;
  std::unordered_map<std::string_view, u32> found_; // number of functions of the output
  std::vector<bool> present_;                       // by entity: the output has it
  std::vector<std::vector<bool>> owns_memory_;      // by object and code section
  std::vector<u32> class_of_;                       // by entity; kNone: not in a class
};

} // namespace

bool accept_folding(Link &link) {
  return link.executable && FoldFinder(link).run();
}

} // namespace culink::check
