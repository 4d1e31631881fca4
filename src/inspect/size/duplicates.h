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
  u32 image = 0; // number of the piece in the file
  u32 fatbin = 0;
  bool foldable = false; // a device function of linked code with a section of its own
  u64 size = 0;
  u64 stored = 0; // its part of the packed bytes
  Digest digest{};
};
[[nodiscard]] std::vector<FunctionCode> functions_in(const Image &image);

// Code that is stored more than once.
struct Duplicate {
  std::string name; // of one of them
  u64 names = 0;    // how many they have
  u64 instances = 0;
  u64 targets = 0;
  u64 fatbins = 0;
  u64 size = 0; // of one, in bytes; the largest if they differ
  u64 cost = 0; // bytes of the file beside the largest
};

struct Duplicates {
  std::vector<Duplicate> equal_code;   // the same instructions, whatever their names and targets
  std::vector<Duplicate> same_kernels; // kernels of one name in several images, whatever their code
  u64 equal_code_cost = 0;
  u64 same_kernels_cost = 0; // the sum of the next two
  u64 for_targets = 0;       // because there are several targets
  u64 in_images = 0;         // because several images for one target have them
  u64 equal_functions = 0;   // device functions with the same instructions in one linked image
};

// What pieces take in a file, headers of entries included.
[[nodiscard]] u64 bytes_of(std::span<const FoundCode *const> pieces);

// Costliest first.
[[nodiscard]] Duplicates find_duplicates(std::vector<FunctionCode> code);

} // namespace culink
