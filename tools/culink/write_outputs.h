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

// All outputs of a link.
struct LinkOutputs {
  struct Text {
    std::string path;
    std::string text;
  };

  // nvlink writes the image first and reports other outputs that cannot be written afterwards.
  bool image_first = false;
  std::vector<Text> texts;
  std::optional<Text> table; // appended after existing rows; the head is written first
  std::string image_path;    // empty: none
  ByteSpan image;
};

struct OutputFailure {
  DiagId id = DiagId::CannotWriteOutput;
  std::vector<std::string> arguments;
};

// Writes all outputs, or none: if one cannot be written, the others do not appear, and existing
// files stay unchanged. `image`: its file; if it is mapped, it has its bytes.
[[nodiscard]] std::optional<OutputFailure> write_outputs(const LinkOutputs &outputs,
                                                         OutputFile &image);

// True if rows can be appended to the table. nvlink checks it before it links.
[[nodiscard]] bool can_append(const std::string &path);

// Returns an image after --strip-debug; nothing if the image does not have debug information; an
// error if the result is flawed.
[[nodiscard]] Result<std::optional<std::vector<u8>>> strip_output(ByteSpan image);

} // namespace culink
