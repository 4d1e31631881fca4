// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where ptxas is. The toolkit whose nvcc compiles should also compile PTX here. A toolkit without
// ptxas may have libnvJitLink, with the same compiler inside; a ptxas of another toolkit may be too
// old for its code. The library of CUDA 12 does not make objects (-r).
#include "compilers/toolkit/find_ptxas.h"

#include "compilers/toolkit/find_finalizer.h"
#include "compilers/toolkit/places.h"

namespace culink {

std::string find_ptxas(const std::string &cuda, const std::vector<std::string> &near) {
  for (const std::string &folder : toolkit_program_folders(cuda, near)) {
    if (std::string found = program_in(folder, "ptxas"); !found.empty())
      return found;
#ifndef CULINK_STATIC_PROGRAM // which cannot load it
    if (const std::string library = find_library_beside(folder);
        !library.empty() && !library.ends_with(".so.12"))
      return "";
#endif
  }
  return cuda.empty() ? program_in_path("ptxas") : "";
}

} // namespace culink
