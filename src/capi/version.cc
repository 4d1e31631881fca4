// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which library it is that a program has loaded. The number of the interface is that of the header
// which the library was compiled with.
#include "culink.h"

uint32_t culink_abi_version(void) {
  return CULINK_ABI_VERSION;
}

const char *culink_version(void) {
  return CULINK_VERSION;
}
