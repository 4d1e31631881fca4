// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hashes of names. Names come from untrusted files, which could contain a hundred thousand names
// with one hash. So a hash depends on a random value that the system gives each process at its
// start. Outputs do not depend on hashes.
#include "support/string_index.h"

#include <cstring>
#include <sys/auxv.h>

#include "support/bytes.h"

namespace culink {

namespace {

constexpr u64 kSizeFactor = 0x9e3779b97f4a7c15;

// Combines both halves of the product, so that every bit of the factors affects the result.
u64 fold(u64 a, u64 b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{a} * b;
  return static_cast<u64>(product) ^ static_cast<u64>(product >> 64);
}

u64 read_secret() {
  u64 words[2] = {0x9e3779b97f4a7c15, 0xd1b54a32d192ed03};
  if (const unsigned long at = ::getauxval(AT_RANDOM); at != 0)
    std::memcpy(words, reinterpret_cast<const void *>(at), sizeof words);
  return fold(words[0] ^ kSizeFactor, words[1]) | 1;
}

const u64 kSecret = read_secret();

// Reads sixteen bytes at a time; the last sixteen may overlap the previous ones.
inline u64 hash_bytes(u64 hash, std::string_view s) {
  const u8 *p = reinterpret_cast<const u8 *>(s.data());
  const size_t size = s.size();
  hash += size * kSizeFactor;
  if (size >= 16) {
    for (size_t i = 16; i < size; i += 16)
      hash = fold(load_le<u64>(p + i - 16) ^ kSecret, load_le<u64>(p + i - 8) ^ hash);
    return fold(load_le<u64>(p + size - 16) ^ kSecret, load_le<u64>(p + size - 8) ^ hash);
  }
  if (size >= 8)
    return fold(load_le<u64>(p) ^ kSecret, load_le<u64>(p + size - 8) ^ hash);
  if (size >= 4)
    return fold(load_le<u32>(p) ^ kSecret, load_le<u32>(p + size - 4) ^ hash);
  u64 few = 0;
  for (size_t i = 0; i < size; ++i)
    few = few << 8 | p[i];
  return fold(few ^ kSecret, hash);
}

} // namespace

size_t NameHash::operator()(std::string_view name) const {
  return hash_bytes(0, name);
}

} // namespace culink
