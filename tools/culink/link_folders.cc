// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc takes nvlink from the folder it is itself called from, and no option changes that. So a
// folder with links to everything in the toolkit, in which nvlink alone is another program, makes
// nvcc use it; CMake (CUDACXX) and clang (--cuda-path) follow. The installed toolkit stays as it
// is, and nothing needs special rights.
//
// nvlink is a script, because a link to a culink that is gone would be worse than an error: nvcc
// would take the next nvlink in PATH without a word. The script calls the link `culink` beside it,
// whose path tells culink in which folder it was called.
//
// Toolkits of Python packages have their libraries in lib, where nvcc expects lib64 if it was
// installed otherwise; the folder has both.
//
// Made again over an old one, the folder's links are renewed; any other folder must be empty.
// Anything but a link or that script in the way is an error: it is not ours. A folder `bin` that is
// a link may lead to the toolkit's own programs.
#include "link_folders.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include "compilers/toolkit/find_tools.h"
#include "support/bytes.h"
#include "support/output_file.h"

namespace culink {

// Links in folders that culink makes for other programs. They are renewed when a folder is made
// again; what somebody else has put there stays.

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kScript = R"(#!/bin/sh
# Made by culink --make-toolchain: culink links in nvlink's place.
culink=${0%/*}/culink
if [ ! -x "$culink" ]; then
  echo "$0: the culink of this folder is gone: run culink --make-toolchain again" >&2
  exit 1
fi
exec "$culink" "$@"
)";

bool is_our_script(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  return text == kScript;
}

// Makes links in a folder until something goes wrong. Anything but a link in the way of a link is
// an error: it is not ours.
class FolderMaker {
public:
  // What went wrong; empty: nothing.
  [[nodiscard]] const std::string &problem() const { return problem_; }

  void fail(const fs::path &path, const std::string &why) {
    if (problem_.empty())
      problem_ = path.string() + ": " + why;
  }
  void make_folder(const fs::path &path) {
    std::error_code error;
    fs::create_directories(path, error);
    check(path, error);
  }
  [[nodiscard]] fs::path this_program() {
    std::error_code error;
    const fs::path out = fs::canonical("/proc/self/exe", error);
    check("/proc/self/exe", error);
    return out;
  }
  void renew_link(const fs::path &target, const fs::path &link);
  // Links to everything in a folder but `except`.
  void link_contents(const fs::path &from, const fs::path &to, const char *except);
  // The script in nvlink's place, where a link or the same script may be already.
  void put_script(const fs::path &path);

private:
  void check(const fs::path &path, const std::error_code &error) {
    if (error)
      fail(path, error.message());
  }
  std::string problem_;
};

void FolderMaker::renew_link(const fs::path &target, const fs::path &link) {
  if (!problem_.empty())
    return;
  std::error_code error;
  const fs::file_status status = fs::symlink_status(link, error);
  if (fs::exists(status) && !fs::is_symlink(status))
    return fail(link, "is in the way, and no link");
  if (fs::exists(status))
    fs::remove(link, error);
  fs::create_symlink(target, link, error);
  check(link, error);
}

void FolderMaker::put_script(const fs::path &path) {
  if (!problem_.empty())
    return;
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (fs::exists(status) && !fs::is_symlink(status)) {
    if (!is_our_script(path))
      fail(path, "is in the way, and not culink's");
    return;
  }
  fs::remove(path, error);
  if (const std::optional<Error> failed = write_file(path.string(), as_bytes(kScript)))
    return fail(path, failed->text());
  fs::permissions(path, fs::perms(0755), error);
  check(path, error);
}

void FolderMaker::link_contents(const fs::path &from, const fs::path &to, const char *except) {
  std::error_code error;
  fs::directory_iterator entry(from, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error))
    if (const fs::path name = entry->path().filename(); name != except)
      renew_link(entry->path(), to / name);
  check(from, error);
}

std::string link_toolkit(const fs::path &toolkit, const fs::path &folder) {
  std::error_code error;
  FolderMaker maker;
  maker.make_folder(folder / "bin");
  // First, as the mark of our folders: whatever happens, it can be made again.
  maker.renew_link(maker.this_program(), folder / "bin" / "culink");
  maker.link_contents(toolkit, folder, "bin");
  maker.link_contents(toolkit / "bin", folder / "bin", "nvlink");
  if (!fs::exists(toolkit / "lib64", error) && fs::exists(toolkit / "lib", error))
    maker.renew_link(toolkit / "lib", folder / "lib64");
  maker.put_script(folder / "bin" / "nvlink");
  return maker.problem();
}

// Empty, or with an empty `bin`: as it is when it is begun.
bool is_begun(const fs::path &folder) {
  std::error_code error;
  return std::ranges::all_of(fs::directory_iterator(folder, error), [](const auto &entry) {
    std::error_code ignored;
    return entry.path().filename() == "bin" && fs::is_empty(entry.path(), ignored);
  });
}

// The toolkit's own folder, links followed: that of a toolchain folder is the one it was made of.
fs::path find_toolkit(const std::string &cuda) {
  for (const std::string &folder : toolkit_program_folders(cuda)) {
    std::error_code error;
    if (const std::string nvcc = program_in(folder, "nvcc"); !nvcc.empty())
      return fs::canonical(nvcc, error).parent_path().parent_path();
  }
  return {};
}

} // namespace

std::string make_toolchain(const std::string &folder, const std::string &cuda) {
  const fs::path toolkit = find_toolkit(cuda);
  if (toolkit.empty())
    return cuda.empty() ? "no CUDA toolkit found: set CUDA_HOME, or put nvcc into PATH"
                        : "no CUDA toolkit in " + cuda + ": there is no bin/nvcc";
  std::error_code error;
  const fs::path made = fs::absolute(folder, error);
  if (fs::equivalent(made, toolkit, error) || fs::equivalent(made, toolkit / "bin", error))
    return "it is the CUDA toolkit itself";
  if (fs::is_symlink(made / "bin", error))
    return (made / "bin").string() + " is a link";
  if (fs::exists(made, error) && !is_begun(made) &&
      !fs::is_symlink(made / "bin" / "nvlink", error) && // as culink 0.1 made it
      !fs::is_symlink(made / "bin" / "culink", error))
    return "it is not empty, and no folder that culink has made: there is no link bin/culink";
  return link_toolkit(toolkit, made);
}

// A folder of links to the libraries that stand in for nvJitLink, and to this program, which they
// run where NVIDIA's compiler is needed. The libraries are installed where no loader looks, so that
// only programs that are pointed at such a folder get them.
//
// What may surprise: in a toolkit libnvJitLink.so.13 is a link as well, to NVIDIA's library. So a
// link in the way is replaced only if it leads to one of these files or to nothing.

namespace {

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

} // namespace

std::string make_jit_folder(const std::string &folder) {
  std::error_code error;
  FolderMaker maker;
  const fs::path program = maker.this_program();
  const fs::path made = fs::absolute(folder, error);
  maker.make_folder(made);
  const auto renew = [&](const fs::path &target, const std::string &name) {
    if (is_ours(made / name, program))
      maker.renew_link(target, made / name);
    else
      maker.fail(made / name, "is in the way, and not culink's");
  };
  for (const LibraryRow &row : kLibraries) {
    const fs::path library = find_library(program, row);
    if (library.empty() && maker.problem().empty())
      return std::string(row.name) + " is not installed beside this program";
    renew(library, row.name);
  }
  renew(kLibraries.front().name, "libnvJitLink.so");
  renew(program, "culink");
  return maker.problem();
}

} // namespace culink
