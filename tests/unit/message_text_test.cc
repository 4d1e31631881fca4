// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "link/model/diagnostics.h"

namespace culink {
namespace {

Message undefined() {
  Diagnostics diag;
  diag.report(DiagId::UndefinedReference, {"_Z1fi"})
      .at("referenced by", {"", "lib.a", "b.o", "_Z1kv", "twice"})
      .note("more")
      .advise("define it");
  return to_message(diag.all().front());
}

TEST(FormatMessage, demangles_names_in_text_and_origins) {
  EXPECT_EQ(format_message(undefined(), "culink"), "culink: error: undefined symbol: f(int)\n"
                                                   ">>> referenced by lib.a:b.o: k(), twice\n"
                                                   ">>> more\n"
                                                   "hint: define it\n");
}

TEST(FormatMessage, leaves_names_mangled_on_request) {
  const std::string text = format_message(undefined(), "culink", {.demangle = false});
  EXPECT_NE(text.find("symbol: _Z1fi\n>>> referenced by lib.a:b.o: _Z1kv"), std::string::npos);
}

TEST(FormatMessage, leaves_out_the_middle_of_long_names) {
  Diagnostics diag;
  const std::string part(300, 'a');
  const std::string name = "_Z300" + part + "N300" + part + "300" + part + "E";
  diag.report(DiagId::UndefinedReference, {name}).at("referenced by", {"", "a.o", "", name, ""});
  const Message message = to_message(diag.all().front());
  const std::string text = format_message(message, "culink");
  EXPECT_LT(text.size(), 900u);
  EXPECT_NE(text.find("aaa ... aaa"), std::string::npos);
  EXPECT_NE(format_message(message, "culink", {.demangle = false}).find(name), std::string::npos);
  EXPECT_NE(format_message_json(message, "").find(part + "::" + part), std::string::npos);
}

TEST(FormatMessage, names_the_target_and_colours_the_severity) {
  const std::string text =
      format_message(undefined(), "culink", {.color = true, .target = "sm_90"});
  EXPECT_TRUE(text.starts_with("\033[1mculink:\033[0m \033[1;31merror:\033[0m undefined symbol: "
                               "f(int) (target: sm_90)\n"))
      << text;
}

TEST(FormatMessageJson, is_one_line_with_all_that_text_has) {
  EXPECT_EQ(format_message_json(undefined(), "sm_90"),
            R"x({"severity":"error","id":"undefined-reference","text":"undefined symbol: f(int)",)x"
            R"x("arguments":["_Z1fi"],"origins":[{"role":"referenced by","file":"lib.a",)x"
            R"x("member":"b.o","symbol":"_Z1kv","demangled":"k()","detail":"twice"}],)x"
            R"x("notes":["more"],"hint":"define it","target":"sm_90"})x"
            "\n");
}

TEST(FormatMessageJson, escapes_what_is_no_text) {
  Message message;
  message.text = "a\"\\\n\xc3\xa4 \xff \xc0\x80 \xed\xa0\x80";
  const std::string line = format_message_json(message);
  EXPECT_NE(line.find(R"x("text":"a\"\\\u000a)x"
                      "\xc3\xa4"
                      R"( \u00ff \u00c0\u0080 \u00ed\u00a0\u0080")"),
            std::string::npos)
      << line;
}

} // namespace
} // namespace culink
