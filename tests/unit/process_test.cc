// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/process.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/bytes.h"

namespace culink {
namespace {

Result<ProcessResult> shell(const std::string &text,
                            const std::vector<const MemoryFile *> &files = {}) {
  return run_process({"/bin/sh", "-c", text}, files);
}

TEST(Process, gives_status_and_output) {
  const Result<ProcessResult> run = shell("echo out; echo err >&2; exit 3");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->status, 3);
  EXPECT_EQ(run->output, "out\nerr\n");
}

TEST(Process, a_signal_is_a_status) {
  const Result<ProcessResult> run = shell("kill -9 $$");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->status, 128 + 9);
}

TEST(Process, a_program_that_is_not_there_is_an_error) {
  EXPECT_FALSE(run_process({"/no/such/program"}));
}

TEST(Process, words_are_not_interpreted) {
  const Result<ProcessResult> run = run_process({"/bin/echo", "$HOME; * 'x'"});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->output, "$HOME; * 'x'\n");
}

TEST(Process, reads_nothing_from_our_input) {
  const Result<ProcessResult> run = shell("cat");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->output, "");
}

TEST(Process, reads_and_writes_files_in_memory) {
  const Result<MemoryFile> from = MemoryFile::create(as_bytes("some text"));
  const Result<MemoryFile> to = MemoryFile::create({});
  ASSERT_TRUE(from && to);
  const Result<ProcessResult> run =
      shell("cat " + from->path() + " > " + to->path(), {&*from, &*to});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->status, 0) << run->output;
  const Result<std::vector<u8>> read = to->read();
  ASSERT_TRUE(read);
  EXPECT_EQ(as_text(*read), "some text");
}

TEST(Process, files_that_are_not_given_are_closed) {
  const Result<MemoryFile> file = MemoryFile::create(as_bytes("secret"));
  ASSERT_TRUE(file);
  const Result<ProcessResult> run = shell("cat " + file->path() + " 2>/dev/null");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->output, "");
}

TEST(Process, many_run_at_once) {
  std::vector<std::thread> threads;
  std::vector<std::string> outputs(16);
  for (size_t i = 0; i < outputs.size(); ++i)
    threads.emplace_back(
        [&outputs, i] { outputs[i] = shell("echo " + std::to_string(i))->output; });
  for (std::thread &thread : threads)
    thread.join();
  for (size_t i = 0; i < outputs.size(); ++i)
    EXPECT_EQ(outputs[i], std::to_string(i) + "\n");
}

} // namespace
} // namespace culink
