// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints for people at a command line, who can be sent to `culink --explain`. One hint of a kind is
// enough, however many symbols are concerned, and a message that names a symbol which may have been
// meant, or who would have it, needs none.
#include "advice.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "link/model/diagnostics.h"

namespace culink {

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
