// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "input/fatbin.h"
#include "support/result.h"
#include "support/types.h"

namespace culink {

// How a payload is stored: as it is, or as a zstd frame of this level (1 to 22).
struct Packing {
  std::optional<int> level;
};
inline constexpr int kMostZstdLevel = 22;

// Code for a fatbin, with what its header says. The bytes are unpacked and borrowed.
struct FatbinImage {
  FatbinKind kind = FatbinKind::Elf;
  u32 sm = 0;
  u16 major = 1;
  u16 minor = 0;
  u64 flags = FatbinFlags::kIs64Bit | FatbinFlags::kLinux; // but those of packing
  std::string identifier;                                  // empty: none
  std::optional<std::string> options;                      // a record that may be empty
  ByteSpan bytes;                                          // PTX without its final NUL
};

// What a cubin or PTX file says about itself. Other files are refused.
[[nodiscard]] Result<FatbinImage> describe_image(ByteSpan bytes);

// An entry: header and payload, as read_fatbins reads it back.
[[nodiscard]] std::vector<u8> write_entry(const FatbinImage &image, Packing packing);

// The entry with its payload stored in another way. Nothing if it cannot be unpacked, or would not
// become smaller by packing.
[[nodiscard]] std::optional<std::vector<u8>> repack_entry(const FatbinEntry &entry,
                                                          Packing packing);

// The entry with other code in it, stored in a given way, or else as before. Packed code is packed
// with zstd, whatever it was packed with.
[[nodiscard]] std::vector<u8> replace_code(const FatbinEntry &entry, ByteSpan code,
                                           std::optional<Packing> packing);

} // namespace culink
