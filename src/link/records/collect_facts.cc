// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects facts for reports, from the finished plan so that they agree with the bytes: registers
// and stack come from the planned records, memory sizes from the planned sections. Functions are in
// order of first reference; kernels and calls refer to them by position. This runs after the
// records are planned and only if the options request facts.
#include "link/records/collect_facts.h"

#include <algorithm>
#include <vector>

#include "culink/link_facts.h"
#include "elf/section_kind.h"
#include "elf/target/reloc.h"
#include "link/merge/merge.h"
#include "link/model/name_pattern.h"
#include "link/resolve/references.h"
#include "link/resolve/search.h"
#include "support/bytes.h"
#include "support/demangle.h"

namespace culink {

// The lists of a link map: every definition of the inputs is either part of the output or
// discarded for a reason. Aliases are listed like other names.

namespace {

std::string reference_text(const Program &p, ObjectId object, u32 symbol_number,
                           const Entity &entity) {
  const elf::Symbol &symbol = p.objects[object.value].symbols[symbol_number];
  if (symbol.common())
    return "declares it as common, " + std::to_string(symbol.size) + " bytes";
  if (!symbol.in_section())
    return "refers to it";
  const bool weak = symbol.binding() == elf::SymbolBinding::Weak;
  const bool wins = entity.prevailing == SymbolRef{object, symbol_number};
  return std::string(weak           ? "defines it weakly"
                     : entity.local ? "defines its own"
                                    : "defines it") +
         (wins ? "" : ", but another definition is linked");
}

std::string unused_text(const Program &p, EntityId id) {
  const FunctionId function = p.function_of(id);
  const LiveReason reason = function.valid() ? p.live.why[function.value].reason : LiveReason::None;
  return reason == LiveReason::NoHostReference
             ? "no host code launches it, which -ignore-host-info overrides"
             : "unused";
}

// True if a name that a user typed is that of a symbol: mangled, as in the source, or as in the
// source without parameters.
bool names_symbol(const std::string &text, std::string_view symbol) {
  return is_meant(symbol, text);
}

// Every definition of the inputs is in one of these.
struct SymbolLists {
  std::vector<SymbolFacts> symbols;      // part of the output
  std::vector<DiscardedFacts> discarded; // and the others, with the reason
};

SymbolLists list_symbols(const Program &p, const Layout &layout) {
  SymbolLists out;
  for (u32 i = 0; i < p.symbols.entities.size(); ++i) {
    const Entity &entity = p.symbols.entities[i];
    const SymbolAddress &address = layout.placement.address_of[i];
    if (entity.defined() && p.is_live(EntityId(i)) && address.section.valid())
      out.symbols.push_back(
          {std::string(entity.name), p.objects[entity.prevailing.object.value].name,
           std::string(layout.sections.name(address.section)), address.value, entity.size});
  }
  for (u32 o = 0; o < p.objects.size(); ++o) {
    const InputObject &object = p.objects[o];
    for (u32 s = 1; s < object.symbols.size(); ++s) {
      const EntityId id = p.symbols.of(ObjectId(o), s);
      if (!id.valid() || p.symbols.outcome(ObjectId(o), s) == DefinitionOutcome::None)
        continue;
      const Entity &entity = p.symbols[id];
      const bool wins = entity.prevailing == SymbolRef{ObjectId(o), s};
      if (wins && p.is_live(id))
        continue;
      const bool other = !wins && entity.defined() && p.is_live(id);
      const std::string_view name = object.symbols[s].name;
      out.discarded.push_back(
          {std::string(name), object.name, object.symbols[s].size,
           !other ? unused_text(p, id)
           : name != entity.name
               ? "the same as " + demangle(entity.name)
               : "the copy of " + p.objects[entity.prevailing.object.value].name + " is linked"});
    }
  }
  return out;
}

// Functions that were folded into others.
std::vector<FoldedFacts> list_folded(const Program &p) {
  std::vector<FoldedFacts> out;
  for (const Resolution::Folded &one : p.symbols.folded) {
    const InputObject &object = p.objects[one.definition.object.value];
    out.push_back({std::string(p.symbols[one.function].name), object.name,
                   std::string(p.symbols[one.into].name),
                   object.symbols[one.definition.symbol].size});
  }
  return out;
}

// The inputs that define or refer to a symbol of LinkOptions::trace_symbols, and how.
std::vector<ReferenceFacts> list_references(const Program &p) {
  std::vector<ReferenceFacts> out;
  std::vector<bool> traced(p.symbols.entities.size());
  for (u32 i = 0; i < traced.size(); ++i)
    traced[i] = p.options.all_references ||
                std::any_of(p.options.trace_symbols.begin(), p.options.trace_symbols.end(),
                            [name = p.symbols.entities[i].name](const std::string &text) {
                              return names_symbol(text, name);
                            });
  for (u32 o = 0; o < p.objects.size(); ++o)
    for (u32 s = 1; s < p.objects[o].symbols.size(); ++s)
      if (const EntityId id = p.symbols.of(ObjectId(o), s); id.valid() && traced[id.value])
        out.push_back({std::string(p.symbols[id].name), p.objects[o].name,
                       reference_text(p, ObjectId(o), s, p.symbols[id])});
  return out;
}

// Chains of reasons for --why-live. mark_live has stored for every live function what made it live,
// so the chain of a function is only followed back to its root. Liveness does not cover variables,
// because all of them are kept; the reason of a variable is the live code that refers to it, found
// by a search from all live functions over the relocations. Code comes before initial values of
// other variables; of several functions, the one with the shortest chain of its own.
//
// A function that is live because its address is taken is the start of its chain; what takes the
// address is shown before it, but need not be live.

constexpr size_t kMostReferrers = 3; // shown for a function that is not live

class LivenessExplainer {
public:
  LivenessExplainer(const Program &program, const Layout &layout)
      : p_(program), layout_(layout), asked_for_(program.symbols.entities.size(), false),
        taker_of_(program.calls.functions.size()) {}

  std::vector<LivenessFacts> run();

private:
  // Something that takes the address of a function. The best one is shown.
  struct Taker {
    ObjectId object;
    EntityId symbol; // none: not known which
    int rank = 0;
  };

  void find_asked();
  void read_references();
  void note_taker(const Reference &reference, FunctionId function);
  void find_variables(std::vector<std::vector<u32>> &references);
  [[nodiscard]] std::vector<u32> live_functions_by_distance() const;
  void explain(LivenessFacts &facts, EntityId id) const;
  void add_referrers(LivenessFacts &facts, EntityId id) const;
  [[nodiscard]] std::vector<LiveStep> chain_to(EntityId id) const;
  [[nodiscard]] LiveStep step(LiveReason reason, EntityId id) const;
  [[nodiscard]] EntityId stand_in(EntityId folded) const {
    return std::ranges::lower_bound(p_.symbols.folded, folded, {}, &Resolution::Folded::function)
        ->into;
  }
  // True if the definition with the reference is part of the output, or would be if it were live.
  [[nodiscard]] bool prevails(const Reference &reference) const {
    return reference.from.valid() &&
           p_.symbols[reference.from].prevailing.object == reference.object;
  }

  const Program &p_;
  const Layout &layout_;
  std::vector<LivenessFacts> out_;
  std::vector<EntityId> entities_;   // by position in out_
  std::vector<bool> asked_for_;      // by EntityId
  std::vector<Taker> taker_of_;      // by FunctionId
  std::vector<EntityId> reached_by_; // by EntityId: of a variable, what refers to it
  std::vector<std::pair<EntityId, EntityId>> to_asked_; // references to what was asked for
};

std::vector<LivenessFacts> LivenessExplainer::run() {
  find_asked();
  if (out_.empty())
    return {};
  read_references();
  for (size_t i = 0; i < out_.size(); ++i)
    explain(out_[i], entities_[i]);
  return std::move(out_);
}

void LivenessExplainer::find_asked() {
  for (const std::string &text : p_.options.why_live)
    for (u32 i = 0; i < p_.symbols.entities.size(); ++i)
      if (names_symbol(text, p_.symbols.entities[i].name)) {
        out_.push_back({text, std::string(p_.symbols.entities[i].name), false, {}, {}});
        entities_.emplace_back(i);
        asked_for_[i] = true;
      }
}

void LivenessExplainer::read_references() {
  std::vector<std::vector<u32>> references(p_.symbols.entities.size()); // by entity, to variables
  each_reference(p_, [&](const Reference &reference) {
    const FunctionId function = p_.function_of(reference.to);
    if (!function.valid()) {
      if (prevails(reference))
        references[reference.from.value].push_back(reference.to.value);
    } else if (p_.live.why[function.value].reason == LiveReason::AddressTaken) {
      note_taker(reference, function);
    }
    if (asked_for_[reference.to.value] && prevails(reference))
      to_asked_.emplace_back(reference.from, reference.to);
  });
  find_variables(references);
}

// A relocation does not show whether code calls a function or takes its address. The call graph has
// the calls, and the first object that takes the address.
void LivenessExplainer::note_taker(const Reference &reference, FunctionId function) {
  if (!reference.from.valid())
    return;
  const FunctionId from = p_.function_of(reference.from);
  const bool calls =
      from.valid() && std::ranges::binary_search(p_.calls.edges[from.value], function.value);
  const bool first = p_.calls.taken_in[function.value] == reference.object;
  const int rank = 1 + (calls ? 0 : 2) + (first ? 1 : 0);
  if (Taker &known = taker_of_[function.value]; rank > known.rank)
    known = {reference.object, reference.from, rank};
}

// Callers come before callees, kernels first: the order in which a chain gets longer.
std::vector<u32> LivenessExplainer::live_functions_by_distance() const {
  std::vector<std::vector<u32>> kept_by(p_.calls.functions.size());
  std::vector<u32> roots;
  for (u32 f = 0; f < kept_by.size(); ++f) {
    const Liveness &why = p_.live.why[f];
    if (why.by.valid())
      kept_by[why.by.value].push_back(f);
    else if (why.live())
      roots.push_back(f);
  }
  const auto is_kernel = [this](u32 f) { return p_.live.kernel[f]; };
  std::stable_partition(roots.begin(), roots.end(), is_kernel);
  return search_breadth_first(
      std::move(roots), [&](u32 f) -> const std::vector<u32> & { return kept_by[f]; },
      [](u32, u32) { return Visit::Follow; });
}

void LivenessExplainer::find_variables(std::vector<std::vector<u32>> &references) {
  EdgeLists edges;
  for (std::vector<u32> &to : references)
    edges.add_node(to);
  reached_by_.resize(references.size());
  std::vector<u32> start;
  for (const u32 f : live_functions_by_distance())
    start.push_back(p_.calls.functions[f].value);
  (void)search_breadth_first(
      std::move(start), [&](u32 id) { return edges[id]; },
      [this](u32 id, u32 from) {
        if (reached_by_[id].valid())
          return Visit::Skip;
        reached_by_[id] = EntityId(from);
        return Visit::Follow;
      });
}

LiveStep LivenessExplainer::step(LiveReason reason, EntityId id) const {
  const Entity &entity = p_.symbols[id];
  return {reason, std::string(entity.name),
          entity.defined() ? p_.objects[entity.prevailing.object.value].name : ""};
}

// The chain is followed from its end: variables, then functions up to a root.
std::vector<LiveStep> LivenessExplainer::chain_to(EntityId id) const {
  std::vector<LiveStep> out;
  while (!p_.function_of(id).valid()) {
    out.push_back(step(LiveReason::Reference, id));
    id = reached_by_[id.value];
  }
  FunctionId function = p_.function_of(id);
  for (; function.valid(); function = p_.live.why[function.value].by) {
    const LiveReason reason = p_.live.why[function.value].reason;
    out.push_back(step(reason, p_.calls.functions[function.value]));
    if (reason != LiveReason::AddressTaken)
      continue;
    const Taker &taker = taker_of_[function.value];
    const ObjectId object = p_.calls.taken_in[function.value];
    out.push_back({LiveReason::AddressTaker,
                   taker.symbol.valid() ? std::string(p_.symbols[taker.symbol].name) : "",
                   p_.objects[(taker.symbol.valid() ? taker.object : object).value].name});
  }
  std::reverse(out.begin(), out.end());
  return out;
}

void LivenessExplainer::add_referrers(LivenessFacts &facts, EntityId id) const {
  std::vector<EntityId> seen;
  const auto add = [&](LiveReason reason, EntityId from) {
    if (from == id || std::find(seen.begin(), seen.end(), from) != seen.end() ||
        seen.size() == kMostReferrers)
      return;
    seen.push_back(from);
    facts.chain.push_back(step(reason, from));
  };
  const FunctionId callee = p_.function_of(id);
  for (u32 f = 0; callee.valid() && f < p_.calls.functions.size(); ++f)
    if (std::ranges::binary_search(p_.calls.edges[f], callee.value))
      add(LiveReason::Call, p_.calls.functions[f]);
  for (const auto &[from, to] : to_asked_)
    if (to == id)
      add(LiveReason::Reference, from);
}

void LivenessExplainer::explain(LivenessFacts &facts, EntityId id) const {
  if (const FunctionId function = p_.function_of(id); function.valid()) {
    facts.reason = p_.live.why[function.value].reason;
    facts.live = p_.live.is_live(function);
  } else {
    const bool placed = layout_.placement.address_of[id.value].section.valid();
    const bool referenced = reached_by_[id.value].valid();
    facts.reason = referenced ? LiveReason::Reference
                   : placed   ? LiveReason::AllVariables
                              : LiveReason::None;
    facts.live = facts.reason != LiveReason::None;
  }
  if (facts.reason == LiveReason::Folded)
    facts.chain = {step(facts.reason, stand_in(id))};
  else if (!facts.live)
    add_referrers(facts, id);
  else if (facts.reason == LiveReason::AllVariables)
    facts.chain = {step(facts.reason, id)};
  else
    facts.chain = chain_to(id);
}

// Why each symbol of LinkOptions::why_live is part of the output or not.
std::vector<LivenessFacts> explain_liveness(const Program &program, const Layout &layout) {
  return LivenessExplainer(program, layout).run();
}

using elf::InfoAttribute;
using elf::SectionRole;

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
  // A kernel that was not selected may still be needed.
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
