// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <thread>

#include "base/output_file.h"
#include "culink/linker.h"

namespace culink {

// The output of a link. Of a large one the file is made while the link is planned or checked, and
// gets its name only if it passes.
class EarlyOutput {
public:
  explicit EarlyOutput(std::string path) : path_(std::move(path)) {}

  // For LinkRequest::early; refers to this.
  [[nodiscard]] EarlyImage receiver();

  // The file, with the bytes of the result if that has been begun, and else without any. After that
  // nobody may look at bytes that were placed here.
  [[nodiscard]] OutputFile &file();
  [[nodiscard]] bool is_written() const { return begun_; }

private:
  [[nodiscard]] bool create();
  void expect(u64 size);
  void make_room();
  [[nodiscard]] MutableByteSpan place(u64 size);
  void begin(ByteSpan image);
  void drop();

  std::string path_;
  std::optional<OutputFile> file_;
  bool begun_ = false;
  bool placed_ = false;
  std::atomic<u64> wanted_ = 0; // bytes, for which there should be room
  std::jthread writer_;         // ends before the file does
};

} // namespace culink
