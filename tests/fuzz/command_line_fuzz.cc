// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any words as a command line, one in each line of the input. Words that could name a file of
// options are left out: a fuzzer should not read what happens to lie on a disk.
#include "driver/options/command_line.h"

#include <string>

#include "round_trip.h"
#include "support/bytes.h"
#include "targets.h"

using namespace culink;

int fuzz::command_line_fuzz(const u8 *data, size_t size) {
  const std::string_view text = as_text({data, size});
  std::vector<std::string> words;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    begin = end + 1;
    if (word.find("op") == std::string_view::npos && word.find('@') == std::string_view::npos)
      words.emplace_back(word);
  }
  Diagnostics diag;
  const CommandLine line = parse_command_line(words, diag);
  check_command_line(line, diag);
  static_cast<void>(describe_request(make_request(line)));
  static_cast<void>(make_request(parse_note(note_options(line))));
  static_cast<void>(make_request(parse_note(text)));
  return 0;
}
