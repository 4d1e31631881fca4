// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a symbol is part of the output, or why not. The linker has recorded the reasons when it
// marked live functions; here they are only put into words, one line for each step of the chain.
#include "inspect/report/why_live.h"

#include <fmt/format.h>

#include "support/text_out.h"

namespace culink {

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
