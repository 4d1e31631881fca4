// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compilers/cache/folder.h"

#include <gtest/gtest.h>

#include "support/bytes.h"

namespace culink {
namespace {

const Digest kKey = digest_of(as_bytes("a question"));

CompilerAnswer answer() {
  return {{1, 2, 3, 4, 5}, "a remark"};
}

std::vector<u8> sound_entry() {
  return encode_entry(kKey, answer().image, answer().text);
}

TEST(CacheEntry, GivesTheAnswerBack) {
  for (const CompilerAnswer &one : {answer(), CompilerAnswer{}, CompilerAnswer{{}, "text"}}) {
    const std::optional<CompilerAnswer> back =
        decode_entry(kKey, encode_entry(kKey, one.image, one.text));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->image, one.image);
    EXPECT_EQ(back->text, one.text);
  }
}

TEST(CacheEntry, AnswersItsOwnQuestionOnly) {
  EXPECT_FALSE(decode_entry(digest_of(as_bytes("another")), sound_entry()));
}

TEST(CacheEntry, NoticesEveryBitThatChanges) {
  const std::vector<u8> sound = sound_entry();
  for (size_t at = 0; at < sound.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::vector<u8> damaged = sound;
      damaged[at] ^= static_cast<u8>(1 << bit);
      EXPECT_FALSE(decode_entry(kKey, damaged)) << at << "." << bit;
    }
}

TEST(CacheEntry, NoticesEveryLengthThatIsWrong) {
  std::vector<u8> entry = sound_entry();
  for (size_t size = 0; size < entry.size(); ++size)
    EXPECT_FALSE(decode_entry(kKey, ByteSpan(entry).first(size))) << size;
  entry.push_back(0);
  EXPECT_FALSE(decode_entry(kKey, entry));
}

} // namespace
} // namespace culink
