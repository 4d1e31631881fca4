// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "culink/linker.h"
#include "driver/options/command_line.h"
#include "driver/repro/stored_link.h"

namespace culink {

// culink's version, and those of the compilers that a link may use.
[[nodiscard]] std::vector<std::string> tool_versions(const LinkRequest &request);

// The release lines at the end of a toolkit program's --version, or empty.
[[nodiscard]] std::string release_lines(const std::string &program);

// --repro: writes the archive. Whatever the link reads has been read through `files`.
[[nodiscard]] std::optional<Error> write_repro(const CommandLine &line,
                                               const std::vector<std::string> &words,
                                               const std::vector<std::string> &versions,
                                               const RecordedFiles &files);

// --replay: the command line of a stored link, with the options of the replay in place of those
// that it gives too. What names compilers and caches of another machine is left out.
[[nodiscard]] CommandLine replayed_line(CommandLine stored, const CommandLine &replay);

// The first word of a stored link for a compiler that may do more than to concern the code, where
// the replay does not give others; empty: there is none.
[[nodiscard]] std::string word_of_stranger(const CommandLine &stored, const CommandLine &replay);

// A remark about each line in which versions differ.
[[nodiscard]] std::vector<Message> compare_versions(const std::vector<std::string> &stored,
                                                    const std::vector<std::string> &here);

} // namespace culink
