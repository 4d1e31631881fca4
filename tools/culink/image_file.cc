// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copying an image to the system's cache of files takes as long as checking it does. So a large
// image is made in its mapped file. A mapped file that grows as it is filled gets its memory page
// by page, which takes longer than writing; so zeros are written to each piece of the file before
// anybody uses it. Where threads are few, that is just before the piece is filled, when it is still
// in the processor's cache.
//
// Many threads would wait for each other: the system lets only one thread at a time write to a
// file, and 216 MB of zeros take 60 ms, half of a link with 16 threads. So for them one thread
// fills the file with zeros while the link is planned.
#include "image_file.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace culink {

ImagePlace ImageFile::place() {
  return {[this](u64 size) { expect(size); }, [this](u64 size) { return open(size); },
          [this](u64 begin, u64 end) { return file_->make_room(begin, end); }, [this] { drop(); }};
}

// Whether there is a file that nobody sees.
bool ImageFile::create() {
  if (!file_)
    file_.emplace(path_);
  if (!file_->is_temporary())
    file_.reset();
  return file_.has_value();
}

void ImageFile::expect(u64 size) {
  if (!create())
    return;
  wanted_ = size;
  try { // another time the last thread may be ready, or make room for more
    helper_ = std::jthread([this, last = std::move(helper_)]() mutable {
      if (last.joinable())
        last.join();
      make_room();
    });
  } catch (const std::system_error &) { // no more threads: room is made later
  }
}

void ImageFile::make_room() {
  constexpr u64 kStep = u64{4} << 20;
  u64 made = 0;
  while (made < wanted_ && file_->make_room(made, std::min<u64>(made + kStep, wanted_)))
    made += kStep;
}

MutableByteSpan ImageFile::open(u64 size) {
  wanted_ = size;
  if (helper_.joinable())
    helper_.join();
  if (!create())
    return {};
  const MutableByteSpan room = file_->map(size);
  open_ = !room.empty();
  return room;
}

void ImageFile::drop() {
  if (helper_.joinable())
    helper_.join();
  file_.reset();
  open_ = written_ = false;
}

OutputFile &ImageFile::file() {
  if (helper_.joinable())
    helper_.join();
  if (std::exchange(open_, false)) {
    file_->finish();
    written_ = true;
  }
  return file_ ? *file_ : file_.emplace(path_);
}

} // namespace culink
