// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "driver/nvjitlink/abi.h"
#include "driver/nvjitlink/jit_options.h"
#include "support/types.h"

namespace culink::jit {

// A device object to link, by the name that messages use.
struct Piece {
  std::string name;
  ByteSpan bytes;       // of the input, or
  std::vector<u8> made; // what was unpacked or compiled
  [[nodiscard]] ByteSpan contents() const { return made.empty() ? bytes : ByteSpan(made); }
};

// What became of an input.
struct TakenInput {
  Code code = Code::Success;
  std::string errors; // lines for the logs
  std::string infos;
  std::vector<Piece> pieces;
};

// Checks that an input is of the kind that the client says, and finds its code for the target:
// fatbins are unpacked, archives opened, PTX is compiled. The pieces refer to `bytes`. With LTO the
// whole input is one piece, and most checks are left to the link.
[[nodiscard]] TakenInput take_input(const JitOptions &options, InputKind kind,
                                    const std::string &name, ByteSpan bytes);

} // namespace culink::jit
