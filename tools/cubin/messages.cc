// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages to people have one form, so that editors and scripts find file and place in them. Names
// from files are made printable: they could begin lines of their own.
#include "messages.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace culink::tools {

namespace {

void print_message(const char *severity, std::string_view file, const Error &error) {
  const std::string line =
      std::string("cubin: ") + severity + ": " + printable(file) + ": " + error.text() + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

} // namespace

void print_error(std::string_view file, const Error &error) {
  print_message("error", file, error);
}

void print_warning(std::string_view file, const Error &warning) {
  print_message("warning", file, warning);
}

bool finish_output(TextOut &out) {
  out.flush();
  if (out.failure() == 0 || out.failure() == EPIPE)
    return true;
  print_error("<stdout>",
              Error{"", "", std::string("cannot write: ") + std::strerror(out.failure())});
  return false;
}

} // namespace culink::tools
