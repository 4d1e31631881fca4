// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc includes this text into its link.stub, where each line becomes a function that registers one
// module with the runtime library.
#include "report/registration.h"

#include <fmt/format.h>

namespace culink {

namespace {

// A path as part of a C name: every character that cannot be in one becomes an underscore.
std::string name_of_path(const std::string &path, const std::string &folder) {
  std::string out = path.starts_with('/') ? path : folder + "/" + path;
  for (char &c : out)
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
      c = '_';
  return out;
}

} // namespace

std::string registration_text(const std::vector<LinkedModule> &modules, const std::string &folder) {
  std::string out = fmt::format("#define NUM_PRELINKED_OBJECTS {}\n", modules.size());
  for (const LinkedModule &module : modules)
    out += fmt::format("DEFINE_REGISTER_FUNC({})\n",
                       module.id.empty() ? name_of_path(module.input, folder) : module.id);
  return out;
}

} // namespace culink
