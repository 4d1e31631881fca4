// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/options/command_line.h"

#include <cstdio>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "driver/options/option_documents.h"

namespace culink {
namespace {

using Words = std::vector<std::string>;

// The words of a command line that must parse without a message.
CommandLine parsed(const Words &words) {
  Diagnostics diag;
  CommandLine line = parse_command_line(words, diag);
  EXPECT_TRUE(diag.all().empty()) << diagnostic_text(diag.all().front());
  return line;
}

// The first message about a command line.
Diagnostic complaint(const Words &words) {
  Diagnostics diag;
  (void)parse_command_line(words, diag);
  EXPECT_FALSE(diag.all().empty());
  return diag.all().empty() ? Diagnostic{} : diag.all().front();
}

class OptionFile {
public:
  explicit OptionFile(const std::string &text) {
    std::string name = testing::TempDir() + "culink-options-XXXXXX";
    ::close(::mkstemp(name.data()));
    path_ = name;
    rewrite(text);
  }
  ~OptionFile() { std::remove(path_.c_str()); }
  void rewrite(const std::string &text) { std::ofstream(path_) << text; }
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

TEST(CommandLine, takes_values_after_equals_or_as_next_word) {
  for (const Words &words : {Words{"-arch=sm_90"}, Words{"-arch", "sm_90"}, Words{"--arch=sm_90"},
                             Words{"--arch", "sm_90"}})
    EXPECT_EQ(parsed(words).value(OptionId::Arch), "sm_90");
  EXPECT_EQ(parsed({"-o", "-r"}).value(OptionId::Output), "-r");
  EXPECT_EQ(parsed({"-o", "-r"}).inputs, Words{});
}

TEST(CommandLine, attaches_values_of_three_options_only) {
  EXPECT_EQ(parsed({"-lineinfo"}).list(OptionId::Library), Words{"ineinfo"});
  EXPECT_EQ(parsed({"-L/a"}).list(OptionId::LibraryPath), Words{"/a"});
  EXPECT_EQ(parsed({"-m64"}).value(OptionId::Machine), "64");
  EXPECT_EQ(complaint({"-oout"}).id, DiagId::UnknownOption);
}

TEST(CommandLine, knows_no_prefixes_and_no_mixed_dashes) {
  for (const char *word : {"--verb", "-verbose", "--v", "--"}) {
    const Diagnostic message = complaint({word});
    EXPECT_EQ(message.id, DiagId::UnknownOption) << word;
    EXPECT_EQ(message.arguments.at(0), std::string(word).substr(1));
  }
}

TEST(CommandLine, takes_everything_else_as_input) {
  EXPECT_EQ(parsed({"a", "-r", "-", ""}).inputs, (Words{"a", "-", ""}));
  EXPECT_EQ(complaint({"@f"}).id, DiagId::CannotOpenOptionFile);
  EXPECT_EQ(parsed({"--emulate=nvlink-13.0.88", "@f"}).inputs, Words{"@f"});
}

TEST(CommandLine, splits_lists_at_unquoted_commas) {
  EXPECT_EQ(parsed({"-L", "a,,b", "-L=c,"}).list(OptionId::LibraryPath), (Words{"a", "b", "c"}));
  EXPECT_EQ(parsed({"-kernels-used", "zz\"z,s\"q,a"}).list(OptionId::KernelsUsed),
            (Words{"zzz,sq", "a"}));
  EXPECT_EQ(parsed({"-kernels-used", "a\\,b"}).list(OptionId::KernelsUsed), (Words{"a\\", "b"}));
  EXPECT_EQ(complaint({"-kernels-used", "\"a"}).id, DiagId::StrayQuote);
}

TEST(CommandLine, keeps_names_with_commas_whole) {
  EXPECT_EQ(parsed({"--why-live", "f(int, float<a, b>), g ,h"}).list(OptionId::WhyLive),
            (Words{"f(int, float<a, b>)", "g", "h"}));
  EXPECT_EQ(parsed({"--why-live", "operator<,f(a, b)"}).list(OptionId::WhyLive),
            (Words{"operator<", "f(a", "b)"})); // brackets without a partner
  EXPECT_EQ(parsed({"-kernels-used=f(a, b)"}).list(OptionId::KernelsUsed), Words{"f(a, b)"});
  EXPECT_EQ(
      parsed({"--emulate=nvlink-13.0.88", "-kernels-used=f(a, b)"}).list(OptionId::KernelsUsed),
      (Words{"f(a", " b)"}));
}

TEST(CommandLine, names_the_target_in_files_of_its_own) {
  const CommandLine line = parsed({"-Map=m.%a", "--report=%a/%a.html", "-o", "%a", "-arch=sm_90a"});
  EXPECT_EQ(line.value(OptionId::Map), "m.sm_90a");
  EXPECT_EQ(line.value(OptionId::Report), "sm_90a/sm_90a.html");
  EXPECT_EQ(line.value(OptionId::Output), "%a");
}

TEST(CommandLine, reads_numbers_as_c_does) {
  const std::vector<std::pair<std::string, std::string>> good = {
      {"032", "26"}, {"0x20", "32"}, {"-3", "-3"}, {"+3", "3"},
      {" 3", "3"},   {"", "0"},      {"0", "0"},   {"-2147483648", "-2147483648"}};
  for (const auto &[text, value] : good)
    EXPECT_EQ(parsed({"-maxrregcount", text}).value(OptionId::MaxRegisters), value) << text;
  for (const char *text : {"x", "32k", "3 ", "0x", "08", "--3", "1e3", "-"})
    EXPECT_EQ(complaint({"-maxrregcount", text}).id, DiagId::NotANumber) << text;
  for (const char *text : {"2147483648", "-2147483649", "99999999999999999999"})
    EXPECT_EQ(complaint({"-maxrregcount", text}).id, DiagId::NumberOutOfRange) << text;
}

TEST(CommandLine, refuses_values_outside_the_choices) {
  EXPECT_EQ(complaint({"-arch=sm_91"}).arguments, (Words{"sm_91", "arch"}));
  EXPECT_EQ(complaint({"-m32"}).arguments, (Words{"32", "machine"}));
  EXPECT_EQ(parsed({"-m", "0x40"}).value(OptionId::Machine), "64");
  EXPECT_EQ(complaint({"-cpu-arch", "Z80"}).id, DiagId::BadOptionValue);
  EXPECT_EQ(complaint({"-device-stack-protector", "maybe"}).id, DiagId::NotABoolean);
  EXPECT_EQ(complaint({"-v=1"}).id, DiagId::NoArgumentExpected);
  EXPECT_EQ(complaint({"-r", "-o"}).id, DiagId::ArgumentExpected);
  for (const char *target : {"sm_90a", "compute_75", "lto_121f"})
    EXPECT_EQ(parsed({"-arch", target}).value(OptionId::Arch), target);
}

TEST(CommandLine, warns_when_a_value_changes) {
  EXPECT_EQ(complaint({"-arch=sm_90", "-arch=sm_80"}).id, DiagId::OptionRedefined);
  EXPECT_EQ(complaint({"-arch=sm_90", "-arch=sm_80"}).severity, Severity::Warning);
  EXPECT_EQ(parsed({"-arch=sm_90", "--arch", "sm_90"}).value(OptionId::Arch), "sm_90");
}

TEST(CommandLine, reads_option_files) {
  const OptionFile inner("-g");
  const OptionFile file("-v a\\ b \"c d\"e\n\t'f' g\\\"h -L \"x\\\\y\" -optf " + inner.path());
  const CommandLine line = parsed({"-optf=" + file.path(), "last"});
  EXPECT_TRUE(line.has(OptionId::Verbose));
  EXPECT_TRUE(line.has(OptionId::Debug));
  EXPECT_EQ(line.inputs, (Words{"a b", "c de", "'f'", "gh", "last"}));
  EXPECT_EQ(line.list(OptionId::LibraryPath), Words{"x\\y"});
}

TEST(CommandLine, stops_at_broken_option_files) {
  OptionFile file("\"a");
  EXPECT_EQ(complaint({"-optf", file.path()}).id, DiagId::StrayQuote);
  file.rewrite("-optf " + file.path());
  EXPECT_EQ(complaint({"-optf", file.path()}).id, DiagId::TooManyOptionFiles);
  file.rewrite("-optf " + file.path() + " -optf " + file.path());
  EXPECT_EQ(complaint({"-optf", file.path()}).id, DiagId::TooManyOptionFiles);
  EXPECT_EQ(complaint({"-optf", "/dev/zero"}).id, DiagId::CannotOpenOptionFile);
  EXPECT_EQ(complaint({"-optf", "/no/such/file"}).id, DiagId::CannotOpenOptionFile);
}

TEST(CommandLine, accepts_every_row_by_both_names) {
  for (const OptionRow &row : option_rows()) {
    if (row.id == OptionId::OptionsFile)
      continue;
    std::string value = "7";
    if (!row.choices.empty())
      value = row.choices.front();
    else if (row.kind == ValueKind::Boolean)
      value = "true";
    else if (row.kind == ValueKind::Target)
      value = "sm_90";
    Words words = {std::string("--").append(row.name)};
    if (row.kind != ValueKind::Flag)
      words.push_back(value);
    EXPECT_TRUE(parsed(words).has(row.id)) << row.name;
    EXPECT_EQ(find_option(row.name), &row);
    if (!row.brief.empty()) {
      words[0] = std::string("-").append(row.brief);
      EXPECT_TRUE(parsed(words).has(row.id)) << row.name;
    }
  }
}

TEST(CommandLine, help_names_every_shown_option_once) {
  const std::string help = help_text(culink_text());
  for (const OptionRow &row : option_rows()) {
    const std::string entry = std::string("\n  --").append(row.name);
    const bool shown = help.find(entry + " ") != std::string::npos ||
                       help.find(entry + ",") != std::string::npos ||
                       help.find(entry + "\n") != std::string::npos;
    EXPECT_EQ(shown, !row.help.empty()) << row.name;
  }
}

TEST(CheckCommandLine, keeps_outputs_apart) {
  const auto messages = [](const Words &words) {
    Diagnostics diag;
    check_outputs(parsed(words), diag);
    std::string out;
    for (const Diagnostic &one : diag.all())
      out += diagnostic_text(one) + "\n";
    return out;
  };
  const OptionFile read("");
  u32 outputs = 0;
  for (const OptionRow &row : option_rows()) {
    if (row.kind != ValueKind::WrittenFile)
      continue;
    ++outputs;
    const Words words = {"--" + std::string(row.name), read.path(), "-optf", read.path()};
    EXPECT_NE(messages(words).find("'" + spelled(row.id) + " " + read.path() +
                                   "' would overwrite 'the option file "),
              std::string::npos)
        << row.name;
    for (const OptionRow &other : option_rows()) {
      if (other.kind != ValueKind::WrittenFile || other.id == row.id)
        continue;
      const Words pair = {"--" + std::string(row.name), "./x", "--" + std::string(other.name), "x"};
      EXPECT_NE(messages(pair).find("would write to one file"), std::string::npos) << row.name;
    }
  }
  EXPECT_GE(outputs, 4u);
  EXPECT_EQ(messages({"-o", "-", "-Map=-", "-time", "-"}), "");
  EXPECT_EQ(messages({"-o", "/dev/null", "-Map=/dev/null"}), "");
}

TEST(CheckCommandLine, finds_contradictions_and_what_is_missing) {
  const auto ids = [](const Words &words) {
    Diagnostics diag;
    check_command_line(parsed(words), diag);
    std::vector<DiagId> out;
    for (const Diagnostic &diagnostic : diag.all())
      out.push_back(diagnostic.id);
    return out;
  };
  const Words base = {"-arch=sm_90", "-o", "out", "a"};
  const auto with = [&base](Words more) {
    more.insert(more.end(), base.begin(), base.end());
    return more;
  };
  using Ids = std::vector<DiagId>;
  EXPECT_EQ(ids(base), Ids{});
  EXPECT_EQ(ids({"a"}), (Ids{DiagId::MissingTarget, DiagId::MissingOutput}));
  EXPECT_EQ(ids(with({"-dump-callgraph", "-dump-callgraph-no-demangle"})),
            (Ids{DiagId::ConflictingOptions}));
  EXPECT_EQ(ids(with({"-use-host-info", "-ignore-host-info"})), Ids{DiagId::ConflictingOptions});
  EXPECT_EQ(ids(with({"-suppress-debug-info"})), Ids{DiagId::OptionNeedsOption});
  EXPECT_EQ(ids(with({"-suppress-debug-info", "-g"})), Ids{});
  EXPECT_EQ(ids(with({"-emit-ptx"})), Ids{DiagId::OptionNeedsOption});
  EXPECT_EQ(ids(with({"-emit-ptx", "-lto", "-nvvmpath=x"})), Ids{});
  EXPECT_EQ(ids(with({"-dlto"})), Ids{});
  EXPECT_EQ(ids(with({"-dlto", "--emulate=nvlink-13.0.88"})),
            (Ids{DiagId::NvvmPathMissing, DiagId::NvvmNotThere}));
  EXPECT_EQ(ids(with({"-Xptxas=-v", "-maxrregcount=3", "-L/a", "-cpu-arch=X86"})), Ids{});
  EXPECT_EQ(ids(with({"-Xnvvm=-x"})), Ids{DiagId::NoEffect});
  EXPECT_EQ(ids(with({"-use-host-info", "-kernels-used=k"})), Ids{DiagId::HostInfoIgnored});
  EXPECT_EQ(ids(with({"--threads=-1"})), Ids{DiagId::BadOptionValue});
}

TEST(MakeRequest, selects_kernels_as_nvlink_does) {
  using Used = std::optional<Words>;
  EXPECT_EQ(make_request(parsed({"-r"})).options.kernels_used, Used{});
  EXPECT_EQ(make_request(parsed({"-kernels-used=a,b"})).options.kernels_used, (Used{{"a", "b"}}));
  EXPECT_EQ(make_request(parsed({"-kernels-used="})).options.kernels_used, (Used{{""}}));
  EXPECT_EQ(make_request(parsed({"-variables-used=x"})).options.kernels_used, Used{Words{}});
}

// Options of later releases are unknown where an earlier one is emulated, wherever that is said.
TEST(CommandLine, has_the_options_of_the_emulated_release) {
  EXPECT_TRUE(parsed({"-v2"}).has(OptionId::Verbose2));
  EXPECT_TRUE(parsed({"-v2", "--emulate=nvlink-13.2.86"}).has(OptionId::Verbose2));
  EXPECT_EQ(complaint({"-v2", "--emulate=nvlink-13.0.88"}).id, DiagId::UnknownOption);
  EXPECT_EQ(complaint({"--verbose2", "--emulate", "nvlink-13.1.115"}).id, DiagId::UnknownOption);
  EXPECT_TRUE(
      parsed({"-astoolspatch", "--emulate=nvlink-13.3.73"}).has(OptionId::LinkAsToolsPatch));
  EXPECT_EQ(complaint({"-astoolspatch", "--emulate=nvlink-13.2.86"}).id, DiagId::UnknownOption);
  EXPECT_EQ(parsed({"-cpu-arch=RISCV64"}).value(OptionId::CpuArch), "RISCV64");
  EXPECT_EQ(complaint({"-cpu-arch=RISCV64", "--emulate=nvlink-13.2.86"}).id,
            DiagId::BadOptionValue);
}

TEST(CommandLine, DecidesAboutTheCache) {
  const CacheOptions usual{.folder = "/usual", .size = 1, .remote = "http://usual"};
  const CacheOptions same = cache_options(parsed({}), usual);
  EXPECT_EQ(same.folder, "/usual");
  EXPECT_EQ(same.size, 1U);
  EXPECT_EQ(same.remote, "http://usual");
  const CacheOptions other =
      cache_options(parsed({"--cache-dir=/other", "--cache-size=2k", "--cache-remote=http://other",
                            "--cache-remote-read-only"}),
                    usual);
  EXPECT_EQ(other.folder, "/other");
  EXPECT_EQ(other.size, 2048U);
  EXPECT_EQ(other.remote, "http://other");
  EXPECT_TRUE(other.remote_read_only);
  EXPECT_TRUE(cache_options(parsed({"--cache-dir=/other", "--no-cache"}), usual).empty());
  EXPECT_TRUE(make_request(parsed({"-arch=sm_90"})).cache.empty());
  EXPECT_EQ(make_request(parsed({"--cache-dir=/c"})).cache.folder, "/c");
}

} // namespace
} // namespace culink
