// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The front of the cache: which questions are the same, and that only sound answers are given.
#include "compilers/cache/cache.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "support/bytes.h"

namespace culink {
namespace {

namespace fs = std::filesystem;

class CacheTest : public testing::Test {
protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "culink-cache-XXXXXX").string();
    ASSERT_TRUE(::mkdtemp(name.data()));
    root_ = name;
    options_.folder = (root_ / "cache").string();
    write_program("\x7f"
                  "ELF one");
  }
  void TearDown() override { fs::remove_all(root_); }

  [[nodiscard]] std::string program() const { return (root_ / "ptxas").string(); }
  void write_program(const std::string &contents) const {
    std::ofstream(program(), std::ios::trunc) << contents;
  }
  [[nodiscard]] CacheQuestion question() const {
    return {"ptx", {program()}, {"-arch", "sm_90"}, {as_bytes("text")}};
  }
  [[nodiscard]] std::optional<Digest> digest_of_question(const CacheQuestion &asked) const {
    Cache cache(options_);
    const std::optional<CacheKey> key = cache.key_of(asked);
    return key ? std::optional(key->digest()) : std::nullopt;
  }
  [[nodiscard]] fs::path only_entry() const {
    fs::path out;
    for (const fs::directory_entry &entry :
         fs::recursive_directory_iterator(fs::path(options_.folder) / "v1"))
      if (entry.path().filename().string().size() > 32)
        out = entry.path();
    return out;
  }

  fs::path root_;
  CacheOptions options_;
};

const std::vector<u8> kImage = {1, 2, 3};

bool any(const CompilerAnswer & /*answer*/) {
  return true;
}

TEST_F(CacheTest, RemembersAnswers) {
  Cache first(options_);
  const std::optional<CacheKey> key = first.key_of(question());
  ASSERT_TRUE(key);
  EXPECT_FALSE(first.find(*key, any));
  first.keep(*key, kImage, "said");
  EXPECT_EQ(first.use().misses, 1U);
  EXPECT_EQ(first.use().stored, 1U);
  Cache second(options_);
  const std::optional<CompilerAnswer> found = second.find(*second.key_of(question()), any);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->image, kImage);
  EXPECT_EQ(found->text, "said");
  EXPECT_EQ(second.use().local_hits, 1U);
  EXPECT_EQ(second.use().misses, 0U);
  EXPECT_TRUE(second.troubles().empty());
}

TEST_F(CacheTest, WithoutAPlaceHasNoKeys) {
  Cache none({});
  EXPECT_FALSE(none.key_of(question()));
  EXPECT_FALSE(none.use().on);
}

TEST_F(CacheTest, TellsQuestionsApart) {
  const std::optional<Digest> plain = digest_of_question(question());
  ASSERT_TRUE(plain);
  EXPECT_EQ(digest_of_question(question()), plain);
  std::vector<CacheQuestion> others(7, question());
  others[0].kind = "lto";
  others[1].words = {"-arch", "sm_90", "-g"};
  others[2].words = {"sm_90", "-arch"};
  others[3].words = {"-archsm_90"};
  others[4].contents = {as_bytes("Text")};
  others[5].contents = {as_bytes("tex"), as_bytes("t")};
  others[6].programs = {program(), ""};
  std::vector<Digest> seen = {*plain};
  for (const CacheQuestion &other : others) {
    const std::optional<Digest> digest = digest_of_question(other);
    ASSERT_TRUE(digest);
    EXPECT_EQ(std::count(seen.begin(), seen.end(), *digest), 0);
    seen.push_back(*digest);
  }
}

TEST_F(CacheTest, KnowsProgramsByTheirContents) {
  const std::optional<Digest> before = digest_of_question(question());
  CacheQuestion moved = question();
  moved.programs = {(root_ / "copy").string()};
  fs::copy_file(program(), moved.programs[0]);
  EXPECT_EQ(digest_of_question(moved), before);
  write_program("\x7f"
                "ELF two"); // of the same length, within the same moment
  EXPECT_NE(digest_of_question(question()), before);
  write_program("#!/bin/sh"); // what it runs is not known
  EXPECT_FALSE(digest_of_question(question()));
  fs::remove(program());
  EXPECT_FALSE(digest_of_question(question()));
}

TEST_F(CacheTest, ReadsLargeProgramsWhole) {
  constexpr size_t kSize = 9'000'000;
  std::string contents = "\x7f"
                         "ELF" +
                         std::string(kSize, 'a');
  write_program(contents);
  const std::optional<Digest> before = digest_of_question(question());
  ASSERT_TRUE(before);
  for (const size_t at : {size_t{4}, size_t{1} << 22, kSize - 1}) {
    contents[at] = 'b';
    write_program(contents);
    EXPECT_NE(digest_of_question(question()), before) << at;
    contents[at] = 'a';
  }
  write_program(contents);
  EXPECT_EQ(digest_of_question(question()), before);
  write_program(contents + "a");
  EXPECT_NE(digest_of_question(question()), before);
}

TEST_F(CacheTest, RemembersProgramsThatDoNotChange) {
  fs::last_write_time(program(), fs::file_time_type::clock::now() - std::chrono::hours(1));
  ::usleep(2'100'000); // the time of the last change cannot be set
  const std::optional<Digest> digest = digest_of_question(question());
  EXPECT_FALSE(only_entry().empty());
  EXPECT_EQ(digest_of_question(question()), digest);
  // What was remembered is used: with another digest in its place, the key is another one.
  Digest name;
  const std::string path = only_entry().string();
  const std::string digits = path.substr(path.rfind('/') - 1, 1) + path.substr(path.rfind('/') + 1);
  for (size_t i = 0; i < name.size(); ++i)
    name[i] = static_cast<u8>(std::stoi(digits.substr(2 * i, 2), nullptr, 16));
  const Digest other = digest_of(as_bytes("another program"));
  const Result<CacheFolder> folder = CacheFolder::open(options_.folder, options_.size);
  ASSERT_TRUE(folder && folder->write(name, encode_entry(name, other, {})));
  EXPECT_NE(digest_of_question(question()), digest);
  // A record that is damaged is none.
  std::ofstream(path, std::ios::in | std::ios::out).seekp(100) << "damaged";
  EXPECT_EQ(digest_of_question(question()), digest);
}

TEST_F(CacheTest, KeepsNothingOfAProgramThatChangedMeanwhile) {
  Cache cache(options_);
  const std::optional<CacheKey> key = cache.key_of(question());
  ASSERT_TRUE(key);
  write_program("\x7f"
                "ELF of another length");
  cache.keep(*key, kImage, "");
  EXPECT_EQ(cache.use().stored, 0U);
  EXPECT_FALSE(Cache(options_).find(*key, any));
}

TEST_F(CacheTest, HasNoKeyWhereAFileMayDecide) {
  for (const char *word : {"-optf=more", "--options-file", "@more", "-profile=/tmp/p", "-o"}) {
    CacheQuestion asked = question();
    asked.words.emplace_back(word);
    EXPECT_FALSE(digest_of_question(asked)) << word;
  }
}

TEST_F(CacheTest, CountsTheEnvironmentOfCompilers) {
  const std::optional<Digest> before = digest_of_question(question());
  ::setenv("PTXAS_SECRET", "1", 1);
  const std::optional<Digest> after = digest_of_question(question());
  ::unsetenv("PTXAS_SECRET");
  EXPECT_NE(after, before);
  EXPECT_EQ(digest_of_question(question()), before);
}

TEST_F(CacheTest, MakesDamagedAnswersAgain) {
  Cache first(options_);
  const std::optional<CacheKey> key = first.key_of(question());
  ASSERT_TRUE(key);
  first.keep(*key, kImage, "said");
  const fs::path entry = only_entry();
  std::ofstream(entry, std::ios::in | std::ios::out).seekp(90) << "?";
  EXPECT_FALSE(Cache(options_).find(*key, any));
  EXPECT_FALSE(fs::exists(entry));
}

TEST_F(CacheTest, RefusesAnswersThatDoNotHold) {
  Cache cache(options_);
  const std::optional<CacheKey> key = cache.key_of(question());
  ASSERT_TRUE(key);
  cache.keep(*key, kImage, "said");
  EXPECT_FALSE(cache.find(*key, [](const CompilerAnswer &) { return false; }));
  EXPECT_EQ(cache.troubles().size(), 1U);
  EXPECT_FALSE(cache.find(*key, any));
}

TEST_F(CacheTest, SaysOnceWhyAFolderIsNotUsed) {
  fs::create_directory(options_.folder);
  fs::permissions(options_.folder, fs::perms::all);
  Cache cache(options_);
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(cache.key_of(question()));
  ASSERT_EQ(cache.troubles().size(), 1U);
  EXPECT_NE(cache.troubles()[0].find("others can write"), std::string::npos);
}

TEST_F(CacheTest, SaysNothingOfAUserWithoutAHome) {
  std::ofstream(root_ / "file") << "no folder";
  options_.folder = (root_ / "file" / "cache").string();
  Cache named(options_);
  EXPECT_FALSE(named.key_of(question()));
  EXPECT_EQ(named.troubles().size(), 1U);
  options_.folder_is_guess = true;
  Cache guessed(options_);
  EXPECT_FALSE(guessed.key_of(question()));
  EXPECT_TRUE(guessed.troubles().empty());
}

TEST_F(CacheTest, ServesManyThreadsAtOnce) {
  constexpr u32 kThreads = 8, kQuestions = 20;
  options_.remote = "http://127.0.0.1:9/"; // nobody listens there
  Cache cache(options_);
  std::atomic<u32> wrong = 0;
  const auto work = [&] {
    for (u32 i = 0; i < kQuestions; ++i) {
      CacheQuestion asked = question();
      const std::string text = "text " + std::to_string(i);
      asked.contents = {as_bytes(text)};
      const std::optional<CacheKey> key = cache.key_of(asked);
      const std::optional<CompilerAnswer> answer = key ? cache.find(*key, any) : std::nullopt;
      wrong += !key || (answer && answer->text != text) ? 1 : 0;
      if (key && !answer)
        cache.keep(*key, kImage, text);
    }
  };
  std::vector<std::thread> threads;
  for (u32 i = 0; i < kThreads; ++i)
    threads.emplace_back(work);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0U);
  const CacheUse use = cache.use();
  EXPECT_EQ(use.local_hits + use.misses, kThreads * kQuestions);
  EXPECT_GE(use.misses, kQuestions);
  EXPECT_LE(cache.troubles().size(), 1U);
}

TEST_F(CacheTest, ASharedStoreThatIsGoneCostsOneReport) {
  options_.remote = "http://user:secret@127.0.0.1:9/"; // nobody listens there
  Cache cache(options_);
  const std::optional<CacheKey> key = cache.key_of(question());
  ASSERT_TRUE(key);
  EXPECT_FALSE(cache.find(*key, any));
  cache.keep(*key, kImage, "");
  EXPECT_TRUE(cache.find(*key, any)); // from the folder
  ASSERT_EQ(cache.troubles().size(), 1U);
  EXPECT_EQ(cache.troubles()[0].find("secret"), std::string::npos);
}

TEST(RemoteStore, HidesPasswords) {
  EXPECT_EQ(without_password("http://host/a@b"), "http://host/a@b");
  EXPECT_EQ(without_password("https://me:word@host:1/a"), "https://host:1/a");
  EXPECT_EQ(without_password("https://me:w@rd@host"), "https://host");
  EXPECT_EQ(without_password("me:word@host:1/a"), "host:1/a");
  EXPECT_EQ(without_password("me:word@host:/a"), "host:/a");
  EXPECT_EQ(without_password("http:/me:word@host/a"), "http:/host/a");
  EXPECT_EQ(without_password("http://"), "http://");
  EXPECT_EQ(without_password(""), "");
}

} // namespace
} // namespace culink
