// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the plan to bytes, through the ELF writer: sections and symbols in order of creation, then
// contents, then the values of resolved relocations stored into the finished image.
#include "link/write.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "culink/elf_writer.h"
#include "elf/codec.h"
#include "link/output_symbols.h"

namespace culink {

using elf::Fixup;
using elf::SectionType;
using Against = KeptRelocation::Against;

namespace {

class ImageWriter {
public:
  ImageWriter(const Program &program, const OutputPlan &plan, WorkerPool &pool, Diagnostics &diag)
      : p_(program), plan_(plan), m_(plan.merged), pool_(pool), diag_(diag),
        elf_({.type = program.options.relocatable ? elf::FileType::Relocatable
                                                  : elf::FileType::Executable,
              .flags = u32{program.arch.number} << 8 | elf::kCodeKindSass,
              .borrow_names = true}) {}

  ByteBuffer run();

private:
  void choose_sections();
  void add_sections();
  void add_section(OutId id);
  void fill_sections();
  void fill_info(OutId id, const std::vector<OutInfo> &records);
  void write_record(elf::SectionId section, const OutInfo &record);
  void fill_calls(OutId id, const std::vector<CallRecord> &records);
  void fill_unified();
  void fill_relocations();
  void write_parts(const elf::ElfLayout &layout, MutableByteSpan image);
  void store_value(const elf::ElfLayout &layout, const FoldedRelocation &folded,
                   MutableByteSpan image, Diagnostics &diag) const;
  [[nodiscard]] SectionType written_type(SectionType type) const;

  [[nodiscard]] elf::SectionId section(OutId id) const { return section_of_[id.value]; }
  [[nodiscard]] elf::SymbolId symbol(EntityId id) const { return symbols_.of_entity[id.value]; }

  const Program &p_;
  const OutputPlan &plan_;
  const Merged &m_;
  WorkerPool &pool_;
  Diagnostics &diag_;
  elf::ElfWriter elf_;
  std::vector<bool> is_emitted_;           // by OutId
  std::vector<elf::SectionId> section_of_; // by OutId
  OutputSymbols symbols_;
  elf::SectionId rel_action_;
  std::vector<u8> records_; // of the section that is being filled
};

ByteBuffer ImageWriter::run() {
  elf_.reserve(static_cast<u32>(m_.sections.size()) + 8,
               static_cast<u32>(m_.locals.size() + m_.globals.size()) + 8);
  for (const std::string_view text : p_.calls.prototypes)
    elf_.add_string(text, text.empty()); // the empty prototype has a place of its own
  choose_sections();
  add_sections();
  symbols_ = add_output_symbols(p_, m_, plan_.shared, section_of_, rel_action_, is_emitted_, elf_);
  for (u32 i = 0; i < m_.sections.size(); ++i)
    if (const OutSection &s = m_.sections[i]; s.function.valid())
      elf_.section(section_of_[i]).info = elf::InfoField(symbol(s.function), s.info_top);
  fill_sections();
  fill_unified();
  fill_relocations();
  elf_.set_flags_section(section(m_.cuinfo));
  const Result<elf::ElfLayout> layout = elf_.lay_out();
  if (!layout) {
    diag_.report(DiagId::Contradiction, {"output", layout.error().text()});
    return {};
  }
  ByteBuffer image(layout->file_size);
  write_parts(*layout, image);
  store_le<u64>(image.data() + layout->offset_of(elf_.symtab()) + 8, m_.null_symbol_value);
  return image;
}

// Relocation tables with entries; other sections with content or that stay without.
void ImageWriter::choose_sections() {
  is_emitted_.assign(m_.sections.size(), false);
  for (const KeptRelocation &kept : plan_.relocations.kept)
    is_emitted_[kept.table.value] = true;
  for (const SlotTable &slots : plan_.constants.tables)
    is_emitted_[slots.table.value] = true;
  for (u32 i = 0; i < m_.sections.size(); ++i) {
    const OutSection &s = m_.sections[i];
    if (s.name_only)
      is_emitted_[i] = false;
    else if (!elf::is_relocation_table(s.type))
      is_emitted_[i] = s.keep || s.size != 0;
  }
  if (m_.info.valid() && !m_[m_.info].name_only)
    is_emitted_[m_.info.value] = !plan_.info.module.empty();
  is_emitted_[m_.prototype.value] = !plan_.synthetic.prototypes.empty();
}

// Objects have a type for each memory space; in an executable they are plain.
SectionType ImageWriter::written_type(SectionType type) const {
  if (p_.options.relocatable)
    return type;
  const u32 number = static_cast<u32>(type);
  if (number >= static_cast<u32>(SectionType::CudaConstantB0) &&
      number <= static_cast<u32>(SectionType::MercuryConstantTools))
    return SectionType::Progbits;
  switch (type) {
  case SectionType::CudaGlobalInit:
    return SectionType::Progbits;
  case SectionType::CudaGlobal:
  case SectionType::CudaShared:
  case SectionType::CudaLocal:
    return SectionType::Nobits;
  default:
    return type;
  }
}

void ImageWriter::add_section(OutId id) {
  const OutSection &s = m_[id];
  if (s.forgotten) {
    section_of_.emplace_back();
    return;
  }
  section_of_.push_back(elf_.add_section({.name = s.name,
                                          .type = written_type(s.type),
                                          .flags = s.flags,
                                          .align = s.align,
                                          .entsize = s.entsize,
                                          .emitted = is_emitted_[id.value]}));
  // Unknown sections stand where debug information does.
  if (s.type == SectionType::Progbits && (s.flags & elf::kFlagAlloc) == 0)
    elf_.section(section_of_.back()).bucket = elf::Bucket::Debug;
}

void ImageWriter::add_sections() {
  section_of_.reserve(m_.sections.size());
  for (u32 i = 0; i < m_.sections.size(); ++i)
    add_section(OutId(i));
  if (!plan_.synthetic.rel_action.empty()) {
    rel_action_ = elf_.add_section(
        {.name = ".nv.rel.action", .type = SectionType::CudaRelocInfo, .align = 8, .entsize = 8});
    elf_.append(rel_action_, plan_.synthetic.rel_action);
  }
  for (u32 i = 0; i < m_.sections.size(); ++i) {
    const OutSection &s = m_.sections[i];
    if (s.forgotten || !elf_.section(section_of_[i]).emitted)
      continue;
    elf::SectionSpec &spec = elf_.section(section_of_[i]);
    if (s.links_symtab)
      spec.link = elf_.symtab();
    if (s.target.valid())
      spec.info = section(s.target);
  }
  elf::SectionSpec &cuinfo = elf_.section(section(m_.cuinfo));
  cuinfo.link = section(m_.tkinfo);
  if (m_.compat.valid()) {
    cuinfo.flags |= elf::kFlagInfoLink;
    cuinfo.info = section(m_.compat);
  }
}

void ImageWriter::fill_sections() {
  elf_.append(section(m_.tkinfo), plan_.synthetic.tkinfo);
  elf_.append(section(m_.cuinfo), plan_.synthetic.cuinfo);
  if (m_.compat.valid())
    elf_.append(section(m_.compat), plan_.synthetic.compat);
  fill_calls(m_.callgraph, plan_.synthetic.callgraph);
  fill_calls(m_.prototype, plan_.synthetic.prototypes);
  if (m_.info.valid())
    fill_info(m_.info, plan_.info.module);
  for (u32 i = 0; i < m_.sections.size(); ++i) {
    const OutSection &s = m_.sections[i];
    const elf::SectionId id = section_of_[i];
    if (s.forgotten)
      continue;
    if (const OutId info = m_.info_of[i]; info.valid())
      fill_info(info, plan_.info.of_text[i]);
    for (u32 piece = 0; piece < s.pieces.size(); ++piece) {
      elf_.append_zeros(id, s.pieces[piece].offset - elf_.size(id));
      elf_.append(id, s.pieces[piece].bytes);
    }
    if (s.size > elf_.size(id))
      elf_.append_zeros(id, s.size - elf_.size(id));
  }
}

void ImageWriter::fill_unified() {
  for (const UnifiedIdentity &identity : m_.unified) {
    const elf::SectionId id = section(identity.section);
    elf::UnifiedEntry entry = identity.entry;
    entry.symbol = 0;
    if (identity.named.valid())
      elf_.add_fixup(id, {elf_.size(id), Fixup::Kind::SymbolNumber, symbol(identity.named).value});
    elf_.append_copy(id, elf::encode_unified_entries({.entries = {entry}}));
  }
}

void ImageWriter::write_record(elf::SectionId id, const OutInfo &record) {
  const auto word = [&](u32 value) { elf::append_le(records_, value); };
  // What is not part of the output has number 0.
  const auto number = [&](elf::SymbolId symbol_id) {
    if (symbol_id.valid())
      elf_.add_fixup(id, {records_.size(), Fixup::Kind::SymbolNumber, symbol_id.value});
    word(0);
  };
  const auto symbol_of = [&]() {
    if (record.kind == OutInfo::Kind::Bank)
      return record.section.valid() ? symbols_.of_section[record.section.value] : elf::SymbolId{};
    return record.entity.valid() ? symbol(record.entity) : elf::SymbolId{};
  };
  const auto head = [&](u64 size) {
    word(static_cast<u32>(record.format) | static_cast<u32>(record.attribute) << 8 |
         static_cast<u32>(size) << 16);
  };
  switch (record.kind) {
  case OutInfo::Kind::Verbatim:
    head(record.format == elf::RecordFormat::Sized ? record.payload.size() : record.value);
    if (record.format == elf::RecordFormat::Sized)
      elf::append_bytes(records_, record.payload);
    break;
  case OutInfo::Kind::Word:
    head(4);
    word(record.word);
    break;
  case OutInfo::Kind::Symbol:
  case OutInfo::Kind::Bank:
    head(record.payload.empty() ? 8 : record.payload.size());
    number(symbol_of());
    if (record.payload.empty() || record.payload.size() >= 8)
      word(record.word);
    if (record.payload.size() > 4)
      elf::append_bytes(records_, record.payload.subspan(std::min<u64>(record.payload.size(), 8)));
    break;
  case OutInfo::Kind::Symbols:
    head(record.entities.size() * 4);
    for (const EntityId entity : record.entities)
      number(entity.valid() ? symbol(entity) : elf::SymbolId{});
    break;
  }
}

void ImageWriter::fill_info(OutId id, const std::vector<OutInfo> &records) {
  records_.clear();
  for (const OutInfo &record : records)
    write_record(section(id), record);
  elf_.append_copy(section(id), records_);
}

void ImageWriter::fill_calls(OutId id, const std::vector<CallRecord> &records) {
  const elf::SectionId out = section(id);
  std::vector<u8> bytes(records.size() * 8);
  for (u64 i = 0; i < records.size(); ++i) {
    const CallRecord &record = records[i];
    const u64 offset = i * 8;
    if (record.first.valid())
      elf_.add_fixup(out, {offset, Fixup::Kind::SymbolNumber,
                           symbol(p_.calls.functions[record.first.value]).value});
    switch (record.kind) {
    case CallRecord::Second::Marker:
      store_le(bytes.data() + offset + 4, record.second);
      break;
    case CallRecord::Second::Function:
      elf_.add_fixup(out, {offset + 4, Fixup::Kind::SymbolNumber,
                           symbol(p_.calls.functions[record.second]).value});
      break;
    case CallRecord::Second::Prototype:
      elf_.add_fixup(out, {offset + 4, Fixup::Kind::StringOffset, record.second});
      break;
    }
  }
  elf_.append_copy(out, bytes);
}

void ImageWriter::fill_relocations() {
  for (const KeptRelocation &kept : plan_.relocations.kept) {
    elf::SymbolId against;
    switch (kept.against) {
    case Against::Nothing:
      break;
    case Against::Entity:
      against = symbol(EntityId(kept.id));
      break;
    case Against::Section:
      against = symbols_.of_section[kept.id];
      break;
    case Against::Instance:
      against = symbols_.of_instance[kept.id];
      break;
    }
    if (kept.against == Against::Entity && !against.valid()) {
      const Entity &entity = p_.symbols[EntityId(kept.id)];
      diag_.report(DiagId::DeletedSymbol, {std::string(entity.name)},
                   {"mentioned in " + p_.objects[entity.first.object.value].name});
      continue;
    }
    elf_.add_relocation(section(kept.table), {kept.offset, kept.type, against, kept.addend});
  }
  for (const SlotTable &table : plan_.constants.tables)
    for (const SlotRelocation &entry : table.entries)
      elf_.add_relocation(section(table.table), {entry.offset, entry.type, symbol(entry.image), 0});
}

// Headers and tables are one part; the contents, in file order, are cut into parts of about a
// megabyte. Values are stored while a section's bytes are still at hand.
void ImageWriter::write_parts(const elf::ElfLayout &layout, MutableByteSpan image) {
  constexpr u64 kPartSize = u64{1} << 20;
  std::vector<u32> starts = {0}; // in layout.order
  for (u32 i = 1; i < layout.order.size(); ++i)
    if (layout.offset_of(layout.order[i]) - layout.offset_of(layout.order[starts.back()]) >
        kPartSize)
      starts.push_back(i);
  const u32 parts = static_cast<u32>(starts.size());
  starts.push_back(static_cast<u32>(layout.order.size()));

  const std::vector<FoldedRelocation> &folded = plan_.relocations.folded;
  std::vector<u32> first_value(elf_.section_count(), 0); // by SectionId
  for (u32 i = static_cast<u32>(folded.size()); i-- > 0;)
    first_value[section(folded[i].section).value] = i + 1;

  std::vector<Diagnostics> messages(parts);
  pool_.for_each(parts + 1, [&](u32 part) {
    if (part == parts) {
      elf_.write_tables(layout, image);
      return;
    }
    for (u32 i = starts[part]; i < starts[part + 1]; ++i) {
      const elf::SectionId id = layout.order[i];
      elf_.write_contents(layout, image, i, i + 1);
      if (first_value[id.value] == 0)
        continue;
      for (u32 v = first_value[id.value] - 1; v < folded.size() && section(folded[v].section) == id;
           ++v)
        store_value(layout, folded[v], image, messages[part]);
    }
  });
  for (Diagnostics &message : messages)
    diag_.append(std::move(message));
}

void ImageWriter::store_value(const elf::ElfLayout &layout, const FoldedRelocation &folded,
                              MutableByteSpan image, Diagnostics &diag) const {
  const OutSection &s = m_[folded.section];
  if (elf::has_no_file_data(written_type(s.type)))
    return;
  const MutableByteSpan bytes = image.subspan(layout.offset_of(section(folded.section)), s.size);
  arch::FieldValue value = folded.value;
  if (folded.implicit_addend && folded.row->resolver != arch::Resolver::Clear)
    if (const auto addend = arch::implicit_addend(bytes, folded.offset, *folded.row))
      value = arch::add(*folded.row, value, *addend);
  if (!arch::store_field(bytes, folded.offset, *folded.row, value))
    diag.report(DiagId::RelocationOutsideSection, {"output", std::string(folded.row->name),
                                                   fmt::format("{}+{:#x}", s.name, folded.offset)});
}

} // namespace

ByteBuffer write_image(const Program &program, const OutputPlan &plan, WorkerPool &pool,
                       Diagnostics &diag) {
  return ImageWriter(program, plan, pool, diag).run();
}

} // namespace culink
