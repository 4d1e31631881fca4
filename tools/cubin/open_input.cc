// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every command does first and last: open the file a person named, and say what is wrong in
// the one form all messages have. A member of a fatbin, host object or archive is named behind a
// colon, but a file whose own name has a colon comes first.
#include "open_input.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>
#include <utility>

#include "survey/find_code.h"

namespace culink::tools {

namespace {

void print_message(const char *severity, std::string_view file, const Error &error) {
  const std::string line =
      std::string("cubin: ") + severity + ": " + printable(file) + ": " + error.text() + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

} // namespace

Result<NamedFile> open_file(const std::string &argument) {
  std::string path = argument == "-" ? "/dev/stdin" : argument;
  std::string member;
  while (::access(path.c_str(), F_OK) != 0) {
    const size_t colon = path.rfind(':');
    if (colon == std::string::npos || colon == 0) {
      path = argument; // for the message that says why it cannot be opened
      member.clear();
      break;
    }
    member = argument.substr(colon + 1);
    path.resize(colon);
  }
  Result<MappedFile> file = MappedFile::open(path);
  if (!file)
    return file.error();
  return NamedFile{argument == "-" ? "<stdin>" : argument, std::move(file).value(), std::move(path),
                   std::move(member)};
}

Result<Input> open_input(const std::string &argument) {
  Result<NamedFile> named = open_file(argument);
  if (!named)
    return named.error();
  if (named->member.empty())
    return Input{std::move(named->name), std::move(named->file), {}};
  const CodeInFile found = find_code(named->path, named->file.bytes());
  const FoundCode *chosen = nullptr;
  std::string names;
  for (const FoundCode &code : found.code) {
    if (!code.is_called(named->member))
      continue;
    names += (chosen ? ", " : "") + code.name();
    chosen = &code;
  }
  if (!chosen) {
    const bool damaged = found.code.empty() && !found.problems.empty();
    return damaged ? found.problems.front()
                   : Error{"", "", "no such member; 'cubin list " + named->path + "' has them"};
  }
  if (names != chosen->name())
    return Error{"", "", "names several members: " + names};
  Result<std::vector<u8>> bytes = unpack(*chosen);
  if (!bytes)
    return bytes.error();
  return Input{std::move(named->name), std::move(named->file), std::move(*bytes)};
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
