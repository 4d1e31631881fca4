// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names as nvlink shows them, recorded with nvlink -g -dump-callgraph from functions of these
// names.
#include "compat/demangle/nvlink_demangle.h"

#include <fstream>

#include <gtest/gtest.h>

namespace culink {
namespace {

TEST(NvlinkDemangle, shows_names_as_nvlink_does) {
  std::ifstream file(CULINK_SOURCE_DIR "/tests/unit/nvlink_demangled_names.txt");
  unsigned rows = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#"))
      continue;
    const size_t tab = line.find('\t');
    ASSERT_NE(tab, std::string::npos) << line;
    EXPECT_EQ(nvlink_demangle(line.substr(0, tab)), line.substr(tab + 1)) << line.substr(0, tab);
    ++rows;
  }
  EXPECT_GT(rows, 300u);
}

TEST(NvlinkDemangle, gives_up_on_names_that_explode) {
  // Each parameter holds the one before it twice: S_ is A, S0_ the first parameter.
  std::string name = "_Z1f1AIiiE";
  for (char c = '0'; c <= '9'; ++c)
    name += std::string("S_IS") + c + "_S" + c + "_E";
  EXPECT_EQ(nvlink_demangle(name).substr(0, 2), "f(");
  for (char c = 'A'; c <= 'Z'; ++c)
    name += std::string("S_IS") + c + "_S" + c + "_E";
  EXPECT_EQ(nvlink_demangle(name), name);
  const std::string deep = "_Z1f" + std::string(100000, 'P') + "i";
  EXPECT_EQ(nvlink_demangle(deep), deep);
}

TEST(NvlinkDemangle, survives_every_cut_and_flip_of_names) {
  std::ifstream file(CULINK_SOURCE_DIR "/tests/unit/nvlink_demangled_names.txt");
  size_t length = 0;
  for (std::string line; std::getline(file, line);) {
    const std::string name = line.substr(0, line.find('\t'));
    for (size_t i = 0; i < name.size(); ++i) {
      std::string changed = name;
      length += nvlink_demangle(name.substr(0, i)).size();
      for (const char c : {'E', 'S', 'I', '_', '9', 'N', 'L', 'X', 'F', 'A'}) {
        changed[i] = c;
        length += nvlink_demangle(changed).size();
      }
    }
  }
  EXPECT_GT(length, 1000000u);
}

} // namespace
} // namespace culink
