// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of a drafted file. Nothing is decided here, so that any thread may write any part.
#include "link/output/write.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"

namespace culink {

namespace {

constexpr u64 kPartSize = u64{1} << 20;

// Where the parts begin, in layout.order, and the end: contents in file order, cut into parts of
// about a megabyte.
std::vector<u32> cut_into_parts(const elf::ElfLayout &layout) {
  std::vector<u32> starts = {0};
  for (u32 i = 1; i < layout.order.size(); ++i)
    if (layout.offset_of(layout.order[i]) - layout.offset_of(layout.order[starts.back()]) >
        kPartSize)
      starts.push_back(i);
  starts.push_back(static_cast<u32>(layout.order.size()));
  return starts;
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

// Headers and tables are a part of their own, the first, because it is the longest. Values are
// stored while a section's bytes are still at hand.
ByteBuffer write_image(const FileDraft &draft, WorkerPool &pool, Diagnostics &diag) {
  const elf::ElfLayout &layout = draft.layout;
  const FoldedRelocations &values = draft.values;
  const auto section = [&](u32 value) { return draft.section_of[values[value].section.value]; };
  ByteBuffer image(layout.file_size);
  std::vector<u32> first_value(draft.elf.section_count(), 0); // by SectionId: plus 1
  for (u32 i = static_cast<u32>(values.size()); i-- > 0;)
    first_value[section(i).value] = i + 1;

  const std::vector<u32> starts = cut_into_parts(layout);
  const u32 parts = static_cast<u32>(starts.size() - 1);
  std::vector<Diagnostics> messages(parts);
  pool.for_each(parts + 1, [&](u32 number) {
    if (number == 0) {
      draft.elf.write_tables(layout, image);
      return;
    }
    const u32 part = number - 1;
    for (u32 i = starts[part]; i < starts[part + 1]; ++i) {
      const elf::SectionId id = layout.order[i];
      draft.elf.write_contents(layout, image, i, i + 1);
      if (first_value[id.value] == 0)
        continue;
      for (u32 v = first_value[id.value] - 1; v < values.size() && section(v) == id; ++v)
        store_value(draft, id, values[v], image, messages[part]);
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
