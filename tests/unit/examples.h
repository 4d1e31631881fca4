// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shipped cubins, by their path below examples/.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "support/mapped_file.h"

namespace culink::test {

constexpr std::string_view kObject = "vector_math/sm_90/main.cubin";

// The bytes of a file; a file that cannot be read fails the test.
inline std::vector<u8> read_example(std::string_view example) {
  const std::string path = std::string(CULINK_SOURCE_DIR "/examples/") + std::string(example);
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) {
    ADD_FAILURE() << path << ": " << file.error().text();
    return {};
  }
  return {file->bytes().begin(), file->bytes().end()};
}

} // namespace culink::test
