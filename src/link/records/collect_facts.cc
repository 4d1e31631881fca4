// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts for reports, taken from the finished plan so that they agree with the bytes: registers and
// stack are what the records will say, memory is what the sections will have.
#include "link/records/collect_facts.h"

#include <algorithm>

#include "arch/reloc.h"
#include "base/bytes.h"
#include "elf/section_kind.h"
#include "link/records/liveness_facts.h"
#include "link/records/symbol_facts.h"

namespace culink {

using elf::InfoAttribute;
using elf::SectionRole;

namespace {

class FactCollector {
public:
  FactCollector(const Program &program, const Layout &layout, const ImagePlan &images,
                const InfoResult &info)
      : p_(program), layout_(layout), images_(images), info_(info) {}

  LinkFacts run();

private:
  void add_functions();
  void add_pointer_calls();
  void add_kernel(EntityId id);
  // Definitions of driver functions are linked as kernels are, but are none.
  [[nodiscard]] bool is_kernel(FunctionId f) const {
    return p_.live.kernel[f.value] && is_kernel_mark(p_.entity_of(f).other);
  }
  void read_module_records();
  void read_sections();
  void read_image_slots();
  [[nodiscard]] KernelFacts *kernel_of_text(OutId text);

  const Program &p_;
  const Layout &layout_;
  const ImagePlan &images_;
  const InfoResult &info_;
  LinkFacts out_;
  std::vector<u32> kernel_at_; // by FunctionId: position in kernels plus 1
};

LinkFacts FactCollector::run() {
  out_.target = p_.arch.name;
  out_.mercury = p_.arch.code_kind == arch::CodeKind::Capmerc;
  add_functions();
  add_pointer_calls();
  kernel_at_.assign(p_.calls.functions.size(), 0);
  for (const SectionDetails &section : layout_.sections.details)
    if (section.function.valid())
      add_kernel(section.function);
  read_module_records();
  read_sections();
  read_image_slots();
  return std::move(out_);
}

void FactCollector::add_functions() {
  out_.functions.resize(p_.calls.functions.size());
  std::vector<u32> seen(p_.calls.functions.size(), FunctionId::kNone);
  for (u32 f = 0; f < out_.functions.size(); ++f) {
    FunctionFacts &facts = out_.functions[f];
    const Entity &entity = p_.entity_of(FunctionId(f));
    facts.name = entity.name;
    facts.kernel = is_kernel(FunctionId(f));
    facts.live = p_.live.live[f];
    if (entity.defined()) {
      const InputObject &object = p_.objects[entity.prevailing.object.value];
      facts.file = object.name;
      facts.code_bytes = object.symbols[entity.prevailing.symbol].size;
      const u32 registers = object.registers[entity.prevailing.symbol];
      const bool alias = object.owner_of_code(object.symbols[entity.prevailing.symbol].section) !=
                         entity.prevailing.symbol;
      facts.registers = registers == InputObject::kNoRegisters || alias ? 0 : registers;
    }
    for (const FunctionId callee : p_.calls.calls[f])
      if (seen[callee.value] != f) {
        seen[callee.value] = f;
        facts.calls.push_back(callee.value);
      }
    std::reverse(facts.calls.begin(), facts.calls.end());
  }
}

// Callers of a prototype may call every address-taken function of it, the newest first.
void FactCollector::add_pointer_calls() {
  std::vector<std::vector<u32>> targets(p_.calls.prototypes.size());
  for (const CallGraph::Taken &taken : p_.calls.taken) {
    out_.functions[taken.function.value].address_taken = true;
    if (taken.prototype.valid())
      targets[taken.prototype.value].push_back(taken.function.value);
  }
  for (std::vector<u32> &list : targets) {
    std::sort(list.begin(), list.end(), std::greater<>());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  for (const CallGraph::Taken &call : p_.calls.indirect) {
    std::vector<u32> &list = out_.functions[call.function.value].pointer_calls;
    const std::vector<u32> &more = targets[call.prototype.value];
    list.insert(list.end(), more.begin(), more.end());
  }
}

void FactCollector::add_kernel(EntityId id) {
  const FunctionId f = p_.function_of(id);
  // A kernel that was not selected may be needed nevertheless.
  const bool kernel =
      f.valid() && (is_kernel(f) || (p_.live.demoted[f.value] && p_.live.live[f.value]));
  if (!kernel || !p_.symbols[id].defined())
    return;
  KernelFacts &facts = out_.kernels.emplace_back();
  facts.function = f.value;
  kernel_at_[f.value] = static_cast<u32>(out_.kernels.size());
  const InfoPlan &plan = info_.plan;
  const OutId text = layout_.placement.address_of[id.value].section;
  const FunctionId owner = p_.function_of(layout_.sections.function(text));
  for (const elf::InfoRecord &record : plan.of_function[owner.value].records())
    if (record.attribute == InfoAttribute::NumBarriers)
      facts.barriers = record.value & 0xff;
}

KernelFacts *FactCollector::kernel_of_text(OutId text) {
  if (!text.valid() || !layout_.sections.function(text).valid())
    return nullptr;
  const FunctionId f = p_.function_of(layout_.sections.function(text));
  return f.valid() && kernel_at_[f.value] != 0 ? &out_.kernels[kernel_at_[f.value] - 1] : nullptr;
}

void FactCollector::read_module_records() {
  const ByteSpan bytes = info_.plan.module.bytes();
  for (const InfoWord &word : info_.plan.module.words()) {
    const u8 *record = bytes.data() + word.offset - elf::kRecordHeaderSize;
    if (word.names != InfoWord::Names::Entity ||
        record[1] != static_cast<u8>(InfoAttribute::Regcount))
      continue;
    const FunctionId f = p_.function_of(EntityId(word.id));
    if (f.valid() && kernel_at_[f.value] != 0 && load_le<u16>(record + 2) >= 8)
      out_.kernels[kernel_at_[f.value] - 1].registers = load_le<u32>(record + 8);
  }
  for (const KernelUse &use : info_.kernels)
    if (const u32 at = kernel_at_[use.kernel.value]; at != 0) {
      out_.kernels[at - 1].recursive = use.recursive;
      out_.kernels[at - 1].stack = use.stack;
    }
}

void FactCollector::read_sections() {
  const auto add_bank = [](std::vector<BankFacts> &banks, u32 bank, u64 bytes) {
    const auto at =
        std::lower_bound(banks.begin(), banks.end(), bank,
                         [](const BankFacts &b, u32 number) { return b.bank < number; });
    banks.insert(at, {bank, bytes});
  };
  for (const OutSection &section : layout_.sections.table.list) {
    const elf::SectionKind kind =
        elf::classify_section(layout_.sections.name(section), section.type, section.flags);
    KernelFacts *kernel = kernel_of_text(section.target());
    switch (kind.role) {
    case SectionRole::Global:
    case SectionRole::GlobalInit:
      out_.global_bytes += section.size;
      break;
    case SectionRole::Constant:
      if (section.size != 0 && (kernel || !section.target().valid()))
        add_bank(kernel ? kernel->constants : out_.constants, kind.bank, section.size);
      break;
    case SectionRole::Shared:
      if (kernel)
        kernel->shared += section.size;
      break;
    case SectionRole::Local:
      if (kernel)
        kernel->local += section.size;
      break;
    default:
      break;
    }
  }
}

void FactCollector::read_image_slots() {
  for (const SlotTable &table : images_.tables) {
    const OutId bank = layout_.sections[table.table].target();
    KernelFacts *kernel = bank.valid() ? kernel_of_text(layout_.sections[bank].target()) : nullptr;
    if (!kernel)
      continue;
    for (const SlotRelocation &slot : table.entries) {
      const arch::RelocInfo *row = arch::find_reloc(slot.type);
      const auto is = [row](std::string_view part) {
        return row && row->name.find(part) != std::string_view::npos;
      };
      ++(is("SURF") ? kernel->surfaces : is("SAMP") ? kernel->samplers : kernel->textures);
    }
  }
}

} // namespace

LinkFacts collect_facts(const Program &program, const Layout &layout, const ImagePlan &images,
                        const InfoResult &info) {
  LinkFacts facts = FactCollector(program, layout, images, info).run();
  const std::span<const OutSection> sections = layout.sections.table.list;
  for (const OutSection &section : sections.subspan(elf::SectionTable::kOwnTables))
    facts.sections.push_back({std::string(layout.sections.name(section)),
                              static_cast<u32>(section.type), section.flags, 0, section.size});
  facts.objects = static_cast<u32>(program.objects.size());
  if (program.options.map) {
    SymbolLists lists = list_symbols(program, layout);
    facts.symbols = std::move(lists.symbols);
    facts.discarded = std::move(lists.discarded);
  }
  facts.folded = list_folded(program);
  for (const InputObject &object : program.objects)
    facts.inputs.push_back(object.name);
  if (!program.options.trace_symbols.empty() || program.options.all_references)
    facts.references = list_references(program);
  if (!program.options.why_live.empty())
    facts.liveness = explain_liveness(program, layout);
  return facts;
}

} // namespace culink
