// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Allocators keep freed blocks for later use. After a step that needed far more memory than the
// rest of the program will, that memory would be wasted.
#include "base/release_memory.h"

#include <cstdlib> // defines __GLIBC__

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace culink {

void release_free_memory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

} // namespace culink
