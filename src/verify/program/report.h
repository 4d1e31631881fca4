// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings of the checker, and where its parts put them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/types.h"

namespace culink::check {

enum class FindingKind : u8 {
  Unreadable,  // an input or the output cannot be read at all
  Missing,     // a definition that the program needs
  Unexplained, // something that no input accounts for
  Symbol,      // a symbol with a wrong property
  Bytes,       // code or data that is not that of the prevailing definition
  Field,       // a relocated field with a wrong value
  Relocation,  // a relocation that is missing, too much, or not the right one
  Reference,   // live code or data that refers to something that is not there
  Overlap,     // two variables in one place
  Alignment,   // a variable at a place where it cannot be loaded
  Memory,      // shared memory, parameters or image slots of a kernel
  Records,     // registers, stack, barriers and other records of a function
  CallGraph,   // the call graph of the output
  Mercury,     // the Mercury form of the program says something else than its machine code
};

// "missing-definition", "wrong-field" ...
[[nodiscard]] std::string_view name_of(FindingKind kind);

struct Finding {
  FindingKind kind{};
  std::string symbol;  // the function or variable that it is about; may be empty
  std::string section; // of the output; of an input for what is missing
  u64 offset = 0;      // in that section
  std::string expected;
  std::string found;

  friend bool operator==(const Finding &, const Finding &) = default;
};

// One line: "wrong-field: k in .text.k+0x40: expected ..., found ...".
[[nodiscard]] std::string to_line(const Finding &finding);

// The findings of one part of the work. Threads have one each, joined in order. A broken output
// may have as many findings as bytes, so there is a limit.
class Report {
public:
  void add(Finding finding) {
    if (findings_.size() < kMost)
      findings_.push_back(std::move(finding));
  }
  void append(Report &&other) {
    for (Finding &finding : other.findings_)
      add(std::move(finding));
  }
  [[nodiscard]] bool full() const { return findings_.size() >= kMost; }
  [[nodiscard]] std::vector<Finding> take() { return std::move(findings_); }

private:
  static constexpr size_t kMost = 200;
  std::vector<Finding> findings_;
};

// "0x40"
[[nodiscard]] std::string hex(u64 value);
// "12 34 56 78", a few bytes of a section.
[[nodiscard]] std::string bytes_text(ByteSpan bytes);

} // namespace culink::check
