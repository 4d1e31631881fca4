// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of a drafted file. Nothing is decided here, so that any thread may write any part.
#include "link/output/write.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"

namespace culink {

namespace {

constexpr u64 kPartSize = u64{1} << 18;
constexpr u32 kAtHand = 16; // so many sections that were written are still in the cache

// Where the parts begin, in layout.order, and the end: contents in file order, cut into parts of
// about a quarter of a megabyte. A part of many small sections begins at one of every kStep.
std::vector<u32> cut_into_parts(const elf::ElfLayout &layout) {
  constexpr u32 kStep = 64;
  const u32 count = static_cast<u32>(layout.order.size());
  const auto offset = [&](u32 i) { return layout.offset_of(layout.order[i]); };
  std::vector<u32> starts = {0};
  u32 step = kStep;
  for (u32 i = 1; i < count; i += step) {
    const bool small = i + kStep < count && offset(i + kStep) - offset(i) <= kPartSize / 2;
    step = small ? kStep : 1;
    if (offset(i) - offset(starts.back()) > kPartSize)
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
  std::vector<u32> out(draft.elf.section_count(), 0);
  pool.for_ranges(static_cast<u32>(values.size()), kTogether, [&](u32 begin, u32 end) {
    for (u32 i = begin; i < end; ++i)
      if (i == 0 || values[i].section != values[i - 1].section)
        out[draft.section_of[values[i].section.value].value] = i + 1;
  });
  return out;
}

void store_value(const FileDraft &draft, elf::SectionId id, const FoldedRelocation &folded,
                 MutableByteSpan image, Diagnostics &diag) {
  if (elf::has_no_file_data(draft.elf.section(id).type))
    return;
  const MutableByteSpan bytes = image.subspan(draft.layout.offset_of(id), draft.elf.size(id));
  arch::FieldValue value = folded.value;
  if (folded.implicit_addend && folded.row->resolver != arch::Resolver::Clear)
    if (const auto addend = arch::implicit_addend(bytes, folded.offset, *folded.row))
      value = arch::add(*folded.row, value, *addend);
  if (!arch::store_field(bytes, folded.offset, *folded.row, value))
    diag.report(DiagId::RelocationOutsideSection,
                {"output", std::string(folded.row->name),
                 fmt::format("{}+{:#x}", draft.elf.section(id).name, folded.offset)});
}

} // namespace

// Values are stored while a section's bytes are still at hand.
ByteBuffer write_image(const FileDraft &draft, ByteBuffer image, WorkerPool &pool,
                       Diagnostics &diag) {
  const elf::ElfLayout &layout = draft.layout;
  const FoldedRelocations &values = draft.values;
  const auto section = [&](u32 value) { return draft.section_of[values[value].section.value]; };
  const std::vector<u32> first_value = first_values(draft, pool);
  const std::vector<u32> starts = cut_into_parts(layout);
  const u32 parts = static_cast<u32>(starts.size() - 1);
  const u32 tables = draft.elf.table_parts(layout);
  std::vector<Diagnostics> messages(parts);
  pool.for_each(tables + parts, [&](u32 number) {
    if (number < tables)
      return draft.elf.write_tables(layout, image, number);
    const u32 part = number - tables;
    for (u32 begin = starts[part], end; begin < starts[part + 1]; begin = end) {
      end = std::min(begin + kAtHand, starts[part + 1]);
      draft.elf.write_contents(layout, image, begin, end);
      for (u32 i = begin; i < end; ++i) {
        const elf::SectionId id = layout.order[i];
        if (first_value[id.value] != 0)
          for (u32 v = first_value[id.value] - 1; v < values.size() && section(v) == id; ++v)
            store_value(draft, id, values[v], image, messages[part]);
      }
    }
  });
  for (Diagnostics &message : messages)
    diag.append(std::move(message));
  for (const FilePatch &patch : draft.patches)
    std::copy(patch.bytes.begin(), patch.bytes.end(),
              image.data() + layout.offset_of(patch.section));
  store_le<u64>(image.data() + layout.offset_of(draft.elf.symtab()) + 8, draft.null_symbol_value);
  return image;
}

} // namespace culink
