// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages in culink's own words: as text in the style of other linkers, and as JSON, one object
// per line. Both forms are made from the same data and have the same contents.
//
// Symbol names are mangled in the data and are demangled here: the table of messages marks the
// arguments that are symbols. Names come from untrusted files, so control characters are shown by
// their numbers.
#include <array>

#include <fmt/format.h>

#include "link/model/diagnostics.h"
#include "support/demangle.h"
#include "support/json.h"
#include "support/text_out.h"

namespace culink {

namespace {

constexpr std::array<std::string_view, 4> kSeverityColors = {"\033[1;36m", "\033[1;35m",
                                                             "\033[1;31m", "\033[1;31m"};
constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kPlain = "\033[0m";

// Shortens names of templates, which may have thousands of characters. --no-demangle and JSON do
// not shorten names.
std::string readable_name(std::string_view name) {
  constexpr size_t kMost = 400, kBegin = 250, kEnd = 140;
  std::string out = demangle(name);
  if (out.size() > kMost)
    out.replace(kBegin, out.size() - kBegin - kEnd, " ... ");
  return out;
}

// Formats the table's text, which marks symbols; a message that is not in the table has only text.
std::string message_text(const Message &message, NameStyle names) {
  const DiagRow *row = names ? find_diag_row(message.id) : nullptr;
  return row ? fill_blanks(row->text, message.arguments, names) : message.text;
}

std::string origin_text(const Origin &origin, NameStyle names) {
  std::string out = origin.role;
  const auto add = [&out](std::string_view between, const std::string &text) {
    if (text.empty())
      return;
    if (!out.empty())
      out += between;
    out += text;
  };
  add(" ", origin.file);
  add(":", origin.member);
  add(origin.file.empty() ? " " : ": ", shown_name(origin.symbol, names));
  add(", ", origin.detail);
  return out;
}

void put_origin(JsonWriter &json, const Origin &origin) {
  const auto add = [&json](std::string_view key, const std::string &value) {
    if (!value.empty())
      json.field(key, value);
  };
  json.open('{');
  add("role", origin.role);
  add("file", origin.file);
  add("member", origin.member);
  add("symbol", origin.symbol);
  if (const std::string name = demangle(origin.symbol); name != origin.symbol)
    add("demangled", name);
  add("detail", origin.detail);
  json.close('}');
}

} // namespace

std::string format_message(const Message &message, std::string_view program,
                           const MessageStyle &style) {
  const auto colored = [&style](std::string_view color, std::string_view text) {
    return style.color ? fmt::format("{}{}{}", color, text, kPlain) : std::string(text);
  };
  const NameStyle names = style.demangle ? readable_name : nullptr;
  std::string out = colored(kBold, fmt::format("{}:", program)) + " " +
                    colored(kSeverityColors[static_cast<size_t>(message.severity)],
                            fmt::format("{}:", severity_word(message.severity))) +
                    " " + visible(message_text(message, names));
  if (!style.target.empty())
    out += fmt::format(" (target: {})", style.target);
  out += "\n";
  for (const Origin &origin : message.origins)
    out += ">>> " + visible(origin_text(origin, names)) + "\n";
  for (const std::string &note : message.notes)
    out += ">>> " + visible(note) + "\n";
  if (!message.hint.empty())
    out += colored(kBold, "hint:") + " " + visible(message.hint) + "\n";
  return out;
}

std::string format_message_json(const Message &message, std::string_view target) {
  TextOut out;
  JsonWriter json(out);
  json.open('{');
  json.field("severity", severity_word(message.severity));
  json.field("id", message.id);
  json.field("text", message_text(message, demangle));
  json.list("arguments", message.arguments);
  json.key("origins");
  json.open('[');
  for (const Origin &origin : message.origins)
    put_origin(json, origin);
  json.close(']');
  json.list("notes", message.notes);
  json.field("hint", message.hint);
  if (!target.empty())
    json.field("target", target);
  json.close('}');
  return out.text() + "\n";
}

} // namespace culink
