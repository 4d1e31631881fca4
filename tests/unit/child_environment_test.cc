// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Children that run NVIDIA's compilers do not inherit a library that stands in for one of them;
// everything else they do.
#include "support/process.h"

#include <cstdlib>
#include <string_view>

#include <gtest/gtest.h>

namespace culink {
namespace {

TEST(ChildEnvironment, LeavesOneLibraryOutOfAList) {
  constexpr const char *kName = "libnvJitLink.so";
  EXPECT_EQ(without_library("/jit/libnvJitLink.so.13", kName), "");
  EXPECT_EQ(without_library("/a/libx.so:/jit/libnvJitLink.so.13 liby.so", kName),
            "/a/libx.so:liby.so");
  EXPECT_EQ(without_library(" libnvJitLink.so : libnvJitLinkage.a", kName), "libnvJitLinkage.a");
  EXPECT_EQ(without_library("", kName), "");
  EXPECT_EQ(without_library("/libnvJitLink.so.d/libz.so", kName), "/libnvJitLink.so.d/libz.so");
}

TEST(ChildEnvironment, HasEveryOtherVariableAsItIs) {
  ::setenv("LD_PRELOAD", "/none/libnvJitLink.so.12", 1);
  ::setenv("CULINK_TEST_VARIABLE", "value", 1);
  ChildEnvironment environment;
  ::unsetenv("LD_PRELOAD");
  bool found = false, marked = false;
  for (char **variable = environment.data(); *variable; ++variable) {
    const std::string_view text = *variable;
    marked = marked || text == "CULINK_ENGINE=1";
    found = found || text == "CULINK_TEST_VARIABLE=value";
    EXPECT_EQ(text.find("libnvJitLink"), std::string_view::npos) << text;
  }
  EXPECT_TRUE(found);
  EXPECT_TRUE(marked); // for runs_as_engine()
  ::unsetenv("CULINK_TEST_VARIABLE");
}

} // namespace
} // namespace culink
