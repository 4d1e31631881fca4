// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiler constants of device functions (bank 2: branch tables, literals). The code of a function
// addresses its constants at one offset, whichever kernel called it. So they are copied to the same
// offset of the bank of each kernel that reaches the function: after the longest of those banks.
// Relocations against them use that offset.
//
// What may surprise: constants of two functions are not shared, even if equal, and the function
// that was created last is placed first (Q015).
#include "link/place/place_constants.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>

#include "link/nvlink/section_owners.h"
#include "link/nvlink/user_constants.h"
#include "link/place/list_sort.h"
#include "support/bytes.h"

namespace culink {

using elf::SectionType;

namespace {

class ConstantPlacer {
public:
  ConstantPlacer(const Program &program, const Reach &reach, Layout layout)
      : p_(program), reach_(reach), layout_(std::move(layout)) {}

  Layout run();

private:
  void place_constants_of(u32 number);
  void copy_relocations(u32 number, const std::vector<OutId> &banks);

  const Program &p_;
  const Reach &reach_;
  Layout layout_;
  std::vector<OutId> table_of_; // by section: its relocations
};

Layout ConstantPlacer::run() {
  if (layout_.placement.function_constants.empty())
    return std::move(layout_);
  table_of_.resize(layout_.sections.size());
  for (const RelocationGroup &group : layout_.relocs.groups)
    if (OutId &table = table_of_[group.target.value]; !table.valid())
      table = group.table;
  for (size_t i = layout_.placement.function_constants.size(); i-- > 0;)
    place_constants_of(static_cast<u32>(i));
  return std::move(layout_);
}

void ConstantPlacer::place_constants_of(u32 number) {
  FunctionConstants &constants = layout_.placement.function_constants[number];
  const FunctionId one[] = {constants.function};
  std::vector<FunctionId> kernels = reach_.kernels_reaching(one);
  std::reverse(kernels.begin(), kernels.end());
  std::vector<OutId> banks;
  u64 longest = 0,
      align = constants.align; // each of the banks gets the strictest alignment
  for (const FunctionId k : kernels) {
    const Entity &kernel = p_.entity_of(k);
    const std::string name = ".nv.constant2." + std::string(kernel.name);
    const OutId text = layout_.placement.address_of[p_.calls.functions[k.value].value].section;
    OutId id = nvlink::section_of_kernel(p_, layout_.sections, layout_.sections.find(name), text);
    // An overriding definition without constants still takes its position in banks that exist.
    if (!id.valid() && constants.size == 0)
      continue;
    if (!id.valid()) {
      id = layout_.sections.add(
          layout_.sections.keep_name(name, ""),
          {.type = constants.type, .flags = constants.flags, .info = text, .has_symbol = true});
      layout_.sections.add_section_symbol(id);
    }
    align = std::max(align, layout_.sections[id].align);
    longest = std::max(longest, layout_.sections[id].size);
    banks.push_back(id);
  }
  constants.offset = align_up(longest, align);
  for (const OutId id : banks) {
    layout_.sections[id].align = align;
    for (const Piece &piece : constants.pieces)
      layout_.sections.table.add_piece(id, constants.offset + piece.offset, piece.bytes);
    layout_.sections[id].size = align_up(constants.offset + constants.size, align);
  }
  copy_relocations(number, banks);
  // Constants of a discarded definition have no symbol.
  if (p_.policy.null_symbol_has_value && !banks.empty() &&
      constants.discarded_piece != FunctionConstants::kNone)
    layout_.placement.null_symbol_value = constants.offset + constants.discarded_piece;
}

void ConstantPlacer::copy_relocations(u32 number, const std::vector<OutId> &banks) {
  if (layout_.placement.function_constants[number].relocations.empty())
    return;
  for (const OutId bank : banks) {
    if (bank.value >= table_of_.size()) // the bank is new
      table_of_.resize(layout_.sections.size());
    OutId &table = table_of_[bank.value];
    if (!table.valid()) {
      table = layout_.sections.add(layout_.sections.keep_name(".rela", layout_.sections.name(bank)),
                                   elf::relocation_table(bank, true));
      layout_.sections.add_section_symbol(table);
      layout_.relocs.groups.push_back({table, bank, true});
      if (p_.policy.lists_resolved) // the list is only a name
        layout_.sections.add_section_symbol(layout_.sections.add(
            layout_.sections.keep_name(".nv.resolvedrela", layout_.sections.name(bank)),
            {.type = SectionType::Null, .presence = Presence::NameOnly}));
    }
    layout_.relocs.copied.push_back({table, bank, number});
  }
}

} // namespace

Layout place_constants(const Program &program, const Reach &reach, Layout layout) {
  return ConstantPlacer(program, reach, std::move(layout)).run();
}

// The bank of __constant__ variables, which all kernels share. It holds the blocks of the files one
// after the other, as merge_data.cc appended them.
//
// A bank that is too large is packed: its variables are laid out one by one, so that less is lost
// to alignment. Where kernels are selected, variables that nothing uses are dropped before.
//
// What may surprise: the alignment of a variable is first guessed from its size, 8 at most, because
// nvlink does so. That may put vectors where they cannot be loaded; where it does, the bank is laid
// out again with the alignment that each variable had in its object, the largest first.

namespace {

struct Variable {
  EntityId id;
  ByteSpan bytes;
  u64 align = 1;      // as nvlink guesses
  u64 rank = 0;       // the same in the order of variables, where local and weak ones come last
  u64 real_align = 1; // as far as it can be inferred
  u64 offset = 0;
};

class UserBank {
public:
  UserBank(const Program &program, Layout &layout, OutId bank)
      : p_(program), layout_(layout), bank_(bank) {}

  [[nodiscard]] bool can_be_packed() const;
  void pack();

private:
  [[nodiscard]] bool is_named_as_a_whole() const;
  // nvlink gives up on some banks, and keeps pointers of variables that are left out.
  [[nodiscard]] bool packs_as_nvlink() const {
    return p_.policy.crashes_packing && p_.live.selective;
  }
  [[nodiscard]] bool has_pointers(const Variable &variable) const;
  [[nodiscard]] std::optional<u64>
  offset_of_lost(const Variable &lost, const std::vector<Variable> &kept, u64 size) const;
  [[nodiscard]] u64 old_offset(const Variable &variable) const {
    const auto [object, section, begin] = origin(variable.id);
    return layout_.placement.location_of[object.value][section].offset + begin;
  }
  [[nodiscard]] std::vector<bool> find_used() const;
  [[nodiscard]] std::vector<Variable> list_variables() const;
  [[nodiscard]] static std::vector<Variable> sort(const std::vector<Variable> &variables);
  [[nodiscard]] std::vector<Variable> drop_unused(std::vector<Variable> &variables);
  void drop_pointers(const std::vector<Variable> &dropped);
  struct Origin {
    ObjectId object;
    u32 section;
    u64 begin;
  };
  [[nodiscard]] Origin origin(EntityId id) const;
  void move_pointers(const std::vector<Variable> &variables, std::vector<Variable> lost);
  [[nodiscard]] u64 lay_out(std::vector<Variable> &variables, bool real) const;
  [[nodiscard]] bool in_bank(ObjectId object, u32 section) const {
    return layout_.placement.location_of[object.value][section].section == bank_;
  }
  // Calls use(object, symbol) for each relocation that may be part of the output.
  template <typename Use> void for_each_relocation(Use use) const {
    for (const RelocationSlice &slice : layout_.relocs.slices) {
      const InputObject &object = p_.objects[slice.object.value];
      for (const elf::Relocation entry : object.view.relocations(object.section(slice.section)))
        use(slice.object, entry.symbol);
    }
  }

  const Program &p_;
  Layout &layout_;
  const OutId bank_;
};

// A reference to the bank as a whole does not identify a variable.
bool UserBank::is_named_as_a_whole() const {
  bool named = false;
  for_each_relocation([&](ObjectId object, u32 index) {
    const elf::Symbol &symbol = p_.objects[object.value].symbols[index];
    named = named || (symbol.type() == elf::SymbolType::Section && symbol.in_section() &&
                      in_bank(object, symbol.section));
  });
  return named;
}

bool UserBank::can_be_packed() const {
  if (is_named_as_a_whole())
    return false;
  std::vector<Variable> kept = list_variables(), dropped;
  if (p_.live.selective) {
    const std::vector<bool> used = find_used();
    const auto behind = std::stable_partition(
        kept.begin(), kept.end(), [&used](const Variable &v) { return used[v.id.value]; });
    dropped.assign(behind, kept.end());
    kept.erase(behind, kept.end());
  }
  if (!packs_as_nvlink())
    return true;
  if (std::ranges::any_of(kept, [this](const Variable &v) {
        return p_.symbols[v.id].local || p_.symbols[v.id].in_local_part;
      }))
    return false;
  kept = sort(kept);
  const u64 size = lay_out(kept, false);
  return std::ranges::none_of(dropped, [&](const Variable &v) {
    return has_pointers(v) && !offset_of_lost(v, kept, size);
  });
}

std::vector<Variable> UserBank::sort(const std::vector<Variable> &variables) {
  return list_sort(variables, [](const Variable &a, const Variable &b) {
    return a.rank != b.rank ? a.rank > b.rank : a.bytes.size() <= b.bytes.size();
  });
}

// Returns where nvlink puts the pointers of a dropped variable: at the old distance from the
// nearest kept variable before it. Nothing: outside the bank.
std::optional<u64> UserBank::offset_of_lost(const Variable &lost, const std::vector<Variable> &kept,
                                            u64 size) const {
  const Variable *before = nullptr;
  for (const Variable &v : kept)
    if (old_offset(v) < old_offset(lost) && (!before || old_offset(v) > old_offset(*before)))
      before = &v;
  if (!before)
    return {};
  const u64 offset = before->offset + old_offset(lost) - old_offset(*before);
  return offset + lost.bytes.size() <= size ? std::optional(offset) : std::nullopt;
}

bool UserBank::has_pointers(const Variable &variable) const {
  const auto [number, section, begin] = origin(variable.id);
  const InputObject &object = p_.objects[number.value];
  for (const elf::Section &table : object.view.sections()) {
    if (!elf::is_relocation_table(table.type) || table.info != section)
      continue;
    for (const elf::Relocation entry : object.view.relocations(table))
      if (entry.offset >= begin && entry.offset - begin < variable.bytes.size())
        return true;
  }
  return false;
}

std::vector<bool> UserBank::find_used() const {
  std::vector<bool> used(p_.symbols.entities.size(), false);
  for_each_relocation([&](ObjectId object, u32 symbol) {
    if (const EntityId id = p_.symbols.of(object, symbol); id.valid())
      used[id.value] = true;
  });
  return used;
}

// In order of the symbols in the output.
std::vector<Variable> UserBank::list_variables() const {
  std::vector<Variable> out;
  const auto list = [&](EntityId id) {
    const SymbolRef prevailing = p_.symbols[id].prevailing;
    if (!prevailing.valid())
      return;
    const InputObject &object = p_.objects[prevailing.object.value];
    const elf::Symbol &symbol = object.symbols[prevailing.symbol];
    if (!symbol.in_section() || !in_bank(prevailing.object, symbol.section))
      return;
    const elf::Section &section = object.section(symbol.section);
    if (symbol.value > section.data.size() || symbol.size > section.data.size() - symbol.value)
      return;
    Variable &v = out.emplace_back();
    v.id = id;
    v.bytes = section.data.subspan(symbol.value, symbol.size);
    v.align = std::clamp<u64>(symbol.size, 1, 8);
    v.rank = p_.symbols[id].local || p_.symbols[id].in_local_part ? 0 : v.align;
    v.real_align =
        std::max<u64>(1, symbol.value == 0 ? section.align
                                           : std::min(section.align, symbol.value & -symbol.value));
  };
  for (const LocalSymbol &symbol : layout_.sections.locals)
    if (symbol.kind == LocalSymbol::Kind::Entity)
      list(EntityId(symbol.id));
  for (const EntityId id : layout_.sections.globals)
    list(id);
  return out;
}

std::vector<Variable> UserBank::drop_unused(std::vector<Variable> &variables) {
  std::vector<Variable> dropped;
  const std::vector<bool> used = find_used();
  if (layout_.placement.dropped.empty())
    layout_.placement.dropped.assign(used.size(), false);
  layout_.placement.wrong_symbols |= p_.policy.keeps_dropped_symbols;
  std::erase_if(variables, [&](const Variable &v) {
    if (used[v.id.value])
      return false;
    layout_.placement.dropped[v.id.value] = true;
    dropped.push_back(v);
    return true;
  });
  return dropped;
}

u64 UserBank::lay_out(std::vector<Variable> &variables, bool real) const {
  u64 end = 0;
  for (Variable &v : variables) {
    // 3, 5, 6 or 7 is not an alignment, but may be a guess.
    v.offset = align_up(end, real ? std::max(std::bit_floor(v.align), v.real_align) : v.align);
    end = v.offset + v.bytes.size();
  }
  return end;
}

UserBank::Origin UserBank::origin(EntityId id) const {
  const SymbolRef prevailing = p_.symbols[id].prevailing;
  const elf::Symbol &symbol = p_.objects[prevailing.object.value].symbols[prevailing.symbol];
  return {prevailing.object, symbol.section, symbol.value};
}

void UserBank::drop_pointers(const std::vector<Variable> &dropped) {
  for (const Variable &v : dropped) {
    const auto [object, section, begin] = origin(v.id);
    layout_.relocs.discarded[object.value].add(section, begin, begin + v.bytes.size());
  }
  for (DiscardedRanges &ranges : layout_.relocs.discarded)
    ranges.sort();
}

// Pointers inside variables move with them.
void UserBank::move_pointers(const std::vector<Variable> &variables, std::vector<Variable> lost) {
  layout_.relocs.moved.resize(p_.objects.size());
  for (Variable &v : lost)
    v.offset = offset_of_lost(v, variables, layout_.sections[bank_].size).value_or(0);
  lost.insert(lost.end(), variables.begin(), variables.end());
  for (const Variable &v : lost) {
    const auto [object, section, begin] = origin(v.id);
    layout_.relocs.moved[object.value].push_back(
        {section, begin, begin + v.bytes.size(), v.offset});
  }
  for (std::vector<MovedRange> &ranges : layout_.relocs.moved)
    std::sort(ranges.begin(), ranges.end(), [](const MovedRange &a, const MovedRange &b) {
      return std::pair(a.section, a.begin) < std::pair(b.section, b.begin);
    });
}

void UserBank::pack() {
  std::vector<Variable> variables = list_variables();
  std::vector<Variable> dropped;
  if (p_.live.selective)
    dropped = drop_unused(variables);
  variables = sort(variables);
  OutSection &bank = layout_.sections[bank_];
  if (variables.empty())
    bank.presence = Presence::Nothing;
  bank.size = lay_out(variables, false);
  const u64 guess = variables.empty() ? 1 : variables.front().align; // the largest
  const bool sound = std::has_single_bit(guess) &&
                     std::all_of(variables.begin(), variables.end(),
                                 [](const Variable &v) { return v.offset % v.real_align == 0; });
  if (!sound && !p_.policy.guesses_alignment) {
    std::stable_sort(variables.begin(), variables.end(), [](const Variable &a, const Variable &b) {
      return a.real_align > b.real_align;
    });
    bank.size = lay_out(variables, true);
  }
  bank.align = sound ? guess : std::bit_floor(guess);
  layout_.sections.table.clear_content(bank_);
  for (const Variable &v : variables) {
    if (!sound)
      bank.align = std::max(bank.align, v.real_align);
    layout_.sections.table.add_piece(bank_, v.offset, v.bytes);
    layout_.placement.address_of[v.id.value].value = v.offset;
  }
  if (!packs_as_nvlink()) {
    drop_pointers(dropped);
    dropped.clear();
  }
  move_pointers(variables, std::move(dropped));
  if (p_.policy.guesses_alignment && !variables.empty())
    bank.align = std::bit_floor(std::max<u64>(
        variables.front().rank, 1)); // invalid in ELF as the alignment of the whole bank
}

} // namespace

Layout place_user_constants(const Program &p, Layout layout) {
  const OutId id = layout.sections.find(".nv.constant" + std::to_string(p.arch.banks.user));
  if (id.valid() && p.policy.places_memory) {
    if (layout.sections[id].size > p.arch.limits.constant_bank) {
      if (UserBank bank(p, layout, id); bank.can_be_packed())
        bank.pack();
    } else if (p.live.selective) {
      layout = nvlink::merge_equal_constants(p, std::move(layout), id);
    }
  }
  for (const EntityId size : layout.placement.bank_sizes)
    layout.placement.address_of[size.value].value = id.valid() ? layout.sections[id].size : ~u64{0};
  return layout;
}

} // namespace culink
