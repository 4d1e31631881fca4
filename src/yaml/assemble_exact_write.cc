// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last round of assembling the exact form: when every section has its bytes and its place, the
// image is made and filled. A document may put tables and sections anywhere, so each write looks
// whether there is room for it; `patch` comes last and may overwrite all else.
#include <algorithm>

#include <fmt/format.h>

#include "yaml/document/byte_lines.h"
#include "yaml/document/words.h"
#include "yaml/exact_assembler.h"

namespace culink::text {

void ExactAssembler::write() {
  const u64 section_end =
      sections_.empty() ? 0
                        : header_.shoff + sections_.size() * section_header_size(facts_.elf_class);
  const u64 segment_end =
      header_facts_.segment_count == 0
          ? 0
          : header_.phoff + header_facts_.segment_count * segment_header_size(facts_.elf_class);
  if (header_.shoff > kMaxImageBytes || header_.phoff > kMaxImageBytes) {
    // Only a file without the table can say that it has one there.
    if ((header_.shoff > kMaxImageBytes && !sections_.empty()) ||
        (header_.phoff > kMaxImageBytes && header_facts_.segment_count != 0))
      return top_.report("a header table lies beyond the largest file");
  }
  u64 size = std::max({data_end_, section_end, segment_end});
  size = top_.number("file_size", size, kMaxImageBytes);
  if (size > kMaxImageBytes || size < file_header_size(facts_.elf_class))
    return top_.report(fmt::format("a file of {:#x} bytes is too small or too large", size));
  image_.resize(size);
  if (!store_header(image_.data(), header_))
    complaints_.add(top_.node(), "a header field does not fit class 32");
  for (const SectionInput &section : sections_)
    if (!section.bytes.empty())
      copy(section.raw.offset, section.bytes, *section.node);
  write_section_table();
  write_segments();
  apply_patches();
}

void ExactAssembler::write_section_table() {
  if (sections_.empty())
    return;
  const u64 entry = section_header_size(facts_.elf_class);
  const MutableByteSpan out = room(header_.shoff, sections_.size() * entry, "the section table");
  if (out.empty())
    return;
  RawSection &null = sections_[0].raw;
  null = null_section(sections_.size(), name_section_);
  const MapReader map(*sections_[0].node, kSectionKeys, complaints_);
  null.name = static_cast<u32>(map.number("name_at", null.name, kMaxWord));
  read_words(Words::SectionType, map.find("type"), null.type, complaints_);
  read_words(Words::SectionFlags, map.find("flags"), null.flags, complaints_);
  null.addr = map.number("addr", null.addr);
  null.offset = map.number("offset", null.offset);
  null.size = map.number("size", null.size);
  if (const Node *item = map.find("link"))
    null.link = names_.resolve(*item, complaints_);
  null.info = static_cast<u32>(map.number("info", null.info, kMaxWord));
  null.align = map.number("align", null.align);
  null.entsize = map.number("entsize", null.entsize);
  for (u32 i = 0; i < sections_.size(); ++i)
    if (!store_section(out.data() + i * entry, sections_[i].raw, facts_.elf_class))
      complaints_.add(*sections_[i].node, "a field of the section header does not fit class 32");
}

void ExactAssembler::write_segments() {
  const std::span<const Node> list = top_.list("segments");
  if (list.empty())
    return;
  std::vector<PlacedSection> placed;
  for (const SectionInput &s : sections_)
    placed.push_back({s.raw.type, s.raw.flags, s.raw.offset, s.raw.size, s.raw.align});
  const u64 entry = segment_header_size(facts_.elf_class);
  const SegmentContext context{names_, placed, header_.phoff, list.size() * entry,
                               list.size() <= kMaxRangedSegments};
  const MutableByteSpan out = room(header_.phoff, list.size() * entry, "the segment table");
  for (u32 i = 0; i < list.size() && !out.empty(); ++i)
    if (!store_segment(out.data() + i * entry, read_segment(list[i], context, complaints_),
                       facts_.elf_class))
      complaints_.add(list[i], "a field does not fit class 32");
}

void ExactAssembler::apply_patches() {
  constexpr std::string_view kKeys[] = {"at", "hex"};
  for (const Node &item : top_.list("patch")) {
    const MapReader patch(item, kKeys, complaints_);
    if (const Node *hex = patch.find("hex"))
      copy(patch.number("at", 0), read_data(*hex, complaints_), item);
  }
}

void ExactAssembler::copy(u64 offset, ByteSpan bytes, const Node &place) {
  if (offset > image_.size() || image_.size() - offset < bytes.size())
    return complaints_.add(place, fmt::format("bytes {:#x} + {:#x} lie outside the file ({:#x} "
                                              "bytes); raise or remove file_size",
                                              offset, bytes.size(), image_.size()));
  std::ranges::copy(bytes, image_.begin() + static_cast<std::ptrdiff_t>(offset));
}

MutableByteSpan ExactAssembler::room(u64 offset, u64 size, std::string_view what) {
  if (offset <= image_.size() && image_.size() - offset >= size)
    return MutableByteSpan(image_).subspan(offset, size);
  top_.report(
      fmt::format("{} at {:#x} lies outside the file ({:#x} bytes)", what, offset, image_.size()));
  return {};
}

} // namespace culink::text
