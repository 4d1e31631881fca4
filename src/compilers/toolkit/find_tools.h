// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "culink/cache_options.h"
#include "culink/finalizer_engine.h"
#include "support/types.h"

namespace culink {

// Returns the value of an environment variable; empty if it is not set.
[[nodiscard]] std::string environment(const char *name);

// Returns folder/name if that is a program; else "".
[[nodiscard]] std::string program_in(const std::string &folder, const std::string &name);

// The first program of that name in PATH, or empty.
[[nodiscard]] std::string program_in_path(const std::string &name);

// Returns the program folder of the toolkit that a toolchain folder leads to, if this program was
// called through one; else "".
[[nodiscard]] std::string toolkit_of_caller();

// Returns the folders that may have the toolkit's programs, best first: the folder of `cuda`, which
// the command line names and which then is the only one; the folder of the toolchain through which
// this program was called; those in `near`; those that variables name; the folder of nvcc in PATH;
// the default folders; those of the active Python environment, or of the one that has this program.
[[nodiscard]] std::vector<std::string>
toolkit_program_folders(const std::string &cuda, const std::vector<std::string> &near = {});

// Returns the program folders in site-packages. NVIDIA's packages of CUDA 13 share a folder, those
// of CUDA 12 have one each. A folder may be missing: the libraries are next to it (see below).
[[nodiscard]] std::vector<std::string> package_program_folders(const std::string &site_packages,
                                                               u32 major);

// Returns the folders of a toolkit's libraries in the layouts of installers (lib64) and of Python
// packages for CUDA 13 (lib) and CUDA 12 (a folder for each part).
[[nodiscard]] std::vector<std::string> library_folders_beside(const std::string &program_folder);

// Returns the engines for sm_100 and later. `given`: the library or program that the command line
// names, which then is the only engine; if empty, those of the toolkit. `self`: the program culink,
// which runs as the worker.
[[nodiscard]] FinalizerEngine find_finalizer(const std::string &given, const std::string &cuda,
                                             const std::string &self = "/proc/self/exe",
                                             const std::vector<std::string> &near = {});

// Returns the libnvJitLink of the toolkit with its programs in this folder, or "".
[[nodiscard]] std::string find_library_beside(const std::string &program_folder);

// True if a library is culink's own replacement of libnvJitLink.
[[nodiscard]] bool is_stand_in(const std::string &library);

// Returns the ptxas of the toolkit, or else of PATH. Returns "" if there is none, or if the first
// toolkit only has libnvJitLink, which also compiles PTX.
[[nodiscard]] std::string find_ptxas(const std::string &cuda,
                                     const std::vector<std::string> &near = {});

// Returns the cache of this user from the environment (docs/compilers.md). It is on unless a
// variable disables it or the user has no home folder.
[[nodiscard]] CacheOptions find_cache();

} // namespace culink
