// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>
#include <vector>

#include "elf/elf_view.h"

namespace culink::inspect {

struct CallEdge {
  u32 callee = 0;
  bool possible = false; // through a pointer that may lead there
};

// A function that a file has code of, or that its code calls.
struct CallNode {
  std::string_view name; // mangled
  bool kernel = false;
  bool external = false;       // another file, or the driver, has its code
  bool calls_pointers = false; // it calls through pointers
  bool address_taken = false;
  bool recursive = false;      // may call itself, directly or through others
  std::vector<CallEdge> calls; // by number of the callee, each once
};

// Who calls whom in a file, as .nv.callgraph says, and functions that lie inside others' sections.
// In symbol order. Names are views into the file; a tolerant view will do. Takes time and memory
// in proportion to the file.
[[nodiscard]] std::vector<CallNode> read_calls(const elf::ElfView &file);

// The graph with callers in place of callees.
[[nodiscard]] std::vector<CallNode> with_callers(const std::vector<CallNode> &nodes);

} // namespace culink::inspect
