// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/options/messages.h"

#include <gtest/gtest.h>

namespace culink {
namespace {

using Lines = std::vector<std::string>;

class Said {
public:
  Diagnostic &operator()(DiagId id, std::vector<std::string> arguments, u32 step = 0) {
    return diag_.report(id, std::move(arguments)).in_step(step);
  }
  [[nodiscard]] NvlinkReport report(bool warnings_are_errors = false) const {
    std::vector<Message> messages;
    for (const Diagnostic &diagnostic : diag_.all()) {
      Message &message = messages.emplace_back(to_message(diagnostic));
      if (warnings_are_errors && message.severity == Severity::Warning)
        message.severity = Severity::Error;
    }
    return nvlink_report(messages);
  }

private:
  Diagnostics diag_;
};

Origin file(std::string name) {
  return {"", std::move(name), "", "", ""};
}

TEST(NvlinkReport, has_words_for_every_message_that_is_not_silent) {
  for (const NvlinkRow &row : nvlink_rows()) {
    const bool made_elsewhere = row.id == DiagId::WrongKind || row.id == DiagId::PtxRemarks;
    EXPECT_EQ(row.text.empty(), row.weight == NvlinkWeight::Silent || made_elsewhere)
        << diag_row(row.id).key;
    // An error of ours is never nothing to nvlink: a build would not notice it.
    if (diag_row(row.id).severity >= Severity::Error) {
      EXPECT_GE(row.weight, NvlinkWeight::Error) << diag_row(row.id).key;
    }
  }
}

TEST(NvlinkReport, stops_at_the_first_input_that_cannot_be_read) {
  Said said;
  said(DiagId::WrongArchitecture, {"a.cubin", "sm_80", "sm_90"});
  said(DiagId::CannotOpenInput, {"b.cubin", "no such file"});
  said(DiagId::MultipleDefinition, {"f", "c.cubin", "d.cubin"});
  const NvlinkReport report = said.report();
  EXPECT_EQ(report.lines,
            Lines{"nvlink fatal   : Input file 'a.cubin' arch does not match target 'sm_90'"});
  EXPECT_EQ(report.status, 1);
  EXPECT_FALSE(report.tells_about_program);
}

struct DamageMessage {
  DiagId id;
  std::vector<std::string> arguments;
  Lines expected; // without "nvlink "
};

// What several layers of nvlink say about one thing.
TEST(NvlinkReport, says_more_about_damaged_inputs_than_one_line) {
  const std::string fatbinary = "fatal   : elfLink fatbinary error";
  const std::string internal = "fatal   : elfLink internal error";
  const std::string failed = "error   : Uncompress failed";
  const std::vector<DamageMessage> rows = {
      {DiagId::BadHostObject, {"a.o", ""}, {"fatal   : Could not find fatbin in 'a.o'", internal}},
      {DiagId::BadFatbin,
       {"a", ""},
       {"error   : Binary format for key='0', ident='' is not recognized", fatbinary}},
      {DiagId::BadPayload, {"a", "", "once"}, {failed, fatbinary}},
      {DiagId::BadPayload, {"a", "", "twice"}, {failed, failed, fatbinary}},
      {DiagId::BadPayload, {"a", "", "memory"}, {"fatal   : Memory allocation failure", fatbinary}},
      {DiagId::BadArchive, {"a", ""}, {"fatal   : unexpected archive format", internal}},
      {DiagId::CannotOpenMember,
       {"a", "", "b.o", ""},
       {"fatal   : Could not open input file 'b.o'", internal}},
      {DiagId::CannotOpenMember,
       {"a", "", "b", "folder"},
       {"fatal   : Memory allocation failure", internal}},
      {DiagId::NotAnObject,
       {"a", ""},
       {"fatal   : Input file 'a' size does not match target '-m64'"}},
      {DiagId::WrongArchitecture,
       {"a", "sm_90", "sm_100", "100"},
       {"warning : Output is limited to run on SM Arch '100' only due to limitations in input file "
        "a",
        "fatal   : Input file 'a' arch does not match target 'sm_100'"}},
  };
  for (const DamageMessage &row : rows) {
    Said said;
    said(row.id, row.arguments);
    Lines expected;
    for (const std::string &line : row.expected)
      expected.push_back("nvlink " + line);
    EXPECT_EQ(said.report().lines, expected) << diag_row(row.id).key;
    EXPECT_EQ(said.report().status, 1);
  }
  Said ptx;
  ptx(DiagId::PtxRefused,
      {"a.ptx", "", "ptxas a.ptx, line 5; error   : bad\n\nptxas fatal   : x\n"});
  EXPECT_EQ(ptx.report().lines, (Lines{"ptxas application ptx input, line 5; error   : bad",
                                       "ptxas fatal   : x", "nvlink " + fatbinary}));
  Said remarks;
  remarks(DiagId::PtxRemarks, {"a.ptx", "", "ptxas info    : 4 bytes gmem\n"});
  EXPECT_EQ(remarks.report().lines, Lines{"ptxas info    : 4 bytes gmem"});
  EXPECT_EQ(remarks.report().status, 0);
  Said lost; // what LZ4 cannot unpack is passed over
  lost(DiagId::NoCodeForTarget, {"a", "sm_90", "", "damaged"});
  EXPECT_EQ(lost.report().lines,
            (Lines{"nvlink " + failed, "nvlink warning : SM Arch ('sm_90') not found in 'a'"}));
  EXPECT_EQ(lost.report().status, 0);
}

TEST(NvlinkReport, lists_the_conflicts_of_one_file) {
  Said said;
  said(DiagId::MultipleDefinition, {"f", "b", "a"}, 3);
  said(DiagId::SizeMismatch, {"g", "4", "8"}, 3).at("", file("a")).at("", file("b"));
  said(DiagId::MultipleDefinition, {"f", "c", "a"}, 5);
  const NvlinkReport report = said.report();
  EXPECT_EQ(report.lines,
            (Lines{"nvlink error   : Multiple definition of 'f' in 'b', first defined in 'a'",
                   "nvlink error   : Size doesn't match for 'g' in 'b', first specified in 'a'",
                   "nvlink fatal   : merge_elf failed"}));
  EXPECT_EQ(report.status, 1);
}

TEST(NvlinkReport, lists_all_that_is_wrong_with_the_program) {
  Said said;
  said(DiagId::UndefinedReference, {"f"}).at("", {"", "lib.a", "a.o", "", ""});
  said(DiagId::TooMuchShared, {"k", "80000", "49152"});
  said(DiagId::UnknownStackSize, {"k"});
  const NvlinkReport report = said.report();
  EXPECT_EQ(
      report.lines,
      (Lines{"nvlink warning : Stack size for entry function 'k' cannot be statically determined",
             "nvlink error   : Entry function 'k' uses too much shared data (0x13880 bytes, 0xc000 "
             "max)",
             "nvlink error   : Undefined reference to 'f' in 'lib.a:a.o'"}));
  EXPECT_EQ(report.status, 255);
  EXPECT_TRUE(report.tells_about_program);
}

TEST(NvlinkReport, warns_of_each_call_that_leads_to_recursion) {
  Said said;
  said(DiagId::UnknownStackSize, {"k", "2"});
  EXPECT_EQ(
      said.report().lines,
      (Lines{
          "nvlink warning : Stack size for entry function 'k' cannot be statically determined",
          "nvlink warning : Stack size for entry function 'k' cannot be statically determined"}));
}

TEST(NvlinkReport, does_not_merge_after_a_warning_that_became_an_error) {
  Said said;
  said(DiagId::OptionRedefined, {"arch"});
  said(DiagId::NoCodeForTarget, {"h.o", "sm_80", "sm_90"});
  said(DiagId::UndefinedReference, {"f"});
  const NvlinkReport report = said.report(true);
  EXPECT_EQ(report.lines,
            (Lines{"nvlink warning : incompatible redefinition for option 'arch', the last value "
                   "of this option was used",
                   "nvlink error   : SM Arch ('sm_80') not found in 'h.o'"}));
  EXPECT_EQ(report.status, 255);
  EXPECT_FALSE(report.tells_about_program);
}

TEST(NvlinkReport, says_nothing_about_what_nvlink_does_not_notice) {
  Said said;
  said(DiagId::LibraryNotFound, {"x"});
  EXPECT_EQ(said.report().lines, Lines{});
  EXPECT_EQ(said.report().status, 0);
}

} // namespace
} // namespace culink
