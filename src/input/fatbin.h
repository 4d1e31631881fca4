// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "elf/target/arch.h"
#include "link/model/dialect.h"
#include "support/result.h"
#include "support/types.h"

namespace culink {

enum class Compression : u8 {
  None,
  Lz4,  // one raw block, without a frame around it
  Zstd, // one frame
  Unknown,
};

// "raw", "lz4", "zstd" or "unknown".
[[nodiscard]] std::string_view compression_name(Compression how);

// Returns the unpacked bytes. `size` is their number according to the container. A size that the
// packed bytes cannot give is refused before memory is allocated for it. An output that does not
// have exactly that many bytes is refused too.
[[nodiscard]] Result<std::vector<u8>> decompress(Compression how, ByteSpan packed, u64 size);

// The layout of a fatbin in a file, for its readers and writers: a container header, then entries.
// An entry is a header, its texts, and a payload that ends at a multiple of 8.
struct WireContainer {
  u32 magic;
  u16 version;
  u16 header_size;
  u64 size; // of all entries
};
static_assert(sizeof(WireContainer) == 16);

struct WireEntry {
  u16 kind;
  u16 version;
  u32 header_size; // includes identifier and options
  u64 padded_size;
  u32 packed_size; // 0: not packed
  u32 options;     // offset of the options record from here, or 0
  u16 minor;
  u16 major;
  u32 sm;
  u32 identifier; // offset from here, or 0
  u32 identifier_size;
  u64 flags;
  u64 reserved;
  u64 size; // unpacked size; 0 if not packed
};
static_assert(sizeof(WireEntry) == 64);

inline constexpr u16 kFatbinVersion = 1;
inline constexpr u64 kFatbinAlignment = 8; // alignment of entries

inline constexpr u32 kFatbinMagic = 0xba55ed50;

// The kind of code in an entry. Other numbers occur in old files; they are listed and never linked.
enum class FatbinKind : u16 { Ptx = 1, Elf = 2, Lto = 8 };

struct FatbinFlags {
  static constexpr u64 kIs64Bit = 0x1;
  static constexpr u64 kDebug = 0x2;
  static constexpr u64 kLinux = 0x10;
  static constexpr u64 kUnused = 0x1000;
  static constexpr u64 kLz4 = 0x2000;
  static constexpr u64 kZstd = 0x8000;
  static constexpr u64 kPacked = 0xf000;     // flags of packing; one of these bits is never used
  static constexpr u64 kScrambled = 0x10000; // LTO only: cannot be unpacked by others
  static constexpr u64 kArchSpecific = 0x100000;
  static constexpr u64 kFamilySpecific = 0x200000;
};

// The form of the code in an entry or file.
enum class CodeForm : u8 { Cubin, Ptx, Lto, Other };
[[nodiscard]] CodeForm form_of(FatbinKind kind);

// One member: code for one target, in one form. It refers to the bytes of the fatbin.
struct FatbinEntry {
  u64 offset = 0; // of its header, in the bytes given to read_fatbins
  FatbinKind kind = FatbinKind::Elf;
  u32 sm = 0;
  u16 major = 0; // of the PTX version; 1 for an ELF
  u16 minor = 0; // of the PTX version; the ELF's ABI version
  u64 flags = 0;
  std::string_view identifier; // usually the name of the source, with -g
  std::string_view options;    // compiler options for PTX and LTO; else the bytes of .nv.compat
  Compression compression = Compression::None;
  u64 size = 0;     // unpacked size; padding may follow a raw payload
  ByteSpan payload; // packed
  ByteSpan whole;   // header and payload, as stored in the fatbin

  [[nodiscard]] bool has(u64 flag) const { return (flags & flag) != 0; }
  // 'a', 'f' or 0, as in the name of the target.
  [[nodiscard]] char letter() const {
    return has(FatbinFlags::kArchSpecific) ? 'a' : has(FatbinFlags::kFamilySpecific) ? 'f' : '\0';
  }
};

// The code of one translation unit: members, one of which is chosen for a link.
struct FatbinContainer {
  u64 offset = 0;
  u64 end = 0; // end of its last entry
  std::vector<FatbinEntry> entries;
};

enum class FatbinReading : u8 {
  Strict,
  AsNvlink, // Q087: the first container only; an entry that begins in it is read completely; texts
            // outside the header are ignored, except options of PTX, at which nvlink crashes; of
            // several packings the first flag is used
};

// Returns all consecutive containers, as `cat` and `ld -r` write them. Reads headers only, so that
// pages with payloads are not touched.
[[nodiscard]] Result<std::vector<FatbinContainer>>
read_fatbins(ByteSpan bytes, FatbinReading reading = FatbinReading::Strict);

// Returns the container that begins at `offset` and ignores what follows it. Offsets of entries are
// relative to `bytes`.
[[nodiscard]] Result<FatbinContainer> read_fatbin_at(ByteSpan bytes, u64 offset);

// Returns the offset of the next container, after the zeros that linkers put between containers;
// the size of `bytes` if there is none.
[[nodiscard]] u64 next_fatbin(ByteSpan bytes, u64 end);

// Returns the payload of an entry, unpacked; PTX without its final NUL.
[[nodiscard]] Result<std::vector<u8>> unpack(const FatbinEntry &entry);

// Returns a container of entries.
[[nodiscard]] std::vector<u8> write_container(const std::vector<ByteSpan> &entries);
// Returns the header of a container with entries of `size` bytes in total.
[[nodiscard]] std::vector<u8> container_header(u64 size);

// "sm_90a", "compute_80", "lto_90".
[[nodiscard]] std::string target_name(const FatbinEntry &entry);

// Returns the member of a container to link for a target by the rules of a release, or nullptr. The
// member is 64-bit machine code or PTX, not link-time-optimisation code.
[[nodiscard]] const FatbinEntry *choose_member(std::span<const FatbinEntry> entries,
                                               const arch::ArchInfo &target,
                                               const Release &release);

// The member with link-time-optimisation code that is compiled for the target, or nullptr.
[[nodiscard]] const FatbinEntry *choose_lto_member(std::span<const FatbinEntry> entries,
                                                   const arch::ArchInfo &target);

// "sm_90a, compute_80, lto_90": the members, for messages.
[[nodiscard]] std::string list_members(std::span<const FatbinEntry> entries);

} // namespace culink
