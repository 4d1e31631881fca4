// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copying an image to the system's cache of files takes as long as checking it does, and the system
// lets only one thread at a time write to a file. Where threads are few, one of them writes while
// the other checks.
//
// Where they are many, that one would be the last to be ready: 60 ms after an image of 216 MB was
// made, of 300 for all the link with 16 threads. So it fills a file with as many zeros while the
// link is planned; then the file is mapped, and all threads write the image there. Its pages are
// there by then, in the large pieces in which they were written: mapped files that grow as they are
// filled take longer than writing does. It is more work altogether.
#include "early_output.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace culink {

EarlyImage EarlyOutput::receiver() {
  return {[this](u64 size) { expect(size); }, [this](u64 size) { return place(size); },
          [this](ByteSpan image) { begin(image); }, [this] { drop(); }};
}

// Whether there is a file that nobody sees.
bool EarlyOutput::create() {
  if (!file_)
    file_.emplace(path_);
  if (!file_->is_temporary())
    file_.reset();
  return file_.has_value();
}

void EarlyOutput::expect(u64 size) {
  if (!create())
    return;
  wanted_ = size;
  try { // another time the last thread may be ready, or make room for more
    writer_ = std::jthread([this, last = std::move(writer_)]() mutable {
      if (last.joinable())
        last.join();
      make_room();
    });
  } catch (const std::system_error &) { // no more threads: room is made later
  }
}

void EarlyOutput::make_room() {
  constexpr u64 kStep = u64{4} << 20;
  u64 made = 0;
  while (made < wanted_ && file_->make_room(std::min<u64>(made + kStep, wanted_)))
    made += kStep;
}

MutableByteSpan EarlyOutput::place(u64 size) {
  wanted_ = size;
  if (writer_.joinable())
    writer_.join();
  if (!file_ || !file_->make_room(size))
    return {};
  const MutableByteSpan room = file_->map(size);
  placed_ = !room.empty();
  return room;
}

void EarlyOutput::begin(ByteSpan image) {
  if (!create())
    return;
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
  begun_ = placed_ = false;
}

OutputFile &EarlyOutput::file() {
  if (writer_.joinable())
    writer_.join();
  if (std::exchange(placed_, false)) {
    file_->finish();
    begun_ = true;
    try { // the memory of an image takes as long as to remove the file that it replaces
      writer_ = std::jthread([this] { file_->unmap(); });
    } catch (const std::system_error &) {
    }
  }
  return file_ ? *file_ : file_.emplace(path_);
}

} // namespace culink
