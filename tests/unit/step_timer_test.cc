// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/step_timer.h"

#include <gtest/gtest.h>

namespace culink {
namespace {

TEST(StepTimer, lists_steps_in_order_once_they_ended) {
  StepTimer timer(true);
  timer.end(); // nothing runs
  timer.begin("first");
  EXPECT_TRUE(timer.times().empty());
  timer.begin("second");
  timer.end();
  timer.end();
  ASSERT_EQ(timer.times().size(), 2u);
  EXPECT_EQ(timer.times()[0].name, "first");
  EXPECT_EQ(timer.times()[1].name, "second");
  EXPECT_GE(timer.times()[0].wall, 0);
  EXPECT_GE(timer.times()[0].processor, 0);
}

TEST(StepTimer, lists_nothing_when_off) {
  StepTimer timer(false);
  timer.begin("first");
  timer.end();
  EXPECT_TRUE(timer.times().empty());
}

} // namespace
} // namespace culink
