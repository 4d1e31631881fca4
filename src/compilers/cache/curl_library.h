// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of libcurl that are used, and its numbers for them, which its binary interface
// guarantees. A unit test compares them with its header where that is installed.
#pragma once

#include <cstddef>

#include "support/result.h"

namespace culink::curl {

inline constexpr int kUrl = 10002;
inline constexpr int kWriteData = 10001;
inline constexpr int kReadData = 10009;
inline constexpr int kUserAgent = 10018;
inline constexpr int kHeaders = 10023;
inline constexpr int kWriteFunction = 20011;
inline constexpr int kReadFunction = 20012;
inline constexpr int kUploadSize = 30115;
inline constexpr int kUpload = 46;
inline constexpr int kNetrc = 51;
inline constexpr int kNoSignal = 99;
inline constexpr int kTimeout = 155;        // milliseconds, of all
inline constexpr int kConnectTimeout = 156; // milliseconds
inline constexpr int kProtocols = 181;
inline constexpr int kResponseCode = 0x200002;

inline constexpr long kNetrcOptional = 1;
inline constexpr long kHttpAndHttps = 3;
inline constexpr long kInitAll = 3;
inline constexpr int kOk = 0;

struct Functions {
  int (*global_init)(long) = nullptr;
  void *(*init)() = nullptr;
  void (*reset)(void *) = nullptr;
  void (*cleanup)(void *) = nullptr;
  int (*setopt)(void *, int, ...) = nullptr;
  int (*perform)(void *) = nullptr;
  int (*getinfo)(void *, int, ...) = nullptr;
  const char *(*strerror)(int) = nullptr;
  void *(*slist_append)(void *, const char *) = nullptr;
  void (*slist_free)(void *) = nullptr;
};

// Loads the installed library. It stays loaded: it cannot be unloaded safely.
[[nodiscard]] Result<Functions> load();

} // namespace culink::curl
