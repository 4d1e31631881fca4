// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where NVIDIA's toolkit is. The one whose nvcc compiles comes first; nvcc in PATH is often a link
// into it.
#include "toolkit.h"

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <unistd.h>

namespace culink {

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::string program_in(const std::string &folder, const std::string &name) {
  const std::string path = folder + "/" + name;
  return !folder.empty() && ::access(path.c_str(), X_OK) == 0 ? path : "";
}

std::string program_in_path(const std::string &name) {
  const std::string list = environment("PATH");
  std::string_view rest = list;
  while (!rest.empty()) {
    const size_t colon = rest.find(':');
    if (std::string found = program_in(std::string(rest.substr(0, colon)), name); !found.empty())
      return found;
    rest = colon == std::string_view::npos ? "" : rest.substr(colon + 1);
  }
  return "";
}

std::vector<std::string> toolkit_program_folders() {
  std::vector<std::string> out;
  if (const std::string nvcc = program_in_path("nvcc"); !nvcc.empty()) {
    std::error_code error;
    out.push_back(std::filesystem::canonical(nvcc, error).parent_path().string());
  }
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string root = environment(name); !root.empty())
      out.push_back(root + "/bin");
  return out;
}

} // namespace culink
