// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as packed code: a size out of proportion is refused before memory is taken, and the
// outcome has exactly the size that was said. The first bytes choose format and size.
#include <cstdlib>
#include <cstring>

#include "input/fatbin.h"
#include "targets.h"

using namespace culink;

int fuzz::decompress_fuzz(const u8 *data, size_t size) {
  u64 said = 0;
  if (size < 1 + sizeof said)
    return 0;
  std::memcpy(&said, data + 1, sizeof said);
  if (data[0] % 2 == 0)
    said %= 1 << 20; // most sizes are plausible
  const ByteSpan packed(data + 1 + sizeof said, size - 1 - sizeof said);
  const Compression how = static_cast<Compression>(data[0] / 2 % 4);
  const Result<std::vector<u8>> bytes = decompress(how, packed, said);
  if (!bytes)
    return 0;
  if (bytes->size() != (how == Compression::None ? packed.size() : said))
    std::abort();
  return 0;
}
