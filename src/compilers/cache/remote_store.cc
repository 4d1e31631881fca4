// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shared store. Its entries are files, and the server only needs GET and PUT, as for the remote
// caches of ccache and Bazel. A server that is down, slow, full or broken must not delay a link.
// Connections and transfers have short deadlines. The time that transfers take beyond a fair time
// for their bytes is added up and limited. After the first failure of a kind, the store is not used
// in that way again. A transfer ends early if it does not begin with the header of an entry. Memory
// is allocated for the size in that header, from a small part of the available memory.
//
// What may surprise: redirections are not followed, and a status other than 404 is a failure. Both
// suggest a server that is not such a store, for instance a login page.
#include "compilers/cache/remote_store.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>
#ifndef CULINK_STATIC_PROGRAM
#include <dlfcn.h>
#endif

#include "support/bytes.h"

namespace culink {

namespace {

constexpr long kMillisecondsToConnect = 1000;
constexpr long kMillisecondsToTransfer = 5000;
constexpr u64 kBytesPerMillisecond = 1000; // each transfer may take additional time for its bytes
constexpr i64 kMostWasted = 10'000;        // milliseconds, then the store is given up
constexpr u64 kMostOfOther = 1 << 16;      // bytes read of other answers

constexpr long kFound = 200;
constexpr long kNotFound = 404;
constexpr long kGone = 410;
constexpr long kNoAnswer = -1;

bool is_success(long status) {
  return status >= 200 && status < 300;
}

// The fair time for that many bytes, in milliseconds.
i64 time_of(u64 bytes) {
  constexpr u64 kSoonEnough = 50; // milliseconds for small transfers
  return static_cast<i64>(kSoonEnough + bytes / kBytesPerMillisecond);
}

// The bytes that the process may allocate: physical memory, or a lower limit of the process.
u64 limit_of_memory() {
  u64 out = static_cast<u64>(::sysconf(_SC_PHYS_PAGES)) * static_cast<u64>(::sysconf(_SC_PAGESIZE));
  for (const auto resource : {RLIMIT_DATA, RLIMIT_AS})
    if (rlimit limit{}; ::getrlimit(resource, &limit) == 0)
      out = std::min<u64>(out, limit.rlim_cur); // RLIM_INFINITY is the largest number
  return out;
}

i64 milliseconds_since(std::chrono::steady_clock::time_point begin) {
  const auto time = std::chrono::steady_clock::now() - begin;
  return std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
}

} // namespace

std::string without_password(const std::string &url) {
  const size_t colon = std::min(url.find_first_of(":@/"), url.size());
  const bool has_scheme = url.substr(colon, 2) == ":/"; // a mistyped URL may have a single slash
  const size_t host = has_scheme ? std::min(url.find_first_not_of('/', colon + 1), url.size()) : 0;
  const size_t path = std::min(url.find('/', host), url.size());
  const size_t at = url.rfind('@', path);
  return at == std::string::npos || at < host ? url : url.substr(0, host) + url.substr(at + 1);
}

// One transfer: an answer that is received or a file that is sent.
struct RemoteStore::Transfer {
  const Digest &key;
  u64 most;               // largest size of an entry
  std::atomic<i64> &room; // the bytes that all transfers may still hold
  bool sends = false;
  ByteSpan rest;            // the bytes that are not sent yet
  std::vector<u8> received; // an entry, or the beginning of another answer
  u64 size = 0;             // size of the entry; 0 if unknown, or if it is not an entry
  u64 dropped = 0;          // bytes of an answer that is not an entry
  i64 held = 0;             // the part of `room` that this transfer holds
  bool too_large = false;
  bool no_memory = false;

  // Takes received bytes. Returns false to end the transfer.
  bool take(ByteSpan bytes) {
    if (received.size() < kEntryHeader) {
      const ByteSpan part =
          bytes.first(std::min<u64>(bytes.size(), kEntryHeader - received.size()));
      received.insert(received.end(), part.begin(), part.end());
      bytes = bytes.subspan(part.size());
      if (received.size() == kEntryHeader) {
        size = sends ? 0 : entry_size(key, received).value_or(0);
        if (size != 0 && !prepare())
          return false;
      }
    }
    if (size == 0)
      dropped += bytes.size();
    too_large = size == 0 ? dropped > kMostOfOther : bytes.size() > size - received.size();
    if (size != 0 && !too_large)
      received.insert(received.end(), bytes.begin(), bytes.end());
    return !too_large;
  }
  bool prepare() {
    too_large = size > most;
    if (too_large)
      return false;
    held = static_cast<i64>(size);
    no_memory = (room -= held) < 0;
    try {
      if (!no_memory)
        received.reserve(size);
    } catch (const std::bad_alloc &) { // an exception must not pass through libcurl
      no_memory = true;
    }
    return !no_memory;
  }
  [[nodiscard]] bool was_ended() const { return too_large || no_memory; }

  static size_t receive(char *bytes, size_t one, size_t count, void *self) {
    const size_t size = one * count;
    const bool goes_on = static_cast<Transfer *>(self)->take(as_bytes({bytes, size}));
    return goes_on ? size : 0;
  }
  static size_t send(char *bytes, size_t one, size_t count, void *self) {
    auto &transfer = *static_cast<Transfer *>(self);
    const size_t size = std::min<u64>(one * count, transfer.rest.size());
    if (size != 0)
      std::memcpy(bytes, transfer.rest.data(), size);
    transfer.rest = transfer.rest.subspan(size);
    return size;
  }
};

RemoteStore::RemoteStore(std::string url, bool read_only, u64 most)
    : url_(url.ends_with('/') ? std::move(url) : url + "/"), most_(most), writes_(!read_only) {}

RemoteStore::~RemoteStore() {
  for (void *handle : idle_)
    call_.cleanup(handle);
  if (headers_)
    call_.slist_free(headers_);
}

void RemoteStore::report(const std::string &what) {
  const std::lock_guard lock(mutex_);
  if (trouble_.empty())
    trouble_ = without_password(url_) + ": " + what;
}

std::string RemoteStore::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

void RemoteStore::give_up(const std::string &what) {
  reads_ = false;
  writes_ = false;
  report(what + "; it is not asked again");
}

void RemoteStore::spend(i64 milliseconds) {
  wasted_ += std::max<i64>(milliseconds, 0);
  if (wasted_ > kMostWasted && reads_)
    give_up("too slow");
}

// Loads libcurl, once. Returns false if that is not possible.
bool RemoteStore::load() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(loaded_, true))
    return call_.init != nullptr;
  const Result<curl::Functions> functions = curl::load();
  if (!functions) {
    reads_ = writes_ = false;
    trouble_ = without_password(url_) + ": " + functions.error().text();
    return false;
  }
  call_ = *functions;
  room_ = static_cast<i64>(std::min(most_, limit_of_memory() / 16));
  // Without this, libcurl waits for a permission to send, which some servers never give.
  headers_ = call_.slist_append(nullptr, "Expect:");
  return true;
}

void *RemoteStore::take_handle() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty())
    return call_.init();
  void *out = idle_.back();
  idle_.pop_back();
  call_.reset(out); // keeps the connection
  return out;
}

// Runs a transfer and returns the HTTP status; kNoAnswer if there is none.
long RemoteStore::run(void *handle, Transfer &transfer) {
  const std::string digits = to_hex(transfer.key);
  const std::string url = url_ + digits.substr(0, 1) + "/" + digits.substr(1);
  const i64 time = kMillisecondsToTransfer + time_of(transfer.rest.size());
  call_.setopt(handle, curl::kUrl, url.c_str());
  call_.setopt(handle, curl::kUserAgent, "culink/" CULINK_VERSION);
  call_.setopt(handle, curl::kNoSignal, 1L);
  call_.setopt(handle, curl::kProtocols, curl::kHttpAndHttps);
  call_.setopt(handle, curl::kNetrc, curl::kNetrcOptional);
  call_.setopt(handle, curl::kConnectTimeout, kMillisecondsToConnect);
  call_.setopt(handle, curl::kTimeout, std::clamp<long>(kMostWasted - wasted_, 1, time));
  call_.setopt(handle, curl::kWriteFunction, &Transfer::receive);
  call_.setopt(handle, curl::kWriteData, static_cast<void *>(&transfer));
  call_.setopt(handle, curl::kHeaders, headers_);
  if (transfer.sends) {
    call_.setopt(handle, curl::kUpload, 1L);
    call_.setopt(handle, curl::kUploadSize, static_cast<i64>(transfer.rest.size()));
    call_.setopt(handle, curl::kReadFunction, &Transfer::send);
    call_.setopt(handle, curl::kReadData, static_cast<void *>(&transfer));
  }
  const int code = call_.perform(handle);
  long status = 0;
  call_.getinfo(handle, curl::kResponseCode, &status);
  if (code != curl::kOk) {
    call_.cleanup(handle);
    if (transfer.was_ended())
      return status;
    give_up(call_.strerror(code));
    return kNoAnswer;
  }
  const std::lock_guard lock(mutex_);
  idle_.push_back(handle);
  return status;
}

std::optional<RemoteStore::Found>
RemoteStore::get(const Digest &key, const std::function<bool(const CompilerAnswer &)> &holds) {
  void *handle = reads_ && load() ? take_handle() : nullptr;
  if (!handle)
    return std::nullopt;
  const Clock::time_point begin = Clock::now();
  Transfer transfer{.key = key, .most = most_, .room = room_};
  const long status = run(handle, transfer);
  const i64 time = milliseconds_since(begin);
  std::optional<CompilerAnswer> answer;
  if (status == kFound && !transfer.was_ended())
    answer = decode_entry(key, transfer.received);
  if (answer && !holds(*answer))
    answer.reset();
  room_ += transfer.held;
  spend(time - (answer ? time_of(transfer.received.size()) : 0));
  if (answer)
    return Found{std::move(*answer), std::move(transfer.received)};
  if (transfer.too_large)
    report("sent more than an entry can have");
  else if (status == kFound && !transfer.no_memory)
    report("sent a damaged entry");
  else if (status != kFound && status != kNoAnswer && status != kNotFound && status != kGone)
    give_up("answered with status " + std::to_string(status));
  return std::nullopt;
}

bool RemoteStore::put(const Digest &name, ByteSpan bytes) {
  void *handle = writes_ && bytes.size() <= most_ && load() ? take_handle() : nullptr;
  if (!handle)
    return false;
  const Clock::time_point begin = Clock::now();
  Transfer transfer{.key = name, .most = 0, .room = room_, .sends = true, .rest = bytes};
  const long status = run(handle, transfer);
  spend(milliseconds_since(begin));
  if (is_success(status))
    return true;
  // The store may be full or read-only.
  writes_ = false;
  if (status != kNoAnswer)
    report("did not take an entry (status " + std::to_string(status) +
           "); nothing more is sent to it");
  return false;
}

// ---- libcurl
//
// libcurl is loaded at run time, because only links with a shared store need it and it loads thirty
// other libraries. So the programs do not depend on it; if it is missing, the link runs without the
// store. Distributions have it under one of two names.

namespace curl {

#ifdef CULINK_STATIC_PROGRAM

Result<Functions> load() {
  return Error{"", "", "a statically linked program cannot load libcurl"};
}

#else

namespace {

constexpr std::array<const char *, 2> kNames = {"libcurl.so.4", "libcurl-gnutls.so.4"};

template <typename Function> bool look_up(void *library, const char *name, Function &out) {
  out = reinterpret_cast<Function>(::dlsym(library, name));
  return out != nullptr;
}

} // namespace

Result<Functions> load() {
  void *library = nullptr;
  for (const char *name : kNames)
    if (!library)
      library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return Error{"", "", "libcurl (libcurl.so.4) is not installed"};
  Functions out;
  const bool complete = look_up(library, "curl_global_init", out.global_init) &&
                        look_up(library, "curl_easy_init", out.init) &&
                        look_up(library, "curl_easy_reset", out.reset) &&
                        look_up(library, "curl_easy_cleanup", out.cleanup) &&
                        look_up(library, "curl_easy_setopt", out.setopt) &&
                        look_up(library, "curl_easy_perform", out.perform) &&
                        look_up(library, "curl_easy_getinfo", out.getinfo) &&
                        look_up(library, "curl_easy_strerror", out.strerror) &&
                        look_up(library, "curl_slist_append", out.slist_append) &&
                        look_up(library, "curl_slist_free_all", out.slist_free);
  if (!complete || out.global_init(kInitAll) != kOk)
    return Error{"", "", "libcurl cannot be used"};
  return out;
}

#endif

} // namespace curl

} // namespace culink
