// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three forms of one list of messages: for people, for programs, and as nvlink writes them. The
// exit status is always nvlink's, so that a build does not see a difference.
//
// People get only the first of many errors. Programs and the nvlink form get all of them.
//
// -w and -disable-infos take effect, except in nvlink's format: nvlink ignores them.
#include "console.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

#include "driver/options/dialects.h"
#include "driver/options/messages.h"
#include "support/text_out.h"

namespace culink {

namespace {

constexpr int kExitWithErrors = 1;

ErrorFormat chosen_format(const CommandLine &line) {
  const std::string name = line.value(OptionId::ErrorFormat);
  return name == "json"     ? ErrorFormat::Json
         : name == "nvlink" ? ErrorFormat::Nvlink
                            : ErrorFormat::Text;
}

size_t chosen_error_limit(const CommandLine &line) {
  constexpr size_t kUsual = 20; // like lld
  if (line.has(OptionId::ErrorLimit))
    return std::strtoul(line.value(OptionId::ErrorLimit).c_str(), nullptr, 10);
  return dialect_of(line).name.empty() ? kUsual : 0;
}

bool wants_color(const CommandLine &line) {
  const std::string when = line.value(OptionId::Color);
  if (when == "always" || when == "never")
    return when == "always";
  const char *terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr && terminal &&
         std::string_view(terminal) != "dumb";
}

// Makes text visible but keeps its line breaks.
std::string visible_lines(std::string_view text) {
  std::string out;
  for (size_t end = 0; (end = text.find('\n')) != std::string_view::npos;
       text.remove_prefix(end + 1))
    out += visible(text.substr(0, end)) + "\n";
  return out + visible(text);
}

// Only texts of compilers may have several lines; other arguments must not begin a line.
void make_visible(Message &message) {
  constexpr std::array kOfCompilers = {DiagId::PtxRemarks, DiagId::PtxRefused, DiagId::LtoRemarks,
                                       DiagId::LtoFailed};
  const bool of_compiler =
      std::any_of(kOfCompilers.begin(), kOfCompilers.end(),
                  [&message](DiagId id) { return message.id == diag_row(id).key; });
  for (std::string &argument : message.arguments)
    argument = of_compiler ? visible_lines(argument) : visible(argument);
  for (Origin &origin : message.origins)
    for (std::string *text : {&origin.file, &origin.member, &origin.symbol, &origin.detail})
      *text = visible(*text);
}

// nvlink -disable-infos hides the messages of its PTX compiler about redefined options.
void drop_redefinitions(Message &message) {
  constexpr std::string_view kLine = "ptxas warning : incompatible redefinition";
  for (std::string &text : message.arguments)
    for (size_t at = 0; (at = text.find(kLine)) != std::string::npos;)
      text.erase(at, text.find('\n', at) + 1 - at);
}

} // namespace

void print_to(FILE *to, const std::string &text) {
  std::fwrite(text.data(), 1, text.size(), to);
}

Console::Console(const CommandLine &line, bool understood)
    : format_(chosen_format(line)), style_(log_style(line)), error_limit_(chosen_error_limit(line)),
      toolkit_(dialect_of(line).release.toolkit) {
  style_.text.color = wants_color(line);
  if (!understood)
    style_.text.target.clear();
}

LinkOutcome Console::show(const std::vector<Message> &messages) const {
  if (messages.empty())
    return {};
  // nvlink prints this message as a warning, but -disable-infos hides it like a remark.
  const auto is_remark = [this](const Message &message) {
    return style_.hides_infos && message.id == diag_row(DiagId::PreserveRelocsIncomplete).key;
  };
  std::vector<Message> shown;
  std::remove_copy_if(messages.begin(), messages.end(), std::back_inserter(shown), is_remark);
  for (Message &message : shown) {
    make_visible(message);
    if (style_.hides_infos)
      drop_redefinitions(message);
  }
  const NvlinkReport report = nvlink_report(shown, toolkit_);
  if (format_ == ErrorFormat::Nvlink)
    for (const std::string &line : report.lines)
      print_to(stderr, style_.nvlink_line(line));
  size_t errors = 0;
  for (const Message &message : messages) {
    const bool is_error = message.severity >= Severity::Error;
    errors += is_error ? 1 : 0;
    if (format_ == ErrorFormat::Nvlink || style_.hides(message))
      continue;
    if (format_ == ErrorFormat::Json)
      print_to(stderr, format_message_json(message, style_.text.target));
    else if (!is_error || error_limit_ == 0 || errors <= error_limit_)
      print_to(stderr, format_message(message, "culink", style_.text));
  }
  if (format_ == ErrorFormat::Text && error_limit_ != 0 && errors > error_limit_)
    print_to(stderr, "culink: " + std::to_string(errors - error_limit_) +
                         " more errors are not shown; --error-limit=0 shows all\n");
  if (errors == 0)
    return {};
  return {report.status != 0 ? report.status : kExitWithErrors, report.tells_about_program};
}

void Console::show_info(const std::string &text, Wording wording) const {
  if (wording == Wording::Nvlink) {
    print_to(stderr, style_.nvlink_line("nvlink info    : " + text));
    return;
  }
  Message message;
  message.severity = Severity::Info;
  message.text = text;
  print_to(stderr, format_message(message, "culink", style_.text));
}

void Console::show_info_json(DiagId id, const std::string &argument,
                             const std::string &kernel) const {
  Message message;
  message.severity = Severity::Info;
  message.id = diag_row(id).key;
  message.arguments = {argument};
  if (!kernel.empty())
    message.origins.push_back({.role = "kernel", .symbol = kernel});
  print_to(stderr, format_message_json(message, style_.text.target));
}

// Hints for people at a command line, who can use `culink --explain`. One hint of a kind is enough
// for all symbols. A message that already names a candidate symbol, or an input that would define
// it, gets no hint.

namespace {

bool names_candidate(const Message &message) {
  constexpr std::array<std::string_view, 4> kCandidates = {
      "not visible outside of", "other signature in", "similar name in", "would be defined in"};
  return std::any_of(message.origins.begin(), message.origins.end(), [&](const Origin &origin) {
    return std::find(kCandidates.begin(), kCandidates.end(), origin.role) != kCandidates.end();
  });
}

void advise_first(DiagId id, std::string_view hint, std::vector<Message> &messages) {
  const std::string_view key = diag_row(id).key;
  for (Message &message : messages)
    if (message.id == key && message.hint.empty() && !names_candidate(message)) {
      message.hint = hint;
      return;
    }
}

} // namespace

void advise_about_symbols(std::vector<Message> &messages) {
  advise_first(DiagId::UndefinedReference,
               "add the object or library that defines it; culink --explain undefined-reference "
               "tells what else may be wrong",
               messages);
  advise_first(DiagId::MultipleDefinition,
               "leave one of the files out, or make it static or inline; culink --explain "
               "multiple-definition tells more",
               messages);
}

} // namespace culink
