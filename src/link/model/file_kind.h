// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <string_view>

#include "support/types.h"

namespace culink {

// The kind of a file by its content; its name does not matter.
enum class FileKind : u8 {
  DeviceObject, // a cubin that can be linked
  DeviceImage,  // a cubin that is linked, or was compiled as a whole program
  HostObject,
  HostImage, // a shared library or program of the host
  Fatbin,
  Archive,
  Ptx,
  LtoIr, // code of link-time optimisation
  Unknown,
  Count_,
};
inline constexpr size_t kFileKindCount = static_cast<size_t>(FileKind::Count_);

enum class FileAction : u8 {
  Use,
  Ignore,
  Distrust, // ignored, but counted as an object without a list of kernels
  Refuse,
};

// The treatment of files with one ending of their name, by FileKind.
struct FileRule {
  static constexpr std::string_view kNoEnding = "";
  static constexpr std::string_view kAnyOther = "*";

  std::string_view ending; // after the last dot
  std::array<FileAction, kFileKindCount> actions;
};

} // namespace culink
