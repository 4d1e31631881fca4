// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "base/mapped_file.h"
#include "base/result.h"
#include "base/text_out.h"

namespace culink::tools {

// A device ELF named on the command line. `name` is how messages call it; `bytes` stay valid as
// long as the Input lives.
struct Input {
  std::string name;
  MappedFile file;

  [[nodiscard]] ByteSpan bytes() const { return file.bytes(); }
};

// Opens FILE, or standard input for "-".
[[nodiscard]] Result<Input> open_input(const std::string &argument);

// cubin: error: FILE: place, field: message
void print_error(std::string_view file, const Error &error);
void print_warning(std::string_view file, const Error &warning);

// Flushes what a command printed. False, with a message, when not all of it could be written. A
// reader that went away is no error of ours and stays quiet.
[[nodiscard]] bool finish_output(TextOut &out);

} // namespace culink::tools
