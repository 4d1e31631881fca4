// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a linker makes of a relocation, in words, and the file that holds nvlink's answers.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "probe.h"
#include "support/result.h"
#include "support/types.h"

namespace culink::reloc_test {

enum class Mode : u8 { Plain, Relocatable, PreserveRelocs };
inline constexpr std::array<std::string_view, 3> kModeNames = {"plain", "-r", "-preserve-relocs"};
inline constexpr std::array<std::string_view, 2> kTableNames = {"rel", "rela"};

// One answer. `text` says what became of the relocation; `check` is a hash of the whole output, so
// that a difference anywhere in the file is noticed.
struct Answer {
  std::string text;
  u16 check = 0;
  friend bool operator==(const Answer &, const Answer &) = default;
};
// Where nvlink gives up or dies without meaning to, culink may refuse for a reason of its own.
inline constexpr std::string_view kCrash = "nvlink crashes";
inline constexpr std::string_view kInternalError = "internal error";

[[nodiscard]] Answer answer_of_output(ByteSpan output, const SymbolCase &symbol, Table table,
                                      u32 type);
// `reason` is a name of culink's table of messages.
[[nodiscard]] Answer answer_of_refusal(std::string_view reason);

// The answers for all types with one symbol, table and mode, by their title "constant rela plain".
// Type 1 stands first.
using Row = std::vector<Answer>;
using Matrix = std::map<std::string, Row>;
[[nodiscard]] std::string title_of(const SymbolCase &symbol, Table table, Mode mode);

[[nodiscard]] std::string write_matrix(const Matrix &matrix, std::string_view target);
[[nodiscard]] Result<Matrix> read_matrix(const std::string &path);

} // namespace culink::reloc_test
