// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "elf/elf_view.h"

namespace culink::elf {

// Reports the first of many equal violations in a table and how often it occurred, when all are
// known.
class RepeatedViolation {
public:
  RepeatedViolation(std::vector<Error> &out, const Section &table) : out_(out), table_(table) {}
  ~RepeatedViolation() {
    if (!first_)
      return;
    if (count_ > 1)
      first_->message += " (and " + std::to_string(count_ - 1) + " more in this table)";
    out_.push_back(std::move(*first_));
  }
  RepeatedViolation(const RepeatedViolation &) = delete;
  RepeatedViolation &operator=(const RepeatedViolation &) = delete;

  template <typename MakeField, typename MakeMessage>
  void add(MakeField make_field, MakeMessage make_message) {
    if (count_++ == 0)
      first_ = Error{describe_section(table_), make_field(), make_message()};
  }

private:
  std::vector<Error> &out_;
  const Section &table_;
  std::optional<Error> first_;
  u64 count_ = 0;
};

} // namespace culink::elf
