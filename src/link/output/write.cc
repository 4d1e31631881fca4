// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of a drafted file. Nothing is decided here, so that any thread may write any part.
#include "link/output/write.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "base/bytes.h"

namespace culink {

namespace {

constexpr u64 kPartSize = u64{1} << 18;
constexpr u64 kLongPart = 4 * kPartSize; // it has a large section
constexpr u32 kAtHand = 16; // so many sections that were written are still in the cache

// Where the parts begin, in layout.order, and the end: contents in file order, cut into parts of
// about a quarter of a megabyte. A part of many small sections begins at one of every kStep.
std::vector<u32> cut_into_parts(const elf::ElfLayout &layout) {
  constexpr u32 kStep = 64;
  const u32 count = static_cast<u32>(layout.order.size());
  const u64 *offsets = layout.content_offset.data();
  std::vector<u32> starts = {0};
  u32 step = kStep;
  for (u32 i = 1; i < count; i += step) {
    const bool small = i + kStep < count && offsets[i + kStep] - offsets[i] <= kPartSize / 2;
    step = small ? kStep : 1;
    if (offsets[i] - offsets[starts.back()] > kPartSize)
      starts.push_back(i);
  }
  starts.push_back(count);
  return starts;
}

// By SectionId: the first value of a section, plus 1; 0 for none. Values of one section follow each
// other.
std::vector<u32> first_values(const FileDraft &draft, WorkerPool &pool) {
  constexpr u32 kTogether = 16384;
  const FoldedRelocations &values = draft.values;
  std::vector<u32> out(draft.elf.section_count());
  pool.for_ranges(static_cast<u32>(values.size()), kTogether, [&](u32 begin, u32 end) {
    for (u32 i = begin; i < end; ++i)
      if (i == 0 || values[i].section != values[i - 1].section)
        out[draft.section_of[values[i].section.value].value] = i + 1;
  });
  return out;
}

// False: its field is outside.
bool store_value(const FoldedRelocation &folded, MutableByteSpan bytes) {
  arch::FieldValue value = folded.value;
  if (folded.implicit_addend && folded.row->resolver != arch::Resolver::Clear)
    if (const auto addend = arch::implicit_addend(bytes, folded.offset, *folded.row))
      value = arch::add(*folded.row, value, *addend);
  return arch::store_field(bytes, folded.offset, *folded.row, value);
}

// Those of a section, from its first one on.
void store_values(const FileDraft &draft, elf::SectionId id, u32 first, MutableByteSpan image,
                  Diagnostics &diag) {
  if (elf::has_no_file_data(draft.elf.kind_of(id).type))
    return;
  const MutableByteSpan bytes = image.subspan(draft.layout.offset_of(id), draft.elf.size(id));
  const std::span<const FoldedRelocation> values = std::span(draft.values).subspan(first);
  for (const FoldedRelocation &folded : values) {
    if (folded.section != values[0].section)
      return;
    if (!store_value(folded, bytes)) [[unlikely]]
      diag.report(DiagId::RelocationOutsideSection,
                  {"output", std::string(folded.row->name),
                   fmt::format("{}+{:#x}", draft.elf.name_of(id), folded.offset)});
  }
}

// The parts of an image: tables, then ranges of sections, in the order of the file.
class ImageParts {
public:
  explicit ImageParts(const FileDraft &draft)
      : layout_(draft.layout), starts_(cut_into_parts(draft.layout)),
        tables_(draft.elf.table_parts(draft.layout)) {
    for (u32 range = 0; range < ranges(); ++range)
      if (is_long(range))
        long_ranges_.push_back(range);
  }

  [[nodiscard]] u32 tables() const { return tables_; }
  [[nodiscard]] u32 count() const { return tables_ + ranges(); }
  [[nodiscard]] u32 ranges() const { return static_cast<u32>(starts_.size() - 1); }
  [[nodiscard]] u32 first_section(u32 range) const { return starts_[range]; }
  // Those that take one thread long, who had better begin with them.
  [[nodiscard]] std::span<const u32> long_ranges() const { return long_ranges_; }
  [[nodiscard]] bool is_long(u32 range) const {
    const u32 begin = starts_[range], end = starts_[range + 1];
    return begin < end && offset_of(end) - offset_of(begin) > kLongPart;
  }
  // Of the section at a position of layout.order, or the end of the last one.
  [[nodiscard]] u64 offset_of(u32 position) const {
    return position < layout_.order.size() ? layout_.content_offset[position]
                                           : layout_.section_table;
  }

private:
  const elf::ElfLayout &layout_;
  std::vector<u32> starts_; // of ranges, in layout_.order, and the end
  u32 tables_;
  std::vector<u32> long_ranges_;
};

} // namespace

// Values are stored while a section's bytes are still in the cache.
void write_image(const FileDraft &draft, MutableByteSpan image, WorkerPool &pool,
                 Diagnostics &diag) {
  const elf::ElfLayout &layout = draft.layout;
  const std::vector<u32> first_value = first_values(draft, pool);
  const ImageParts parts(draft);
  std::vector<Diagnostics> messages(parts.ranges());
  const auto write_range = [&](u32 range) {
    const u32 last = parts.first_section(range + 1);
    for (u32 begin = parts.first_section(range), end; begin < last; begin = end) {
      end = std::min(begin + kAtHand, last);
      draft.elf.write_contents(layout, image, begin, end);
      for (const elf::SectionId id : std::span(layout.order).subspan(begin, end - begin))
        if (const u32 first = first_value[id.value]; first != 0)
          store_values(draft, id, first - 1, image, messages[range]);
    }
  };
  const u32 long_ones = static_cast<u32>(parts.long_ranges().size());
  pool.for_each(long_ones + parts.count(), [&](u32 part) {
    if (part < long_ones)
      return write_range(parts.long_ranges()[part]);
    part -= long_ones;
    if (part < parts.tables())
      return draft.elf.write_tables(layout, image, part);
    if (const u32 range = part - parts.tables(); !parts.is_long(range))
      write_range(range);
  });
  store_le<u64>(image.data() + layout.offset_of(draft.elf.symtab()) + 8, draft.null_symbol_value);
  for (Diagnostics &message : messages)
    diag.append(std::move(message));
  for (const FilePatch &patch : draft.patches)
    std::copy(patch.bytes.begin(), patch.bytes.end(),
              image.data() + layout.offset_of(patch.section));
}

} // namespace culink
