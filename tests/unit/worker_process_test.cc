// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that are no workers stand for workers that misbehave.
#include "compilers/engine/worker.h"

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
  const EngineJob job{{"-arch=sm_100"}, {{EngineInputKind::Cubin, "object", object}}, {}};
  const Result<WorkerAnswer> answer = worker->run(job, std::chrono::seconds(1));
  EXPECT_FALSE(worker->alive());
  EXPECT_FALSE(worker->run(job, std::chrono::seconds(1)).ok());
  return answer ? "no failure" : answer.error().text();
}

TEST(WorkerProcess, ProgramsThatDoNotExistAreErrors) {
  EXPECT_FALSE(WorkerProcess::start("/no/such/program", "").ok());
}

TEST(WorkerProcess, OneThatEndsIsAnError) {
  EXPECT_EQ(failure_of_worker("exit 3"), "the engine ended with 3");
  EXPECT_EQ(failure_of_worker("exit 255"), "the engine ended with 255");
}

TEST(WorkerProcess, OneThatCrashesIsAnErrorThatSaysSo) {
  EXPECT_EQ(failure_of_worker("kill -SEGV $$").find("the engine ended by signal 11"), 0u);
}

TEST(WorkerProcess, OneThatHangsIsEnded) {
  EXPECT_EQ(failure_of_worker("exec sleep 100"), "the engine did not finish within 1 seconds");
}

} // namespace
} // namespace culink
