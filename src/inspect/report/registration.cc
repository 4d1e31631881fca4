// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc includes this text into its link.stub, where each line becomes a function that registers one
// module with the runtime library.
//
// What may surprise: the links of one program for several targets share the file, and only some of
// them may need the device runtime library. So a link without it leaves the file of one with it as
// it is. nvlink then leaves any file as it is (Q085).
#include "inspect/report/registration.h"

#include <utility>

#include <fmt/format.h>

namespace culink {

namespace {

// As part of a C name: every character that cannot be in one becomes an underscore.
std::string c_name(std::string text) {
  for (char &c : text)
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
      c = '_';
  return text;
}

std::string absolute(const std::string &path, const std::string &folder) {
  return path.starts_with('/') ? path : folder + "/" + path;
}

} // namespace

std::string registration_text(const std::vector<LinkedModule> &modules, const std::string &folder) {
  std::string lines;
  size_t count = 0;
  for (const LinkedModule &module : modules) {
    if (!module.linked)
      continue;
    ++count;
    lines += fmt::format("DEFINE_REGISTER_FUNC({})\n",
                         c_name(module.id.empty() ? absolute(module.input, folder) : module.id));
  }
  return fmt::format("#define NUM_PRELINKED_OBJECTS {}\n", count) + lines;
}

bool keeps_registration(std::vector<LinkedModule> modules, const std::string &folder,
                        std::string_view existing, bool whatever_it_says) {
  bool any_unused = false;
  for (LinkedModule &module : modules)
    any_unused |= !std::exchange(module.linked, true);
  return any_unused && (whatever_it_says || existing == registration_text(modules, folder));
}

} // namespace culink
