// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "elf/elf_view.h"
#include "text/dump/dump_sink.h"

namespace culink::tools {

// The frame of the commands that show something of each file, as text or JSON: calls `show_one` for
// every argument, which returns true when all went well. The exit code of the command.
[[nodiscard]] int
show_files(const std::vector<std::string> &arguments, bool json,
           const std::function<bool(const std::string &, text::DumpSink &)> &show_one);

// Opens an argument tolerantly and hands it on. False, with a message, when it cannot be read at
// all.
[[nodiscard]] bool
with_view(const std::string &argument,
          const std::function<bool(const std::string &name, const elf::ElfView &)> &use);

} // namespace culink::tools
