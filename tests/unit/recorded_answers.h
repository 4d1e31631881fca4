// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of tests/finalize and what an engine made of them.
#pragma once

#include <string>
#include <vector>

#include "elf/elf_view.h"
#include "support/mapped_file.h"

namespace culink {

inline std::string recorded_path(const std::string &name) {
  return std::string(CULINK_SOURCE_DIR "/tests/finalize/") + name;
}

inline std::vector<u8> recorded_bytes(const std::string &name) {
  const MappedFile file = MappedFile::open(recorded_path(name)).value();
  return {file.bytes().begin(), file.bytes().end()};
}

} // namespace culink
