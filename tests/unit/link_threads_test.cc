// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A link with many threads is the link with one: the same bytes and the same messages in the same
// order. The objects are copies of an example under other names, enough of them that every loop
// over objects, relocation tables and parts of the image has work for several threads; so has the
// check of the image, whose findings are the same, too. Under the thread sanitizer these tests also
// show that the threads do not touch each other's data.
#include <algorithm>
#include <mutex>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "culink/linker.h"
#include "elf/elf_view.h"
#include "elf/records/nv_info.h"
#include "examples.h"
#include "support/worker_pool.h"
#include "verify/file/verify.h"

namespace culink {
namespace {

using test::read_example;

// Replaces a word wherever it stands by one of the same length that has the number in it.
void rename(std::vector<u8> &bytes, std::string_view word, u32 number) {
  const std::string other = fmt::format("{}{:0{}}", word[0], number, word.size() - 1);
  for (auto at = bytes.begin();
       (at = std::search(at, bytes.end(), word.begin(), word.end())) != bytes.end();)
    at = std::copy(other.begin(), other.end(), at);
}

class Objects {
public:
  explicit Objects(u32 pairs, std::string target = "sm_90") : target_(std::move(target)) {
    const std::vector<u8> main = read_example("vector_math/" + target_ + "/main.cubin"),
                          filter = read_example("vector_math/" + target_ + "/filter.cubin");
    for (u32 i = 0; i < pairs; ++i)
      for (const std::vector<u8> &original : {main, filter}) {
        std::vector<u8> &bytes = copies_.emplace_back(original);
        for (const char *word :
             {"total", "smooth", "samples_seen", "block_sum", "filtered", "filter_taps"})
          rename(bytes, word, i);
      }
  }

  std::vector<u8> &operator[](u32 i) { return copies_[i]; }

  LinkResult link_with(u32 threads, OutputCode code = OutputCode::Default,
                       std::function<MutableByteSpan(u64)> place = {}) const {
    LinkRequest request;
    request.place = std::move(place);
    request.target = target_;
    request.options.code = code;
    for (u32 i = 0; i < copies_.size(); ++i)
      request.inputs.push_back(LinkInput::memory(fmt::format("object {}", i), copies_[i]));
    request.options.threads = threads;
    return link(request);
  }

private:
  std::string target_;
  std::vector<std::vector<u8>> copies_;
};

std::vector<std::string> texts(const LinkResult &result) {
  std::vector<std::string> out;
  for (const Message &message : result.messages)
    out.push_back(format_message(message, "culink"));
  return out;
}

TEST(LinkThreads, give_the_same_bytes_for_any_number) {
  const Objects objects(300);
  const LinkResult one = objects.link_with(1);
  ASSERT_TRUE(one.ok()) << (one.messages.empty() ? "" : texts(one)[0]);
  EXPECT_GT(one.bytes.size(), 2u << 20);
  for (const u32 threads : {2, 3, 7, 16}) {
    const LinkResult many = objects.link_with(threads);
    EXPECT_TRUE(many.bytes == one.bytes) << threads << " threads";
    EXPECT_EQ(texts(many), texts(one)) << threads << " threads";
  }
}

TEST(LinkThreads, give_the_same_bytes_of_mercury_code) {
  const Objects objects(100, "sm_100");
  for (const OutputCode code : {OutputCode::Sass, OutputCode::Mercury}) {
    const LinkResult one = objects.link_with(1, code);
    ASSERT_TRUE(one.ok()) << (one.messages.empty() ? "" : texts(one)[0]);
    for (const u32 threads : {2, 3, 7, 16})
      EXPECT_TRUE(objects.link_with(threads, code).bytes == one.bytes) << threads << " threads";
  }
}

TEST(LinkThreads, write_an_image_where_the_caller_has_room) {
  for (const std::string target : {"sm_90", "sm_100"}) {
    const OutputCode code = target == "sm_90" ? OutputCode::Default : OutputCode::Mercury;
    const Objects objects(target == "sm_90" ? 1100 : 600, target);
    const LinkResult alone = objects.link_with(1, code);
    ASSERT_TRUE(alone.ok());
    for (const u32 threads : {1, 5}) {
      std::vector<u8> room;
      const LinkResult placed = objects.link_with(threads, code, [&room](u64 size) {
        room.assign(size, 0);
        return MutableByteSpan(room);
      });
      ASSERT_EQ(placed.bytes.data(), room.data()) << "too small to be placed";
      EXPECT_TRUE(placed.bytes == alone.bytes) << target << ", " << threads << " threads";
    }
    const LinkResult elsewhere = objects.link_with(2, code, [](u64) { return MutableByteSpan(); });
    EXPECT_TRUE(elsewhere.bytes == alone.bytes) << target;
  }
}

TEST(LinkThreads, list_broken_inputs_in_order) {
  Objects objects(30);
  for (u32 i = 0; i < 60; i += 7)
    objects[i].resize(objects[i].size() / 2);
  const LinkResult one = objects.link_with(1);
  EXPECT_FALSE(one.ok());
  ASSERT_EQ(one.messages.size(), 9u);
  EXPECT_EQ(one.messages[8].arguments[0], "object 56");
  for (const u32 threads : {2, 8})
    EXPECT_EQ(texts(objects.link_with(threads)), texts(one)) << threads << " threads";
}

// The findings of the verifier, and before them those of the view.
std::vector<std::string> findings(const std::vector<u8> &file, u32 threads) {
  WorkerPool pool(threads);
  std::vector<std::string> out;
  if (const Result<elf::ElfView> strict = elf::ElfView::open(file); !strict)
    out.push_back(strict.error().text());
  if (const Result<elf::ElfView> view = elf::ElfView::open_tolerant(file))
    for (const Finding &finding : verify_device_elf(*view, pool))
      out.push_back(finding.what.text());
  return out;
}

TEST(LinkThreads, find_the_same_in_a_broken_file) {
  const LinkResult link = Objects(300).link_with(1);
  const std::vector<u8> sound(link.bytes.begin(), link.bytes.end());
  EXPECT_EQ(findings(sound, 8), std::vector<std::string>{});
  const u64 table = link.bytes.size() > 48 ? load_le<u64>(&sound[40]) : 0;
  std::mt19937 random(1);
  for (u32 round = 0; round < 8; ++round) {
    std::vector<u8> broken = sound;
    // Bytes of contents, and in later rounds of section headers, that are all the more likely to
    // contradict each other.
    for (u32 i = 0; i < 3000; ++i) {
      const u64 begin = round % 2 == 0 ? 64 : table;
      broken[begin + random() % (broken.size() - begin)] = static_cast<u8>(random());
      if (round % 2 != 0 && i == 200)
        break;
    }
    const std::vector<std::string> one = findings(broken, 1);
    EXPECT_GT(one.size(), 20u);
    for (const u32 threads : {2, 3, 7, 16})
      EXPECT_EQ(findings(broken, threads), one) << threads << " threads";
  }
}

// Tables are checked in parts, but a rule that is broken all over a table is one finding.
TEST(LinkThreads, count_what_is_wrong_with_a_whole_table) {
  const LinkResult link = Objects(300).link_with(1);
  std::vector<u8> broken(link.bytes.begin(), link.bytes.end());
  const Result<elf::ElfView> view = elf::ElfView::open(link.bytes);
  ASSERT_TRUE(view);
  const elf::Section &symbols = *view->find(".symtab"), &info = *view->find(".nv.info");
  constexpr u64 kEntry = 24, kOther = 5;
  const u64 count = symbols.size / kEntry;
  ASSERT_GT(count, 2 * 2048u);
  for (u64 i = 1; i < count; ++i)
    broken[symbols.offset + i * kEntry + kOther] |= 8; // a bit without a meaning
  u64 records = 0;
  for (elf::RecordReader<elf::InfoAttribute> reader(info.data); reader.next();)
    if (elf::symbol_word_count(reader.record()) != 0) {
      store_le<u32>(&broken[info.offset + reader.record().offset + 4], 0xffffff);
      ++records;
    }
  ASSERT_GT(records, 2048u);
  WorkerPool pool(3);
  std::vector<std::string> expected;
  for (const auto &[what, more] : {std::pair{"'.symtab'", count - 2}, {"'.nv.info'", records - 1}})
    expected.push_back(fmt::format("{} (and {} more in this section)", what, more));
  std::vector<std::string> found;
  for (const Finding &finding : verify_device_elf(*elf::ElfView::open(broken), pool)) {
    const std::string text = finding.what.text();
    const size_t more = text.rfind(" (and");
    const size_t name = text.find('\''), end = text.find('\'', name + 1) + 1;
    found.push_back(more == text.npos ? text : text.substr(name, end - name) + text.substr(more));
  }
  EXPECT_EQ(found, expected);
}

} // namespace
} // namespace culink
