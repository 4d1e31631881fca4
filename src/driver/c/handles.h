// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the handles of culink.h are. Each begins with a number of its kind, so that one that is
// given for another is noticed; languages without types for pointers mix them up easily.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "culink.h"
#include "culink/cubin_reader.h"
#include "culink/linker.h"
#include "driver/options/command_line.h"

namespace culink::capi {

enum class HandleKind : u64 {
  Link = 0x6b6e696c5f6c7563,
  Result = 0x7365725f6b6e696c,
  Message = 0x67736d5f6b6e696c,
  Cubin = 0x6e696275635f6c63,
};

// In the order of their names in tools.cc.
enum class Tool : u8 { Ptxas, NvJitLink, Nvlink, Culink, Count_ };
inline constexpr size_t kToolCount = static_cast<size_t>(Tool::Count_);

// An input as it was added. A copy is what `bytes` points to.
struct AddedInput {
  std::string name;
  std::optional<ByteSpan> bytes; // nothing: a file
  std::vector<u8> copy;
};

// Which messages the log has, and how.
struct LogStyle {
  MessageStyle text;
  bool hides_warnings = false;
  bool hides_infos = false;
};

// Text for C structures: each ends with a zero and stays where it is.
class TextStore {
public:
  const char *keep(std::string_view text) { return kept_.emplace_back(text).c_str(); }

private:
  std::deque<std::string> kept_;
};

// Rows of one kind that are made when they are first asked for.
template <typename Row> struct RowList {
  std::mutex mutex;
  bool made = false;
  std::vector<Row> rows;
  TextStore text;
};

} // namespace culink::capi

struct culink_link {
  static constexpr culink::capi::HandleKind kKind = culink::capi::HandleKind::Link;
  culink::capi::HandleKind kind = kKind;
  std::atomic<bool> busy = false; // somebody is in a function that changes or runs it
  std::vector<std::string> words;
  std::deque<culink::capi::AddedInput> inputs;
  std::vector<std::string> libraries;
  std::vector<std::string> library_paths;
  std::array<std::optional<std::string>, culink::capi::kToolCount> tools;
  culink_progress callback = nullptr;
  void *user = nullptr;
  std::mutex callback_mutex;
  culink::LinkProgress progress; // of the run; a request to cancel the next one waits here
  std::string error;
};

struct culink_message {
  static constexpr culink::capi::HandleKind kKind = culink::capi::HandleKind::Message;
  culink::capi::HandleKind kind = kKind;
  culink::Message message;
};

struct culink_result {
  static constexpr culink::capi::HandleKind kKind = culink::capi::HandleKind::Result;
  culink::capi::HandleKind kind = kKind;
  culink_status status = CULINK_OK;
  culink::ByteBuffer bytes;
  std::string ptx;
  std::vector<culink::LinkedModule> modules;
  std::vector<culink_message> messages;
  culink::capi::LogStyle style;
  std::mutex log_mutex;
  std::array<std::optional<std::string>, 3> logs; // by culink_format, as far as asked for
};

struct culink_cubin {
  static constexpr culink::capi::HandleKind kKind = culink::capi::HandleKind::Cubin;
  culink::capi::HandleKind kind = kKind;
  std::string error;
  std::optional<culink::CubinReader> reader; // nothing: it could not be opened
  culink::capi::RowList<culink_cubin_info> info;
  culink::capi::RowList<culink_section> sections;
  culink::capi::RowList<culink_symbol> symbols;
  culink::capi::RowList<culink_relocation> relocations;
  culink::capi::RowList<culink_function> functions;
  culink::capi::RowList<culink_attribute> attributes;
  culink::capi::RowList<std::vector<culink_value>> values; // by attribute
  culink::capi::RowList<culink_tool> tools;
};
