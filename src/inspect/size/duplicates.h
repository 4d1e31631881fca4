// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "compilers/cache/digest.h"
#include "input/device_file.h"

namespace culink {

// The instructions of one function in one image.
struct FunctionCode {
  std::string name;
  bool kernel = false;
  std::string target;
  u32 image = 0; // index of the piece of code in the file
  u32 fatbin = 0;
  bool foldable = false; // a device function of linked code with a section of its own
  u64 size = 0;
  u64 stored = 0; // its share of the packed bytes
  Digest digest{};
};
[[nodiscard]] std::vector<FunctionCode> functions_in(const Image &image);

// Code that is stored more than once.
struct Duplicate {
  std::string name; // name of one of the functions
  u64 names = 0;    // number of distinct names
  u64 instances = 0;
  u64 targets = 0;
  u64 fatbins = 0;
  u64 size = 0; // of one in bytes; the largest if they differ
  u64 cost = 0; // bytes of the file except the largest one
};

struct Duplicates {
  std::vector<Duplicate> equal_code;   // the same instructions, with any names and targets
  std::vector<Duplicate> same_kernels; // kernels of one name in several images, with any code
  u64 equal_code_cost = 0;
  u64 same_kernels_cost = 0; // the sum of the next two
  u64 for_targets = 0;       // copies for other targets
  u64 in_images = 0;         // copies in other images for the same target
  u64 equal_functions = 0;   // device functions with the same instructions in one linked image
};

// Returns the bytes of the file that pieces take, including the headers of entries.
[[nodiscard]] u64 bytes_of(std::span<const FoundCode *const> pieces);

// Returns all duplicates, largest cost first.
[[nodiscard]] Duplicates find_duplicates(std::vector<FunctionCode> code);

} // namespace culink
