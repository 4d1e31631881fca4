// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who defines what and who needs it: one list of facts, told for some symbols in the order of the
// inputs, or for all of them in the order of names.
#include "inspect/report/references.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "link/model/name_pattern.h"
#include "support/text_out.h"

namespace culink {

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

} // namespace culink
