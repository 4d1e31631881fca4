// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "elf/elf_view.h"
#include "input/find_code.h"
#include "support/mapped_file.h"
#include "support/result.h"
#include "support/worker_pool.h"

namespace culink {

// The code of a file that a user selects. In a pattern, * matches any characters. An empty list
// selects everything.
struct CodeSelection {
  std::vector<std::string> targets; // patterns, as in "sm_9*"
  std::vector<std::string> kernels; // patterns of names as in the file or as in the source,
                                    // with or without parameters

  bool leftovers = true; // also objects of a device link beside the linked code

  [[nodiscard]] bool takes_target(std::string_view target) const;
  // True if a kernel is selected, by its name in the file.
  [[nodiscard]] bool takes_kernel(std::string_view name) const;
  // True if one of an image's kernels is selected.
  [[nodiscard]] bool takes_image(const elf::ElfView &image) const;
};

// The device code in a file of any kind that an argument names: opened, selected, and walked image
// by image with little memory.

// A cubin, fatbin, host object, program, shared library or archive, and the code in it. It can be
// moved, not copied.
class DeviceFile {
public:
  // Opens FILE, or standard input for "-", or FILE:MEMBER. If an argument is not a file, the part
  // after its last colon selects a member of the file.
  [[nodiscard]] static Result<DeviceFile> open(const std::string &argument);

  [[nodiscard]] const std::string &name() const { return name_; } // for messages
  [[nodiscard]] const std::string &path() const { return path_; }
  [[nodiscard]] const std::string &member() const { return member_; } // empty: all of it
  [[nodiscard]] ByteSpan bytes() const { return file_->bytes(); }
  [[nodiscard]] const CodeInFile &found() const { return found_; }

  // Returns the pieces of any form that the argument and the targets of a selection select, in the
  // order of the file. If there are none, the error lists the pieces that exist.
  [[nodiscard]] Result<std::vector<const FoundCode *>> choose(const CodeSelection &selection) const;
  // Chooses machine code alone.
  [[nodiscard]] Result<std::vector<const FoundCode *>>
  choose_images(const CodeSelection &selection) const;
  // Returns machine code for display: without leftovers of the device link if there is linked code,
  // unless the selection includes them.
  struct Shown {
    std::vector<const FoundCode *> images;
    std::vector<const FoundCode *> leftovers; // leftovers that are not in `pieces`
  };
  [[nodiscard]] Result<Shown> choose_shown(const CodeSelection &selection) const;
  // Returns the single selected piece; linked code takes precedence over relocatable parts.
  [[nodiscard]] Result<const FoundCode *> choose_one(const CodeSelection &selection) const;

  // Returns the name of a piece in messages and titles, which an argument can also use.
  [[nodiscard]] std::string name_of(const FoundCode &code) const;

  // Gives back the memory of mapped pages.
  void release(ByteSpan bytes) const;

private:
  DeviceFile() = default;

  std::string name_;
  std::string path_;
  std::string member_;
  std::unique_ptr<MappedFile> file_; // the code points into it
  CodeInFile found_;
};

// One piece of code during a walk. Refers to what the walk holds.
struct Image {
  const DeviceFile &file;
  const std::string &name; // for messages and titles
  const FoundCode &code;
  ByteSpan bytes;           // unpacked machine code; other forms as stored in the file
  const elf::ElfView *view; // a tolerant view; null if it is not machine code
};

// Contents that could not be read or are missing.
struct Problem {
  std::string name; // of the file or image
  Error error;
  bool warning = false;            // the rest was read
  const FoundCode *code = nullptr; // the piece that it is about
};

// The callbacks of a walk. `look` is called by several threads at once, in any order. It returns a
// function, which may be empty; the caller's thread calls it, image after image in the order of the
// file. The image lives until then. So reading uses all cores, output is in order, and memory does
// not grow with the file.
struct ImageVisitor {
  std::function<std::function<void()>(const Image &)> look;
  std::function<void(const Problem &)> report; // by the caller's thread, in order
  // Called at the end with the number of leftovers that were not walked, if any; may be empty.
  std::function<void(const std::string &name, u64 objects)> left_out = {};
};

// Walks pieces of a file. Returns false if there was a problem.
[[nodiscard]] bool walk_code(const DeviceFile &file, std::span<const FoundCode *const> pieces,
                             WorkerPool &pool, const ImageVisitor &visitor);

// Removes and returns the leftovers if there is other code.
[[nodiscard]] std::vector<const FoundCode *> take_leftovers(std::vector<const FoundCode *> &pieces);

// Walks all images with machine code that an argument and a selection select; leftovers only if the
// selection includes them. Returns false if there was a problem, such as an empty result.
[[nodiscard]] bool walk_images(const std::string &argument, const CodeSelection &selection,
                               WorkerPool &pool, const ImageVisitor &visitor);

} // namespace culink
