// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From linked Mercury code to the file that nvlink writes. The draft is a complete link of the
// Mercury planes. Now everything in it moves to a twin section at the end of the section table, and
// machine code, its relocations and records take the places that have become free. Symbols keep
// their numbers in both symbol tables, so what names symbols by number is the same in both halves.
//
// The order of the file: the sections of the draft; constant bank 0 of every kernel, which Mercury
// code does not know; capsules; the other twins; the Mercury symbol table.
//
// What may surprise: nvlink renames constant banks in tables of names that exist already. In
// .shstrtab the new name lies in the room of the old one, in .strtab behind all others, and the
// room it reckons with is visible as a gap behind each table (Q101).
#include "link/mercury/machine_half.h"

#include <algorithm>
#include <array>

#include "arch/reloc.h"
#include "base/bytes.h"
#include "elf/codec.h"
#include "elf/mercury_names.h"
#include "elf/records/nv_compat.h"
#include "elf/string_table.h"
#include "link/mercury/machine_writer.h"
#include "link/output/draft_sections.h"
#include "link/resolve/special_symbols.h"

namespace culink {

using elf::Bucket;
using elf::Fixup;
using elf::SectionType;

namespace {

constexpr u8 kParameterBucket = 8, kCapsuleBucket = 9, kTwinBucket = 10, kSymtabBucket = 40;
constexpr u64 kMercuryCodeAlign = 16;
constexpr u64 kNameGap = 36; // behind .shstrtab, whatever was renamed (Q101)

Bucket bucket_of(const elf::SectionSpec &spec) {
  return spec.bucket.value_or(elf::default_bucket(spec.name, spec.type, spec.flags));
}

struct TwinType {
  SectionType plane;
  SectionType twin;
};
constexpr std::array<TwinType, 5> kTwinTypes = {{
    {SectionType::Rela, SectionType::MercuryRela},
    {SectionType::CudaInfo, SectionType::MercuryInfo},
    {SectionType::CudaResolvedRela, SectionType::MercuryResolvedRela},
    {SectionType(static_cast<u32>(SectionType::CudaConstantB0) + 2),
     SectionType::MercuryConstantOpt2},
    {SectionType(static_cast<u32>(SectionType::CudaConstantB0) + 3),
     SectionType::MercuryConstantUser},
}};

SectionType twin_type(SectionType type) {
  for (const TwinType &row : kTwinTypes)
    if (row.plane == type)
      return row.twin;
  return type;
}

// Tables of unified functions and variables are the same in both forms of the code.
bool is_unified(SectionType type) {
  return type == SectionType::CudaUdt || type == SectionType::CudaUdtEntry ||
         type == SectionType::CudaUftEntry;
}

} // namespace

void MachineWriter::order_sections() {
  std::vector<std::vector<OutId>> buckets(static_cast<u8>(Bucket::LastDefault) + 1);
  for (u32 i = 0; i < count_; ++i)
    if (is_emitted_[i] && !layout_.sections.list[i].discarded())
      buckets[static_cast<u8>(bucket_of(elf_.section(section_of_[i])))].push_back(OutId(i));
  for (const std::vector<OutId> &bucket : buckets)
    order_.insert(order_.end(), bucket.begin(), bucket.end());
}

void MachineWriter::rename_banks() {
  u64 gap = 0;
  for (u32 i = 0; i < count_; ++i) {
    const OutSection &s = layout_.sections.list[i];
    if (s.discarded())
      continue;
    const std::string mercury = elf::mercury_link_name(s.name);
    if (mercury == s.name)
      continue;
    const std::string_view kept = layout_.sections.keep_name(mercury, "");
    elf::SymbolSpec &symbol = elf_.symbol(symbols_.of_section[i]);
    symbol.name = kept;
    symbol.name_number = elf::kNoNumber;
    if (!is_emitted_[i]) {
      elf_.section(section_of_[i]).name = kept;
      elf_.section(section_of_[i]).name_number = elf::kNoNumber;
      continue;
    }
    elf_.rename_section(section_of_[i], kept);
    gap += kept.size();
    if (!symbol.emitted)
      continue;
    elf_.rename_symbol(symbols_.of_section[i], s.name);
    gap -= s.name.size() + 1;
  }
  elf_.section(elf_.shstrtab()).gap_after = kNameGap;
  elf_.section(elf_.strtab()).gap_after = gap;
  if (p_.policy.resolves_early || p_.policy.lists_resolved)
    number_compiler_constants();
}

// nvlink gives constants of the compiler names of their own: the section's and a number, which
// counts all of them in the object, also those that go away (Q103).
void MachineWriter::number_compiler_constants() {
  ObjectId object;
  u32 next = 0; // symbol of the object
  u32 number = 0;
  for (const LocalSymbol &local : layout_.sections.locals) {
    if (local.kind != LocalSymbol::Kind::Entity)
      continue;
    const OutId place = layout_.placement.address_of[local.id].section;
    const elf::SymbolId id = symbols_.of_entity[local.id];
    if (!id.valid() || !place.valid() || !is_compiler_bank(place))
      continue;
    const SymbolRef first = p_.symbols[EntityId(local.id)].first;
    if (first.object != object || first.symbol < next) {
      object = first.object;
      next = number = 0;
    }
    for (; next <= first.symbol; ++next)
      number += is_compiler_constant(inputs_.objects[object.value], next) ? 1 : 0;
    elf::SymbolSpec &symbol = elf_.symbol(id);
    const std::string name = elf::mercury_link_name(layout_.sections[place].name) + ".";
    symbol.name = layout_.sections.keep_name(name, std::to_string(number));
    symbol.name_number = elf::kNoNumber;
  }
}

bool MachineWriter::is_compiler_constant(const InputObject &object, u32 index) const {
  const elf::Symbol &symbol = object.symbols[index];
  if (symbol.type() == elf::SymbolType::Section || !symbol.in_section())
    return false;
  const elf::SectionKind &kind = object.kinds[symbol.section];
  return kind.is_constant() && kind.bank == arch_.banks.compiler;
}

// In the order of the code. The bank of a kernel with images is there already.
void MachineWriter::add_parameter_banks() {
  parameter_symbol_.resize(count_);
  has_images_.resize(count_);
  std::vector<OutId> image_bank(count_);
  for (const OutId id : order_)
    if (layout_.sections[id].type == SectionType::MercuryConstantImgHdr)
      image_bank[layout_.sections[id].target.value] = id;
  for (const OutId id : order_) {
    const EntityId function = layout_.sections[id].function;
    if (!function.valid() || !is_kernel_mark(p_.symbols[function].other))
      continue;
    const elf::Section *bank = parameter_bank_of(id);
    if (!bank)
      continue;
    if (const OutId images = image_bank[id.value]; images.valid()) {
      has_images_[id.value] = true;
      parameter_symbol_[id.value] = symbols_.of_section[images.value];
    } else {
      add_parameter_bank(id, *bank);
    }
  }
}

const elf::Section *MachineWriter::parameter_bank_of(OutId text) const {
  const Code &code = code_[text.value];
  const InputObject &object = inputs_.objects[code.object.value];
  for (const elf::Section &bank : object.view.sections())
    if (object.owner_of(bank.index) == code.section && object.kinds[bank.index].is_constant() &&
        object.kinds[bank.index].bank == arch_.banks.parameters)
      return &bank;
  return nullptr;
}

void MachineWriter::add_parameter_bank(OutId text, const elf::Section &bank) {
  const elf::SectionId out =
      elf_.add_section({.name = bank.name,
                        .type = executable() ? SectionType::Progbits : bank.type,
                        .flags = bank.flags | elf::kFlagInfoLink,
                        .align = bank.align,
                        .info = section(text),
                        .bucket = static_cast<Bucket>(kParameterBucket)});
  elf_.append(out, bank.data);
  const elf::SymbolId symbol = elf_.add_symbol({.name = bank.name,
                                                .binding = elf::SymbolBinding::Local,
                                                .type = elf::SymbolType::Section,
                                                .section = out,
                                                .part = elf::SymbolPart::Global,
                                                .named = false});
  elf_.rename_symbol(symbol, bank.name);
  parameter_symbol_[text.value] = symbol;
  ++banks_behind_;
}

// The list of images becomes bank 0 of the kernel: its parameters, and behind them the slots.
void MachineWriter::fill_image_banks() {
  const u64 base = plan_.images.slot_base;
  for (const OutId id : order_) {
    if (layout_.sections[id].type != SectionType::MercuryConstantImgHdr)
      continue;
    if (const elf::Section *bank = parameter_bank_of(layout_.sections[id].target))
      elf_.append(section(id), bank->data);
    elf_.append_zeros(section(id), base + layout_.sections[id].size - elf_.size(section(id)));
    elf_.section(section(id)).bucket = Bucket::Constants;
  }
  for (const SlotTable &table : plan_.images.tables)
    for (const SlotRelocation &entry : table.entries)
      elf_.add_relocation(section(table.table),
                          {entry.offset + base, arch::find_reloc(entry.type)->sass.data,
                           symbols_.of_entity[entry.image.value], 0});
}

bool MachineWriter::has_twin(OutId id) const {
  const OutSection &s = layout_.sections[id];
  switch (s.type) {
  case SectionType::Note:
  case SectionType::CudaCompat:
  case SectionType::CudaCallgraph:
  case SectionType::CudaPrototype:
    return false;
  case SectionType::CudaReservedShared:
    return true;
  default:
    return !elf::has_no_file_data(s.type);
  }
}

// Twins whose bytes are those of the machine half.
bool MachineWriter::shares_bytes(OutId id) const {
  constexpr std::array<std::string_view, 8> kShared = {
      ".nv.constant3",   ".nv.global.init", ".debug_abbrev", ".debug_macinfo",
      ".debug_pubnames", ".debug_pubtypes", ".debug_str",    ".debug_loc"};
  const std::string_view name = layout_.sections[id].name;
  if (layout_.sections[id].type == SectionType::Progbits && layout_.sections[id].size == 0)
    return true;
  if ((name == ".debug_line" && !lines_name_code_) ||
      (name == ".nv_debug_line_sass" && !sass_lines_name_code_))
    return true;
  return std::find(kShared.begin(), kShared.end(), name) != kShared.end() ||
         name.starts_with(".nv_debug_ptx_txt");
}

elf::SectionSpec MachineWriter::twin_spec(OutId id) {
  const OutSection &s = layout_.sections[id];
  const elf::SectionSpec &plane = elf_.section(section(id));
  const u8 bucket = static_cast<u8>(bucket_of(plane));
  elf::SectionSpec spec{.name = layout_.sections.keep_name(elf::mercury_twin_name(s.name), ""),
                        .type = twin_type(s.type),
                        .flags = s.flags | elf::kFlagMercury,
                        .align = s.align,
                        .entsize = s.entsize,
                        .bucket = static_cast<Bucket>(kTwinBucket + bucket)};
  if (s.function.valid()) {
    spec.type = SectionType::CudaCapmerc;
    spec.flags = elf::kFlagMercury;
    spec.align = kMercuryCodeAlign;
    spec.info = elf::InfoField(symbols_.of_entity[s.function.value]);
    spec.bucket = static_cast<Bucket>(kCapsuleBucket);
  }
  return spec;
}

// Capsules first. Everything that the draft has put into a section goes to its twin.
// Called when only the twins that are not code, and the Mercury symbol table, are still missing.
bool MachineWriter::needs_large_indices() const {
  u64 count = 2; // the null section and the symbol table
  for (u32 i = 0; i < elf_.section_count(); ++i)
    count += elf_.section(elf::SectionId(i)).emitted ? 1 : 0;
  for (const OutId id : order_)
    count += !layout_.sections[id].function.valid() && has_twin(id) ? 1 : 0;
  return count >= elf::kSectionLoReserve;
}

void MachineWriter::add_twins() {
  section_of_.resize(u64{count_} * 2);
  twin_of_section_.resize(elf_.section_count());
  for (const bool code : {true, false}) {
    if (!code && needs_large_indices())
      mercury_indices_ = elf_.add_section({.name = ".nv.merc.symtab_shndx",
                                           .type = SectionType::SymtabShndx,
                                           .flags = elf::kFlagMercury,
                                           .align = 4,
                                           .entsize = 4,
                                           .bucket = static_cast<Bucket>(kTwinBucket)});
    for (const OutId id : order_) {
      if (layout_.sections[id].function.valid() != code || !has_twin(id))
        continue;
      const elf::SectionId out = elf_.add_section(twin_spec(id));
      section_of_[count_ + id.value] = out;
      twin_of_section_[section(id).value] = out;
      if (shares_bytes(id)) {
        elf_.section(out).shares_bytes_with = section(id);
        elf_.append_zeros(out, elf_.size(section(id)));
      } else if (layout_.sections[id].type != SectionType::CudaReservedShared) {
        elf_.move_content(section(id), out);
        if (is_unified(layout_.sections[id].type))
          elf_.copy_content(out, section(id));
      }
    }
  }
  mercury_symtab_ = elf_.add_section({.name = ".nv.merc.symtab",
                                      .type = SectionType::MercurySymtab,
                                      .flags = elf::kFlagMercury,
                                      .align = 8,
                                      .entsize = 24,
                                      .link = elf_.strtab(),
                                      .bucket = static_cast<Bucket>(kSymtabBucket)});
  if (mercury_indices_.valid())
    elf_.section(mercury_indices_).link = mercury_symtab_;
  for (const OutId id : order_) {
    if (!has_twin(id))
      continue;
    if (layout_.sections[id].links_symtab)
      elf_.section(twin(id)).link = mercury_symtab_;
    if (layout_.sections[id].target.valid() && !layout_.sections[id].function.valid())
      elf_.section(twin(id)).info = twin(layout_.sections[id].target);
    if (layout_.sections[id].type == SectionType::CudaReservedShared)
      fill_twin_of_reserved(id);
  }
}

// The twin of memory takes room in the file, and there nvlink copies what follows the section in a
// file that it has in between: padding, and the first headers of its section table (Q102).
void MachineWriter::fill_twin_of_reserved(OutId id) {
  const u64 size = layout_.sections[id].size;
  elf_.append_zeros(twin(id), size);
  elf_.section(twin(id)).gap_after = size;
  if (!p_.dialect.has(Defect::LeakedHeaders))
    return;
  const TableSizes tables = table_sizes();
  u64 cursor = 64 + tables.section_names;
  cursor = align_up(cursor + tables.names, 8) + tables.symbols;
  u64 start = 0;
  for (const OutId other : order_) {
    const OutSection &s = layout_.sections[other];
    const bool code = s.function.valid() && s.type == SectionType::Progbits; // and no stub
    cursor = align_up(cursor, code ? kMercuryCodeAlign : s.align);
    if (other == id)
      start = cursor;
    cursor += size_in_between(other);
  }
  std::vector<u8> bytes(align_up(cursor, 8) - start + 64); // a first header that is all zero
  const auto word = [&bytes](u32 value) { elf::append_le(bytes, value); };
  const auto wide = [&bytes](u64 value) { elf::append_le(bytes, value); };
  word(1); // sh_name
  word(static_cast<u32>(SectionType::Strtab));
  wide(0);
  wide(0);
  wide(64); // sh_offset
  wide(tables.section_names);
  wide(0);
  wide(1); // sh_addralign
  wide(0);
  bytes.resize(size);
  out_.patches.push_back({twin(id), std::move(bytes)});
}

// Bytes of a section in the file that nvlink has in between. What finalizing tells of all code, a
// record of .nv.compat, is not there yet.
u64 MachineWriter::size_in_between(OutId id) const {
  const OutSection &s = layout_.sections[id];
  if (elf::has_no_file_data(s.type))
    return 0;
  if (s.function.valid())
    return s.size;
  const u64 size = elf_.size(has_twin(id) && !shares_bytes(id) ? twin(id) : section(id));
  if (id != layout_.sections.compat || size == 0)
    return size;
  elf::CompatSection compat = elf::decode_compat(plan_.synthetic.compat);
  std::erase_if(compat.records, [](const elf::CompatRecord &record) {
    return record.attribute == elf::CompatAttribute::CanFastpathFinalize;
  });
  return elf::encode_compat(compat).size();
}

// The tables of the file that nvlink has in between.
MachineWriter::TableSizes MachineWriter::table_sizes() const {
  TableSizes out;
  elf::StringTable section_names; // which borrows them
  std::vector<std::string> kept(first_addition_);
  for (u32 i = 0; i < first_addition_; ++i) {
    kept[i] = elf::mercury_link_name(elf_.section(elf::SectionId(i)).name);
    section_names.add(kept[i]);
  }
  out.section_names = section_names.size();
  elf::StringTable names;
  for (const std::string_view text : p_.calls.prototypes)
    if (text.empty())
      names.add_separately(text);
    else
      names.add(text);
  u64 symbols = 1;
  for (const elf::SymbolPart part : {elf::SymbolPart::Local, elf::SymbolPart::Global})
    for (u32 i = 0; i < elf_.symbol_count(); ++i) {
      const elf::SymbolSpec &spec = elf_.symbol(elf::SymbolId(i));
      if (spec.part != part || !spec.named)
        continue;
      names.add(spec.name);
      symbols += spec.emitted;
    }
  out.names = names.size();
  out.symbols = symbols * 24;
  return out;
}

// The same symbols in the same order as in .symtab.
void MachineWriter::add_mercury_symbols() {
  const u32 count = elf_.symbol_count();
  std::vector<u8> table(24);
  store_le<u64>(table.data() + 8, layout_.placement.null_symbol_value); // Q019
  for (const elf::SymbolPart part : {elf::SymbolPart::Local, elf::SymbolPart::Global}) {
    if (part == elf::SymbolPart::Global)
      first_global_ = static_cast<u32>(table.size() / 24);
    for (u32 i = 0; i < count; ++i) {
      const elf::SymbolSpec &spec = elf_.symbol(elf::SymbolId(i));
      if (!spec.emitted || spec.part != part || !spec.named)
        continue;
      const u64 at = table.size();
      table.resize(at + 24);
      u8 *entry = table.data() + at;
      entry[4] = static_cast<u8>(static_cast<u32>(spec.binding) << 4 | static_cast<u32>(spec.type));
      entry[5] = spec.other;
      store_le<u64>(entry + 8, spec.value);
      store_le<u64>(entry + 16, spec.size);
      elf_.add_fixup(mercury_symtab_, {at, Fixup::Kind::SymbolName, i});
      if (!spec.section.valid())
        continue;
      const elf::SectionId place = twin_or_self(spec.section);
      elf_.add_fixup(mercury_symtab_, {at + 6, Fixup::Kind::SectionIndexHalf, place.value});
      if (!mercury_indices_.valid())
        continue;
      const u64 word = at / 24 * 4;
      elf_.add_fixup(mercury_indices_, {word, Fixup::Kind::SectionAsAdded, spec.section.value});
      elf_.add_fixup(mercury_indices_, {word, Fixup::Kind::LargeSectionIndex, place.value});
    }
  }
  symbol_total_ = static_cast<u32>(table.size() / 24);
  elf_.append_copy(mercury_symtab_, table);
  if (mercury_indices_.valid())
    elf_.append_zeros(mercury_indices_, u64{symbol_total_} * 4);
  elf_.section(mercury_symtab_).info = first_global_;
}

// Section headers of an executable; and the memory that the system reserves.
void MachineWriter::convert_headers() {
  for (const OutId id : order_) {
    elf::SectionSpec &spec = elf_.section(section(id));
    const SectionType type = layout_.sections[id].type;
    if (!executable())
      continue;
    spec.type = type_in_executable(type);
    if (type == SectionType::CudaShared)
      elf_.append_zeros(section(id), inputs_.arch.reserved_shared);
    else if (type == SectionType::CudaReservedShared)
      elf_.append_zeros(section(id), inputs_.arch.reserved_slot);
  }
}

const elf::Section *MachineWriter::machine_section(u32 object, OutId id) const {
  for (const elf::Section &section : inputs_.objects[object].view.sections())
    if (layout_.placement.location_of[object][section.index].section == id)
      return &section;
  return nullptr;
}

OutId MachineWriter::relocation_table_of(OutId target) const {
  for (const RelocationGroup &group : layout_.relocs.groups)
    if (group.target == target)
      return group.table;
  return {};
}

// From here on `Layout` describes the machine half.
void MachineWriter::enter_machine_plane() {
  for (u32 i = 0; i < count_; ++i)
    if (OutSection &s = layout_.sections.list[i]; s.function.valid()) {
      s.size = code_[i].compiled.size();
      s.pieces.clear();
      s.pieces.push_back({0, code_[i].compiled});
    }
  if (!executable())
    return;
  for (SymbolAddress &place : layout_.placement.address_of)
    if (place.section.valid() &&
        layout_.sections[place.section].type == SectionType::CudaReservedShared)
      place.value += inputs_.arch.reserved_slot;
}

void MachineWriter::add_relocations() {
  RelocationPlan machine =
      classify_relocations(machine_, layout_, plan_.shared, plan_.images, pool_, diag_);
  move_relocations(machine);
  for (const KeptRelocation &kept : machine.kept) {
    elf::SymbolId against;
    if (kept.against == KeptRelocation::Against::Entity) {
      // Known from here on, and no machine code asks the loader for it.
      if (p_.symbols[EntityId(kept.id)].name == ".nv.reservedSmem.cap" && executable())
        continue;
      against = symbols_.of_entity[kept.id];
    } else if (kept.against == KeptRelocation::Against::Section) {
      against = symbols_.of_section[kept.id];
    } else if (kept.against == KeptRelocation::Against::Instance) {
      against = symbols_.of_instance[kept.id];
    }
    elf_.add_relocation(section(kept.table), {kept.offset, kept.type, against, kept.addend});
  }
  fill_code(machine);
  index_images(machine);
  separate_values(machine);
}

// Values of the Mercury half go to the twins, unless those have no bytes of their own; nothing is
// stored into capsules this way.
void MachineWriter::separate_values(RelocationPlan &machine) {
  std::vector<FoldedRelocation> &mercury = plan_.relocations.folded;
  std::erase_if(mercury, [this](const FoldedRelocation &value) {
    return layout_.sections[value.section].function.valid() || shares_bytes(value.section) ||
           !is_emitted_[value.section.value] || !has_twin(value.section);
  });
  for (FoldedRelocation &value : mercury)
    value.section = OutId(value.section.value + count_);
  mercury.insert(mercury.begin(), machine.folded.begin(), machine.folded.end());
}

// A second name of code that other objects mention first: nvlink takes it for the owner (Q107).
bool MachineWriter::stands_before_owner(EntityId alias) const {
  const OutId text = layout_.placement.address_of[alias.value].section;
  if (!p_.dialect.has(Defect::AliasTakesCode) || !text.valid() ||
      !layout_.sections[text].function.valid())
    return false;
  const elf::SymbolId own = symbols_.of_entity[layout_.sections[text].function.value],
                      other = symbols_.of_entity[alias.value];
  if (!own.valid() || !other.valid() || own == other)
    return false;
  return std::pair(*elf_.symbol(other).part, other.value) <
         std::pair(*elf_.symbol(own).part, own.value);
}

// Names that have one in Mercury code do. So does the owner of code, unless another name takes its
// place, and that one.
bool MachineWriter::has_machine_size(EntityId id, const FirstNames &named_earlier) const {
  const SymbolRef prevailing = p_.symbols[id].prevailing;
  if (prevailing.valid() &&
      p_.objects[prevailing.object.value].symbols[prevailing.symbol].size != 0)
    return true;
  const EntityId owner = layout_.sections[layout_.placement.address_of[id.value].section].function;
  const auto first = named_earlier.find(owner.value);
  return first == named_earlier.end() ? owner == id : first->second == id.value;
}

// The symbols of bank 0 stand behind the global ones, so all of the table counts as local.
void MachineWriter::convert_symbols() {
  if (executable())
    convert_to_machine_symbols(machine_, layout_, plan_.shared, symbols_, elf_);
  const FirstNames named_earlier = functions_named_earlier();
  for (u32 i = 0; i < symbols_.of_entity.size(); ++i) {
    const elf::SymbolId id = symbols_.of_entity[i];
    if (!id.valid())
      continue;
    const Entity &entity = p_.symbols[EntityId(i)];
    const SymbolAddress &place = layout_.placement.address_of[i];
    elf::SymbolSpec &spec = elf_.symbol(id);
    if (is_reserved_shared_mark(entity.name))
      spec.value = inputs_.objects[entity.first.object.value].symbols[entity.first.symbol].value;
    else if (place.section.valid() &&
             layout_.sections[place.section].type == SectionType::CudaReservedShared)
      spec.value = place.value;
    else if (const Code *code = entity.function ? code_of(EntityId(i)) : nullptr;
             code && has_machine_size(EntityId(i), named_earlier))
      spec.size = code->finalized ? code->text.size()
                                  : inputs_.objects[code->object.value].symbols[code->symbol].size;
  }
  if (banks_behind_ != 0)
    elf_.section(elf_.symtab()).info = symbol_total_ + banks_behind_;
}

MachineAdditions MachineWriter::run() {
  order_sections();
  lines_name_code_ = relocation_table_of(layout_.sections.find(".debug_line")).valid();
  sass_lines_name_code_ = relocation_table_of(layout_.sections.find(".nv_debug_line_sass")).valid();
  finalize();
  read_code();
  rename_banks();
  first_addition_ = elf_.section_count();
  elf_.name_separately_from_here();
  add_parameter_banks();
  add_twins();
  add_mercury_symbols();
  convert_headers();
  fill_records();
  fill_compiler_banks();
  fill_image_banks();
  store_fastpath_mask();
  enter_machine_plane();
  fill_debug_sections();
  add_relocations();
  convert_symbols();
  return std::move(out_);
}

MachineAdditions add_machine_half(const MercuryDraft &draft, WorkerPool &pool, Diagnostics &diag) {
  return MachineWriter(draft, pool, diag).run();
}

std::optional<FileDraft> draft_mercury_file(const Program &program, OutputPlan plan,
                                            const SassInputs &inputs, WorkerPool &pool,
                                            Diagnostics &diag) {
  FileInProgress file = begin_file(program, plan, elf::SegmentRule::Mercury);
  RecordWriter records(file.elf, file.symbols);
  for (u32 i = 0; i < plan.layout.sections.size(); ++i)
    if (!plan.layout.sections.list[i].discarded()) {
      file.elf.add_section(section_header(plan, file, OutId(i)));
      fill_section(plan, OutId(i), file.section_of[i], records, file.elf);
    }
  finish_headers(plan, file);
  fill_synthetic(program, plan, file.section_of, plan.synthetic.compat, records, file);
  fill_unified(plan, file.section_of, file);
  fill_relocations(program, plan, file.section_of, file, diag);
  MachineAdditions additions = add_machine_half(
      {program, inputs, file.elf, plan, file.section_of, file.symbols, file.is_emitted}, pool,
      diag);
  std::optional<FileDraft> draft = finish_file(program, std::move(plan), std::move(file), diag);
  if (draft) {
    draft->patches = std::move(additions.patches);
    draft->finalized = std::move(additions.finalized);
  }
  return draft;
}

} // namespace culink
