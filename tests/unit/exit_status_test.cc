// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compat/exit_status.h"

#include <gtest/gtest.h>

namespace culink {
namespace {

Message error(const char *id) {
  return {.severity = Severity::Error, .id = id};
}

TEST(ExitStatus, is_one_unless_nvlink_is_imitated) {
  EXPECT_EQ(exit_status({error("undefined-reference")}, false), 1);
  EXPECT_EQ(exit_status({error("bad-input")}, false), 1);
}

// Q068
TEST(ExitStatus, tells_late_errors_from_early_ones_as_nvlink_does) {
  EXPECT_EQ(exit_status({error("undefined-reference"), error("too-much-shared")}, true), 255);
  EXPECT_EQ(exit_status({error("register-limit")}, true), 255);
  EXPECT_EQ(exit_status({error("too-much-constant")}, true), 255);
  EXPECT_EQ(exit_status({{.severity = Severity::Warning, .id = "newer-toolkit"},
                         error("unknown-stack-size")},
                        true),
            255);
  EXPECT_EQ(exit_status({error("bad-input")}, true), 1);
  EXPECT_EQ(exit_status({error("multiple-definition"), error("undefined-reference")}, true), 1);
}

} // namespace
} // namespace culink
