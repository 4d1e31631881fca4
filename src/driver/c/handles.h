// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structures of the handles of culink.h. Each begins with a magic number of its kind, so that a
// handle of the wrong kind is detected; languages without pointer types mix them up easily.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "culink.h"
#include "culink/cubin_reader.h"
#include "culink/linker.h"
#include "driver/options/command_line.h"
#include "input/find_code.h"
#include "support/mapped_file.h"

namespace culink::capi {

enum class HandleKind : u64 {
  Link = 0x6b6e696c5f6c7563,
  Result = 0x7365725f6b6e696c,
  Message = 0x67736d5f6b6e696c,
  Cubin = 0x6e696275635f6c63,
  Answer = 0x7765736e615f6c63,
};

// In the order of their names in link.cc.
enum class Tool : u8 { Ptxas, NvJitLink, Nvlink, Compiler, Culink, Count_ };
inline constexpr size_t kToolCount = static_cast<size_t>(Tool::Count_);

// An input as it was added. `bytes` may point to `copy`.
struct AddedInput {
  std::string name;
  std::optional<ByteSpan> bytes; // nothing: a file
  std::vector<u8> copy;
};

// An option with the values that were added; there may be none.
struct AddedValues {
  OptionId option;
  std::vector<std::string> values;
};

// Stores text for C structures: each ends with a zero and does not move.
class TextStore {
public:
  const char *keep(std::string_view text) { return kept_.emplace_back(text).c_str(); }

private:
  std::deque<std::string> kept_;
};

// Rows of one kind, made on first use.
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
  std::atomic<bool> busy = false; // a function that changes or runs the link is active
  std::vector<std::string> words;
  std::deque<culink::capi::AddedInput> inputs;
  std::vector<std::string> libraries;
  std::vector<std::string> library_paths;
  std::vector<culink::capi::AddedValues> values;
  std::optional<culink::HostReferences> host_kernels;
  std::vector<std::string> tool_folders;
  std::string engine_folder;
  std::array<std::optional<std::string>, culink::capi::kToolCount> tools;
  culink_progress callback = nullptr;
  void *user = nullptr;
  std::mutex callback_mutex;
  culink::LinkProgress progress; // of the run; keeps a request to cancel the next run
  std::string error;
};

struct culink_message {
  static constexpr culink::capi::HandleKind kKind = culink::capi::HandleKind::Message;
  culink::capi::HandleKind kind = kKind;
  culink::Message message;
  std::string shown;
};

struct culink_result {
  static constexpr culink::capi::HandleKind kKind = culink::capi::HandleKind::Result;
  culink::capi::HandleKind kind = kKind;
  culink_status status = CULINK_OK;
  culink::ByteBuffer bytes;
  std::string ptx;
  std::vector<culink::LinkedModule> modules;
  std::vector<culink_message> messages;
  culink::LogStyle style;
  std::mutex log_mutex;
  std::array<std::optional<std::string>, 3> logs; // by culink_format, made on request
};

struct culink_cubin {
  static constexpr culink::capi::HandleKind kKind = culink::capi::HandleKind::Cubin;
  culink::capi::HandleKind kind = kKind;
  std::optional<culink::MappedFile> file; // nothing: the caller owns the bytes
  culink::ByteSpan bytes;
  culink::Error error;
  std::string error_text;
  std::optional<culink::CubinReader> reader; // nothing: it could not be opened
  culink::capi::RowList<culink_cubin_info> info;
  culink::capi::RowList<culink_section> sections;
  culink::capi::RowList<culink_symbol> symbols;
  culink::capi::RowList<culink_relocation> relocations;
  culink::capi::RowList<culink_function> functions;
  culink::capi::RowList<culink_attribute> attributes;
  culink::capi::RowList<culink_value> values; // of all attributes
  culink::capi::RowList<culink_tool> tools;
  culink::capi::RowList<culink_symbol> other_symbols;
  culink::capi::RowList<culink_bank> banks;
  culink::capi::RowList<culink_note> notes;
};

struct culink_answer {
  static constexpr culink::capi::HandleKind kKind = culink::capi::HandleKind::Answer;
  culink::capi::HandleKind kind = kKind;
  culink::capi::TextStore text;
  std::vector<culink_finding> findings;
  std::vector<culink_count> counts;
  std::vector<culink_code> code;
  std::vector<culink::u8> bytes;
  std::optional<culink::MappedFile> file;
  culink::CodeInFile found; // in the file, or in bytes of the caller
};

// The boundary between C++ and C: neither an exception nor an invalid pointer crosses it.

namespace culink::capi {

template <typename Handle> bool is_valid(const Handle *handle) {
  return handle && handle->kind == Handle::kKind;
}

// Calls work(), which returns a status. An exception becomes a status.
template <typename Work> culink_status guarded(const Work &work) noexcept {
  try {
    return work();
  } catch (const std::bad_alloc &) {
    return CULINK_OUT_OF_MEMORY;
  } catch (const std::length_error &) { // a container that would be larger than the address space
    return CULINK_OUT_OF_MEMORY;
  } catch (...) {
    return CULINK_INTERNAL_ERROR;
  }
}

// Guards a function that returns a value: `none` if it throws.
template <typename Value, typename Work>
Value guarded_value(Value none, const Work &work) noexcept {
  try {
    return work();
  } catch (...) {
    return none;
  }
}

// Allows one thread at a time in a function that changes or runs a link.
class Claim {
public:
  explicit Claim(culink_link &link) : link_(link), got_(!link.busy.exchange(true)) {}
  ~Claim() {
    if (got_)
      link_.busy = false;
  }
  Claim(const Claim &) = delete;
  Claim &operator=(const Claim &) = delete;

  [[nodiscard]] bool got() const { return got_; }

private:
  culink_link &link_;
  bool got_;
};

// Calls change() if the link is valid and not in use by another call.
template <typename Change> culink_status change_link(culink_link *link, const Change &change) {
  if (!is_valid(link))
    return CULINK_INVALID_ARGUMENT;
  const Claim claim(*link);
  return claim.got() ? guarded(change) : CULINK_BUSY;
}

// Fills the caller's structure, which may have the size of an older or a newer header. A size above
// kMost means that the caller did not set struct_size.
template <typename Row> culink_status give(const Row &row, Row *out) {
  constexpr size_t kMost = 4096;
  const size_t size = out->struct_size;
  if (size < sizeof row.struct_size || size > kMost)
    return CULINK_INVALID_ARGUMENT;
  auto *const to = reinterpret_cast<char *>(out);
  std::memset(to, 0, size);
  std::memcpy(to, &row, std::min(size, sizeof row));
  out->struct_size = size;
  return CULINK_OK;
}

// A file by its path, with an error that names it.
[[nodiscard]] inline Result<MappedFile> open_file(const char *path) {
  Result<MappedFile> file = MappedFile::open(path);
  if (file)
    return file;
  Error error = file.error();
  error.file = path;
  return error;
}

template <typename Row> culink_status give_list(const std::vector<Row> &rows, culink_list *out) {
  return give(culink_list{0, rows.data(), rows.size(), sizeof(Row)}, out);
}

[[nodiscard]] inline std::vector<std::string> strings_of(const char *const *texts, size_t count) {
  return {texts, texts + count};
}

// True if each of `count` texts is present.
[[nodiscard]] inline bool are_texts(const char *const *texts, size_t count) {
  return count == 0 || (texts && count <= PTRDIFF_MAX / sizeof *texts &&
                        std::find(texts, texts + count, nullptr) == texts + count);
}

} // namespace culink::capi
