// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "link/model/diagnostics.h"
#include "support/output_file.h"
#include "support/result.h"
#include "support/types.h"

namespace culink {

// All that a link writes.
struct LinkOutputs {
  struct Text {
    std::string path;
    std::string text;
  };

  // nvlink writes the image first and says afterwards that something else cannot be written.
  bool image_first = false;
  std::vector<Text> texts;
  std::optional<Text> table; // rows behind those that the file has; its head is written first
  std::string image_path;    // empty: none
  ByteSpan image;
};

struct OutputFailure {
  DiagId id = DiagId::CannotWriteOutput;
  std::vector<std::string> arguments;
};

// Writes all of them, or nothing: if one cannot be written, the others are not there, and files
// that were there before stay as they were. `image`: its file; if it is mapped, it has its bytes.
[[nodiscard]] std::optional<OutputFailure> write_outputs(const LinkOutputs &outputs,
                                                         OutputFile &image);

// Whether rows can be put into the table. nvlink finds out before it links.
[[nodiscard]] bool can_append(const std::string &path);

// What --strip-debug makes of an image; nothing: the image as it is has no debug information. An
// error says what is wrong with the result.
[[nodiscard]] Result<std::optional<std::vector<u8>>> strip_output(ByteSpan image);

} // namespace culink
