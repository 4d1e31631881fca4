// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where ptxas is. The toolkit whose nvcc compiles should also compile PTX here, so its folder comes
// first; nvcc in PATH is often a link into it.
#include "find_ptxas.h"

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <unistd.h>

namespace culink {

namespace {

std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::string program_in(const std::string &folder, const char *name) {
  const std::string path = folder + "/" + name;
  return !folder.empty() && ::access(path.c_str(), X_OK) == 0 ? path : "";
}

std::string program_in_path(const char *name) {
  const std::string list = variable("PATH");
  std::string_view rest = list;
  while (!rest.empty()) {
    const size_t colon = rest.find(':');
    if (std::string found = program_in(std::string(rest.substr(0, colon)), name); !found.empty())
      return found;
    rest = colon == std::string_view::npos ? "" : rest.substr(colon + 1);
  }
  return "";
}

} // namespace

std::string find_ptxas() {
  if (const std::string nvcc = program_in_path("nvcc"); !nvcc.empty()) {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(nvcc, error);
    if (std::string found = program_in(real.parent_path().string(), "ptxas"); !found.empty())
      return found;
  }
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string root = variable(name); !root.empty())
      if (std::string found = program_in(root + "/bin", "ptxas"); !found.empty())
        return found;
  if (std::string found = program_in_path("ptxas"); !found.empty())
    return found;
  return program_in("/usr/local/cuda/bin", "ptxas");
}

} // namespace culink
