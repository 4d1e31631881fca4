// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names as nvlink shows them, recorded with nvlink -g -dump-callgraph from functions of these
// names. culink shows the first part of the list as nvlink does, and approximates the rest.
#include "driver/options/nvlink_name.h"

#include <fstream>

#include <gtest/gtest.h>

namespace culink {
namespace {

TEST(NvlinkName, shows_names_as_nvlink_does) {
  std::ifstream file(CULINK_SOURCE_DIR "/tests/unit/nvlink_demangled_names.txt");
  unsigned rows = 0;
  for (std::string line; std::getline(file, line) && !line.starts_with("# Approximated");) {
    if (line.starts_with("#"))
      continue;
    const size_t tab = line.find('\t');
    ASSERT_NE(tab, std::string::npos) << line;
    EXPECT_EQ(nvlink_name(line.substr(0, tab)), line.substr(tab + 1)) << line.substr(0, tab);
    ++rows;
  }
  EXPECT_GT(rows, 230u);
}

TEST(NvlinkName, writes_template_arguments_out) {
  EXPECT_EQ(nvlink_name("_Z1fIiEvPKT_"), "void f<int>(const int *)");
}

TEST(NvlinkName, gives_up_on_names_that_explode) {
  std::string name = "_Z1f1AIiiE";
  for (char c = 'A'; c <= 'Z'; ++c)
    name += std::string("S_IS") + c + "_S" + c + "_E";
  EXPECT_EQ(nvlink_name(name), name);
  const std::string deep = "_Z1f" + std::string(100000, 'P') + "i";
  EXPECT_EQ(nvlink_name(deep), deep);
}

TEST(NvlinkName, survives_every_cut_and_flip_of_names) {
  std::ifstream file(CULINK_SOURCE_DIR "/tests/unit/nvlink_demangled_names.txt");
  size_t length = 0;
  for (std::string line; std::getline(file, line);) {
    const std::string name = line.substr(0, line.find('\t'));
    for (size_t i = 0; i < name.size(); ++i) {
      std::string changed = name;
      length += nvlink_name(name.substr(0, i)).size();
      for (const char c : {'E', 'S', 'I', '_', '9', 'N', 'L', 'X', 'F', 'A'}) {
        changed[i] = c;
        length += nvlink_name(changed).size();
      }
    }
  }
  EXPECT_GT(length, 1000000u);
}

} // namespace
} // namespace culink
