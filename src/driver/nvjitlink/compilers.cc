// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX, LTO-IR and code of sm_100 need NVIDIA's compilers. The client's toolkit has priority,
// because its release made the code: the toolkit whose libraries the process has loaded, among the
// Python packages of its extension modules or next to its libnvrtc. Then come variables (CUDA_HOME,
// CUDA_PATH), nvcc in PATH and the default location.
//
// The program culink runs NVIDIA's library in a separate process. It is next to this library in a
// folder of --make-jit-folder, or in bin of the tree in which this library is installed or built.
//
// What may surprise: this library has the name of the library that the search looks for. The search
// recognises it by a symbol (see find_finalizer) in any folder.
#include "driver/nvjitlink/compilers.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <dlfcn.h>
#include <link.h>
#include <memory>
#include <vector>

#include "compilers/toolkit/find_tools.h"
#include "driver/nvjitlink/abi.h"

namespace culink::jit {

namespace {

std::string folder_of(const std::string &path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

// Libraries of a toolkit that clients of a linker are likely to have loaded.
constexpr std::array<std::string_view, 3> kToolkitLibraries = {"libnvrtc.so", "libcudart.so",
                                                               "libnvrtc-builtins.so"};
void add_once(std::vector<std::string> &list, std::string folder) {
  if (std::find(list.begin(), list.end(), folder) == list.end())
    list.push_back(std::move(folder));
}

// Packages older than this library's release cannot read the inputs of its clients.
void add_packages(const std::string &library, std::vector<std::string> &out) {
  for (const std::string_view packages : {"/site-packages/", "/dist-packages/"}) {
    const size_t at = library.find(packages);
    if (at == std::string::npos)
      continue;
    const std::string root = library.substr(0, at + packages.size() - 1);
    for (u32 major = release_of_library().major; major <= 13; ++major)
      for (std::string &folder : package_program_folders(root, major))
        add_once(out, std::move(folder));
  }
}

void add_folder_beside(const std::string &library, std::vector<std::string> &out) {
  const std::string_view name = std::string_view(library).substr(library.rfind('/') + 1);
  for (const std::string_view known : kToolkitLibraries)
    if (name.starts_with(known))
      add_once(out, folder_of(folder_of(library)) + "/bin");
}

std::vector<std::string> folders_near_client() {
  std::vector<std::string> libraries;
  ::dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *list) {
        if (info->dlpi_name && *info->dlpi_name == '/')
          static_cast<std::vector<std::string> *>(list)->emplace_back(info->dlpi_name);
        return 0;
      },
      &libraries);
  std::vector<std::string> out;
  for (const std::string &library : libraries)
    add_packages(library, out);
  for (const std::string &library : libraries)
    add_folder_beside(library, out);
  return out;
}

// Returns the path of the program culink that belongs to this library, or its expected path. If it
// is missing, compilers are loaded into this process.
std::string find_worker() {
  Dl_info info{};
  std::string folder = ".";
  if (::dladdr(culink_stand_in_for_nvJitLink, &info) != 0 && info.dli_fname)
    folder = folder_of(info.dli_fname);
  for (const char *place : {"", "/../bin", "/../../bin", "/../../../bin", "/../../../../bin"})
    if (std::string found = program_in(folder + place, "culink"); !found.empty())
      return found;
  return folder + "/culink";
}

Compilers search() {
  const std::vector<std::string> near = folders_near_client();
  Compilers out;
  out.ptxas = find_ptxas("", near);
  out.engine = find_finalizer("", "", find_worker(), near);
  return out;
}

} // namespace

Compilers find_compilers() {
  static std::atomic<const Compilers *> found = nullptr;
  if (const Compilers *known = found.load(std::memory_order_acquire))
    return *known;
  auto mine = std::make_unique<const Compilers>(search());
  const Compilers *nothing = nullptr;
  Compilers out = *mine;
  // Incomplete results are not kept: a compiler may be installed, or named by a variable, later.
  if (mine->complete() && found.compare_exchange_strong(nothing, mine.get()))
    static_cast<void>(mine.release());
  return out;
}

} // namespace culink::jit
