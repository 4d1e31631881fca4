// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder of links to the libraries that stand in for nvJitLink, and to this program, which they
// run where NVIDIA's compiler is needed. The libraries are installed where no loader looks, so that
// only programs that are pointed at such a folder get them.
//
// What may surprise: in a toolkit libnvJitLink.so.13 is a link as well, to NVIDIA's library. So a
// link in the way is replaced only if it leads to one of these files or to nothing.
#include "jit_folder.h"

#include <array>
#include <filesystem>
#include <system_error>

#include "compilers/toolkit/find_tools.h"
#include "links.h"

namespace culink {

namespace {

namespace fs = std::filesystem;

struct LibraryRow {
  const char *name;
  std::array<const char *, 3>
      places; // from the folder of this program: installed, built, beside it
};

constexpr std::array<LibraryRow, 2> kLibraries = {{
    {"libnvJitLink.so.13", {"../" CULINK_LIBDIR "/culink/jit", "../lib/culink/jit-13", "."}},
    {"libnvJitLink.so.12", {"../" CULINK_LIBDIR "/culink/jit", "../lib/culink/jit-12", "."}},
}};

fs::path find_library(const fs::path &program, const LibraryRow &row) {
  for (const char *place : row.places) {
    std::error_code error;
    const fs::path found = fs::canonical(program.parent_path() / place / row.name, error);
    if (!error)
      return found;
  }
  return {};
}

// Whether a link may be replaced: it is one that this made, or leads nowhere.
bool is_ours(const fs::path &link, const fs::path &program) {
  std::error_code error;
  if (!fs::exists(link, error))
    return true;
  return fs::equivalent(link, program, error) || is_stand_in(link.string());
}

std::string renew_our_link(const fs::path &target, const fs::path &link, const fs::path &program) {
  if (!is_ours(link, program))
    return link.string() + ": is in the way, and not culink's";
  return renew_link(target, link);
}

} // namespace

std::string make_jit_folder(const std::string &folder) {
  std::error_code error;
  const fs::path program = fs::canonical("/proc/self/exe", error);
  if (error)
    return failure("/proc/self/exe", error);
  const fs::path made = fs::absolute(folder, error);
  fs::create_directories(made, error);
  if (error)
    return failure(made, error);
  for (const LibraryRow &row : kLibraries) {
    const fs::path library = find_library(program, row);
    if (library.empty())
      return std::string(row.name) + " is not installed beside this program";
    if (std::string problem = renew_our_link(library, made / row.name, program); !problem.empty())
      return problem;
  }
  if (std::string problem =
          renew_our_link(kLibraries.front().name, made / "libnvJitLink.so", program);
      !problem.empty())
    return problem;
  return renew_our_link(program, made / "culink", program);
}

} // namespace culink
