// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"
#include "base/text_out.h"

namespace culink::tools {

// A device ELF named on the command line. `name` is how messages call it; `bytes` stay valid as
// long as the Input lives.
struct Input {
  std::string name;
  MappedFile file;
  std::vector<u8> member; // unpacked; empty: the file as a whole

  [[nodiscard]] ByteSpan bytes() const { return member.empty() ? file.bytes() : member; }
};

// What is behind the last colon of an argument that is no file itself.
struct NamedFile {
  std::string name; // for messages
  MappedFile file;
  std::string path;
  std::string member; // empty: all of it
};

// Opens FILE, or standard input for "-", or the file of FILE:MEMBER.
[[nodiscard]] Result<NamedFile> open_file(const std::string &argument);

// Opens FILE, "-" or FILE:MEMBER; a member is unpacked.
[[nodiscard]] Result<Input> open_input(const std::string &argument);

// cubin: error: FILE: place, field: message
void print_error(std::string_view file, const Error &error);
void print_warning(std::string_view file, const Error &warning);

// Flushes what a command printed. False, with a message, when not all of it could be written. A
// reader that went away is no error of ours and stays quiet.
[[nodiscard]] bool finish_output(TextOut &out);

} // namespace culink::tools
