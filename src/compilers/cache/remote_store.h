// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "compilers/cache/curl_library.h"
#include "compilers/cache/digest.h"
#include "compilers/cache/entry.h"
#include "support/types.h"

namespace culink {

// A server that keeps files under their digests: GET and PUT of URL/c/0123... Whatever it does, it
// costs a few seconds and one report at most: then it is not asked again. For any number of
// threads at once.
class RemoteStore {
public:
  // No entry is larger than `most`.
  RemoteStore(std::string url, bool read_only, u64 most);
  RemoteStore(const RemoteStore &) = delete;
  RemoteStore &operator=(const RemoteStore &) = delete;
  ~RemoteStore();

  struct Found {
    CachedAnswer answer;
    std::vector<u8> entry; // of which it is made
  };
  // Empty if the entry is missing or invalid, or if memory is short.
  [[nodiscard]] std::optional<Found> get(const Digest &key,
                                         const std::function<bool(const CachedAnswer &)> &holds);
  // Whether it was taken.
  bool put(const Digest &name, ByteSpan bytes);
  // The first report, or nothing.
  [[nodiscard]] std::string trouble() const;

private:
  struct Transfer;
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] bool load();
  [[nodiscard]] void *take_handle();
  [[nodiscard]] long run(void *handle, Transfer &transfer);
  void spend(i64 milliseconds);
  void give_up(const std::string &what);
  void report(const std::string &what);

  const std::string url_;
  const u64 most_;
  std::atomic<i64> room_ = 0; // bytes that transfers may still hold, all together
  std::atomic<bool> reads_ = true;
  std::atomic<bool> writes_;
  std::atomic<i64> wasted_ = 0; // milliseconds spent, but for those that bytes of use may take
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
