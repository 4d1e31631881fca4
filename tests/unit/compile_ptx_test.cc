// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With a program in ptxas' place that shows what it is told.
#include "input/compile_ptx.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "broken_file.h"
#include "elf/elf_view.h"
#include "elf/records/nv_notes.h"
#include "support/bytes.h"

namespace culink {
namespace {

class CompilePtx : public ::testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "culink-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  [[nodiscard]] PtxCompiler compiler(const std::string &script) const {
    const std::filesystem::path path = root_ / "ptxas";
    std::ofstream(path) << "#!/bin/sh\n" << script;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return {.path = path.string(), .options = {"-O1"}};
  }

  std::filesystem::path root_;
};

TEST_F(CompilePtx, passes_target_options_and_text) {
  PtxCompiler asked =
      compiler("echo \"$1 $2 $3 $4 $5 $6 $7\" > \"${10}\"; cat \"$8\" >> \"${10}\"\n");
  asked.recorded = {"-v"};
  const Result<CompilerAnswer> out = compile_ptx(asked, "x.ptx", "sm_90", as_bytes(".version"));
  ASSERT_TRUE(out) << out.error().text();
  EXPECT_EQ(as_text(out->image), "-arch sm_90 -m 64 -v -c -O1\n.version");
}

TEST_F(CompilePtx, errors_name_the_file_as_we_call_it) {
  const Result<CompilerAnswer> out =
      compile_ptx(compiler("echo \"ptxas $7, line 3; fatal: bad\"; exit 255\n"), "lib.a:x.o",
                  "sm_90", as_bytes("x"));
  ASSERT_TRUE(out);
  EXPECT_EQ(out->status, 255);
  EXPECT_EQ(out->text, "ptxas lib.a:x.o, line 3; fatal: bad\n");
}

TEST_F(CompilePtx, the_object_shows_whether_it_was_made_if_the_status_is_lost) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const Result<CompilerAnswer> made =
      compile_ptx(compiler("cat \"$7\" > \"$9\"\n"), "x.ptx", "sm_90", as_bytes("x"));
  const Result<CompilerAnswer> refused =
      compile_ptx(compiler("echo bad; exit 1\n"), "x.ptx", "sm_90", as_bytes("x"));
  std::signal(SIGCHLD, before);
  ASSERT_TRUE(made && refused);
  EXPECT_EQ(made->status, 0);
  EXPECT_EQ(as_text(made->image), "x");
  EXPECT_EQ(refused->status, 1);
  EXPECT_EQ(refused->text, "bad\n");
}

TEST_F(CompilePtx, ends_when_it_is_cancelled) {
  std::atomic<bool> cancelled = false;
  PtxCompiler slow = compiler("exec sleep 60\n");
  slow.cancelled = &cancelled;
  const auto start = std::chrono::steady_clock::now();
  std::thread other([&] { cancelled = true; });
  const Result<CompilerAnswer> out = compile_ptx(slow, "x.ptx", "sm_90", as_bytes("x"));
  other.join();
  ASSERT_TRUE(out);
  EXPECT_EQ(out->status, 256 + 9);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

// The options in the first tool note of an object, and what it is called there.
std::pair<std::string, std::string> tool_note(ByteSpan cubin) {
  const Result<elf::ElfView> view = elf::ElfView::open(cubin);
  const elf::Section *section = view ? view->find(".note.nv.tkinfo") : nullptr;
  if (!section)
    return {"", ""};
  const elf::NoteSection notes = elf::decode_notes(section->data);
  const Result<elf::ToolkitInfo> info = elf::decode_toolkit_info(notes.notes.at(0).desc);
  return {std::string(info->options), std::string(info->object)};
}

TEST_F(CompilePtx, names_of_files_do_not_get_into_the_object) {
  std::vector<u8> cubin = test::BrokenFile(test::kObject).bytes();
  const auto [options, object] = tool_note(cubin);
  EXPECT_EQ(options, "-arch sm_90 -m 64 -c  ");
  EXPECT_EQ(object, "");
  // ptxas -g leaves its words in front; an object of no name stands for one called so.
  remove_file_names(cubin, "/dev/fd/-arch", "/dev/fd/");
  EXPECT_EQ(tool_note(cubin),
            std::make_pair(std::string("sm_90 -m 64 -c  "), std::string("elf.o")));
  EXPECT_TRUE(elf::ElfView::open(cubin)) << "still a sound file";
  std::vector<u8> same = cubin;
  remove_file_names(same, "/dev/fd/3", "/dev/fd/4");
  EXPECT_EQ(tool_note(same), tool_note(cubin)) << "nothing to forget";
  std::vector<u8> junk(100, 'x');
  remove_file_names(junk, "a", "b");
  EXPECT_EQ(junk, std::vector<u8>(100, 'x'));
}

TEST(NewerPtx, names_both_releases) {
  const auto hint = [](std::string_view version, std::string_view known) {
    return hint_for_newer_ptx("ptxas x.ptx, line 1; fatal   : Unsupported .version " +
                                  std::string(version) + "; current version is '" +
                                  std::string(known) + "'\n",
                              "/old/ptxas");
  };
  EXPECT_NE(hint("9.4", "9.0").find("PTX 9.4 is of CUDA 13.4, and /old/ptxas of CUDA 13.0"),
            std::string::npos);
  EXPECT_NE(hint("8.8", "8.4").find("PTX 8.8 is of CUDA 12.9, and /old/ptxas of CUDA 12.4"),
            std::string::npos);
  EXPECT_EQ(hint_for_newer_ptx("ptxas fatal   : syntax error\n", "ptxas"), "");
}

TEST_F(CompilePtx, without_a_compiler_ptx_is_refused) {
  const Result<CompilerAnswer> out = compile_ptx({}, "x.ptx", "sm_90", as_bytes("x"));
  ASSERT_FALSE(out);
  EXPECT_NE(out.error().text().find("no ptxas"), std::string::npos);
}

} // namespace
} // namespace culink
