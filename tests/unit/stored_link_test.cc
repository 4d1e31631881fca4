// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/repro/stored_link.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "driver/options/command_line.h"
#include "support/bytes.h"

namespace culink {
namespace {

class StoredLinkTest : public testing::Test {
protected:
  StoredLinkTest() { std::filesystem::create_directories(folder_); }
  ~StoredLinkTest() override { std::filesystem::remove_all(folder_); }
  StoredLinkTest(const StoredLinkTest &) = delete;
  StoredLinkTest &operator=(const StoredLinkTest &) = delete;

  std::string path(const std::string &name) const { return folder_ + "/" + name; }
  std::string write(const std::string &name, const std::string &text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
  static std::vector<u8> bytes_of(TarWriter tar) {
    std::vector<u8> out;
    for (const ByteSpan piece : tar.finish())
      out.insert(out.end(), piece.begin(), piece.end());
    return out;
  }

private:
  std::string folder_ = testing::TempDir() + "stored_link_test." + std::to_string(::getpid());
};

TEST_F(StoredLinkTest, answers_are_those_of_the_file_system) {
  const std::string a = write("a\n\t\\x", "one");
  std::filesystem::create_hard_link(a, path("b"));
  const RecordedFiles recorded;
  for (const std::string &name : {a, path("b"), path("none"), path("")})
    (void)recorded.open(name, FileType::Readable);
  EXPECT_TRUE(recorded.ask(FileQuestion::IsFile, a));
  EXPECT_FALSE(recorded.ask(FileQuestion::IsFile, path("")));
  EXPECT_TRUE(recorded.ask(FileQuestion::Exists, path("")));
  write("a\n\t\\x", "changed later, which the record does not notice");
  const LinkRecord record{{"-arch", "", "new\nline"}, "/folder", {"culink 7"}, ""};
  const std::vector<u8> archive = bytes_of(store_link(record, recorded));

  std::filesystem::remove(a);
  const Result<StoredLink> stored = read_stored_link(archive);
  ASSERT_TRUE(stored) << stored.error().text();
  EXPECT_EQ(stored->record.words, record.words);
  EXPECT_EQ(stored->record.folder, "/folder");
  EXPECT_EQ(stored->record.versions, record.versions);
  const StoredFiles &files = stored->files;
  const Result<MappedFile> first = files.open(a, FileType::Readable);
  const Result<MappedFile> second = files.open(path("b"), FileType::Readable);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->identity(), second->identity());
  for (const std::string &name : {path("none"), path("")})
    EXPECT_EQ(files.open(name, FileType::Readable).error().text(),
              recorded.open(name, FileType::Readable).error().text());
  EXPECT_FALSE(files.open(a, FileType::Regular)); // which nobody asked for
  EXPECT_TRUE(files.ask(FileQuestion::IsFile, a));
  EXPECT_FALSE(files.ask(FileQuestion::IsFile, path("")));
  EXPECT_TRUE(files.ask(FileQuestion::Exists, path("")));
}

TEST_F(StoredLinkTest, broken_lists_are_refused) {
  for (const char *list : {"read\n", "read\tinputs/1/a\n", "read\tinputs/1/none\ta\n",
                           "dance\t-\ta\n", "read\terror: \\q\ta\n"}) {
    TarWriter tar;
    tar.add_text("culink-repro/command.txt", "");
    tar.add_text("culink-repro/files.txt", list);
    EXPECT_FALSE(read_stored_link(bytes_of(std::move(tar)))) << list;
  }
}

TEST(WordLines, lines_give_their_fields_back) {
  const std::vector<std::string> fields = {"a b", "\t\n\\\x7f", "", "\xc3\xa4",
                                           std::string(1, '\0')};
  const auto lines = from_lines(to_line(fields) + to_line({"x"}));
  ASSERT_TRUE(lines);
  EXPECT_EQ(*lines, (std::vector<std::vector<std::string>>{fields, {"x"}}));
  for (const char *text : {"\\", "\\x1", "\\n", "\\xg0"})
    EXPECT_FALSE(from_lines(text)) << text;
}

TEST_F(StoredLinkTest, response_files_give_the_command_line_back) {
  Diagnostics diag;
  const CommandLine line = parse_command_line({"-arch=sm_90", "a b.o", "-lx,y", "-l", "\"p,q\"",
                                               "-v", "-o", "it's", "-kernels-used=", "c\"d"},
                                              diag);
  const CommandLine again =
      parse_command_line({"@" + write("response", response_text(line))}, diag);
  EXPECT_FALSE(diag.failed());
  EXPECT_EQ(line.inputs, again.inputs);
  EXPECT_EQ(line.given, again.given);
  EXPECT_EQ(line.values, again.values);
}

} // namespace
} // namespace culink
