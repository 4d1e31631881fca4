// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Headers of regular files. The rules are heuristics: a wrong one adds a line to the document, but
// never changes a byte of the file.
//
// A section's name nearly determines its header: .rela.text.f is a relocation table for .text.f
// with the symbols of .symtab. Only differences are written, which keeps documents short and
// editable, without links to renumber. The rules are those of ptxas and nvlink 13.0; for a file
// that follows other rules (an old ABI, another tool) the fields are written out.
//
// A Mercury counterpart .nv.merc.X has the header of X, with the Mercury flag, its own symbol
// table, and types of its own for tables. Its code is not .nv.merc.text.f but .nv.capmerc.text.f.
#include "yaml/headers.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "elf/codec.h"
#include "elf/elf_view.h"
#include "elf/header_fields.h"
#include "elf/header_rules.h"
#include "elf/names.h"
#include "elf/target/arch.h"
#include "elf/target/elf_flags.h"
#include "support/bytes.h"
#include "yaml/document/byte_lines.h"
#include "yaml/document/values.h"
#include "yaml/records.h"
#include "yaml/row_io.h"

namespace culink::text {

using elf::ElfClass;
using elf::FileHeader;
using elf::SectionRole;
using elf::SectionType;
using elf::Segment;

namespace {

constexpr std::string_view kMercury = ".nv.merc"; // the counterpart's name follows, with its dot
constexpr std::string_view kCapmerc = ".nv.capmerc";
constexpr std::string_view kMercurySymtab = ".nv.merc.symtab";

struct RelocationPrefix {
  std::string_view prefix;
  SectionType type;
};
// Longest first: .rela.x must not be taken for the .rel section of a section named a.x.
constexpr std::array<RelocationPrefix, 3> kRelocationPrefixes{{
    {".nv.resolvedrela", SectionType::CudaResolvedRela},
    {".rela", SectionType::Rela},
    {".rel", SectionType::Rel},
}};

const RelocationPrefix *relocation_prefix(std::string_view name) {
  for (const RelocationPrefix &row : kRelocationPrefixes)
    if (name.starts_with(row.prefix) && name.substr(row.prefix.size()).starts_with('.') &&
        name != ".rel.action")
      return &row;
  return nullptr;
}

SectionType type_from_rules(std::string_view name, bool plain) {
  const elf::SectionNameRule *rule = elf::find_name_rule(name);
  if (!rule || plain)
    return rule ? rule->plain_type : SectionType::Progbits;
  if (rule->match != elf::NameMatch::Numbered)
    return rule->type;
  const u8 bank = elf::classify_section(name, rule->type, 0).bank;
  return static_cast<SectionType>(static_cast<u32>(SectionType::CudaConstantB0) + bank);
}

std::string text_of(std::string_view owner, bool mercury) {
  return std::string(mercury ? ".nv.capmerc.text." : ".text.") + std::string(owner);
}

// Returns the target section of a relocation table.
std::string relocation_target(std::string_view name, bool mercury) {
  if (mercury && !name.starts_with(kMercury)) // only the type marks it as Mercury
    return {};
  if (mercury)
    name.remove_prefix(kMercury.size());
  const RelocationPrefix *row = relocation_prefix(name);
  if (!row)
    return {};
  const std::string_view target = name.substr(row->prefix.size());
  if (!mercury)
    return std::string(target);
  return std::string(target.starts_with(".text.") ? kCapmerc : kMercury) + std::string(target);
}

// Returns the section that sh_info refers to.
std::string info_section(const elf::HeaderRule &rule, std::string_view name,
                         const elf::SectionKind &kind, const FileFacts &file) {
  switch (rule.info) {
  case elf::HeaderInfo::OwnerText: // memory of Mercury code states its owner
    return kind.owner.empty() ? std::string()
                              : text_of(kind.owner, kind.mercury && kind.role == SectionRole::Info);
  case elf::HeaderInfo::Target:
    return relocation_target(name, kind.mercury);
  case elf::HeaderInfo::CompatOrNot:
    return file.has_compat ? ".nv.compat" : "";
  default:
    return {};
  }
}

// By HeaderLink.
constexpr std::array<std::string_view, 4> kLinks = {"", ".strtab", ".symtab", ".note.nv.tkinfo"};

} // namespace

SectionType default_section_type(std::string_view name, elf::FileType file) {
  if (name.empty())
    return SectionType::Null;
  if (name.starts_with(kCapmerc) && name.substr(kCapmerc.size()).starts_with('.'))
    return SectionType::CudaCapmerc;
  if (name.starts_with(kMercury) && name.substr(kMercury.size()).starts_with('.'))
    return elf::mercury_type(
        default_section_type(name.substr(kMercury.size()), elf::FileType::Relocatable));
  if (const RelocationPrefix *row = relocation_prefix(name))
    return row->type;
  return type_from_rules(name, file == elf::FileType::Executable);
}

SectionDefaults section_defaults(std::string_view name, SectionType type, const FileFacts &file) {
  const elf::SectionKind kind = elf::classify_section(name, type, 0);
  SectionDefaults out;
  if (kind.mercury)
    out.flags = elf::kFlagMercury;
  const elf::HeaderRule *rule = elf::find_header_rule(kind.role);
  if (!rule)
    return out;
  out.align = rule->align;
  out.entsize = rule->entsize;
  if (const bool symbols = kind.role == SectionRole::SymbolTable;
      file.elf_class == elf::ElfClass::Elf32 && (symbols || kind.is_relocations())) {
    out.align = 4;
    out.entsize = symbols
                      ? elf::symbol_entry_size(file.elf_class)
                      : elf::relocation_entry_size(file.elf_class, kind.role != SectionRole::Rel);
  }
  out.link = kind.mercury && rule->link == elf::HeaderLink::Symbols
                 ? kMercurySymtab
                 : kLinks[static_cast<u8>(rule->link)];
  out.info_section = info_section(*rule, name, kind, file);
  if (rule->info == elf::HeaderInfo::Function)
    out.info_symbol = kind.owner;
  const bool links = rule->info == elf::HeaderInfo::Target || !out.info_section.empty();
  out.flags |= rule->flags | (links ? elf::kFlagInfoLink : 0);
  return out;
}

// ---- The exact form -----------------------------------------------------------------------------

namespace {

namespace wire = elf::wire;

constexpr u64 kMaxAlign = u64{1} << 32;

// The numbers in a file header that a document may state.
template <class Io> void fields(Io &io, FileHeader &header, const FileHeader &usual) {
  const auto ident = [&](elf::FieldKey key, u32 at) {
    io.number(key, header.ident[at], unless(usual.ident[at]));
  };
  const auto number = [&](elf::FieldKey key, auto member) {
    io.number(key, header.*member, unless(usual.*member));
  };
  ident("ident_version", elf::kIdentVersion);
  ident("os_abi", elf::kIdentOsAbi);
  ident("abi_version", elf::kIdentAbiVersion);
  number("machine", &FileHeader::machine);
  number("version", &FileHeader::version);
  number("entry", &FileHeader::entry);
  number("phoff", &FileHeader::phoff);
  number("shoff", &FileHeader::shoff);
  number("flags", &FileHeader::flags);
  number("ehsize", &FileHeader::ehsize);
  number("phentsize", &FileHeader::phentsize);
  number("phnum", &FileHeader::phnum);
  number("shentsize", &FileHeader::shentsize);
  number("shnum", &FileHeader::shnum);
  number("shstrndx", &FileHeader::shstrndx);
}

template <class Io> void fields(Io &io, RawSection &section, const RawSection &usual) {
  io.number("name_at", section.name_offset, unless(usual.name_offset));
  io.word("type", Words::SectionType, section.type, usual.type);
  io.word("flags", Words::SectionFlags, section.flags, usual.flags);
  io.number("addr", section.addr, unless(usual.addr));
  io.number("offset", section.offset, unless(usual.offset));
  io.number("size", section.size, unless(usual.size));
  io.reference("link", section.link, usual.link);
  io.number("info", section.info, unless(usual.info));
  io.number("align", section.align, unless(usual.align));
  io.number("entsize", section.entsize, unless(usual.entsize));
}

// The fields of a segment that its covered sections do not determine.
template <class Io> void fields(Io &io, Segment &segment, u64 usual_memsz) {
  io.number("memsz", segment.memsz, unless(usual_memsz));
  io.number("vaddr", segment.vaddr, unless(0));
  io.number("paddr", segment.paddr, unless(0));
  io.number("align", segment.align, unless(8));
}

// Section 0 of a regular file.
RawSection null_section(const FileFacts &facts) {
  RawSection out;
  if (facts.section_count >= elf::kSectionLoReserve)
    out.size = facts.section_count;
  if (facts.name_section >= elf::kSectionLoReserve)
    out.link = facts.name_section;
  return out;
}

constexpr std::string_view kIdentPadding = "ident_padding";
constexpr u32 kIdentPaddingStart = 9;
constexpr u32 kIdentSize = 16;

// The range that a segment covers from one section to a later one. nvlink's rule: in memory,
// sections without data follow the file's part.
class Extent {
public:
  explicit Extent(u64 start) : start_(start) {}

  void add(const RawSection &s) {
    end_ = s.offset;
    if (!elf::has_no_file_data(s.type)) {
      end_ += s.size;
    } else if (s.size <= kMaxImageBytes) {
      const bool aligned = is_power_of_two(s.align) && s.align < kMaxAlign;
      stacked_ = align_up(stacked_, aligned ? s.align : 1) + s.size;
    }
  }
  [[nodiscard]] bool valid() const { return end_ >= start_; }
  [[nodiscard]] u64 filesz() const { return end_ - start_; }
  [[nodiscard]] u64 memsz() const { return filesz() + stacked_; }

private:
  u64 start_;
  u64 end_ = 0;
  u64 stacked_ = 0;
};

// Returns the last section of a segment that begins with `first`: one that matches its sizes in
// file and memory, or at least in the file.
std::optional<u32> last_covered(const Segment &segment, const std::vector<RawSection> &sections,
                                u32 first) {
  std::optional<u32> best;
  Extent extent(segment.offset);
  for (u32 i = first; i < sections.size() && (sections[i].flags & elf::kFlagAlloc) != 0; ++i) {
    extent.add(sections[i]);
    if (!extent.valid() || extent.filesz() != segment.filesz)
      continue;
    best = i;
    if (extent.memsz() == segment.memsz)
      break;
  }
  return best;
}

std::optional<std::pair<u32, u32>> covered_sections(const Segment &segment,
                                                    const SegmentContext &context) {
  constexpr u32 kTries = 4; // sections may share an offset; enough for empty ones before the first
  u32 tries = 0;
  for (u32 first = 1; first < context.sections.size() && tries < kTries; ++first) {
    const RawSection &s = context.sections[first];
    if (s.offset != segment.offset || (s.flags & elf::kFlagAlloc) == 0)
      continue;
    ++tries;
    if (const std::optional<u32> last = last_covered(segment, context.sections, first))
      return std::pair{first, *last};
  }
  return std::nullopt;
}

std::optional<Extent> extent_of(const SegmentContext &context, u32 first, u32 last) {
  if (first > last || last >= context.sections.size())
    return std::nullopt;
  Extent out(context.sections[first].offset);
  for (u32 i = first; i <= last; ++i)
    out.add(context.sections[i]);
  return out.valid() ? std::optional<Extent>(out) : std::nullopt;
}

} // namespace

RawSection raw_section(const elf::ElfView &file, u32 index) {
  const ElfClass elf_class = file.header().elf_class();
  const u8 *at = file.file().data() + file.header().shoff + index * section_header_size(elf_class);
  return elf_class == ElfClass::Elf64 ? elf::widen_section(load_le<wire::Shdr64>(at), index, {})
                                      : elf::widen_section(load_le<wire::Shdr32>(at), index, {});
}

bool store_header(u8 *out, const FileHeader &header) {
  return header.elf_class() == ElfClass::Elf64 ? elf::store_header<wire::Ehdr64>(out, header)
                                               : elf::store_header<wire::Ehdr32>(out, header);
}
bool store_header(u8 *out, const RawSection &section, ElfClass elf_class) {
  return elf_class == ElfClass::Elf64 ? elf::store_header<wire::Shdr64>(out, section)
                                      : elf::store_header<wire::Shdr32>(out, section);
}
bool store_header(u8 *out, const Segment &segment, ElfClass elf_class) {
  return elf_class == ElfClass::Elf64 ? elf::store_header<wire::Phdr64>(out, segment)
                                      : elf::store_header<wire::Phdr32>(out, segment);
}

u64 file_header_size(ElfClass elf_class) {
  return elf_class == ElfClass::Elf64 ? sizeof(wire::Ehdr64) : sizeof(wire::Ehdr32);
}
u64 section_header_size(ElfClass elf_class) {
  return elf_class == ElfClass::Elf64 ? sizeof(wire::Shdr64) : sizeof(wire::Shdr32);
}
u64 segment_header_size(ElfClass elf_class) {
  return elf_class == ElfClass::Elf64 ? sizeof(wire::Phdr64) : sizeof(wire::Phdr32);
}

u32 default_first_global(const std::vector<elf::Symbol> &symbols) {
  for (std::size_t i = symbols.size(); i > 0; --i) {
    const elf::Symbol &s = symbols[i - 1];
    if (s.binding() == elf::SymbolBinding::Local ||
        (s.binding() == elf::SymbolBinding::Weak && !s.undefined()))
      return static_cast<u32>(i);
  }
  return 0;
}

std::vector<u8> extended_indices(const std::vector<elf::Symbol> &symbols) {
  std::vector<u8> out;
  for (const elf::Symbol &symbol : symbols)
    elf::append_le<u32>(out, symbol.raw_section == elf::kSectionXindex ? symbol.section : 0);
  return out;
}

bool is_content_key(std::string_view key) {
  constexpr std::array<std::string_view, 7> kKeys = {"strings", "symbols", "indices", "relocs",
                                                     "code",    "data",    "raw"};
  return is_record_key(key) || std::ranges::find(kKeys, key) != kKeys.end();
}

Node describe_null_section(RawSection section, const FileFacts &facts, const NameIndex &names) {
  Node out = Node::map(Node::Style::Flow);
  RowWriter io{out, names};
  fields(io, section, null_section(facts));
  return out;
}

RawSection read_null_section(const MapReader &map, const FileFacts &facts, const NameIndex &names,
                             Complaints &complaints) {
  RawSection out;
  RowReader io{map, names, complaints};
  fields(io, out, null_section(facts));
  return out;
}

u64 FileCursor::aligned(u64 align) const {
  return is_power_of_two(align) && align <= kMaxAlign ? align_up(end_, align) : end_;
}

std::optional<u32> default_flags(std::string_view arch_name, u32 cuinfo_section) {
  const arch::ArchInfo *row = arch::find_arch(arch_name);
  if (!row)
    return std::nullopt;
  arch::ElfTarget target;
  target.sm = static_cast<u8>(row->number);
  target.code_kind = static_cast<u8>(row->code_kind);
  target.cuinfo_section = static_cast<u8>(std::min<u32>(cuinfo_section, 0xff));
  return arch::encode_elf_flags(target);
}

FileHeader default_header(const FileFacts &facts) {
  FileHeader out;
  std::memcpy(out.ident, elf::kElfMagic, sizeof(elf::kElfMagic));
  out.ident[elf::kIdentClass] = static_cast<u8>(facts.elf_class);
  out.ident[elf::kIdentData] = elf::kDataLittleEndian;
  out.ident[elf::kIdentVersion] = 1;
  out.ident[elf::kIdentOsAbi] = elf::kOsAbiCuda;
  out.ident[elf::kIdentAbiVersion] = arch::kAbiVersion;
  out.type = facts.type;
  out.machine = elf::kMachineCuda;
  out.version = 1;
  out.flags = default_flags(facts.arch, facts.cuinfo_section).value_or(0);
  out.ehsize = static_cast<u16>(file_header_size(facts.elf_class));
  out.shentsize = static_cast<u16>(section_header_size(facts.elf_class));
  u64 end = facts.data_end;
  if (facts.section_count != 0) {
    out.shoff = align_up(end, facts.elf_class == ElfClass::Elf64 ? 8 : 4);
    end = out.shoff + facts.section_count * section_header_size(facts.elf_class);
    out.shnum =
        static_cast<u16>(facts.section_count < elf::kSectionLoReserve ? facts.section_count : 0);
    out.shstrndx = static_cast<u16>(
        facts.name_section < elf::kSectionLoReserve ? facts.name_section : elf::kSectionXindex);
  }
  if (facts.segment_count != 0) {
    out.phoff = end;
    out.phnum = static_cast<u16>(facts.segment_count);
    out.phentsize = static_cast<u16>(segment_header_size(facts.elf_class));
  }
  return out;
}

u64 file_end(const FileHeader &header, const FileFacts &facts) {
  u64 end = facts.data_end;
  if (facts.section_count != 0)
    end = std::max(end, header.shoff + facts.section_count * section_header_size(facts.elf_class));
  if (facts.segment_count != 0)
    end = std::max(end, header.phoff + facts.segment_count * segment_header_size(facts.elf_class));
  return end;
}

Node describe_header(FileHeader header, const FileHeader &otherwise) {
  Node out = Node::map(Node::Style::Flow);
  RowWriter io{out, NameIndex()};
  fields(io, header, otherwise);
  const ByteSpan padding = ByteSpan(header.ident).subspan(kIdentPaddingStart);
  if (!std::ranges::equal(padding, ByteSpan(otherwise.ident).subspan(kIdentPaddingStart)))
    out.set(kIdentPadding, hex_string(padding));
  return out;
}

void read_header(const Node &node, FileHeader &header, Complaints &complaints) {
  const FileHeader usual = header;
  RowKeys known;
  fields(known, header, usual);
  known.keys.push_back(kIdentPadding);
  const MapReader map(node, known.keys, complaints);
  RowReader io{map, NameIndex(), complaints};
  fields(io, header, usual);
  if (const Node *item = map.find(kIdentPadding)) {
    const std::vector<u8> bytes = read_data(*item, complaints);
    if (bytes.size() != kIdentSize - kIdentPaddingStart)
      complaints.add(*item, "seven bytes are needed here");
    else
      std::memcpy(header.ident + kIdentPaddingStart, bytes.data(), bytes.size());
  }
}

Node describe_segment(Segment segment, const SegmentContext &context) {
  Node out = Node::map(Node::Style::Flow);
  out.set("type", words_of(Words::SegmentType, segment.type));
  out.set("flags", words_of(Words::SegmentFlags, segment.flags));
  u64 memsz = segment.filesz;
  if (segment.offset == context.table_offset && segment.filesz == context.table_size) {
    out.set("over", "headers");
  } else if (const auto range =
                 context.ranges ? covered_sections(segment, context) : std::nullopt) {
    Node over = Node::sequence(Node::Style::Flow);
    over.add(context.names.reference(range->first));
    over.add(context.names.reference(range->second));
    out.set("over", std::move(over));
    memsz = extent_of(context, range->first, range->second)->memsz();
  } else {
    out.set("offset", hexadecimal(segment.offset));
    out.set("filesz", hexadecimal(segment.filesz));
  }
  RowWriter io{out, context.names};
  fields(io, segment, memsz);
  return out;
}

Segment read_segment(const Node &node, const SegmentContext &context, Complaints &complaints) {
  constexpr std::string_view kKeys[] = {"type",  "flags", "over",  "offset", "filesz",
                                        "memsz", "vaddr", "paddr", "align"};
  const MapReader row(node, kKeys, complaints);
  Segment out;
  read_words(Words::SegmentType, row.find("type"), out.type, complaints);
  read_words(Words::SegmentFlags, row.find("flags"), out.flags, complaints);
  out.offset = row.number("offset", 0);
  out.filesz = row.number("filesz", 0);
  u64 memsz = out.filesz;
  const Node *over = row.find("over");
  if (over && over->is_scalar() && over->text == "headers") {
    out.offset = context.table_offset;
    out.filesz = memsz = context.table_size;
  } else if (over && over->is_sequence() && over->items.size() == 2 && context.ranges) {
    const u32 first = context.names.resolve(over->items[0], complaints);
    const u32 last = context.names.resolve(over->items[1], complaints);
    if (const std::optional<Extent> e = extent_of(context, first, last)) {
      out.offset = context.sections[first].offset;
      out.filesz = e->filesz();
      memsz = e->memsz();
    } else {
      complaints.add(*over, "these sections do not follow each other in the file");
    }
  } else if (over) {
    complaints.add(*over, context.ranges
                              ? "`headers` or [first section, last section] is needed here"
                              : fmt::format("only `headers` in a file with more than {} segments; "
                                            "write offset and filesz",
                                            kMaxRangedSegments));
  }
  RowReader io{row, context.names, complaints};
  fields(io, out, memsz);
  return out;
}

Node describe_patches(ByteSpan file, ByteSpan image) {
  constexpr u64 kJoin = 16; // differences closer than this are merged
  const auto same = [&](u64 i) { return i < image.size() && file[i] == image[i]; };
  Node list = Node::sequence();
  for (u64 at = 0; at < file.size();) {
    if (same(at)) {
      ++at;
      continue;
    }
    u64 end = at + 1;
    for (u64 i = end; i < file.size() && i < end + kJoin; ++i)
      if (!same(i))
        end = i + 1;
    Node item = Node::map(Node::Style::Flow);
    item.set("at", hexadecimal(at));
    item.set("hex", hex_string(file.subspan(at, end - at)));
    list.add(std::move(item));
    at = end;
  }
  return list;
}

} // namespace culink::text
