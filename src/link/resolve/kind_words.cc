// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a symbol is, in the words of those who wrote the program, for messages about names that two
// files give to different things. Resolution uses it; the memory space is in st_other, and images
// have symbol types of their own.
#include "link/resolve/kind_words.h"

#include "model/input_object.h"

namespace culink {

using elf::SymbolType;

std::string space_name(SymbolType type, u8 other) {
  switch (type) {
  case SymbolType::Function:
    return "a function";
  case SymbolType::CudaTexture:
    return "a texture";
  case SymbolType::CudaSampler:
    return "a sampler";
  case SymbolType::CudaSurface:
    return "a surface";
  default:
    break;
  }
  switch (other & 0xe0) {
  case elf::kOtherShared:
    return "__shared__";
  case elf::kOtherConstant:
    return "__constant__";
  default:
    return "__device__";
  }
}

} // namespace culink
