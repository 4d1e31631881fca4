// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fatbins for tests, put together field by field, so that any field can be wrong.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <lz4.h>
#include <zstd.h>

#include "input/fatbin.h"
#include "support/bytes.h"

namespace culink::test {

using Bytes = std::vector<u8>;

template <typename T>
  requires(!std::is_convertible_v<T, std::string_view>)
void put(Bytes &out, T value) {
  const size_t at = out.size();
  out.resize(at + sizeof value);
  store_le(out.data() + at, value);
}
inline void put(Bytes &out, std::string_view text) {
  out.insert(out.end(), text.begin(), text.end());
}
inline void pad_to(Bytes &out, size_t align) {
  out.resize(align_up(out.size(), align));
}
inline Bytes bytes_of(std::string_view text) {
  return {text.begin(), text.end()};
}

// Offsets of the fields of an entry.
enum EntryField : u64 {
  kKind = 0,
  kVersion = 2,
  kHeaderSize = 4,
  kPaddedSize = 8,
  kPackedSize = 16,
  kOptions = 20,
  kSm = 28,
  kIdentifier = 32,
  kIdentifierSize = 36,
  kFlags = 40,
  kSize = 56,
};

struct Member {
  FatbinKind kind = FatbinKind::Elf;
  u32 sm = 90;
  char letter = 0;
  std::string payload = "some code";
  Compression how = Compression::None;
  std::string identifier;
  std::string options;
  u64 flags = FatbinFlags::kIs64Bit | FatbinFlags::kLinux;
};

inline Bytes packed(const Member &member) {
  const std::string &text = member.payload;
  if (member.how == Compression::Zstd) {
    Bytes out(ZSTD_compressBound(text.size()));
    out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
    return out;
  }
  if (member.how == Compression::Lz4) {
    const int size = static_cast<int>(text.size());
    Bytes out(static_cast<size_t>(LZ4_compressBound(size)));
    out.resize(static_cast<size_t>(LZ4_compress_default(
        text.data(), reinterpret_cast<char *>(out.data()), size, static_cast<int>(out.size()))));
    return out;
  }
  return bytes_of(text);
}

inline Bytes entry(const Member &member) {
  Bytes variable;
  u32 identifier = 0, options = 0;
  if (!member.identifier.empty()) {
    identifier = 64;
    put(variable, member.identifier);
    variable.push_back(0);
    pad_to(variable, 8);
  }
  if (!member.options.empty()) {
    options = static_cast<u32>(64 + variable.size());
    put(variable, options + 8);
    put(variable, static_cast<u32>(member.options.size()));
    put(variable, member.options);
    variable.push_back(0);
    pad_to(variable, 8);
  }
  const Bytes data = packed(member);
  const bool raw = member.how == Compression::None;
  u64 flags = member.flags;
  flags |= member.how == Compression::Zstd ? FatbinFlags::kZstd : 0;
  flags |= member.how == Compression::Lz4 ? FatbinFlags::kLz4 : 0;
  flags |= member.letter == 'a' ? FatbinFlags::kArchSpecific : 0;
  flags |= member.letter == 'f' ? FatbinFlags::kFamilySpecific : 0;
  Bytes out;
  put(out, static_cast<u16>(member.kind));
  put(out, u16{0x0101});
  put(out, static_cast<u32>(64 + variable.size()));
  put(out, align_up(data.size(), 8));
  put(out, raw ? u32{0} : static_cast<u32>(data.size()));
  put(out, options);
  put(out, u16{8});
  put(out, u16{1});
  put(out, member.sm);
  put(out, identifier);
  put(out, static_cast<u32>(member.identifier.size()));
  put(out, flags);
  put(out, u64{0});
  put(out, raw ? u64{0} : u64{member.payload.size()});
  out.insert(out.end(), variable.begin(), variable.end());
  out.insert(out.end(), data.begin(), data.end());
  pad_to(out, 8);
  return out;
}

inline Bytes container(const std::vector<Member> &members) {
  Bytes entries;
  for (const Member &member : members) {
    const Bytes one = entry(member);
    entries.insert(entries.end(), one.begin(), one.end());
  }
  Bytes out;
  put(out, kFatbinMagic);
  put(out, u16{1});
  put(out, u16{16});
  put(out, u64{entries.size()});
  out.insert(out.end(), entries.begin(), entries.end());
  return out;
}

} // namespace culink::test
