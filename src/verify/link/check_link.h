// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The link checker: shows that a linked file is the program that its inputs make up. It knows the
// inputs, the output and the format, and nothing of the linker. docs/checker.md says what is shown.
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
  Missing,     // a definition that the program needs
  Unexplained, // something that no input accounts for
  Symbol,      // a symbol with a wrong property
  Bytes,       // code or data that is not that of the prevailing definition
  Field,       // a relocated field with a wrong value
  Relocation,  // a relocation that is missing, too much, or not the right one
  Reference,   // live code or data that refers to something that is not there
  Overlap,     // two variables in one place
  Alignment,   // a variable at a place where it cannot be loaded
  Memory,      // shared memory, parameters or image slots of a kernel
  Records,     // registers, stack, barriers and other records of a function
  CallGraph,   // the call graph of the output
  Mercury,     // the Mercury form of the program says something else than its machine code
};

// "missing-definition", "wrong-field" ...
[[nodiscard]] std::string_view name_of(FindingKind kind);

struct Finding {
  FindingKind kind{};
  std::string symbol;  // the function or variable that it is about; may be empty
  std::string section; // of the output; of an input for what is missing
  u64 offset = 0;      // in that section
  std::string expected;
  std::string found;

  friend bool operator==(const Finding &, const Finding &) = default;
};

// One line: "wrong-field: k in .text.k+0x40: expected ..., found ...".
[[nodiscard]] std::string to_line(const Finding &finding);

struct CheckOptions {
  // Kernels that the program is to have; without it, all. Arguments: name, whether it is local.
  std::function<bool(std::string_view, bool)> is_selected;
  bool keeps_all_code = false; // -g, --preserve-relocs: nothing is removed
  bool finalized = false;      // the machine code was scheduled again and differs from the inputs'
};

struct CheckInput {
  std::string name;
  ByteSpan bytes; // a relocatable cubin
};

// Everything that is wrong with `output` as a link of `inputs` (all that were linked, in order).
// Whether it is an executable or an object (-r) is told from the file.
[[nodiscard]] std::vector<Finding> check_link(std::span<const CheckInput> inputs, ByteSpan output,
                                              const CheckOptions &options, WorkerPool &pool);

} // namespace culink::check
