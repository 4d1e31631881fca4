// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which reports were asked for, and in what order they come: nvlink's own first and as nvlink
// prints them, then those that only culink has. All go to standard error, beside the messages.
#include "reports.h"

#include "base/text_out.h"
#include "compat/demangle/nvlink_demangle.h"
#include "compat/dialects.h"
#include "report/call_graph_text.h"
#include "report/link_map.h"
#include "report/resource_table.h"
#include "report/stats.h"
#include "report/why_live.h"

namespace culink {

namespace {

std::string references_text(const LinkFacts &facts, const std::vector<std::string> &wanted,
                            NameStyle names) {
  std::string out;
  for (const ReferenceFacts &reference : facts.references)
    out +=
        visible(reference.file + ": " + reference.what + ": " + shown_name(reference.name, names)) +
        "\n";
  if (out.empty())
    for (const std::string &name : wanted)
      out += name + ": no input defines or refers to it\n";
  return out;
}

// nvlink demangles even if it is asked not to (Q091).
NameStyle call_graph_names(const CommandLine &line, const Console &console) {
  const bool emulated = dialect_of(line).has(Defect::AlwaysDemangles);
  if (!emulated && line.has(OptionId::DumpCallgraphNoDemangle))
    return nullptr;
  return emulated || console.speaks_as_nvlink() ? nvlink_demangle : console.names();
}

Wording wording_of(const CommandLine &line, const Console &console) {
  const bool emulated = !dialect_of(line).name.empty();
  return emulated || console.speaks_as_nvlink() ? Wording::Nvlink : Wording::Own;
}

} // namespace

// nvlink shows no call graph of an object.
void print_reports(const CommandLine &line, const Console &console, const LinkResult &result) {
  const LinkFacts &facts = result.facts;
  if ((line.has(OptionId::DumpCallgraph) || line.has(OptionId::DumpCallgraphNoDemangle)) &&
      !line.has(OptionId::Relocatable))
    for (const std::string &text :
         call_graph_lines(facts, call_graph_names(line, console), wording_of(line, console)))
      print_to(stderr, text + "\n");
  if (line.has(OptionId::Verbose))
    for (const std::string &text : resource_lines(facts, wording_of(line, console)))
      console.show_info(text);
  if (line.has(OptionId::TraceSymbol))
    print_to(stderr, references_text(facts, line.list(OptionId::TraceSymbol), console.names()));
  for (const std::string &name : line.list(OptionId::WhyLive))
    print_to(stderr, why_live_text(facts, name, console.names()));
  if (line.has(OptionId::PrintGcSections))
    print_to(stderr, discarded_text(facts, console.names()));
  if (line.has(OptionId::Stats))
    print_to(stderr, stats_text(result));
}

} // namespace culink
