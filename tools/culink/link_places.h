// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "driver/options/command_line.h"
#include "support/mapped_file.h"

namespace culink {

// The places of files that a command line names. In a link that is replayed, they are the names of
// another machine: its inputs come from the archive, and outputs go where the command line of the
// replay says, or nowhere.
struct LinkPlaces {
  const FileSource *inputs = &system_files();
  const CommandLine *replay = nullptr; // the command line of a replay
  std::string folder;                  // in which a replayed link ran

  // Where the output that an option names goes. `line` has the option.
  [[nodiscard]] std::string output(const CommandLine &line, OptionId id) const {
    if (replay && replay->has(id))
      return replay->value(id);
    return replay && line.value(id) != "-" ? "/dev/null" : line.value(id);
  }
};

} // namespace culink
