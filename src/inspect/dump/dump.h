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

// Selects the parts of a file to show.
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

// Called once for each part of a file that could not be read.
using WarningSink = std::function<void(const Error &)>;

// Writes the contents of `file` to `sink`. Takes a tolerant view: damaged parts are left out and
// warned about.
void dump_file(std::string_view name, const elf::ElfView &file, const DumpOptions &options,
               Sink &sink, const WarningSink &warn);

} // namespace culink::text
