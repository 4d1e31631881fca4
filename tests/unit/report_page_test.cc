// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/page/page.h"

#include <gtest/gtest.h>
#include <string>

#include "inspect/reader/usage.h"
#include "support/mapped_file.h"

namespace culink::page {
namespace {

ImageReport read_example_image(const std::string &name) {
  const Result<MappedFile> file =
      MappedFile::open(std::string(CULINK_SOURCE_DIR) + "/examples/" + name);
  const Result<elf::ElfView> view = elf::ElfView::open(file->bytes());
  return read_image(*view);
}

const FunctionRow *find_row(const ImageReport &image, std::string_view name) {
  for (const FunctionRow &row : image.functions)
    if (row.name == name)
      return &row;
  return nullptr;
}

TEST(ReportPage, EveryByteHasOneOwner) {
  for (const char *name :
       {"vector_math/sm_90/linked.cubin", "vector_math/sm_90/main.cubin",
        "vector_math/sm_100/linked.cubin", "weak_templates/sm_90/linked.cubin"}) {
    SCOPED_TRACE(name);
    const ImageReport image = read_example_image(name);
    u64 bytes = 0;
    for (const FunctionRow &row : image.functions)
      bytes += row.bytes;
    for (const FilePart &part : image.parts)
      bytes += part.bytes;
    EXPECT_EQ(bytes, image.bytes);
  }
}

TEST(ReportPage, KernelsHaveWhatTheyNeedAndCall) {
  const ImageReport image = read_example_image("vector_math/sm_90/linked.cubin");
  EXPECT_TRUE(image.linked);
  EXPECT_EQ(image.target, "sm_90");
  const FunctionRow *total = find_row(image, "_Z5totalPKfPfi");
  ASSERT_NE(total, nullptr);
  EXPECT_TRUE(total->use.kernel);
  EXPECT_EQ(total->use.registers, 24u);
  EXPECT_EQ(total->use.shared, 1024u); // without the reserved area, which usage counts
  EXPECT_EQ(inspect::sum_of_constants(total->use), 548u);
  ASSERT_EQ(total->calls.size(), 1u);
  EXPECT_EQ(image.functions[total->calls[0]].name, "_Z9block_sumf");
}

TEST(ReportPage, ForeignTextCannotLeaveItsString) {
  const std::pair<std::string, std::string> cases[] = {
      {"a<b>&c", R"("a\u003cb\u003e\u0026c")"},
      {"</script><!--", R"("\u003c/script\u003e\u003c!--")"},
      {"\"\\\n", R"("\"\\\\x0a")"},
      {std::string("\0\x1b\x7f", 3), R"("\\x00\\x1b\\x7f")"},
      {"\xff\xc3(", R"("\\xff\\xc3(")"}, // no UTF-8
      {"\xc2\x9b"
       "2J",
       R"("\\xc2\\x9b2J")"}, // a C1 control character
      {"\xc3\xa4", "\"\xc3\xa4\""},
  };
  for (const auto &[name, expected] : cases) {
    Report report;
    report.images.emplace_back().file = name;
    EXPECT_NE(report_json(report).find("\"file\":" + expected + ","), std::string::npos)
        << expected;
  }
}

TEST(ReportPage, NamesAreStoredByWhatTheyDoNotShare) {
  Report report;
  ImageReport &image = report.images.emplace_back();
  for (const char *name : {"kernel_one", "kernel_two",
                           "\xc3\xa4"
                           "1",
                           "\xc3\xa4"
                           "2"})
    image.functions.emplace_back().name = name;
  const std::string json = report_json(report);
  EXPECT_NE(json.find(R"("names":{"shared":[0,7,0,0],"rest":["kernel_one","two",)"),
            std::string::npos)
      << json;
}

TEST(ReportPage, ComparisonsTellOtherInstructionsOfOneSizeApart) {
  Report report;
  for (const u64 digest : {1, 2}) {
    ImageReport &image = report.images.emplace_back();
    image.earlier = digest == 1;
    for (const char *name : {"kept", "scheduled"}) {
      FunctionRow &row = image.functions.emplace_back();
      row.name = name;
      row.use.code = 64;
      row.digest = row.name == "kept" ? 7 : digest;
    }
  }
  EXPECT_EQ(report_json(report).find("instructions"), std::string::npos);
  report.compares = true;
  const std::string json = report_json(report);
  EXPECT_NE(json.find(R"("instructions":[0,1])"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("instructions":[0,2])"), std::string::npos) << json;
}

TEST(ReportPage, IsOneTextWithoutNamesInItsMarkup) {
  Report report;
  ImageReport &image = report.images.emplace_back();
  image.name = image.file = "</script><script>alert(1)</script>";
  image.functions.emplace_back().name = "<img src=x onerror=alert(1)>";
  const std::string page = page_html(report);
  EXPECT_EQ(page, page_html(report));
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'; script-src 'sha256-"), std::string::npos);
  for (const char *blank : {"@STYLE", "@SCRIPT", "@DATA"})
    EXPECT_EQ(page.find(blank), std::string::npos) << blank;
}

TEST(ReportPage, LinksAddInputsAndWhatWasDiscarded) {
  ImageReport image;
  for (const char *name : {"f", "f", "g"})
    image.functions.emplace_back().name = name;
  LinkResult result;
  const auto add = [&](const char *name, const char *file, bool live) {
    FunctionFacts &function = result.facts.functions.emplace_back();
    function.name = name;
    function.file = file;
    function.live = live;
  };
  add("f", "a.o", true);
  add("f", "b.o", true);
  add("h", "c.o", false);
  result.facts.discarded.push_back({"h", "c.o", 12, "unused"});
  const Report report = with_link(std::move(image), result);
  const ImageReport &made = report.images[0];
  EXPECT_EQ(made.inputs, (std::vector<std::string>{"a.o", "b.o"}));
  EXPECT_EQ(made.functions[0].input, 0u);
  EXPECT_EQ(made.functions[1].input, 1u);
  EXPECT_EQ(made.functions[2].input, kNoInput);
  ASSERT_EQ(report.discarded.size(), 1u);
  EXPECT_EQ(report.discarded[0].why, "unused");
  const std::string json = report_json(report);
  EXPECT_NE(json.find(R"("why":["unused"])"), std::string::npos) << json;
}

} // namespace
} // namespace culink::page
