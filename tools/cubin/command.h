// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "driver/options/option_documents.h"
#include "support/result.h"
#include "support/text_out.h"
#include "support/types.h"

namespace culink::tools {

// The target of the value of an option; each use appends to a list. Flags are bool.
using Field = std::variant<bool *, std::string *, std::vector<std::string> *, u64 *,
                           std::optional<u64> *, std::optional<int> *>;

// An option or an argument of a command.
struct Option {
  std::string_view names;       // "rows,n" for --rows and -n; in capitals: an argument
  std::string_view placeholder; // of the value; "<name>,..." is a list with commas
  std::string_view help;
  Field field;
  bool required = false;
  bool takes_all = false; // takes all words up to the next option
  bool closed = false;    // accepts only the values in `values`
  std::vector<std::string> values = {};
  u64 least = 0, most = 0;                     // of a number, unless `most` is 0
  std::vector<std::string_view> excludes = {}; // names of later options
  std::string_view needs = {};

  [[nodiscard]] std::string_view name() const { return names.substr(0, names.find(',')); }
  // The letter after one dash; empty: none.
  [[nodiscard]] std::string_view letter() const {
    return names.size() == name().size() ? std::string_view() : names.substr(name().size() + 1);
  }
  [[nodiscard]] bool is_argument() const { return names[0] >= 'A' && names[0] <= 'Z'; }
  [[nodiscard]] bool is_flag() const { return std::holds_alternative<bool *>(field); }
  [[nodiscard]] bool is_list() const {
    return std::holds_alternative<std::vector<std::string> *>(field);
  }
  // "--rows" or "FILE", for messages.
  [[nodiscard]] std::string spelled() const;
};

// Add a rule to the row of an option.
[[nodiscard]] Option required(Option option);
[[nodiscard]] Option takes_all(Option option);
[[nodiscard]] Option one_of(std::vector<std::string> values, Option option);
[[nodiscard]] Option suggests(std::vector<std::string> values, Option option);
[[nodiscard]] Option between(u64 least, u64 most, Option option);
[[nodiscard]] Option excludes(std::vector<std::string_view> later, Option option);
[[nodiscard]] Option needs(std::string_view other, Option option);

class Command;

struct CommandRow {
  std::string_view name;
  std::string_view help;
  std::string_view more; // at the end of its help
  int (*run)(Command &command);
};

// Parses the command line of one command. The function of the command adds the options, which point
// to its variables, and continues only if parse() succeeds:
//
//   command.add({{"json", "", "The findings as JSON", &json}});
//   return command.parse() ? verify(json) : command.status();
class Command {
public:
  // Without words the options are only collected, for documents.
  Command(const CommandRow &row, std::optional<std::vector<std::string>> words)
      : row_(row), words_(std::move(words)) {}

  void add(std::vector<Option> options);
  [[nodiscard]] bool parse();
  [[nodiscard]] int status() const { return status_; } // exit status if parse() failed
  // Prints an error of the command line; returns the exit status.
  int refuse(const std::string &error) const;
  [[nodiscard]] OptionList list() const;

private:
  bool take_option(size_t &at, std::string_view word);
  bool take_argument(const std::string &word);
  void take_values(const Option &option, size_t &at, std::string value);
  void store(const Option &option, std::string_view word);
  void store_number(const Option &option, const std::string &value);
  [[nodiscard]] bool check();
  void fail(const std::string &error);
  // Null if the option does not exist.
  [[nodiscard]] const Option *find(std::string_view name, bool is_letter = false) const;
  [[nodiscard]] size_t missing_arguments();
  [[nodiscard]] std::string unknown_text() const;
  [[nodiscard]] u64 &count(const Option &option) {
    return counts_[static_cast<size_t>(&option - options_.data())];
  }

  CommandRow row_;
  std::optional<std::vector<std::string>> words_;
  std::vector<Option> options_;
  std::vector<u64> counts_; // how often each option was given
  std::string unknown_;     // the first unknown option
  std::string error_;       // the first other error
  bool help_ = false;
  int status_ = 0;
};

// Returns a message like "unknown option '--jsn'; did you mean '--json'?"
[[nodiscard]] std::string unknown_word(std::string_view kind, std::string_view word,
                                       const std::vector<std::string> &known);

// The commands of cubin. Each adds its options, parses the command line and returns the exit status
// of the program.
int dump_command(Command &command);
int disasm_command(Command &command);
int usage_command(Command &command);
int size_command(Command &command);
int callgraph_command(Command &command);
int diff_command(Command &command);
int report_command(Command &command);
int verify_command(Command &command);
int check_command(Command &command);
int text_command(Command &command);
int assemble_command(Command &command);
int list_command(Command &command);
int extract_command(Command &command);
int pack_command(Command &command);
int prune_command(Command &command);

inline constexpr int kExitUsage = 2; // the command line is invalid

// Prints "cubin: error: FILE: place, field: message".
void print_error(std::string_view file, const Error &error);
void print_error(std::string_view file, const std::string &message);
// True if there is a result; otherwise prints the error.
template <typename T> [[nodiscard]] bool is_there(std::string_view file, const Result<T> &result) {
  if (!result)
    print_error(file, result.error());
  return static_cast<bool>(result);
}
void print_warning(std::string_view file, const Error &warning);

// True, after a message, if writing to `output` would destroy the file of an argument (FILE,
// FILE:MEMBER).
[[nodiscard]] bool overwrites(const std::string &output, const std::string &argument);

// Writes a whole file, or standard output ("-"), which a reader may close early. False, after a
// message, if it could not be written.
[[nodiscard]] bool write_output(const std::string &path, ByteSpan bytes);

// Flushes the output of a command. False, after a message, if it could not all be written. A reader
// that closes early is not an error.
[[nodiscard]] bool finish_output(TextOut &out);

} // namespace culink::tools
