// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Laws for links of damaged files. They hold for good files too, so one judge serves the campaign
// and the fuzzer.
#include "link_laws.h"

#include <algorithm>
#include <array>

#include "elf/elf_view.h"
#include "elf/target/arch.h"
#include "elf/target/elf_flags.h"
#include "inspect/report/nvlink_reports.h"
#include "verify/file/verify.h"

namespace culink::robustness {

namespace {

struct OptionSet {
  bool emulate, relocatable, debug, preserve, kernels;
  bool fold = false;
};
constexpr std::array<OptionSet, kOptionSetCount> kOptionSets = {{
    {false, false, false, false, false},
    {true, false, false, false, false},
    {true, true, false, false, false},
    {false, true, false, false, false},
    {true, false, true, false, false},
    {true, false, false, true, false},
    {true, false, false, false, true},
    {true, true, true, false, false},
    {true, false, true, true, false},
    {false, false, false, true, true},
    {false, false, false, false, false, true},
}};

bool contains(const std::string &text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string whole_text(const Message &message) {
  std::string out = message.text;
  for (const Origin &origin : message.origins)
    out += "\n" + origin.file + ":" + origin.member;
  for (const std::string &note : message.notes)
    out += "\n" + note;
  return out;
}

bool names_an_input(const LinkRequest &request, const std::string &text) {
  for (const LinkInput &input : request.inputs)
    if (contains(text, input.name))
      return true;
  return false;
}

// The part of a file; or what is missing to read it.
bool names_a_place(const std::string &text) {
  for (const char *place : {"section", "header", "fatbin", "archive", "no ptxas"})
    if (contains(text, place))
      return true;
  return false;
}

std::string broken_law_of_refusal(const LinkRequest &request, const LinkResult &result) {
  bool error = false;
  for (const Message &message : result.messages) {
    const std::string text = whole_text(message);
    if (message.severity == Severity::Bug)
      return "blames itself: " + text;
    if (message.severity != Severity::Error)
      continue;
    error = true;
    if (message.id == "check-finding") {
      if (!is_disputed(result))
        continue;
      return "another program than its inputs: " + text;
    }
    if (!names_an_input(request, text))
      return "names no file: " + text;
    if (message.id == "bad-input" && !names_a_place(text))
      return "names no place: " + text;
  }
  return error ? "" : "refused without an error";
}

} // namespace

void choose_options(u32 number, LinkRequest &request) {
  const OptionSet &set = kOptionSets[number % kOptionSetCount];
  request.emulate = set.emulate ? "nvlink-13.0.88" : "";
  request.options.relocatable = set.relocatable;
  request.options.debug = set.debug;
  request.options.preserve_relocs = set.preserve;
  request.options.fold_identical = set.fold;
  if (set.kernels)
    request.options.kernels_used = std::vector<std::string>{"k"};
  request.options.facts = true;
  request.options.code = OutputCode::Sass; // what any program can be linked to
}

std::string target_of(ByteSpan object) {
  const Result<elf::ElfView> view = elf::ElfView::open_tolerant(object);
  if (!view)
    return {};
  const elf::FileHeader &header = view->header();
  const arch::ElfTarget made = arch::decode_elf_target(header);
  const arch::ArchInfo *row = arch::find_arch(made.sm);
  return row ? std::string(row->name) : "";
}

std::string dispute_of(const LinkResult &result) {
  for (const Message &message : result.messages)
    if (message.id == "check-finding" || message.id == "check-failed")
      return message.text;
  return "";
}

bool is_explained(const LinkResult &result) {
  return std::any_of(result.messages.begin(), result.messages.end(), [](const Message &message) {
    return message.id == "copied-flaw" || message.id == "newer-toolkit" ||
           message.id == "check-failed";
  });
}

bool is_disputed(const LinkResult &result) {
  bool disputed = false, explained = false;
  for (const Message &message : result.messages) {
    disputed = disputed || message.id == "check-finding" || message.id == "check-failed";
    explained = explained || message.id == "copied-flaw" || message.id == "newer-toolkit";
  }
  return disputed && !explained;
}

std::string broken_law(const LinkRequest &request, const LinkResult &result) {
  if (!result.ok())
    return broken_law_of_refusal(request, result);
  for (const Message &message : result.messages)
    if (message.severity >= Severity::Error)
      return "succeeds with an error: " + whole_text(message);
  const Result<elf::ElfView> view = elf::ElfView::open(result.bytes);
  if (!view)
    return "unreadable output: " + view.error().text();
  // The imitated linker does let symbols and relocations hang over and gives symbol 0 a value
  // (Q019), and we were asked to do the same.
  const auto is_imitated = [&request](Rule rule) {
    return !request.emulate.empty() && (rule == Rule::SymbolValue || rule == Rule::SymbolNull ||
                                        rule == Rule::RelocationOffset);
  };
  const auto is_told = [&result](Rule rule) {
    return is_about_carried_content(rule) &&
           std::any_of(result.messages.begin(), result.messages.end(),
                       [](const Message &message) { return message.id == "copied-flaw"; });
  };
  for (const Finding &finding : verify_device_elf(*view))
    if (!is_told(finding.rule) && !is_imitated(finding.rule))
      return "invalid output: " + finding.what.text();
  if (resource_lines(result.facts, Wording::Own).empty())
    return "no report";
  return "";
}

} // namespace culink::robustness
