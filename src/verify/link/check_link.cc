// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the checker's parts. First it computes the program from the inputs alone: names,
// calls, liveness. Then it looks for each part of the program in the output. Last it checks that
// each kernel has the resources it needs, and that the output does not contain anything else.
//
// The checker and the linker share only the reading of files and the tables of numbers, so that a
// mistake in one is not repeated in the other.
#include "verify/link/check_link.h"

#include <array>
#include <optional>

#include <fmt/format.h>

#include "elf/target/elf_flags.h"
#include "verify/link/link.h"

namespace culink::check {

namespace {

std::vector<Object> read_inputs(std::span<const CheckInput> inputs, WorkerPool &pool,
                                Report &report) {
  std::vector<std::optional<Result<Object>>> results(inputs.size());
  pool.for_each(static_cast<u32>(inputs.size()),
                [&](u32 i) { results[i].emplace(read_object(inputs[i].name, inputs[i].bytes)); });
  std::vector<Object> objects;
  objects.reserve(inputs.size());
  for (u32 i = 0; i < inputs.size(); ++i) {
    if (*results[i])
      objects.push_back(std::move(**results[i]));
    else
      report.add(FindingKind::Unreadable, "", inputs[i].name, 0, "a cubin",
                 results[i]->error().text());
  }
  return objects;
}

bool has_unified_functions(const Program &program) {
  for (const Object &object : program.objects)
    for (const elf::SectionKind &kind : object.kinds)
      if (kind.role == elf::SectionRole::UftEntry)
        return true;
  return false;
}

bool has_overridden(const Program &program) {
  for (const std::vector<Outcome> &outcomes : program.outcome)
    for (const Outcome outcome : outcomes)
      if (outcome == Outcome::Overridden)
        return true;
  return false;
}

void find_calls(Link &link) {
  const bool keeps_all = link.options.keeps_all_code || !link.executable;
  link.calls = build_calls(link.program, false);
  link.live = find_live(link.program, link.calls, link.options, keeps_all, false);
  link.has_unified = has_unified_functions(link.program);
  link.exact = !has_overridden(link.program);
  if (!link.exact)
    link.all_calls = build_calls(link.program, true);
  // Functions that the driver provides are kept even if only unreachable code calls them.
  const Calls &calls = link.exact ? link.calls : link.all_calls;
  // Files before 13.0 do not record the options of their link.
  const bool may_keep_all = keeps_all || link.out.toolkit == 0;
  link.allowed = find_live(link.program, calls, link.options, may_keep_all, true).needed;
  for (u32 f = 0; f < calls.functions(); ++f)
    if (!calls.function(link.program, f).defined())
      link.allowed[f] = true;
}

// Reads the Mercury objects in the inputs and in the output. Returns false if there are none.
bool read_planes(Link &link, Report &report) {
  const auto lack = [&](std::string_view name) {
    report.add(FindingKind::Mercury, "", name, 0, "Mercury code", "none");
    return false;
  };
  link.out_plane = read_mercury_plane(link.out);
  if (!link.out_plane)
    return lack(link.out.name);
  for (const Object &object : link.program.objects) {
    std::optional<Object> plane = read_mercury_plane(object);
    if (!plane)
      return lack(object.name);
    link.planes.push_back(std::move(*plane));
  }
  return true;
}

// Checks that a symbol has the same number in both tables, and a variable the same place. Only
// offsets in machine code include the reserved shared memory.
void compare_variables(const Link &sass, const Object &mercury, Report &report) {
  const Object &out = sass.out;
  for (u32 i = 1; i < std::min(out.symbols.size(), mercury.symbols.size()); ++i) {
    const elf::Symbol &a = out.symbols[i], &b = mercury.symbols[i];
    if (a.type() == elf::SymbolType::Function || !a.in_section() || a.size == 0)
      continue;
    const elf::SectionRole role = out.kinds[a.section].role;
    const bool shared = role == elf::SectionRole::Shared || role == elf::SectionRole::DebugShared;
    if (!shared && role != elf::SectionRole::Global && role != elf::SectionRole::GlobalInit &&
        !out.kinds[a.section].is_constant())
      continue;
    const u64 reserved = shared && sass.executable ? sass.arch.reserved_shared : 0;
    if (a.name != b.name || a.size != b.size || b.value + reserved != a.value)
      report.add(FindingKind::Mercury, a.name, ".nv.merc.symtab", i,
                 hex(a.size) + " bytes at " + hex(a.value - reserved),
                 hex(b.size) + " bytes at " + hex(b.value));
  }
}

// Runs the parts in order. `sass`: the link of the machine code if this is the Mercury form.
void check_program(Link &link, const Link *sass, WorkerPool &pool, Report &report) {
  find_calls(link);
  if (accept_folding(link))
    find_calls(link);
  match_symbols(link, report);
  place_blocks(link, report);
  if (sass)
    take_places(*sass, link);
  else
    derive_places(link, pool);
  check_contents(link, pool, report);
  check_kernels(link, report);
  check_records(link, report);
  if (!sass)
    check_call_graph(link, report);
  check_leftovers(link, report);
}

// Checks the Mercury form of the program, which has the same functions as the machine code.
void check_mercury(Link &sass, WorkerPool &pool, Report &report) {
  Report found;
  compare_variables(sass, *sass.out_plane, report);
  check_capsules(sass, found);
  Link link(resolve(std::move(sass.planes), sass.out.toolkit, found), std::move(*sass.out_plane),
            sass.arch, sass.options);
  link.executable = sass.executable;
  link.has_mercury = link.mercury = true;
  check_program(link, &sass, pool, found);
  for (Finding &finding : found.take()) {
    finding.expected = std::string(name_of(finding.kind)) + ", " + finding.expected;
    finding.kind = FindingKind::Mercury;
    report.add(std::move(finding));
  }
}

} // namespace

std::vector<Finding> check_link(std::span<const CheckInput> inputs, ByteSpan output,
                                const CheckOptions &options, WorkerPool &pool) {
  Report report;
  Result<Object> out = read_object("output", output);
  if (!out) {
    report.add(FindingKind::Unreadable, "", "output", 0, "a cubin", out.error().text());
    return report.take();
  }
  const arch::FileTarget target = arch::target_of(out->view);
  std::vector<Object> objects = read_inputs(inputs, pool, report);
  if (!target.arch) {
    report.add(FindingKind::Unreadable, "", "output", 0, "a known target", target.name);
    return report.take();
  }
  Link link(resolve(std::move(objects), out->toolkit, report), std::move(*out), *target.arch,
            options);
  link.has_mercury = target.flags.code_kind == static_cast<u8>(arch::CodeKind::Capmerc);
  link.executable = link.out.view.header().type == elf::FileType::Executable;
  const bool has_planes = link.has_mercury && read_planes(link, report);
  check_program(link, nullptr, pool, report);
  if (has_planes)
    check_mercury(link, pool, report);
  return report.take();
}

// Findings as text. A finding contains its subject, the place in the output, the expected and the
// found value, but not how the checker computed them.

namespace {

struct KindRow {
  FindingKind kind;
  std::string_view name;
};

constexpr std::array<KindRow, 14> kKinds{{
    {FindingKind::Unreadable, "unreadable"},
    {FindingKind::Missing, "missing-definition"},
    {FindingKind::Unexplained, "unexplained"},
    {FindingKind::Symbol, "wrong-symbol"},
    {FindingKind::Bytes, "wrong-bytes"},
    {FindingKind::Field, "wrong-field"},
    {FindingKind::Relocation, "wrong-relocation"},
    {FindingKind::Reference, "lost-reference"},
    {FindingKind::Overlap, "overlap"},
    {FindingKind::Alignment, "misaligned"},
    {FindingKind::Memory, "wrong-memory"},
    {FindingKind::Records, "wrong-record"},
    {FindingKind::CallGraph, "wrong-call-graph"},
    {FindingKind::Mercury, "wrong-mercury"},
}};

constexpr bool kinds_in_order() {
  for (u32 i = 0; i < kKinds.size(); ++i)
    if (kKinds[i].kind != static_cast<FindingKind>(i))
      return false;
  return true;
}
static_assert(kinds_in_order());

} // namespace

std::string_view name_of(FindingKind kind) {
  return kKinds[static_cast<u32>(kind)].name;
}

std::string to_line(const Finding &finding) {
  std::string place = finding.section;
  if (!place.empty() && finding.offset != 0)
    place += fmt::format("+{:#x}", finding.offset);
  const char *in = finding.symbol.empty() || place.empty() ? "" : " in ";
  return fmt::format("{}: {}{}{}: expected {}, found {}", name_of(finding.kind), finding.symbol, in,
                     place, finding.expected, finding.found);
}

std::string hex(u64 value) {
  return fmt::format("{:#x}", value);
}

std::string bytes_text(ByteSpan bytes) {
  std::string out;
  for (const u8 byte : bytes)
    out += fmt::format("{}{:02x}", out.empty() ? "" : " ", byte);
  return out;
}

} // namespace culink::check
