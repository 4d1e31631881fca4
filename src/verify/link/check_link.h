// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The link checker: verifies that a linked file is the program that its inputs define. It knows the
// inputs, the output and the format, but not the linker. docs/checker.md lists the properties.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/types.h"
#include "support/worker_pool.h"

namespace culink::check {

enum class FindingKind : u8 {
  Unreadable,  // an input or the output cannot be read at all
  Missing,     // a definition of the program that the output lacks
  Unexplained, // a part of the output that no input accounts for
  Symbol,      // a symbol with a wrong property
  Bytes,       // code or data that differs from the prevailing definition
  Field,       // a relocated field with a wrong value
  Relocation,  // a relocation that is missing, superfluous or wrong
  Reference,   // live code or data that refers to a missing definition
  Overlap,     // two variables at one address
  Alignment,   // a variable at an address where it cannot be loaded
  Memory,      // shared memory, parameters or image slots of a kernel
  Records,     // registers, stack, barriers and other records of a function
  CallGraph,   // the call graph of the output
  Mercury,     // the Mercury form of the program differs from its machine code
};

// "missing-definition", "wrong-field" ...
[[nodiscard]] std::string_view name_of(FindingKind kind);

struct Finding {
  FindingKind kind{};
  std::string symbol;  // the function or variable; may be empty
  std::string section; // of the output; of an input if it is missing there
  u64 offset = 0;      // in that section
  std::string expected;
  std::string found;

  friend bool operator==(const Finding &, const Finding &) = default;
};

// Returns a line "wrong-field: k in .text.k+0x40: expected ..., found ...".
[[nodiscard]] std::string to_line(const Finding &finding);

struct CheckOptions {
  // True for kernels to be linked; if empty, all are. Arguments: name, whether it is local.
  std::function<bool(std::string_view, bool)> is_selected;
  bool keeps_all_code = false; // -g, --preserve-relocs: nothing is removed
  bool finalized = false;      // the machine code was scheduled again and differs from the inputs'
};

struct CheckInput {
  std::string name;
  ByteSpan bytes; // a relocatable cubin
};

// Returns all errors of `output` as a link of `inputs` (all linked files, in order). The file's
// type determines whether it is an executable or an object (-r).
[[nodiscard]] std::vector<Finding> check_link(std::span<const CheckInput> inputs, ByteSpan output,
                                              const CheckOptions &options, WorkerPool &pool);

} // namespace culink::check
