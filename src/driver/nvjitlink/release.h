// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace culink::jit {

// A release of nvJitLink.
struct Release {
  unsigned major;
  unsigned minor;
};

// The newest release whose functions this library has.
[[nodiscard]] Release release_of_library();

} // namespace culink::jit
