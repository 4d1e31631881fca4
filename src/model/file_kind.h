// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "base/types.h"

namespace culink {

// What a file is, by its content; its name does not matter.
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
  Distrust, // ignored, but counted as an object that does not say which kernels it mentions
  Refuse,
};

// What becomes of files with one ending of their name, by FileKind.
struct FileRule {
  static constexpr std::string_view kNoEnding = "";
  static constexpr std::string_view kAnyOther = "*";

  std::string_view ending; // behind the last dot
  std::array<FileAction, kFileKindCount> actions;
};

// How inputs are taken. What is here by default is culink's way: content decides, all code counts,
// and what contributes nothing is mentioned.
struct InputHabits {
  std::span<const FileRule> rules;   // empty: content alone decides
  u64 smallest_file = 0;             // a shorter one is refused, unless it is empty
  bool silent = false;               // nothing is said about what contributes nothing
  bool drops_cut_files = false;      // cut cubins and archive members are ignored
  bool first_container_only = false; // further fatbins in a file are ignored
  bool host_members_only = false;    // other members of archives are ignored, those that are no
                                     // ELF files with all that stand behind them
  bool system_by_path = false;       // "cudadevrt" in any path is the system library (Q082)
  bool distrusts_foreign_fatbins = false; // as FileAction::Distrust, unless modules are registered
  bool loses_ptx_files = false;           // code in files called .ptx, before sm_90 (Q084)
  bool little_endian_only = false;        // headers are read as if every file were (Q087)
  bool thin_from_here = false; // members of thin archives are looked for in the working folder, by
                               // their names up to the first slash (Q086)
};

} // namespace culink
