// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/repro/tar.h"

#include <gtest/gtest.h>

#include "support/bytes.h"

namespace culink {
namespace {

std::vector<u8> tar_of(const std::vector<std::pair<std::string, std::string>> &files) {
  TarWriter tar;
  for (const auto &[name, text] : files)
    tar.add_text(name, text);
  std::vector<u8> out;
  for (const ByteSpan piece : tar.finish())
    out.insert(out.end(), piece.begin(), piece.end());
  return out;
}

TEST(Tar, files_are_read_back_with_their_bytes) {
  const std::string block(512, 'b');
  const std::vector<u8> tar = tar_of({{"a/empty", ""}, {"a/text", "text"}, {"a/block", block}});
  EXPECT_EQ(tar.size(), 512u * (1 + 2 + 2 + 2));
  const Result<std::vector<TarMember>> members = read_tar(tar);
  ASSERT_TRUE(members);
  ASSERT_EQ(members->size(), 3u);
  EXPECT_EQ((*members)[0].name, "a/empty");
  EXPECT_EQ(as_text((*members)[1].bytes), "text");
  EXPECT_EQ(as_text((*members)[2].bytes), block);
}

TEST(Tar, every_cut_and_every_changed_header_is_noticed) {
  const std::vector<u8> tar = tar_of({{"a", "text"}});
  for (size_t size = 0; size < 1536; size += 100)
    EXPECT_FALSE(read_tar(ByteSpan(tar).first(size))) << size;
  for (size_t place = 0; place < 512; ++place) {
    std::vector<u8> changed = tar;
    changed[place] ^= 1;
    const Result<std::vector<TarMember>> members = read_tar(changed);
    EXPECT_FALSE(members && (*members)[0].name != "a") << place;
  }
}

TEST(Tar, names_stay_in_their_folder) {
  for (const char *name : {"/a", "../a", "a/../../b", "a/.."})
    EXPECT_FALSE(read_tar(tar_of({{name, ""}}))) << name;
  for (const char *name : {"a", "a..b", "...", "a/..b"})
    EXPECT_TRUE(read_tar(tar_of({{name, ""}}))) << name;
}

} // namespace
} // namespace culink
