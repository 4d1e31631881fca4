// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that look for libnvJitLink themselves get culink's by LD_PRELOAD. Their children inherit
// the variable, and so would the process in which culink loads NVIDIA's library: that library calls
// its own functions by name, and would end up in ours. Other libraries in the list stay.
//
// A script called nvlink or ptxas may run culink. The mark in its environment ends that at once.
#include "base/child_environment.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <unistd.h> // environ

namespace culink {

namespace {

constexpr std::string_view kPreload = "LD_PRELOAD=";
constexpr const char *kLibrary = "libnvJitLink.so";
constexpr const char *kSeparators = " :";
constexpr const char *kMark = "CULINK_ENGINE";
constexpr const char *kMarked = "CULINK_ENGINE=1";

} // namespace

std::string without_library(const std::string &list, const std::string &name) {
  std::string out;
  for (size_t at = list.find_first_not_of(kSeparators); at != std::string::npos;) {
    const size_t end = std::min(list.find_first_of(kSeparators, at), list.size());
    const std::string path = list.substr(at, end - at);
    if (!path.substr(path.rfind('/') + 1).starts_with(name))
      out += (out.empty() ? "" : ":") + path;
    at = list.find_first_not_of(kSeparators, end);
  }
  return out;
}

bool runs_as_engine() {
  return std::getenv(kMark) != nullptr;
}

ChildEnvironment::ChildEnvironment() {
  for (char **variable = environ; variable && *variable; ++variable) {
    const std::string_view text = *variable;
    if (text.starts_with(kPreload)) {
      preload_ = std::string(kPreload) +
                 without_library(std::string(text.substr(kPreload.size())), kLibrary);
      pointers_.push_back(preload_.data());
    } else {
      pointers_.push_back(*variable);
    }
  }
  pointers_.push_back(const_cast<char *>(kMarked));
  pointers_.push_back(nullptr);
}

} // namespace culink
