// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

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
    if (count_ == 0)
      return;
    if (count_ > 1)
      message_ += " (and " + std::to_string(count_ - 1) + " more in this table)";
    out_.push_back({describe_section(table_), std::move(field_), std::move(message_)});
  }
  RepeatedViolation(const RepeatedViolation &) = delete;
  RepeatedViolation &operator=(const RepeatedViolation &) = delete;

  template <typename MakeField, typename MakeMessage>
  void add(MakeField make_field, MakeMessage make_message) {
    if (count_++ == 0) {
      field_ = make_field();
      message_ = make_message();
    }
  }

private:
  std::vector<Error> &out_;
  const Section &table_;
  std::string field_, message_;
  u64 count_ = 0;
};

} // namespace culink::elf
