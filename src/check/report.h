// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the parts of the checker put what they find.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "check/check_link.h"

namespace culink::check {

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
