// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The installed reader on top of the validated view and the record codecs. The view checks tables
// when it is opened, but the codecs accept anything and list violations. So opening decodes each
// section of records once and fails on a violation; later accesses do not check again. A record of
// a known attribute whose payload has an unknown layout is not an error: a later toolkit may write
// it, and the caller gets its bytes.
#include "culink/cubin_reader.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "elf/names.h"
#include "elf/records/fields.h"
#include "elf/records/nv_compat.h"
#include "elf/records/nv_info.h"
#include "elf/records/nv_notes.h"
#include "elf/section_kind.h"
#include "elf/target/elf_flags.h"
#include "elf/target/reloc.h"
#include "inspect/reader/usage.h"
#include "support/mapped_file.h"

namespace culink {

namespace {

bool is_info(elf::SectionType type) {
  return type == elf::SectionType::CudaInfo || type == elf::SectionType::MercuryInfo;
}

// Returns the first rule that a codec found broken, as an error of the section.
std::optional<Error> first_of(const elf::Section &section,
                              const std::vector<elf::Violation> &violations) {
  if (violations.empty())
    return std::nullopt;
  return Error{elf::describe_section(section),
               fmt::format("record at offset {:#x}", violations.front().offset),
               violations.front().message};
}

elf::SymbolTable symbols_for(const elf::ElfView &file, const elf::Section &user) {
  const elf::SymbolTable linked = file.linked_symbols(user);
  return linked.empty() ? file.symbols() : linked;
}

std::optional<Error> check_info(const elf::ElfView &file, const elf::Section &section) {
  const elf::InfoSection info = elf::decode_info(section.data);
  if (std::optional<Error> error = first_of(section, info.violations))
    return error;
  const u32 symbol_count = symbols_for(file, section).size();
  for (const elf::InfoRecord &record : info.records) {
    const u32 count = elf::symbol_word_count(record);
    for (u32 i = 0; i < count; ++i)
      if (const u32 symbol = load_le<u32>(record.payload.data() + u64{i} * 4);
          symbol >= symbol_count)
        return Error{elf::describe_section(section),
                     fmt::format("record at offset {:#x}", record.offset),
                     fmt::format("names symbol {}, there are {}", symbol, symbol_count)};
  }
  return std::nullopt;
}

// Checks the framing of all notes, and the contents of the two kinds that are decoded.
std::optional<Error> check_notes(const elf::Section &section) {
  const elf::NoteSection notes = elf::decode_notes(section.data);
  if (std::optional<Error> error = first_of(section, notes.violations))
    return error;
  for (const elf::Note &note : notes.notes) {
    std::optional<std::string> message;
    if (elf::is_later_note(note))
      continue;
    if (note.type == elf::kNoteToolkitInfo && note.name == elf::kNoteOwner) {
      if (const Result<elf::ToolkitInfo> info = elf::decode_toolkit_info(note.desc); !info)
        message = info.error().text();
    } else if (note.type == elf::kNoteCudaInfo && note.name == elf::kNoteOwner) {
      if (const Result<elf::CudaInfo> info = elf::decode_cuda_info(note.desc); !info)
        message = info.error().text();
    }
    if (message)
      return Error{elf::describe_section(section), fmt::format("note at offset {:#x}", note.offset),
                   std::move(*message)};
  }
  return std::nullopt;
}

std::optional<Error> check_records(const elf::ElfView &file) {
  for (const elf::Section &section : file.sections()) {
    std::optional<Error> error;
    if (is_info(section.type))
      error = check_info(file, section);
    else if (section.type == elf::SectionType::CudaCompat)
      error = first_of(section, elf::decode_compat(section.data).violations);
    else if (section.type == elf::SectionType::Note)
      error = check_notes(section);
    if (error)
      return error;
  }
  return std::nullopt;
}

// Returns the name of a symbol, or the section's name for an unnamed section symbol; else "".
std::string_view name_of_symbol(const elf::ElfView &file, const elf::Symbol &symbol) {
  if (symbol.name.empty() && symbol.type() == elf::SymbolType::Section && symbol.in_section())
    return file.sections()[symbol.section].name;
  return symbol.name;
}

// Values of attribute records as a flat list of named parts. The codec has a type for each shape of
// payload, which the installed header does not expose; (key, number) pairs are enough for a program
// that needs "registers of this symbol". The keys are those of `cubin dump --json`
// (src/elf/records/fields.h), so both can be used together. The rows of a table follow each other;
// each begins with an "offset".

using Value = CubinReader::Value;

// Collects the fields of one value.
struct FieldCollector {
  static constexpr bool kDocument = false;
  const elf::ElfView &file;
  const elf::SymbolTable &symbols;
  elf::InfoShape shape;
  std::vector<Value> out = {};

  void add(std::string_view key, u64 value, elf::FieldForm form = elf::FieldForm::Decimal) {
    if (form == elf::FieldForm::Symbol)
      return symbol_at(key, static_cast<u32>(value));
    out.push_back({form == elf::FieldForm::Address ? Value::Kind::CodeOffset : Value::Kind::Number,
                   key,
                   value,
                   {}});
  }
  void symbol_at(std::string_view key, u32 index) {
    const bool named = index != 0 && index < symbols.size();
    out.push_back({Value::Kind::Symbol, key, index,
                   named ? std::string(name_of_symbol(file, symbols[index])) : std::string()});
  }

  void number(elf::FieldKey key, u64 value, const elf::FieldRule &rule) {
    add(key.data, value, rule.form);
  }
  void symbol(elf::FieldKey key, u32 index) { symbol_at(key.data, index); }
  void flag(elf::FieldKey key, bool set, std::string_view, std::string_view) { add(key.data, set); }
  void text(elf::FieldKey key, const std::string &text) {
    out.push_back({Value::Kind::Text, key.data, 0, text});
  }
  void numbers(elf::FieldKey key, std::span<const u32> words, const elf::FieldRule &rule) {
    for (const u32 word : words)
      add(key.data, word, rule.form);
  }
  void triple(elf::FieldKey, u32 x, u32 y, u32 z) {
    add("x", x);
    add("y", y);
    add("z", z);
  }
  void table(const elf::InfoTable &table) {
    for (u64 i = 0; i < table.words.size(); ++i)
      if (i % table.columns == 0)
        add("offset", table.words[i], elf::FieldForm::Address);
      else
        add("words", table.words[i]);
  }
  void list(elf::FieldKey, auto &records) {
    for (auto &record : records)
      fields(*this, record);
  }
  void bytes(elf::FieldKey, ByteSpan) {} // the caller has the payload
  [[nodiscard]] bool has(std::string_view, bool stated) const { return stated; }
  void data_only(elf::FieldKey key, u64 value) { add(key.data, value); }
};

std::vector<Value> values_of(const elf::InfoRecord &record, const elf::ElfView &file,
                             const elf::SymbolTable &symbols) {
  FieldCollector collector{file, symbols, elf::effective_shape(record)};
  elf::InfoValue value = elf::decode_value(record);
  std::visit([&](auto &v) { fields(collector, v); }, value);
  return std::move(collector.out);
}

template <typename T> Result<T> with_file(Result<T> result, std::string_view file) {
  if (result)
    return result;
  Error error = result.error();
  error.file = file;
  return error;
}

CubinReader::Section public_section(const elf::Section &section) {
  const elf::SectionKind kind = elf::classify_section(section.name, section.type, section.flags);
  return {.index = section.index,
          .name = section.name,
          .type = section.type,
          .type_name = elf::kSectionTypeNames.name_of(section.type).value_or(""),
          .role = elf::name_of_section_role(kind.role),
          .function = kind.owner,
          .flags = section.flags,
          .offset = section.offset,
          .size = section.size,
          .align = section.align,
          .entsize = section.entsize,
          .link = section.link,
          .info = section.info,
          .data = section.data};
}

CubinReader::Symbol public_symbol(const elf::ElfView &file, u32 number, const elf::Symbol &symbol) {
  return {.number = number,
          .name = name_of_symbol(file, symbol),
          .binding = symbol.binding(),
          .type = symbol.type(),
          .other = symbol.other,
          .section = symbol.in_section() ? symbol.section : 0,
          .special_section = symbol.in_section() ? u16{0} : symbol.raw_section,
          .value = symbol.value,
          .size = symbol.size};
}

std::vector<CubinReader::Symbol> public_symbols(const elf::ElfView &file,
                                                const elf::SymbolTable &table) {
  std::vector<CubinReader::Symbol> out;
  out.reserve(table.size());
  for (u32 i = 0; i < table.size(); ++i)
    out.push_back(public_symbol(file, i, table[i]));
  return out;
}

} // namespace

class CubinReader::Impl {
public:
  // Checks everything that an accessor relies on. The error does not contain the file's name.
  [[nodiscard]] static Result<CubinReader> open(std::optional<MappedFile> mapping, ByteSpan bytes) {
    Result<elf::ElfView> view = elf::ElfView::open(bytes);
    if (!view)
      return view.error();
    if (!view->header().is_cuda())
      return Error{"ELF header", "e_machine",
                   fmt::format("{} is not a CUDA device file ({})", view->header().machine,
                               elf::kMachineCuda)};
    if (std::optional<Error> error = check_records(*view))
      return std::move(*error);
    return CubinReader(std::make_unique<Impl>(std::move(mapping), std::move(*view)));
  }

  Impl(std::optional<MappedFile> mapping, elf::ElfView view)
      : mapping_(std::move(mapping)), file(std::move(view)) {
    sections.reserve(file.sections().size());
    for (const elf::Section &section : file.sections())
      sections.push_back(public_section(section));
    read_header();
  }

  // Returns the view's section for one that a caller passes back; null for one of another file.
  [[nodiscard]] const elf::Section *own(const Section &section) const {
    return section.index < file.sections().size() ? &file.sections()[section.index] : nullptr;
  }

  template <typename Use> void for_each_note(Use use) const {
    for (const elf::Section &section : file.sections())
      if (section.type == elf::SectionType::Note)
        for (const elf::Note &note : elf::decode_notes(section.data).notes)
          use(section, note);
  }

  void add_relocations(const elf::Section &table, std::vector<Relocation> &out) const {
    const elf::RelocationTable entries = file.relocations(table);
    const elf::SymbolTable symbols = file.linked_symbols(table);
    const elf::Section *target = file.info_section(table);
    out.reserve(out.size() + entries.size());
    for (u32 i = 0; i < entries.size(); ++i) {
      const elf::Relocation entry = entries[i];
      const arch::RelocInfo *row = arch::find_reloc(entry.type);
      out.push_back({.table = table.index,
                     .section = target ? target->index : 0,
                     .offset = entry.offset,
                     .type = entry.type,
                     .type_name = row ? row->name : std::string_view(),
                     .symbol = entry.symbol,
                     .symbol_name = entry.symbol < symbols.size()
                                        ? name_of_symbol(file, symbols[entry.symbol])
                                        : std::string_view(),
                     .addend = entry.addend});
    }
  }

  void add_attributes(const elf::Section &section, std::vector<Attribute> &out) const {
    if (is_info(section.type)) {
      const elf::SymbolTable symbols = symbols_for(file, section);
      for (const elf::InfoRecord &record : elf::decode_info(section.data).records) {
        Attribute &attribute = add_attribute(section, record, out);
        attribute.name = elf::kInfoAttributeNames.name_of(attribute.code).value_or("");
        attribute.values = values_of(record, file, symbols);
      }
    } else if (section.type == elf::SectionType::CudaCompat) {
      for (const elf::CompatRecord &record : elf::decode_compat(section.data).records) {
        Attribute &attribute = add_attribute(section, record, out);
        attribute.name = elf::kCompatAttributeNames.name_of(attribute.code).value_or("");
        if (const std::optional<u64> number = elf::compat_number(record))
          attribute.values = {{Value::Kind::Number, "value", *number, {}}};
      }
    }
  }

private:
  // Fills the members that all kinds of records have.
  template <typename Record>
  Attribute &add_attribute(const elf::Section &section, const Record &record,
                           std::vector<Attribute> &out) const {
    out.push_back({.section = section.index,
                   .function = sections[section.index].function,
                   .offset = record.offset,
                   .code = static_cast<u8>(record.attribute),
                   .format = static_cast<u8>(record.format),
                   .payload = record.payload});
    return out.back();
  }

  void read_header() {
    const elf::FileHeader &from = file.header();
    const arch::FileTarget target = arch::target_of(file);
    header.type = from.type;
    header.elf_class = from.elf_class();
    header.abi_version = from.ident[elf::kIdentAbiVersion];
    header.flags = from.flags;
    header.target = target.name;
    header.sm = target.flags.sm;
    header.virtual_sm = target.flags.virtual_sm;
    header.mercury = std::ranges::any_of(file.sections(), &elf::Section::is_mercury);
    for_each_note([this](const elf::Section &, const elf::Note &note) {
      if (note.type != elf::kNoteCudaInfo || note.name != elf::kNoteOwner)
        return;
      const Result<elf::CudaInfo> info = elf::read_cuda_info(note);
      if (!info)
        return;
      header.virtual_sm = info->virtual_arch;
    });
    header.toolkit = inspect::toolkit_of(file);
  }

  std::optional<MappedFile> mapping_; // the bytes of the view, unless the caller owns them

public:
  elf::ElfView file;
  Header header;
  std::vector<Section> sections;
};

CubinReader::CubinReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CubinReader::~CubinReader() = default;
CubinReader::CubinReader(CubinReader &&) noexcept = default;
CubinReader &CubinReader::operator=(CubinReader &&) noexcept = default;

Result<CubinReader> CubinReader::open(ByteSpan bytes, std::string_view name) {
  return with_file(Impl::open(std::nullopt, bytes), name);
}

Result<CubinReader> CubinReader::open_file(const std::string &path) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file)
    return with_file<CubinReader>(file.error(), path);
  const ByteSpan bytes = file->bytes();
  return with_file(Impl::open(std::move(*file), bytes), path);
}

const CubinReader::Header &CubinReader::header() const {
  return impl_->header;
}

const std::vector<CubinReader::Section> &CubinReader::sections() const {
  return impl_->sections;
}

const CubinReader::Section *CubinReader::find_section(std::string_view name) const {
  const elf::Section *section = impl_->file.find(name);
  return section ? &impl_->sections[section->index] : nullptr;
}

std::vector<CubinReader::Symbol> CubinReader::symbols() const {
  return public_symbols(impl_->file, impl_->file.symbols());
}

std::vector<CubinReader::Symbol> CubinReader::symbols(const Section &table) const {
  const elf::Section *own = impl_->own(table);
  if (!own || !elf::is_symbol_table(own->type))
    return {};
  return public_symbols(impl_->file, impl_->file.symbols(*own));
}

std::vector<CubinReader::Relocation> CubinReader::relocations() const {
  std::vector<Relocation> out;
  for (const elf::Section &section : impl_->file.sections())
    if (elf::is_relocation_table(section.type))
      impl_->add_relocations(section, out);
  return out;
}

std::vector<CubinReader::Relocation> CubinReader::relocations(const Section &table) const {
  std::vector<Relocation> out;
  if (const elf::Section *own = impl_->own(table); own && elf::is_relocation_table(own->type))
    impl_->add_relocations(*own, out);
  return out;
}

std::vector<CubinReader::Attribute> CubinReader::attributes() const {
  std::vector<Attribute> out;
  for (const elf::Section &section : impl_->file.sections())
    impl_->add_attributes(section, out);
  return out;
}

std::vector<CubinReader::Attribute> CubinReader::attributes(const Section &section) const {
  std::vector<Attribute> out;
  if (const elf::Section *own = impl_->own(section))
    impl_->add_attributes(*own, out);
  return out;
}

std::vector<CubinReader::Note> CubinReader::notes() const {
  std::vector<Note> out;
  impl_->for_each_note([&](const elf::Section &section, const elf::Note &note) {
    out.push_back({section.index, note.type, note.owner(), note.desc});
  });
  return out;
}

std::vector<CubinReader::Tool> CubinReader::tools() const {
  std::vector<Tool> out;
  impl_->for_each_note([&](const elf::Section &, const elf::Note &note) {
    if (note.type != elf::kNoteToolkitInfo || note.name != elf::kNoteOwner)
      return;
    const Result<elf::ToolkitInfo> info = elf::decode_toolkit_info(note.desc);
    if (info) // otherwise it has a later version
      out.push_back({info->object, info->tool, info->tool_version, info->build, info->options});
  });
  return out;
}

ModuleUsage CubinReader::usage() const {
  return inspect::collect_usage(impl_->file);
}

} // namespace culink
