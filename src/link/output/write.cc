// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the bytes of a drafted file. The draft has the offset of every section and the values that
// relocations store, so nothing is decided here and any thread may write any part. Sections are cut
// into parts of about equal size; a thread copies the contents of some sections of a part, then
// stores their values while the bytes are still in the cache. The headers and tables are parts of
// their own. Patches come last; they fill gaps between sections.
#include "link/output/write.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "support/bytes.h"

namespace culink {

namespace {

constexpr u64 kPartSize = u64{1} << 18;
constexpr u64 kLongPart = 4 * kPartSize; // it has a large section
constexpr u32 kAtHand = 16;              // sections whose bytes are still in the cache

// Sections that one thread writes, by their positions in the file.
struct ImagePart {
  u32 begin = 0;
  u32 end = 0;
  u64 size = 0;
};

// All sections, in parts of about a quarter of a megabyte or one large section.
std::vector<ImagePart> cut_into_parts(const FileDraft &draft) {
  constexpr u64 kHeader = 64;
  std::vector<ImagePart> out;
  for (u32 i = 0; i < draft.layout.order.size(); ++i) {
    if (out.empty() || out.back().size > kPartSize)
      out.push_back({.begin = i});
    const elf::OutSection &section = draft.elf.sections[draft.layout.order[i]];
    out.back().end = i + 1;
    out.back().size += kHeader + (elf::has_no_file_data(section.type) ? 0 : section.size);
  }
  return out;
}

// By SectionId: the first value of a section, plus 1; 0 for none. Values of one section follow each
// other.
std::vector<u32> first_values(const FileDraft &draft) {
  const FoldedRelocations &values = draft.values;
  std::vector<u32> out(draft.elf.sections.size());
  for (u32 i = 0; i < values.size(); ++i)
    if (i == 0 || values[i].section != values[i - 1].section)
      out[values[i].section.value] = i + 1;
  return out;
}

// Returns false if the field is outside the section.
bool store_value(const FoldedRelocation &folded, MutableByteSpan bytes) {
  arch::FieldValue value = folded.value;
  if (folded.implicit_addend && folded.row->resolver != arch::Resolver::Clear)
    if (const auto addend = arch::implicit_addend(bytes, folded.offset, *folded.row))
      value = arch::add(*folded.row, value, *addend);
  return arch::store_field(bytes, folded.offset, *folded.row, value);
}

// Stores the values of a section. `first`: in draft.values.
void store_values(const FileDraft &draft, elf::SectionId id, u32 first, MutableByteSpan image,
                  Diagnostics &diag) {
  const elf::OutSection &section = draft.elf.sections[id];
  if (elf::has_no_file_data(section.type))
    return;
  const MutableByteSpan bytes = image.subspan(draft.layout.offset_of(id), section.size);
  const std::span<const FoldedRelocation> values = std::span(draft.values).subspan(first);
  for (const FoldedRelocation &folded : values) {
    if (folded.section != values[0].section)
      return;
    if (!store_value(folded, bytes)) [[unlikely]]
      diag.report(DiagId::RelocationOutsideSection,
                  {"output", std::string(folded.row->name),
                   fmt::format("{}+{:#x}", draft.elf.sections.name(section), folded.offset)});
  }
}

} // namespace

// Values are stored while a section's bytes are still in the cache. Long parts are first, so that
// no thread begins with one when the others have finished.
void write_image(const FileDraft &draft, MutableByteSpan image, WorkerPool &pool,
                 Diagnostics &diag) {
  const elf::ElfLayout &layout = draft.layout;
  const std::vector<u32> first_value = first_values(draft);
  const std::vector<ImagePart> parts = cut_into_parts(draft);
  const u32 count = static_cast<u32>(parts.size());
  std::vector<u32> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_partition(order, [&](u32 part) { return parts[part].size > kLongPart; });
  std::vector<Diagnostics> messages(count);
  const auto write_part = [&](u32 part) {
    for (u32 begin = parts[part].begin, end; begin < parts[part].end; begin = end) {
      end = std::min(begin + kAtHand, parts[part].end);
      draft.elf.write_contents(layout, image, begin, end);
      for (const elf::SectionId id : std::span(layout.order).subspan(begin, end - begin))
        if (const u32 first = first_value[id.value]; first != 0)
          store_values(draft, id, first - 1, image, messages[part]);
    }
  };
  pool.for_each(count + draft.elf.table_parts(layout), [&](u32 i) {
    if (i < count)
      write_part(order[i]);
    else
      draft.elf.write_tables(layout, image, i - count);
  });
  store_le<u64>(image.data() + layout.offset_of(elf::ElfFile::kSymtab) + 8,
                draft.null_symbol_value);
  for (Diagnostics &message : messages)
    diag.append(std::move(message));
  for (const FilePatch &patch : draft.patches)
    std::copy(patch.bytes.begin(), patch.bytes.end(),
              image.data() + layout.offset_of(patch.section));
}

} // namespace culink
