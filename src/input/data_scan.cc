// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries that choose their kernels themselves keep fatbins as plain data, where no section name
// tells of them: libcufft has tens of thousands in .ldata. They are found by their first word. As
// any word may occur in data, a container counts only if all its headers are right and its payloads
// begin as what they are said to be, a cubin only if its tables and sections lie inside the data.
//
// Data made up to look like headers everywhere could make each look long; so only so many that look
// like one and are none are looked at.
#include "input/data_scan.h"

#include <algorithm>

#include "elf/elf_view.h"
#include "support/bytes.h"

namespace culink {

namespace {

constexpr u32 kElfWord = 0x464c457f;
constexpr u32 kZstdWord = 0xfd2fb528;
constexpr u64 kWordsAtOnce = 16;
constexpr u32 kMostFalse = 256;
constexpr u64 kScannedAtOnce = u64{8} << 20;

bool is_first_word(u32 word) {
  return word == kFatbinMagic || word == kElfWord;
}

// The offset of the next word that may be the first of something, or the size. Words are looked at
// in groups of a fixed size, which compilers turn into few instructions.
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

// Whether it is worth to look further: the second half of a container's first 8 bytes never varies.
bool resembles_header(ByteSpan data, u64 offset) {
  constexpr u32 kVersionAndSize = 0x00100001;
  constexpr u64 kMachineOffset = 18;
  return load_le<u32>(data.data() + offset) == kFatbinMagic
             ? load_at<u32>(data, offset + 4) == kVersionAndSize
             : load_at<u16>(data, offset + kMachineOffset) == elf::kMachineCuda;
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

} // namespace culink
