// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds NVIDIA's toolkit. The user's choice comes first: an option, then an environment variable,
// then nvcc in PATH, which often is a link into a toolkit. Compilers near a program that uses the
// linker are of the release that makes its code, while a variable may name an older one.
//
// The linker itself reads no environment; its callers use this file first.
//
// What may surprise: nvcc of a toolchain folder runs this program as the nvlink next to it. The
// toolkit is then the toolkit of that folder, regardless of variables, because its compilers have
// made the objects. So the path by which this program was called matters, not the file that the
// path leads to.
#include "compilers/toolkit/find_tools.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <sys/auxv.h>
#include <unistd.h>

#include "support/bytes.h"
#include "support/mapped_file.h"
#include "support/option_text.h"

namespace culink {

namespace {

namespace fs = std::filesystem;

constexpr const char *kUsualProgramFolder = "/usr/local/cuda/bin";

// Returns the folder of a program with links resolved; empty if the program does not exist.
std::string real_folder(const std::string &program) {
  std::error_code error;
  const fs::path real = program.empty() ? fs::path() : fs::canonical(program, error);
  return error ? "" : real.parent_path().string();
}

// Folders of the Python packages of an environment, as venv and conda make them.
std::vector<std::string> site_packages_in(const std::string &root) {
  std::vector<std::string> out;
  std::error_code error;
  for (const fs::directory_entry &entry : fs::directory_iterator(root + "/lib", error))
    if (entry.path().filename().string().starts_with("python3."))
      out.push_back((entry.path() / "site-packages").string());
  std::sort(out.begin(), out.end());
  return out;
}

} // namespace

// Returns the toolkit of the nvcc next to the symbolic link that started this program.
std::string toolkit_of_caller() {
  const auto *const called = reinterpret_cast<const char *>(::getauxval(AT_EXECFN));
  if (!called)
    return "";
  const std::string folder = fs::path(called).parent_path().string();
  return real_folder(program_in(folder.empty() ? "." : folder, "nvcc"));
}

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::string program_in(const std::string &folder, const std::string &name) {
  const std::string path = folder + "/" + name;
  return !folder.empty() && ::access(path.c_str(), X_OK) == 0 ? path : "";
}

namespace {

// Returns the first result of `find` in the folders that a variable lists, or "".
template <typename Find> std::string find_in_list(const char *variable, Find find) {
  const std::string list = environment(variable);
  for (size_t at = 0, end = 0; end < list.size(); at = end + 1) {
    end = std::min(list.find(':', at), list.size());
    if (std::string found = find(list.substr(at, end - at)); !found.empty())
      return found;
  }
  return "";
}

} // namespace

std::string program_in_path(const std::string &name) {
  return find_in_list("PATH", [&](const std::string &folder) { return program_in(folder, name); });
}

std::vector<std::string> toolkit_program_folders(const std::string &cuda,
                                                 const std::vector<std::string> &near) {
  if (!cuda.empty())
    return {cuda + "/bin"};
  std::vector<std::string> out = {toolkit_of_caller()};
  out.insert(out.end(), near.begin(), near.end());
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string root = environment(name); !root.empty())
      out.push_back(root + "/bin");
  out.push_back(real_folder(program_in_path("nvcc")));
  out.emplace_back(kUsualProgramFolder);
  for (const std::string &root : {environment("VIRTUAL_ENV"), environment("CONDA_PREFIX"),
                                  fs::path(real_folder("/proc/self/exe")).parent_path().string()})
    for (const std::string &site_packages : site_packages_in(root))
      for (const u32 major : {13, 12})
        for (std::string &folder : package_program_folders(site_packages, major))
          out.push_back(std::move(folder));
  std::erase(out, "");
  return out;
}

std::vector<std::string> package_program_folders(const std::string &site_packages, u32 major) {
  if (major >= 13)
    return {site_packages + "/nvidia/cu13/bin"};
  return {site_packages + "/nvidia/cuda_nvcc/bin", site_packages + "/nvidia/nvjitlink/bin"};
}

std::vector<std::string> library_folders_beside(const std::string &program_folder) {
  const std::string root = fs::path(program_folder).parent_path().string();
  return {root + "/lib64", root + "/lib", root + "/../nvjitlink/lib"};
}

// ---- libnvJitLink and nvlink
//
// Both are in the toolkit; the library may also be in the loader's search path.
//
// What may surprise: culink may itself be installed under the name nvlink, and one of its libraries
// under the name libnvJitLink. culink must not use itself as an engine, or it would start itself
// without end. Its library is recognised by an exported name.

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

bool is_same_file(const std::string &path, const std::string &other) {
  std::error_code error;
  return std::filesystem::equivalent(path, other, error);
}

bool is_library(const std::string &path) {
  return std::filesystem::path(path).filename().string().find(".so") != std::string::npos;
}

} // namespace

// A library's symbol names are near its beginning.
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
    // Engines of different releases schedule code differently, so both must be of one toolkit.
    if (!out.empty())
      break;
  }
  if (out.empty() && cuda.empty())
    out.library = find_in_list("LD_LIBRARY_PATH", library_in);
  return out;
}

// ---- ptxas
//
// PTX is compiled by the toolkit of the user's nvcc. A toolkit without ptxas may have libnvJitLink,
// which contains the same compiler; a ptxas of another toolkit may be too old for the PTX. The
// library of CUDA 12 cannot make objects (-r).

std::string find_ptxas(const std::string &cuda, const std::vector<std::string> &near) {
  for (const std::string &folder : toolkit_program_folders(cuda, near)) {
    if (std::string found = program_in(folder, "ptxas"); !found.empty())
      return found;
#ifndef CULINK_STATIC_PROGRAM // a static program cannot load the library
    if (const std::string library = find_library_beside(folder);
        !library.empty() && !library.ends_with(".so.12"))
      return "";
#endif
  }
  return cuda.empty() ? program_in_path("ptxas") : "";
}

// ---- The cache
//
// The cache is in the folder of CULINK_CACHE_DIR, or in the standard folder of the XDG rules. These
// rules require that relative paths in XDG variables are ignored.

namespace {

std::string cache_folder() {
  if (std::string own = environment("CULINK_CACHE_DIR"); !own.empty())
    return own;
  if (const std::string all = environment("XDG_CACHE_HOME"); all.starts_with('/'))
    return all + "/culink";
  const std::string home = environment("HOME");
  return home.starts_with('/') ? home + "/.cache/culink" : "";
}

bool is_set(const char *name) {
  const std::string value = environment(name);
  return !value.empty() && value != "0";
}

} // namespace

CacheOptions find_cache() {
  if (is_set("CULINK_NO_CACHE"))
    return {};
  CacheOptions out;
  out.folder = cache_folder();
  out.folder_is_guess = environment("CULINK_CACHE_DIR").empty();
  out.size = parse_byte_size(environment("CULINK_CACHE_SIZE")).value_or(out.size);
  out.remote = environment("CULINK_CACHE_REMOTE");
  out.remote_read_only = is_set("CULINK_CACHE_REMOTE_READ_ONLY");
  return out;
}

} // namespace culink
