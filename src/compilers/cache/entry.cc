// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file of one answer: a mark, two sizes, the key, a checksum, then image and text. The checksum
// is over all the rest, so that any bit that changes on a disk or on the way is noticed, and the
// key is inside, so that a file under another name answers nothing. It is no protection from those
// who can write such files; docs/compilers.md says who may write to a shared store.
#include "compilers/cache/entry.h"

#include <algorithm>

#include "support/bytes.h"

namespace culink {

namespace {

constexpr u64 kMark = 0x3130656863614375; // "uCache01", changes with the form
constexpr u64 kSizesAt = 8;
constexpr u64 kKeyAt = 24;
constexpr u64 kChecksumAt = kKeyAt + sizeof(Digest);
constexpr u64 kContentsAt = kChecksumAt + sizeof(Digest);

Digest checksum_of(ByteSpan file) {
  Hasher hasher;
  hasher.add(file.first(kChecksumAt));
  hasher.add(file.subspan(kContentsAt));
  return hasher.finish();
}

bool has_at(ByteSpan file, u64 offset, const Digest &digest) {
  return std::equal(digest.begin(), digest.end(), file.begin() + static_cast<i64>(offset));
}

static_assert(kContentsAt == kEntryHeader);

} // namespace

std::optional<u64> entry_size(const Digest &key, ByteSpan beginning) {
  if (beginning.size() < kContentsAt || load_le<u64>(beginning.data()) != kMark ||
      !has_at(beginning, kKeyAt, key))
    return std::nullopt;
  const u64 image_size = load_le<u64>(beginning.data() + kSizesAt);
  const u64 text_size = load_le<u64>(beginning.data() + kSizesAt + sizeof(u64));
  constexpr u64 kMost = ~u64{0} - kContentsAt;
  if (image_size > kMost || text_size > kMost - image_size)
    return std::nullopt;
  return kContentsAt + image_size + text_size;
}

std::vector<u8> encode_entry(const Digest &key, ByteSpan image, std::string_view text) {
  std::vector<u8> out(kContentsAt);
  out.reserve(kContentsAt + image.size() + text.size());
  store_le(out.data(), kMark);
  store_le(out.data() + kSizesAt, u64{image.size()});
  store_le(out.data() + kSizesAt + sizeof(u64), u64{text.size()});
  std::copy(key.begin(), key.end(), out.begin() + kKeyAt);
  out.insert(out.end(), image.begin(), image.end());
  out.insert(out.end(), text.begin(), text.end());
  const Digest checksum = checksum_of(out);
  std::copy(checksum.begin(), checksum.end(), out.begin() + kChecksumAt);
  return out;
}

std::optional<CachedAnswer> decode_entry(const Digest &key, ByteSpan file) {
  if (entry_size(key, file) != file.size() || !has_at(file, kChecksumAt, checksum_of(file)))
    return std::nullopt;
  const ByteSpan contents = file.subspan(kContentsAt);
  const u64 image_size = load_le<u64>(file.data() + kSizesAt);
  const ByteSpan image = contents.first(image_size);
  return CachedAnswer{{image.begin(), image.end()},
                      std::string(as_text(contents.subspan(image_size)))};
}

} // namespace culink
