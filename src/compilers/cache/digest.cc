// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BLAKE2b of RFC 7693, without a key. It is as strong as SHA-256 and twice as fast on a processor
// without special instructions for either. A linker hashes all the code that it links.
#include "compilers/cache/digest.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "support/bytes.h"

namespace culink {

namespace {

constexpr std::array<u64, 8> kStart = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                       0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                       0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

constexpr std::array<std::array<u8, 16>, 10> kOrders = {{
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
}};
constexpr size_t kRounds = 12;

using Words = std::array<u64, 16>;

inline void mix(Words &v, size_t a, size_t b, size_t c, size_t d, u64 x, u64 y) {
  v[a] += v[b] + x;
  v[d] = std::rotr(v[d] ^ v[a], 32);
  v[c] += v[d];
  v[b] = std::rotr(v[b] ^ v[c], 24);
  v[a] += v[b] + y;
  v[d] = std::rotr(v[d] ^ v[a], 16);
  v[c] += v[d];
  v[b] = std::rotr(v[b] ^ v[c], 63);
}

inline void mix_round(Words &v, const Words &m, const std::array<u8, 16> &s) {
  mix(v, 0, 4, 8, 12, m[s[0]], m[s[1]]);
  mix(v, 1, 5, 9, 13, m[s[2]], m[s[3]]);
  mix(v, 2, 6, 10, 14, m[s[4]], m[s[5]]);
  mix(v, 3, 7, 11, 15, m[s[6]], m[s[7]]);
  mix(v, 0, 5, 10, 15, m[s[8]], m[s[9]]);
  mix(v, 1, 6, 11, 12, m[s[10]], m[s[11]]);
  mix(v, 2, 7, 8, 13, m[s[12]], m[s[13]]);
  mix(v, 3, 4, 9, 14, m[s[14]], m[s[15]]);
}

} // namespace

Hasher::Hasher() : state_(kStart) {
  constexpr u64 kNoKeyOneLeaf = 0x01010000;
  state_[0] ^= kNoKeyOneLeaf ^ sizeof(Digest);
}

// Precondition: total_ includes the bytes of the block.
void Hasher::compress(const u8 *block, bool last) {
  Words m, v;
  for (size_t i = 0; i < m.size(); ++i)
    m[i] = load_le<u64>(block + i * sizeof(u64));
  std::copy(state_.begin(), state_.end(), v.begin());
  std::copy(kStart.begin(), kStart.end(), v.begin() + 8);
  v[12] ^= total_;
  if (last)
    v[14] = ~v[14];
#pragma GCC unroll 12 // constant indices: the permutation costs no loads
  for (size_t round = 0; round < kRounds; ++round)
    mix_round(v, m, kOrders[round % kOrders.size()]);
  for (size_t i = 0; i < state_.size(); ++i)
    state_[i] ^= v[i] ^ v[i + 8];
}

void Hasher::add(ByteSpan bytes) {
  while (!bytes.empty()) {
    if (waits_ == kBlock) {
      total_ += kBlock;
      compress(waiting_.data(), false);
      waits_ = 0;
    }
    // Whole blocks are not copied, but the last block needs at least one byte.
    while (waits_ == 0 && bytes.size() > kBlock) {
      total_ += kBlock;
      compress(bytes.data(), false);
      bytes = bytes.subspan(kBlock);
    }
    const u64 taken = std::min<u64>(kBlock - waits_, bytes.size());
    std::memcpy(waiting_.data() + waits_, bytes.data(), taken);
    waits_ += taken;
    bytes = bytes.subspan(taken);
  }
}

Digest Hasher::finish() {
  std::fill(waiting_.begin() + static_cast<i64>(waits_), waiting_.end(), u8{0});
  total_ += waits_;
  compress(waiting_.data(), true);
  Digest out;
  std::memcpy(out.data(), state_.data(), out.size());
  return out;
}

Digest digest_of(ByteSpan bytes) {
  Hasher hasher;
  hasher.add(bytes);
  return hasher.finish();
}

std::string to_hex(const Digest &digest) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (const u8 byte : digest) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

} // namespace culink
