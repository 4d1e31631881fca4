// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collecting what a file shall hold. Everything is kept in order of creation, because that order is
// visible in the output: it is the order of the string tables and, inside a bucket, of the section
// table. Offsets do not exist before lay_out(), nor numbers, but for those of number_symbols().
// What BuiltSections does is here, too.
#include "elf/elf_builder.h"

#include <cstring>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "base/bytes.h"

namespace culink::elf {

Bucket default_bucket(std::string_view name, SectionType type, u64 flags) {
  if (is_symbol_table(type) || type == SectionType::Strtab || type == SectionType::SymtabShndx)
    return Bucket::Tables;
  if (is_relocation_table(type))
    return Bucket::Relocations;
  if (type == SectionType::Progbits && is_debug_name(name))
    return Bucket::Debug;
  if ((flags & kFlagAlloc) == 0)
    return Bucket::Metadata;
  if ((flags & kFlagExec) != 0)
    return Bucket::Code;
  if ((flags & kFlagWrite) == 0)
    return Bucket::Constants;
  return has_no_file_data(type) ? Bucket::NoData : Bucket::Data;
}

namespace {

// All that sections of a kind have in common. Inputs choose some of it, so it is sorted: they might
// choose equal hashes.
auto key_of(const SectionSpec &kind) {
  const auto &info = kind.info.value();
  const auto *symbol = std::get_if<InfoField::SymbolNumber>(&info);
  return std::tuple(kind.type, kind.flags, kind.align, kind.entsize, kind.link.value, kind.emitted,
                    kind.bucket, info.index(), symbol ? symbol->top_byte : u8{0});
}

} // namespace

// The numbers of kinds.
class BuiltSections::KindIndex {
public:
  std::mutex mutex;
  std::map<decltype(key_of({})), u32> numbers;
};

BuiltSections::BuiltSections(const StringIndex *names)
    : names_(names), index_(std::make_unique<KindIndex>()) {}
BuiltSections::~BuiltSections() = default;
BuiltSections::BuiltSections(BuiltSections &&) noexcept = default;
BuiltSections &BuiltSections::operator=(BuiltSections &&) noexcept = default;

BuiltSections::RecentKinds::Slot BuiltSections::find_or_add_kind(const SectionSpec &spec) {
  const std::lock_guard lock(index_->mutex);
  const u32 next = static_cast<u32>(kinds_.size());
  const auto [known, is_new] = index_->numbers.try_emplace(key_of(spec), next);
  if (is_new) {
    SectionSpec &kind = kinds_.emplace_back(spec);
    kind.name = {};
    kind.name_number = kNoNumber;
  }
  return {kinds_[known->second], known->second};
}

u32 BuiltSections::add(const SectionSpec &spec) {
  const u32 id = size();
  states_.push_back({});
  if (spec.name_number != kNoNumber && names_ && !spec.shares_bytes_with.valid() &&
      spec.gap_after == 0 && (*names_)[spec.name_number] == spec.name) {
    put(id, number_of_recent_kind(spec), spec.name_number, spec.info, {}, 0);
    return id;
  }
  states_[id].info = static_cast<u32>(details_.size());
  details_.push_back({.spec = spec});
  return id;
}

BuiltSections::Detail &BuiltSections::detail(u32 id) {
  State &state = states_[id];
  if (state.kind != kDetailed) {
    details_.push_back({.spec = spec_of(state)});
    state.kind = kDetailed;
    state.info = static_cast<u32>(details_.size() - 1);
  }
  return details_[state.info];
}

SectionSpec BuiltSections::spec_of(const State &state) const {
  SectionSpec spec = kind_of(state);
  spec.name = name_of(state);
  spec.name_number = name_number_of(state);
  spec.info = info_of(state);
  return spec;
}

void BuiltSections::append(u32 id, u64 offset, ByteSpan bytes) {
  State &state = states_[id];
  if (state.size == 0 && offset == 0) {
    state.first = bytes.empty() ? nullptr : bytes.data();
    state.given = State::kAll;
    state.size = bytes.size();
    return;
  }
  if (!bytes.empty())
    pieces_.append(detail(id).more, {offset, bytes});
  grow(id, offset + bytes.size());
}

// Zeros behind the first bytes, which are counted from here on; those that are too many to be
// counted are one of the other pieces.
void BuiltSections::grow(u32 id, u64 size) {
  State &state = states_[id];
  if (state.first && state.given == State::kAll && size != state.size) {
    if (state.size < State::kAll) {
      state.given = static_cast<u32>(state.size);
    } else {
      pieces_.append(detail(id).more, {0, state.bytes()});
      state.first = nullptr;
    }
  }
  state.size = size;
}

ElfBuilder::ElfBuilder(const BuilderOptions &options)
    : options_(options), arena_(std::make_unique<std::pmr::monotonic_buffer_resource>()),
      sections_(options.numbered_names) {
  const bool wide = options.elf_class == ElfClass::Elf64;
  add_section({.name = ".shstrtab", .type = SectionType::Strtab});
  add_section({.name = ".strtab", .type = SectionType::Strtab});
  add_section({.name = ".symtab",
               .type = SectionType::Symtab,
               .align = wide ? 8u : 4u,
               .entsize = wide ? 24u : 16u,
               .link = strtab()});
  // Emitted by lay_out() when the indices of some sections do not fit a symbol.
  add_section({.name = ".symtab_shndx",
               .type = SectionType::SymtabShndx,
               .align = 4,
               .entsize = 4,
               .link = symtab(),
               .emitted = false});
  for (u32 i = 0; i < 4; ++i)
    add_section_symbol(SectionId(i), false);
}

ElfBuilder::~ElfBuilder() = default;
ElfBuilder::ElfBuilder(ElfBuilder &&) noexcept = default;
ElfBuilder &ElfBuilder::operator=(ElfBuilder &&) noexcept = default;

std::string_view ElfBuilder::keep(std::string_view text) {
  if (text.empty())
    return {};
  char *copy = static_cast<char *>(arena_->allocate(text.size(), 1));
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

void ElfBuilder::reserve(const Room &room) {
  sections_.reserve(room.sections);
  symbols_.reserve(room.symbols, room.symbol_specs);
}

SectionId ElfBuilder::add_section(const SectionSpec &spec) {
  SectionSpec kept = spec;
  kept.name = keep_name(spec.name);
  return SectionId(sections_.add(kept));
}

u64 ElfBuilder::append(SectionId id, ByteSpan borrowed, u64 align) {
  const u64 offset = align_up(size(id), align);
  sections_.append(id.value, offset, borrowed);
  return offset;
}

u64 ElfBuilder::append_copy(SectionId id, ByteSpan bytes, u64 align) {
  return append(id, as_bytes(keep(as_text(bytes))), align);
}

MutableByteSpan ElfBuilder::append_room(SectionId id, u64 size) {
  if (size == 0)
    return {};
  const MutableByteSpan bytes(static_cast<u8 *>(arena_->allocate(size, 1)), size);
  append(id, bytes);
  return bytes;
}

u64 ElfBuilder::append_zeros(SectionId id, u64 zeros, u64 align) {
  const u64 offset = align_up(size(id), align);
  sections_.append_zeros(id.value, offset, zeros);
  return offset;
}

SymbolId ElfBuilder::add_symbol(const SymbolSpec &spec) {
  SymbolSpec kept = spec;
  kept.name = keep_name(spec.name);
  return SymbolId(symbols_.add(kept));
}

void ElfBuilder::rename_section(SectionId id, std::string_view old_name) {
  old_names_.push_back({id, keep(old_name)});
  edit_section(id).name_number = kNoNumber;
}

void ElfBuilder::rename_symbol(SymbolId id, std::string_view new_name) {
  late_names_.push_back({id, keep(new_name)});
}

SectionId ElfBuilder::add_relocation_section(SectionId target, bool with_addends) {
  const bool wide = options_.elf_class == ElfClass::Elf64;
  std::string name(with_addends ? ".rela" : ".rel");
  name += name_of(target);
  return add_section({.name = keep(name),
                      .type = with_addends ? SectionType::Rela : SectionType::Rel,
                      .flags = kFlagInfoLink,
                      .align = wide ? 8u : 4u,
                      .entsize = (with_addends ? 3u : 2u) * (wide ? 8u : 4u),
                      .link = symtab(),
                      .info = target});
}

void ElfBuilder::add_relocation(SectionId table, const RelocationSpec &entry) {
  BuiltSections::Detail &detail = sections_.detail(table.value);
  if (detail.relocations.empty())
    detail.relocations_start = size(table);
  relocations_.append(detail.relocations, entry);
  append_zeros(table, detail.spec.entsize);
}

u32 ElfBuilder::add_string(std::string_view text, bool separately) {
  strings_.push_back({keep_name(text), separately});
  return static_cast<u32>(strings_.size() - 1);
}

Result<std::vector<u8>> ElfBuilder::finish() const {
  Result<ElfLayout> layout = lay_out();
  if (!layout)
    return layout.error();
  std::vector<u8> file(layout->file_size);
  write(*layout, file);
  return file;
}

} // namespace culink::elf
