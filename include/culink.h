// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// culink's C interface: links CUDA device code and reads cubins, from a shared or a static library.
// C99 and later, C++, and whatever can call C.
#ifndef CULINK_H
#define CULINK_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CULINK_API __attribute__((visibility("default")))
#else
#define CULINK_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

// The version of the interface that this header describes. A library is of use to a program that
// was compiled with an equal or lower number.
#define CULINK_ABI_VERSION 0

// The version of the interface that the library has, which may be higher than that of the header.
CULINK_API uint32_t culink_abi_version(void);

// The library's version: "0.1.0". Lives as long as the library is loaded.
CULINK_API const char *culink_version(void);

#ifdef __cplusplus
}
#endif

#endif
