// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "yaml/document/byte_lines.h"

#include <gtest/gtest.h>

#include <numeric>

#include "yaml/document/document.h"

namespace culink::text {
namespace {

using Bytes = std::vector<u8>;

// Through YAML, as a user's file would be.
Node node_from_yaml(std::string_view value) {
  Result<Node> document = read_yaml(value);
  EXPECT_TRUE(document);
  return document ? std::move(document->items.at(0)) : Node{};
}

std::string complaint(std::string_view yaml, bool code) {
  Complaints complaints;
  const Node node = node_from_yaml(yaml);
  (void)(code ? read_code(node, complaints) : read_data(node, complaints));
  return complaints.any() ? complaints.first().text() : "none";
}

TEST(ByteLines, data_survives_with_runs_of_zeros_shortened) {
  for (const u64 size : {0u, 1u, 31u, 32u, 33u, 100u, 4096u}) {
    Bytes bytes(size);
    for (const u64 filled : {u64{0}, size / 2, size}) {
      std::iota(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(filled), u8{1});
      Complaints complaints;
      EXPECT_EQ(read_data(data_node(bytes), complaints), bytes);
      EXPECT_FALSE(complaints.any());
    }
  }
  EXPECT_EQ(data_node(Bytes(4096)).text, "zero x4096");
}

TEST(ByteLines, code_survives_and_shows_instructions) {
  Bytes bytes(64, 0xab);
  Complaints complaints;
  const Bytes nops = read_code(node_from_yaml("code: nop x2"), complaints);
  bytes.insert(bytes.end(), nops.begin(), nops.end());
  const Node node = code_node(bytes);
  EXPECT_EQ(node.text, "0xabababababababab 0xabababababababab\n"
                       "0xabababababababab 0xabababababababab\n"
                       "0xabababababababab 0xabababababababab\n"
                       "0xabababababababab 0xabababababababab\nnop x2\n");
  EXPECT_EQ(read_code(node, complaints), bytes);
  EXPECT_FALSE(complaints.any());
}

TEST(ByteLines, takes_lists_comments_and_blanks) {
  Complaints complaints;
  EXPECT_EQ(read_data(node_from_yaml("data: [01 02, '03 # three', zero x2]"), complaints),
            (Bytes{1, 2, 3, 0, 0}));
  EXPECT_EQ(read_code(node_from_yaml("code: |\n  0x1 0x2 # EXIT\n\n  nop\n"), complaints).size(),
            32u);
  EXPECT_EQ(read_number_lines(node_from_yaml("indices: |\n  1 2\n  0x30000\n"), complaints),
            (Bytes{1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 3, 0}));
  EXPECT_FALSE(complaints.any());
}

TEST(ByteLines, complains_with_the_line) {
  EXPECT_EQ(complaint("data: |\n  00\n  0g\n", false),
            "line 3, data: '0g' is not understood; write bytes in hexadecimal or `zero xN`");
  EXPECT_EQ(complaint("data: 123", false),
            "line 1, data: '123' is not understood; write bytes in hexadecimal or `zero xN`");
  EXPECT_EQ(complaint("code:\n- nop\n- 0x1\n", true),
            "line 3: '0x1' is not an instruction: low word, blank, high word, each with 0x");
  EXPECT_EQ(complaint("data: {a: b}", false), "line 1, data: lines of bytes are needed here");
}

TEST(ByteLines, refuses_to_fill_the_memory) {
  const std::string refusal = ": the file would be larger than 0x40000000 bytes";
  EXPECT_EQ(complaint("data: zero x99999999999999999", false), "line 1, data" + refusal);
  EXPECT_EQ(complaint("code: nop x18446744073709551615", true), "line 1, code" + refusal);
  EXPECT_EQ(complaint("code: nop x67108865", true), "line 1, code" + refusal);
  // The limit covers all contents of a document together.
  Complaints complaints;
  const Node large = node_from_yaml("data: zero x1000000");
  for (int i = 0; i < 1100; ++i)
    (void)read_data(large, complaints);
  ASSERT_TRUE(complaints.any());
  EXPECT_EQ(complaints.first().text(), "line 1, data" + refusal);
}

} // namespace
} // namespace culink::text
