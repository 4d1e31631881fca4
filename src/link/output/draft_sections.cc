// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Headers and contents of the sections of a file. Pieces of the inputs are borrowed, not copied.
// Files with one form of their code take every content in the section it belongs to, and their
// symbols have numbers by now; files with Mercury code send most contents to a counterpart, so
// callers say where they go, and what names a symbol is a fixup.
#include "link/output/draft_sections.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "base/bytes.h"

namespace culink {

using elf::Fixup;
using elf::SectionType;

namespace {

// By one thread.
constexpr u32 kSectionsTogether = 2048;
constexpr u32 kEntriesTogether = 8192;
constexpr u32 kCallsTogether = 2048;

// A relocation table is emitted if it has entries; other sections as Emit says.
bool is_part_of_file(const OutputPlan &plan, const OutSection &s, OutId id, bool has_entries) {
  const OutputSections &sections = plan.layout.sections;
  if (s.emit == Emit::NameOnly || s.discarded())
    return false;
  if (id == sections.info)
    return !plan.info.module.empty();
  if (id == sections.prototype)
    return !plan.synthetic.prototypes.empty();
  return elf::is_relocation_table(s.type()) ? has_entries : s.emit == Emit::Always || s.size != 0;
}

// `discarded`: how many of each range of sections have no id.
void number_sections(const OutputSections &sections, std::span<const u32> discarded,
                     EmittedSections &out, WorkerPool &pool) {
  std::vector<u32> starts(discarded.size());
  u32 left_out = 0;
  for (size_t i = 0; i < starts.size(); ++i) {
    starts[i] = out.next.value + static_cast<u32>(i) * kSectionsTogether - left_out;
    left_out += discarded[i];
  }
  out.next.value += sections.size() - left_out;
  pool.for_ranges(sections.size(), kSectionsTogether, [&](u32 begin, u32 end) {
    u32 next = starts[begin / kSectionsTogether];
    elf::SectionId *section_of = out.section_of.data();
    if (discarded[begin / kSectionsTogether] == 0)
      for (u32 i = begin; i < end; ++i)
        section_of[i].value = next + (i - begin);
    else
      for (u32 i = begin; i < end; ++i)
        section_of[i] = sections.list[i].discarded() ? elf::SectionId() : elf::SectionId(next++);
  });
}

// Stores a range of records that starts at `offset` of a section. Returns what is left to be filled
// in: strings, and symbols if they have no numbers yet.
std::vector<Fixup> store_calls(const Program &program, std::span<const CallRecord> records,
                               u8 *bytes, u64 offset, const FileInProgress &file) {
  std::vector<Fixup> left;
  const auto symbol_word = [&](u64 at, FunctionId id) -> u32 {
    const elf::SymbolId symbol = file.symbols.of_entity[program.calls.functions[id.value].value];
    if (file.numbers)
      return symbol.valid() ? file.numbers->of[symbol.value] : 0;
    left.push_back({at, Fixup::Kind::SymbolNumber, symbol.value});
    return 0;
  };
  for (const CallRecord &record : records) {
    const u32 first = record.first.valid() ? symbol_word(offset, record.first) : 0;
    u32 second = 0;
    switch (record.kind) {
    case CallRecord::Second::Marker:
      second = record.second;
      break;
    case CallRecord::Second::Function:
      second = symbol_word(offset + 4, FunctionId(record.second));
      break;
    case CallRecord::Second::Prototype:
      left.push_back({offset + 4, Fixup::Kind::StringOffset, record.second});
      break;
    }
    store_le(bytes, first);
    store_le(bytes + 4, second);
    bytes += 8;
    offset += 8;
  }
  return left;
}

// At the end of a section.
void fill_call_records(const Program &program, std::span<const CallRecord> records,
                       elf::SectionId out, WorkerPool &pool, FileInProgress &file) {
  const u32 count = static_cast<u32>(records.size());
  const u64 start = file.elf.size(out);
  const MutableByteSpan bytes = file.elf.append_room(out, u64{count} * 8);
  std::vector<std::vector<Fixup>> left(count / kCallsTogether + 1);
  pool.for_ranges(count, kCallsTogether, [&](u32 begin, u32 end) {
    left[begin / kCallsTogether] =
        store_calls(program, records.subspan(begin, end - begin), bytes.data() + u64{begin} * 8,
                    start + u64{begin} * 8, file);
  });
  file.elf.add_fixups(out, left, pool);
}

} // namespace

SectionType type_in_executable(SectionType type) {
  const u32 number = static_cast<u32>(type);
  if (number >= static_cast<u32>(SectionType::CudaConstantB0) &&
      number <= static_cast<u32>(SectionType::MercuryConstantTools))
    return SectionType::Progbits;
  switch (type) {
  case SectionType::CudaGlobalInit:
    return SectionType::Progbits;
  case SectionType::CudaGlobal:
  case SectionType::CudaShared:
  case SectionType::CudaReservedShared:
  case SectionType::CudaLocal:
    return SectionType::Nobits;
  default:
    return type;
  }
}

EmittedSections find_emitted(const OutputPlan &plan, elf::SectionId first, WorkerPool &pool) {
  const KeptRelocations &kept = plan.relocations.kept;
  const OutputSections &sections = plan.layout.sections;
  EmittedSections out{.is_emitted = RawVector<u8>(sections.size(), 0),
                      .section_of = RawVector<elf::SectionId>(sections.size()),
                      .next = first};
  std::atomic<bool> grouped = true;
  pool.for_ranges(static_cast<u32>(kept.size()), kEntriesTogether, [&](u32 begin, u32 end) {
    for (u32 i = begin; i < end; ++i) {
      if (i != 0 && kept[i].table == kept[i - 1].table)
        continue;
      std::atomic_ref<u8> has_entries(out.is_emitted[kept[i].table.value]);
      if (has_entries.exchange(1, std::memory_order_relaxed) != 0)
        grouped.store(false, std::memory_order_relaxed);
    }
  });
  out.relocations_grouped = grouped;
  for (const SlotTable &slots : plan.images.tables)
    out.is_emitted[slots.table.value] = 1;
  std::vector<u32> discarded(sections.size() / kSectionsTogether + 1, 0);
  pool.for_ranges(sections.size(), kSectionsTogether, [&](u32 begin, u32 end) {
    u32 count = 0;
    const std::span<const OutSection> list = sections.list;
    u8 *is_emitted = out.is_emitted.data();
    for (u32 i = begin; i < end; ++i) {
      is_emitted[i] = is_part_of_file(plan, list[i], OutId(i), is_emitted[i] != 0);
      count += list[i].discarded() ? 1 : 0;
    }
    discarded[begin / kSectionsTogether] = count;
  });
  number_sections(sections, discarded, out, pool);
  return out;
}

namespace {

inline elf::InfoField info_of(const OutSection &s, const FileInProgress &file, bool emitted) {
  if (s.function.valid())
    return {file.symbols.of_entity[s.function.value], s.info_top};
  if (emitted && s.target.valid())
    return {file.section_of[s.target.value]};
  return {};
}

// `all`: InfoPlan::text_flags.
inline u64 text_flags_of(std::span<const u64> all, OutId id) {
  return id.value < all.size() ? all[id.value] : 0;
}

elf::SectionSpec header_of(const OutSection &s, const OutputPlan &plan, const FileInProgress &file,
                           OutId id) {
  const bool emitted = file.is_emitted[id.value] != 0;
  // Unknown sections are among debug information.
  const bool is_debug = s.type() == SectionType::Progbits && (s.flags() & elf::kFlagAlloc) == 0;
  return {.name = plan.layout.sections.name(s),
          .type = s.type(),
          .name_number = s.name_number,
          .flags = s.flags() | text_flags_of(plan.info.text_flags, id),
          .align = s.align,
          .entsize = s.entsize(),
          .link = emitted && s.links_symtab ? file.elf.symtab() : elf::SectionId{},
          .info = info_of(s, file, emitted),
          .emitted = emitted,
          .bucket = is_debug ? std::optional(elf::Bucket::Debug) : std::nullopt};
}

} // namespace

elf::SectionSpec section_header(const OutputPlan &plan, const FileInProgress &file, OutId id) {
  return header_of(plan.layout.sections[id], plan, file, id);
}

void finish_headers(const OutputPlan &plan, FileInProgress &file) {
  const OutputSections &sections = plan.layout.sections;
  if (file.rel_action.valid()) {
    file.elf.add_section(
        {.name = kRelAction, .type = SectionType::CudaRelocInfo, .align = 8, .entsize = 8});
    file.elf.append_copy(file.rel_action, plan.synthetic.rel_action);
  }
  if (!sections.cuinfo.valid())
    return;
  elf::SectionSpec &cuinfo = file.elf.edit_section(file.section_of[sections.cuinfo.value]);
  cuinfo.link = file.section_of[sections.tkinfo.value];
  if (sections.compat.valid()) {
    cuinfo.flags |= elf::kFlagInfoLink;
    cuinfo.info = file.section_of[sections.compat.value];
  }
}

namespace {

bool has_records(const OutputPlan &plan, const OutSection &section, OutId id) {
  return section.type() == SectionType::CudaInfo && section.target.valid() &&
         plan.layout.sections[section.target].records == id;
}

u32 function_of_text(const Program &program, const OutputPlan &plan, OutId text) {
  return program.function_of(plan.layout.sections[text].function).value;
}

// Kinds of sections that one thread has met, by all that header_of takes from a section of the
// kind. There are some ten of them, or few more.
class KnownKinds {
public:
  struct Key {
    const SectionTraits *traits = nullptr; // null: a slot without a kind
    u64 align = 0;
    u64 text_flags = 0;
    u32 others = 0;
    friend bool operator==(const Key &, const Key &) = default;
  };
  static Key key_of(const OutSection &s, u64 text_flags, const elf::InfoField &info, bool emitted) {
    return {s.traits, s.align, text_flags,
            u32{s.info_top} << 8 | static_cast<u32>(info.value().index()) << 2 |
                u32{s.links_symtab} << 1 | u32{emitted}};
  }

  // `find`: the number of a kind that is not known yet.
  template <typename Find> u32 number(const Key &key, Find find) {
    u32 slot = hash_of(key);
    for (; slots_[slot].key.traits; slot = (slot + 1) % kSlots)
      if (slots_[slot].key == key)
        return slots_[slot].number;
    if (used_ == kMost) {
      *this = {};
      slot = hash_of(key);
    }
    ++used_;
    slots_[slot] = {key, find()};
    return slots_[slot].number;
  }

private:
  static constexpr u32 kSlots = 64, kMost = 48;
  static u32 hash_of(const Key &key) {
    const u64 mixed = reinterpret_cast<uintptr_t>(key.traits) ^ key.text_flags ^ key.align << 40 ^
                      u64 { key.others } << 48;
    return static_cast<u32>(mixed * 0x9e3779b97f4a7c15 >> 58);
  }
  struct Slot {
    Key key;
    u32 number = 0;
  };
  std::array<Slot, kSlots> slots_;
  u32 used_ = 0;
};

} // namespace

// Sections that are more than a piece and zeros, which are few, are left to one thread: their lists
// share a table.
void add_sections(const Program &program, const OutputPlan &plan, RecordWriter &records,
                  WorkerPool &pool, FileInProgress &file) {
  const u32 count = plan.layout.sections.size();
  file.elf.add_sections(file.next_section.value - file.elf.section_count());
  std::vector<std::vector<OutId>> left(count / kSectionsTogether + 1);
  pool.for_ranges(count, kSectionsTogether, [&](u32 begin, u32 end) {
    const std::span<const OutSection> sections = plan.layout.sections.list;
    const std::span<const u64> text_flags = plan.info.text_flags;
    const bool executable = program.policy.executable;
    KnownKinds kinds;
    for (u32 i = begin; i < end; ++i) {
      const OutSection &section = sections[i];
      if (section.discarded())
        continue;
      const bool emitted = file.is_emitted[i] != 0;
      const elf::InfoField field = info_of(section, file, emitted);
      const u32 kind = kinds.number(
          KnownKinds::key_of(section, text_flags_of(text_flags, OutId(i)), field, emitted), [&] {
            elf::SectionSpec header = header_of(section, plan, file, OutId(i));
            if (executable)
              header.type = type_in_executable(header.type);
            return file.elf.number_of_kind(header);
          });
      const elf::SectionId to = file.section_of[i];
      const PieceList *pieces = section.piece_list;
      ByteSpan bytes = pieces ? pieces->first() : ByteSpan();
      bool simple = !pieces || !pieces->has_more();
      if (has_records(plan, section, OutId(i))) {
        simple &= bytes.empty();
        bytes = plan.info.of_function[function_of_text(program, plan, section.target)].bytes();
      }
      const u64 size = std::max<u64>(section.size, bytes.size());
      if (simple && elf::ElfBuilder::is_plain(bytes, size)) {
        file.elf.put_section(to, kind, section.name_number, field, bytes, size);
        continue;
      }
      file.elf.put_section(to, kind, section.name_number, field);
      left[begin / kSectionsTogether].push_back(OutId(i));
    }
  });
  for (const std::vector<OutId> &range : left)
    for (const OutId id : range)
      fill_section(program, plan, id, file.section_of[id.value], records, file.elf);
}

void fill_section(const Program &program, const OutputPlan &plan, OutId id, elf::SectionId to,
                  RecordWriter &records, elf::ElfBuilder &elf) {
  const OutSection &s = plan.layout.sections[id];
  if (has_records(plan, s, id))
    records.fill(to, plan.info.of_function[function_of_text(program, plan, s.target)]);
  const PieceList &pieces = s.pieces();
  for (u32 piece = 0; piece < pieces.size(); ++piece) {
    elf.append_zeros(to, pieces[piece].offset - elf.size(to));
    elf.append(to, pieces[piece].bytes);
  }
  if (s.size > elf.size(to))
    elf.append_zeros(to, s.size - elf.size(to));
}

void fill_synthetic(const OutputPlan &plan, ContentOf to, ByteSpan compat, RecordWriter &records,
                    FileInProgress &file) {
  const OutputSections &sections = plan.layout.sections;
  if (sections.cuinfo.valid()) {
    file.elf.append_copy(to[sections.tkinfo.value], plan.synthetic.tkinfo);
    file.elf.append_copy(to[sections.cuinfo.value], plan.synthetic.cuinfo);
  }
  if (sections.compat.valid())
    file.elf.append_copy(to[sections.compat.value], compat);
  if (sections.info.valid())
    records.fill(to[sections.info.value], plan.info.module);
}

void fill_calls(const Program &program, const OutputPlan &plan, ContentOf to, WorkerPool &pool,
                FileInProgress &file, std::span<const AddedCall> added) {
  const OutputSections &sections = plan.layout.sections;
  const elf::SectionId out = to[sections.callgraph.value];
  std::span<const CallRecord> records = plan.synthetic.callgraph;
  if (!added.empty() && !records.empty()) {
    fill_call_records(program, records.first(1), out, pool, file); // which opens the list of calls
    records = records.subspan(1);
  }
  for (const AddedCall &call : added) {
    const u64 offset = file.elf.size(out);
    file.elf.add_fixup(
        out, {offset, Fixup::Kind::SymbolNumber, file.symbols.of_entity[call.caller.value].value});
    file.elf.add_fixup(out, {offset + 4, Fixup::Kind::SymbolNumber, call.callee.value});
    file.elf.append_zeros(out, 8);
  }
  fill_call_records(program, records, out, pool, file);
  fill_call_records(program, plan.synthetic.prototypes, to[sections.prototype.value], pool, file);
}

void fill_unified(const OutputPlan &plan, ContentOf to, FileInProgress &file) {
  for (const UnifiedIdentity &identity : plan.layout.sections.unified) {
    const elf::SectionId id = to[identity.section.value];
    elf::UnifiedEntry entry = identity.entry;
    entry.symbol = 0;
    if (identity.named.valid())
      file.elf.add_fixup(id, {file.elf.size(id), Fixup::Kind::SymbolNumber,
                              file.symbols.of_entity[identity.named.value].value});
    file.elf.append_copy(id, elf::encode_rows(elf::UnifiedSection{.records = {entry}}));
  }
}

} // namespace culink
