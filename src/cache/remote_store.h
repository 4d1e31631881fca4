// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/types.h"
#include "cache/curl_library.h"
#include "cache/digest.h"

namespace culink {

// A server that keeps files under their digests: GET and PUT of URL/c/0123... Whatever it does, it
// costs a few seconds and one report at most: then it is not asked again. For any number of
// threads at once.
class RemoteStore {
public:
  RemoteStore(std::string url, bool read_only);
  RemoteStore(const RemoteStore &) = delete;
  RemoteStore &operator=(const RemoteStore &) = delete;
  ~RemoteStore();

  // Nothing: it has no such file, or none that is at most that large.
  [[nodiscard]] std::optional<std::vector<u8>> get(const Digest &name, u64 most);
  // Whether it was taken.
  bool put(const Digest &name, ByteSpan bytes);
  // What it gave was not what it should have been.
  void report(const std::string &what);
  // The first report, or nothing.
  [[nodiscard]] std::string trouble() const;

private:
  struct Transfer;
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] bool load();
  [[nodiscard]] void *take_handle();
  [[nodiscard]] long run(void *handle, Transfer &transfer, const Digest &name);
  void spend(Clock::duration time);
  void give_up(const std::string &what);

  const std::string url_;
  std::atomic<bool> reads_ = true;
  std::atomic<bool> writes_;
  std::atomic<i64> wasted_ = 0; // milliseconds spent without being spared any work
  mutable std::mutex mutex_;    // for all below
  bool loaded_ = false;
  curl::Functions call_;
  void *headers_ = nullptr;
  std::vector<void *> idle_; // handles, each with its connection
  std::string trouble_;
};

// A URL for messages: without a password.
[[nodiscard]] std::string without_password(const std::string &url);

} // namespace culink
