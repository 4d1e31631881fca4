// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two tables at the ends of the file: the ELF header and the program headers. The loader relies
// on both before it reads anything else, so the rules here require exactly what NVIDIA's tools
// write.
#include <algorithm>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "elf/section_kind.h"
#include "elf/target/arch.h"
#include "elf/target/elf_flags.h"
#include "elf/wire.h"
#include "support/bytes.h"
#include "verify/file/verify_findings.h"

namespace culink::verify {

using elf::ElfView;
using elf::FileHeader;
using elf::FileType;
using elf::Section;
using elf::SectionType;
using elf::Segment;
using elf::SegmentType;

namespace {

// No tool writes more than 6. With thousands, the cover check would take quadratic time.
constexpr u32 kMostSegments = 64;

// Rounds up to any multiple, not only powers of two: shared memory may be aligned to 48 bytes.
[[nodiscard]] u64 round_up(u64 value, u64 align) {
  const u64 rest = align == 0 ? 0 : value % align;
  return rest == 0 ? value : value + (align - rest);
}

[[nodiscard]] std::string segment_place(u64 index) {
  return fmt::format("program header {}", index);
}

[[nodiscard]] bool same_range(const Segment &segment, u64 offset, u64 size) {
  return segment.offset == offset && segment.filesz == size && segment.memsz == size;
}

class SegmentCheck {
public:
  SegmentCheck(const ElfView &view, Findings &findings)
      : view_(view), segments_(view.segments()), findings_(findings),
        table_size_(u64{view.header().phnum} * view.header().phentsize) {
    for (const Segment &segment : segments_)
      if (segment.type == SegmentType::Load && !is_table(segment))
        homes_.push_back(&segment);
  }

  void check_headers() {
    check_table();
    for (u64 i = 0; i < segments_.size(); ++i)
      check_fields(i);
  }

  void check_cover(SectionRange sections) {
    for (const Section &s : sections)
      if (s.size != 0 && needs_segment(s))
        check_home(s, find_home(s, [](const Segment &) {}));
  }

  // Empty sections do not add bytes, but those without data still align the sections after them.
  void check_sizes() {
    std::vector<u64> without_data(segments_.size()); // room that sections without data need
    for (const Section &s : view_.sections())
      if (s.no_data() && needs_segment(s))
        (void)find_home(s, [&](const Segment &segment) {
          u64 &room = without_data[static_cast<u64>(&segment - segments_.data())];
          room = round_up(room, s.align) + s.size;
        });
    for (u64 i = 0; i < segments_.size(); ++i)
      if (segments_[i].memsz >= segments_[i].filesz &&
          segments_[i].memsz - segments_[i].filesz != without_data[i])
        findings_.push(Rule::SegmentCover, segment_place(i), "p_memsz",
                       fmt::format("adds {:#x} bytes to p_filesz, its sections without data {:#x}",
                                   segments_[i].memsz - segments_[i].filesz, without_data[i]));
  }

private:
  [[nodiscard]] static bool needs_segment(const Section &s) {
    return (s.flags & elf::kFlagAlloc) != 0 && !s.is_mercury();
  }

  [[nodiscard]] bool is_table(const Segment &segment) const {
    return same_range(segment, view_.header().phoff, table_size_);
  }

  void check_table() {
    const FileHeader &h = view_.header();
    const u64 sections_end = h.shoff + u64{h.section_count} * h.shentsize;
    if (h.phoff != sections_end)
      findings_.push(
          Rule::SegmentTable, "ELF header", "e_phoff",
          fmt::format("{:#x}, but the section table ends at {:#x}", h.phoff, sections_end));
    bool header_found = false, load_found = false;
    for (const Segment &segment : segments_) {
      header_found = header_found || (segment.type == SegmentType::Phdr && is_table(segment));
      load_found = load_found || (segment.type == SegmentType::Load && is_table(segment));
    }
    if (segments_.empty() || segments_[0].type != SegmentType::Phdr || !header_found)
      findings_.push(Rule::SegmentTable, segment_place(0), "",
                     "is not a PT_PHDR over the program headers");
    if (!load_found)
      findings_.push(Rule::SegmentTable, "program headers", "",
                     "no PT_LOAD covers the program headers");
  }

  void check_fields(u64 index) {
    const Segment &segment = segments_[index];
    const auto wrong = [&](std::string field, std::string message) {
      findings_.push(Rule::SegmentFields, segment_place(index), std::move(field),
                     std::move(message));
    };
    if (segment.type != SegmentType::Phdr && segment.type != SegmentType::Load)
      wrong("p_type",
            fmt::format("{:#x} is neither PT_PHDR nor PT_LOAD", static_cast<u32>(segment.type)));
    if (segment.vaddr != 0 || segment.paddr != 0)
      wrong("p_vaddr, p_paddr",
            fmt::format("are {:#x} and {:#x}, not 0", segment.vaddr, segment.paddr));
    if (segment.align != 8)
      wrong("p_align", fmt::format("is {}, not 8", segment.align));
    if (segment.memsz < segment.filesz)
      wrong("p_memsz",
            fmt::format("{:#x} is less than p_filesz {:#x}", segment.memsz, segment.filesz));
  }

  [[nodiscard]] static bool contains(const Segment &segment, const Section &s) {
    if (s.offset < segment.offset)
      return false;
    const u64 at = s.offset - segment.offset;
    if (s.no_data())
      return at <= segment.filesz && segment.memsz > segment.filesz;
    return at <= segment.filesz && s.size <= segment.filesz - at;
  }

  // Calls `use` for each segment that may contain a section. Returns the last one, which does.
  template <typename Use> const Segment *find_home(const Section &s, Use use) const {
    const Segment *home = nullptr;
    for (const Segment *segment : homes_) {
      if (!contains(*segment, s))
        continue;
      if (home && ((segment->flags ^ s.flags) & elf::kSegmentExec) != 0)
        continue;
      home = segment;
      use(*segment);
    }
    return home;
  }

  void check_home(const Section &s, const Segment *home) {
    if (!home) {
      findings_.in_section(Rule::SegmentCover, s, "sh_flags",
                           "is allocated, but no PT_LOAD covers it");
      return;
    }
    const bool writable = (home->flags & elf::kSegmentWrite) != 0;
    const bool executable = (home->flags & elf::kSegmentExec) != 0;
    if (writable != ((s.flags & elf::kFlagWrite) != 0) ||
        (!executable && (s.flags & elf::kFlagExec) != 0))
      findings_.in_section(Rule::SegmentCover, s, "sh_flags",
                           fmt::format("{:#x} in a segment with flags {}", s.flags, home->flags));
  }

  const ElfView &view_;
  const std::vector<Segment> &segments_;
  Findings &findings_;
  u64 table_size_;
  std::vector<const Segment *> homes_; // those that may contain sections
};

void check_architecture(const ElfView &view, Findings &findings) {
  const FileHeader &h = view.header();
  const u8 os_abi = h.ident[elf::kIdentOsAbi], abi = h.ident[elf::kIdentAbiVersion];
  const arch::ElfTarget target = arch::decode_elf_target(os_abi, abi, h.flags);
  const bool known = (os_abi == elf::kOsAbiCuda && abi == arch::kAbiVersion) ||
                     (os_abi == elf::kOsAbiCudaOld && abi == arch::kAbiVersionOld);
  if (!known) {
    findings.push(Rule::HeaderAbi, "ELF header", "EI_OSABI, EI_ABIVERSION",
                  fmt::format("{:#x} and {} are no pair that a toolkit writes", os_abi, abi));
    return;
  }
  const auto wrong_flags = [&](std::string message) {
    findings.push(Rule::HeaderFlags, "ELF header", "e_flags",
                  fmt::format("{:#x}: {}", h.flags, message));
  };
  if (!arch::find_arch(target.sm))
    wrong_flags(fmt::format("sm_{} is not known", target.sm));
  if (target.other != 0)
    wrong_flags(fmt::format("bits {:#x} have no meaning", target.other));
  if (target.old_layout())
    return;
  if (target.code_kind != static_cast<u8>(arch::CodeKind::Sass) &&
      target.code_kind != static_cast<u8>(arch::CodeKind::Capmerc))
    wrong_flags(fmt::format("code kind {} is not known", target.code_kind));
  const Section *cuinfo = view.find(".note.nv.cuinfo");
  if (!cuinfo)
    cuinfo = view.find(kCuverName);
  if (cuinfo && target.cuinfo_section != (cuinfo->index & 0xff))
    findings.push(Rule::HeaderCuinfo, "ELF header", "e_flags",
                  fmt::format("{:#x} names section {}, {} is section {}", h.flags,
                              target.cuinfo_section, cuinfo->name, cuinfo->index));
}

void check_sizes(const ElfView &view, Findings &findings) {
  const FileHeader &h = view.header();
  const bool wide = h.elf_class() == elf::ElfClass::Elf64;
  const u64 header = wide ? sizeof(elf::wire::Ehdr64) : sizeof(elf::wire::Ehdr32);
  const u64 segment = wide ? sizeof(elf::wire::Phdr64) : sizeof(elf::wire::Phdr32);
  if (h.ehsize != header)
    findings.push(Rule::HeaderSizes, "ELF header", "e_ehsize",
                  fmt::format("is {}, not {}", h.ehsize, header));
  // ptxas leaves 0 in the objects of newer targets, which have no program headers.
  if (h.phentsize != segment && !(h.phentsize == 0 && h.phnum == 0))
    findings.push(Rule::HeaderSizes, "ELF header", "e_phentsize",
                  fmt::format("is {}, not {}", h.phentsize, segment));
  if (h.section_count > 1 && (h.name_section >= view.sections().size() ||
                              view.sections()[h.name_section].type != elf::SectionType::Strtab))
    findings.push(Rule::HeaderTables, "ELF header", "e_shstrndx",
                  fmt::format("section {} is not a string table", h.name_section));
}

} // namespace

void check_header(const ElfView &view, Findings &findings) {
  const FileHeader &h = view.header();
  const auto wrong = [&](Rule rule, std::string_view field, std::string message) {
    findings.push(rule, "ELF header", std::string(field), std::move(message));
  };
  if (!h.is_cuda()) {
    wrong(Rule::HeaderMachine, "e_machine", fmt::format("{} is not EM_CUDA (190)", h.machine));
    return;
  }
  const auto padding = std::span(h.ident).subspan(elf::kIdentAbiVersion + 1);
  // Before 13.0 e_version is the toolkit's number: 124 for 12.4.
  const bool known_version = h.version == 1 || (has_old_abi(view) && h.version >= 100);
  if (h.ident[elf::kIdentVersion] != 1 || !known_version)
    wrong(Rule::HeaderIdent, "EI_VERSION, e_version",
          fmt::format("are {} and {}, not 1", h.ident[elf::kIdentVersion], h.version));
  if (std::ranges::any_of(padding, [](u8 byte) { return byte != 0; }) || h.entry != 0)
    wrong(Rule::HeaderIdent, "e_ident, e_entry", "padding or entry point is not 0");
  if (h.type != FileType::Relocatable && h.type != FileType::Executable &&
      h.type != FileType::WholeProgram)
    wrong(Rule::HeaderType, "e_type",
          fmt::format("{} is neither relocatable (1, or 0xff00 of -ewp) nor executable (2)",
                      static_cast<u32>(h.type)));
  check_architecture(view, findings);
  check_sizes(view, findings);
}

void check_segments(const ElfView &view, Findings &findings) {
  const FileHeader &h = view.header();
  if (h.type == FileType::Executable && h.phnum == 0)
    findings.push(Rule::SegmentPresence, "ELF header", "e_phnum",
                  "is 0, but the file is executable");
  if (h.type != FileType::Executable && h.phnum != 0)
    findings.push(Rule::SegmentPresence, "ELF header", "e_phnum",
                  fmt::format("is {}, but the file is relocatable", h.phnum));
  if (h.phnum > kMostSegments)
    findings.push(
        Rule::SegmentPresence, "ELF header", "e_phnum",
        fmt::format("{} program headers, at most {} are expected", h.phnum, kMostSegments));
  else if (!view.segments().empty())
    SegmentCheck(view, findings).check_headers();
}

namespace {

[[nodiscard]] bool has_segments(const ElfView &view) {
  return view.header().phnum <= kMostSegments && !view.segments().empty();
}

} // namespace

void check_cover(const ElfView &view, SectionRange sections, Findings &findings) {
  if (has_segments(view))
    SegmentCheck(view, findings).check_cover(sections);
}

void check_segment_sizes(const ElfView &view, Findings &findings) {
  if (has_segments(view))
    SegmentCheck(view, findings).check_sizes();
}

} // namespace culink::verify
