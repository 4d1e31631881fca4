// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of a link, with their texts, and lists of them. A pass reports an id with arguments; the
// text is filled in when the message is shown or returned, so the caller chooses the wording and
// the form of symbol names. The table of texts is in message_rows.cc.
#include "link/model/diagnostics.h"

#include <iterator>

namespace culink {

std::string fill_blanks(std::string_view text, const std::vector<std::string> &arguments,
                        NameStyle names) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '{' || i + 2 >= text.size()) {
      out += text[i];
      continue;
    }
    const size_t argument = static_cast<size_t>(text[i + 1] - '0');
    const bool symbol = text[i + 2] == 's';
    if (argument < arguments.size())
      out += shown_name(arguments[argument], symbol ? names : nullptr);
    i = text.find('}', i);
  }
  return out;
}

std::string diagnostic_text(const Diagnostic &diagnostic) {
  return fill_blanks(diag_row(diagnostic.id).text, diagnostic.arguments);
}

Message to_message(const Diagnostic &diagnostic) {
  return {diagnostic.severity,
          std::string(diag_row(diagnostic.id).key),
          diagnostic_text(diagnostic),
          diagnostic.arguments,
          diagnostic.origins,
          diagnostic.notes,
          diagnostic.hint,
          diagnostic.step};
}

std::vector<Message> messages_of(const Diagnostics &diag) {
  std::vector<Message> out;
  for (const Diagnostic &diagnostic : diag.all())
    out.push_back(to_message(diagnostic));
  return out;
}

Diagnostic &Diagnostics::report(DiagId id, std::vector<std::string> arguments,
                                std::vector<std::string> notes, std::string hint) {
  const Severity severity = diag_row(id).severity;
  failed_ = failed_ || severity >= Severity::Error;
  return all_.emplace_back(Diagnostic{.id = id,
                                      .severity = severity,
                                      .arguments = std::move(arguments),
                                      .notes = std::move(notes),
                                      .hint = std::move(hint)});
}

void Diagnostics::add(Diagnostic diagnostic) {
  failed_ = failed_ || diagnostic.severity >= Severity::Error;
  all_.push_back(std::move(diagnostic));
}

void Diagnostics::append(Diagnostics &&more) {
  all_.insert(all_.end(), std::make_move_iterator(more.all_.begin()),
              std::make_move_iterator(more.all_.end()));
  failed_ = failed_ || more.failed_;
}

} // namespace culink
