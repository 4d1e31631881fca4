// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ELF notes. A note with missing or non-zero padding would not encode to the same bytes, so it and
// the rest are kept raw. The strings of a tkinfo descriptor are read at any offset, but only the
// layout that all tools write (in order, no gaps) is well-formed.
#include "elf/records/nv_notes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

#include "culink/elf_writer.h"
#include "elf/wire.h"
#include "support/bytes.h"

namespace culink::elf {

namespace {

constexpr u64 kNoteAlign = 4;
constexpr u64 kToolkitHeader = 24;
constexpr u64 kCudaInfoSize = 8;
constexpr u64 kCudaVersionSize = 12; // of version 1

bool all_zero(ByteSpan bytes) {
  return std::ranges::all_of(bytes, [](u8 byte) { return byte == 0; });
}

// Returns `size` bytes at `offset` if zeros follow up to the next multiple of 4; else nullopt.
std::optional<ByteSpan> padded(ByteSpan section, u64 offset, u64 size) {
  const std::optional<ByteSpan> whole = slice(section, offset, align_up(size, kNoteAlign));
  if (!whole || !all_zero(whole->subspan(size)))
    return std::nullopt;
  return whole->first(size);
}

void append_padded(std::vector<u8> &out, ByteSpan bytes) {
  append_bytes(out, bytes);
  out.resize(out.size() + align_up(bytes.size(), kNoteAlign) - bytes.size());
}

// Reads the note at `offset` into `section`. Returns its encoded size, or nullopt and a violation
// if there is no valid note.
std::optional<u64> read_note(ByteSpan bytes, u64 offset, NoteSection &section) {
  const auto refuse = [&](std::string message) {
    section.violations.push_back({offset, std::move(message)});
    return std::nullopt;
  };
  const std::optional<wire::Nhdr> header = load_at<wire::Nhdr>(bytes, offset);
  if (!header)
    return refuse(fmt::format("{} trailing bytes, a note header has 12", bytes.size() - offset));
  const u64 name_at = offset + sizeof(wire::Nhdr);
  const std::optional<ByteSpan> name = padded(bytes, name_at, header->n_namesz);
  if (!name)
    return refuse(fmt::format("a name of {} bytes is not inside the section with its zero padding",
                              header->n_namesz));
  const u64 desc_at = name_at + align_up(header->n_namesz, kNoteAlign);
  const std::optional<ByteSpan> desc = padded(bytes, desc_at, header->n_descsz);
  if (!desc)
    return refuse(
        fmt::format("a descriptor of {} bytes is not inside the section with its zero padding",
                    header->n_descsz));
  section.notes.push_back({header->n_type, as_text(*name), *desc, offset});
  return desc_at + align_up(header->n_descsz, kNoteAlign) - offset;
}

} // namespace

NoteSection decode_notes(ByteSpan section) {
  NoteSection out;
  u64 at = 0;
  while (at < section.size()) {
    const std::optional<u64> size = read_note(section, at, out);
    if (!size)
      break;
    at += *size;
  }
  out.rest = section.subspan(at);
  return out;
}

void append_note(std::vector<u8> &out, const Note &note) {
  append_le(out, wire::Nhdr{static_cast<u32>(note.name.size()), static_cast<u32>(note.desc.size()),
                            note.type});
  append_padded(out, as_bytes(note.name));
  append_padded(out, note.desc);
}

std::vector<u8> encode_notes(const NoteSection &section) {
  std::vector<u8> out;
  for (const Note &note : section.notes)
    append_note(out, note);
  append_bytes(out, section.rest);
  return out;
}

Result<ToolkitInfo> decode_toolkit_info(ByteSpan desc) {
  if (desc.size() < kToolkitHeader)
    return Error{
        "tkinfo", {}, fmt::format("a descriptor of {} bytes, at least 24 are needed", desc.size())};
  const ByteSpan strings = desc.subspan(kToolkitHeader);
  ToolkitInfo info;
  info.version = load_le<u32>(desc.data());
  const std::array fields = {&info.object, &info.tool, &info.tool_version, &info.build,
                             &info.options};
  for (size_t i = 0; i < fields.size(); ++i) {
    const u32 offset = load_le<u32>(desc.data() + 4 * (i + 1));
    const std::optional<std::string_view> text = c_string_at(strings, offset);
    if (!text)
      return Error{"tkinfo", fmt::format("string {}", i),
                   fmt::format("{:#x} lies outside the descriptor", offset)};
    *fields[i] = *text;
  }
  if (!std::ranges::equal(encode_toolkit_info(info), desc))
    return Error{"tkinfo", {}, "the strings are not in their usual order or have gaps"};
  return info;
}

std::vector<u8> encode_toolkit_info(const ToolkitInfo &info) {
  const std::array texts = {info.object, info.tool, info.tool_version, info.build, info.options};
  std::vector<u8> out;
  append_le(out, info.version);
  u32 offset = 0;
  for (const std::string_view text : texts) {
    append_le(out, offset);
    offset += static_cast<u32>(text.size()) + 1;
  }
  for (const std::string_view text : texts) {
    append_bytes(out, as_bytes(text));
    out.push_back(0);
  }
  out.resize(align_up(out.size(), kNoteAlign));
  return out;
}

u32 toolkit_of_version(std::string_view tool_version) {
  constexpr std::string_view kRelease = "release ";
  const u64 at = tool_version.find(kRelease);
  if (at == std::string_view::npos)
    return 0;
  const char *from = tool_version.data() + at + kRelease.size();
  const char *end = tool_version.data() + tool_version.size();
  u32 major = 0, minor = 0;
  const auto [dot, error] = std::from_chars(from, end, major);
  if (error != std::errc{} || major > 99 || dot == end || *dot != '.')
    return 0;
  if (std::from_chars(dot + 1, end, minor).ec != std::errc{} || minor > 9)
    return 0;
  return 10 * major + minor;
}

Result<CudaInfo> decode_cuda_info(ByteSpan desc) {
  if (desc.size() == kCudaVersionSize && load_le<u16>(desc.data()) == 1)
    return CudaInfo{.version = 1,
                    .virtual_arch = load_le<u16>(desc.data() + 2),
                    .words = {{load_le<u32>(desc.data() + 4), load_le<u32>(desc.data() + 8)}}};
  if (desc.size() != kCudaInfoSize)
    return Error{"cuinfo", {}, fmt::format("a descriptor of {} bytes, 8 are usual", desc.size())};
  return CudaInfo{load_le<u16>(desc.data()), load_le<u16>(desc.data() + 2),
                  load_le<u32>(desc.data() + 4)};
}

std::vector<u8> encode_cuda_info(const CudaInfo &info) {
  std::vector<u8> out;
  append_le(out, info.version);
  append_le(out, info.virtual_arch);
  if (info.words) {
    append_le(out, info.words->at(0));
    append_le(out, info.words->at(1));
  } else {
    append_le(out, info.toolkit);
  }
  return out;
}

bool is_later_note(const Note &note) {
  constexpr u32 kKnown = 2;
  if (note.name != kNoteOwner)
    return false;
  if (note.type == kNoteToolkitInfo)
    return note.desc.size() >= 4 && load_le<u32>(note.desc.data()) > kKnown;
  return note.type == kNoteCudaInfo && note.desc.size() >= 2 &&
         load_le<u16>(note.desc.data()) > kKnown;
}

Result<CudaInfo> read_cuda_info(const Note &note) {
  const bool has_more = is_later_note(note) && note.desc.size() > kCudaInfoSize;
  return decode_cuda_info(has_more ? note.desc.first(kCudaInfoSize) : note.desc);
}

SectionId ElfWriter::add_notes(const Notes &notes) {
  const auto add = [this](std::string_view name, u64 flags, u32 type, ByteSpan desc) {
    std::vector<u8> content;
    append_note(content, {.type = type, .name = kNoteOwner, .desc = desc});
    const SectionId id =
        add_section({.name = name, .type = SectionType::Note, .flags = flags, .align = 4});
    append_copy(id, content);
    add_section_symbol(id);
    return id;
  };
  const SectionId tkinfo = add(".note.nv.tkinfo", kFlagTkinfoNote, kNoteToolkitInfo,
                               encode_toolkit_info({.tool = notes.tool,
                                                    .tool_version = notes.tool_version,
                                                    .build = notes.build,
                                                    .options = notes.options}));
  const SectionId cuinfo =
      add(".note.nv.cuinfo", kFlagCuinfoNote, kNoteCudaInfo,
          encode_cuda_info({.virtual_arch = notes.virtual_sm, .toolkit = notes.toolkit}));
  set_link(cuinfo, tkinfo);
  set_flags_section(cuinfo);
  return cuinfo;
}

} // namespace culink::elf
