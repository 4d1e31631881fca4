// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search for -l in the folders of -L. Device code can only come from archives, so there is one
// file name to try; there are no default folders.
#include "input/library_search.h"

#include <algorithm>
#include <array>

#include <sys/stat.h>

namespace culink {

namespace {

std::optional<std::string> find_file(const std::string &file,
                                     const std::vector<std::string> &folders) {
  for (const std::string &folder : folders) {
    const bool slash = folder.ends_with('/');
    std::string path = folder + (slash ? "" : "/") + file;
    struct stat info {};
    if (::stat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode))
      return path;
  }
  return std::nullopt;
}

} // namespace

std::optional<std::string> find_library(const std::string &name,
                                        const std::vector<std::string> &folders) {
  return find_file("lib" + name + ".a", folders);
}

bool has_shared_library(const std::string &name, const std::vector<std::string> &folders) {
  return find_file("lib" + name + ".so", folders).has_value();
}

bool is_host_library(std::string_view name) {
  constexpr std::array<std::string_view, 9> kNames = {"c",       "dl", "gcc",    "gcc_s", "m",
                                                      "pthread", "rt", "stdc++", "util"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

} // namespace culink
