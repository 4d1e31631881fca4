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

// The effect of messages on the link.
struct LinkOutcome {
  int status = 0;                  // 0 without errors; otherwise nvlink's exit status, or 1
  bool tells_about_program = true; // nvlink would still print the output of -v
};

// Prints the messages of the program, all on standard error.
class Console {
public:
  // If the command line was not `understood`, messages do not name the target, as in nvlink.
  Console(const CommandLine &line, bool understood);

  // Prints the messages of a link.
  LinkOutcome show(const std::vector<Message> &messages) const;

  // Prints a line of -v, for people. For programs: a remark with this id, about a kernel or the
  // program.
  void show_info(const std::string &text, Wording wording) const;
  void show_info_json(DiagId id, const std::string &argument, const std::string &kernel = "") const;

  // The form of names in reports, and whether all output must be nvlink's text or JSON.
  [[nodiscard]] NameStyle names() const { return style_.text.demangle ? demangle : nullptr; }
  [[nodiscard]] bool speaks_as_nvlink() const { return format_ == ErrorFormat::Nvlink; }
  [[nodiscard]] bool speaks_json() const { return format_ == ErrorFormat::Json; }

private:
  ErrorFormat format_ = ErrorFormat::Text;
  LogStyle style_;
  size_t error_limit_ = 0; // of texts for people; 0: unlimited
  u32 toolkit_ = 130;      // toolkit of nvlink's words, times ten
};

// Adds hints to the first undefined and the first duplicate symbol without a better hint.
void advise_about_symbols(std::vector<Message> &messages);

} // namespace culink
