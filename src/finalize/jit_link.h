// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace culink {

struct JitLinkResult {
  int code = 0;         // 0: all went well
  bool refused = false; // the object was not taken
  std::string log;      // what the library said about it
  std::vector<u8> cubin;
};

// libnvJitLink, loaded at run time. Not for two threads at once.
class JitLink {
public:
  [[nodiscard]] static Result<JitLink> load(const std::string &library);

  // Links one object alone.
  [[nodiscard]] JitLinkResult link(const std::string &target, bool debug, ByteSpan object) const;

private:
  using Handle = void *;
  struct Functions {
    int (*create)(Handle *, u32, const char **) = nullptr;
    int (*destroy)(Handle *) = nullptr;
    int (*add_data)(Handle, int, const void *, size_t, const char *) = nullptr;
    int (*complete)(Handle) = nullptr;
    int (*cubin_size)(Handle, size_t *) = nullptr;
    int (*cubin)(Handle, void *) = nullptr;
    int (*log_size)(Handle, size_t *) = nullptr;
    int (*log)(Handle, char *) = nullptr;
  };
  explicit JitLink(const Functions &functions) : call_(functions) {}

  [[maybe_unused]] Functions call_; // not in a static program
};

} // namespace culink
