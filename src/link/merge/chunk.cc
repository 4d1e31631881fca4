// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables that all chunks of objects fill. They are large, so that threads share the work of
// clearing them; what they mean is in chunk.h.
#include "link/merge/chunk.h"

namespace culink {

MergeTables::MergeTables(const Program &program, WorkerPool &pool)
    : location_of(program.objects.size()), discarded(program.objects.size()),
      constants_of(program.calls.functions.size()) {
  constexpr u32 kTogether = 1 << 14;
  const u32 entities = static_cast<u32>(program.symbols.entities.size());
  address_of.resize(entities);
  shared_of.resize(entities);
  shared_align.resize(entities);
  listed.resize(entities);
  pool.for_ranges(entities, kTogether, [&](u32 begin, u32 end) {
    for (u32 i = begin; i < end; ++i) {
      address_of[i] = {};
      shared_of[i] = {};
      shared_align[i] = 1;
      listed[i] = 0;
    }
  });
}

} // namespace culink
