// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches symbols of the output with entities. A name that is not local has one symbol. Local
// symbols may share a name; the output has them in the order of the inputs, so the n-th symbol of a
// name belongs to the n-th input with that name. Missing symbols, symbols without a reason and
// symbols that differ from the definition are findings.
#include <algorithm>
#include <map>

#include "verify/link/link.h"

namespace culink::check {

using elf::SectionRole;
using elf::SymbolBinding;
using elf::SymbolType;

namespace {

// Whether the output must, may or must not have a symbol for an entity.
enum class Presence : u8 { No, May, Must };

bool is_entity_of_bank(const Object &object, const elf::Symbol &symbol, u8 bank) {
  return symbol.in_section() && symbol.type() != SymbolType::Section && !symbol.name.empty() &&
         object.kinds[symbol.section].is_constant() && object.kinds[symbol.section].bank == bank &&
         object.code_of[symbol.section] != 0;
}

class Matcher {
public:
  Matcher(Link &link, Report &report) : l_(link), report_(report) {}

  void run() {
    index_output();
    l_.place_of.resize(l_.program.objects.size());
    for (u32 i = 0; i < l_.program.objects.size(); ++i)
      l_.place_of[i].resize(l_.program.objects[i].view.sections().size());
    for (u32 id = 0; id < l_.program.entities.size(); ++id)
      if (!l_.program.entities[id].local)
        match_global(id);
    match_locals();
    place_code();
    match_constants();
    check_shared_owners();
    check_unmatched();
  }

private:
  void index_output() {
    const Object &out = l_.out;
    used_.assign(out.symbols.size(), false);
    l_.section_symbol.assign(out.view.sections().size(), 0);
    l_.canonical.resize(out.symbols.size());
    std::vector<u32> first_in(out.view.sections().size(), 0); // by section: first function
    for (u32 s = 0; s < out.symbols.size(); ++s) {
      const elf::Symbol &symbol = out.symbols[s];
      l_.canonical[s] = s;
      if (symbol.type() == SymbolType::Function && symbol.in_section()) {
        if (first_in[symbol.section] == 0)
          first_in[symbol.section] = s;
        else if (out.symbols[first_in[symbol.section]].value == symbol.value)
          l_.canonical[s] = first_in[symbol.section];
      }
      if (symbol.type() == SymbolType::Section && symbol.in_section()) {
        l_.section_symbol[symbol.section] = s;
        if (symbol.value != 0 || symbol.size != 0)
          report_.add(FindingKind::Symbol, symbol.name, out.section(symbol.section).name,
                      symbol.value, "the start of the section", hex(symbol.value));
      }
      if (symbol.name.empty() || symbol.type() == SymbolType::Section)
        continue;
      if (symbol.binding() == SymbolBinding::Local) {
        const auto [number, is_new] = local_names_.insert(symbol.name);
        if (is_new)
          local_symbols_.emplace_back();
        local_symbols_[number].push_back(s);
      } else if (globals_.insert(symbol.name).second) {
        global_symbol_.push_back(s);
      } else {
        report_.add(FindingKind::Symbol, symbol.name, "", 0, "one symbol", "two of one name");
      }
    }
    l_.belongs_to.resize(out.view.sections().size());
    l_.claimed.assign(out.view.sections().size(), false);
    for (const elf::Section &section : out.view.sections()) {
      const elf::SectionKind &kind = out.kinds[section.index];
      if (kind.mercury)
        continue;
      if (const u32 code = out.code_of[section.index]; code != 0)
        l_.belongs_to[code].push_back(section.index);
      if (!kind.is_code() && l_.section_names.insert(section.name).second)
        l_.section_of_name.push_back(section.index);
    }
  }

  [[nodiscard]] Presence presence(u32 id) const {
    const Entity &entity = l_.program.entities[id];
    if (!entity.function())
      return data_presence(entity);
    const u32 node = l_.calls.node_of[id];
    if (!l_.allowed[node])
      return Presence::No;
    return entity.defined() && l_.live.needed[node] ? Presence::Must : Presence::May;
  }

  [[nodiscard]] Presence data_presence(const Entity &entity) const {
    if (!entity.defined()) {
      if (entity.common_align != 0)
        return Presence::Must;
      return Presence::May;
    }
    const elf::SectionKind &kind = l_.program.kind_of(entity);
    if (kind.mercury)
      return Presence::No;
    const elf::Symbol &symbol = l_.program.definition(entity);
    if (kind.is_code())
      return parameter_presence(entity, symbol.section);
    const bool owned = l_.program.objects[entity.object].code_of[symbol.section] != 0;
    if (!l_.executable && kind.is_constant() && owned)
      return bank_presence(entity, symbol.section, kind.bank);
    if (!l_.executable)
      return kind.role == SectionRole::ReservedShared ? Presence::May : Presence::Must;
    switch (kind.role) {
    case SectionRole::Global:
    case SectionRole::GlobalInit:
      return Presence::Must;
    case SectionRole::Constant:
    case SectionRole::ConstantNamed:
      if (owned && kind.bank == l_.arch.banks.compiler) // linkers rename its symbols
        return Presence::No;
      // If kernels are selected, unused constants may be removed. Addresses that a compiler keeps
      // for position-independent code do not need a name.
      return owned || l_.options.is_selected || (entity.other & 1) != 0 ? Presence::May
                                                                        : Presence::Must;
    default:
      return Presence::May;
    }
  }

  // An image that is a parameter is kept with the kernel that its symbol belongs to.
  [[nodiscard]] Presence parameter_presence(const Entity &entity, u32 section) const {
    const u32 kernel = l_.program.objects[entity.object].owner_symbol(section);
    if (kernel >= l_.program.entity_of[entity.object].size() ||
        l_.program.outcome[entity.object][kernel] != Outcome::Prevails)
      return Presence::No;
    const u32 owner = l_.program.entity_of[entity.object][kernel];
    return owner == kNone ? Presence::May : presence(owner);
  }

  // A bank is kept with the code that it belongs to. Names of parameters may remain after their
  // definition is discarded. Linkers rename the compiler's constants, which match_constants finds.
  [[nodiscard]] Presence bank_presence(const Entity &entity, u32 section, u8 bank) const {
    if (bank == l_.arch.banks.compiler)
      return Presence::No;
    const Object &object = l_.program.objects[entity.object];
    const u32 owner = object.owner_symbol(object.code_of[section]);
    if (owner < object.symbols.size() &&
        l_.program.outcome[entity.object][owner] == Outcome::Prevails)
      return Presence::Must;
    return bank == l_.arch.banks.parameters ? Presence::May : Presence::No;
  }

  void match_global(u32 id) {
    const Entity &entity = l_.program.entities[id];
    const Presence wanted = presence(id);
    const std::optional<u32> number = globals_.find(entity.name);
    if (number && wanted != Presence::No)
      take(id, global_symbol_[*number]);
    else if (wanted == Presence::Must)
      miss(entity, "no symbol of that name");
  }

  void match_locals() {
    std::vector<std::vector<u32>> entities(local_names_.size());
    for (u32 id = 0; id < l_.program.entities.size(); ++id) {
      const Entity &entity = l_.program.entities[id];
      if (!entity.local || presence(id) == Presence::No)
        continue;
      if (const std::optional<u32> number = local_names_.find(entity.name))
        entities[*number].push_back(id);
      else if (presence(id) == Presence::Must)
        miss(entity, "no symbol of that name");
    }
    for (u32 name = 0; name < entities.size(); ++name) {
      std::vector<u32> &wanted = entities[name];
      const std::vector<u32> &found = local_symbols_[name];
      if (wanted.size() > found.size())
        std::erase_if(wanted, [this](u32 id) { return presence(id) != Presence::Must; });
      if (wanted.size() > found.size())
        report_.add(FindingKind::Missing, local_names_[name], "", 0,
                    std::to_string(wanted.size()) + " local definitions",
                    std::to_string(found.size()));
      for (size_t i = 0; i < wanted.size() && i < found.size(); ++i)
        take(wanted[i], found[i]);
    }
  }

  void take(u32 id, u32 symbol) {
    l_.program.entities[id].out = symbol;
    used_[symbol] = true;
    check_definition(l_.program.entities[id]);
  }

  // True if a finalizer may have added, removed and moved instructions.
  [[nodiscard]] bool is_rescheduled() const {
    return l_.options.finalized && l_.has_mercury && !l_.mercury;
  }

  // Returns the expected type: executables have only one type for data.
  [[nodiscard]] SymbolType expected_type(const Entity &entity) const {
    return l_.executable && !l_.mercury && entity.type() == SymbolType::CudaObject
               ? SymbolType::Object
               : entity.type();
  }

  void check_definition(const Entity &entity) {
    const elf::Symbol &found = l_.out.symbols[entity.out];
    const bool common = entity.common_align != 0 && !entity.defined();
    const auto kind_of_name = [](bool function) { return function ? "function" : "variable"; };
    if (entity.function() != (found.type() == SymbolType::Function))
      return differ(entity, "a", kind_of_name(entity.function()), kind_of_name(!entity.function()));
    if (entity.kernel() != (entity.function() && is_kernel(found.other)))
      differ(entity, "a", entity.kernel() ? "kernel" : "device function", "the other");
    if (!entity.defined() && !common) {
      if (found.in_section() && !in_shared_memory(entity.other))
        differ(entity, "an", "undefined symbol", "a definition");
      const SymbolBinding binding = entity.local            ? SymbolBinding::Local
                                    : entity.weak_reference ? SymbolBinding::Weak
                                                            : SymbolBinding::Global;
      if (entity.function() && found.binding() != binding)
        differ(entity, "binding", std::to_string(static_cast<u32>(binding)),
               std::to_string(found.info >> 4));
      // A value of 0 means alignment 1. A declaration with a size does not have an alignment.
      if (!found.in_section() && !l_.executable && entity.dynamic_align > 1 && found.size == 0 &&
          found.value < entity.dynamic_align)
        differ(entity, "alignment", hex(entity.dynamic_align), hex(found.value));
      return;
    }
    if (common && !l_.executable) {
      if (found.size != entity.size)
        differ(entity, "size", hex(entity.size), hex(found.size));
      return;
    }
    if (!found.in_section())
      return miss(entity, "an undefined symbol");
    // An alias of code may have the code's size or 0.
    const bool alias = entity.function() && l_.out.kinds[found.section].is_code() &&
                       l_.out.owner_symbol(found.section) != entity.out;
    const bool rescheduled = entity.function() && is_rescheduled();
    if (found.size != entity.size && !(alias && found.size == 0) && !rescheduled)
      differ(entity, "size", hex(entity.size), hex(found.size));
    if (!common && found.binding() != static_cast<SymbolBinding>(entity.info >> 4))
      differ(entity, "binding", std::to_string(entity.info >> 4), std::to_string(found.info >> 4));
    // Executables drop the memory space, and may make a symbol internal (visibility 1).
    constexpr u8 kUnified = 0x10;
    const bool forgets = l_.executable && !l_.mercury && !entity.function();
    const u8 kept = forgets ? elf::kOtherManaged | kUnified : 0xfe;
    if (((found.other ^ entity.other) & kept) != 0 || (forgets && (found.other & ~(kept | 1)) != 0))
      differ(entity, "st_other", hex(entity.other & kept), hex(found.other));
    if (!entity.function() && found.type() != expected_type(entity))
      differ(entity, "type", std::to_string(static_cast<u32>(expected_type(entity))),
             std::to_string(found.info & 15));
    const SectionRole role = l_.out.kinds[found.section].role;
    if (entity.function() ? !l_.out.kinds[found.section].is_code()
        : common          ? role != SectionRole::Global
                 : role != l_.program.kind_of(entity).role && !in_shared_memory(entity.other))
      differ(entity, "a place in", common ? ".nv.global" : "a section of the definition's kind",
             std::string(l_.out.section(found.section).name));
  }

  // In an object, a kernel's own shared variables must be in memory of its code.
  void check_shared_owners() {
    if (l_.executable)
      return;
    for (const Entity &entity : l_.program.entities) {
      if (entity.function() || entity.out == 0 || !entity.defined() ||
          l_.program.kind_of(entity).role != SectionRole::Shared)
        continue;
      const Object &object = l_.program.objects[entity.object];
      const u32 code = object.code_of[l_.program.definition(entity).section];
      const u32 placed = l_.place_of[entity.object][code].section; // 0: another definition prevails
      const elf::Symbol &found = l_.out.symbols[entity.out];
      if (code != 0 && placed != 0 && found.in_section() && placed != l_.out.code_of[found.section])
        differ(entity, "memory of", std::string(object.kinds[code].owner), "that of other code");
    }
  }

  // Places code: a section of an input is one section of the output.
  void place_code() {
    l_.code_of_node.assign(l_.calls.functions(), kNone);
    std::vector<u32> claimed_by(l_.out.view.sections().size(), kNone); // position in l_.code
    for (u32 node = 0; node < l_.calls.functions(); ++node) {
      const Entity &entity = l_.function(node);
      if (!entity.defined() || entity.out == 0)
        continue;
      const elf::Symbol &found = l_.out.symbols[entity.out];
      const elf::Symbol &definition = l_.program.definition(entity);
      if (!found.in_section() || !l_.out.kinds[found.section].is_code())
        continue;
      if (found.value != definition.value && !is_rescheduled())
        differ(entity, "offset", hex(definition.value), hex(found.value));
      u32 &claim = claimed_by[found.section];
      if (claim == kNone) {
        claim = static_cast<u32>(l_.code.size());
        l_.code.push_back(
            {entity.object, definition.section, l_.calls.entity_of[node], found.section});
        l_.place_of[entity.object][definition.section] = {found.section, 0, false};
        l_.claimed[found.section] = true;
      } else if (l_.code[claim].object != entity.object ||
                 l_.code[claim].section != definition.section) {
        differ(entity, "code of its own, not that of",
               std::string(l_.program.entities[l_.code[claim].entity].name),
               std::string(l_.out.section(found.section).name));
        continue;
      }
      l_.code_of_node[node] = claim;
    }
    // An alias does not own code, unless the owner's name was removed.
    for (CodePlace &code : l_.code) {
      const Object &object = l_.program.objects[code.object];
      const u32 symbol = object.owner_symbol(code.section);
      const u32 owner =
          symbol < object.symbols.size() ? l_.program.entity_of[code.object][symbol] : kNone;
      if (owner != kNone && l_.program.entities[owner].out != 0 &&
          l_.program.entities[owner].object == code.object && l_.calls.node_of[owner] != kNone)
        code.entity = owner;
    }
  }

  // Matches the compiler's constants in an object by their place in the bank of the same code.
  void match_constants() {
    if (l_.executable)
      return;
    std::map<std::pair<u32, u64>, std::vector<u32>> by_place; // newest first
    for (u32 s = static_cast<u32>(l_.out.symbols.size()); s-- > 1;)
      if (const elf::Symbol &symbol = l_.out.symbols[s];
          is_entity_of_bank(l_.out, symbol, l_.arch.banks.compiler))
        by_place[{symbol.section, symbol.value}].push_back(s);
    for (u32 id = 0; id < l_.program.entities.size(); ++id) {
      const Entity &entity = l_.program.entities[id];
      if (!entity.local || !entity.defined())
        continue;
      const Object &object = l_.program.objects[entity.object];
      const elf::Symbol &symbol = l_.program.definition(entity);
      if (!is_entity_of_bank(object, symbol, l_.arch.banks.compiler))
        continue;
      const u32 code = l_.place_of[entity.object][object.code_of[symbol.section]].section;
      if (code == 0)
        continue;
      const u32 bank = l_.owned(code, object.kinds[symbol.section].role, l_.arch.banks.compiler);
      const auto found = by_place.find({bank, symbol.value});
      if (found == by_place.end() || found->second.empty()) {
        miss(entity, "no symbol at that place");
        continue;
      }
      take(id, found->second.back());
      found->second.pop_back();
    }
  }

  // Reports symbols that the program does not have. Linkers add some for debuggers and the next
  // link.
  void check_unmatched() {
    for (u32 s = 1; s < l_.out.symbols.size(); ++s) {
      const elf::Symbol &symbol = l_.out.symbols[s];
      if (used_[s] || symbol.name.empty() || symbol.type() == SymbolType::Section ||
          symbol.type() == SymbolType::NoType || symbol.type() == SymbolType::File)
        continue;
      const bool internal = (symbol.other & 1) != 0 || symbol.name == "externsharedinstance";
      if (!internal)
        report_.add(FindingKind::Unexplained, symbol.name,
                    symbol.in_section() ? l_.out.section(symbol.section).name : "", symbol.value,
                    "no such symbol", "one");
    }
  }

  void miss(const Entity &entity, std::string_view what) {
    const Object &object = l_.program.objects[entity.defined() ? entity.object : 0];
    std::string section =
        entity.defined() ? std::string(object.section(l_.program.definition(entity).section).name)
                         : std::string();
    report_.add(FindingKind::Missing, entity.name, std::move(section), 0,
                "the definition of " + object.name, std::string(what));
  }

  void differ(const Entity &entity, std::string_view what, std::string expected,
              std::string found) {
    const elf::Symbol &symbol = l_.out.symbols[entity.out];
    report_.add(FindingKind::Symbol, entity.name,
                symbol.in_section() ? l_.out.section(symbol.section).name : "", symbol.value,
                std::string(what) + " " + expected, std::move(found));
  }

  Link &l_;
  Report &report_;
  StringIndex globals_, local_names_;
  std::vector<u32> global_symbol_;              // by name
  std::vector<std::vector<u32>> local_symbols_; // by name
  std::vector<bool> used_;                      // by symbol of the output
};

} // namespace

void match_symbols(Link &link, Report &report) {
  Matcher(link, report).run();
}

} // namespace culink::check
