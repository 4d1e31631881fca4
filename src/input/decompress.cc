// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decompression of the payloads of fatbins. A damaged size field must not make us allocate
// terabytes, so sizes are checked first against the largest that the packed bytes can give; both
// formats have such a bound: a zstd block of 4 bytes gives 128 KiB at most, a byte of an LZ4 block
// 255 bytes. Where zstd would give far more than code ever does, memory grows with what it has
// given.
#include "input/decompress.h"

#include <algorithm>
#include <memory>

#include <lz4.h>
#include <zstd.h>

#include <fmt/format.h>

namespace culink {

namespace {

constexpr u64 kLargest = u64{1} << 32;
constexpr u64 kLz4PerByte = 255;
constexpr u64 kZstdPerByte = (128 << 10) / 4;
constexpr u64 kUsualPerByte = 32;
constexpr u64 kSlack = 128 << 10; // for the first, shortest inputs

Error failed(std::string what) {
  return {"", "payload", std::move(what)};
}
Error wrong_size(u64 held, u64 expected) {
  if (held > expected)
    return failed(fmt::format("holds {:#x} bytes, for which {:#x} are too few", held, expected));
  return {"", "unpacked size",
          fmt::format("{:#x} bytes are expected, the payload holds {:#x}", expected, held)};
}

Result<std::vector<u8>> unpack_lz4(ByteSpan packed, u64 size) {
  if (packed.size() > LZ4_MAX_INPUT_SIZE || size > LZ4_MAX_INPUT_SIZE)
    return failed("an LZ4 block cannot be that large");
  std::vector<u8> out(size);
  const int made = LZ4_decompress_safe(reinterpret_cast<const char *>(packed.data()),
                                       reinterpret_cast<char *>(out.data()),
                                       static_cast<int>(packed.size()), static_cast<int>(size));
  if (made < 0)
    return failed("the LZ4 data is damaged");
  if (static_cast<u64>(made) != size)
    return wrong_size(static_cast<u64>(made), size);
  return out;
}

Error damaged_zstd(size_t code) {
  return failed(fmt::format("the zstd data is damaged ({})", ZSTD_getErrorName(code)));
}

// The size is only believed as far as it has been seen.
Result<std::vector<u8>> unpack_zstd_by_parts(ByteSpan packed, u64 size) {
  const std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream *)> stream(ZSTD_createDStream(),
                                                                         ZSTD_freeDStream);
  std::vector<u8> out;
  ZSTD_inBuffer input{packed.data(), packed.size(), 0};
  u64 made = 0;
  for (size_t left = 1; left != 0;) {
    if (made == out.size()) // one byte more than there may be shows that there are too many
      out.resize(std::min(std::max<u64>(2 * made, kSlack), size + 1));
    ZSTD_outBuffer output{out.data(), out.size(), made};
    left = ZSTD_decompressStream(stream.get(), &output, &input);
    if (ZSTD_isError(left))
      return damaged_zstd(left);
    const bool stuck = output.pos == made && input.pos == input.size;
    made = output.pos;
    if (made > size || (stuck && left != 0))
      return wrong_size(made, size);
  }
  if (made != size)
    return wrong_size(made, size);
  out.resize(size);
  return out;
}

Result<std::vector<u8>> unpack_zstd(ByteSpan packed, u64 size) {
  const unsigned long long frame = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (frame == ZSTD_CONTENTSIZE_ERROR)
    return failed("not a zstd frame");
  if (frame != ZSTD_CONTENTSIZE_UNKNOWN && frame != size)
    return wrong_size(frame, size);
  if (size > packed.size() * kUsualPerByte + kSlack)
    return unpack_zstd_by_parts(packed, size);
  std::vector<u8> out(size);
  const size_t made = ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
  if (ZSTD_isError(made))
    return damaged_zstd(made);
  if (made != size)
    return wrong_size(made, size);
  return out;
}

} // namespace

std::string_view compression_name(Compression how) {
  switch (how) {
  case Compression::None:
    return "raw";
  case Compression::Lz4:
    return "lz4";
  case Compression::Zstd:
    return "zstd";
  case Compression::Unknown:
    break;
  }
  return "unknown";
}

Result<std::vector<u8>> decompress(Compression how, ByteSpan packed, u64 size) {
  const u64 per_byte = how == Compression::Lz4 ? kLz4PerByte : kZstdPerByte;
  const bool packs = how == Compression::Lz4 || how == Compression::Zstd;
  if (packs && (size > kLargest || size > packed.size() * per_byte + kSlack))
    return failed(fmt::format("{:#x} packed bytes cannot hold {:#x}", packed.size(), size));
  switch (how) {
  case Compression::None:
    break;
  case Compression::Lz4:
    return unpack_lz4(packed, size);
  case Compression::Zstd:
    return unpack_zstd(packed, size);
  case Compression::Unknown:
    return failed("is packed in a way that is not known");
  }
  return std::vector<u8>(packed.begin(), packed.end());
}

} // namespace culink
