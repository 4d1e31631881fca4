// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "elf/elf_view.h"
#include "inspect/dump/sink.h"
#include "support/result.h"

namespace culink::text {

// What to show of a file.
struct DumpOptions {
  bool header = false;
  bool sections = false;
  bool segments = false;
  bool symbols = false;
  bool relocations = false;
  bool info = false;
  bool callgraph = false; // and prototypes
  bool notes = false;     // and compatibility attributes
  bool records = false;   // the remaining sections of known layout
  bool demangle = false;
  std::vector<std::string> hex; // contents of the sections of these names
};

// Called once for each thing that could not be read.
using WarningSink = std::function<void(const Error &)>;

// Tells `sink` what `file` holds. The view is a tolerant one: what is damaged is left out and
// warned about.
void dump_file(std::string_view name, const elf::ElfView &file, const DumpOptions &options,
               Sink &sink, const WarningSink &warn);

} // namespace culink::text
