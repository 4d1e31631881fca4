// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lookup asks the folder, then the shared store, and copies an answer of the store to the folder.
// The key is the digest of everything that determines the answer: its kind, the contents of the
// programs, the words of the command line, the inputs, and the environment variables that NVIDIA's
// compilers may read. If anything else could affect the answer, there is no key and nothing is
// cached.
//
// What may surprise: the digest of a program is also a cache entry. Its key is the path and the
// state of the file, so it is valid on this machine only and is not shared.
#include "compilers/cache/cache.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "compilers/cache/folder.h"
#include "support/bytes.h"
#include "support/mapped_file.h"
#include "support/process.h"

namespace culink {

namespace {

// Changes whenever answers are made or used differently.
constexpr std::string_view kFormat = "culink cache 1";
constexpr std::string_view kIdentity = "identity";

// Prefixes of variable names. It is not documented whether the compilers read them.
constexpr std::array<std::string_view, 7> kVariables = {
    "LD_PRELOAD=", "NVCC_", "NVJITLINK_", "NVLINK_", "NVVMIR_", "NVVM_", "PTXAS_"};

// Hashes each part after its length, so that two different lists of parts have different bytes.
class KeyHasher {
public:
  void add(u64 number) {
    std::array<u8, sizeof number> bytes;
    store_le(bytes.data(), number);
    hasher_.add(bytes);
  }
  void add(ByteSpan bytes) {
    add(bytes.size());
    hasher_.add(bytes);
  }
  void add(std::string_view text) { add(as_bytes(text)); }
  [[nodiscard]] Digest finish() { return hasher_.finish(); }

private:
  Hasher hasher_;
};

std::string environment_of_compilers() {
  std::vector<std::string> found;
  ChildEnvironment environment;
  for (char **variable = environment.data(); *variable; ++variable)
    for (const std::string_view name : kVariables)
      if (std::string_view(*variable).starts_with(name) && *variable != std::string("LD_PRELOAD="))
        found.emplace_back(*variable);
  std::sort(found.begin(), found.end());
  std::string out;
  for (const std::string &variable : found)
    out += variable + '\n';
  return out;
}

// True if the word may name a file that affects the answer.
bool may_name_file(const std::string &word) {
  return word.find('/') != std::string::npos || word.starts_with('@') ||
         word.find("options-file") != std::string::npos ||
         word.find("-optf") != std::string::npos || word == "-o" ||
         word.find("output-file") != std::string::npos;
}

// True for options such as "-split-compile=0", which depend on the number of cores.
bool counts_cores(const std::string &word) {
  return word.find("split-compile") != std::string::npos;
}

Digest key_of_state(const std::string &path, const FileState &state) {
  KeyHasher hasher;
  hasher.add(kFormat);
  hasher.add(kIdentity);
  hasher.add(path);
  for (const u64 number : {state.device, state.number, state.size, static_cast<u64>(state.written),
                           static_cast<u64>(state.changed)})
    hasher.add(number);
  return hasher.finish();
}

} // namespace

Cache::Cache(CacheOptions options)
    : options_(std::move(options)),
      environment_(options_.empty() ? "" : environment_of_compilers()) {
  if (!options_.remote.empty())
    remote_.emplace(options_.remote, options_.remote_read_only, options_.size / kCacheShards);
}

void Cache::note_trouble(std::string &place, const std::string &what) {
  const std::lock_guard lock(mutex_);
  if (place.empty())
    place = what;
}

const CacheFolder *Cache::folder() {
  std::call_once(opened_, [this] {
    if (options_.folder.empty())
      return;
    Result<CacheFolder> opened = CacheFolder::open(options_.folder, options_.size);
    if (opened)
      folder_.emplace(std::move(*opened));
    else if (!options_.folder_is_guess || ::access(options_.folder.c_str(), F_OK) == 0)
      note_trouble(folder_trouble_, options_.folder + ": " + opened.error().text());
  });
  return folder_ ? &*folder_ : nullptr;
}

std::optional<CompilerAnswer> Cache::find_local(const Digest &key) {
  const CacheFolder *place = folder();
  const std::optional<std::vector<u8>> entry = place ? place->read(key) : std::nullopt;
  if (!entry)
    return std::nullopt;
  std::optional<CompilerAnswer> answer = decode_entry(key, *entry);
  if (!answer)
    place->remove(key);
  return answer;
}

void Cache::keep_local(const Digest &key, ByteSpan entry) {
  const CacheFolder *place = folder();
  if (!place || !writes_)
    return;
  const Result<bool> written = place->write(key, entry);
  if (written) {
    stored_ += *written ? 1 : 0;
    return;
  }
  writes_ = false;
  note_trouble(write_trouble_, options_.folder + ": " + written.error().text());
}

std::optional<ProgramIdentity> Cache::identify_once(const std::string &path) {
  const std::optional<FileState> state = state_of(path);
  if (!state)
    return std::nullopt;
  const Digest key = key_of_state(path, *state);
  if (const std::optional<CompilerAnswer> known = find_local(key);
      known && known->image.size() == sizeof(Digest)) {
    ProgramIdentity out{{}, *state, true};
    std::copy(known->image.begin(), known->image.end(), out.contents.begin());
    return out;
  }
  std::optional<ProgramIdentity> found = identify_program(path);
  if (found && found->settled && found->state == *state)
    if (const CacheFolder *place = folder(); place && writes_) {
      // If this fails, the file is read again next time.
      [[maybe_unused]] const Result<bool> written =
          place->write(key, encode_entry(key, found->contents, {}));
    }
  return found;
}

// The first thread identifies a program; other threads wait for its result.
std::optional<ProgramIdentity> Cache::identify(const std::string &path) {
  const std::lock_guard lock(identities_mutex_);
  const auto [at, is_new] = identities_.try_emplace(path);
  if (is_new)
    at->second = identify_once(path);
  return at->second;
}

std::optional<CacheKey> Cache::key_of(const CacheQuestion &question) {
  if (options_.empty() || std::any_of(question.words.begin(), question.words.end(), may_name_file))
    return std::nullopt;
  if (!folder() && !remote_)
    return std::nullopt;
  CacheKey out;
  KeyHasher hasher;
  hasher.add(kFormat);
  hasher.add(question.kind);
  hasher.add(environment_);
  hasher.add(question.programs.size());
  for (const std::string &path : question.programs) {
    const std::optional<ProgramIdentity> program = path.empty() ? std::nullopt : identify(path);
    if (!program && !path.empty())
      return std::nullopt;
    hasher.add(program ? ByteSpan(program->contents) : ByteSpan());
    if (program)
      out.programs_.emplace_back(path, program->state);
  }
  const bool by_cores = std::any_of(question.words.begin(), question.words.end(), counts_cores);
  hasher.add(by_cores ? u64{std::thread::hardware_concurrency()} : 0);
  hasher.add(question.words.size());
  for (const std::string &word : question.words)
    hasher.add(word);
  hasher.add(question.contents.size());
  for (const ByteSpan bytes : question.contents)
    hasher.add(bytes);
  out.digest_ = hasher.finish();
  return out;
}

std::optional<CompilerAnswer>
Cache::find(const CacheKey &key, const std::function<bool(const CompilerAnswer &)> &holds) {
  const auto refuse = [&](const std::string &where) {
    note_trouble(entry_trouble_, where + ": entry " + to_hex(key.digest_) +
                                     " is not what it should be; it is made again");
  };
  if (std::optional<CompilerAnswer> answer = find_local(key.digest_)) {
    if (holds(*answer)) {
      ++local_hits_;
      return answer;
    }
    folder()->remove(key.digest_);
    refuse(options_.folder);
  }
  if (std::optional<RemoteStore::Found> found =
          remote_ ? remote_->get(key.digest_, holds) : std::nullopt) {
    ++remote_hits_;
    keep_local(key.digest_, found->entry);
    return std::move(found->answer);
  }
  ++misses_;
  return std::nullopt;
}

void Cache::keep(const CacheKey &key, ByteSpan image, std::string_view text) {
  for (const auto &[path, state] : key.programs_)
    if (state_of(path) != state) // the program may have been replaced while it ran
      return;
  const std::vector<u8> entry = encode_entry(key.digest_, image, text);
  keep_local(key.digest_, entry);
  if (remote_)
    remote_->put(key.digest_, entry);
}

Result<CompilerAnswer> answer_once(Cache *cache, const CacheQuestion &question,
                                   const std::function<bool(const CompilerAnswer &)> &is_sound,
                                   const std::function<Result<CompilerAnswer>()> &ask) {
  const std::optional<CacheKey> key = cache ? cache->key_of(question) : std::nullopt;
  if (key)
    if (std::optional<CompilerAnswer> known = cache->find(*key, is_sound))
      return std::move(*known);
  Result<CompilerAnswer> out = ask();
  if (key && out && out->status == 0 && is_sound(*out))
    cache->keep(*key, out->image, out->text);
  return out;
}

CacheUse Cache::use() const {
  return {!options_.empty(), local_hits_, remote_hits_, misses_, stored_};
}

std::vector<std::string> Cache::troubles() const {
  std::vector<std::string> out;
  const std::string remote = remote_ ? remote_->trouble() : "";
  const std::lock_guard lock(mutex_);
  for (const std::string &text : {folder_trouble_, write_trouble_, entry_trouble_, remote})
    if (!text.empty())
      out.push_back(text);
  return out;
}

// ---- Programs
//
// Identifies the build of a compiler. Versions are not sufficient: only equal files are sure to
// give equal answers. The files have up to 100 MB, so the caller remembers the digest for as long
// as the state of the file is the same.
//
// File systems have coarse clocks: a file that was written a moment ago may be written again
// without a change of its times. Such a state is not settled and is not trusted.

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
