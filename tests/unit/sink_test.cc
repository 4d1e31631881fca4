// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All sinks are told the same; what they write must hold the same values.
#include "inspect/dump/sink.h"

#include <array>

#include <gtest/gtest.h>

namespace culink::text {
namespace {

void tell_everything(Sink &sink) {
  static constexpr std::array<Column, 3> kColumns{
      {{"index", "index", 5}, {"name", "name"}, {"addend", ""}}};
  sink.begin();
  sink.begin_file("a\xff.cubin");
  sink.open_record("header", "Header");
  sink.field({"class", "class"}, number(64));
  sink.field({"flags", "flags"}, hex(0x5a04));
  sink.close_record();
  sink.open_list("rows", "Rows", kColumns);
  sink.open_row();
  sink.field(kColumns[0], number(1));
  sink.field(kColumns[1], name("quote\" back\\slash \n"));
  sink.field(kColumns[2], signed_hex(-16));
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
  sink.values({"symbols", ""}, symbols, true);
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

TEST(Sink, json_keeps_every_value) {
  TextOut out;
  tell_everything(*make_sink(Format::Json, out));
  EXPECT_EQ(out.text(), R"([
 {"file": "a\\xff.cubin",
  "header": {"class": 64, "flags": 23044},
  "rows": [
   {"index": 1, "name": "quote\" back\\\\slash \\x0a", "addend": -16},
   {"index": 2, "name": ""}
  ],
  "groups": [
   {"type": 7, "type_name": "SEVEN", "other": 8, "other_name": null, "link": 3, "link_name": "three", "on": true, "gone": null, "text": "a, b", "symbols": [4, 5], "symbols_name": ["four", null], "inner": [
     {"bytes": "01ab"}], "nothing": []}
  ],
  "empty": []
 }
]
)");
}

TEST(Sink, text_is_laid_out_for_people) {
  TextOut out;
  tell_everything(*make_sink(Format::Text, out));
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

// Lists inside the rows of a list without columns are tables; what such a row says itself comes
// first.
TEST(Sink, csv_has_a_table_for_each_list) {
  TextOut out;
  tell_everything(*make_sink(Format::Csv, out));
  EXPECT_EQ(out.text(),
            "file,key,value\n"
            "a\\xff.cubin,class,64\n"
            "a\\xff.cubin,flags,23044\n"
            "file,index,name,addend\n"
            "a\\xff.cubin,1,\"quote\"\" back\\\\slash \\x0a\",-16\n"
            "a\\xff.cubin,2,,\n"
            "file,groups.type,groups,inner\n"
            "a\\xff.cubin,SEVEN,\"other 0x8, link 3, on true, gone , text \"\"a, b\"\", "
            "symbols four 0x5\",bytes 01ab\n");
}

TEST(Sink, markdown_has_titles_and_tables) {
  TextOut out;
  const std::unique_ptr<Sink> sink = make_sink(Format::Markdown, out);
  static constexpr std::array<Column, 2> kColumns{{{"size", "size", 5}, {"name", "name"}}};
  sink->begin();
  sink->begin_file("a_b.cubin");
  sink->open_list("rows", "Rows", kColumns);
  sink->row(kColumns, {hex(16), name("f<int>|x")});
  sink->row(kColumns, {missing(), name("g")});
  sink->close_list();
  sink->end_file();
  sink->end();
  EXPECT_EQ(out.text(), "# a\\_b.cubin\n"
                        "\n"
                        "## Rows\n"
                        "\n"
                        "| size | name |\n"
                        "| --- | --- |\n"
                        "| 0x10 | f\\<int\\>\\|x |\n"
                        "|  | g |\n");
}

TEST(Sink, long_bytes_become_a_hex_dump) {
  TextOut out;
  const std::unique_ptr<Sink> sink = make_sink(Format::Text, out);
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

TEST(Sink, no_files_are_an_empty_list) {
  TextOut out;
  const std::unique_ptr<Sink> sink = make_sink(Format::Json, out);
  sink->begin();
  sink->end();
  EXPECT_EQ(out.text(), "[]\n");
}

} // namespace
} // namespace culink::text
