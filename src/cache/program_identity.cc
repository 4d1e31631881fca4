// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which build of a compiler it is. Versions do not tell: only equal files are sure to give equal
// answers. They have up to 100 MB, so what was found is remembered for as long as the file's state
// is the same, by the caller.
//
// A file that was written a moment ago may be written again without a change of its times, because
// clocks of file systems are coarse. Such a state proves nothing yet.
#include "cache/program_identity.h"

#include <ctime>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/mapped_file.h"

namespace culink {

namespace {

constexpr i64 kNanoseconds = 1'000'000'000;

i64 in_nanoseconds(const timespec &time) {
  return static_cast<i64>(time.tv_sec) * kNanoseconds + time.tv_nsec;
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
  ProgramIdentity out{digest_of(file->bytes()), *before};
  file->drop_pages();
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  out.settled = in_nanoseconds(now) - before->changed > kCoarse;
  return state_of(path) == before ? std::optional(out) : std::nullopt;
}

} // namespace culink
