// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers, and the escaping of names that are not clean text.
#include "support/text_out.h"

#include <cerrno>
#include <fcntl.h>
#include <limits>
#include <unistd.h>

#include <gtest/gtest.h>

namespace culink {
namespace {

TEST(TextOut, writes_numbers_of_every_length) {
  TextOut out;
  out.decimal(u64{0});
  out.put(' ');
  out.decimal(std::numeric_limits<u64>::max());
  out.put(' ');
  out.decimal(std::numeric_limits<i64>::min());
  out.put(' ');
  out.hex(0);
  out.put(' ');
  out.hex(0xab, 6);
  out.put(' ');
  out.hex(std::numeric_limits<u64>::max(), 3);
  EXPECT_EQ(out.text(), "0 18446744073709551615 -9223372036854775808 0 0000ab ffffffffffffffff");
}

TEST(TextOut, keeps_valid_utf8_and_escapes_the_rest) {
  EXPECT_EQ(printable("_Z3fooi"), "_Z3fooi");
  EXPECT_EQ(printable("gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f");
  EXPECT_EQ(printable("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80");
  EXPECT_EQ(printable("a\nb\x1b[0m"), "a\\x0ab\\x1b[0m");
  EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(printable("\xc0\x80"), "\\xc0\\x80");          // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80"); // surrogate
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");          // cut short
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");          // C1 control
  EXPECT_EQ(printable("a\\xff"), "a\\\\xff");
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae"); // U+202E: right to left
  EXPECT_EQ(printable("\xe2\x81\xa6"), "\\xe2\\x81\\xa6"); // U+2066
  EXPECT_EQ(printable("\xe2\x80\xa8"), "\\xe2\\x80\\xa8"); // U+2028: a line ends
  EXPECT_EQ(printable("\xe2\x80\x8f"), "\\xe2\\x80\\x8f"); // U+200F
  EXPECT_EQ(printable("\xd8\x9c"), "\\xd8\\x9c");          // U+061C
  EXPECT_EQ(printable("\xe2\x80\xa7"), "\xe2\x80\xa7");    // U+2027: a point
}

TEST(TextOut, stops_and_reports_when_a_write_fails) {
  const int full = ::open("/dev/full", O_WRONLY);
  if (full < 0)
    GTEST_SKIP() << "no /dev/full here";
  TextOut out(full);
  out.put("some text");
  EXPECT_EQ(out.failure(), 0);
  out.flush();
  EXPECT_EQ(out.failure(), ENOSPC);
  out.put("more");
  out.flush();
  EXPECT_EQ(out.failure(), ENOSPC);
  ::close(full);
}

TEST(TextOut, large_output_reaches_the_descriptor_in_order) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::string expected;
  {
    TextOut out(ends[1]);
    for (u64 i = 0; i < 5000; ++i) {
      out.decimal(i);
      out.put('\n');
      expected += std::to_string(i) + "\n";
    }
  }
  ::close(ends[1]);
  std::string seen(expected.size() + 1, 0);
  size_t at = 0;
  for (ssize_t n = 1; n > 0; at += static_cast<size_t>(n))
    n = ::read(ends[0], seen.data() + at, seen.size() - at);
  ::close(ends[0]);
  seen.resize(at);
  EXPECT_EQ(seen, expected);
}

} // namespace
} // namespace culink
