// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bound is above what a library makes of a name, and not far above for names of real programs.
#include "support/demangle.h"

#include <cstdlib>
#include <cxxabi.h>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace culink {
namespace {

// A letter of a mangled name stands for at most "unsigned long long, ".
constexpr u64 kLettersOfAType = 20;

u64 bound_of(const std::string &name) {
  u64 limit = 16;
  while (limit < u64{1} << 40 && !is_demangled_within(name, limit))
    limit *= 2;
  return limit;
}

u64 demangled_length(const std::string &name) {
  int status = 0;
  char *text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  const u64 length = text ? std::string_view(text).size() : 0;
  std::free(text);
  return length;
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const char *file :
       {"/tests/unit/demangled_names.txt", "/tests/unit/nvlink_demangled_names.txt"}) {
    std::ifstream in(std::string(CULINK_SOURCE_DIR) + file);
    for (std::string line; std::getline(in, line);)
      if (const size_t begin = line.find("_Z"); begin != std::string::npos)
        out.push_back(line.substr(begin, line.find_first_of("\t$", begin) - begin));
  }
  return out;
}

TEST(DemangledLength, is_a_bound_and_no_waste) {
  u32 known = 0;
  for (const std::string &name : names()) {
    const u64 length = demangled_length(name);
    EXPECT_LE(length, bound_of(name) * kLettersOfAType) << name;
    EXPECT_TRUE(length == 0 || bound_of(name) <= u64{1} << 20) << name;
    known += length != 0;
  }
  EXPECT_GT(known, 300u);
}

// Short names that say much: what a reference counts, and numbers that are no lengths of names.
TEST(DemangledLength, sees_references_behind_numbers_of_all_kinds) {
  const std::string parts = "1AIiiES_IS0_S0_ES_IS1_S1_ES_IS2_S2_ES_IS3_S3_ES_IS4_S4_ES_IS5_S5_E";
  for (const std::string begin :
       {"_Z1f", "_ZN1BC2E", "_ZN1BD1E", "_Z1fILi99EEv", "_Z1fIL1c99EEv", "_Z1fILN1c1dE99EEv",
        "_Z1fILf3f800000EEv", "_ZZ1fvE1x_9", "_Z1fA99_c", "_Z1fDv9_f", "_Z1fZ1gvEUlvE9_",
        "_Z1fZ1gvEUt9_", "_Z1fC9S0_S1_S2_", "_Z9S5_S4_S3_", "_Z1f9ES5_S4_S3", "_ZN1BcvT_IiEE",
        "_Z1fIJiiEEvDpT_", "_Z1fDTfp9_E"}) {
    for (u32 skipped = 0; skipped < 6; ++skipped) { // other parts may have taken the first numbers
      std::string name = begin + parts;
      for (char &c : name)
        if (c >= '0' && c <= '5' && (&c)[1] == '_' && (&c)[-1] == 'S')
          c = static_cast<char>(c + skipped > '9' ? '9' : c + skipped);
      EXPECT_LE(demangled_length(name), bound_of(name) * kLettersOfAType) << name;
    }
  }
}

TEST(DemangledLength, takes_no_harm_from_names_that_are_none) {
  for (const std::string name : {"", "_Z", "f", "_Z99999999999999999999f", "_ZS", "_ZT9_", "_ZL",
                                 "_ZLi", "_ZDp", "_ZSZZZZZZZZZZZZZZZZZZZZ_"})
    EXPECT_TRUE(is_demangled_within(name, 1000)) << name;
}

} // namespace
} // namespace culink
