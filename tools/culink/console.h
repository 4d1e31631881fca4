// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "culink/diagnostics.h"
#include "driver/options/command_line.h"
#include "inspect/report/nvlink_reports.h"
#include "link/model/diagnostics.h"
#include "support/demangle.h"

namespace culink {

enum class ErrorFormat : u8 { Text, Json, Nvlink };

void print_to(FILE *to, const std::string &text);

// What messages amount to.
struct LinkOutcome {
  int status = 0; // 0: there is no error among them; else what nvlink would exit with, or 1
  bool tells_about_program = true; // nvlink would still print what -v asks for
};

// How messages leave the program, all of them on standard error.
class Console {
public:
  // If the command line was not `understood`, no message names the target, as with nvlink.
  Console(const CommandLine &line, bool understood);

  // What a link has to say.
  LinkOutcome show(const std::vector<Message> &messages) const;

  // A line of -v, for people. For programs: a remark with this id, about a kernel or the program.
  void show_info(const std::string &text, Wording wording) const;
  void show_info_json(DiagId id, const std::string &argument, const std::string &kernel = "") const;

  // How reports show names, and whether all that is printed should be nvlink's text or JSON.
  [[nodiscard]] NameStyle names() const { return style_.text.demangle ? demangle : nullptr; }
  [[nodiscard]] bool speaks_as_nvlink() const { return format_ == ErrorFormat::Nvlink; }
  [[nodiscard]] bool speaks_json() const { return format_ == ErrorFormat::Json; }

private:
  ErrorFormat format_ = ErrorFormat::Text;
  LogStyle style_;
  size_t error_limit_ = 0; // of texts for people; 0: none
  u32 toolkit_ = 130;      // whose words nvlink's are, times ten
};

// Says what to do about the first undefined and the first duplicate symbol of which nothing better
// is known.
void advise_about_symbols(std::vector<Message> &messages);

} // namespace culink
