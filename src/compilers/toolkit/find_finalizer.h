// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "culink/finalizer_engine.h"

namespace culink {

// The engines for sm_100 and later. `given`: the file that the command line names, a library or a
// program, which then is the only one; empty: those of the toolkit (see places.h). `self`: the
// program culink, which is the worker.
[[nodiscard]] FinalizerEngine find_finalizer(const std::string &given, const std::string &cuda,
                                             const std::string &self = "/proc/self/exe",
                                             const std::vector<std::string> &near = {});

// The libnvJitLink of the toolkit that has its programs in this folder, or nothing.
[[nodiscard]] std::string find_library_beside(const std::string &program_folder);

// Whether a library only stands in for libnvJitLink: it is culink's own.
[[nodiscard]] bool is_stand_in(const std::string &library);

} // namespace culink
