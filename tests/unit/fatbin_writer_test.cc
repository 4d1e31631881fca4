// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "edit/fatbin_writer.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "edit/prune.h"
#include "fatbin_builder.h"
#include "support/bytes.h"

namespace culink {
namespace {

std::vector<FatbinContainer> read(const std::vector<u8> &bytes) {
  const Result<std::vector<FatbinContainer>> containers = read_fatbins(bytes);
  EXPECT_TRUE(containers) << (containers ? "" : containers.error().text());
  return containers ? *containers : std::vector<FatbinContainer>();
}

TEST(FatbinWriter, entries_are_read_back_as_they_were_written) {
  const std::string code = "code of any length, which is not a multiple of eight";
  for (const FatbinKind kind : {FatbinKind::Elf, FatbinKind::Ptx})
    for (const std::optional<int> level :
         {std::optional<int>(), std::optional(1), std::optional(22)})
      for (const char *options : {"", "-g"}) {
        FatbinImage image{.kind = kind, .sm = 90, .major = 9, .minor = 1};
        image.flags |= FatbinFlags::kArchSpecific;
        image.identifier = "source.cu";
        image.options = options;
        image.bytes = as_bytes(code);
        const std::vector<u8> bytes = write_container({write_entry(image, {level})});
        const std::vector<FatbinContainer> read_back = read(bytes);
        ASSERT_EQ(read_back.size(), 1u);
        const FatbinEntry &entry = read_back[0].entries.at(0);
        EXPECT_EQ(entry.kind, kind);
        EXPECT_EQ(target_name(entry), kind == FatbinKind::Elf ? "sm_90a" : "compute_90a");
        EXPECT_EQ(entry.major, 9);
        EXPECT_EQ(entry.minor, 1);
        EXPECT_EQ(entry.identifier, "source.cu");
        EXPECT_EQ(entry.options, options);
        EXPECT_EQ(entry.compression, level ? Compression::Zstd : Compression::None);
        const Result<std::vector<u8>> unpacked = unpack(entry);
        ASSERT_TRUE(unpacked);
        EXPECT_EQ(as_text(*unpacked).substr(0, code.size()), code); // raw cubins have padding
      }
}

TEST(FatbinWriter, containers_of_unchanged_entries_are_equal) {
  const std::vector<u8> bytes = test::container(
      {{.identifier = "a"}, {.kind = FatbinKind::Ptx, .how = Compression::Zstd, .options = "-O1"}});
  std::vector<ByteSpan> entries;
  const std::vector<FatbinContainer> containers = read(bytes);
  for (const FatbinEntry &entry : containers.at(0).entries)
    entries.push_back(entry.whole);
  EXPECT_EQ(write_container(entries), bytes);
}

TEST(FatbinWriter, repacking_keeps_code_and_texts) {
  const std::string code(5000, 'x');
  const std::vector<u8> lz4 = test::container(
      {{.payload = code, .how = Compression::Lz4, .identifier = "name", .options = "text"}});
  const FatbinEntry before = read(lz4)[0].entries[0];
  const std::optional<std::vector<u8>> packed = repack_entry(before, {22});
  ASSERT_TRUE(packed);
  const std::vector<u8> fatbin = write_container({*packed});
  const FatbinEntry after = read(fatbin)[0].entries[0];
  EXPECT_EQ(after.compression, Compression::Zstd);
  EXPECT_EQ(after.identifier, "name");
  EXPECT_EQ(after.options, "text");
  EXPECT_EQ(as_text(*unpack(after)), code);
  EXPECT_FALSE(repack_entry(after, {22})); // which would not make it smaller
  EXPECT_FALSE(repack_entry(read(test::container({{}}))[0].entries[0], {}));
}

TEST(FatbinWriter, ptx_without_what_a_header_needs_is_refused) {
  const auto problem = [](std::string_view text) {
    const Result<FatbinImage> image = describe_image(as_bytes(text));
    return image ? std::string() : image.error().text();
  };
  EXPECT_EQ(problem(".version 9.0\n.target sm_90\n.address_size 64\n"), "");
  EXPECT_NE(problem(".version 9\n.target sm_90\n.address_size 64\n"), "");
  EXPECT_NE(problem(".version 9.0\n.target sm_90q\n.address_size 64\n"), "");
  EXPECT_NE(problem(".version 9.0\n.target sm_90\n.address_size 32\n"), "");
  EXPECT_NE(problem("no code"), "");
}

TEST(Prune, containers_in_a_row_keep_what_matches) {
  std::vector<u8> two = test::container({{.sm = 80}, {.sm = 90}});
  const std::vector<u8> more = test::container({{.kind = FatbinKind::Ptx, .sm = 90}, {.sm = 90}});
  two.insert(two.end(), more.begin(), more.end());
  const Result<PrunedPieces> pruned = prune(two, {.keep = {"sm_9*"}});
  ASSERT_TRUE(pruned) << pruned.error().text();
  std::vector<u8> expected = test::container({{.sm = 90}});
  const std::vector<u8> second = test::container({{.sm = 90}});
  expected.insert(expected.end(), second.begin(), second.end());
  ASSERT_EQ(pruned->pieces.size(), 1u);
  EXPECT_TRUE(std::ranges::equal(pruned->pieces.front(), expected));
  EXPECT_EQ(pruned->total().pieces, 4u);
  EXPECT_EQ(pruned->total().dropped, 2u);
  EXPECT_FALSE(prune(two, {.drop = {"cubin", "ptx"}}));
  EXPECT_FALSE(prune(test::bytes_of("no file with code"), {}));
}

} // namespace
} // namespace culink
