// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports of a link in culink's own form: the map, the inputs that define and use each symbol, the
// reasons why a symbol is live, and numbers about the link.
#include "inspect/report/link_reports.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "link/model/name_pattern.h"
#include "support/json.h"
#include "support/text_out.h"

namespace culink {

// Sums for the map of a link. The kind of a section is its name without the name of the function it
// belongs to. A function that several kernels call is part of the sum of each, so these sums do not
// add up to a total.

namespace {

// The size of one kind of section, of an input or of a kernel.
struct MapTotal {
  std::string name;
  u64 bytes = 0;
  u32 definitions = 0;
};

// Sections that exist once per function, by the beginnings of their names; constant banks have a
// number before the function.
constexpr std::array<std::string_view, 9> kPerFunction = {
    ".nv.merc.text.", ".nv.merc.nv.info.", ".nv.capmerc.text.", ".nv.info.", ".nv.local.",
    ".nv.shared.",    ".rela.text.",       ".rel.text.",        ".text."};

std::string kind_of_section(std::string_view name) {
  for (const std::string_view prefix : kPerFunction)
    if (name.starts_with(prefix))
      return std::string(prefix.substr(0, prefix.size() - 1));
  constexpr std::string_view kConstant = ".nv.constant";
  const size_t at = name.find(kConstant);
  if (at == std::string_view::npos)
    return std::string(name);
  return std::string(name.substr(0, std::min(name.find('.', at + kConstant.size()), name.size())));
}

std::vector<MapTotal> sorted(const std::map<std::string, MapTotal> &totals) {
  std::vector<MapTotal> out;
  for (const auto &[name, total] : totals)
    out.push_back({name, total.bytes, total.definitions});
  std::stable_sort(out.begin(), out.end(),
                   [](const MapTotal &a, const MapTotal &b) { return a.bytes > b.bytes; });
  return out;
}

// Returns a list of sums, largest first, equal ones by name. All three lists have this order.
std::vector<MapTotal> totals_by_kind(const LinkFacts &facts) {
  std::map<std::string, MapTotal> totals;
  for (const SectionFacts &section : facts.sections) {
    if (section.name.empty())
      continue;
    MapTotal &total = totals[kind_of_section(section.name)];
    total.bytes += section.size;
    ++total.definitions;
  }
  return sorted(totals);
}

std::vector<MapTotal> totals_by_input(const LinkFacts &facts) {
  std::map<std::string, MapTotal> totals;
  for (const std::string &input : facts.inputs)
    totals[input] = {};
  for (const SymbolFacts &symbol : facts.symbols) {
    MapTotal &total = totals[symbol.file];
    total.bytes += symbol.size;
    ++total.definitions;
  }
  return sorted(totals);
}

std::vector<MapTotal> totals_by_kernel(const LinkFacts &facts) {
  std::vector<MapTotal> out;
  for (const KernelFacts &kernel : facts.kernels) {
    MapTotal total{facts.functions[kernel.function].name};
    std::vector<bool> seen(facts.functions.size(), false);
    std::vector<u32> open_functions = {kernel.function};
    seen[kernel.function] = true;
    while (!open_functions.empty()) {
      const FunctionFacts &function = facts.functions[open_functions.back()];
      open_functions.pop_back();
      total.bytes += function.code_bytes;
      total.definitions += function.code_bytes != 0 ? 1 : 0;
      for (const std::vector<u32> *list : {&function.calls, &function.pointer_calls})
        for (const u32 callee : *list)
          if (!seen[callee]) {
            seen[callee] = true;
            open_functions.push_back(callee);
          }
    }
    out.push_back(total);
  }
  std::stable_sort(out.begin(), out.end(), [](const MapTotal &a, const MapTotal &b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.name < b.name;
  });
  return out;
}

// A link map in columns: file offset and size for sections, section offset and size for symbols,
// all in hexadecimal with a prefix; totals and discarded parts in decimal bytes. Symbols of one
// section are sorted by offset. Names of sections need not be unique: a symbol is listed under the
// first section of its name.

std::string total_lines(std::string_view title, const std::vector<MapTotal> &totals,
                        NameStyle names) {
  std::string out = fmt::format("\n{}\n", title);
  for (const MapTotal &total : totals)
    out += fmt::format("{:>10}  {:>8}  {}\n", total.bytes, total.definitions,
                       visible(shown_name(total.name, names)));
  return out;
}

} // namespace

std::string discarded_text(const LinkFacts &facts, NameStyle names) {
  std::string out;
  u64 bytes = 0;
  for (const DiscardedFacts &item : facts.discarded) {
    out += fmt::format("{:>8}  {}: {}: {}\n", item.size, visible(item.file),
                       visible(shown_name(item.name, names)), item.why);
    bytes += item.size;
  }
  return out +
         fmt::format("{:>8}  bytes in {} definitions left out\n", bytes, facts.discarded.size());
}

std::string link_map_text(const LinkFacts &facts, NameStyle names) {
  std::map<std::string_view, std::vector<const SymbolFacts *>> by_section;
  for (const SymbolFacts &symbol : facts.symbols)
    by_section[symbol.section].push_back(&symbol);
  for (auto &[name, symbols] : by_section)
    std::stable_sort(symbols.begin(), symbols.end(),
                     [](const auto *a, const auto *b) { return a->value < b->value; });
  std::string out = fmt::format("Map of a link for {}, {} objects\n\n"
                                "    offset        size  section\n"
                                "in section        size      symbol: input\n",
                                facts.target, facts.objects);
  for (const SectionFacts &section : facts.sections) {
    if (section.name.empty())
      continue;
    out += fmt::format("{:>#10x}  {:>#10x}  {}\n", section.offset, section.size,
                       visible(section.name));
    const auto symbols = by_section.find(section.name);
    if (symbols == by_section.end())
      continue;
    for (const SymbolFacts *symbol : symbols->second)
      out += fmt::format("{:>#10x}  {:>#10x}      {}: {}\n", symbol->value, symbol->size,
                         visible(shown_name(symbol->name, names)), visible(symbol->file));
    by_section.erase(symbols);
  }
  out += total_lines("Totals by kind (bytes, sections)", totals_by_kind(facts), nullptr);
  out += total_lines("Totals by input (bytes, definitions)", totals_by_input(facts), nullptr);
  out += total_lines("Code of kernels with what they reach (bytes, functions)",
                     totals_by_kernel(facts), names);
  return out + "\nLeft out (bytes, input, symbol, reason)\n" + discarded_text(facts, names);
}

// The map as JSON: the facts of the text, with names as in the objects and numbers as numbers.
// docs/schemas/culink-map.json describes it.

namespace {

std::string json_name(const std::string &name) {
  const std::string text = demangle(name);
  return fmt::format("\"name\":{}{}", quoted_json(name),
                     text == name ? "" : fmt::format(",\"demangled\":{}", quoted_json(text)));
}

template <typename T, typename F>
std::string json_list(std::string_view key, const std::vector<T> &items, const F &text) {
  std::string out;
  for (const T &item : items)
    out += fmt::format("{}\n    {{{}}}", out.empty() ? "" : ",", text(item));
  return fmt::format(",\n  \"{}\": [{}{}]", key, out, out.empty() ? "" : "\n  ");
}

std::string total_json(const MapTotal &total) {
  return fmt::format("\"name\":{},\"bytes\":{},\"count\":{}", quoted_json(total.name), total.bytes,
                     total.definitions);
}

} // namespace

std::string link_map_json(const LinkFacts &facts) {
  std::string out = fmt::format("{{\n  \"target\": {}", quoted_json(facts.target));
  out += json_list("inputs", facts.inputs, [](const std::string &name) {
    return fmt::format("\"file\":{}", quoted_json(name));
  });
  out += json_list("sections", facts.sections, [](const SectionFacts &section) {
    return fmt::format("\"name\":{},\"offset\":{},\"size\":{}", quoted_json(section.name),
                       section.offset, section.size);
  });
  out += json_list("symbols", facts.symbols, [](const SymbolFacts &symbol) {
    return fmt::format("{},\"file\":{},\"section\":{},\"offset\":{},\"size\":{}",
                       json_name(symbol.name), quoted_json(symbol.file),
                       quoted_json(symbol.section), symbol.value, symbol.size);
  });
  out += json_list("discarded", facts.discarded, [](const DiscardedFacts &item) {
    return fmt::format("{},\"file\":{},\"size\":{},\"reason\":{}", json_name(item.name),
                       quoted_json(item.file), item.size, quoted_json(item.why));
  });
  out += json_list("by_kind", totals_by_kind(facts), total_json);
  out += json_list("by_input", totals_by_input(facts), total_json);
  out += json_list("by_kernel", totals_by_kernel(facts), total_json);
  return out + "\n}\n";
}

// Definitions and uses of symbols: one list of facts, printed for some symbols in the order of the
// inputs, or for all of them in the order of names.

namespace {

// True for names that compilers declare in every object, whether they are used or not.
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

// Reasons why a symbol is part of the output or not. The linker records them when it marks live
// functions; this part formats them, one line for each step of the chain.

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

// Returns "kernel smooth(float*) of main.cubin", "code or data of main.cubin".
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

// Returns the files whose definitions of this symbol are not part of the output. If the symbol is
// live, these are the discarded definitions.
std::vector<std::string_view> other_definers(const LinkFacts &facts, const LivenessFacts &item) {
  std::vector<std::string_view> out;
  for (const DiscardedFacts &other : facts.discarded)
    if (other.name == item.name && (!item.live || other.why.starts_with("the copy of ")))
      out.push_back(other.file);
  return out;
}

// Lists the files that define the same name: the one that is linked and those that are not.
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

// Numbers about one link. Times are wall times; where several threads worked, processor time is
// larger. Rows of compilers are parts of the steps that call them, and are sums if several
// compilers run at once.

std::string stats_text(const LinkResult &result, u64 peak_memory) {
  constexpr double kMebibyte = 1 << 20;
  std::string out = "step                 ms    cpu ms\n";
  StepTime total;
  for (const StepTime &time : result.times) {
    out += fmt::format("{:<16} {:>7.2f}  {:>7.2f}\n", time.name, time.wall * 1e3,
                       time.processor * 1e3);
    total.wall += time.wall;
    total.processor += time.processor;
  }
  out +=
      fmt::format("{:<16} {:>7.2f}  {:>7.2f}\n", "total", total.wall * 1e3, total.processor * 1e3);
  for (const StepTime &time : result.compilers)
    out += fmt::format("  of it {:<10} {:>7.2f}        -\n", time.name, time.wall * 1e3);
  const auto live = std::count_if(result.facts.functions.begin(), result.facts.functions.end(),
                                  [](const FunctionFacts &f) { return f.live; });
  out +=
      fmt::format("objects {}, functions {} of {}, kernels {}, sections {}, bytes {}\n",
                  result.facts.objects, live, result.facts.functions.size(),
                  result.facts.kernels.size(), result.facts.sections.size(), result.bytes.size());
  if (!result.facts.folded.empty()) {
    u64 saved = 0;
    for (const FoldedFacts &one : result.facts.folded)
      saved += one.size;
    out += fmt::format("folded {} functions that are the same as others, {} bytes of code\n",
                       result.facts.folded.size(), saved);
  }
  if (peak_memory != 0)
    out += fmt::format("peak memory {:.1f} MiB\n", static_cast<double>(peak_memory) / kMebibyte);
  return out + cache_text(result.cache);
}

std::string cache_text(const CacheUse &use) {
  if (!use.on)
    return "cache off\n";
  return fmt::format("cache hits {} and {} shared, misses {}, stored {}\n", use.local_hits,
                     use.remote_hits, use.misses, use.stored);
}

// Times of the steps of a link as comma-separated values, for spreadsheets and bench/link_bench.py.

std::string time_table_head() {
  return "source file name , phase name , phase input files , phase output file , arch , tool, "
         "metric , unit\n";
}

std::string time_table_rows(const std::vector<StepTime> &times, const std::string &output,
                            const std::string &target) {
  std::string out;
  for (const StepTime &time : times) {
    const auto row = [&](double seconds, std::string_view unit) {
      out += fmt::format(" , {} ,  , {} , {} , culink , {:.4f} , {}\n", time.name, output, target,
                         seconds * 1e3, unit);
    };
    row(time.wall, "ms");
    row(time.processor, "cpu ms");
  }
  return out;
}

} // namespace culink
