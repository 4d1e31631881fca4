// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both sinks are told the same; what they write must hold the same values.
#include "text/dump/dump_sink.h"

#include <array>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace culink::text {
namespace {

void tell_everything(DumpSink &sink) {
  static constexpr std::array<Column, 2> kColumns{{{"index", "index", 5}, {"name", "name"}}};
  sink.begin();
  sink.begin_file("a\xff.cubin");
  sink.open_record("header", "Header");
  sink.field({"class", "class"}, number(64));
  sink.field({"flags", "flags"}, hex(0x5a04));
  sink.close_record();
  sink.open_list("rows", "Rows");
  sink.headings(kColumns);
  sink.open_row();
  sink.field(kColumns[0], number(1));
  sink.field(kColumns[1], name("quote\" back\\slash \n"));
  sink.field({"addend", ""}, signed_hex(-16));
  sink.close_row();
  sink.open_row();
  sink.field(kColumns[0], number(2));
  sink.field(kColumns[1], name(""));
  sink.close_row();
  sink.close_list();
  sink.open_list("groups", "Groups");
  sink.open_row();
  sink.field({"type", "type"}, label(7, "SEVEN"));
  sink.field({"other", ""}, label(8, ""));
  sink.field({"link", ""}, reference(3, "three"));
  sink.field({"on", ""}, flag(true));
  sink.field({"gone", ""}, missing());
  sink.field({"text", ""}, name("a, b"));
  const std::array<Value, 2> symbols{label(4, "four"), label(5, "")};
  sink.labels({"symbols", ""}, symbols);
  sink.open_list("inner", "inner list");
  sink.open_row();
  sink.bytes({"bytes", ""}, std::array<u8, 2>{0x01, 0xab});
  sink.close_row();
  sink.close_list();
  sink.open_list("nothing", "no such line");
  sink.close_list();
  sink.close_row();
  sink.close_list();
  sink.open_list("empty", "Empty");
  sink.close_list();
  sink.end_file();
  sink.end();
}

TEST(DumpSink, json_is_valid_and_keeps_every_value) {
  TextOut out;
  tell_everything(*make_json_sink(out));
  const nlohmann::json json = nlohmann::json::parse(out.text(), nullptr, false);
  ASSERT_FALSE(json.is_discarded()) << out.text();
  const nlohmann::json expected = nlohmann::json::parse(R"([{
    "file": "a\\xff.cubin",
    "header": {"class": 64, "flags": 23044},
    "rows": [{"index": 1, "name": "quote\" back\\\\slash \\x0a", "addend": -16},
             {"index": 2, "name": ""}],
    "groups": [{"type": 7, "type_name": "SEVEN", "other": 8, "other_name": null,
                "link": 3, "link_name": "three", "on": true, "gone": null, "text": "a, b",
                "symbols": [4, 5], "symbols_name": ["four", null],
                "inner": [{"bytes": "01ab"}], "nothing": []}],
    "empty": []}])");
  EXPECT_EQ(json, expected);
}

TEST(DumpSink, text_is_laid_out_for_people) {
  TextOut out;
  tell_everything(*make_text_sink(out));
  EXPECT_EQ(out.text(), "a\\xff.cubin:\n"
                        "\n"
                        "Header\n"
                        "  class             64\n"
                        "  flags             0x5a04\n"
                        "\n"
                        "Rows\n"
                        "  index  name\n"
                        "      1  quote\" back\\\\slash \\x0a  addend -0x10\n"
                        "      2\n"
                        "\n"
                        "Groups\n"
                        "  SEVEN  other 0x8, link 3, on yes, gone -, text \"a, b\", "
                        "symbols four 0x5\n"
                        "    inner list\n"
                        "      bytes 01 ab\n"
                        "\n"
                        "Empty\n"
                        "  none\n");
}

TEST(DumpSink, long_bytes_become_a_hex_dump) {
  TextOut out;
  const std::unique_ptr<DumpSink> sink = make_text_sink(out);
  std::array<u8, 20> bytes{};
  bytes[0] = 'A';
  bytes[19] = 0x7f;
  sink->open_list("hex", "Contents");
  sink->open_row();
  sink->field({"name", "name"}, name(".text"));
  sink->bytes({"bytes", ""}, bytes);
  sink->close_row();
  sink->close_list();
  EXPECT_EQ(out.text(),
            "\nContents\n"
            "  .text\n"
            "    000000  41 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  A...............\n"
            "    000010  00 00 00 7f                                      ....\n");
}

TEST(DumpSink, no_files_are_an_empty_list) {
  TextOut out;
  const std::unique_ptr<DumpSink> sink = make_json_sink(out);
  sink->begin();
  sink->end();
  EXPECT_EQ(out.text(), "[]\n");
}

} // namespace
} // namespace culink::text
