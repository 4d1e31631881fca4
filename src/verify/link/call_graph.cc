// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The call graph of the output, and the sections that no part has claimed. Debuggers and the driver
// read the graph; if a call is missing there, the stack is too small. Calls of overridden
// definitions may also be in the graph (Q026).
#include <algorithm>

#include "elf/records/nv_rel_action.h"
#include "elf/target/reloc.h"
#include "verify/link/link.h"

namespace culink::check {

using elf::CallPart;
using elf::SectionRole;

namespace {

// An entry of the graph: a symbol of the output, and the name of another symbol or a prototype.
using Line = std::pair<u32, std::string_view>;
using Lines = std::vector<Line>;
using Pairs = std::vector<std::pair<u32, u32>>; // function nodes, and nodes or prototypes

Lines sorted(Lines lines) {
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

// The entries that the graphs of the inputs require for functions of the output.
class ExpectedGraph {
public:
  ExpectedGraph(const Link &link, const Calls &calls) : l_(link), c_(calls) {}

  [[nodiscard]] Lines calls() const { return between_functions(edges(false)); }
  [[nodiscard]] Lines indirect_calls() const { return with_prototype(edges(true)); }
  [[nodiscard]] Lines possible_callees() const { return between_functions(c_.named_targets); }
  [[nodiscard]] Lines with_prototype(const Pairs &list) const {
    Lines out;
    for (const auto &[f, prototype] : list)
      if (symbol(f) != 0)
        out.emplace_back(symbol(f), c_.prototypes[prototype]);
    return sorted(std::move(out));
  }
  [[nodiscard]] Lines taken() const {
    Lines out;
    for (u32 f = 0; f < c_.functions(); ++f)
      if (c_.taken[f] && symbol(f) != 0)
        out.emplace_back(symbol(f), "");
    return sorted(std::move(out));
  }

private:
  [[nodiscard]] u32 symbol(u32 f) const { return c_.function(l_.program, f).out; }
  // Returns pairs of callers and callees, or of callers and the prototypes that they call through.
  [[nodiscard]] Pairs edges(bool indirect) const {
    Pairs out;
    for (u32 f = 0; f < c_.functions(); ++f)
      for (const u32 callee : c_.of(f))
        if ((callee >= c_.functions()) == indirect)
          out.emplace_back(f, indirect ? callee - c_.functions() : callee);
    return out;
  }
  [[nodiscard]] Lines between_functions(const Pairs &list) const {
    Lines out;
    for (const auto &[from, to] : list)
      if (symbol(from) != 0 && symbol(to) != 0)
        out.emplace_back(symbol(from), l_.out.symbols[symbol(to)].name);
    return sorted(std::move(out));
  }

  const Link &l_;
  const Calls &c_;
};

class GraphChecker {
public:
  GraphChecker(const Link &link, Report &report) : l_(link), report_(report) {}

  void run() {
    const ExpectedGraph least(l_, l_.calls);
    const ExpectedGraph most(l_, l_.exact ? l_.calls : l_.all_calls);
    const Calls &all = l_.exact ? l_.calls : l_.all_calls;
    compare("a call of ", least.calls(), most.calls(), part(CallPart::Calls));
    compare("an indirect call of ", least.indirect_calls(), most.indirect_calls(),
            part(CallPart::IndirectCalls));
    compare("a possible callee ", least.possible_callees(), most.possible_callees(),
            part(CallPart::IndirectTargets));
    // A function has one prototype, but the inputs may contain several declarations.
    Lines allowed = most.with_prototype(all.declared);
    const Lines more = most.with_prototype(all.taken_as);
    allowed.insert(allowed.end(), more.begin(), more.end());
    allowed = sorted(std::move(allowed));
    const Lines taken = part(CallPart::AddressTaken);
    const Lines with_prototype = named(taken);
    compare("prototype ", {}, allowed, with_prototype);
    const Lines known_prototype = without_prototype(with_prototype);
    compare("a prototype", without_prototype(named(least.with_prototype(l_.calls.taken_as))),
            known_prototype, known_prototype);
    compare("address taken", least.taken(), most.taken(), without_prototype(taken));
    const Lines prototypes = listed_prototypes();
    compare("prototype ", {}, allowed, prototypes);
    // A function with a prototype has it in one of the two lists.
    Lines either = without_prototype(prototypes), known = without_prototype(taken);
    either.insert(either.end(), known.begin(), known.end());
    either = sorted(std::move(either));
    compare("a prototype", without_prototype(least.with_prototype(l_.calls.declared)), either,
            either);
  }

private:
  // Removes entries without a prototype. Kernels do not have one.
  [[nodiscard]] static Lines named(Lines lines) {
    std::erase_if(lines, [](const Line &line) { return line.second.empty(); });
    return lines;
  }
  [[nodiscard]] static Lines without_prototype(Lines lines) {
    for (Line &line : lines)
      line.second = "";
    return sorted(std::move(lines));
  }
  [[nodiscard]] Lines part(CallPart part) const {
    Lines out;
    for (const elf::CallPair &pair : l_.out.calls.pairs(part)) {
      const bool prototype = elf::second_is_prototype(part);
      if (pair.first >= l_.out.symbols.size() ||
          (!prototype && pair.second >= l_.out.symbols.size()))
        out.emplace_back(0, "");
      else
        out.emplace_back(pair.first, prototype ? l_.out.string_at(pair.second)
                                               : l_.out.symbols[pair.second].name);
    }
    return sorted(std::move(out));
  }
  [[nodiscard]] Lines listed_prototypes() const {
    Lines out;
    for (const elf::Prototype &record : l_.out.prototypes.records)
      out.emplace_back(record.symbol < l_.out.symbols.size() ? record.symbol : 0,
                       l_.out.string_at(record.string));
    return sorted(std::move(out));
  }
  void compare(const std::string &what, const Lines &least, const Lines &most, const Lines &found) {
    Lines missing, extra;
    std::set_difference(least.begin(), least.end(), found.begin(), found.end(),
                        std::back_inserter(missing));
    std::set_difference(found.begin(), found.end(), most.begin(), most.end(),
                        std::back_inserter(extra));
    const auto add = [&](const Line &line, std::string expected, std::string is) {
      report_.add(FindingKind::CallGraph, l_.out.symbols[line.first].name, ".nv.callgraph", 0,
                  std::move(expected), std::move(is));
    };
    for (const Line &line : missing)
      add(line, what + std::string(line.second), "none");
    for (const Line &line : extra)
      add(line, "none", what + std::string(line.second));
  }

  const Link &l_;
  Report &report_;
};

// True for the compiler's constants of definitions that do not prevail (Q040): they are unused.
bool is_useless(const Link &link, u32 section) {
  const elf::SectionKind &kind = link.out.kinds[section];
  const u32 code = link.out.code_of[section];
  return kind.is_constant() && kind.bank == link.arch.banks.compiler && code != 0 &&
         link.claimed[code];
}

// Checks that the output describes relocations that a loader may not know as the table does.
void check_actions(const Link &link, Report &report) {
  const arch::RelocInfo &row = arch::reloc_for(arch::RelocRole::NewestField);
  elf::RelocationAction action;
  for (size_t i = 0; i < action.fields.size(); ++i)
    action.fields[i] = {row.pieces[i].value_bit, row.pieces[i].width, row.pieces[i].word_bit};
  const std::vector<u8> expected = elf::encode_relocation_actions(
      {.has_header = true, .first_type = row.number, .actions = {action}});
  bool found = !link.executable || !link.arch.has_rel_action;
  for (const elf::Section &section : link.out.view.sections())
    if (link.out.kinds[section.index].role == SectionRole::RelAction) {
      found = true;
      if (!std::ranges::equal(section.data, expected))
        report.add(FindingKind::Relocation, "", section.name, 0, bytes_text(expected),
                   bytes_text(section.data));
    }
  if (!found)
    report.add(FindingKind::Relocation, "", ".nv.rel.action", 0, bytes_text(expected), "none");
}

} // namespace

void check_call_graph(Link &link, Report &report) {
  if (!link.out.symbols.empty())
    GraphChecker(link, report).run();
}

void check_leftovers(Link &link, Report &report) {
  check_actions(link, report);
  for (const elf::Section &section : link.out.view.sections()) {
    const elf::SectionKind &kind = link.out.kinds[section.index];
    if (kind.mercury || link.claimed[section.index])
      continue;
    const bool table =
        section.type == elf::SectionType::Rel || section.type == elf::SectionType::Rela;
    const bool holds_program =
        kind.is_code() || kind.is_constant() || kind.role == SectionRole::Global ||
        kind.role == SectionRole::GlobalInit || kind.role == SectionRole::Udt;
    const bool useless =
        is_useless(link, section.index) ||
        (table && section.info < link.claimed.size() && is_useless(link, section.info));
    if (useless)
      continue;
    if (holds_program && section.size != 0)
      report.add(FindingKind::Unexplained, kind.owner, section.name, 0, "no such section",
                 hex(section.size) + " bytes");
    else if (table && section.size != 0 && section.info < link.claimed.size() &&
             !link.claimed[section.info] && !link.out.kinds[section.info].is_debug())
      report.add(FindingKind::Unexplained, kind.owner, section.name, 0, "no such relocations",
                 hex(section.size) + " bytes");
  }
}

} // namespace culink::check
