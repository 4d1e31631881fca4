// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every command does first and last: open the file a person named, and say what is wrong in
// the one form all messages have.
#include "open_input.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace culink::tools {

namespace {

void print_message(const char *severity, std::string_view file, const Error &error) {
  const std::string line =
      std::string("cubin: ") + severity + ": " + printable(file) + ": " + error.text() + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

} // namespace

Result<Input> open_input(const std::string &argument) {
  Result<MappedFile> file = MappedFile::open(argument == "-" ? "/dev/stdin" : argument);
  if (!file)
    return file.error();
  return Input{argument == "-" ? "<stdin>" : argument, std::move(file).value()};
}

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
