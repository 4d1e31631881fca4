// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "culink/diagnostics.h"
#include "culink/linker.h"
#include "driver/options/option_table.h"
#include "link/model/diagnostics.h"
#include "support/mapped_file.h"
#include "support/types.h"

namespace culink {

// A command line, taken apart: what was given, in terms of the option table.
struct CommandLine {
  std::vector<std::string> inputs;       // in order
  std::vector<std::string> option_files; // that were read, of both kinds
  std::array<bool, kOptionCount> given{};
  std::array<std::vector<std::string>, kOptionCount> values; // one, or those of a list

  [[nodiscard]] bool has(OptionId id) const { return given[static_cast<size_t>(id)]; }
  [[nodiscard]] const std::vector<std::string> &list(OptionId id) const {
    return values[static_cast<size_t>(id)];
  }
  // The value, or "" where none was given.
  [[nodiscard]] std::string value(OptionId id) const {
    return list(id).empty() ? std::string() : list(id).front();
  }
  void set(OptionId id, std::vector<std::string> list = {}) {
    given[static_cast<size_t>(id)] = true;
    values[static_cast<size_t>(id)] = std::move(list);
  }
  void append(OptionId id, const std::vector<std::string> &items) {
    given[static_cast<size_t>(id)] = true;
    std::vector<std::string> &list = values[static_cast<size_t>(id)];
    list.insert(list.end(), items.begin(), items.end());
  }
};

// Takes the words after the program's name apart, with nvlink's grammar. Reads option files. Goes
// on after an error, so that one run names all that is wrong.
[[nodiscard]] CommandLine parse_command_line(const std::vector<std::string> &words,
                                             Diagnostics &diag,
                                             const FileSource &files = system_files());

// Options that contradict each other, that are missing, or that ask for what culink cannot do yet.
void check_command_line(const CommandLine &line, Diagnostics &diag,
                        const FileSource &files = system_files());

// The items of a list of symbols: commas between brackets are part of a name.
[[nodiscard]] std::vector<std::string> split_names(const std::string &list);

// Two outputs that are one file, or an output that is a file which the line has culink read. To be
// asked before anything is written; not about the line of a stored link, whose names mean nothing.
void check_outputs(const CommandLine &line, Diagnostics &diag);

// The files that the line asks for, by the rows of the options that write. "-" is none.
[[nodiscard]] std::vector<PlannedOutput> planned_outputs(const CommandLine &line);

// compute_90: no code can be linked for it. nvcc asks for such a link to learn the modules only.
[[nodiscard]] bool is_virtual_target(std::string_view target);

// Sets the field of a request by the words of an option; a list gets them at its end.
void set_field(const OptionField &field, const std::vector<std::string> &words,
               LinkRequest &request);

// The link that was asked for, and the other way round: the options that a request amounts to.
[[nodiscard]] LinkRequest make_request(const CommandLine &line);
[[nodiscard]] CommandLine describe_request(const LinkRequest &request);

// The cache that was asked for: `usual`, unless options say otherwise.
[[nodiscard]] CacheOptions cache_options(const CommandLine &line, const CacheOptions &usual);

// The options as .note.nv.tkinfo records them: in a fixed order, whatever the command line's order,
// each as "-name value " (a flag has an empty value). Inputs and output are named with -g only.
[[nodiscard]] std::string note_options(const CommandLine &line);

// The options that such a record has.
[[nodiscard]] CommandLine parse_note(std::string_view options);

// Which messages the log of a link has, and how.
struct LogStyle {
  MessageStyle text;
  bool hides_warnings = false;
  bool hides_infos = false;

  [[nodiscard]] bool hides(const Message &message) const {
    return (hides_warnings && message.severity == Severity::Warning) ||
           (hides_infos && message.severity == Severity::Info);
  }
  // A line of nvlink's, which may end with the target.
  [[nodiscard]] std::string nvlink_line(const std::string &line) const {
    return line + (text.target.empty() ? "" : " (target: " + text.target + ")") + "\n";
  }
};
[[nodiscard]] LogStyle log_style(const CommandLine &line);

// A response file that gives the same command line, except for the names of option files.
[[nodiscard]] std::string response_text(const CommandLine &line);

// What somebody may have meant by a word that is no option, as a hint; empty: no idea.
[[nodiscard]] std::string suggest_option(std::string_view word);

// The values that an option takes, those first that look like `value`.
[[nodiscard]] std::string suggest_value(const OptionRow &row, std::string_view value);

// What to type instead of a first word that looks like a command, such as "version" or "dump";
// empty: it does not.
[[nodiscard]] std::string suggest_command(std::string_view word);

} // namespace culink
