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

// What a person wants to see of the code in a file. In a pattern, * stands for any characters.
// Lists that are empty choose everything.
struct CodeSelection {
  std::vector<std::string> targets; // patterns, as in "sm_9*"
  std::vector<std::string> kernels; // patterns of names as in the file or as in the source, the
                                    // latter with or without parameters

  bool leftovers = true; // also objects of a device link beside the linked code

  [[nodiscard]] bool takes_target(std::string_view target) const;
  // A kernel by its name in the file.
  [[nodiscard]] bool takes_kernel(std::string_view name) const;
  // Whether one of an image's kernels is wanted.
  [[nodiscard]] bool takes_image(const elf::ElfView &image) const;
};

// The device code of an argument, whatever kind of file it names: opened, chosen, and walked image
// by image with little memory.

// A cubin, fatbin, host object, program, shared library or archive, and the code in it. It can be
// moved, not copied.
class DeviceFile {
public:
  // Opens FILE, or standard input for "-", or FILE:MEMBER: what is behind the last colon of an
  // argument that is no file itself chooses among the code in the file.
  [[nodiscard]] static Result<DeviceFile> open(const std::string &argument);

  [[nodiscard]] const std::string &name() const { return name_; } // for messages
  [[nodiscard]] const std::string &path() const { return path_; }
  [[nodiscard]] const std::string &member() const { return member_; } // empty: all of it
  [[nodiscard]] ByteSpan bytes() const { return file_->bytes(); }
  [[nodiscard]] const CodeInFile &found() const { return found_; }

  // The pieces of any form that the argument and the targets of a selection name, in the order of
  // the file. An error that says what is there instead if there are none.
  [[nodiscard]] Result<std::vector<const FoundCode *>> choose(const CodeSelection &selection) const;
  // Chooses machine code alone.
  [[nodiscard]] Result<std::vector<const FoundCode *>>
  choose_images(const CodeSelection &selection) const;
  // Chooses machine code for display: without leftovers of the device link, if there is linked code
  // and the selection does not want more.
  struct Shown {
    std::vector<const FoundCode *> images;
    std::vector<const FoundCode *> leftovers; // that are not among them
  };
  [[nodiscard]] Result<Shown> choose_shown(const CodeSelection &selection) const;
  // The one of them that is meant: linked code counts more than relocatable parts.
  [[nodiscard]] Result<const FoundCode *> choose_one(const CodeSelection &selection) const;

  // What a piece is called in messages and titles, and can be called in an argument.
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
  ByteSpan bytes;           // unpacked machine code; other forms as they are in the file
  const elf::ElfView *view; // read tolerantly; nothing if it is no machine code
};

// Something that could not be read, or is not there.
struct Problem {
  std::string name; // of the file or image
  Error error;
  bool warning = false;            // the rest was read
  const FoundCode *code = nullptr; // the piece that it is about
};

// What is done with images. `look` is called by several threads at once, in any order; what it
// returns is called by the thread of the caller, image after image in the order of the file, and
// may be empty. The image lives until then. So reading takes all cores, output comes in order, and
// memory does not grow with the file.
struct ImageVisitor {
  std::function<std::function<void()>(const Image &)> look;
  std::function<void(const Problem &)> report; // by the caller's thread, in order
  // Told in the end how many leftovers of a file were not walked, if there are any; may be empty.
  std::function<void(const std::string &name, u64 objects)> left_out = {};
};

// Walks pieces of a file. False if there was a problem.
[[nodiscard]] bool walk_code(const DeviceFile &file, std::span<const FoundCode *const> pieces,
                             WorkerPool &pool, const ImageVisitor &visitor);

// Takes leftovers out if there is other code beside them.
[[nodiscard]] std::vector<const FoundCode *> take_leftovers(std::vector<const FoundCode *> &pieces);

// All images with machine code that an argument and a selection name, leftovers only where the
// selection wants them. False if there was a problem; having nothing to show is one.
[[nodiscard]] bool walk_images(const std::string &argument, const CodeSelection &selection,
                               WorkerPool &pool, const ImageVisitor &visitor);

} // namespace culink
