// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "input/fatbin.h"
#include "support/result.h"
#include "support/types.h"

namespace culink {

// The storage of a payload: raw, or as a zstd frame of this level (1 to 22).
struct Packing {
  std::optional<int> level;
};
inline constexpr int kMostZstdLevel = 22;

// Code for a fatbin, with the contents of its header. The bytes are unpacked and borrowed.
struct FatbinImage {
  FatbinKind kind = FatbinKind::Elf;
  u32 sm = 0;
  u16 major = 1;
  u16 minor = 0;
  u64 flags = FatbinFlags::kIs64Bit | FatbinFlags::kLinux; // without the flags of packing
  std::string identifier;                                  // empty: none
  std::optional<std::string> options;                      // nullopt: no record; may be empty
  ByteSpan bytes;                                          // PTX without its final NUL
};

// Returns the fatbin header's contents for a cubin or PTX file. Other files are refused.
[[nodiscard]] Result<FatbinImage> describe_image(ByteSpan bytes);

// Returns an entry, header and payload, as read_fatbins reads it.
[[nodiscard]] std::vector<u8> write_entry(const FatbinImage &image, Packing packing);

// Returns the entry with its payload repacked. Returns nullopt if it cannot be unpacked, or if
// packing would not make it smaller.
[[nodiscard]] std::optional<std::vector<u8>> repack_entry(const FatbinEntry &entry,
                                                          Packing packing);

// Returns the entry with other code. The packing is the given one, or the previous one by default.
// Packed code is packed with zstd, whatever its packing was.
[[nodiscard]] std::vector<u8> replace_code(const FatbinEntry &entry, ByteSpan code,
                                           std::optional<Packing> packing);

} // namespace culink
