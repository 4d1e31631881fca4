// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every message has a meaning and a way out, and is found by its id, by the line that was printed,
// and by nvlink's words for it.
#include "driver/options/messages.h"

#include <gtest/gtest.h>

#include "link/model/diagnostics.h"

namespace culink {
namespace {

TEST(MessageList, EveryMessageHasAMeaningAndAWayOut) {
  EXPECT_EQ(diag_rows().size(), static_cast<size_t>(DiagId::Count_));
  for (const DiagRow &row : diag_rows()) {
    EXPECT_EQ(&diag_row(row.id), &row);
    for (const std::string_view text : {row.meaning, row.advice}) {
      ASSERT_GT(text.size(), 10U) << row.key;
      EXPECT_TRUE(text.ends_with('.') || text.ends_with(".)")) << text;
      EXPECT_EQ(text.find("  "), std::string_view::npos) << text;
    }
  }
}

TEST(MessageList, EveryMessageIsFoundByItsId) {
  for (size_t i = 0; i < static_cast<size_t>(DiagId::Count_); ++i) {
    const DiagRow &row = diag_row(static_cast<DiagId>(i));
    const std::optional<std::string> text = explain_message(row.key);
    ASSERT_TRUE(text) << row.key;
    EXPECT_TRUE(text->starts_with(row.key)) << *text;
    EXPECT_NE(text->find("What to do:"), std::string::npos) << *text;
  }
}

TEST(MessageList, LinesThatWerePrintedAreFound) {
  const auto begins = [](std::string_view words, std::string_view id) {
    const std::optional<std::string> text = explain_message(words);
    EXPECT_TRUE(text && text->starts_with(id)) << words << ": " << text.value_or("nothing");
  };
  begins("culink: error: undefined symbol: block_sum(float)", "undefined-reference (error)");
  begins("duplicate symbol: f", "multiple-definition");
  begins("built for sm_80, not for sm_90", "wrong-architecture");
  begins("culink: error: main.cubin: built for sm_80, not for sm_90", "wrong-architecture");
  begins("nvlink error   : Undefined reference to '_Z1fi' in 'main.o'", "undefined-reference");
  begins("nvlink warning : SM Arch ('sm_52') not found in 'x.o' (target: sm_52)",
         "no-code-for-target");
  begins("/usr/bin/ld: a.o: undefined reference to `__cudaRegisterLinkedBinary_1_a_cu'",
         "A message of the host's linker");
}

TEST(MessageList, PartsOfMessagesListAllThatHaveThem) {
  const std::optional<std::string> text = explain_message("registers");
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("register-limit (error)"), std::string::npos);
  EXPECT_NE(text->find("driver-registers (error)"), std::string::npos);
  EXPECT_EQ(text->find("What to do"), std::string::npos);
  EXPECT_FALSE(explain_message("flux capacitor"));
  EXPECT_FALSE(explain_message(""));
}

TEST(MessageList, LinesAreNarrow) {
  for (const ForeignMessage &one : foreign_messages()) {
    const std::optional<std::string> text = explain_message(one.pattern);
    ASSERT_TRUE(text);
    for (size_t at = 0, end = 0; (end = text->find('\n', at)) != std::string::npos; at = end + 1)
      EXPECT_LE(end - at, 80U) << *text;
  }
}

TEST(MessageList, TheDocumentHasEveryMessage) {
  const std::string document = message_list();
  for (size_t i = 0; i < static_cast<size_t>(DiagId::Count_); ++i)
    EXPECT_NE(document.find("| `" + std::string(diag_row(static_cast<DiagId>(i)).key) + "` |"),
              std::string::npos);
  EXPECT_NE(document.find("\\_\\_constant\\_\\_"), std::string::npos);
}

} // namespace
} // namespace culink
