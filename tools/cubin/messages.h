// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "support/result.h"
#include "support/text_out.h"

namespace culink::tools {

inline constexpr int kExitUsage = 2; // the command line makes no sense

// cubin: error: FILE: place, field: message
void print_error(std::string_view file, const Error &error);
void print_warning(std::string_view file, const Error &warning);

// Whether writing to `output` would destroy the file that an argument (FILE, FILE:MEMBER) names,
// after a message.
[[nodiscard]] bool overwrites(const std::string &output, const std::string &argument);

// Writes a whole file, or standard output ("-"), of which a reader may take as much as it likes.
// False, after a message, if it could not be written.
[[nodiscard]] bool write_output(const std::string &path, ByteSpan bytes);

// Flushes what a command printed. False, with a message, when not all of it could be written. A
// reader that went away is no error of ours and stays quiet.
[[nodiscard]] bool finish_output(TextOut &out);

} // namespace culink::tools
