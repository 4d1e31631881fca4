// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of nvJitLink end up where the link takes them from.
#include "driver/nvjitlink/jit_options.h"

#include <gtest/gtest.h>

namespace culink::jit {
namespace {

TEST(JitOptions, GoToTheCompilerThatUnderstandsThem) {
  const ParsedOptions parsed =
      parse_options({"-arch=sm_90a", "-lto", "-O0", "-g", "-maxrregcount=32", "-Xptxas=-O1,x",
                     "-Xnvvm=-opt", "-ftz=true", "-verbose", "-split-compile=3"});
  ASSERT_EQ(parsed.code, Code::Success);
  const LinkRequest &request = parsed.options.request;
  EXPECT_EQ(request.target, "sm_90a");
  EXPECT_TRUE(request.lto.enabled && request.options.debug && request.options.facts);
  EXPECT_EQ(request.ptxas_options,
            (std::vector<std::string>{"-O0", "-g", "-maxrregcount=32", "-O1,x", "-v"}));
  EXPECT_EQ(request.lto.nvvm_options, std::vector<std::string>{"-opt"});
  EXPECT_EQ(request.lto.library_options, (std::vector<std::string>{"-O0", "-ftz=true"}));
  EXPECT_EQ(request.lto.max_registers, 32u);
  EXPECT_EQ(request.lto.split_compile, 3u);
  EXPECT_FALSE(request.options.kernels_used);
}

TEST(JitOptions, CollectNamesThatAreGivenOneByOne) {
  const ParsedOptions parsed =
      parse_options({"-arch=sm_80", "-kernels-used=a", "-kernels-used=b", "-variables-used=v"});
  ASSERT_EQ(parsed.code, Code::Success);
  const LinkRequest &request = parsed.options.request;
  EXPECT_EQ(request.options.kernels_used, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(request.lto.variables_used, std::vector<std::string>{"v"});
}

TEST(JitOptions, StopAtTheFirstWrongWord) {
  const ParsedOptions parsed = parse_options({"-arch=sm_12", "-foo"});
  EXPECT_EQ(parsed.code, Code::UnsupportedArch);
  EXPECT_EQ(parse_options({"-foo", "-arch=sm_12"}).code, Code::UnrecognizedOption);
  EXPECT_EQ(parse_options({"-lto"}).code, Code::MissingArch);
}

} // namespace
} // namespace culink::jit
