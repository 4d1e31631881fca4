// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/api/output_code.h"

#include <gtest/gtest.h>

namespace culink {
namespace {

struct CodeChoice {
  OutputCode code;
  std::vector<DiagId> messages;
};

struct Given {
  std::string_view target = "sm_100";
  std::vector<std::pair<u16, bool>> objects = {{100, true}}; // made for, has Mercury code
  OutputCode asked = OutputCode::Default;
  bool finalizer = false;
  bool relocatable = false;
  bool unknown = false; // the last object has Mercury sections of a type that nobody knows

  [[nodiscard]] CodeChoice choose() const {
    // The choice looks at these three fields alone; a view of a real file would add nothing.
    std::vector<InputObject> list;
    for (const auto &[sm, capsule] : objects) {
      InputObject &object = list.emplace_back(InputObject{.name = "a", .view = empty_view()});
      object.sm = sm;
      object.capsule = capsule;
    }
    if (unknown)
      list.back().unfamiliar.mercury = {"'.nv.merc.new' (0x70000fff)"};
    Diagnostics diag;
    LinkOptions options;
    options.code = asked;
    options.relocatable = relocatable;
    CodeChoice out{
        choose_output_code(options, Dialect{}, list, *arch::find_arch(target), finalizer, diag),
        {}};
    for (const Diagnostic &one : diag.all())
      out.messages.push_back(one.id);
    return out;
  }

  static elf::ElfView empty_view() {
    std::vector<u8> header(64);
    const u8 magic[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    std::copy(std::begin(magic), std::end(magic), header.begin());
    header[20] = 1;  // e_version
    header[52] = 64; // e_ehsize
    Result<elf::ElfView> view = elf::ElfView::open_tolerant(header);
    EXPECT_TRUE(view) << view.error().text();
    return std::move(*view);
  }
};

using Ids = std::vector<DiagId>;

TEST(OutputCode, EarlierTargetsHaveMachineCode) {
  const CodeChoice choice = Given{.target = "sm_90", .objects = {{90, false}}}.choose();
  EXPECT_EQ(choice.code, OutputCode::Sass);
  EXPECT_EQ(choice.messages, Ids{});
}

TEST(OutputCode, UnknownMercurySectionsLeaveMachineCode) {
  const CodeChoice choice = Given{.finalizer = true, .unknown = true}.choose();
  EXPECT_EQ(choice.code, OutputCode::Sass);
  EXPECT_EQ(choice.messages, Ids{DiagId::UnknownMercury});
  const CodeChoice asked =
      Given{.asked = OutputCode::Mercury, .finalizer = true, .unknown = true}.choose();
  EXPECT_EQ(asked.code, OutputCode::Mercury); // which the reading of the object refuses
}

TEST(OutputCode, AFinalizerDecidesAboutTheDefault) {
  EXPECT_EQ(Given{.finalizer = true}.choose().code, OutputCode::Exact);
  const CodeChoice without = Given{}.choose();
  EXPECT_EQ(without.code, OutputCode::Sass);
  EXPECT_EQ(without.messages, Ids{DiagId::NoFinalizer});
}

TEST(OutputCode, ExactNeedsAFinalizerUnlessThereIsALaterLink) {
  EXPECT_EQ(Given{.asked = OutputCode::Exact}.choose().messages, Ids{DiagId::FinalizerMissing});
  EXPECT_EQ((Given{.asked = OutputCode::Exact, .relocatable = true}.choose().messages), Ids{});
}

TEST(OutputCode, OneObjectWithoutMercuryCodeDecidesForAll) {
  const CodeChoice choice =
      Given{.objects = {{100, true}, {100, false}, {100, false}}, .finalizer = true}.choose();
  EXPECT_EQ(choice.code, OutputCode::Sass);
  EXPECT_EQ(choice.messages, Ids{DiagId::LimitedToOneTarget});
  EXPECT_EQ((Given{.objects = {{100, false}}, .asked = OutputCode::Mercury}.choose().messages),
            Ids{DiagId::NoMercuryCode});
}

TEST(OutputCode, CodeOfAnotherChipIsNotCopied) {
  for (const OutputCode code : {OutputCode::Sass, OutputCode::Mercury})
    EXPECT_EQ((Given{.target = "sm_103", .asked = code}.choose().messages),
              Ids{DiagId::WrongArchitecture});
  EXPECT_EQ(
      (Given{.target = "sm_103", .asked = OutputCode::Exact, .finalizer = true}.choose().messages),
      Ids{});
  EXPECT_EQ(
      (Given{.target = "sm_121", .objects = {{120, true}}, .asked = OutputCode::Sass}.choose())
          .messages,
      Ids{});
}

} // namespace
} // namespace culink
