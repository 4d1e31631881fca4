// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An image for a page: who owns its bytes and who calls whom is inspect/image_parts' to say, what
// functions need is inspect/usage's. Both list the functions in the order of their symbols.
//
// Functions are sorted by name here: names of one template then follow each other, which makes the
// page a fraction of the size (see put_front_coded in report_json.cc).
#include "inspect/page/page.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <numeric>

#include "elf/target/elf_flags.h"
#include "inspect/reader/image_parts.h"
#include "inspect/reader/usage.h"
#include "support/bytes.h"
#include "support/string_index.h"

namespace culink::page {

namespace {

struct PartName {
  std::string_view kind;
  std::string_view shown;
};

// What people call the kinds of bytes that are no function's; others are shown as they are.
constexpr PartName kPartNames[] = {
    {"string-table", "names"},
    {"symbol-table", "symbol table"},
    {"symbol-indices", "symbol table"},
    {"rel", "relocations"},
    {"rela", "relocations"},
    {"resolved-rela", "relocations"},
    {"text", "code without a symbol"},
    {"mercury", "Mercury code"},
    {"info", "records"},
    {"callgraph", "call graph"},
    {"prototype", "call graph"},
    {"constant", "constant variables"},
    {"constant-named", "constant variables"},
    {"global-init", "global variables"},
    {"dwarf", "debug information"},
    {"nv-debug", "debug information"},
    {"note-tkinfo", "notes"},
    {"note-cuinfo", "notes"},
    {"note-cuver", "notes"},
    {"note", "notes"},
    {"header", "file headers"},
    {"program-headers", "file headers"},
    {"section-headers", "section headers"},
};

std::string_view shown_part(std::string_view kind) {
  for (const PartName &row : kPartNames)
    if (row.kind == kind)
      return row.shown;
  return kind;
}

u32 block_threads(const FunctionUsage &use) {
  const auto &given = use.required_threads ? use.required_threads : use.max_threads;
  if (!given)
    return 0;
  const u64 threads = u64{(*given)[0]} * (*given)[1] * (*given)[2];
  return threads > 0xffffffff ? 0 : static_cast<u32>(threads);
}

// What a kernel calls, and so its stack, is known once it is linked.
FunctionRow make_row(const FunctionUsage &use, u64 own, bool linked, u64 reserved_shared) {
  FunctionRow row;
  row.name = use.name;
  row.kernel = use.kernel;
  row.code = use.code;
  row.bytes = own;
  row.registers = use.registers;
  if (linked)
    row.stack = use.min_stack ? use.min_stack : use.frame;
  row.spills = use.spills;
  row.barriers = use.barriers;
  row.local = use.local;
  row.shared = use.shared - std::min(use.shared, use.kernel ? reserved_shared : 0);
  row.constant = inspect::sum_of_constants(use);
  row.threads = block_threads(use);
  return row;
}

void add_functions(const inspect::ImageParts &measured, const ModuleUsage &usage,
                   u64 reserved_shared, ImageReport &out) {
  std::vector<u32> order(usage.functions.size()), row_of(usage.functions.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](u32 a, u32 b) { return usage.functions[a].name < usage.functions[b].name; });
  for (u32 row = 0; row < order.size(); ++row)
    row_of[order[row]] = row;
  for (const u32 at : order) {
    FunctionRow &row = out.functions.emplace_back(
        make_row(usage.functions[at], measured.functions[at].own, out.linked, reserved_shared));
    row.digest = std::hash<std::string_view>()(as_text(measured.functions[at].code));
    for (const u32 callee : measured.functions[at].calls)
      row.calls.push_back(row_of[callee]);
  }
}

void add_parts(const inspect::ImageParts &measured, ImageReport &out) {
  std::map<std::string_view, u64> sums;
  for (const inspect::ImagePart &part : measured.parts)
    if (part.function == inspect::kNoFunction)
      sums[shown_part(part.kind)] += part.size;
  for (const auto &[kind, bytes] : sums)
    out.parts.push_back({std::string(kind), bytes});
  std::stable_sort(out.parts.begin(), out.parts.end(),
                   [](const FilePart &a, const FilePart &b) { return a.bytes > b.bytes; });
}

} // namespace

ImageReport read_image(const elf::ElfView &file) {
  ImageReport out;
  const arch::FileTarget target = arch::target_of(file);
  out.target = target.name;
  out.linked = file.header().type == elf::FileType::Executable;
  out.bytes = file.file().size();
  const ModuleUsage usage = inspect::collect_usage(file);
  out.toolkit = usage.toolkit;
  const inspect::ImageParts measured = inspect::measure_image(file);
  add_functions(measured, usage, out.linked && target.arch ? target.arch->reserved_shared : 0, out);
  add_parts(measured, out);
  return out;
}

// Facts of a link beside its image. Functions of the image and of the facts are matched by name;
// where files have functions of one name, each local to its file, they come in the same order.

namespace {

void add_inputs(ImageReport &image, const LinkFacts &facts) {
  NameMap<u32> inputs;
  NameMap<std::deque<u32>> input_of;
  for (const FunctionFacts &function : facts.functions) {
    if (!function.live || function.file.empty())
      continue;
    const auto [at, is_new] =
        inputs.try_emplace(function.file, static_cast<u32>(image.inputs.size()));
    if (is_new)
      image.inputs.push_back(function.file);
    input_of[function.name].push_back(at->second);
  }
  for (FunctionRow &function : image.functions) {
    const auto at = input_of.find(function.name);
    if (at == input_of.end() || at->second.empty())
      continue;
    function.input = at->second.front();
    if (at->second.size() > 1)
      at->second.pop_front();
  }
}

} // namespace

Report with_link(ImageReport image, const LinkResult &result) {
  Report out;
  out.of_link = true;
  add_inputs(image, result.facts);
  out.images.push_back(std::move(image));
  for (const DiscardedFacts &item : result.facts.discarded)
    out.discarded.push_back({item.name, item.file, item.size, item.why});
  for (const StepTime &step : result.times)
    out.steps.push_back({std::string(step.name), step.wall, step.processor});
  return out;
}

} // namespace culink::page
