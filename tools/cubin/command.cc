// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Command lines of cubin, with the rules of getopt: --name=value, --name value, -n value, -nvalue,
// letters of several flags together, and arguments at any position; after `--` all words are
// arguments. Names cannot be abbreviated.
//
// Parsing continues after an error: --help takes precedence over errors, and an unknown option is
// reported instead of its consequences.
#include "command.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <unistd.h>

#include <fmt/format.h>

#include "link/model/name_pattern.h"
#include "support/bytes.h"
#include "support/output_file.h"
#include "support/text_out.h"

namespace culink::tools {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The value given to a flag, as in --json=false. Nothing for an unknown word.
std::optional<bool> truth_of(std::string_view word) {
  for (const std::string_view yes : {"", "true", "on", "yes", "1"})
    if (word == yes)
      return true;
  for (const std::string_view no : {"false", "off", "no", "0"})
    if (word == no)
      return false;
  return std::nullopt;
}

} // namespace

std::string Option::spelled() const {
  return (is_argument() ? "" : "--") + std::string(name());
}

Option required(Option option) {
  option.required = true;
  return option;
}
Option takes_all(Option option) {
  option.takes_all = true;
  return option;
}
Option one_of(std::vector<std::string> values, Option option) {
  option.values = std::move(values);
  option.closed = true;
  return option;
}
Option suggests(std::vector<std::string> values, Option option) {
  option.values = std::move(values);
  return option;
}
Option between(u64 least, u64 most, Option option) {
  option.least = least;
  option.most = most;
  return option;
}
Option excludes(std::vector<std::string_view> later, Option option) {
  option.excludes = std::move(later);
  return option;
}
Option needs(std::string_view other, Option option) {
  option.needs = other;
  return option;
}

void Command::add(std::vector<Option> options) {
  for (Option &option : options)
    options_.push_back(std::move(option));
  counts_.resize(options_.size());
}

const Option *Command::find(std::string_view name, bool is_letter) const {
  for (const Option &option : options_)
    if (!option.is_argument() && name == (is_letter ? option.letter() : option.name()))
      return &option;
  return nullptr;
}

void Command::fail(const std::string &error) {
  if (error_.empty())
    error_ = error;
}

// Numbers may be written as in C.
void Command::store_number(const Option &option, const std::string &value) {
  char *end = nullptr;
  const u64 number = std::strtoull(value.c_str(), &end, 0);
  const bool is_number = !value.empty() && end == value.data() + value.size();
  if (option.most != 0 && (!is_number || number < option.least || number > option.most))
    return fail(fmt::format("{}: Value {} not in range {} to {}", option.spelled(), value,
                            option.least, option.most));
  if (!is_number)
    return fail(fmt::format("Could not convert: {} = {}", option.spelled(), value));
  if (auto *const *field = std::get_if<u64 *>(&option.field))
    **field = number;
  if (auto *const *field = std::get_if<std::optional<u64> *>(&option.field))
    **field = number;
  if (auto *const *field = std::get_if<std::optional<int> *>(&option.field))
    **field = static_cast<int>(number); // of a range
}

void Command::store(const Option &option, std::string_view word) {
  const std::string value(word);
  if (option.closed &&
      std::find(option.values.begin(), option.values.end(), value) == option.values.end())
    return fail(fmt::format("{}: {} not in {{{}}}", option.spelled(), value,
                            fmt::join(option.values, ",")));
  if (auto *const *flag = std::get_if<bool *>(&option.field)) {
    const std::optional<bool> truth = truth_of(value);
    **flag = truth.value_or(false);
    if (!truth)
      fail(fmt::format("Could not convert: {} = {}", option.spelled(), value));
  } else if (auto *const *text = std::get_if<std::string *>(&option.field)) {
    **text = value;
  } else if (auto *const *list = std::get_if<std::vector<std::string> *>(&option.field)) {
    (*list)->push_back(value);
  } else {
    store_number(option, value);
  }
}

// The number of required arguments that are not yet set.
size_t Command::missing_arguments() {
  return static_cast<size_t>(
      std::count_if(options_.begin(), options_.end(), [this](const Option &option) {
        return option.is_argument() && option.required && count(option) == 0;
      }));
}

// Stores `value`, or the next word if it is empty; further words for an option that takes all.
void Command::take_values(const Option &option, size_t &at, std::string value) {
  if (value.empty() && at == words_->size())
    return fail(fmt::format("{}: {} is missing", option.spelled(), option.placeholder));
  if (value.empty())
    value = (*words_)[at++];
  ++count(option);
  const bool splits = option.placeholder.ends_with(",...") && value.find(',') != std::string::npos;
  for (size_t begin = 0, end = 0; begin <= value.size(); begin = end + 1) {
    end = splits ? std::min(value.find(',', begin), value.size()) : value.size();
    const std::string item = value.substr(begin, end - begin);
    if (!splits || !item.empty())
      store(option, item);
  }
  while (option.takes_all && at < words_->size() && missing_arguments() < words_->size() - at) {
    const std::string &word = (*words_)[at];
    if (word.size() > 1 && word[0] == '-') {
      at += word == "--" ? 1 : 0; // it ends the list
      break;
    }
    ++at;
    store(option, word);
  }
}

// Parses --name=value, or -qn20: flags, and an option with the rest or the next word as its value.
// False if the option is unknown.
bool Command::take_option(size_t &at, std::string_view word) {
  const bool is_long = word.starts_with("--");
  const size_t equals = is_long ? std::min(word.find('='), word.size()) : 0;
  std::string_view rest = is_long ? word.substr(equals) : word.substr(1);
  do {
    const Option *option =
        is_long ? find(word.substr(2, equals - 2)) : find(rest.substr(0, 1), true);
    if (!option)
      return false;
    rest.remove_prefix(rest.empty() ? 0 : 1);
    if (!option->is_flag()) {
      take_values(*option, at, std::string(rest));
      return true;
    }
    ++count(*option);
    store(*option, is_long ? rest : "");
  } while (!is_long && !rest.empty());
  return true;
}

bool Command::take_argument(const std::string &word) {
  for (Option &option : options_)
    if (option.is_argument() && (option.is_list() || count(option) == 0)) {
      ++count(option);
      store(option, word);
      return true;
    }
  return false;
}

// Checks the options together.
bool Command::check() {
  const auto given = [this](const Option *option) { return option && count(*option) != 0; };
  for (const Option &option : options_) {
    if (count(option) > 1 && !option.is_list() && !option.is_flag())
      fail(fmt::format("{}: At Most 1 required but received {}", option.spelled(), count(option)));
    if (option.required && !given(&option))
      fail(option.spelled() + " is required");
    for (const std::string_view other : option.excludes)
      if (given(&option) && given(find(other)))
        fail(fmt::format("{} excludes --{}", option.spelled(), other));
    if (given(&option) && !option.needs.empty() && !given(find(option.needs)))
      fail(fmt::format("{} requires --{}", option.spelled(), option.needs));
  }
  return error_.empty();
}

bool Command::parse() {
  add({{"help,h", "", "Print this text", &help_}});
  if (!words_)
    return false;
  bool options_end = false;
  for (size_t at = 0; at < words_->size();) {
    const std::string word = (*words_)[at++];
    const bool is_option = !options_end && word.size() > 1 && word[0] == '-' &&
                           (!is_digit(word[1]) || find(word.substr(1, 1), true));
    if (is_option && word == "--")
      options_end = true;
    else if (!(is_option ? take_option(at, word) : take_argument(word)) && unknown_.empty())
      unknown_ = word;
  }
  if (help_) {
    TextOut out(STDOUT_FILENO);
    out.put(command_help("cubin", list()));
    status_ = finish_output(out) ? 0 : 1;
    return false;
  }
  if (unknown_.empty() && check())
    return true;
  status_ = refuse(unknown_.empty() ? error_ : unknown_text());
  return false;
}

std::string Command::unknown_text() const {
  const std::string word = unknown_.substr(0, unknown_.find('='));
  std::vector<std::string> known;
  for (const Option &option : options_)
    known.push_back(option.spelled());
  return unknown_word(word.starts_with('-') ? "option" : "argument", word, known);
}

int Command::refuse(const std::string &error) const {
  const std::string text =
      fmt::format("cubin: error: {}\nTry 'cubin {} --help'.\n", error, row_.name);
  std::fwrite(text.data(), 1, text.size(), stderr);
  return kExitUsage;
}

OptionList Command::list() const {
  OptionList out{row_.name, row_.help, row_.more, {}};
  for (const Option &option : options_)
    out.options.push_back({option.is_argument() ? "" : option.name(), option.letter(),
                           option.is_argument() ? option.names : option.placeholder, option.help,
                           option.values, option.required, option.is_list()});
  return out;
}

// Beginnings come first: abbreviations are not accepted, but people type them.
std::string unknown_word(std::string_view kind, std::string_view word,
                         const std::vector<std::string> &known) {
  std::vector<std::string_view> meant = similar_names(word, {known.begin(), known.end()}, 1);
  for (const std::string &one : known)
    if (word.size() > 2 && one.starts_with(word))
      meant.insert(meant.begin(), one);
  return fmt::format("unknown {} '{}'{}", kind, visible(word),
                     meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant.front()));
}

// Messages for people have one form, so that editors and scripts find file and place in them. Names
// from files are made printable: otherwise they could begin new lines.

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

void print_error(std::string_view file, const std::string &message) {
  print_error(file, Error{"", "", message});
}

void print_warning(std::string_view file, const Error &warning) {
  print_message("warning", file, warning);
}

bool overwrites(const std::string &output, const std::string &argument) {
  std::string path = argument;
  std::optional<FileIdentity> read = identify_file(path);
  while (read && !read->name.empty()) { // without such a file, the part after a colon is a member
    const size_t colon = path.rfind(':');
    path.resize(colon == std::string::npos ? 0 : colon);
    read = path.empty() ? std::nullopt : identify_file(path);
  }
  if (!read || identify_file(output) != read)
    return false;
  print_error(output, "this output is the file that is read");
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
  print_error("<stdout>", std::string("cannot write: ") + std::strerror(out.failure()));
  return false;
}

} // namespace culink::tools
