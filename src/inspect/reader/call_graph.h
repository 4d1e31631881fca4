// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>
#include <vector>

#include "elf/elf_view.h"

namespace culink::inspect {

struct CallEdge {
  u32 callee = 0;
  bool possible = false; // through a pointer that may lead to the callee
};

// A function that has code in the file or is called by such code.
struct CallNode {
  std::string_view name; // mangled
  bool kernel = false;
  bool external = false;       // its code is in another file or in the driver
  bool calls_pointers = false; // it calls through pointers
  bool address_taken = false;
  bool recursive = false;      // may call itself, directly or through others
  std::vector<CallEdge> calls; // by number of the callee, each once
};

// Returns the call graph of a file, from .nv.callgraph and from functions inside others' sections,
// in symbol order. Names are views into the file. Takes tolerant views, too. Time and memory are
// linear in the size of the file.
[[nodiscard]] std::vector<CallNode> read_calls(const elf::ElfView &file);

// Returns the graph with its edges reversed.
[[nodiscard]] std::vector<CallNode> with_callers(const std::vector<CallNode> &nodes);

} // namespace culink::inspect
