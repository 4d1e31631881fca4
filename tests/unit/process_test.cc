// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/process.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "support/bytes.h"

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
  EXPECT_EQ(run->status, 256 + 9);
}

TEST(Process, a_status_that_is_lost_leaves_the_output) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const Result<ProcessResult> run = shell("/bin/true; echo $?; exit 3");
  std::signal(SIGCHLD, before);
  ASSERT_TRUE(run) << run.error().text();
  EXPECT_EQ(run->status, kLostStatus);
  EXPECT_EQ(run->output, "0\n") << "the child does not ignore its own children";
}

TEST(Process, closed_descriptors_are_not_in_the_way) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (const int fd : {0, 1, 2})
      ::close(fd);
    const Result<MemoryFile> file = MemoryFile::create({});
    const Result<ProcessResult> run =
        file ? shell("cat && echo out && echo err >&2 && echo x > " + file->path(), {&*file})
             : file.error();
    ::_exit(run && run->status == 0 && run->output == "out\nerr\n" ? 0 : 1);
  }
  EXPECT_EQ(wait_for_child(child), 0);
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

TEST(Process, keeps_no_more_text_than_anybody_reads) {
  const Result<ProcessResult> run = shell("yes | head -c 40000000");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->status, 0);
  EXPECT_GE(run->output.size(), size_t{16} << 20);
  EXPECT_LT(run->output.size(), size_t{17} << 20);
}

// A file with the number of a process that a child has started.
class NumberFile {
public:
  NumberFile() : path_(std::filesystem::temp_directory_path() / "culink_number.XXXXXX") {
    ::close(::mkstemp(path_.data()));
  }
  ~NumberFile() { std::filesystem::remove(path_); }
  [[nodiscard]] const std::string &path() const { return path_; }
  // Waits for it.
  [[nodiscard]] pid_t read() const {
    for (pid_t number = 0;; std::this_thread::sleep_for(std::chrono::milliseconds(5)))
      if (std::ifstream(path_) >> number)
        return number;
  }

private:
  std::string path_;
};

// Whether it ends within half a minute, which is long before it would by itself. Nobody may ask for
// its status.
bool ends(pid_t process) {
  for (int i = 0; i < 6000; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(5))) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    const std::string text(std::istreambuf_iterator<char>(file), {});
    if (text.empty() || text.find(") Z") != std::string::npos)
      return true;
  }
  return false;
}

TEST(Process, is_killed_with_us) {
  const NumberFile number;
  const pid_t linker = ::fork();
  if (linker == 0) {
    static_cast<void>(shell("echo $$ > " + number.path() + "; exec sleep 600"));
    ::_exit(0);
  }
  const pid_t compiler = number.read();
  ::kill(linker, SIGTERM);
  ::waitpid(linker, nullptr, 0);
  EXPECT_TRUE(ends(compiler));
}

TEST(Process, ends_with_what_it_has_started) {
  const NumberFile number;
  const Result<ProcessResult> run =
      run_process({"/bin/sh", "-c", "sleep 600 & echo $! > " + number.path() + "; wait"}, {},
                  std::chrono::seconds(1));
  ASSERT_TRUE(run);
  EXPECT_TRUE(run->late);
  EXPECT_TRUE(ends(number.read()));
}

} // namespace
} // namespace culink
