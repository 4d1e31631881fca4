// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc runs nvlink from its own folder, and options cannot change that. So a folder with links to
// everything in the toolkit except nvlink, which is another program there, makes nvcc use it. CMake
// (CUDACXX) and clang (--cuda-path) follow. The installed toolkit is not modified, and special
// rights are not needed.
//
// nvlink is a script, because a dangling link to culink would be worse than an error: nvcc would
// silently take the next nvlink in PATH. The script calls the link `culink` next to it; the path of
// this link shows culink the folder of the call.
//
// Toolkits from Python packages have their libraries in lib, but nvcc may expect lib64, as in other
// installations; the folder has both.
//
// A new run renews the links of an old folder; any other folder must be empty. If there is anything
// except a link or this script at a path to write, it is an error, because culink did not make it.
// A folder `bin` that is a link may lead to the toolkit's own programs.
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

// Links in folders that culink makes for other programs. A new run renews them but keeps all other
// files in the folder.

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

// Makes links in a folder until an error. Only links are replaced; another file in the way is an
// error, because culink did not make it.
class FolderMaker {
public:
  // The first error; empty if there was none.
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
  // Makes links to everything in a folder except `except`.
  void link_contents(const fs::path &from, const fs::path &to, const char *except);
  // Writes the script for nvlink; may replace a link or the same script.
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
  // This link comes first: it marks the folder as ours, so a new run works after any failure.
  maker.renew_link(maker.this_program(), folder / "bin" / "culink");
  maker.link_contents(toolkit, folder, "bin");
  maker.link_contents(toolkit / "bin", folder / "bin", "nvlink");
  if (!fs::exists(toolkit / "lib64", error) && fs::exists(toolkit / "lib", error))
    maker.renew_link(toolkit / "lib", folder / "lib64");
  maker.put_script(folder / "bin" / "nvlink");
  return maker.problem();
}

// True for an empty folder, or one with only an empty `bin`, which is the first step.
bool is_begun(const fs::path &folder) {
  std::error_code error;
  return std::ranges::all_of(fs::directory_iterator(folder, error), [](const auto &entry) {
    std::error_code ignored;
    return entry.path().filename() == "bin" && fs::is_empty(entry.path(), ignored);
  });
}

// Returns the toolkit's folder with links resolved; for a toolchain folder, its original toolkit.
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
      !fs::is_symlink(made / "bin" / "nvlink", error) && // made by culink 0.1
      !fs::is_symlink(made / "bin" / "culink", error))
    return "it is not empty, and no folder that culink has made: there is no link bin/culink";
  return link_toolkit(toolkit, made);
}

// Makes a folder of links to the libraries that replace nvJitLink, and to this program, which they
// run if NVIDIA's compiler is needed. The libraries are installed outside the loader's search path,
// so that only programs that are pointed at such a folder get them.
//
// What may surprise: in a toolkit libnvJitLink.so.13 is also a link, to NVIDIA's library. So a link
// is replaced only if it leads to one of these files or is dangling.

namespace {

struct LibraryRow {
  const char *name;
  std::array<const char *, 3> places; // relative to this program: installed, built, next to it
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

// True if a link may be replaced: culink made it, or it is dangling.
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
