// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who owns the bytes of an image: sections of a function are the function's, but for the code of
// helpers that the compiler put inside it, which have symbols of their own; all other sections
// are parts of the file by what they are for, and what is in no section is headers or padding.
// What a function needs comes from inspect/usage, who calls whom from .nv.callgraph.
//
// Functions are sorted by name: names of one template then follow each other, which makes the page
// a fraction of the size (see front_coded in report_json.cc).
#include "page/read_image.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "arch/target_name.h"
#include "base/name_map.h"
#include "elf/records/nv_callgraph.h"
#include "elf/section_kind.h"
#include "inspect/usage.h"

namespace culink::page {

namespace {

struct PartName {
  elf::SectionRole role;
  std::string_view kind;
};

// What people call a section that is no function's; others have the name of their role.
constexpr PartName kPartNames[] = {
    {elf::SectionRole::StringTable, "names"},
    {elf::SectionRole::SymbolTable, "symbol table"},
    {elf::SectionRole::SymbolIndices, "symbol table"},
    {elf::SectionRole::Rel, "relocations"},
    {elf::SectionRole::Rela, "relocations"},
    {elf::SectionRole::ResolvedRela, "relocations"},
    {elf::SectionRole::Text, "code without a symbol"},
    {elf::SectionRole::Info, "records"},
    {elf::SectionRole::Callgraph, "call graph"},
    {elf::SectionRole::Prototype, "call graph"},
    {elf::SectionRole::Constant, "constant variables"},
    {elf::SectionRole::ConstantNamed, "constant variables"},
    {elf::SectionRole::GlobalInit, "global variables"},
    {elf::SectionRole::Dwarf, "debug information"},
    {elf::SectionRole::NvDebug, "debug information"},
    {elf::SectionRole::NoteTkinfo, "notes"},
    {elf::SectionRole::NoteCuinfo, "notes"},
    {elf::SectionRole::NoteCuver, "notes"},
    {elf::SectionRole::Note, "notes"},
};

std::string_view part_name(const elf::SectionKind &kind) {
  if (kind.mercury)
    return "Mercury code";
  for (const PartName &row : kPartNames)
    if (row.role == kind.role)
      return row.kind;
  return elf::name_of_section_role(kind.role);
}

u32 block_threads(const FunctionUsage &use) {
  const auto &given = use.required_threads ? use.required_threads : use.max_threads;
  if (!given)
    return 0;
  const u64 threads = u64{(*given)[0]} * (*given)[1] * (*given)[2]; // zero where it wraps
  return threads > 0xffffffff ? 0 : static_cast<u32>(threads);
}

class ImageReader {
public:
  ImageReader(const elf::ElfView &file, u64 bytes) : file_(file), symbols_(file.symbols()) {
    out_.bytes = bytes;
  }

  ImageReport read() {
    const arch::FileTarget target = arch::target_of(file_);
    out_.target = target.name;
    out_.linked = file_.header().type == elf::FileType::Executable;
    const ModuleUsage usage = inspect::collect_usage(file_);
    out_.toolkit = usage.toolkit;
    add_functions(usage, out_.linked && target.arch ? target.arch->reserved_shared : 0);
    add_sections();
    add_calls();
    return std::move(out_);
  }

private:
  void add_functions(const ModuleUsage &usage, u64 reserved_shared) {
    std::vector<u32> order(usage.functions.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) {
      return usage.functions[a].name < usage.functions[b].name;
    });
    for (const u32 at : order) {
      const FunctionUsage &use = usage.functions[at];
      const u32 row = static_cast<u32>(out_.functions.size());
      of_symbol_.try_emplace(use.symbol, row);
      add_to_section(symbols_.without_name(use.symbol), row);
      of_name_.try_emplace(use.name, row);
      FunctionRow &function = out_.functions.emplace_back();
      function.name = use.name;
      function.kernel = use.kernel;
      function.code = use.code;
      function.registers = use.registers;
      function.stack = use.min_stack ? use.min_stack : use.frame;
      function.barriers = use.barriers;
      function.local = use.local;
      function.shared = use.shared - std::min(use.shared, use.kernel ? reserved_shared : 0);
      for (const BankUse &bank : use.constants)
        function.constant += bank.size;
      function.threads = block_threads(use);
    }
  }

  // A section is that of the function at its beginning; others are inside that one.
  void add_to_section(const elf::Symbol &symbol, u32 row) {
    if (symbol.value == 0)
      of_section_.try_emplace(symbol.section, row);
    else
      inside_[symbol.section].push_back(row);
  }

  // The function of a section, or of the section that it belongs to: by number, else by name.
  FunctionRow *owner_of(const elf::Section &section, std::string_view owner) {
    const elf::Section *target = file_.info_section(section);
    for (const u32 index : {section.index, target ? target->index : section.index})
      if (const auto at = of_section_.find(index); at != of_section_.end())
        return &out_.functions[at->second];
    const auto at = of_name_.find(owner);
    return owner.empty() || at == of_name_.end() ? nullptr : &out_.functions[at->second];
  }

  // The bytes of a section that belong to functions inside another one, which calls them.
  u64 give_to_inner(const elf::Section &section, FunctionRow &outer) {
    const auto inner = inside_.find(section.index);
    u64 given = 0;
    if (inner == inside_.end())
      return 0;
    for (const u32 row : inner->second) {
      FunctionRow &function = out_.functions[row];
      const u64 bytes = std::min(function.code, section.data.size() - given);
      function.bytes += bytes;
      given += bytes;
      outer.calls.push_back(row);
    }
    return given;
  }

  void add_sections() {
    std::map<std::string_view, u64> parts;
    u64 seen = 0;
    for (const elf::Section &section : file_.sections()) {
      if (section.data.empty())
        continue;
      seen += section.data.size();
      const elf::SectionKind kind =
          elf::classify_section(section.name, section.type, section.flags);
      FunctionRow *const owner = owner_of(section, kind.owner);
      if (owner)
        owner->bytes += section.data.size() - give_to_inner(section, *owner);
      else
        parts[part_name(kind)] += section.data.size();
    }
    // Sections may share bytes, so that there seems to be nothing left.
    const u64 rest = out_.bytes - std::min(out_.bytes, seen);
    const u64 table = u64{file_.header().section_count} * file_.header().shentsize;
    parts["section headers"] = std::min(rest, table);
    parts["padding and other headers"] = rest - std::min(rest, table);
    for (const auto &[kind, bytes] : parts)
      out_.parts.push_back({std::string(kind), bytes});
    std::stable_sort(out_.parts.begin(), out_.parts.end(),
                     [](const FilePart &a, const FilePart &b) { return a.bytes > b.bytes; });
  }

  void add_calls() {
    for (const elf::Section &section : file_.sections()) {
      const elf::SectionKind kind =
          elf::classify_section(section.name, section.type, section.flags);
      if (kind.role != elf::SectionRole::Callgraph || kind.mercury)
        continue;
      const elf::CallGraph graph = elf::decode_call_graph(section.data);
      for (const elf::CallPart part : {elf::CallPart::Calls, elf::CallPart::IndirectTargets})
        for (const elf::CallPair &pair : graph.pairs(part))
          add_call(pair);
    }
    for (FunctionRow &function : out_.functions) {
      std::sort(function.calls.begin(), function.calls.end());
      function.calls.erase(std::unique(function.calls.begin(), function.calls.end()),
                           function.calls.end());
    }
  }

  void add_call(const elf::CallPair &pair) {
    const auto caller = of_symbol_.find(pair.first), callee = of_symbol_.find(pair.second);
    if (caller != of_symbol_.end() && callee != of_symbol_.end())
      out_.functions[caller->second].calls.push_back(callee->second);
  }

  const elf::ElfView &file_;
  elf::SymbolTable symbols_;
  ImageReport out_;
  std::unordered_map<u32, u32> of_symbol_; // looked up only, never walked
  std::unordered_map<u32, u32> of_section_;
  std::unordered_map<u32, std::vector<u32>> inside_;
  NameMap<u32> of_name_;
};

} // namespace

ImageReport read_image(const elf::ElfView &file, u64 bytes) {
  return ImageReader(file, bytes).read();
}

} // namespace culink::page
