// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "input/fatbin.h"

#include <memory>
#include <sys/resource.h>

#include <gtest/gtest.h>

#include "fatbin_builder.h"

namespace culink {
namespace {

using test::Bytes;

TEST(Decompress, gives_back_what_was_packed) {
  for (const Compression how : {Compression::None, Compression::Lz4, Compression::Zstd})
    for (const size_t size : {1, 7, 100, 70000, 1000000}) {
      std::string text(size, 'a');
      for (size_t i = 0; i < size; i += 3)
        text[i] = static_cast<char>(i * 31 >> 3);
      const Result<std::vector<u8>> back =
          decompress(how, test::packed({.payload = text, .how = how}), size);
      ASSERT_TRUE(back) << size;
      EXPECT_EQ(*back, test::bytes_of(text)) << size;
    }
}

TEST(Decompress, gives_back_much_that_was_packed_into_little) {
  const std::string text(9'000'000, 'a');
  const Bytes packed = test::packed({.payload = text, .how = Compression::Zstd});
  ASSERT_LT(packed.size(), text.size() / 1000);
  const Result<std::vector<u8>> back = decompress(Compression::Zstd, packed, text.size());
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, test::bytes_of(text));
  for (const size_t size : {packed.size() - 1, packed.size() / 2})
    EXPECT_FALSE(decompress(Compression::Zstd, ByteSpan(packed).first(size), text.size()));
}

// A frame that says it holds four gigabytes, and rubbish.
TEST(Decompress, takes_no_memory_for_what_is_only_said_to_be_there) {
  constexpr u64 kSize = u64{4} << 30;
  Bytes packed(200'000, 0xee);
  const std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx *)> context(ZSTD_createCCtx(),
                                                                    ZSTD_freeCCtx);
  ZSTD_CCtx_setPledgedSrcSize(context.get(), kSize);
  const std::string start(100'000, 'a');
  ZSTD_inBuffer in{start.data(), start.size(), 0};
  ZSTD_outBuffer out{packed.data(), packed.size(), 0};
  ZSTD_compressStream2(context.get(), &out, &in, ZSTD_e_flush);
  ASSERT_EQ(ZSTD_getFrameContentSize(packed.data(), packed.size()), kSize);
  rusage before{}, after{};
  ::getrusage(RUSAGE_SELF, &before);
  EXPECT_FALSE(decompress(Compression::Zstd, packed, kSize));
  ::getrusage(RUSAGE_SELF, &after);
  constexpr long kMostKilobytes = 100 << 10;
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, kMostKilobytes);
}

TEST(Decompress, refuses_sizes_that_the_packed_bytes_cannot_hold) {
  for (const Compression how : {Compression::Lz4, Compression::Zstd}) {
    const Bytes packed = test::packed({.payload = "hello", .how = how});
    for (const u64 size : {u64{1} << 20, u64{1} << 33, u64{1} << 40, ~u64{0}})
      EXPECT_FALSE(decompress(how, packed, size)) << size;
  }
}

TEST(Decompress, refuses_any_other_size) {
  const std::string text = "hello hello hello hello hello";
  for (const Compression how : {Compression::Lz4, Compression::Zstd}) {
    const Bytes packed = test::packed({.payload = text, .how = how});
    for (const size_t size : {size_t{0}, text.size() - 1, text.size() + 1})
      EXPECT_FALSE(decompress(how, packed, size)) << size;
  }
}

TEST(Decompress, refuses_cut_and_empty_data) {
  const std::string text(300, 'z');
  for (const Compression how : {Compression::Lz4, Compression::Zstd}) {
    const Bytes packed = test::packed({.payload = text, .how = how});
    for (size_t size = 0; size < packed.size(); ++size)
      EXPECT_FALSE(decompress(how, ByteSpan(packed).first(size), text.size())) << size;
  }
}

TEST(Decompress, refuses_what_it_does_not_know) {
  EXPECT_FALSE(decompress(Compression::Unknown, test::bytes_of("x"), 1));
}

} // namespace
} // namespace culink
