// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copying an image to the system's cache of files takes as long as checking it does, and the system
// lets only one thread at a time write to a file. So one thread writes while the others check. The
// alternative, a mapped file into which all threads write the image itself, takes more time
// altogether: a page fault for every 4 KB, while the image now lies in large pages, and every later
// access to it through small pages.
#include "early_output.h"

#include <system_error>

namespace culink {

EarlyImage EarlyOutput::receiver() {
  return {[this](ByteSpan image) { begin(image); }, [this] { drop(); }};
}

void EarlyOutput::begin(ByteSpan image) {
  file_.emplace(path_);
  if (!file_->is_temporary()) {
    file_.reset();
    return;
  }
  try {
    writer_ = std::jthread([this, image] { file_->write(image); });
    begun_ = true;
  } catch (const std::system_error &) { // no more threads: it is written later
    file_.reset();
  }
}

void EarlyOutput::drop() {
  if (writer_.joinable())
    writer_.join();
  file_.reset();
  begun_ = false;
}

OutputFile &EarlyOutput::file() {
  if (writer_.joinable())
    writer_.join();
  return file_ ? *file_ : file_.emplace(path_);
}

} // namespace culink
