// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shared store. Its entries are files, and all that it has to know are GET and PUT, as for the
// remote caches of ccache and Bazel. A server that is gone, slow, full or confused must not cost a
// link: connections and transfers have short deadlines, the time spent in vain is summed up, and
// after the first failure of its kind nothing more is asked or sent.
//
// What may surprise: redirections are not followed, and a status other than 404 is a failure. Both
// are signs of something that is no such store, a page to log in for instance.
#include "cache/remote_store.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace culink {

namespace {

constexpr long kMillisecondsToConnect = 1000;
constexpr long kMillisecondsToTransfer = 5000;
constexpr u64 kBytesPerMillisecond = 1000; // what is sent may take that long in addition
constexpr i64 kMostWasted = 10'000;        // milliseconds

constexpr long kFound = 200;
constexpr long kNotFound = 404;
constexpr long kGone = 410;
constexpr long kNoAnswer = -1;

bool is_success(long status) {
  return status >= 200 && status < 300;
}

} // namespace

std::string without_password(const std::string &url) {
  const size_t host = url.find("://");
  if (host == std::string::npos)
    return url;
  const size_t path = std::min(url.find('/', host + 3), url.size());
  const size_t at = url.rfind('@', path);
  return at == std::string::npos || at < host ? url : url.substr(0, host + 3) + url.substr(at + 1);
}

// One answer or one file to send.
struct RemoteStore::Transfer {
  bool sends = false;
  ByteSpan rest;            // to send
  std::vector<u8> received; // at most `most` bytes
  u64 most = 0;
  bool too_large = false;

  static size_t receive(char *bytes, size_t one, size_t count, void *self) {
    auto &transfer = *static_cast<Transfer *>(self);
    const size_t size = one * count;
    if (transfer.received.size() + size > transfer.most) {
      transfer.too_large = true;
      return 0; // which ends it
    }
    transfer.received.insert(transfer.received.end(), bytes, bytes + size);
    return size;
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

RemoteStore::RemoteStore(std::string url, bool read_only)
    : url_(url.ends_with('/') ? std::move(url) : url + "/"), writes_(!read_only) {}

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

void RemoteStore::spend(Clock::duration time) {
  wasted_ += std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
  if (wasted_ > kMostWasted && reads_)
    give_up("too slow");
}

// Once; false: there is no library to ask with.
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
  // Else it waits for leave to send, which not every server gives.
  headers_ = call_.slist_append(nullptr, "Expect:");
  return true;
}

void *RemoteStore::take_handle() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty())
    return call_.init();
  void *out = idle_.back();
  idle_.pop_back();
  call_.reset(out); // but for its connection
  return out;
}

// The status of the answer; kNoAnswer: there is none.
long RemoteStore::run(void *handle, Transfer &transfer, const Digest &name) {
  const std::string digits = to_hex(name);
  const std::string url = url_ + digits.substr(0, 1) + "/" + digits.substr(1);
  const long extra = static_cast<long>(transfer.rest.size() / kBytesPerMillisecond);
  call_.setopt(handle, curl::kUrl, url.c_str());
  call_.setopt(handle, curl::kUserAgent, "culink/" CULINK_VERSION);
  call_.setopt(handle, curl::kNoSignal, 1L);
  call_.setopt(handle, curl::kProtocols, curl::kHttpAndHttps);
  call_.setopt(handle, curl::kNetrc, curl::kNetrcOptional);
  call_.setopt(handle, curl::kConnectTimeout, kMillisecondsToConnect);
  call_.setopt(handle, curl::kTimeout, kMillisecondsToTransfer + extra);
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
  if (code != curl::kOk) {
    call_.cleanup(handle);
    if (!transfer.too_large)
      give_up(call_.strerror(code));
    return kNoAnswer;
  }
  long status = 0;
  call_.getinfo(handle, curl::kResponseCode, &status);
  const std::lock_guard lock(mutex_);
  idle_.push_back(handle);
  return status;
}

std::optional<std::vector<u8>> RemoteStore::get(const Digest &name, u64 most) {
  void *handle = reads_ && load() ? take_handle() : nullptr;
  if (!handle)
    return std::nullopt;
  const Clock::time_point begin = Clock::now();
  Transfer transfer{.most = most};
  const long status = run(handle, transfer, name);
  if (status == kFound)
    return std::move(transfer.received);
  spend(Clock::now() - begin);
  if (transfer.too_large)
    report("sent more than an entry can have");
  else if (status != kNoAnswer && status != kNotFound && status != kGone)
    give_up("answered with status " + std::to_string(status));
  return std::nullopt;
}

bool RemoteStore::put(const Digest &name, ByteSpan bytes) {
  constexpr u64 kMostOfAnswer = 1 << 16;
  void *handle = writes_ && load() ? take_handle() : nullptr;
  if (!handle)
    return false;
  const Clock::time_point begin = Clock::now();
  Transfer transfer{.sends = true, .rest = bytes, .most = kMostOfAnswer};
  const long status = run(handle, transfer, name);
  spend(Clock::now() - begin);
  if (is_success(status))
    return true;
  // It may be full, or only for reading.
  writes_ = false;
  if (status != kNoAnswer)
    report("did not take an entry (status " + std::to_string(status) +
           "); nothing more is sent to it");
  return false;
}

} // namespace culink
