// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "input/fatbin.h"

#include <gtest/gtest.h>

#include "fatbin_builder.h"

namespace culink {
namespace {

using test::Bytes;
using test::Member;

constexpr u64 kFirstEntry = 16;

FatbinEntry only_entry(const Bytes &file) {
  const Result<std::vector<FatbinContainer>> found = read_fatbins(file);
  EXPECT_TRUE(found) << (found ? "" : found.error().text());
  if (!found || found->size() != 1 || found->front().entries.size() != 1)
    return {};
  return found->front().entries.front();
}

std::string unpacked(const FatbinEntry &entry) {
  const Result<std::vector<u8>> bytes = unpack(entry);
  return bytes ? std::string(bytes->begin(), bytes->end()) : bytes.error().text();
}

TEST(Fatbin, fields_of_an_entry_are_read) {
  Member member;
  member.sm = 103;
  member.letter = 'f';
  member.identifier = "kernel.cu";
  member.options = "-g --compile-only";
  const std::vector<u8> bytes = test::container({member});
  const FatbinEntry entry = only_entry(bytes);
  EXPECT_EQ(entry.offset, kFirstEntry);
  EXPECT_EQ(entry.kind, FatbinKind::Elf);
  EXPECT_EQ(entry.sm, 103u);
  EXPECT_EQ(entry.letter(), 'f');
  EXPECT_EQ(entry.major, 1);
  EXPECT_EQ(entry.minor, 8);
  EXPECT_EQ(entry.identifier, "kernel.cu");
  EXPECT_EQ(entry.options, "-g --compile-only");
  EXPECT_TRUE(entry.has(FatbinFlags::kLinux));
  EXPECT_FALSE(entry.has(FatbinFlags::kDebug));
}

TEST(Fatbin, an_entry_can_be_given_away_alone) {
  Member packed;
  packed.payload = std::string(500, 'x');
  packed.how = Compression::Zstd;
  packed.options = "-ftz=0";
  const Bytes file = test::container({{.sm = 80, .payload = "first"}, packed});
  const Result<std::vector<FatbinContainer>> found = read_fatbins(file);
  ASSERT_TRUE(found);
  const FatbinEntry &second = found->front().entries[1];
  const Bytes alone = write_container({second.whole});
  const FatbinEntry entry = only_entry(alone);
  EXPECT_EQ(entry.sm, 90u);
  EXPECT_EQ(entry.options, "-ftz=0");
  EXPECT_EQ(unpacked(entry), std::string(500, 'x'));
  EXPECT_TRUE(
      std::equal(entry.whole.begin(), entry.whole.end(), second.whole.begin(), second.whole.end()));
}

TEST(Fatbin, every_packing_unpacks_to_the_same_bytes) {
  const std::string text(5000, 'x');
  for (const Compression how : {Compression::None, Compression::Lz4, Compression::Zstd}) {
    const Bytes file = test::container({{.payload = text, .how = how}});
    const FatbinEntry entry = only_entry(file);
    EXPECT_EQ(entry.compression, how);
    EXPECT_EQ(unpacked(entry), text) << static_cast<int>(how);
  }
}

TEST(Fatbin, what_grows_when_packed_is_still_packed) {
  const Bytes file = test::container(
      {{.kind = FatbinKind::Ptx, .payload = ".version 9.0", .how = Compression::Zstd}});
  const FatbinEntry entry = only_entry(file);
  EXPECT_GT(entry.payload.size(), entry.size);
  EXPECT_EQ(unpacked(entry), ".version 9.0");
}

TEST(Fatbin, ptx_comes_without_its_padding) {
  const Bytes file =
      test::container({{.kind = FatbinKind::Ptx, .payload = std::string("abc\0", 4)}});
  EXPECT_EQ(unpacked(only_entry(file)), "abc");
}

TEST(Fatbin, header_sizes_are_honoured) {
  Bytes file = test::container({{}});
  file.insert(file.begin() + 16, 16, 0xee); // a longer container header
  store_le(file.data() + 6, u16{32});
  EXPECT_EQ(unpacked(only_entry(file)).substr(0, 9), "some code");
}

TEST(Fatbin, containers_may_follow_each_other) {
  const Bytes first = test::container({{.sm = 80}, {.sm = 90}});
  const Bytes second = test::container({{.sm = 75}});
  for (const size_t align : {8, 256}) {
    Bytes file = first;
    test::pad_to(file, align);
    const u64 place = file.size();
    file.insert(file.end(), second.begin(), second.end());
    test::pad_to(file, align);
    const Result<std::vector<FatbinContainer>> found = read_fatbins(file);
    ASSERT_TRUE(found);
    ASSERT_EQ(found->size(), 2u);
    EXPECT_EQ((*found)[0].entries.size(), 2u);
    EXPECT_EQ((*found)[1].offset, place);
    EXPECT_EQ((*found)[1].entries[0].sm, 75u);
    const Result<std::vector<FatbinContainer>> one = read_fatbins(file, FatbinReading::AsNvlink);
    ASSERT_TRUE(one);
    EXPECT_EQ(one->size(), 1u);
  }
}

TEST(Fatbin, a_container_may_be_empty) {
  const Result<std::vector<FatbinContainer>> found = read_fatbins(test::container({}));
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->front().entries.empty());
}

TEST(Fatbin, entries_of_other_kinds_are_listed) {
  for (const u16 kind : {0, 4, 16, 32, 64})
    EXPECT_EQ(only_entry(test::container({{.kind = static_cast<FatbinKind>(kind)}})).kind,
              static_cast<FatbinKind>(kind));
}

struct Damage {
  const char *what;
  u64 offset;
  u64 size; // of the field
  u64 value;
  const char *field; // of the error
};

Bytes damaged(Bytes file, const Damage &damage) {
  for (u64 i = 0; i < damage.size; ++i)
    file[damage.offset + i] = static_cast<u8>(damage.value >> (8 * i));
  return file;
}

// Every size and offset of container and entry, wrong.
const std::vector<Damage> kDamages = {
    {"magic", 0, 4, 0xba55ed51, "magic"},
    {"version 0", 4, 2, 0, "version"},
    {"version 2", 4, 2, 2, "version"},
    {"short header", 6, 2, 15, "header size"},
    {"container too long", 8, 8, 0x10000, "size"},
    {"container far too long", 8, 8, ~u64{0}, "size"},
    {"container ends in an entry", 8, 8, 100, ""},
    {"container ends in an entry's header", 8, 8, 40, ""},
    {"entry header too short", kFirstEntry + test::kHeaderSize, 4, 63, "header size"},
    {"entry header 0", kFirstEntry + test::kHeaderSize, 4, 0, "header size"},
    {"entry header too long", kFirstEntry + test::kHeaderSize, 4, 0x10000, "header size"},
    {"payload too long", kFirstEntry + test::kPaddedSize, 8, 0x10000, "size"},
    {"payload far too long", kFirstEntry + test::kPaddedSize, 8, ~u64{0} - 100, "size"},
    {"payload too short", kFirstEntry + test::kPaddedSize, 8, 8, ""},
    {"packed size", kFirstEntry + test::kPackedSize, 4, 0x10000, "packed size"},
    {"identifier", kFirstEntry + test::kIdentifier, 4, 0x1000, "identifier"},
    {"identifier's size", kFirstEntry + test::kIdentifierSize, 4, 0x7fffffff, "identifier"},
    {"options", kFirstEntry + test::kOptions, 4, 0x1000, "options"},
    {"options record", kFirstEntry + 64 + 16, 4, 0x1000, "options"},
    {"options' size", kFirstEntry + 64 + 20, 4, 0x1000, "options"},
};

TEST(Fatbin, damaged_fields_are_refused_by_name) {
  Member member;
  member.how = Compression::Zstd;
  member.payload = std::string(1000, 'q');
  member.identifier = "source.cu";
  member.options = "-g";
  const Bytes good = test::container({member});
  ASSERT_TRUE(read_fatbins(good));
  for (const Damage &damage : kDamages) {
    const Bytes file = damaged(good, damage);
    const Result<std::vector<FatbinContainer>> found = read_fatbins(file);
    ASSERT_FALSE(found) << damage.what;
    if (*damage.field) {
      EXPECT_EQ(found.error().field, damage.field) << damage.what;
    }
  }
}

// What nvlink took of the same damages.
TEST(Fatbin, nvlink_minds_less) {
  Member member;
  member.how = Compression::Lz4;
  member.identifier = "source.cu";
  member.options = "-g";
  const Bytes good = test::container({member});
  const std::vector<Damage> damages = {
      {"container ends in an entry", 8, 8, 70, ""},
      {"identifier", kFirstEntry + test::kIdentifier, 4, 0x1000, ""},
      {"identifier's size", kFirstEntry + test::kIdentifierSize, 4, 0x7fffffff, ""},
      {"options", kFirstEntry + test::kOptions, 4, 0x1000, ""},
      {"two packings", kFirstEntry + test::kFlags, 2, 0xa011, ""},
      {"two others", kFirstEntry + test::kFlags, 2, 0x6011, ""},
  };
  for (const Damage &damage : damages) {
    const Bytes file = damaged(good, damage);
    const Result<std::vector<FatbinContainer>> found = read_fatbins(file, FatbinReading::AsNvlink);
    ASSERT_TRUE(found) << damage.what;
    ASSERT_EQ(found->front().entries.size(), 1u) << damage.what;
    EXPECT_EQ(unpacked(found->front().entries.front()), "some code") << damage.what;
  }
  member.kind = FatbinKind::Ptx;
  EXPECT_FALSE(
      read_fatbins(damaged(test::container({member}), damages[3]), FatbinReading::AsNvlink));
}

TEST(Fatbin, damaged_payloads_are_refused_when_unpacked) {
  const Bytes good =
      test::container({{.payload = std::string(9000, 'q'), .how = Compression::Zstd}});
  const std::vector<Damage> damages = {
      {"one less", kFirstEntry + test::kSize, 8, 8999, ""},
      {"one more", kFirstEntry + test::kSize, 8, 9001, ""},
      {"2^40", kFirstEntry + test::kSize, 8, u64{1} << 40, ""},
      {"0", kFirstEntry + test::kSize, 8, 0, ""},
      {"data", kFirstEntry + 64 + 12, 4, 0xa5a5a5a5, ""},
      {"no frame", kFirstEntry + 64, 4, 0, ""},
      {"LZ4 instead", kFirstEntry + test::kFlags, 2, 0x2011, ""},
      {"both", kFirstEntry + test::kFlags, 2, 0xa011, ""},
      {"unused flag", kFirstEntry + test::kFlags, 2, 0x1011, ""},
      {"other unused flag", kFirstEntry + test::kFlags, 2, 0x4011, ""},
  };
  for (const Damage &damage : damages) {
    const Bytes file = damaged(good, damage);
    EXPECT_FALSE(unpack(only_entry(file))) << damage.what;
  }
}

TEST(Fatbin, cut_files_are_refused_at_every_length) {
  const Bytes good = test::container({{.sm = 80}, {.sm = 90}});
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(read_fatbins(ByteSpan(good).first(size))) << size;
}

TEST(Fatbin, scrambled_code_is_not_unpacked) {
  const Bytes file = test::container(
      {{.kind = FatbinKind::Lto, .flags = FatbinFlags::kIs64Bit | FatbinFlags::kScrambled}});
  EXPECT_FALSE(unpack(only_entry(file)));
}

} // namespace
} // namespace culink
