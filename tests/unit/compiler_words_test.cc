// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "input/compile_ptx.h"

#include <gtest/gtest.h>

namespace culink {
namespace {

TEST(CompilerWords, ConcernTheCodeAloneByTheirNames) {
  for (const char *word :
       {"-O3", "-O", "3", "--maxrregcount=32", "-maxrregcount", "-regUsageLevel=5",
        "--warn-on-local-memory-usage", "-fma=0", "cg", "-Werror"})
    EXPECT_TRUE(concerns_code_alone(word)) << word;
  for (const char *word : {"--compiler-stats-file=x", "-o", "-optf=x", "--output-file", "-ias=x",
                           "-", "./x", "x.ptx", "-O3 -o", "--maxrregcount=32 -o x",
                           "--maxrregcount=../x", "--keep", "-fmad -ftz", "-O/x", "-o3", "---O3"})
    EXPECT_FALSE(concerns_code_alone(word)) << word;
}

TEST(CompilerWords, MayNameFiles) {
  for (const char *word : {"--compiler-stats-file=x", "-o", "-optf=x", "--output-file"})
    EXPECT_TRUE(names_file(word)) << word;
  for (const char *word : {"-O3", "o", "-opt", "--compiler-stats=time", "-maxrregcount=32", "-"})
    EXPECT_FALSE(names_file(word)) << word;
}

} // namespace
} // namespace culink
