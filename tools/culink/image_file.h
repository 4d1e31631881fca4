// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <thread>

#include "base/output_file.h"
#include "culink/linker.h"

namespace culink {

// The file of a link's image. A large image is made there, and the file gets its name only if the
// link passes.
class ImageFile {
public:
  explicit ImageFile(std::string path) : path_(std::move(path)) {}

  // For LinkRequest::place; refers to this.
  [[nodiscard]] ImagePlace place();

  // The file, with the bytes of the result if they were made here, and else without any. After that
  // nobody may look at these bytes.
  [[nodiscard]] OutputFile &file();
  [[nodiscard]] bool is_written() const { return written_; }

private:
  [[nodiscard]] bool create();
  void expect(u64 size);
  void make_room();
  [[nodiscard]] MutableByteSpan open(u64 size);
  void drop();

  std::string path_;
  std::optional<OutputFile> file_;
  bool open_ = false;
  bool written_ = false;
  std::atomic<u64> wanted_ = 0; // bytes, for which there should be room
  std::jthread helper_;         // ends before the file does
};

} // namespace culink
