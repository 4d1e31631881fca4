// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library as its callers see it, on the objects in examples/.
#include <fstream>
#include <iterator>
#include <thread>

#include <gtest/gtest.h>

#include "broken_file.h"
#include "culink/linker.h"
#include "examples.h"
#include "fatbin_builder.h"
#include "support/bytes.h"

namespace culink {
namespace {

using test::read_example;

struct Pair {
  std::string folder;
  std::vector<u8> first;
  std::vector<u8> second;
  std::vector<u8> linked; // what nvlink made of them

  Pair(const std::string &where, const char *a, const char *b)
      : folder(where), first(read_example(where + "/" + a)), second(read_example(where + "/" + b)),
        linked(read_example(where + "/linked.cubin")) {}

  LinkRequest request() const {
    LinkRequest out;
    out.target = "sm_90";
    out.inputs = {LinkInput::memory("first", first), LinkInput::memory("second", second)};
    out.emulate = "nvlink-13.0.88";
    return out;
  }
};

std::vector<Pair> pairs() {
  return {{"vector_math/sm_90", "main.cubin", "filter.cubin"},
          {"function_pointers/sm_90", "main.cubin", "shapes.cubin"},
          {"weak_templates/sm_90", "forward.cubin", "backward.cubin"},
          {"textures/sm_90", "sampling.cubin", "references.cubin"}};
}

std::vector<std::string> ids(const LinkResult &result) {
  std::vector<std::string> out;
  for (const Message &message : result.messages)
    out.push_back(message.id);
  return out;
}

TEST(Link, makes_of_buffers_what_nvlink_made_of_files) {
  for (const Pair &pair : pairs()) {
    const LinkResult result = link(pair.request());
    EXPECT_TRUE(result.ok()) << pair.folder;
    EXPECT_EQ(result.bytes, pair.linked) << pair.folder;
  }
}

TEST(Link, ends_early_when_it_is_cancelled) {
  const Pair pair = pairs().front();
  LinkProgress counted;
  std::atomic<u32> changes = 0;
  counted.changed = [&] { ++changes; };
  LinkRequest request = pair.request();
  request.progress = &counted;
  ASSERT_TRUE(link(request).ok());
  ASSERT_GT(changes, 10);
  EXPECT_EQ(counted.done, 2);
  for (u32 when = 0; when <= changes; ++when) {
    LinkProgress progress;
    u32 seen = 0;
    progress.cancelled = when == 0;
    progress.changed = [&] { progress.cancelled = ++seen >= when; };
    request.progress = &progress;
    const LinkResult result = link(request);
    EXPECT_FALSE(result.ok()) << when;
    EXPECT_EQ(ids(result), std::vector<std::string>{"cancelled"}) << when;
    EXPECT_LE(seen, std::max(when, 5U) + 5) << when; // not a whole link
  }
}

TEST(Link, runs_several_times_at_once) {
  const std::vector<Pair> all = pairs();
  std::vector<std::thread> threads;
  std::vector<int> same(8 * all.size(), 0);
  for (size_t i = 0; i < same.size(); ++i)
    threads.emplace_back([&, i] {
      const Pair &pair = all[i % all.size()];
      same[i] = link(pair.request()).bytes == pair.linked;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(same, std::vector<int>(same.size(), 1));
}

TEST(Link, names_itself_unless_told_otherwise) {
  const Pair pair = pairs().front();
  LinkRequest request = pair.request();
  request.emulate.clear();
  const LinkResult result = link(request);
  ASSERT_TRUE(result.ok());
  EXPECT_NE(result.bytes, pair.linked);
  const std::string text(result.bytes.begin(), result.bytes.end());
  EXPECT_NE(text.find(std::string("culink\0" CULINK_VERSION, 7)), std::string::npos);
}

TEST(Link, lists_every_broken_input) {
  const std::vector<u8> junk = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0,   0,
                                0,    0,   0,   0,   0, 0, 1, 0, 190, 0};
  LinkRequest request;
  request.target = "sm_90";
  request.inputs = {LinkInput::memory("a", junk), LinkInput::file("/no/such/file"),
                    LinkInput::memory("b", junk)};
  const LinkResult result = link(request);
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(ids(result), (std::vector<std::string>{"bad-input", "cannot-open-input", "bad-input"}));
  EXPECT_EQ(result.messages[1].arguments[0], "/no/such/file");
}

// What they say they hold counts; nothing is unpacked.
TEST(Link, refuses_files_that_would_fill_the_memory) {
  const auto bomb = [](u64 size) {
    std::vector<u8> out =
        test::container({{.payload = std::string(100'000'000, 'a'), .how = Compression::Zstd}});
    constexpr u64 kContainer = 16;
    store_le(out.data() + kContainer + test::kSize, size);
    return out;
  };
  const std::vector<u8> large = bomb(900'000'000), small = bomb(100'000'000);
  LinkRequest request;
  request.target = "sm_90";
  request.inputs = {LinkInput::memory("a", large), LinkInput::memory("b", large),
                    LinkInput::memory("c", small)};
  const LinkResult result = link(request);
  EXPECT_EQ(ids(result), std::vector<std::string>{"bad-payload"});
  EXPECT_EQ(result.messages[0].arguments[0], "b");
  EXPECT_NE(result.messages[0].arguments[1].find("more than a gigabyte"), std::string::npos);
}

TEST(Link, keeps_to_a_memory_limit) {
  const std::vector<u8> packed =
      test::container({{.payload = std::string(1'000'000, 'a'), .how = Compression::Zstd}});
  LinkRequest request;
  request.target = "sm_90";
  request.memory_limit = 1'500'000;
  request.inputs = {LinkInput::memory("a", packed), LinkInput::memory("b", packed)};
  const LinkResult unpacks = link(request);
  ASSERT_EQ(ids(unpacks), std::vector<std::string>{"over-memory-limit"});
  EXPECT_EQ(unpacks.messages[0].arguments[0], "b");
  EXPECT_EQ(unpacks.messages[0].arguments[2], "1500000");

  const Pair pair = pairs().front();
  request = pair.request();
  request.memory_limit = pair.linked.size() - 1;
  const LinkResult writes = link(request);
  ASSERT_EQ(ids(writes), std::vector<std::string>{"over-memory-limit"});
  EXPECT_EQ(writes.messages[0].arguments[0],
            pair.first.size() >= pair.second.size() ? "first" : "second");
  EXPECT_TRUE(writes.bytes.empty());
  request.memory_limit = pair.linked.size();
  EXPECT_TRUE(link(request).ok());
}

// Files, libraries and members of thin archives are compared when they are opened.
TEST(Link, refuses_inputs_that_are_outputs) {
  const std::string path = CULINK_SOURCE_DIR "/examples/vector_math/sm_90/main.cubin";
  const Pair pair = pairs().front(); // the request refers to its bytes
  LinkRequest request = pair.request();
  request.inputs[0] = LinkInput::file(path);
  request.outputs = {{"-o x", "x"}, {"-Map y", path}};
  const LinkResult result = link(request);
  ASSERT_EQ(ids(result), std::vector<std::string>{"output-over-input"});
  EXPECT_EQ(result.messages[0].arguments, (std::vector<std::string>{"-Map y", path}));
}

TEST(Link, refuses_unknown_targets_and_linkers) {
  LinkRequest request;
  request.target = "sm_1";
  request.emulate = "ld";
  EXPECT_EQ(ids(link(request)),
            (std::vector<std::string>{"unknown-target", "unknown-emulation", "empty-link"}));
}

TEST(Link, reports_facts_when_asked) {
  const Pair pair = pairs().front();
  LinkRequest request = pair.request();
  EXPECT_TRUE(link(request).facts.functions.empty());
  request.options.facts = true;
  const LinkResult result = link(request);
  const LinkFacts &facts = result.facts;
  ASSERT_EQ(facts.kernels.size(), 2u);
  const KernelFacts &kernel = facts.kernels[1];
  EXPECT_EQ(facts.functions[kernel.function].name, "_Z6smoothPKfPfi");
  EXPECT_EQ(facts.functions[kernel.function].file, "first");
  EXPECT_TRUE(facts.functions[kernel.function].kernel);
  EXPECT_EQ(kernel.registers, 36u);
  EXPECT_EQ(kernel.barriers, 1u);
  EXPECT_EQ(kernel.shared, 1568u);
  ASSERT_EQ(kernel.constants.size(), 1u);
  EXPECT_EQ(kernel.constants[0].bytes, 548u);
  EXPECT_EQ(facts.global_bytes, 8u);
  ASSERT_EQ(facts.constants.size(), 1u);
  EXPECT_EQ(facts.constants[0].bank, 3u);
  EXPECT_EQ(facts.constants[0].bytes, 32u);
  EXPECT_FALSE(facts.sections.empty());
}

TEST(Link, turns_warnings_into_errors_on_request) {
  const Pair pair = pairs().front();
  LinkRequest request = pair.request();
  request.options.preserve_relocs = true;
  const LinkResult warned = link(request);
  EXPECT_TRUE(warned.ok());
  ASSERT_EQ(ids(warned), std::vector<std::string>{"preserve-relocs-incomplete"});
  EXPECT_EQ(warned.messages[0].severity, Severity::Warning);
  request.options.warnings_are_errors = true;
  const LinkResult failed = link(request);
  EXPECT_FALSE(failed.ok());
  EXPECT_EQ(failed.messages[0].severity, Severity::Error);
}

// A driver's function that says it is the code of another one: no rule of reading forbids it.
TEST(Link, compares_a_small_output_with_its_inputs) {
  constexpr std::string_view kFolder = "../tests/golden/frame_of_replaced_definition_stays_in_rel/";
  test::BrokenFile file(std::string(kFolder) + "a.cubin");
  file.set<u16>(file.symbol("__cuda_syscall_a") + test::kStShndx,
                static_cast<u16>(file.index_of(".text.g0")));
  const std::vector<u8> second = read_example(std::string(kFolder) + "b.cubin");
  LinkRequest request;
  request.target = "sm_80";
  request.inputs = {LinkInput::memory("first", file.bytes()), LinkInput::memory("second", second)};
  const LinkResult told = link(request);
  EXPECT_TRUE(told.ok());
  EXPECT_EQ(ids(told), (std::vector<std::string>{"check-failed"}));

  LinkRequest strict = request, unchecked = request, copied = request;
  strict.options.check = true;
  EXPECT_FALSE(link(strict).ok());
  EXPECT_EQ(ids(link(strict)), (std::vector<std::string>{"check-finding"}));
  unchecked.options.check_small = false;
  EXPECT_EQ(ids(link(unchecked)), std::vector<std::string>{});
  EXPECT_EQ(link(unchecked).bytes, told.bytes);
  copied.emulate = "nvlink-13.0.88";
  EXPECT_EQ(ids(link(copied)), std::vector<std::string>{});

  // The same program in a link that is not small.
  const std::vector<u8> padding(LinkOptions::kSmallLink, 0);
  std::vector<u8> large(second);
  large.insert(large.end(), padding.begin(), padding.end());
  request.inputs[1] = LinkInput::memory("second", large);
  EXPECT_EQ(ids(link(request)), std::vector<std::string>{});

  // A library of which nothing is linked counts for nothing.
  request.inputs = {strict.inputs[0], strict.inputs[1], LinkInput::memory("libcudadevrt.a", large)};
  EXPECT_EQ(ids(link(request)), (std::vector<std::string>{"check-failed"}));
}

TEST(FormatMessage, shows_notes_and_hint_below_the_text) {
  const Message message = {Severity::Warning, "x", "text", {}, {}, {"here", "there"}, "do"};
  EXPECT_EQ(format_message(message, "p"), "p: warning: text\n>>> here\n>>> there\nhint: do\n");
}

} // namespace
} // namespace culink
