// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Record sections as text and back, through YAML: whatever describes must assemble to its bytes.
#include "yaml/records.h"

#include <gtest/gtest.h>

#include <random>

#include "elf/records/nv_callgraph.h"
#include "elf/records/nv_compat.h"
#include "elf/records/nv_info.h"
#include "elf/records/nv_notes.h"
#include "support/bytes.h"
#include "yaml/document/document.h"

namespace culink::text {
namespace {

using namespace std::string_literals;
using Bytes = std::vector<u8>;

class Records : public testing::Test {
protected:
  Records() : strings_(as_bytes(kStrings)) {
    for (const char *name : {"", "kern", "foo", "twice", "twice"})
      symbols_.add(name);
  }

  // The text, or "raw" when the bytes are no such records; checks that it leads back.
  std::string text(elf::SectionRole role, const Bytes &bytes) {
    std::optional<Node> node = describe_records(role, bytes, {symbols_, strings_});
    if (!node)
      return "raw";
    Node document = Node::map();
    document.set(record_key(role), std::move(*node));
    const std::string yaml = write_yaml(document);
    const Result<Node> back = read_yaml(yaml);
    EXPECT_TRUE(back) << yaml;
    Complaints complaints;
    const Bytes again = assemble_records(back->items.at(0), {symbols_, strings_}, complaints);
    EXPECT_FALSE(complaints.any()) << yaml << complaints.first().text();
    EXPECT_EQ(again, bytes) << yaml;
    return yaml;
  }

  std::string complaint(std::string_view yaml) {
    const Result<Node> document = read_yaml(yaml);
    EXPECT_TRUE(document) << yaml;
    Complaints complaints;
    (void)assemble_records(document->items.at(0), {symbols_, strings_}, complaints);
    return complaints.any() ? complaints.first().text() : "none";
  }

  static constexpr std::string_view kStrings{"\0#ii\0#v\0#ii\0", 12};
  NameIndex symbols_{"symbol"};
  StringPlaces strings_;
};

Bytes words(std::initializer_list<u32> list) {
  Bytes out;
  for (const u32 word : list)
    elf::append_le(out, word);
  return out;
}

TEST_F(Records, every_attribute_in_every_format_and_size_comes_back) {
  std::mt19937 random(7);
  for (u32 attribute = 0; attribute < 256; ++attribute)
    for (const u32 size : {0u, 1u, 3u, 4u, 8u, 12u, 16u, 20u, 24u, 38u}) {
      Bytes payload(size);
      for (u8 &byte : payload) // small words are most likely to look like something
        byte = random() % 4 == 0 ? static_cast<u8>(random() % 5) : u8{0};
      Bytes bytes;
      elf::append_raw_record(bytes,
                             {elf::RecordFormat::Sized, static_cast<u8>(attribute), 0, payload});
      elf::append_raw_record(bytes, {static_cast<elf::RecordFormat>(1 + size % 3),
                                     static_cast<u8>(attribute),
                                     static_cast<u16>(size * 77),
                                     {}});
      EXPECT_NE(text(elf::SectionRole::Info, bytes), "raw");
    }
}

TEST_F(Records, attributes_read_like_what_they_say) {
  const auto row = [&](elf::InfoAttribute attribute, const elf::InfoValue &value) {
    Bytes bytes;
    const Bytes payload = elf::encode_payload(value);
    elf::append_raw_record(bytes,
                           {elf::RecordFormat::Sized, static_cast<u8>(attribute), 0, payload});
    return text(elf::SectionRole::Info, bytes).substr(std::string("attributes:\n- ").size());
  };
  EXPECT_EQ(row(elf::InfoAttribute::Regcount, elf::InfoSymbolWord{1, 24}),
            "{attr: REGCOUNT, symbol: kern, value: 0x18}\n");
  EXPECT_EQ(row(elf::InfoAttribute::Externs, elf::InfoWords{{2, 3}}),
            "{attr: EXTERNS, symbols: [foo, \"#3\"]}\n");
  EXPECT_EQ(row(elf::InfoAttribute::ExitInstrOffsets, elf::InfoWords{{0x90}}),
            "{attr: EXIT_INSTR_OFFSETS, offsets: [0x90]}\n");
  EXPECT_EQ(row(elf::InfoAttribute::Reqntid, elf::InfoDim3{32, 1, 1}),
            "{attr: REQNTID, dim: [0x20, 1, 1]}\n");
  EXPECT_EQ(row(elf::InfoAttribute::IndirectBranchTargets,
                elf::InfoBranchTargets{{{0x40, 0, {0x80, 0x90}}}}),
            "{attr: INDIRECT_BRANCH_TARGETS, branches: [{at: 0x40, targets: [0x80, 0x90]}]}\n");
  EXPECT_EQ(row(elf::InfoAttribute::Annotations,
                elf::InfoAnnotations{{{elf::kAnnotationMark, 0x10, ""},
                                      {elf::kAnnotationOfCode, 0x20, "slow"},
                                      {elf::kAnnotationOfFunction, 0, ""}}}),
            "{attr: ANNOTATIONS, notes: [{at: 0x10}, {at: 0x20, text: slow}, {text: \"\"}]}\n");
}

TEST_F(Records, call_graph_and_prototypes_name_functions_and_strings) {
  const u32 none = 0;
  EXPECT_EQ(text(elf::SectionRole::Callgraph, words({0, none - 1, 1, 2, 0, none - 2, 2, 1, 0,
                                                     none - 3, 1, 5, 0, none - 4, 1, 3})),
            "callgraph:\n  calls:\n  - [kern, foo]\n  address_taken:\n  - [foo, \"#ii\"]\n"
            "  indirect_calls:\n  - [kern, \"#v\"]\n  indirect_targets:\n  - [kern, \"#3\"]\n");
  // A string that its text does not lead to, and one that is none at all.
  EXPECT_EQ(text(elf::SectionRole::Prototype, words({1, 8, 2, 99})),
            "prototypes:\n- [kern, {at: 8}]\n- [foo, {at: 0x63}]\n");
  EXPECT_EQ(text(elf::SectionRole::Callgraph, words({0, none - 1, 0, none - 1})), "raw");
  EXPECT_EQ(text(elf::SectionRole::Callgraph, Bytes{1, 2, 3}), "raw");
}

TEST_F(Records, notes_compat_and_the_rarer_ones_come_back) {
  Bytes notes;
  const Bytes tool = elf::encode_toolkit_info({2, "", "ptxas", "13.0", "b", "-c \xff"});
  elf::append_note(notes, {elf::kNoteToolkitInfo, elf::kNoteOwner, tool});
  const Bytes cuda = elf::encode_cuda_info({2, 90, 130});
  elf::append_note(notes, {elf::kNoteCudaInfo, elf::kNoteOwner, cuda});
  elf::append_note(notes, {elf::kNoteCudaInfo, "other", cuda});
  elf::append_note(notes, {7, "", {}});
  const std::string yaml = text(elf::SectionRole::Note, notes);
  EXPECT_NE(yaml.find("- tkinfo:\n    tool: ptxas\n"), yaml.npos) << yaml;
  EXPECT_NE(yaml.find("- cuinfo: {virtual_arch: 90, toolkit: 130}\n- note: {type: 1000"),
            yaml.npos);
  EXPECT_EQ(text(elf::SectionRole::Compat, words({0x00010202, 0x00050502, 0x00000704, 0x00000a02})),
            "compat:\n- {attr: ISA_CLASS, value: 1}\n- {attr: INST_TCGEN05_MMA, value: 5}\n"
            "- {attr: MERCURY_ISA_MAJOR_MINOR_VERSION, format: 4, hex: \"\"}\n"
            "- {attr: 0xa, format: 2, value: 0}\n");
  EXPECT_EQ(text(elf::SectionRole::RelAction, words({115, 0, 0x11000000, 0x36050025})),
            "rel_actions:\n  first_type: 115\n  actions:\n  - [0, 0, 0, 17, 37, 0, 5, 54]\n");
  EXPECT_EQ(text(elf::SectionRole::UftEntry, words({1, 7, 0x80, 0, 5, 0, 6, 0})),
            "unified:\n- {symbol: kern, flags: 7, offset: 0x80, uuid_low: 5, uuid_high: 6}\n");
  EXPECT_EQ(text(elf::SectionRole::UftEntry, Bytes(31)), "raw");
}

TEST_F(Records, complaints_name_line_and_key) {
  EXPECT_EQ(complaint("attributes:\n- {attr: REGCOUNTS}\n"),
            "line 2, attr: 'REGCOUNTS' is no nv.info attribute; `cubin dump --info` shows the "
            "names, a number up to 0xff is taken as well");
  EXPECT_EQ(complaint("attributes:\n- {attr: REGCOUNT, symbol: kern}\n"),
            "line 2: `value` is missing (or give the payload as `hex`)");
  EXPECT_EQ(complaint("attributes:\n- {attr: REGCOUNT, symbol: bar, value: 1}\n"),
            "line 2, symbol: there is no symbol named 'bar'");
  EXPECT_EQ(complaint("attributes:\n- {attr: 0xf0}\n"),
            "line 2: an attribute without a known layout needs `format`: NVAL, BVAL, HVAL or SVAL");
  EXPECT_EQ(complaint("attributes:\n- {attr: 0xf0, format: SVAL, hex: zero x70000}\n"),
            "line 2: the payload has 70000 bytes; a record holds at most 65535");
  EXPECT_EQ(complaint("attributes:\n- {attr: REQNTID, dim: [1, 2]}\n"),
            "line 2: `dim` needs three numbers");
  EXPECT_EQ(complaint("callgraph:\n  calls: [[kern]]\n"),
            "line 2: [caller, callee] is needed here");
  EXPECT_EQ(complaint("callgraph:\n  called: []\n"), "line 2, called: unknown key; known here: "
                                                     "unmarked, calls, address_taken, "
                                                     "indirect_calls, indirect_targets");
  EXPECT_EQ(complaint("compat:\n- {attr: 0x20, value: 1}\n"),
            "line 2: an attribute without a known layout needs `format`: 1 to 4");
  EXPECT_EQ(complaint("rel_actions: {first_type: 1, actions: [[1, 2]]}\n"),
            "line 1: [kind, mode, shift, width, position, shift, width, position] is needed here");
}

TEST(RecordKeys, every_role_with_records_has_a_key_that_is_known) {
  u32 keys = 0;
  for (u32 role = 0; role < elf::kSectionRoleCount; ++role) {
    const std::string_view key = record_key(static_cast<elf::SectionRole>(role));
    EXPECT_EQ(!key.empty(), is_record_key(key));
    keys += !key.empty();
  }
  EXPECT_EQ(keys, 11u);
}

} // namespace
} // namespace culink::text
