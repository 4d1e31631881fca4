// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <vector>

#include "base/bytes.h"
#include "elf/elf_builder.h"

namespace culink::elf {

// What placing needs to know of a section. A file has 100,000 of them, so that it matters that
// these follow each other in memory, in file order.
struct SectionExtent {
  u64 size = 0;
  u32 align = 1; // a power of two, unless it is unusual
  u8 loads = 0;  // one bit for each of the segments that hold it
  bool no_data = false;
  bool unusual = false; // its header has to be looked at
};

// Sections one behind the other, each at a multiple of its alignment. From the first one of the
// largest alignment on, how they lie does not depend on what is before.
struct AlignedRun {
  u32 first = 0; // the position of that section
  u32 align = 0; // 0: there are no sections
  u64 size = 0;  // from its beginning to the end of the last one

  // Precondition: `section_align` is a power of two.
  void add(u32 position, u32 section_align, u64 section_size) {
    if (section_align > align) [[unlikely]]
      *this = {position, section_align, section_size};
    else
      size = aligned(size, section_align) + section_size;
  }
  // The end of all, if what is before `first` ends at `cursor`.
  [[nodiscard]] u64 end_behind(u64 cursor) const {
    return align == 0 ? cursor : aligned(cursor, align) + size;
  }
  [[nodiscard]] static u64 aligned(u64 cursor, u64 align) {
    return (cursor + align - 1) & ~(align - 1);
  }
};

// A segment that is loaded: from the first to the end of the last section that it holds.
struct LoadedSegment {
  u32 flags;          // of the segment
  u64 mask, expected; // of the flags of the sections that it holds
  enum class Parameters : u8 { Any, Only, None } parameters = Parameters::Any;
  std::optional<u64> first = {};
  u64 end = 0;
  u64 no_data = 0; // memory of sections without file data, after the bytes of the file

  // Whether a section holds kernel parameters; the caller may say that they are among the
  // constants.
  [[nodiscard]] static bool is_parameters(const SectionSpec &spec) {
    return spec.name.starts_with(".nv.constant0.") && spec.bucket != Bucket::Constants;
  }
  [[nodiscard]] bool holds(const SectionSpec &spec) const {
    if ((spec.flags & mask) != expected)
      return false;
    return parameters == Parameters::Any || (parameters == Parameters::Only) == is_parameters(spec);
  }
  void add_bytes(const SectionExtent &extent, u64 offset) {
    first = first.value_or(offset);
    end = offset + (extent.no_data ? 0 : extent.size);
  }
  // Of a section without file data.
  void add_memory(const SectionExtent &extent, u64 align) {
    if (extent.no_data && (flags & kSegmentWrite) != 0)
      no_data = align_up(no_data, align) + extent.size;
  }
  // The bytes of sections that follow.
  void add_bytes_behind(const LoadedSegment &other) {
    if (!other.first)
      return;
    first = first.value_or(*other.first);
    end = other.end;
  }
  [[nodiscard]] ElfLayout::Segment segment() const {
    return {SegmentType::Load, flags, *first, end - *first, end - *first + no_data};
  }
};

inline constexpr u32 kReadWrite = kSegmentRead | kSegmentWrite;
inline constexpr u32 kReadExec = kSegmentRead | kSegmentExec;

// A section that has none of these is in no such segment.
inline constexpr u64 kFlagsOfLoads = kFlagAlloc | kFlagWrite;

inline constexpr u32 kClassicMemory = 1; // which of these has memory without file data

inline std::vector<LoadedSegment> classic_loads() {
  return {{kReadExec, kFlagAlloc | kFlagWrite, kFlagAlloc}, {kReadWrite, kFlagWrite, kFlagWrite}};
}

// One segment for each kind of content, parameters of kernels last.
inline std::vector<LoadedSegment> mercury_loads() {
  constexpr u64 kKind = kFlagAlloc | kFlagWrite | kFlagExec | kFlagMercury;
  return {{kSegmentRead, kKind, kFlagAlloc, LoadedSegment::Parameters::None},
          {kReadExec, kKind, kFlagAlloc | kFlagExec},
          {kReadWrite, kFlagWrite | kFlagMercury, kFlagWrite},
          {kSegmentRead, kKind, kFlagAlloc, LoadedSegment::Parameters::Only}};
}

} // namespace culink::elf
