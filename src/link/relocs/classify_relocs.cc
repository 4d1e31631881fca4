// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a device link many relocations stay: addresses of functions and global variables are known
// only to the loader. So each relocation is stored, kept or dropped, and this is decided before the
// layout, because what is kept has a size. All values are known here; nothing depends on where a
// section lies in the file.
//
// A list is written newest first: last file first, each file's table from its end. Values are
// stored in that order too, so where two relocations name one place the first one read wins.
#include "link/relocs/classify_relocs.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "link/emulate/compiler_constants.h"
#include "link/emulate/lost_pointers.h"
#include "link/relocs/reloc_target.h"

namespace culink {

using arch::RelocInfo;
using arch::Resolver;
using elf::SectionType;
using Against = KeptRelocation::Against;
using Kind = SymbolMeaning::Kind;

namespace {

class Classifier {
public:
  // `rela_of`: by OutId, the .rela table of a section.
  Classifier(const RelocationContext &context, const std::vector<OutId> &rela_of, Diagnostics &diag)
      : c_(context), p_(context.program), layout_(context.layout), rela_of_(rela_of), diag_(diag),
        plain_(p_.policy.executable && !p_.sass_plane && layout_.relocs.moved.empty()) {}

  void read_groups(u32 begin, u32 end);
  [[nodiscard]] bool is_of_replaced_bank(const RelocationGroup &group,
                                         const RelocationSlice &slice) const;
  void read_bank2_tails();
  void read_bank2_part(const CopiedRelocations &tail, const ConstantRelocations &from, u64 begin,
                       u64 end);
  // --preserve-relocs: what was stored is listed as well, .rel and .rela of a section in one list.
  void list_resolved();
  RelocationPlan take() { return std::move(out_); }

private:
  enum class Fate : u8 { Drop, Keep, Fold, Clear, Refuse };
  // What the entries of one slice have in common.
  struct Table {
    ObjectId object;
    const elf::Section *section;
    const std::vector<DiscardedRange> *discarded; // of the object
    bool about_code;   // debug information that goes away with its function
    bool in_constants; // where pointers may be forgotten (Q045)
    u64 target_size;   // of the section that is relocated, in the object
  };
  // One relocation on its way through the rules.
  struct Entry {
    ObjectId object;
    const elf::Section *table;
    elf::Relocation raw;
    u64 offset; // in the output section
    const RelocInfo *row;
    const SymbolMeaning &meaning;
  };

  void read_group(const RelocationGroup &group);
  void read_slice(const RelocationGroup &group, const RelocationSlice &slice);
  [[nodiscard]] Table table_of(const RelocationGroup &group, const RelocationSlice &slice) const;
  [[nodiscard]] bool read_usual(const RelocationGroup &group, const Table &table,
                                const elf::Relocation &raw, u64 offset, const RelocInfo *row,
                                const SymbolMeaning &meaning);
  void read_entry(const RelocationGroup &group, const Entry &entry);
  [[nodiscard]] u64 place_of(const RelocationSlice &slice, const elf::Relocation &entry) const;
  [[nodiscard]] u64 moved_offset(ObjectId object, u32 section, u64 offset, u64 base) const;
  [[nodiscard]] u64 shift_of(const Entry &entry) const;
  [[nodiscard]] bool is_listed(const Entry &entry) const;
  [[nodiscard]] i64 listed_addend(const RelocationGroup &group, const Entry &entry) const;
  [[nodiscard]] bool is_skipped(const RelocationGroup &group, const Table &table,
                                const elf::Relocation &raw) const;
  [[nodiscard]] bool is_about_unused_code(const RelocationGroup &group, ObjectId object,
                                          u32 symbol) const;
  [[nodiscard]] Fate fate_of(const Entry &entry) const;
  [[nodiscard]] Fate fate_of_loaded(const Entry &entry) const;
  [[nodiscard]] bool loses_symbol(const Entry &entry) const;
  [[nodiscard]] bool is_shared_variable(const SymbolMeaning &meaning) const;
  [[nodiscard]] bool is_cleared(const SymbolMeaning &meaning) const;
  [[nodiscard]] Fate fate_of_relocatable(const Entry &entry) const;
  [[nodiscard]] Fate fate_of_image(const Entry &entry) const;
  // The link is one of Mercury code, or of the machine code beside it.
  [[nodiscard]] bool has_both_forms() const {
    return p_.sass_plane || p_.arch.code_kind == arch::CodeKind::Capmerc;
  }
  void keep(const RelocationGroup &group, const Entry &entry);
  void keep_with_addend(const RelocationGroup &group, const Entry &entry, KeptRelocation out);
  void fold(const RelocationGroup &group, const Entry &entry);
  void refuse(const RelocationGroup &group, const Entry &entry);
  [[nodiscard]] bool field_fits(const Entry &entry) const;
  void report_outside(const RelocationGroup &group, const Entry &entry);
  [[nodiscard]] FunctionId function_of(OutId target) const {
    const EntityId id = layout_.sections[target].function;
    return id.valid() ? p_.function_of(id) : FunctionId{};
  }

  const RelocationContext &c_;
  const Program &p_;
  const Layout &layout_;
  const std::vector<OutId> &rela_of_;
  Diagnostics &diag_;
  const arch::RelocRows rows_;
  const bool plain_; // an executable with nothing special about it
  RelocationPlan out_;
};

void Classifier::read_groups(u32 begin, u32 end) {
  u64 entries = 0;
  for (u32 i = begin; i < end; ++i)
    for (u32 s = layout_.relocs.groups[i].newest; s != RelocationSlice::kNoSlice;
         s = layout_.relocs.slices[s].previous)
      entries += p_.objects[layout_.relocs.slices[s].object.value]
                     .section(layout_.relocs.slices[s].section)
                     .size /
                 16;
  out_.kept.reserve(entries); // what is not used is not touched either
  for (u32 i = begin; i < end; ++i)
    read_group(layout_.relocs.groups[i]);
}

void Classifier::read_group(const RelocationGroup &group) {
  if (layout_.sections[group.target].discarded())
    return;
  const EntityId function = layout_.sections[group.target].function;
  for (u32 i = group.newest; i != RelocationSlice::kNoSlice;
       i = layout_.relocs.slices[i].previous) {
    // Of code that was replaced, only the final definition's relocations count.
    if (function.valid() &&
        p_.symbols[function].prevailing.object != layout_.relocs.slices[i].object)
      continue;
    if (!emulate::keeps_overridden_relocations(p_) &&
        is_of_replaced_bank(group, layout_.relocs.slices[i]))
      continue;
    read_slice(group, layout_.relocs.slices[i]);
  }
}

// Constants of a copy that was replaced are not there any more; nvlink keeps what pointed to them
// (Q040).
bool Classifier::is_of_replaced_bank(const RelocationGroup &group,
                                     const RelocationSlice &slice) const {
  const OutId text = layout_.sections[group.target].target;
  if (!text.valid() || !layout_.sections[text].function.valid())
    return false;
  const u32 bank = p_.objects[slice.object.value].section(slice.section).info;
  return p_.symbols[layout_.sections[text].function].prevailing.object != slice.object &&
         !layout_.placement.location_of[slice.object.value][bank].discarded;
}

Classifier::Table Classifier::table_of(const RelocationGroup &group,
                                       const RelocationSlice &slice) const {
  const InputObject &object = p_.objects[slice.object.value];
  const elf::Section &section = object.section(slice.section);
  const std::string_view name = layout_.sections[group.target].name;
  return {slice.object,
          &section,
          &layout_.relocs.discarded[slice.object.value],
          object.kinds[section.info].is_debug() && name != ".debug_info" && name != ".debug_loc",
          p_.dialect.has(Defect::ForgottenPointers) && object.kinds[section.info].is_constant(),
          object.section(section.info).size};
}

void Classifier::read_slice(const RelocationGroup &group, const RelocationSlice &slice) {
  const Table table = table_of(group, slice);
  const elf::RelocationTable entries =
      p_.objects[slice.object.value].view.relocations(*table.section);
  const FunctionId function = function_of(group.target);
  const bool may_skip = table.about_code || table.in_constants || !table.discarded->empty();
  const auto read = [&](const elf::Relocation &raw, const SymbolMeaning &meaning) {
    const u64 place = plain_ ? raw.offset + slice.base : place_of(slice, raw);
    const RelocInfo *row = rows_.find(raw.type);
    if (!read_usual(group, table, raw, place, row, meaning))
      read_entry(group, {slice.object, table.section, raw, place, row, meaning});
  };
  const auto skips = [&](u32 i) { return may_skip && is_skipped(group, table, entries[i]); };
  u32 left = entries.size();
  while (left > 0 && skips(left - 1))
    --left;
  while (left > 0) { // they often come in pairs, for the halves of an address
    const u32 symbol = entries[left - 1].symbol;
    const SymbolMeaning meaning = meaning_of(c_, slice.object, symbol, function);
    do {
      read(entries[--left], meaning);
      while (left > 0 && skips(left - 1))
        --left;
    } while (left > 0 && entries[left - 1].symbol == symbol);
  }
}

// Nearly all relocations of large programs: an address of the loader's is kept, one that is known
// is stored. What the rules below would say, later. False: ask them.
inline bool Classifier::read_usual(const RelocationGroup &group, const Table &table,
                                   const elf::Relocation &raw, u64 offset, const RelocInfo *row,
                                   const SymbolMeaning &meaning) {
  if (!plain_ || !row || (!group.has_addends && meaning.addend_shift != 0))
    return false;
  const u64 addend = static_cast<u64>(raw.addend) + meaning.addend_shift;
  if (meaning.kind == Kind::Loader) {
    if (row->resolver == Resolver::Clear || row->resolver == Resolver::LoaderFunction ||
        offset >= layout_.sections[group.target].size)
      return false;
    out_.kept.push_back({group.table, meaning.id, offset, static_cast<i64>(addend),
                         row->number_in_executable(), meaning.against});
    return true;
  }
  const u64 bytes = (u64{row->word_bits()} + 7) / 8;
  if (meaning.kind != Kind::Value || row->resolver != Resolver::Linker ||
      row->value == arch::ValueKind::AddendOnly || raw.offset > table.target_size ||
      bytes > table.target_size - raw.offset)
    return false;
  out_.folded.push_back({.section = group.target,
                         .implicit_addend = !group.has_addends,
                         .offset = offset,
                         .row = row,
                         .value = {meaning.value + addend, meaning.bank}});
  return true;
}

// Constant by constant from the last one; of each, the last object's first, each from its end.
void Classifier::read_bank2_tails() {
  for (const CopiedRelocations &tail : layout_.relocs.copied) {
    const FunctionConstants &block = layout_.placement.function_constants[tail.constants];
    u64 end = block.size;
    for (size_t i = block.parts.size(); i-- > 0; end = block.parts[i])
      for (auto from = block.relocations.rbegin(); from != block.relocations.rend(); ++from)
        read_bank2_part(tail, *from, block.parts[i], end);
  }
}

void Classifier::read_bank2_part(const CopiedRelocations &tail, const ConstantRelocations &from,
                                 u64 begin, u64 end) {
  const InputObject &object = p_.objects[from.object.value];
  const elf::Section &table = object.section(from.section);
  const elf::RelocationTable entries = object.view.relocations(table);
  const u64 base = layout_.placement.function_constants[tail.constants].offset;
  for (u32 i = entries.size(); i-- > 0;) {
    const elf::Relocation raw = entries[i];
    const u64 offset = from.base + raw.offset;
    if (offset >= begin && offset < end)
      read_entry({tail.table, tail.bank, true},
                 {from.object, &table, raw, base + offset, arch::find_reloc(raw.type),
                  meaning_of(c_, from.object, raw.symbol, {})});
  }
}

// Behind the start of its file's block, unless parts were moved one by one.
u64 Classifier::moved_offset(ObjectId object, u32 section, u64 offset, u64 base) const {
  if (!layout_.relocs.moved.empty()) {
    const std::vector<MovedRange> &ranges = layout_.relocs.moved[object.value];
    const auto next = std::upper_bound(
        ranges.begin(), ranges.end(), offset, [section](u64 wanted, const MovedRange &range) {
          return std::pair(section, wanted) < std::pair(range.section, range.begin);
        });
    if (next != ranges.begin() && std::prev(next)->section == section)
      return std::prev(next)->offset + (offset - std::prev(next)->begin);
  }
  return offset + base;
}

u64 Classifier::place_of(const RelocationSlice &slice, const elf::Relocation &entry) const {
  const u32 section = p_.objects[slice.object.value].section(slice.section).info;
  return moved_offset(slice.object, section, entry.offset, slice.base);
}

// What a section symbol's addend grows by: the part that it names is not where it was.
u64 Classifier::shift_of(const Entry &entry) const {
  const u64 shift = entry.meaning.addend_shift;
  if (layout_.relocs.moved.empty() || entry.meaning.against != Against::Section)
    return shift;
  const u32 section = p_.objects[entry.object.value].symbols[entry.raw.symbol].section;
  const u64 addend = static_cast<u64>(entry.raw.addend);
  return moved_offset(entry.object, section, addend, shift) - addend;
}

// Relocations that leave no trace: the bytes stay as they are.
bool Classifier::is_skipped(const RelocationGroup &group, const Table &table,
                            const elf::Relocation &raw) const {
  for (const DiscardedRange &range : *table.discarded)
    if (range.section == table.section->info && range.begin <= raw.offset && raw.offset < range.end)
      return true;
  if (table.in_constants &&
      emulate::drops_pointer(p_, table.object, table.section->info, raw.symbol))
    return true;
  return table.about_code && is_about_unused_code(group, table.object, raw.symbol);
}

// Debug information about a copy of a function that is not the one in the output.
bool Classifier::is_about_unused_code(const RelocationGroup &group, ObjectId object,
                                      u32 index) const {
  const elf::Symbol &symbol = p_.objects[object.value].symbols[index];
  if (symbol.type() != elf::SymbolType::Function || !symbol.in_section())
    return false;
  const EntityId id = p_.symbols.of(object, index);
  if (!id.valid())
    return false;
  if (p_.symbols.outcome(object, index) != DefinitionOutcome::Accepted)
    return true;
  // What replaced copies said is forgotten if one of them had relocations, but only in .rela
  // tables, and in the .rel table of a section that had a .rela table first (Q028).
  const OutId rela = rela_of_[group.target.value];
  return p_.symbols[id].prevailing.object != object && layout_.relocs.has_overridden[id.value] &&
         (group.has_addends || (rela.valid() && rela < group.table));
}

void Classifier::read_entry(const RelocationGroup &group, const Entry &entry) {
  switch (p_.policy.executable ? fate_of(entry) : fate_of_relocatable(entry)) {
  case Fate::Drop:
    break;
  case Fate::Keep:
    keep(group, entry);
    break;
  case Fate::Fold:
    if (field_fits(entry))
      fold(group, entry);
    else
      report_outside(group, entry);
    break;
  case Fate::Clear:
    if (field_fits(entry))
      out_.folded.push_back({.section = group.target, .offset = entry.offset, .row = entry.row});
    else
      report_outside(group, entry);
    break;
  case Fate::Refuse:
    refuse(group, entry);
    break;
  }
}

Classifier::Fate Classifier::fate_of(const Entry &entry) const {
  const SymbolMeaning &meaning = entry.meaning;
  if (meaning.kind == Kind::Ignored)
    return Fate::Drop;
  if (!entry.row) // number 0, or one that nobody knows
    return entry.raw.type == 0 || meaning.kind == Kind::Gone ? Fate::Drop : Fate::Refuse;
  const Resolver resolver = entry.row->resolver;
  switch (meaning.kind) {
  case Kind::Loader:
    return fate_of_loaded(entry);
  case Kind::Gone:
    if (resolver == Resolver::Clear)
      return Fate::Clear;
    return resolver == Resolver::LoaderFunction ? Fate::Keep : Fate::Drop;
  case Kind::Unified:
    return entry.row->value == arch::ValueKind::Unified ? Fate::Refuse : Fate::Drop;
  case Kind::Image:
    return fate_of_image(entry);
  case Kind::Ignored:
  case Kind::Value:
  case Kind::Plain:
    break;
  }
  // nvlink -r leaves pointers to functions to the next link, whatever they point to.
  if (!p_.policy.executable && entry.row->value == arch::ValueKind::Unified)
    return Fate::Keep;
  switch (resolver) {
  case Resolver::Linker:
    return Fate::Fold;
  case Resolver::Loader:
    return meaning.nameless ? Fate::Refuse : Fate::Keep;
  case Resolver::LoaderFunction:
  case Resolver::LoaderOrError:
    return Fate::Refuse;
  case Resolver::Clear:
    return is_cleared(meaning) ? Fate::Clear : Fate::Drop;
  case Resolver::Nobody:
    return Fate::Drop;
  }
  return Fate::Drop;
}

// Kept as number 0 without a symbol, which means nothing to anyone.
bool Classifier::loses_symbol(const Entry &entry) const {
  if (!entry.row || p_.policy.keeps_all_relocations)
    return false;
  if (entry.meaning.kind == Kind::Image)
    return entry.row->image == arch::ImageAction::NullSymbol;
  return entry.row->resolver == Resolver::Clear && entry.meaning.against == Against::Entity &&
         p_.symbols[EntityId(entry.meaning.id)].type() == elf::SymbolType::Object &&
         !p_.symbols[EntityId(entry.meaning.id)].defined();
}

bool Classifier::is_shared_variable(const SymbolMeaning &meaning) const {
  return meaning.against == Against::Entity && is_shared(p_.symbols[EntityId(meaning.id)].other);
}

// Against what has no symbol of its own in executables.
bool Classifier::is_cleared(const SymbolMeaning &meaning) const {
  if (meaning.against != Against::Entity)
    return false;
  constexpr u8 kInternalConstant = elf::kOtherConstant | 1;
  const u8 other = p_.symbols[EntityId(meaning.id)].other;
  return is_shared(other) ? p_.policy.places_memory : other == kInternalConstant;
}

Classifier::Fate Classifier::fate_of_loaded(const Entry &entry) const {
  const SymbolMeaning &meaning = entry.meaning;
  const Resolver resolver = entry.row->resolver;
  if (meaning.against != Against::Entity)
    return resolver == Resolver::LoaderFunction ? Fate::Refuse : Fate::Keep;
  const Entity &entity = p_.symbols[EntityId(meaning.id)];
  if (resolver == Resolver::Clear && (entity.function || is_constant(entity.other)))
    return Fate::Drop;
  return resolver != Resolver::LoaderFunction || entity.function ? Fate::Keep : Fate::Refuse;
}

Classifier::Fate Classifier::fate_of_image(const Entry &entry) const {
  if (entry.row->resolver == Resolver::Nobody)
    return Fate::Drop;
  switch (entry.row->image) {
  case arch::ImageAction::Keep:
    return Fate::Keep;
  case arch::ImageAction::Slot:
    return !p_.policy.places_memory && (entry.row->image_kept_by_r || has_both_forms())
               ? Fate::Keep
               : Fate::Fold;
  case arch::ImageAction::ZeroValue:
    return Fate::Fold;
  case arch::ImageAction::Refuse:
    return Fate::Refuse;
  case arch::ImageAction::NullSymbol:
    return Fate::Keep;
  }
  return Fate::Keep;
}

// A lossless relocatable link keeps all that the next link can use.
Classifier::Fate Classifier::fate_of_relocatable(const Entry &entry) const {
  if (!p_.policy.keeps_all_relocations)
    return entry.meaning.kind == Kind::Unified ? Fate::Keep : fate_of(entry);
  if (entry.meaning.kind == Kind::Ignored || entry.meaning.kind == Kind::Plain)
    return Fate::Drop;
  return entry.meaning.kind == Kind::Gone && entry.meaning.against == Against::Nothing ? Fate::Drop
                                                                                       : Fate::Keep;
}

void Classifier::keep(const RelocationGroup &group, const Entry &entry) {
  KeptRelocation out{.table = group.table,
                     .id = entry.meaning.id,
                     .offset = entry.offset,
                     .addend = entry.raw.addend + static_cast<i64>(shift_of(entry)),
                     .type = entry.raw.type,
                     .against = entry.meaning.against};
  if (p_.policy.executable && entry.row)
    out.type = entry.row->number_in_executable();
  if (loses_symbol(entry))
    out = {.table = group.table, .offset = entry.offset, .addend = entry.raw.addend};
  if (entry.offset >= layout_.sections[group.target].size) {
    report_outside(group, entry);
    return;
  }
  if (p_.policy.keeps_all_relocations && !group.has_addends && out.against == Against::Section &&
      entry.row)
    keep_with_addend(group, entry, out);
  else {
    // A part of a section that has moved needs an addend.
    if (!group.has_addends && entry.meaning.addend_shift != 0)
      out.table = rela_of_[group.target.value];
    out_.kept.push_back(out);
  }
  // The code shows where slots would begin (Q103).
  if (p_.sass_plane && entry.meaning.kind == Kind::Image && p_.policy.resolves_early && entry.row &&
      entry.row->image == arch::ImageAction::Slot)
    out_.folded.push_back({.section = group.target,
                           .image_slot = true,
                           .offset = entry.offset,
                           .row = entry.row,
                           .value = {c_.constants.slot_base, 0}});
}

// An SHT_REL entry against a section symbol: the section's parts have moved, so what stands in the
// field is no longer all of the addend.
void Classifier::keep_with_addend(const RelocationGroup &group, const Entry &entry,
                                  KeptRelocation out) {
  const ByteSpan bytes = p_.objects[entry.object.value].section(entry.table->info).data;
  if (const auto field = arch::implicit_addend(bytes, entry.raw.offset, *entry.row))
    out.addend += static_cast<i64>(field->value);
  if (out.addend != 0 && rela_of_[group.target.value].valid())
    out.table = rela_of_[group.target.value];
  out_.kept.push_back(out);
}

void Classifier::fold(const RelocationGroup &group, const Entry &entry) {
  const SymbolMeaning &meaning = entry.meaning;
  FoldedRelocation out{.section = group.target,
                       // Where a section's part has moved, the field's old content is lost.
                       .implicit_addend = !group.has_addends && meaning.addend_shift == 0,
                       .offset = entry.offset,
                       .row = entry.row,
                       .value = {meaning.value + shift_of(entry), meaning.bank}};
  if (meaning.kind == Kind::Image) {
    const bool slot =
        entry.row->image == arch::ImageAction::Slot && meaning.value != ImagePlan::kNoSlot;
    // Without a slot nvlink -r writes this bank (Q024).
    constexpr u8 kNoSlotBank = 28;
    out.value = {slot ? meaning.value : 0, slot ? u8{0} : kNoSlotBank};
    out.image_slot = slot;
  }
  if (entry.row->value == arch::ValueKind::AddendOnly) {
    u64 start = meaning.addend_shift;
    if (is_shared_variable(meaning))
      start =
          meaning.dynamic_shared ? kDynamicAlign : layout_.placement.address_of[meaning.id].value;
    out.value = {start, 0};
  }
  if (group.has_addends)
    out.value.value += static_cast<u64>(entry.raw.addend);
  out_.folded.push_back(out);
}

void Classifier::refuse(const RelocationGroup &group, const Entry &entry) {
  const InputObject &object = p_.objects[entry.object.value];
  const elf::Symbol &symbol = object.symbols[entry.raw.symbol];
  diag_.report(DiagId::UnsupportedRelocation,
               {object.name,
                entry.row ? std::string(entry.row->name) : std::to_string(entry.raw.type),
                fmt::format("{}+{:#x}", layout_.sections[group.target].name, entry.offset),
                std::string(symbol.name)});
}

// The view has checked where a field starts.
bool Classifier::field_fits(const Entry &entry) const {
  const u64 size = p_.objects[entry.object.value].section(entry.table->info).size;
  const u64 bytes = (u64{entry.row->word_bits()} + 7) / 8;
  return entry.raw.offset <= size && bytes <= size - entry.raw.offset;
}

void Classifier::report_outside(const RelocationGroup &group, const Entry &entry) {
  diag_.report(DiagId::RelocationOutsideSection,
               {p_.objects[entry.object.value].name,
                entry.row ? std::string(entry.row->name) : std::to_string(entry.raw.type),
                fmt::format("{}+{:#x}", layout_.sections[group.target].name, entry.offset)},
               {fmt::format("r_offset of an entry of {}", elf::describe_section(*entry.table))});
}

bool Classifier::is_listed(const Entry &entry) const {
  const SymbolMeaning &meaning = entry.meaning;
  if (!entry.row || meaning.unlisted)
    return false;
  // With Mercury code only what code says about shared memory is listed (Q105).
  if (has_both_forms() &&
      !(is_shared_variable(meaning) &&
        p_.objects[entry.object.value].kinds[entry.table->info].role == elf::SectionRole::Text))
    return false;
  if (meaning.kind == Kind::Image) // where there is a slot, the slot's relocation is enough
    return fate_of_image(entry) == Fate::Fold &&
           (!p_.policy.executable || entry.row->image == arch::ImageAction::ZeroValue);
  // What is untyped is listed without its symbol, which is not part of the output (Q056).
  const bool told = meaning.kind == Kind::Value && meaning.against != Against::Nothing;
  if (!told && meaning.kind != Kind::Plain)
    return false;
  if (entry.row->resolver == Resolver::Clear)
    return is_cleared(meaning) && !meaning.dynamic_shared;
  const bool kept =
      !p_.policy.executable && entry.row->value == arch::ValueKind::Unified; // for the next link
  return entry.row->resolver == Resolver::Linker && !kept;
}

// What the list says is added: of a table without addends the old content of the field, as it
// stands there (Q074).
i64 Classifier::listed_addend(const RelocationGroup &group, const Entry &entry) const {
  const i64 addend = entry.raw.addend + static_cast<i64>(entry.meaning.addend_shift);
  if (group.has_addends || entry.meaning.addend_shift != 0 || !entry.row->has_field() ||
      entry.row->resolver == Resolver::Clear)
    return addend;
  const ByteSpan bytes = p_.objects[entry.object.value].section(entry.table->info).data;
  const auto field = arch::read_field(bytes, entry.raw.offset, *entry.row);
  return field ? static_cast<i64>(field->value >> entry.row->pieces[0].value_bit) : addend;
}

// Sections of one name, as local functions of several files have them, share a list.
void Classifier::list_resolved() {
  std::vector<std::vector<const RelocationGroup *>> groups(layout_.sections.list.size());
  for (const RelocationGroup &group : layout_.relocs.groups)
    if (const OutId table = layout_.sections.find(".nv.resolvedrela" +
                                                  std::string(layout_.sections[group.target].name));
        table.valid())
      groups[table.value].push_back(&group);
  for (u32 table = 0; table < groups.size(); ++table) {
    std::vector<std::pair<RelocationSlice, const RelocationGroup *>> slices;
    for (const RelocationGroup *group : groups[table])
      for (u32 i = group->newest; i != RelocationSlice::kNoSlice;
           i = layout_.relocs.slices[i].previous)
        slices.emplace_back(layout_.relocs.slices[i], group);
    std::sort(slices.begin(), slices.end(), [](const auto &a, const auto &b) {
      return std::pair(a.first.object, a.first.section) >
             std::pair(b.first.object, b.first.section);
    });
    for (const auto &[slice, group] : slices) {
      const EntityId code = layout_.sections[group->target].function;
      if (code.valid() && p_.symbols[code].prevailing.object != slice.object)
        continue;
      const InputObject &object = p_.objects[slice.object.value];
      const Table source = table_of(*group, slice);
      const elf::RelocationTable entries = object.view.relocations(*source.section);
      for (u32 i = entries.size(); i-- > 0;) {
        const elf::Relocation raw = entries[i];
        if (is_skipped(*group, source, raw))
          continue;
        const SymbolMeaning meaning =
            meaning_of(c_, slice.object, raw.symbol, function_of(group->target));
        const Entry entry{slice.object,         source.section,       raw,
                          place_of(slice, raw), rows_.find(raw.type), meaning};
        if (meaning.dangling && p_.dialect.has(Defect::UnlistedSymbol) && entry.row &&
            entry.row->resolver == Resolver::Linker)
          diag_.report(DiagId::DeletedSymbol, {std::string(p_.symbols[EntityId(meaning.id)].name)},
                       {"referenced by " + object.name});
        if (!is_listed(entry))
          continue;
        out_.kept.push_back(
            {.table = OutId(table),
             .id = meaning.id,
             .offset = entry.offset,
             .addend = listed_addend(*group, entry),
             .type = p_.policy.executable ? entry.row->number_in_executable() : raw.type,
             .against = meaning.against});
      }
    }
  }
}

std::vector<OutId> rela_tables(const Layout &layout) {
  std::vector<OutId> out(layout.sections.list.size());
  for (const RelocationGroup &group : layout.relocs.groups)
    if (group.has_addends)
      out[group.target.value] = group.table;
  return out;
}

// A single part is taken as it is. Several have room in one list from the start, and are set free
// one by one.
template <typename T, typename Part>
std::vector<T> join(std::vector<Part> &parts, std::vector<T> RelocationPlan::*list) {
  size_t size = 0, largest = 0;
  for (const Part &part : parts) {
    size += (part.plan.*list).size();
    largest = std::max(largest, (part.plan.*list).size());
  }
  std::vector<T> out;
  if (size != largest)
    out.reserve(size);
  for (Part &part : parts) {
    std::vector<T> more = std::move(part.plan.*list);
    if (more.size() == size)
      out = std::move(more);
    else
      out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

} // namespace

// Groups are independent of each other. Each thread takes some and has its own lists, which are
// joined in the order of the groups.
RelocationPlan classify_relocations(const Program &program, const Layout &layout,
                                    const SharedPlan &shared, const ImagePlan &constants,
                                    WorkerPool &pool, Diagnostics &diag) {
  const RelocationContext context{program, layout, shared, constants};
  const std::vector<OutId> rela_of = rela_tables(layout);
  struct Part {
    RelocationPlan plan;
    Diagnostics diag;
  };
  const u32 groups = static_cast<u32>(layout.relocs.groups.size());
  const u32 grain = pool.threads() == 1 ? std::max(groups, 1u) : 256;
  std::vector<Part> parts(groups / grain + 1);
  pool.for_ranges(groups, grain, [&](u32 begin, u32 end) {
    Part &part = parts[begin / grain];
    Classifier classifier(context, rela_of, part.diag);
    classifier.read_groups(begin, end);
    part.plan = classifier.take();
  });
  if (!layout.relocs.copied.empty()) {
    Part &part = parts.emplace_back();
    Classifier classifier(context, rela_of, part.diag);
    classifier.read_bank2_tails();
    part.plan = classifier.take();
  }
  if (program.policy.lists_resolved) {
    Part &part = parts.emplace_back();
    Classifier classifier(context, rela_of, part.diag);
    classifier.list_resolved();
    part.plan = classifier.take();
  }
  RelocationPlan out{join(parts, &RelocationPlan::kept), join(parts, &RelocationPlan::folded)};
  for (Part &part : parts)
    diag.append(std::move(part.diag));
  const auto by_section = [](const FoldedRelocation &a, const FoldedRelocation &b) {
    return a.section < b.section;
  };
  if (!std::is_sorted(out.folded.begin(), out.folded.end(), by_section))
    std::stable_sort(out.folded.begin(), out.folded.end(), by_section);
  return out;
}

} // namespace culink
