// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages to people have one form, so that editors and scripts find file and place in them. Names
// from files are made printable: they could begin lines of their own.
#include "messages.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <unistd.h>

#include "support/bytes.h"
#include "support/output_file.h"

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

bool overwrites(const std::string &output, const std::string &argument) {
  std::string path = argument;
  std::optional<FileIdentity> read = identify_file(path);
  while (read && !read->name.empty()) { // no such file: a member behind a colon
    const size_t colon = path.rfind(':');
    path.resize(colon == std::string::npos ? 0 : colon);
    read = path.empty() ? std::nullopt : identify_file(path);
  }
  if (!read || identify_file(output) != read)
    return false;
  print_error(output, Error{"", "", "this output is the file that is read"});
  return true;
}

bool write_output(const std::string &path, ByteSpan bytes) {
  if (path == "-") {
    TextOut out(STDOUT_FILENO);
    out.put(as_text(bytes));
    return finish_output(out);
  }
  const std::optional<Error> error = write_file(path, bytes);
  if (error)
    print_error(path, *error);
  return !error;
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
