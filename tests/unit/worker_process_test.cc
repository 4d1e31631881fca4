// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that are no workers stand for workers that misbehave.
#include "finalize/worker_process.h"

#include <gtest/gtest.h>

#include "program_script.h"

namespace culink {
namespace {

std::string failure_of_worker(const std::string &script) {
  const ProgramScript program(script);
  Result<WorkerProcess> worker = WorkerProcess::start(program.path(), "no library");
  if (!worker)
    return worker.error().text();
  const std::vector<u8> object(1000);
  const Result<WorkerAnswer> answer =
      worker->link("sm_100", false, object, std::chrono::seconds(1));
  EXPECT_FALSE(worker->alive());
  EXPECT_FALSE(worker->link("sm_100", false, object, std::chrono::seconds(1)).ok());
  return answer ? "no failure" : answer.error().text();
}

TEST(WorkerProcess, ProgramsThatDoNotExistAreErrors) {
  EXPECT_FALSE(WorkerProcess::start("/no/such/program", "").ok());
}

TEST(WorkerProcess, OneThatEndsIsAnError) {
  EXPECT_EQ(failure_of_worker("exit 3"), "the finalizer ended with 3");
}

TEST(WorkerProcess, OneThatCrashesIsAnErrorThatSaysSo) {
  EXPECT_EQ(failure_of_worker("kill -SEGV $$").find("the finalizer ended by signal 11"), 0u);
}

TEST(WorkerProcess, OneThatHangsIsEnded) {
  EXPECT_EQ(failure_of_worker("exec sleep 100"), "the finalizer did not finish within 1 seconds");
}

TEST(WorkerProcess, TargetsThatNoMessageHoldsAreErrors) {
  const ProgramScript program("exec sleep 100");
  Result<WorkerProcess> worker = WorkerProcess::start(program.path(), "no library");
  ASSERT_TRUE(worker.ok());
  EXPECT_FALSE(
      worker->link(std::string(100, 'x'), false, std::vector<u8>(10), std::chrono::seconds(1))
          .ok());
}

} // namespace
} // namespace culink
