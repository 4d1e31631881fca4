// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list for `cubin list` and `cubin extract`: every member of every fatbin in every section and
// archive member, whether it can be linked or not. Unreadable parts are reported, and the rest is
// listed.
//
// What may surprise: a linked program has its fatbins in .nv_fatbin; an object before its device
// link has them in __nv_relfatbin. The object that a device link adds may have both sections. So
// may a program, since the host linker keeps sections that it does not know. So linked code is
// listed first.
#include "input/find_code.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "elf/elf_view.h"
#include "elf/target/elf_flags.h"
#include "input/archive.h"
#include "input/file_kind.h"
#include "input/host_object.h"
#include "support/bytes.h"

namespace culink {

// ---- Code in data
//
// Libraries that choose their kernels themselves keep fatbins as plain data, without a telling
// section name: libcufft has tens of thousands in .ldata. They are found by their first word. Data
// may contain that word by chance, so a container is only accepted if all its headers are valid and
// its payloads begin as their kind requires, and a cubin only if its tables and sections lie inside
// the data.
//
// Hostile data could have plausible headers everywhere, each with a long chain to check. So the
// number of candidates that turn out to be false is limited.

namespace {

constexpr u32 kElfWord = 0x464c457f;
constexpr u32 kZstdWord = 0xfd2fb528;
constexpr u64 kWordsAtOnce = 16;
constexpr u32 kMostFalse = 256;
constexpr u64 kScannedAtOnce = u64{8} << 20;

bool is_first_word(u32 word) {
  return word == kFatbinMagic || word == kElfWord;
}

// Returns the offset of the next word that may begin a header, or the size of the data. Words are
// compared in groups of a fixed size, which compilers vectorise.
u64 next_candidate(ByteSpan data, u64 at) {
  const u64 group = kWordsAtOnce * sizeof(u32);
  for (; at + group <= data.size(); at += group) {
    u32 hits = 0;
    for (u64 i = 0; i < kWordsAtOnce; ++i) {
      const u32 word = load_le<u32>(data.data() + at + i * sizeof(u32));
      hits |= static_cast<u32>(word == kFatbinMagic) | static_cast<u32>(word == kElfWord);
    }
    if (hits != 0)
      break;
  }
  for (; at + sizeof(u32) <= data.size(); at += sizeof(u32))
    if (is_first_word(load_le<u32>(data.data() + at)))
      return at;
  return data.size();
}

// Quick check of a candidate: the second half of a container's first 8 bytes never varies.
bool resembles_header(ByteSpan data, u64 offset) {
  constexpr u32 kVersionAndSize = 0x00100001;
  constexpr u64 kFieldOffset = 18;
  return load_le<u32>(data.data() + offset) == kFatbinMagic
             ? load_at<u32>(data, offset + 4) == kVersionAndSize
             : load_at<u16>(data, offset + kFieldOffset) == elf::kMachineCuda;
}

bool begins_as_said(const FatbinEntry &entry) {
  const std::optional<u32> first = load_at<u32>(entry.payload, 0);
  if (entry.compression == Compression::Zstd)
    return entry.has(FatbinFlags::kScrambled) || first == kZstdWord;
  return entry.compression != Compression::Unknown &&
         (entry.compression != Compression::None || entry.kind != FatbinKind::Elf ||
          first == kElfWord);
}

std::optional<CodeInData> container_at(ByteSpan data, u64 offset) {
  Result<FatbinContainer> container = read_fatbin_at(data, offset);
  if (!container || container->entries.empty() ||
      !std::ranges::all_of(container->entries, begins_as_said))
    return std::nullopt;
  const ByteSpan bytes = data.subspan(offset, container->end - offset);
  return CodeInData{bytes, std::move(*container)};
}

std::optional<CodeInData> cubin_at(ByteSpan data, u64 offset) {
  const ByteSpan rest = data.subspan(offset);
  const Result<elf::ElfView> view = elf::ElfView::open_sections(rest);
  if (!view || view->sections().empty())
    return std::nullopt;
  const elf::FileHeader &header = view->header();
  u64 end = std::max(header.shoff + u64{header.section_count} * header.shentsize,
                     header.phoff + u64{header.phnum} * header.phentsize);
  for (const elf::Section &section : view->sections())
    if (!section.data.empty())
      end = std::max(end, section.offset + section.data.size());
  const std::optional<ByteSpan> bytes = slice(rest, 0, end);
  return bytes ? std::optional(CodeInData{*bytes, std::nullopt}) : std::nullopt;
}

bool is_fatbin_section(std::string_view name) {
  return name == ".nv_fatbin" || name == "__nv_relfatbin";
}

} // namespace

std::vector<CodeInData> scan_data(ByteSpan data, const PageRelease &release) {
  std::vector<CodeInData> out;
  u64 released = 0;
  u32 false_ones = 0;
  for (u64 at = 0; at < data.size();) {
    const u64 stop = std::min<u64>(data.size(), released + kScannedAtOnce);
    at = at < stop ? next_candidate(data.first(stop), at) : at;
    if (at >= stop) {
      if (release)
        release(data.subspan(released, stop - released));
      released = stop;
      continue;
    }
    std::optional<CodeInData> found;
    if (resembles_header(data, at) && false_ones < kMostFalse) {
      found = load_le<u32>(data.data() + at) == kFatbinMagic ? container_at(data, at)
                                                             : cubin_at(data, at);
      false_ones += found ? 0 : 1;
    }
    at = found ? align_up(at + found->bytes.size(), sizeof(u32)) : at + sizeof(u32);
    if (found)
      out.push_back(std::move(*found));
  }
  return out;
}

// ---- Code in files

namespace {

constexpr std::string_view kWholeFile = "file";
constexpr u64 kReleasedAtOnce = u64{8} << 20;

std::string target_of_cubin(ByteSpan bytes) {
  const Result<elf::ElfView> view = elf::ElfView::open_tolerant(bytes);
  return view ? arch::target_of(*view).name : "";
}

// Returns the word after .target.
std::string target_of_ptx(std::string_view text) {
  const size_t at = text.find(".target");
  if (at == std::string_view::npos)
    return "";
  text.remove_prefix(at + std::string_view(".target").size());
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos || !text.substr(begin).starts_with("sm_"))
    return "";
  text.remove_prefix(begin + 3);
  return fmt::format("compute_{}", text.substr(0, text.find_first_not_of("0123456789af")));
}

// A part of a host file that is loaded as data: a section, or a segment if the file has no
// sections.
struct LoadedData {
  std::string_view name;
  ByteSpan bytes;
};

// Files without a section table.
std::vector<LoadedData> loaded_segments(ByteSpan file) {
  std::vector<LoadedData> out;
  const Result<elf::ElfView> view = elf::ElfView::open_tolerant(file);
  if (!view)
    return out;
  for (const elf::Segment &segment : view->segments()) {
    const std::optional<ByteSpan> bytes = slice(file, segment.offset, segment.filesz);
    if (segment.type == elf::SegmentType::Load && bytes)
      out.push_back({"segment", *bytes});
  }
  return out;
}

// Returns the loaded parts of a host file that are neither code nor sections for fatbins.
std::vector<LoadedData> loaded_data(ByteSpan file) {
  const Result<elf::ElfView> view = elf::ElfView::open_sections(file);
  if (!view || view->sections().empty())
    return loaded_segments(file);
  std::vector<LoadedData> out;
  for (const elf::Section &section : view->sections())
    if ((section.flags & elf::kFlagAlloc) != 0 && (section.flags & elf::kFlagExec) == 0 &&
        !section.data.empty() && !is_fatbin_section(section.name))
      out.push_back({section.name, section.data});
  return out;
}

class CodeFinder {
public:
  CodeFinder(const std::string &path, const PageRelease &release)
      : path_(path), release_(release) {}

  CodeInFile run(ByteSpan bytes) {
    out_.kind = file_kind(bytes);
    look_into(bytes, "");
    if (out_.kind == FileKind::HostImage)
      mark_leftovers();
    return std::move(out_);
  }

private:
  void look_into(ByteSpan bytes, const std::string &member);
  void look_into_host_file(ByteSpan bytes, const std::string &member);
  void look_into_archive(ByteSpan bytes);
  void look_into_data(ByteSpan bytes, const std::string &member);
  void add_fatbins(ByteSpan bytes, const FoundCode &where);
  void add_fatbin(const FatbinContainer &container, ByteSpan bytes, const FoundCode &where);
  void mark_leftovers();
  void add(FoundCode code) {
    code.number = static_cast<u32>(out_.code.size() + 1);
    out_.code.push_back(std::move(code));
  }
  void report(const std::string &member, Error error) {
    if (!member.empty())
      error.place = error.place.empty() ? member : fmt::format("{}, {}", member, error.place);
    out_.problems.push_back(std::move(error));
  }

  const std::string &path_;
  const PageRelease &release_;
  CodeInFile out_;
};

void CodeFinder::look_into(ByteSpan bytes, const std::string &member) {
  switch (file_kind(bytes)) {
  case FileKind::DeviceObject:
  case FileKind::DeviceImage:
    add({.target = target_of_cubin(bytes),
         .member = member,
         .place = kWholeFile,
         .linkable = file_kind(bytes) == FileKind::DeviceObject,
         .bytes = bytes});
    break;
  case FileKind::HostObject:
  case FileKind::HostImage:
    look_into_host_file(bytes, member);
    break;
  case FileKind::Fatbin:
    add_fatbins(bytes, {.member = member, .place = "fatbin"});
    break;
  case FileKind::Archive:
    if (member.empty())
      look_into_archive(bytes);
    else
      report(member, {"", "", "archives inside archives are not read"});
    break;
  case FileKind::Ptx:
    add({.form = FoundCode::Form::Ptx,
         .target = target_of_ptx(as_text(bytes)),
         .member = member,
         .place = kWholeFile,
         .bytes = bytes});
    break;
  case FileKind::LtoIr:
    add({.form = FoundCode::Form::Lto, .member = member, .place = kWholeFile, .bytes = bytes});
    break;
  case FileKind::Unknown:
  case FileKind::Count_:
    if (member.empty())
      report(member, {"", "", "not a known kind of file with device code"});
    break;
  }
}

void CodeFinder::look_into_host_file(ByteSpan bytes, const std::string &member) {
  const Result<HostObject> object = read_host_object(bytes);
  if (!object)
    return report(member, object.error());
  for (const ByteSpan fatbins : object->finished)
    add_fatbins(fatbins, {.member = member, .place = ".nv_fatbin"});
  look_into_data(bytes, member);
  for (const ByteSpan fatbins : object->linkable)
    add_fatbins(fatbins, {.member = member, .place = "__nv_relfatbin", .linkable = true});
}

void CodeFinder::look_into_data(ByteSpan bytes, const std::string &member) {
  for (const LoadedData &data : loaded_data(bytes))
    for (const CodeInData &found : scan_data(data.bytes, release_)) {
      FoundCode code{.member = member, .place = data.name, .in_data = true};
      if (found.container) {
        add_fatbin(*found.container, found.bytes, code);
        continue;
      }
      code.target = target_of_cubin(found.bytes);
      code.linkable = file_kind(found.bytes) == FileKind::DeviceObject;
      code.bytes = found.bytes;
      add(std::move(code));
    }
}

void CodeFinder::look_into_archive(ByteSpan bytes) {
  const Result<std::vector<ArchiveMember>> members = read_archive(bytes);
  if (!members)
    return report("", members.error());
  for (const ArchiveMember &member : *members) {
    if (!member.thin) {
      look_into(member.data, member.name);
      continue;
    }
    const std::string folder = path_.substr(0, path_.rfind('/') + 1);
    Result<MappedFile> file = MappedFile::open(
        member.name.starts_with('/') ? member.name : folder + member.name, FileType::Regular);
    if (file)
      look_into(out_.files.emplace_back(std::move(*file)).bytes(), member.name);
    else
      report(member.name, file.error());
  }
}

void CodeFinder::add_fatbins(ByteSpan bytes, const FoundCode &where) {
  u64 released = 0;
  for (u64 at = 0; at < bytes.size() || at == 0;) {
    const Result<FatbinContainer> container = read_fatbin_at(bytes, at);
    if (!container)
      return report(where.member, container.error());
    add_fatbin(*container, bytes.subspan(at, container->end - at), where);
    at = next_fatbin(bytes, container->end);
    if (release_ && (at - released >= kReleasedAtOnce || at == bytes.size()))
      release_(bytes.subspan(released, at - std::exchange(released, at)));
  }
}

void CodeFinder::add_fatbin(const FatbinContainer &container, ByteSpan bytes,
                            const FoundCode &where) {
  out_.fatbins.push_back(bytes);
  for (const FatbinEntry &entry : container.entries) {
    FoundCode code = where;
    code.form = form_of(entry.kind);
    code.target = target_name(entry);
    code.bytes = entry.payload;
    code.entry = entry;
    code.fatbin = static_cast<u32>(out_.fatbins.size());
    add(std::move(code));
  }
}

// A program keeps the input objects of its device link, which are never loaded: for instance the
// objects of libcudadevrt for all its targets.
void CodeFinder::mark_leftovers() {
  const bool linked = std::ranges::any_of(out_.code, [](const FoundCode &code) {
    return code.form == FoundCode::Form::Cubin && !code.linkable;
  });
  for (FoundCode &code : out_.code)
    code.leftover = code.linkable && linked;
}

struct FormNames {
  std::string_view name;
  std::string_view ending; // suffix of a file with such code
};

// In the order of FoundCode::Form.
constexpr std::array<FormNames, 4> kForms = {
    {{"cubin", "cubin"}, {"ptx", "ptx"}, {"lto", "ltoir"}, {"other", "bin"}}};

} // namespace

std::string_view FoundCode::form_name() const {
  return kForms[static_cast<size_t>(form)].name;
}

std::string FoundCode::name() const {
  return fmt::format("{}.{}{}{}", number, target, target.empty() ? "" : ".",
                     kForms[static_cast<size_t>(form)].ending);
}

bool FoundCode::is_called(std::string_view what) const {
  if (!member.empty() && what == member)
    return true;
  if (!member.empty() && what.starts_with(member) && what.substr(member.size()).starts_with(':'))
    what.remove_prefix(member.size() + 1);
  return what == name() || what == target || what == std::to_string(number);
}

CodeInFile find_code(const std::string &path, ByteSpan bytes, const PageRelease &release) {
  return CodeFinder(path, release).run(bytes);
}

Result<std::vector<u8>> unpack(const FoundCode &code) {
  if (code.entry)
    return unpack(*code.entry);
  return std::vector<u8>(code.bytes.begin(), code.bytes.end());
}

} // namespace culink
