// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

#include "base/types.h"

namespace culink {

// What a file is, by its first bytes; its name does not matter.
enum class FileKind : u8 {
  Unknown,
  DeviceElf,   // a cubin
  HostElf,     // an object, library or program of the host
  Archive,     // ar
  ThinArchive, // ar with the members outside
  Fatbin,
  Ptx,
  Bitcode, // LLVM or NVVM, as link-time optimisation uses
};

[[nodiscard]] FileKind file_kind(ByteSpan bytes);

// "archives", "PTX files" ...; for messages.
[[nodiscard]] std::string_view name_of_file_kind(FileKind kind);

} // namespace culink
