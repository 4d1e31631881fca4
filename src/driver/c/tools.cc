// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVIDIA's programs and libraries that a link may use. The linker itself looks for nothing: a
// library that runs what it finds in PATH would surprise those who embed it. Whoever wants that
// asks for it by name.
#include <dlfcn.h>
#include <filesystem>
#include <string_view>

#include "compilers/toolkit/find_tools.h"
#include "driver/c/guard.h"

using namespace culink;
using namespace culink::capi;

namespace {

constexpr std::array<std::string_view, kToolCount> kToolNames = {"ptxas", "libnvJitLink", "nvlink",
                                                                 "culink"};

// The number of a tool, or kToolCount.
size_t find_tool(const char *kind) {
  const auto found = std::find(kToolNames.begin(), kToolNames.end(), kind ? kind : "");
  return static_cast<size_t>(found - kToolNames.begin());
}

// The program beside the library that this code is in, as both are installed, or in PATH.
std::string find_program() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void *>(&culink_version), &info) != 0 && info.dli_fname) {
    std::error_code error;
    const std::filesystem::path library = std::filesystem::canonical(info.dli_fname, error);
    const std::filesystem::path folder = library.parent_path().parent_path() / "bin";
    if (std::string found = program_in(folder.string(), "culink"); !error && !found.empty())
      return found;
  }
  return program_in_path("culink");
}

} // namespace

culink_status culink_link_set_tool(culink_link *link, const char *kind, const char *path) {
  const size_t tool = find_tool(kind);
  if (tool == kToolCount)
    return CULINK_INVALID_ARGUMENT;
  return change_link(link, [&] {
    if (path)
      link->tools[tool] = path;
    else
      link->tools[tool].reset();
    return CULINK_OK;
  });
}

culink_status culink_link_find_tools(culink_link *link, const char *folder) {
  return change_link(link, [&] {
    const std::string cuda = folder ? folder : "";
    FinalizerEngine engine = find_finalizer("", cuda);
    std::array<std::string, kToolCount> found = {find_ptxas(cuda), std::move(engine.library),
                                                 std::move(engine.nvlink), find_program()};
    for (size_t i = 0; i < kToolCount; ++i)
      if (!found[i].empty())
        link->tools[i] = std::move(found[i]);
    return CULINK_OK;
  });
}

const char *culink_link_tool(const culink_link *link, const char *kind) {
  const size_t tool = find_tool(kind);
  if (!is_valid(link) || tool == kToolCount || !link->tools[tool])
    return nullptr;
  return link->tools[tool]->c_str();
}
