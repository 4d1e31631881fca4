// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where libnvJitLink and nvlink are: in the toolkit, or the library where the loader would look.
//
// What may surprise: culink may itself be installed under the name nvlink, and one of its libraries
// under the name libnvJitLink. It must not take itself for an engine, or it would start itself for
// ever. The library is known by a name that it exports.
#include "compilers/toolkit/find_finalizer.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <unistd.h>

#include "compilers/toolkit/places.h"
#include "support/bytes.h"
#include "support/mapped_file.h"

namespace culink {

namespace {

constexpr std::string_view kLibraryNames[] = {"libnvJitLink.so.13", "libnvJitLink.so",
                                              "libnvJitLink.so.12"};

std::string library_in(const std::string &folder) {
  for (const std::string_view name : kLibraryNames) {
    std::string path = folder + "/" + std::string(name);
    if (!folder.empty() && ::access(path.c_str(), R_OK) == 0 && !is_stand_in(path))
      return path;
  }
  return "";
}

std::string library_in_loader_path() {
  const std::string list = environment("LD_LIBRARY_PATH");
  std::string_view rest = list;
  while (!rest.empty()) {
    const size_t colon = rest.find(':');
    if (std::string found = library_in(std::string(rest.substr(0, colon))); !found.empty())
      return found;
    rest = colon == std::string_view::npos ? "" : rest.substr(colon + 1);
  }
  return "";
}

bool is_same_file(const std::string &path, const std::string &other) {
  std::error_code error;
  return std::filesystem::equivalent(path, other, error);
}

bool is_library(const std::string &path) {
  return std::filesystem::path(path).filename().string().find(".so") != std::string::npos;
}

} // namespace

// Names of a library's symbols are near its beginning.
bool is_stand_in(const std::string &path) {
  constexpr u64 kMost = u64{1} << 20;
  constexpr std::string_view kMark = "culink_stand_in_for_nvJitLink";
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file)
    return false;
  return as_text(file->bytes().first(std::min<u64>(kMost, file->bytes().size()))).find(kMark) !=
         std::string_view::npos;
}

std::string find_library_beside(const std::string &program_folder) {
  for (const std::string &folder : library_folders_beside(program_folder))
    if (std::string found = library_in(folder); !found.empty())
      return found;
  return "";
}

FinalizerEngine find_finalizer(const std::string &given, const std::string &cuda,
                               const std::string &self, const std::vector<std::string> &near) {
  FinalizerEngine out;
#ifndef CULINK_STATIC_PROGRAM
  out.worker = self;
#endif
  if (const std::string folder = environment("TMPDIR"); !folder.empty())
    out.folder = folder;
  if (!given.empty()) {
    (is_library(given) ? out.library : out.nvlink) = given;
    return out;
  }
  std::vector<std::string> folders = toolkit_program_folders(cuda, near);
  if (const std::string nvlink = program_in_path("nvlink"); cuda.empty() && !nvlink.empty())
    folders.push_back(std::filesystem::path(nvlink).parent_path().string());
  for (const std::string &folder : folders) {
    out.library = find_library_beside(folder);
    if (std::string nvlink = program_in(folder, "nvlink");
        out.nvlink.empty() && !nvlink.empty() && !is_same_file(nvlink, self))
      out.nvlink = std::move(nvlink);
    // Engines of different releases schedule code differently, so both are of one toolkit.
    if (!out.empty())
      break;
  }
  if (out.empty() && cuda.empty())
    out.library = library_in_loader_path();
  return out;
}

} // namespace culink
