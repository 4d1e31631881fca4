// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dumps of the shipped example cubins, read back from their JSON, and of damaged copies of them.
#include "inspect/dump/dump.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "examples.h"

namespace culink::text {
namespace {

using nlohmann::json;
using test::read_example;

constexpr const char *kFunctionPointers = "function_pointers/sm_90/linked.cubin";
constexpr const char *kMercury = "vector_math/sm_100/main.cubin";

DumpOptions everything() {
  DumpOptions options;
  options.header = options.sections = options.segments = options.symbols = options.relocations =
      options.info = options.callgraph = options.notes = options.records = true;
  return options;
}

struct Dumped {
  json facts;
  std::vector<std::string> warnings;
};

Dumped dump(ByteSpan bytes, const DumpOptions &options) {
  Dumped out;
  const Result<elf::ElfView> view = elf::ElfView::open_tolerant(bytes);
  if (!view) {
    out.warnings.push_back(view.error().text());
    return out;
  }
  TextOut text;
  const std::unique_ptr<Sink> sink = make_sink(Format::Json, text);
  sink->begin();
  dump_file("f", *view, options, *sink,
            [&](const Error &warning) { out.warnings.push_back(warning.text()); });
  sink->end();
  out.facts = json::parse(text.text(), nullptr, false).at(0);
  return out;
}

const json *find(const json &list, const char *key, const std::string &value) {
  for (const json &row : list)
    if (row.at(key) == value)
      return &row;
  return nullptr;
}

TEST(Dump, shows_the_target_of_the_header) {
  const json header = dump(read_example(kFunctionPointers), everything()).facts.at("header");
  EXPECT_EQ(header.at("target"), "sm_90");
  EXPECT_EQ(header.at("type_name"), "EXEC");
  EXPECT_EQ(header.at("code_kind_name"), "sass");
  EXPECT_EQ(header.at("abi_version"), 8);
}

TEST(Dump, a_sound_file_gives_no_warning) {
  for (const char *path : {kFunctionPointers, kMercury}) {
    const Dumped dumped = dump(read_example(path), everything());
    EXPECT_TRUE(dumped.warnings.empty()) << path << ": " << dumped.warnings.front();
  }
}

TEST(Dump, lists_only_what_was_asked_for) {
  DumpOptions options;
  options.sections = true;
  const json facts = dump(read_example(kFunctionPointers), options).facts;
  EXPECT_EQ(facts.size(), 2u); // file and sections
  EXPECT_EQ(facts.at("sections").at(1).at("name"), ".shstrtab");
}

TEST(Dump, segments_name_the_sections_they_cover) {
  const json segments = dump(read_example(kFunctionPointers), everything()).facts.at("segments");
  ASSERT_EQ(segments.size(), 4u);
  EXPECT_EQ(segments[0].at("sections_name"), json::array()); // PHDR
  EXPECT_EQ(segments[1].at("flags_name"), "R-X");
  EXPECT_EQ(segments[1].at("sections_name").at(0), ".nv.constant0._Z7measurePfi");
  EXPECT_EQ(segments[2].at("sections_name"), json::array({".nv.global.init"}));
}

TEST(Dump, shows_the_call_graph_by_name) {
  const json facts = dump(read_example(kFunctionPointers), everything()).facts;
  const json &graph = facts.at("callgraph").at(0);
  EXPECT_EQ(graph.at("calls").at(0).at("caller_name"), "_Z7measurePfi");
  EXPECT_EQ(graph.at("calls").at(0).at("callee_name"), "_Z5applyPFffEfi");
  EXPECT_EQ(graph.at("indirect_calls").at(0).at("prototype_name"), "#ii");
  EXPECT_EQ(facts.at("prototypes").at(0).at("records").at(0).at("prototype_name"), "#ilii");
}

TEST(Dump, shows_kernel_parameters_and_register_counts) {
  const json facts = dump(read_example(kFunctionPointers), everything()).facts;
  const json *global = find(facts.at("info"), "name", ".nv.info");
  ASSERT_NE(global, nullptr);
  const json *registers = find(global->at("records"), "attribute_name", "EIATTR_REGCOUNT");
  ASSERT_NE(registers, nullptr);
  EXPECT_TRUE(registers->at("symbol_name").is_string());
  const json *kernel = find(facts.at("info"), "name", ".nv.info._Z7measurePfi");
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->at("for_name"), ".text._Z7measurePfi");
  const json *parameter = find(kernel->at("records"), "attribute_name", "EIATTR_KPARAM_INFO");
  ASSERT_NE(parameter, nullptr);
  EXPECT_EQ(parameter->at("ordinal"), 0);
  EXPECT_EQ(parameter->at("offset"), 0);
  EXPECT_EQ(parameter->at("size"), 8);
}

TEST(Dump, names_tools_in_notes) {
  const json facts = dump(read_example(kFunctionPointers), everything()).facts;
  const json *tools = find(facts.at("notes"), "name", ".note.nv.tkinfo");
  ASSERT_NE(tools, nullptr);
  EXPECT_EQ(tools->at("notes").at(0).at("tool"), "nvlink");
  EXPECT_EQ(tools->at("notes").at(1).at("tool"), "ptxas");
}

TEST(Dump, demangles_on_request) {
  DumpOptions options;
  options.symbols = options.demangle = true;
  const json facts = dump(read_example(kFunctionPointers), options).facts;
  EXPECT_NE(find(facts.at("symbol_tables").at(0).at("symbols"), "name", "measure(float*, int)"),
            nullptr);
}

TEST(Dump, shows_both_symbol_tables_and_the_capsules_of_a_mercury_file) {
  const json facts = dump(read_example(kMercury), everything()).facts;
  ASSERT_EQ(facts.at("symbol_tables").size(), 2u);
  EXPECT_EQ(facts.at("symbol_tables").at(1).at("name"), ".nv.merc.symtab");
  EXPECT_EQ(facts.at("capsules").at(0).at("magic"), 0xc0000001);
  EXPECT_EQ(facts.at("compat").at(0).at("records").at(0).at("attribute_name"),
            "EICOMPAT_ATTR_CUDA_ACCELERATOR_TARGET");
}

TEST(Dump, hex_shows_the_bytes_of_a_section_and_misses_are_warned_about) {
  DumpOptions options;
  options.hex = {".nv.compat", ".no.such"};
  const Dumped dumped = dump(read_example(kMercury), options);
  ASSERT_EQ(dumped.facts.at("hex").size(), 1u);
  EXPECT_EQ(dumped.facts.at("hex").at(0).at("bytes").get<std::string>().substr(0, 4), "0209");
  EXPECT_EQ(dumped.warnings, std::vector<std::string>{".no.such: no such section"});
}

TEST(Dump, a_damaged_attribute_section_is_shown_as_far_as_it_goes) {
  std::vector<u8> bytes = read_example(kFunctionPointers);
  u64 at = 0;
  {
    const Result<elf::ElfView> view = elf::ElfView::open(bytes);
    ASSERT_TRUE(view);
    at = view->find(".nv.info._Z7measurePfi")->offset;
  }
  bytes[at + 2] = 0xff; // the first record's payload now ends far outside
  bytes[at + 3] = 0xff;
  DumpOptions options;
  options.info = true;
  const Dumped dumped = dump(bytes, options);
  ASSERT_EQ(dumped.warnings.size(), 1u);
  EXPECT_NE(dumped.warnings[0].find(".nv.info._Z7measurePfi"), std::string::npos);
  const json *section = find(dumped.facts.at("info"), "name", ".nv.info._Z7measurePfi");
  ASSERT_NE(section, nullptr);
  EXPECT_TRUE(section->at("records").empty());
  EXPECT_FALSE(section->at("rest").get<std::string>().empty());
}

// Every byte of the tables at the file's end, broken in turn: whatever it does, JSON comes out.
TEST(Dump, stays_valid_json_when_any_header_byte_is_damaged) {
  const std::vector<u8> sound = read_example("vector_math/sm_80/main.cubin");
  ASSERT_GT(sound.size(), 64u);
  for (size_t at = 16; at < sound.size(); at += at < 64 ? 1 : 37) {
    std::vector<u8> bytes = sound;
    bytes[at] ^= 0xff;
    const Dumped dumped = dump(bytes, everything());
    EXPECT_TRUE(dumped.facts.is_object() || !dumped.warnings.empty()) << "byte " << at;
  }
}

} // namespace
} // namespace culink::text
