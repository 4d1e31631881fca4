// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value, or the error that replaces it. Functions that decode bytes return Result; the passes of
// the linker report to Diagnostics instead and go on.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace culink {

// An error and its place. `place` names the part of the file (section, symbol, record), `field` the
// field in it, `file` the file; each may be empty. CubinReader sets `file`; other code leaves it to
// the caller, which prints the name first:
//   culink: error: a.cubin: .symtab, st_name of symbol 4: 0x9000 lies outside .strtab (0x51 bytes)
struct Error {
  std::string place;
  std::string field;
  std::string message;
  std::string file = {};

  [[nodiscard]] std::string text() const {
    std::string out = place;
    if (!field.empty())
      out += (out.empty() ? "" : ", ") + field;
    out = out.empty() ? message : out + ": " + message;
    return file.empty() ? out : file + ": " + out;
  }
};

template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Precondition of the first four: ok(); of error(): !ok().
  [[nodiscard]] T &value() & { return std::get<0>(state_); }
  [[nodiscard]] const T &value() const & { return std::get<0>(state_); }
  [[nodiscard]] T &&value() && { return std::get<0>(std::move(state_)); }
  T &operator*() { return value(); }
  const T &operator*() const { return value(); }
  T *operator->() { return &value(); }
  const T *operator->() const { return &value(); }
  [[nodiscard]] const Error &error() const { return std::get<1>(state_); }

private:
  std::variant<T, Error> state_;
};

} // namespace culink
