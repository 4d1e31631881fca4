// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "culink/cache_options.h"
#include "culink/finalizer_engine.h"
#include "support/types.h"

namespace culink {

// The value of an environment variable; empty if there is none.
[[nodiscard]] std::string environment(const char *name);

// folder/name if that is a program; empty if not.
[[nodiscard]] std::string program_in(const std::string &folder, const std::string &name);

// The first program of that name in PATH, or empty.
[[nodiscard]] std::string program_in_path(const std::string &name);

// The programs of the toolkit that a toolchain folder leads to, if this program was called through
// one; else empty.
[[nodiscard]] std::string toolkit_of_caller();

// Where the programs of toolkits should be, best first: that of `cuda`, which the command line
// names and then is the only one; that of the toolchain folder through which this program was
// called; those in `near`; where variables say; beside the nvcc in PATH; where they are if nothing
// says so; in the Python environment that is active, or that this program is installed in.
[[nodiscard]] std::vector<std::string>
toolkit_program_folders(const std::string &cuda, const std::vector<std::string> &near = {});

// Program folders in site-packages. NVIDIA's packages of CUDA 13 share a folder, those of CUDA 12
// have one each. A folder need not exist: the libraries are beside
// it (see below).
[[nodiscard]] std::vector<std::string> package_program_folders(const std::string &site_packages,
                                                               u32 major);

// Folders of a toolkit's libraries, as installers (lib64) and Python packages have them, of CUDA 13
// (lib) and of CUDA 12 (a folder for each part).
[[nodiscard]] std::vector<std::string> library_folders_beside(const std::string &program_folder);

// The engines for sm_100 and later. `given`: the file that the command line names, a library or a
// program, which then is the only one; empty: those of the toolkit. `self`: the
// program culink, which is the worker.
[[nodiscard]] FinalizerEngine find_finalizer(const std::string &given, const std::string &cuda,
                                             const std::string &self = "/proc/self/exe",
                                             const std::vector<std::string> &near = {});

// The libnvJitLink of the toolkit that has its programs in this folder, or nothing.
[[nodiscard]] std::string find_library_beside(const std::string &program_folder);

// True if a library is culink's own replacement of libnvJitLink.
[[nodiscard]] bool is_stand_in(const std::string &library);

// The ptxas of the toolkit, or else that in PATH. Empty: there is none, or
// the first toolkit has libnvJitLink alone, which compiles PTX, too.
[[nodiscard]] std::string find_ptxas(const std::string &cuda,
                                     const std::vector<std::string> &near = {});

// The cache of this user, as variables say (docs/compilers.md): on unless they switch it off, and
// none where the user has no home.
[[nodiscard]] CacheOptions find_cache();

} // namespace culink
