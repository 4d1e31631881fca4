// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of a link as clients of nvJitLink expect them: a code, and lines like "error   : ..." in
// which nvJitLink and nvlink use the same words. What nvlink only calls an internal error, or does
// not say at all, is in culink's words.
#include "nvjitlink/jit_messages.h"

#include <algorithm>
#include <array>

#include "compat/nvlink_messages.h"
#include "model/diagnostics.h"

namespace culink::jit {

namespace {

constexpr std::array<std::string_view, 4> kWeights = {
    "info    : ", "warning : ", "error   : ", "error   : "};

struct CodeRow {
  DiagId id;
  Code code;
};

// What is not listed says that an input is bad if it speaks of one, and else that the link failed.
constexpr std::array<CodeRow, 14> kCodes = {{
    {DiagId::CannotOpenInput, Code::InvalidInput},
    {DiagId::BadInput, Code::InvalidInput},
    {DiagId::BadHostObject, Code::InvalidInput},
    {DiagId::BadFatbin, Code::InvalidInput},
    {DiagId::BadPayload, Code::InvalidInput},
    {DiagId::BadArchive, Code::InvalidInput},
    {DiagId::CannotOpenMember, Code::InvalidInput},
    {DiagId::NotAnObject, Code::InvalidInput},
    {DiagId::PtxRefused, Code::PtxCompile},
    {DiagId::LtoCode, Code::LtoNotEnabled},
    {DiagId::OnlyLinkedCode, Code::InvalidInput},
    {DiagId::WrongArchitecture, Code::InvalidInput},
    {DiagId::FinalizerFailed, Code::Finalize},
    {DiagId::NotFinalized, Code::Finalize},
}};

// Whether nvlink says something of use about it.
bool has_nvlink_words(const Message &message) {
  const DiagRow *row = find_diag_row(message.id);
  if (!row)
    return false;
  const NvlinkRow &words = nvlink_rows()[static_cast<size_t>(row->id)];
  return words.weight != NvlinkWeight::Silent && words.weight != NvlinkWeight::Fatal &&
         !words.text.empty();
}

// The same without the name of the program, and without the line that only ends nvlink's list.
std::string nvlink_words(const Message &message) {
  constexpr std::string_view kProgram = "nvlink ";
  std::string out;
  for (const std::string &line : nvlink_report({message}).lines)
    if (line.starts_with(kProgram) && !line.starts_with("nvlink fatal"))
      out += line.substr(kProgram.size()) + "\n";
  return out;
}

} // namespace

std::string log_lines(const Message &message) {
  std::string out = has_nvlink_words(message) ? nvlink_words(message) : "";
  if (out.empty()) {
    out = std::string(kWeights[static_cast<size_t>(message.severity)]) + message.text + "\n";
    for (const std::string &note : message.notes)
      out += note + "\n";
  }
  if (!message.hint.empty())
    out += "hint    : " + message.hint + "\n";
  return out;
}

Code code_of(const std::vector<Message> &messages) {
  for (const Message &message : messages) {
    if (message.severity < Severity::Error)
      continue;
    const DiagRow *row = find_diag_row(message.id);
    const auto *const known =
        std::find_if(kCodes.begin(), kCodes.end(),
                     [row](const CodeRow &code) { return row && code.id == row->id; });
    return known == kCodes.end() ? Code::Internal : known->code;
  }
  return Code::Success;
}

} // namespace culink::jit
