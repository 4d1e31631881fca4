// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "input/find_code.h"

#include <gtest/gtest.h>

#include "examples.h"
#include "fatbin_builder.h"

namespace culink {
namespace {

using test::Bytes;
using test::container;
using test::put;

void append(Bytes &out, const Bytes &more) {
  out.insert(out.end(), more.begin(), more.end());
}

Bytes raw_fatbin() {
  return container({{.payload = "\x7f"
                                "ELF and more"},
                    {.kind = FatbinKind::Ptx, .payload = ".version 9.0"},
                    {.payload = std::string(100, 'x'), .how = Compression::Zstd}});
}

std::vector<CodeInData> scan(const Bytes &data) {
  return scan_data(data, {});
}

TEST(ScanData, finds_fatbins_and_cubins_between_other_data) {
  const Bytes cubin = test::read_example("vector_math/sm_90/main.cubin");
  Bytes data(1000, 7);
  append(data, raw_fatbin());
  const u64 second = data.size() + 12;
  data.resize(second);
  append(data, cubin);
  data.resize(data.size() + 500);
  const std::vector<CodeInData> found = scan(data);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].bytes.data(), data.data() + 1000);
  EXPECT_EQ(found[0].bytes.size(), raw_fatbin().size());
  ASSERT_TRUE(found[0].container.has_value());
  EXPECT_EQ(found[0].container->entries.size(), 3u);
  EXPECT_FALSE(found[1].container.has_value());
  EXPECT_EQ(found[1].bytes.data(), data.data() + second);
  EXPECT_TRUE(std::ranges::equal(found[1].bytes, cubin));
}

TEST(ScanData, is_not_deceived_by_first_words) {
  Bytes data;
  put(data, kFatbinMagic);
  EXPECT_TRUE(scan(data).empty()) << "at the very end";
  put(data, u32{0x00100001});
  put(data, u64{0});
  EXPECT_TRUE(scan(data).empty()) << "without entries";
  Bytes cut = raw_fatbin();
  cut.resize(cut.size() - 8);
  EXPECT_TRUE(scan(cut).empty()) << "too short";
  EXPECT_TRUE(scan(container({{.payload = "not an ELF"}})).empty()) << "a payload of another kind";
  Bytes cubin = test::read_example("vector_math/sm_90/main.cubin");
  cubin.resize(cubin.size() - 1);
  EXPECT_TRUE(scan(cubin).empty()) << "a cubin that is cut";
}

TEST(ScanData, gives_back_what_it_has_read_and_goes_on_after_large_pieces) {
  Bytes data = container({{.payload = "\x7f"
                                      "ELF" +
                                      std::string(20 << 20, 'x')}});
  append(data, raw_fatbin());
  data.resize(data.size() + (9 << 20));
  u64 released = 0;
  const std::vector<CodeInData> found = scan_data(data, [&](ByteSpan bytes) {
    EXPECT_EQ(bytes.data(), data.data() + released);
    released += bytes.size();
  });
  EXPECT_EQ(found.size(), 2u);
  EXPECT_EQ(released, data.size());
}

// Each of many headers leads through all entries behind it, to a wrong one.
TEST(ScanData, time_does_not_grow_with_the_square) {
  Bytes data;
  constexpr u64 kCount = 1 << 15;
  for (u64 i = 0; i < kCount; ++i) {
    Bytes one = test::entry({.payload = ""});
    store_le(one.data() + 48, kFatbinMagic);
    store_le(one.data() + 52, u32{0x00100001});
    store_le(one.data() + 56, u64{(kCount - i - 1) * 64});
    append(data, one);
  }
  data.push_back(0);
  EXPECT_TRUE(scan(data).empty()); // 2^30 steps would be noticed
}

} // namespace
} // namespace culink
