// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects the requested reports and their order. Output that nvlink also prints goes to standard
// error, as in nvlink: -v and the call graph. Other reports go to standard output or a file, so
// that messages do not mix with them.
#include "reports.h"

#include <algorithm>
#include <array>
#include <sys/resource.h>

#include "driver/options/dialects.h"
#include "driver/options/nvlink_name.h"
#include "inspect/page/page.h"
#include "inspect/report/link_reports.h"
#include "inspect/report/nvlink_reports.h"
#include "support/text_out.h"

namespace culink {

namespace {

// The peak memory of this process in bytes.
u64 peak_memory() {
  constexpr u64 kKibibyte = 1024;
  struct rusage use {};
  return ::getrusage(RUSAGE_SELF, &use) == 0 ? static_cast<u64>(use.ru_maxrss) * kKibibyte : 0;
}

// nvlink demangles even if the options forbid it (Q091).
NameStyle call_graph_names(const CommandLine &line, const Console &console) {
  const bool emulated = dialect_of(line).defects.always_demangles;
  if (!emulated && line.has(OptionId::DumpCallgraphNoDemangle))
    return nullptr;
  return emulated || console.speaks_as_nvlink() ? nvlink_name : console.names();
}

Wording wording_of(const CommandLine &line, const Console &console) {
  const bool emulated = !dialect_of(line).name.empty();
  return emulated || console.speaks_as_nvlink() ? Wording::Nvlink : Wording::Own;
}

} // namespace

std::string map_text(const CommandLine &line, const Console &console, const LinkFacts &facts) {
  return line.value(OptionId::MapFormat) == "json" ? link_map_json(facts)
                                                   : link_map_text(facts, console.names());
}

namespace {

// nvlink prints the call graph only for executables.
void show_call_graph(const CommandLine &line, const Console &console, const LinkFacts &facts) {
  if ((!line.has(OptionId::DumpCallgraph) && !line.has(OptionId::DumpCallgraphNoDemangle)) ||
      line.has(OptionId::Relocatable))
    return;
  std::string out;
  for (const std::string &text :
       call_graph_lines(facts, call_graph_names(line, console), wording_of(line, console)))
    if (console.speaks_json())
      console.show_info_json(DiagId::CallGraphLine, text);
    else
      out += text + "\n";
  print_to(stderr, out);
}

// Prints -v for programs.
void show_resources_json(const LinkResult &result, const Console &console, Wording wording) {
  for (const std::string &name : result.compiled)
    console.show_info_json(DiagId::CompiledFromPtx, name);
  for (const ResourceUse &use : resource_uses(result.facts, wording))
    console.show_info_json(DiagId::ResourceUsage, use.text, use.kernel);
}

// Prints -v. nvlink does not demangle these names and does not list compiled PTX.
void show_resources(const LinkResult &result, const Console &console, Wording wording) {
  if (console.speaks_json())
    return show_resources_json(result, console, wording);
  const bool own = wording == Wording::Own;
  for (const std::string &name : result.compiled)
    if (own)
      console.show_info(visible(name) + ": compiled from PTX", wording);
  for (const std::string &text :
       resource_lines(result.facts, wording, own ? console.names() : nullptr))
    console.show_info(text, wording);
}

// nvcc links once for each target with -report-arch; the heading then names the target.
std::string target_heading(const CommandLine &line, const LinkFacts &facts) {
  constexpr std::array kListsOfNames = {OptionId::Trace, OptionId::TraceSymbol, OptionId::WhyLive,
                                        OptionId::Cref, OptionId::PrintGcSections};
  const bool lists = std::any_of(kListsOfNames.begin(), kListsOfNames.end(),
                                 [&line](OptionId id) { return line.has(id); });
  return lists && line.has(OptionId::ReportArch) ? "target " + facts.target + ":\n" : "";
}

std::string report_text(const CommandLine &line, const Console &console, const LinkResult &result) {
  const LinkFacts &facts = result.facts;
  std::string out = target_heading(line, facts);
  if (line.has(OptionId::Trace))
    out += inputs_text(facts, result.compiled);
  if (line.has(OptionId::TraceSymbol))
    out += trace_symbol_text(facts, line.list(OptionId::TraceSymbol), console.names());
  for (const std::string &name : line.list(OptionId::WhyLive))
    out += why_live_text(facts, name, console.names());
  if (line.has(OptionId::Cref))
    out += cross_reference_text(facts, console.names());
  if (line.has(OptionId::PrintGcSections))
    out += discarded_text(facts, console.names());
  if (line.has(OptionId::PrintMap))
    out += map_text(line, console, facts);
  if (line.has(OptionId::Stats))
    out += stats_text(result, peak_memory());
  return out;
}

} // namespace

void print_nvlink_reports(const CommandLine &line, const Console &console,
                          const LinkResult &result) {
  show_call_graph(line, console, result.facts);
  if (line.has(OptionId::Verbose))
    show_resources(result, console, wording_of(line, console));
}

std::string own_reports(const CommandLine &line, const Console &console, const LinkResult &result) {
  if (result.facts.sections.empty())
    return line.has(OptionId::Stats) ? cache_text(result.cache) : "";
  return report_text(line, console, result);
}

// The page of a link: its image like any image, read back from the written bytes, and facts that
// only the link knows. Outputs contain times only on request, so the page has the times of steps
// only with --stats or -time, which measure them.

namespace {

// The words of the console without the severity, which the page shows separately.
page::MessageRow message_row(const Message &message, bool demangle) {
  const std::string_view severity = severity_word(message.severity);
  const std::string start = "culink: " + std::string(severity) + ": ";
  std::string text = format_message(message, "culink", {.demangle = demangle});
  if (text.starts_with(start))
    text.erase(0, start.size());
  return {severity, std::move(text)};
}

// The name of the output on the page. nvcc gives its outputs temporary names; the name of the page,
// which the user chose, is then more useful.
std::string shown_output(const CommandLine &line) {
  const std::string output = line.value(OptionId::Output);
  if (!base_name(output).starts_with("tmpxft_"))
    return output;
  const std::string page = base_name(line.value(OptionId::Report));
  return page.ends_with(".html") ? page.substr(0, page.size() - 5) : page;
}

} // namespace

std::string report_page(const CommandLine &line, const LinkResult &result) {
  page::ImageReport image;
  if (const Result<elf::ElfView> view = elf::ElfView::open_tolerant(result.bytes); view)
    image = page::read_image(*view);
  image.file = image.name = shown_output(line);
  page::Report report = page::with_link(std::move(image), result);
  for (const Message &message : result.messages)
    report.messages.push_back(message_row(message, !line.has(OptionId::NoDemangle)));
  return page::page_html(report);
}

} // namespace culink
