// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which build of a compiler it is. Versions do not tell: only equal files are sure to give equal
// answers. They have up to 100 MB, so what was found is remembered for as long as the file's state
// is the same, by the caller.
//
// A file that was written a moment ago may be written again without a change of its times, because
// clocks of file systems are coarse. Such a state proves nothing yet.
#include "compilers/cache/program_identity.h"

#include <algorithm>
#include <ctime>
#include <sys/stat.h>
#include <vector>

#include "support/bytes.h"
#include "support/mapped_file.h"
#include "support/worker_pool.h"

namespace culink {

namespace {

constexpr i64 kNanoseconds = 1'000'000'000;

i64 in_nanoseconds(const timespec &time) {
  return static_cast<i64>(time.tv_sec) * kNanoseconds + time.tv_nsec;
}

// Of the digests of its pieces, which threads make at once: 100 MB take a moment only on all cores.
Digest digest_of_large(ByteSpan bytes) {
  constexpr u64 kPiece = u64{4} << 20;
  const u64 count = bytes.size() / kPiece + 1;
  std::vector<Digest> pieces(count);
  WorkerPool pool(count > 1 ? 0 : 1);
  pool.for_each(static_cast<u32>(count), [&](u32 i) {
    const u64 begin = i * kPiece;
    pieces[i] = digest_of(bytes.subspan(begin, std::min(kPiece, bytes.size() - begin)));
  });
  Hasher hasher;
  for (const Digest &piece : pieces)
    hasher.add(piece);
  return hasher.finish();
}

} // namespace

std::optional<FileState> state_of(const std::string &path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
    return std::nullopt;
  return FileState{info.st_dev, info.st_ino, static_cast<u64>(info.st_size),
                   in_nanoseconds(info.st_mtim), in_nanoseconds(info.st_ctim)};
}

std::optional<ProgramIdentity> identify_program(const std::string &path) {
  constexpr std::string_view kElf = "\x7f"
                                    "ELF";
  constexpr i64 kCoarse = 2 * kNanoseconds;
  const std::optional<FileState> before = state_of(path);
  const Result<MappedFile> file = MappedFile::open(path);
  if (!before || !file || !as_text(file->bytes()).starts_with(kElf))
    return std::nullopt;
  ProgramIdentity out{digest_of_large(file->bytes()), *before};
  file->drop_pages();
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  out.settled = in_nanoseconds(now) - before->changed > kCoarse;
  return state_of(path) == before ? std::optional(out) : std::nullopt;
}

} // namespace culink
