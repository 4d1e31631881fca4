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

// A parsed command line: its options by rows of the option table, and its inputs.
struct CommandLine {
  std::vector<std::string> inputs;       // in order
  std::vector<std::string> option_files; // that were read, of both kinds
  std::array<bool, kOptionCount> given{};
  std::array<std::vector<std::string>, kOptionCount> values; // one value, or the items of a list

  [[nodiscard]] bool has(OptionId id) const { return given[static_cast<size_t>(id)]; }
  [[nodiscard]] const std::vector<std::string> &list(OptionId id) const {
    return values[static_cast<size_t>(id)];
  }
  // The value, or "" if the option is absent.
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

// Parses the words after the program's name with nvlink's grammar. Reads option files. Continues
// after an error, so that one run reports all errors.
[[nodiscard]] CommandLine parse_command_line(const std::vector<std::string> &words,
                                             Diagnostics &diag,
                                             const FileSource &files = system_files());

// Reports options that conflict, are missing, or need a feature that culink does not have.
void check_command_line(const CommandLine &line, Diagnostics &diag,
                        const FileSource &files = system_files());

// The items of a list of symbols: commas between brackets are part of a name.
[[nodiscard]] std::vector<std::string> split_names(const std::string &list);

// Reports two outputs with one file, and an output that is a file which culink reads. Call it
// before anything is written, but not for the line of a stored link: its names are invalid here.
void check_outputs(const CommandLine &line, Diagnostics &diag);

// Returns the files that the line writes, by the rows of their options. "-" is not a file.
[[nodiscard]] std::vector<PlannedOutput> planned_outputs(const CommandLine &line);

// True for compute_90: code cannot be linked for it. nvcc requests such a link only for the list of
// modules.
[[nodiscard]] bool is_virtual_target(std::string_view target);

// Sets the field of a request from the words of an option; a list gets them appended.
void set_field(const OptionField &field, const std::vector<std::string> &words,
               LinkRequest &request);

// Conversion of a command line into a request, and of a request into its options.
[[nodiscard]] LinkRequest make_request(const CommandLine &line);
[[nodiscard]] CommandLine describe_request(const LinkRequest &request);

// The requested cache: `usual`, except where options override it.
[[nodiscard]] CacheOptions cache_options(const CommandLine &line, const CacheOptions &usual);

// The options as .note.nv.tkinfo records them: in a fixed order, whatever the command line's order,
// each as "-name value " (a flag has an empty value). Inputs and output are named with -g only.
[[nodiscard]] std::string note_options(const CommandLine &line);

// Parses the options of such a record.
[[nodiscard]] CommandLine parse_note(std::string_view options);

// The messages in the log of a link, and their form.
struct LogStyle {
  MessageStyle text;
  bool hides_warnings = false;
  bool hides_infos = false;

  [[nodiscard]] bool hides(const Message &message) const {
    return (hides_warnings && message.severity == Severity::Warning) ||
           (hides_infos && message.severity == Severity::Info);
  }
  // A line of nvlink's; it may end with the target.
  [[nodiscard]] std::string nvlink_line(const std::string &line) const {
    return line + (text.target.empty() ? "" : " (target: " + text.target + ")") + "\n";
  }
};
[[nodiscard]] LogStyle log_style(const CommandLine &line);

// Returns a response file with the same command line, except for the names of option files.
[[nodiscard]] std::string response_text(const CommandLine &line);

// Suggests an option for an unknown word; empty without a suggestion.
[[nodiscard]] std::string suggest_option(std::string_view word);

// Lists the values of an option; values similar to `value` come first.
[[nodiscard]] std::string suggest_value(const OptionRow &row, std::string_view value);

// Suggests options for a first word that looks like a command, such as "version" or "dump";
// otherwise returns an empty text.
[[nodiscard]] std::string suggest_command(std::string_view word);

} // namespace culink
