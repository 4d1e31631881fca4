// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Digests are those of RFC 7693, whatever parts the contents come in. The expected ones are
// Python's (hashlib.blake2b with digest_size=32).
#include "compilers/cache/digest.h"

#include <array>
#include <string_view>

#include <gtest/gtest.h>

#include "support/bytes.h"

namespace culink {
namespace {

struct KnownDigest {
  u64 size;
  std::string_view digits;
};

constexpr std::array<KnownDigest, 11> kKnown = {{
    {0, "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"},
    {1, "ee155ace9c40292074cb6aff8c9ccdd273c81648ff1149ef36bcea6ebb8a3e25"},
    {3, "9facd640130c81e7f318a8d5c660bc1b0f5d03861ffbd4cc1358e0e904593c28"},
    {127, "1c171e998aff7ddd899783610668504f26fe61fbfacc78e48c4ea80eecc1f866"},
    {128, "685b73b75dc1b6556038ef8fdad4b2ce90982353724a24f7dc28b176a2a97bf2"},
    {129, "0c537bbbdad527a580c5b73f46782f7301dbf54a8626ec3c3042d7d7a336ca8e"},
    {255, "d7ef1419c00bbf66abbd4dafb182f59039006cb143372ad5d067059a850ed2e0"},
    {256, "cd4f5f042c7b0f98e69a08af876a9c690ec8608de64f5df79e2120aad6344ae8"},
    {257, "ddd6c2e1515246b0ee2bffeb62d829a3712ae811d6bbd29631071f899cbfe962"},
    {1000, "c6c87f8729c7510dafb7a82884256a61bd63a33aa2506de9b5533646e476405c"},
    {65537, "d709c38b4fc5fec0a72457360bba99507b3282d533870c92c53d8cff03fc4414"},
}};

std::vector<u8> contents_of(u64 size) {
  std::vector<u8> out(size);
  for (u64 i = 0; i < size; ++i)
    out[i] = static_cast<u8>((i * 7 + size) % 251);
  return out;
}

TEST(Digest, IsThatOfTheStandard) {
  EXPECT_EQ(to_hex(digest_of(as_bytes("abc"))),
            "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
  for (const KnownDigest &known : kKnown)
    EXPECT_EQ(to_hex(digest_of(contents_of(known.size))), known.digits) << known.size;
}

TEST(Digest, DoesNotDependOnTheParts) {
  for (const KnownDigest &known : kKnown)
    for (const u64 step : {1, 3, 127, 128, 129, 300}) {
      const std::vector<u8> contents = contents_of(known.size);
      Hasher hasher;
      for (u64 at = 0; at < contents.size(); at += step)
        hasher.add(ByteSpan(contents).subspan(at, std::min(step, contents.size() - at)));
      EXPECT_EQ(to_hex(hasher.finish()), known.digits) << known.size << " in steps of " << step;
    }
}

} // namespace
} // namespace culink
