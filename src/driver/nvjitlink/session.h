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

// Bytes that a client asks for, or the code that says why there are none.
struct Answer {
  Code code = Code::Success;
  ByteSpan bytes = {};
};

// A device object to link, by the name that messages use.
struct Piece {
  std::string name;
  ByteSpan bytes;       // of the input, or
  std::vector<u8> made; // what was unpacked or compiled
  [[nodiscard]] ByteSpan contents() const { return made.empty() ? bytes : ByteSpan(made); }
};

// What is behind a handle: options, inputs, one link, its result and the logs. Every function
// returns what the client gets. Of one session, one thread at a time; sessions share nothing.
class Session {
public:
  explicit Session(const std::vector<std::string> &options);

  // Whether the options are right.
  [[nodiscard]] Code created() const { return created_; }
  // The bytes are copied; what is wrong with them shows here. After an error the session goes on
  // without the input.
  [[nodiscard]] Code add_data(InputKind kind, const std::string &name, ByteSpan bytes);
  [[nodiscard]] Code add_file(InputKind kind, const std::string &path);
  // Links, once.
  [[nodiscard]] Code complete();

  // What the link has made. Texts and logs have an end, unless they are empty: the client may have
  // no room for one.
  [[nodiscard]] Answer cubin();
  [[nodiscard]] Answer ptx();
  // The optimised program as LTO-IR, which NVIDIA's library makes when it is first asked for.
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
