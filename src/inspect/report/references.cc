// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbols and the inputs that define, refer to or keep them: --trace, --trace-symbol, --cref and
// --why-live.
#include "inspect/report/references.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "link/model/name_pattern.h"
#include "support/text_out.h"

namespace culink {

// Who defines what and who needs it: one list of facts, told for some symbols in the order of the
// inputs, or for all of them in the order of names.

namespace {

// Names that compilers declare in every object, needed or not.
bool is_of_system(const std::vector<const ReferenceFacts *> &references) {
  const std::string_view name = references.front()->name;
  const bool defined =
      std::any_of(references.begin(), references.end(),
                  [](const ReferenceFacts *one) { return one->what.starts_with("defines"); });
  return !defined &&
         (name.starts_with(".nv.") || name.starts_with("__UFT") || name.starts_with("__UDT"));
}

} // namespace

std::string trace_symbol_text(const LinkFacts &facts, const std::vector<std::string> &wanted,
                              NameStyle names) {
  std::string out;
  for (const ReferenceFacts &reference : facts.references) {
    const bool asked = std::any_of(wanted.begin(), wanted.end(), [&](const std::string &one) {
      return is_meant(reference.name, one);
    });
    if (asked)
      out += visible(reference.file + ": " + reference.what + ": " +
                     shown_name(reference.name, names)) +
             "\n";
  }
  return out;
}

std::string cross_reference_text(const LinkFacts &facts, NameStyle names) {
  std::map<std::string, std::vector<const ReferenceFacts *>> by_name;
  for (const ReferenceFacts &reference : facts.references)
    by_name[shown_name(reference.name, names)].push_back(&reference);
  std::string out = "Cross references: symbols, then the inputs that define or refer to them\n";
  for (auto &[name, references] : by_name) {
    if (is_of_system(references))
      continue;
    std::stable_partition(references.begin(), references.end(), [](const ReferenceFacts *one) {
      return one->what.starts_with("defines");
    });
    out += visible(name) + "\n";
    for (const ReferenceFacts *one : references)
      out += fmt::format("    {}: {}\n", visible(one->file), one->what);
  }
  return out;
}

std::string inputs_text(const LinkFacts &facts, const std::vector<std::string> &compiled) {
  std::string out;
  for (const std::string &input : facts.inputs) {
    const bool was_ptx = std::ranges::find(compiled, input) != compiled.end();
    out += visible(input) + (was_ptx ? " (compiled from PTX)\n" : "\n");
  }
  return out;
}

// Why a symbol is part of the output, or why not. The linker has recorded the reasons when it
// marked live functions; here they are only put into words, one line for each step of the chain.

namespace {

std::string_view step_text(LiveReason reason) {
  switch (reason) {
  case LiveReason::Kernel:
    return "kernel";
  case LiveReason::SelectedKernel:
    return "selected kernel";
  case LiveReason::HostReference:
    return "kernel that host code refers to:";
  case LiveReason::DriverFunction:
    return "function that the driver knows by name:";
  case LiveReason::Call:
    return "calls";
  case LiveReason::PointerCall:
    return "may call through a pointer";
  case LiveReason::AddressTaken:
    return "takes the address of";
  case LiveReason::Reference:
    return "refers to";
  case LiveReason::AllCode:
    return "function";
  case LiveReason::AddressTaker:
  case LiveReason::AllVariables:
  case LiveReason::None:
  case LiveReason::NotSelected:
  case LiveReason::NoHostReference:
  case LiveReason::Folded:
    break;
  }
  return "";
}

// "kernel smooth(float*) of main.cubin", "code or data of main.cubin"
std::string step_line(std::string_view how, const LiveStep &step, NameStyle names) {
  const std::string name = visible(shown_name(step.name, names));
  return fmt::format(">>> {}{}{}{}{}\n", how, how.empty() ? "" : " ",
                     name.empty() ? "code or data" : name, step.file.empty() ? "" : " of ",
                     visible(step.file));
}

std::string live_text(const LivenessFacts &facts, NameStyle names) {
  if (facts.reason == LiveReason::AllVariables)
    return "kept because variables are never discarded; no live code refers to it\n";
  if (facts.reason == LiveReason::AllCode)
    return "kept because all code is (-g, -r, --preserve-relocs); no kernel reaches it\n";
  std::string out = "kept by\n";
  for (const LiveStep &step : facts.chain)
    out += step_line(step_text(step.reason), step, names);
  return out;
}

std::string dead_text(const LivenessFacts &facts, NameStyle names) {
  std::string out = "not live: ";
  if (facts.reason == LiveReason::NotSelected)
    out += "a kernel that --kernels-used does not name\n";
  else if (facts.reason == LiveReason::NoHostReference)
    out += "a kernel that host code does not refer to\n";
  else if (facts.reason == LiveReason::Folded)
    out += "another function is the same and stands for it (--icf=safe)\n";
  else
    out += facts.chain.empty() ? "nothing refers to it\n"
                               : "no live kernel reaches what refers to it\n";
  for (const LiveStep &step : facts.chain)
    out += step_line(step.reason == LiveReason::Folded ? "folded into"
                     : step.reason == LiveReason::Call ? "called by"
                                                       : "referenced by",
                     step, names);
  return out;
}

// Files whose definitions of this symbol are not part of the output: discarded ones, if it is live.
std::vector<std::string_view> other_definers(const LinkFacts &facts, const LivenessFacts &item) {
  std::vector<std::string_view> out;
  for (const DiscardedFacts &other : facts.discarded)
    if (other.name == item.name && (!item.live || other.why.starts_with("the copy of ")))
      out.push_back(other.file);
  return out;
}

// One name, several files: which of them is linked, and which are not.
std::string other_definitions_text(const LinkFacts &facts, const LivenessFacts &item) {
  constexpr size_t kMost = 3;
  const std::vector<std::string_view> files = other_definers(facts, item);
  if (item.reason == LiveReason::Folded || files.size() < (item.live ? 1 : 2))
    return "";
  std::string out;
  for (size_t i = 0; i < files.size() && i < kMost; ++i)
    out += fmt::format(">>> {} {}\n", item.live ? "not linked: the copy of" : "defined in",
                       visible(files[i]));
  if (files.size() > kMost)
    out += fmt::format(">>> and in {} more\n", files.size() - kMost);
  return out;
}

} // namespace

std::string why_live_text(const LinkFacts &facts, const std::string &name, NameStyle names) {
  std::string out;
  for (const LivenessFacts &item : facts.liveness)
    if (item.asked == name)
      out += visible(shown_name(item.name, names)) + ": " +
             (item.live ? live_text(item, names) : dead_text(item, names)) +
             other_definitions_text(facts, item);
  return out.empty() ? name + ": no symbol of that name\n" : out;
}

} // namespace culink
