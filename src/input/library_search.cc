// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search for -l in the folders of -L. Device code can only come from archives, so there is one
// file name to try; there are no default folders.
#include "input/library_search.h"

#include <algorithm>
#include <array>

namespace culink {

namespace {

std::optional<std::string> find_file(const std::string &file,
                                     const std::vector<std::string> &folders,
                                     const FileSource &files) {
  for (const std::string &folder : folders) {
    const bool slash = folder.ends_with('/');
    std::string path = folder + (slash ? "" : "/") + file;
    if (files.ask(FileQuestion::IsFile, path))
      return path;
  }
  return std::nullopt;
}

} // namespace

std::optional<std::string> find_library(const std::string &name,
                                        const std::vector<std::string> &folders,
                                        const FileSource &files) {
  return find_file("lib" + name + ".a", folders, files);
}

bool has_shared_library(const std::string &name, const std::vector<std::string> &folders,
                        const FileSource &files) {
  return find_file("lib" + name + ".so", folders, files).has_value();
}

bool is_host_library(std::string_view name) {
  constexpr std::array<std::string_view, 9> kNames = {"c",       "dl", "gcc",    "gcc_s", "m",
                                                      "pthread", "rt", "stdc++", "util"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

} // namespace culink
