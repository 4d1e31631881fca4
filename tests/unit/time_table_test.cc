// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/report/link_reports.h"

#include <gtest/gtest.h>

namespace culink {
namespace {

TEST(TimeTable, has_two_rows_for_each_step) {
  EXPECT_EQ(time_table_rows({{"merge", 0.0015, 0.00225}}, "a.cubin", "sm_90"),
            " , merge ,  , a.cubin , sm_90 , culink , 1.5000 , ms\n"
            " , merge ,  , a.cubin , sm_90 , culink , 2.2500 , cpu ms\n");
  EXPECT_EQ(time_table_rows({}, "a.cubin", "sm_90"), "");
}

} // namespace
} // namespace culink
