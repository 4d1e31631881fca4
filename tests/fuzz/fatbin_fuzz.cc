// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as fatbins: reading and unpacking end, stay inside, and what is read lies in the file.
#include <cstdlib>

#include "input/fatbin.h"
#include "targets.h"

using namespace culink;

int fuzz::fatbin_fuzz(const u8 *data, size_t size) {
  const ByteSpan file(data, size);
  const Result<std::vector<FatbinContainer>> containers = read_fatbins(file);
  if (!containers)
    return 0;
  for (const FatbinContainer &container : *containers)
    for (const FatbinEntry &entry : container.entries) {
      if (entry.offset >= size || entry.payload.size() > size)
        std::abort();
      const Result<std::vector<u8>> bytes = unpack(entry);
      if (bytes && entry.kind != FatbinKind::Ptx && bytes->size() != entry.size)
        std::abort();
    }
  return 0;
}
