// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The comparison of two files: the input, and the input with one byte changed at a place that the
// input itself chooses. A changed byte must be told, and told the other way round as well.
#include "inspect/diff/diff.h"

#include <vector>

#include "round_trip.h"
#include "support/bytes.h"
#include "targets.h"

using namespace culink;

int fuzz::diff_fuzz(const u8 *data, size_t size) {
  if (size < 16)
    return 0;
  std::vector<u8> changed(data, data + size);
  const u64 place = load_le<u64>(data + size - 8) % size;
  changed[place] ^= static_cast<u8>(load_le<u8>(data + size - 9) | 1);
  const Result<elf::ElfView> a = elf::ElfView::open_tolerant({data, size});
  const Result<elf::ElfView> b = elf::ElfView::open_tolerant(changed);
  if (!a || !b)
    return 0;
  fuzz::require(text::diff_files(*a, *a, {}).same());
  fuzz::require(!text::diff_files(*a, *b, {}).same());
  fuzz::require(!text::diff_files(*b, *a, {.limit = 1000000, .ignored = {}}).same());
  return 0;
}
