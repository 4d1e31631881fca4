// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "culink/linker.h"
#include "driver/options/command_line.h"
#include "driver/repro/stored_link.h"

namespace culink {

// Returns the versions of culink and of the compilers that a link may use.
[[nodiscard]] std::vector<std::string> tool_versions(const LinkRequest &request);

// The release lines at the end of a toolkit program's --version, or an empty text.
[[nodiscard]] std::string release_lines(const std::string &program);

// Writes the archive of --repro. `files` has recorded all reads of the link.
[[nodiscard]] std::optional<Error> write_repro(const CommandLine &line,
                                               const std::vector<std::string> &words,
                                               const std::vector<std::string> &versions,
                                               const RecordedFiles &files);

// Returns the command line of a stored link for --replay. Options of the replay replace stored
// ones. Options that name compilers and caches of another machine are removed.
[[nodiscard]] CommandLine replayed_line(CommandLine stored, const CommandLine &replay);

// Returns the first stored word for a compiler that may affect more than the code, except if the
// replay overrides the option; empty if there is none.
[[nodiscard]] std::string word_of_stranger(const CommandLine &stored, const CommandLine &replay);

// Returns a remark for each line with different versions.
[[nodiscard]] std::vector<Message> compare_versions(const std::vector<std::string> &stored,
                                                    const std::vector<std::string> &here);

} // namespace culink
