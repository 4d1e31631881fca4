// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "compilers/cache/digest.h"
#include "compilers/cache/folder.h"
#include "support/result.h"
#include "support/types.h"

namespace culink {

// The functions of libcurl that are used, and its numbers for options and answers, which its ABI
// guarantees. A unit test compares them with the installed header.
namespace curl {

inline constexpr int kUrl = 10002;
inline constexpr int kWriteData = 10001;
inline constexpr int kReadData = 10009;
inline constexpr int kUserAgent = 10018;
inline constexpr int kHeaders = 10023;
inline constexpr int kWriteFunction = 20011;
inline constexpr int kReadFunction = 20012;
inline constexpr int kUploadSize = 30115;
inline constexpr int kUpload = 46;
inline constexpr int kNetrc = 51;
inline constexpr int kNoSignal = 99;
inline constexpr int kTimeout = 155;        // milliseconds for the whole transfer
inline constexpr int kConnectTimeout = 156; // milliseconds for the connection
inline constexpr int kProtocols = 181;
inline constexpr int kResponseCode = 0x200002;

inline constexpr long kNetrcOptional = 1;
inline constexpr long kHttpAndHttps = 3;
inline constexpr long kInitAll = 3;
inline constexpr int kOk = 0;

struct Functions {
  int (*global_init)(long) = nullptr;
  void *(*init)() = nullptr;
  void (*reset)(void *) = nullptr;
  void (*cleanup)(void *) = nullptr;
  int (*setopt)(void *, int, ...) = nullptr;
  int (*perform)(void *) = nullptr;
  int (*getinfo)(void *, int, ...) = nullptr;
  const char *(*strerror)(int) = nullptr;
  void *(*slist_append)(void *, const char *) = nullptr;
  void (*slist_free)(void *) = nullptr;
};

// Loads the installed libcurl. The library stays loaded: it cannot be unloaded safely.
[[nodiscard]] Result<Functions> load();

} // namespace curl

// A server that keeps files under their digests: GET and PUT of URL/c/0123... A broken server costs
// at most a few seconds and one report; then it is not used again. Safe for concurrent use.
class RemoteStore {
public:
  // `most`: the largest size of an entry.
  RemoteStore(std::string url, bool read_only, u64 most);
  RemoteStore(const RemoteStore &) = delete;
  RemoteStore &operator=(const RemoteStore &) = delete;
  ~RemoteStore();

  struct Found {
    CompilerAnswer answer;
    std::vector<u8> entry; // the encoded entry of the answer
  };
  // Returns nullopt if the entry is missing or invalid, or if memory is short.
  [[nodiscard]] std::optional<Found> get(const Digest &key,
                                         const std::function<bool(const CompilerAnswer &)> &holds);
  // Returns true if the server accepted the file.
  bool put(const Digest &name, ByteSpan bytes);
  // Returns the first report, or "".
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
  std::atomic<i64> room_ = 0; // bytes that all transfers together may still hold
  std::atomic<bool> reads_ = true;
  std::atomic<bool> writes_;
  std::atomic<i64> wasted_ = 0; // milliseconds beyond the fair time for the useful bytes
  mutable std::mutex mutex_;    // protects all members below
  bool loaded_ = false;
  curl::Functions call_;
  void *headers_ = nullptr;
  std::vector<void *> idle_; // libcurl handles, each with its open connection
  std::string trouble_;
};

// Returns the URL without its password, for messages.
[[nodiscard]] std::string without_password(const std::string &url);

} // namespace culink
