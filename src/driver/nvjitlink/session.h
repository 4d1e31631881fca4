// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "culink/linker.h"
#include "driver/nvjitlink/abi.h"
#include "driver/nvjitlink/jit_options.h"
#include "support/types.h"

namespace culink::jit {

// The requested bytes, or a code for their absence.
struct Answer {
  Code code = Code::Success;
  ByteSpan bytes = {};
};

// A device object to link, with its name in messages.
struct Piece {
  std::string name;
  ByteSpan bytes;       // of the input, or
  std::vector<u8> made; // unpacked or compiled bytes
  [[nodiscard]] ByteSpan contents() const { return made.empty() ? bytes : ByteSpan(made); }
};

// The object of a handle: options, inputs, one link, its result and the logs. Every function
// returns the value for the client. One thread at a time may use a session; sessions share no data.
class Session {
public:
  explicit Session(const std::vector<std::string> &options);

  // Success if the options are valid.
  [[nodiscard]] Code created() const { return created_; }
  // Copies the bytes and reports their errors. After an error the session continues without the
  // input.
  [[nodiscard]] Code add_data(InputKind kind, const std::string &name, ByteSpan bytes);
  [[nodiscard]] Code add_file(InputKind kind, const std::string &path);
  // Links; callable once.
  [[nodiscard]] Code complete();

  // The results of the link. Texts and logs end with a zero, except empty ones: the client may have
  // allocated nothing for them.
  [[nodiscard]] Answer cubin();
  [[nodiscard]] Answer ptx();
  // The optimised program as LTO-IR, which NVIDIA's library makes on first use.
  [[nodiscard]] Answer ltoir();
  [[nodiscard]] Answer errors();
  [[nodiscard]] Answer infos();

private:
  [[nodiscard]] std::optional<Code> refuse_input(const std::string &name);
  [[nodiscard]] Code add(InputKind kind, const std::string &name, std::vector<u8> bytes);
  [[nodiscard]] LinkRequest make_request() const;
  [[nodiscard]] Code report(const LinkResult &result);
  [[nodiscard]] bool wants_lto() const { return options_.request.lto.enabled; }
  [[nodiscard]] std::vector<u8> make_ltoir() const;

  using Clock = std::chrono::steady_clock;

  Clock::time_point start_ = Clock::now();
  std::vector<std::string> words_; // the options as they were given
  JitOptions options_;
  Code created_ = Code::Success;
  bool completed_ = false;
  std::deque<std::vector<u8>> inputs_; // their bytes do not move
  std::vector<Piece> pieces_;
  std::set<std::pair<u64, u64>> archives_; // files that were added
  LinkResult result_;
  std::optional<std::vector<u8>> ltoir_;
  std::string errors_;
  std::string infos_;
};

} // namespace culink::jit
