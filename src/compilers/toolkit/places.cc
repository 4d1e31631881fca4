// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where NVIDIA's toolkit is. What the user says comes first: an option, then a variable, then nvcc
// in PATH, which often is a link into a toolkit. Compilers near a program that uses the linker are
// of the release that makes its code, and a variable may name an older one.
//
// The linker itself reads no environment; those who call it look here first.
//
// What may surprise: nvcc of a toolchain folder calls this program as the nvlink beside it. The
// toolkit is then that of the folder, whatever variables say, because its compilers have made the
// objects. So the path by which this program was called counts, not the file that it is.
#include "compilers/toolkit/places.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <sys/auxv.h>
#include <unistd.h>

namespace culink {

namespace {

namespace fs = std::filesystem;

constexpr const char *kUsualProgramFolder = "/usr/local/cuda/bin";

// The folder that a program is in, links followed; empty if there is no such program.
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

// The toolkit of the nvcc beside the symbolic link that started this program.
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

std::string program_in_path(const std::string &name) {
  const std::string list = environment("PATH");
  std::string_view rest = list;
  while (!rest.empty()) {
    const size_t colon = rest.find(':');
    if (std::string found = program_in(std::string(rest.substr(0, colon)), name); !found.empty())
      return found;
    rest = colon == std::string_view::npos ? "" : rest.substr(colon + 1);
  }
  return "";
}

std::vector<std::string> toolkit_program_folders(const std::string &cuda,
                                                 const std::vector<std::string> &near) {
  if (!cuda.empty())
    return {cuda + "/bin"};
  std::vector<std::string> out;
  const auto add = [&out](std::string folder) {
    if (!folder.empty())
      out.push_back(std::move(folder));
  };
  add(toolkit_of_caller());
  out.insert(out.end(), near.begin(), near.end());
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string root = environment(name); !root.empty())
      add(root + "/bin");
  add(real_folder(program_in_path("nvcc")));
  add(kUsualProgramFolder);
  for (const std::string &root : {environment("VIRTUAL_ENV"), environment("CONDA_PREFIX"),
                                  fs::path(real_folder("/proc/self/exe")).parent_path().string()})
    for (const std::string &site_packages : site_packages_in(root))
      for (const u32 major : {13, 12})
        for (std::string &folder : package_program_folders(site_packages, major))
          add(std::move(folder));
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

} // namespace culink
