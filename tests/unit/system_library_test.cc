// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When the device runtime library is linked: always where it is needed, in nvlink's way only by
// where it stands. One of two objects that need each other plays the library.
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "culink/linker.h"

namespace culink {
namespace {

std::vector<u8> example(const std::string &path) {
  std::ifstream file(CULINK_SOURCE_DIR "/examples/" + path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class SystemLibrary : public ::testing::Test {
protected:
  // "a": calls into "l". "b": has nothing to do with either.
  LinkResult link_all(const std::string &order, bool emulate, bool keep = false) {
    LinkRequest request;
    request.target = "sm_90";
    request.emulate = emulate ? "nvlink-13.0.88" : "";
    request.options.keep_system_libraries = keep;
    for (const char one : order)
      request.inputs.push_back(one == 'a'   ? LinkInput::memory("a.cubin", caller_)
                               : one == 'l' ? LinkInput::memory("libcudadevrt.cubin", library_)
                                            : LinkInput::memory("b.cubin", other_));
    return link(request);
  }
  static bool has_library(const LinkResult &result) {
    for (const LinkedModule &module : result.modules)
      if (module.input == "libcudadevrt.cubin")
        return module.linked;
    return false;
  }

  std::vector<u8> caller_ = example("vector_math/sm_90/main.cubin");
  std::vector<u8> library_ = example("vector_math/sm_90/filter.cubin");
  std::vector<u8> other_ = example("function_pointers/sm_90/shapes.cubin");
};

TEST_F(SystemLibrary, stays_where_it_is_needed) {
  for (const char *order : {"al", "la", "abl", "lab"}) {
    const LinkResult result = link_all(order, false);
    EXPECT_TRUE(result.ok()) << order;
    EXPECT_TRUE(has_library(result)) << order;
  }
  for (const char *order : {"bl", "lb"}) {
    const LinkResult result = link_all(order, false);
    EXPECT_TRUE(result.ok()) << order;
    EXPECT_FALSE(has_library(result)) << order;
    EXPECT_EQ(result.bytes, link_all("b", false).bytes) << order;
  }
}

TEST_F(SystemLibrary, may_be_kept) {
  for (const bool emulate : {false, true})
    EXPECT_TRUE(has_library(link_all("bl", emulate, true)));
}

// Q083
TEST_F(SystemLibrary, nvlink_decides_where_it_stands) {
  EXPECT_TRUE(has_library(link_all("al", true)));
  EXPECT_TRUE(has_library(link_all("alb", true)));
  EXPECT_FALSE(has_library(link_all("bl", true)));
  const LinkResult late = link_all("la", true);
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.messages.front().id, "object-after-runtime");
}

} // namespace
} // namespace culink
