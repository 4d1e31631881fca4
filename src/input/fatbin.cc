// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fatbin is a chain of entries, each a header of 64 bytes or more and a payload. The chain is in
// a container, which states its length. Every step of a walk is checked against the container, and
// the container against the file, so that a walk stays inside the file and always terminates.
//
// What may surprise: files hold several containers (nvlink reads the first and ignores the others);
// only the flags show whether a payload is packed, since tiny PTX grows when packed; offsets inside
// a header are relative to the entry, not to the container.
#include "input/fatbin.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <tuple>

#include <lz4.h>
#include <zstd.h>

#include <fmt/format.h>

#include "elf/target/arch.h"
#include "support/bytes.h"

namespace culink {

namespace {

class Walker {
public:
  Walker(ByteSpan bytes, FatbinReading reading)
      : bytes_(bytes), as_nvlink_(reading == FatbinReading::AsNvlink) {}
  Result<std::vector<FatbinContainer>> run();
  Result<FatbinContainer> read_container(u64 offset);

private:
  Result<FatbinEntry> read_entry(ByteSpan chain, u64 offset) const;
  Result<FatbinEntry> describe(ByteSpan header, const WireEntry &wire, FatbinEntry entry) const;

  ByteSpan bytes_;
  bool as_nvlink_;
};

Error refuse(u64 offset, std::string_view part, std::string_view field, std::string message) {
  return {fmt::format("fatbin {} at {:#x}", part, offset), std::string(field), std::move(message)};
}

Result<std::vector<FatbinContainer>> Walker::run() {
  std::vector<FatbinContainer> out;
  u64 offset = 0;
  do {
    Result<FatbinContainer> container = read_container(offset);
    if (!container)
      return container.error();
    offset = next_fatbin(bytes_, container->end);
    out.push_back(std::move(*container));
  } while (offset < bytes_.size() && !as_nvlink_);
  return out;
}

Result<FatbinContainer> Walker::read_container(u64 offset) {
  const std::optional<WireContainer> wire = load_at<WireContainer>(bytes_, offset);
  if (!wire)
    return refuse(offset, "container", "", "the file ends inside its header");
  if (wire->magic != kFatbinMagic)
    return refuse(offset, "container", "magic",
                  fmt::format("{:#x} is not that of a fatbin", wire->magic));
  if (wire->version != kFatbinVersion)
    return refuse(offset, "container", "version",
                  fmt::format("{} is not known, only {} is", wire->version, kFatbinVersion));
  if (wire->header_size < sizeof(WireContainer))
    return refuse(offset, "container", "header size",
                  fmt::format("{:#x} is less than {:#x}", wire->header_size, sizeof *wire));
  const std::optional<ByteSpan> chain = wire->size > bytes_.size()
                                            ? std::nullopt
                                            : slice(bytes_, offset + wire->header_size, wire->size);
  if (!chain)
    return refuse(offset, "container", "size",
                  fmt::format("{:#x} bytes of entries do not fit into the file ({:#x} bytes)",
                              wire->size, bytes_.size()));
  FatbinContainer out{offset, offset + wire->header_size, {}};
  const u64 stop = out.end + wire->size;
  while (out.end < stop) {
    Result<FatbinEntry> entry = read_entry(as_nvlink_ ? bytes_ : bytes_.first(stop), out.end);
    if (!entry)
      return entry.error();
    out.end += entry->whole.size();
    out.entries.push_back(*entry);
  }
  return out;
}

Result<FatbinEntry> Walker::read_entry(ByteSpan chain, u64 offset) const {
  const std::optional<WireEntry> wire = load_at<WireEntry>(chain, offset);
  if (!wire)
    return refuse(offset, "entry", "", "the container ends inside its header");
  if (wire->header_size < sizeof(WireEntry))
    return refuse(offset, "entry", "header size",
                  fmt::format("{:#x} is less than {:#x}", wire->header_size, sizeof *wire));
  const std::optional<ByteSpan> header = slice(chain, offset, wire->header_size);
  if (!header)
    return refuse(offset, "entry", "header size",
                  fmt::format("{:#x} does not fit into the container", wire->header_size));
  const std::optional<ByteSpan> payload =
      slice(chain, offset + wire->header_size, wire->padded_size);
  if (!payload)
    return refuse(offset, "entry", "size",
                  fmt::format("{:#x} does not fit into the container", wire->padded_size));
  FatbinEntry entry;
  entry.offset = offset;
  entry.payload = *payload;
  entry.whole = chain.subspan(offset, wire->header_size + payload->size());
  return describe(*header, *wire, entry);
}

Result<FatbinEntry> Walker::describe(ByteSpan header, const WireEntry &wire,
                                     FatbinEntry entry) const {
  entry.kind = static_cast<FatbinKind>(wire.kind);
  entry.sm = wire.sm;
  entry.major = wire.major;
  entry.minor = wire.minor;
  entry.flags = wire.flags;
  entry.size = entry.payload.size();
  if (const u64 packed = entry.flags & FatbinFlags::kPacked; packed != 0) {
    const bool first_is_lz4 =
        (packed & (FatbinFlags::kUnused | FatbinFlags::kLz4)) == FatbinFlags::kLz4;
    entry.compression = packed == FatbinFlags::kLz4 || (as_nvlink_ && first_is_lz4)
                            ? Compression::Lz4
                        : packed == FatbinFlags::kZstd ? Compression::Zstd
                                                       : Compression::Unknown;
    entry.size = wire.size;
    if (wire.packed_size > entry.payload.size())
      return refuse(entry.offset, "entry", "packed size",
                    fmt::format("{:#x} is more than the payload has ({:#x})", wire.packed_size,
                                entry.payload.size()));
    entry.payload = entry.payload.first(wire.packed_size);
  }
  if (wire.identifier != 0) {
    const std::optional<ByteSpan> text = slice(header, wire.identifier, wire.identifier_size);
    if (!text && !as_nvlink_)
      return refuse(entry.offset, "entry", "identifier", "lies outside the header");
    entry.identifier = text ? as_text(*text) : "";
  }
  if (wire.options != 0) {
    const std::optional<u32> start = load_at<u32>(header, wire.options);
    const std::optional<u32> size = load_at<u32>(header, u64{wire.options} + 4);
    const std::optional<ByteSpan> text =
        start && size ? slice(header, *start, *size) : std::nullopt;
    if (!text && (!as_nvlink_ || entry.kind == FatbinKind::Ptx))
      return refuse(entry.offset, "entry", "options", "lie outside the header");
    entry.options = text ? as_text(*text) : "";
  }
  return entry;
}

} // namespace

Result<std::vector<FatbinContainer>> read_fatbins(ByteSpan bytes, FatbinReading reading) {
  return Walker(bytes, reading).run();
}

Result<FatbinContainer> read_fatbin_at(ByteSpan bytes, u64 offset) {
  return Walker(bytes, FatbinReading::Strict).read_container(offset);
}

u64 next_fatbin(ByteSpan bytes, u64 end) {
  while (end < bytes.size() && bytes[end] == 0)
    ++end;
  return end;
}

std::vector<u8> container_header(u64 size) {
  const WireContainer wire{kFatbinMagic, kFatbinVersion, sizeof wire, size};
  std::vector<u8> out(sizeof wire);
  store_le(out.data(), wire);
  return out;
}

std::vector<u8> write_container(const std::vector<ByteSpan> &entries) {
  u64 size = 0;
  for (const ByteSpan entry : entries)
    size += entry.size();
  std::vector<u8> out = container_header(size);
  out.reserve(out.size() + size);
  for (const ByteSpan entry : entries)
    out.insert(out.end(), entry.begin(), entry.end());
  return out;
}

CodeForm form_of(FatbinKind kind) {
  switch (kind) {
  case FatbinKind::Ptx:
    return CodeForm::Ptx;
  case FatbinKind::Elf:
    return CodeForm::Cubin;
  case FatbinKind::Lto:
    return CodeForm::Lto;
  }
  return CodeForm::Other; // numbers found in old files
}

Result<std::vector<u8>> unpack(const FatbinEntry &entry) {
  if (entry.kind == FatbinKind::Lto && entry.has(FatbinFlags::kScrambled))
    return refuse(entry.offset, "entry", "flags", "the LTO code is stored in a form of its own");
  Result<std::vector<u8>> bytes = decompress(entry.compression, entry.payload, entry.size);
  if (!bytes)
    return refuse(entry.offset, "entry", bytes.error().field, bytes.error().message);
  if (entry.kind == FatbinKind::Ptx)
    while (!bytes->empty() && bytes->back() == 0)
      bytes->pop_back();
  return bytes;
}

// ---- The choice between members
//
// Of the members that can serve the target, nvlink takes the one with the highest SM number. For
// equal numbers it prefers machine code to PTX, then chip-specific code (a) to family code (f) to
// plain code, then the earlier member; of plain PTX members with exactly the target's number it
// takes the last. This has surprising results: PTX with a number nearer to the target is preferred
// to older machine code, and sm_90a code is chosen for an sm_90 target even if the fatbin also has
// sm_90 code (not since 13.1).

namespace {

// PTX of a family runs on the family's later members, chip-specific PTX on that chip only.
bool can_compile(const FatbinEntry &entry, const arch::ArchInfo &target) {
  switch (entry.letter()) {
  case 'a':
    return entry.sm == target.number && target.letter == 'a';
  case 'f': {
    const arch::ArchInfo *made_for = arch::find_arch(entry.sm, 'f');
    return made_for && made_for->family == target.family && entry.sm <= target.number;
  }
  default:
    return entry.sm <= target.number;
  }
}

bool can_serve(const FatbinEntry &entry, const arch::ArchInfo &target, const Release &release) {
  if (!entry.has(FatbinFlags::kIs64Bit))
    return false;
  if (entry.kind == FatbinKind::Ptx)
    return can_compile(entry, target);
  const arch::ArchInfo *made_for =
      entry.kind == FatbinKind::Elf ? arch::find_arch(entry.sm, entry.letter()) : nullptr;
  const bool too_special =
      entry.letter() == 'a' && target.letter != 'a' && !release.accelerates_any_target;
  return made_for && !too_special && arch::can_link(*made_for, target, release.toolkit);
}

std::tuple<u32, bool, int> rank(const FatbinEntry &entry) {
  const char letter = entry.letter();
  return {entry.sm, entry.kind == FatbinKind::Elf, letter == 'a' ? 2 : letter == 'f' ? 1 : 0};
}

bool is_better(const FatbinEntry &entry, const FatbinEntry &best, const arch::ArchInfo &target) {
  if (rank(entry) != rank(best))
    return rank(entry) > rank(best);
  return entry.kind == FatbinKind::Ptx && entry.letter() == 0 && entry.sm == target.number;
}

} // namespace

const FatbinEntry *choose_member(std::span<const FatbinEntry> entries, const arch::ArchInfo &target,
                                 const Release &release) {
  const FatbinEntry *best = nullptr;
  for (const FatbinEntry &entry : entries)
    if (can_serve(entry, target, release) && (!best || is_better(entry, *best, target)))
      best = &entry;
  return best;
}

const FatbinEntry *choose_lto_member(std::span<const FatbinEntry> entries,
                                     const arch::ArchInfo &target) {
  const FatbinEntry *best = nullptr;
  for (const FatbinEntry &entry : entries)
    if (entry.kind == FatbinKind::Lto && entry.has(FatbinFlags::kIs64Bit) &&
        can_compile(entry, target) && (!best || rank(entry) > rank(*best)))
      best = &entry;
  return best;
}

namespace {

// `other`: the prefix of the number of code of an unknown form.
std::string target_text(const FatbinEntry &entry, std::string_view other) {
  const std::string_view kind = entry.kind == FatbinKind::Ptx   ? "compute_"
                                : entry.kind == FatbinKind::Lto ? "lto_"
                                : entry.kind == FatbinKind::Elf ? "sm_"
                                                                : other;
  const char letter = entry.letter();
  return fmt::format("{}{}{}", kind, entry.sm, std::string_view(&letter, letter == 0 ? 0 : 1));
}

} // namespace

std::string target_name(const FatbinEntry &entry) {
  return target_text(entry, "sm_");
}

std::string list_members(std::span<const FatbinEntry> entries) {
  std::string out;
  for (const FatbinEntry &entry : entries)
    out += fmt::format("{}{}{}", out.empty() ? "" : ", ", target_text(entry, "unknown code for "),
                       entry.has(FatbinFlags::kIs64Bit) ? "" : " (32 bits)");
  return out.empty() ? "nothing" : out;
}

// ---- Payloads
//
// A damaged size field must not make us allocate terabytes, so sizes are first checked against the
// largest output that the packed bytes can give. Both formats have such a bound: a zstd block of 4
// bytes gives 128 KiB at most, a byte of an LZ4 block 255 bytes. If a zstd size is far above the
// usual ratio, memory grows with the actual output.

namespace {

constexpr u64 kLargest = u64{1} << 32;
constexpr u64 kLz4PerByte = 255;
constexpr u64 kZstdPerByte = (128 << 10) / 4;
constexpr u64 kUsualPerByte = 32;
constexpr u64 kSlack = 128 << 10; // for small inputs, where the ratio is higher

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

// Memory for an unusual size is only allocated as the output reaches it.
Result<std::vector<u8>> unpack_zstd(ByteSpan packed, u64 size) {
  const unsigned long long frame = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (frame == ZSTD_CONTENTSIZE_ERROR)
    return failed("not a zstd frame");
  if (frame != ZSTD_CONTENTSIZE_UNKNOWN && frame != size)
    return wrong_size(frame, size);
  const std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream *)> stream(ZSTD_createDStream(),
                                                                         ZSTD_freeDStream);
  std::vector<u8> out(std::min(size + 1, packed.size() * kUsualPerByte + kSlack));
  ZSTD_inBuffer input{packed.data(), packed.size(), 0};
  u64 made = 0;
  for (size_t left = 1; left != 0;) {
    if (made == out.size()) // one byte beyond `size` detects an output that is too long
      out.resize(std::min(2 * made, size + 1));
    ZSTD_outBuffer output{out.data(), out.size(), made};
    left = ZSTD_decompressStream(stream.get(), &output, &input);
    if (ZSTD_isError(left))
      return failed(fmt::format("the zstd data is damaged ({})", ZSTD_getErrorName(left)));
    const bool stuck = output.pos == made && input.pos == input.size;
    made = output.pos;
    if (made > size || (stuck && left != 0))
      return wrong_size(made, size);
  }
  if (made != size)
    return wrong_size(made, size);
  if (input.pos != input.size)
    return failed("the zstd data is damaged (something follows it)");
  out.resize(size);
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
