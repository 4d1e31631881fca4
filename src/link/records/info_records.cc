// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .nv.info records of the output. Lists are kept newest first: the output holds what was read last
// at the front. In an executable, a kernel's records cover all functions it reaches:
//
//   REGCOUNT        of a kernel: the maximum over what it reaches
//   MIN_STACK_SIZE  new, for each kernel, at the end; MAX_STACK_SIZE of the inputs is dropped
//   .nv.info.K      inherits flags, maxima, sums and the list of undefined callees (inherit.h)
//
// What may surprise: a program with a single kernel follows other rules than one with several, in
// which values it takes over, and in the order of new records (Q017).
#include "link/records/info_records.h"

#include <algorithm>

#include "base/bytes.h"

#include "link/records/barrier_flags.h"
#include "link/records/kernel_limits.h"
#include "link/records/kernel_records.h"
#include "link/records/propagate.h"
#include "link/resolve/call_paths.h"

namespace culink {

using elf::InfoAttribute;
using elf::RecordFormat;

namespace {

class InfoPlanner {
public:
  InfoPlanner(const Program &program, const Reach &reach, const Layout &layout, Diagnostics &diag)
      : p_(program), reach_(reach), layout_(layout), diag_(diag) {}

  InfoResult run();

private:
  void reserve();
  void note_fragments(FunctionId function, const elf::InfoRecord &record);
  void read_function_records(ObjectId object, const InputObject::Info &info);
  void read_module_records(const Resources &resources);
  void read_module_record(ObjectId object, ByteSpan bytes, const elf::InfoRecord &record,
                          const Resources &resources, InfoPrepender &list) const;
  [[nodiscard]] InfoWord named_by(ObjectId object, const elf::InfoRecord &record, u32 symbol) const;
  [[nodiscard]] bool is_dropped(ObjectId object, EntityId named, InfoAttribute attribute) const;
  [[nodiscard]] std::vector<EntityId> still_undefined(ObjectId object,
                                                      const elf::InfoRecord &record) const;
  void fill_externs();
  void finish_kernels(const Resources &resources);
  [[nodiscard]] std::vector<RegisterLimit> register_limits_of(FunctionId kernel) const;
  [[nodiscard]] u32 count_unbounded_calls(FunctionId kernel, const Resources &resources) const;
  void report_recursion(FunctionId kernel, const Resources &resources);
  [[nodiscard]] std::vector<FunctionId> kernels_in_symbol_order() const;

  const Program &p_;
  const Reach &reach_;
  const Layout &layout_;
  Diagnostics &diag_;
  InfoResult out_;
  FunctionRecords functions_;
  std::vector<bool> lists_externs_; // by OutId of code: it has such a record
  // Searching for a chain of calls takes time, and a reader does not want hundreds of them.
  static constexpr u32 kMostPaths = 20;
  u32 paths_ = 0;
};

InfoResult InfoPlanner::run() {
  out_.plan.of_text.resize(layout_.sections.list.size());
  lists_externs_.resize(layout_.sections.list.size());
  functions_.externs.resize(p_.calls.functions.size());
  functions_.inherited.resize(p_.calls.functions.size());
  const Resources resources =
      p_.policy.completes_kernels ? propagate_resources(p_, reach_) : Resources{};
  reserve();
  for (u32 i = 0; i < p_.objects.size(); ++i)
    for (const InputObject::Info &info : p_.objects[i].infos)
      if (info.text != 0)
        read_function_records(ObjectId(i), info);
  read_module_records(resources);
  fill_externs();
  if (p_.policy.completes_kernels)
    finish_kernels(resources);
  // A link that resolves early leaves the barriers of old objects in the flags of their code.
  if (!p_.policy.resolves_early)
    out_.plan = add_barrier_records(p_, reach_, layout_, std::move(out_.plan));
  return std::move(out_);
}

// Nearly all records are taken over as they are. A kernel gets one more in its own section as a
// rule, and one in that of the module.
void InfoPlanner::reserve() {
  constexpr u64 kMore = InfoStore::kRecordSize + 12;
  constexpr u64 kWords = 5; // as a rule: three in the module's section, one of its own, one more
  u64 bytes = 0, sections = 0;
  for (u32 i = 0; i < p_.objects.size(); ++i)
    for (const InputObject::Info &info : p_.objects[i].infos) {
      if (layout_.placement.location_of[i][info.text].discarded)
        continue;
      bytes += info.records.bytes().size();
      ++sections;
    }
  out_.plan.store.reserve(bytes + sections * kMore, sections * kWords);
}

// The symbol in the first word of a record, or 0: KPARAM_INFO has a word for one and names none.
// EXTERNS may name several and is left to the caller.
u32 first_symbol(const elf::InfoRecord &record) {
  return elf::symbol_word_count(record) == 0 ? 0 : load_le<u32>(record.payload.data());
}

// The entity or the bank that a symbol of a record names.
inline InfoWord InfoPlanner::named_by(ObjectId object, const elf::InfoRecord &record,
                                      u32 symbol) const {
  const elf::Symbol &first = p_.objects[object.value].symbols[symbol];
  // PARAM_CBANK names the bank's section symbol, or up to sm_89 a parameter symbol in it.
  if (first.type() == elf::SymbolType::Section || record.attribute == InfoAttribute::ParamCbank)
    return {.id = layout_.placement.location_of[object.value][first.section].section.value,
            .names = InfoWord::Names::Bank};
  return {.id = p_.symbols.of(object, symbol).value, .names = InfoWord::Names::Entity};
}

// Undefined callees of a function that are undefined in the output, too, or are kernels.
std::vector<EntityId> InfoPlanner::still_undefined(ObjectId object,
                                                   const elf::InfoRecord &record) const {
  std::vector<EntityId> out; // nearly always empty
  const u32 count = elf::symbol_word_count(record);
  for (u32 i = 0; i < count; ++i) {
    const EntityId id = p_.symbols.of(object, load_le<u32>(record.payload.data() + u64{i} * 4));
    if (id.valid() && p_.is_live(id) &&
        (!p_.symbols[id].defined() || is_kernel_mark(p_.symbols[id].other)))
      out.push_back(id);
  }
  return out;
}

// Whether a module record about an entity is left out.
bool InfoPlanner::is_dropped(ObjectId object, EntityId named, InfoAttribute attribute) const {
  if (!named.valid() || !p_.is_live(named))
    return true;
  // Records of a function come from its prevailing definition.
  const Entity &entity = p_.symbols[named];
  if (entity.function && entity.defined() && entity.prevailing.object != object)
    return true;
  return attribute == InfoAttribute::MaxStackSize && p_.policy.completes_kernels;
}

void InfoPlanner::read_module_record(ObjectId object, ByteSpan bytes, const elf::InfoRecord &record,
                                     const Resources &resources, InfoPrepender &list) const {
  if (record.attribute == InfoAttribute::Externs) {
    u8 *copy = list.add(bytes);
    const u32 count = elf::symbol_word_count(record);
    for (u32 i = 0; i < count; ++i) {
      u8 *word = copy + InfoStore::kRecordSize + u64{i} * 4;
      list.name(word, InfoWord::Names::Entity, p_.symbols.of(object, load_le<u32>(word)).value);
    }
    return;
  }
  const u32 symbol = first_symbol(record);
  if (symbol == 0) {
    list.add(bytes);
    return;
  }
  const InfoWord named = named_by(object, record, symbol);
  const bool about_entity = named.names == InfoWord::Names::Entity;
  if (about_entity && is_dropped(object, EntityId(named.id), record.attribute))
    return;
  u8 *copy = list.add(bytes);
  list.name(copy + InfoStore::kRecordSize, named.names, named.id);
  // The register count of a kernel covers what it calls.
  if (!about_entity || record.attribute != InfoAttribute::Regcount ||
      !p_.policy.completes_kernels || record.payload.size() < 8)
    return;
  if (const FunctionId f = p_.function_of(EntityId(named.id)); f.valid() && p_.live.kernel[f.value])
    store_le<u32>(copy + InfoStore::kRecordSize + 4, resources.registers[f.value]);
}

void InfoPlanner::read_module_records(const Resources &resources) {
  u64 most = 0;
  for (const InputObject &object : p_.objects)
    for (const InputObject::Info &info : object.infos)
      most += info.text == 0 ? info.records.bytes().size() : 0;
  InfoPrepender list(out_.plan.store, most);
  for (u32 i = 0; i < p_.objects.size(); ++i)
    for (const InputObject::Info &info : p_.objects[i].infos) {
      if (info.text != 0)
        continue;
      for (const elf::InfoRecord &record : info.records)
        read_module_record(ObjectId(i),
                           info.records.bytes().subspan(record.offset, record.encoded_size()),
                           record, resources, list);
    }
  out_.plan.module = list.finish(0);
}

void InfoPlanner::note_fragments(FunctionId function, const elf::InfoRecord &record) {
  std::vector<std::vector<u32>> &known = functions_.fragments[function.value];
  functions_.inherited[function.value].push_back(
      {record.attribute, static_cast<u16>(known.size())});
  known.push_back(elf::words_of(record));
}

// Numbers that have no bit are not known to any compiler.
u16 bits_of_words(const elf::InfoRecord &record) {
  u16 bits = 0;
  for (const u32 word : elf::words_of(record))
    if (word < 16)
      bits = static_cast<u16>(bits | 1u << word);
  return bits;
}

// Mercury code of toolkit 12 does not name the version of its instructions; since 13.3 nobody asks.
bool lacks_isa_version(const Program &p, const elf::InfoRecords &records) {
  const auto asks = [](const elf::CompatRecord &assumed) {
    return assumed.attribute == elf::CompatAttribute::MercuryIsaMajorMinorVersion;
  };
  if (p.arch.code_kind != arch::CodeKind::Capmerc ||
      std::ranges::none_of(p.dialect.release.compat.assumes, asks))
    return false;
  for (const elf::InfoRecord &record : records)
    if (record.attribute == InfoAttribute::MercuryIsaVersion)
      return false;
  return true;
}

constexpr std::array<u8, InfoStore::kRecordSize> kFirstIsaVersion = {
    static_cast<u8>(elf::RecordFormat::Half), static_cast<u8>(InfoAttribute::MercuryIsaVersion), 0,
    1};

void InfoPlanner::read_function_records(ObjectId object, const InputObject::Info &info) {
  const SectionLocation &text = layout_.placement.location_of[object.value][info.text];
  if (!text.section.valid() || text.discarded)
    return;
  const EntityId entity = layout_.sections[text.section].function;
  if (p_.symbols[entity].prevailing.object != object)
    return;
  const FunctionId function = p_.function_of(entity);
  functions_.read_order.push_back(function);
  const ByteSpan section = info.records.bytes();
  const bool blank = std::ranges::binary_search(layout_.sections.with_blank_symbol, object);
  InfoPrepender list(out_.plan.store, section.size() + kFirstIsaVersion.size());
  for (const elf::InfoRecord &record : info.records) {
    const bool externs = record.attribute == InfoAttribute::Externs;
    if (externs || inherit_rule_of(record.attribute))
      functions_.inherited[function.value].push_back(
          {record.attribute, record.sized() && !externs ? bits_of_words(record) : record.value});
    if (externs) { // the list is filled when all functions are read
      functions_.externs[function.value] = still_undefined(object, record);
      lists_externs_[text.section.value] = true;
      store_le<u16>(list.add(section.subspan(record.offset, InfoStore::kRecordSize)) + 2,
                    record.value);
      continue;
    }
    if (record.attribute == InfoAttribute::AtEntryFragments && p_.policy.completes_kernels) {
      note_fragments(function, record);
      if (!p_.live.kernel[function.value])
        continue; // inherited by the kernels that reach it
    }
    u8 *copy = list.add(section.subspan(record.offset, record.encoded_size()));
    if (const u32 symbol = first_symbol(record); symbol != 0) {
      const InfoWord named = named_by(object, record, symbol);
      list.name(copy + InfoStore::kRecordSize, named.names, named.id);
    } else if (blank && elf::symbol_word_count(record) != 0) {
      list.name(copy + InfoStore::kRecordSize, InfoWord::Names::Blank, object.value);
    }
  }
  if (lacks_isa_version(p_, info.records))
    list.add(kFirstIsaVersion);
  InfoList &records = out_.plan.of_text[text.section.value];
  const InfoList older = records;
  records = list.finish(p_.live.kernel[function.value] ? InfoStore::kRecordSize : 0);
  if (!older.empty()) // a second section about the same code
    out_.plan.store.append_list(records, older);
}

// EXTERNS records of device functions; those of kernels are in kernel_records.cc.
void InfoPlanner::fill_externs() {
  InfoStore &store = out_.plan.store;
  for (u32 f = 0; f < p_.calls.functions.size(); ++f) {
    if (p_.live.kernel[f] && p_.policy.completes_kernels)
      continue;
    const OutId text = layout_.placement.address_of[p_.calls.functions[f].value].section;
    if (!text.valid() || !lists_externs_[text.value] ||
        layout_.sections[text].function != p_.calls.functions[f]) // inside the code of another
      continue;
    InfoList &records = out_.plan.of_text[text.value];
    const std::vector<EntityId> &externs = functions_.externs[f];
    u64 record = store.find(records, InfoAttribute::Externs);
    if (!externs.empty() && record != InfoStore::kNone)
      store.put_symbols(records, InfoAttribute::Externs, externs, record);
    for (; externs.empty() && record != InfoStore::kNone;
         record = store.find(records, InfoAttribute::Externs))
      store.erase(records, record);
  }
}

std::vector<FunctionId> InfoPlanner::kernels_in_symbol_order() const {
  std::vector<FunctionId> out;
  const auto take = [&](EntityId id) {
    if (p_.is_kernel(id) && p_.symbols[id].defined())
      out.push_back(p_.function_of(id));
  };
  for (const LocalSymbol &symbol : layout_.sections.locals)
    if (symbol.kind == LocalSymbol::Kind::Entity)
      take(EntityId(symbol.id));
  for (const EntityId id : layout_.sections.globals)
    take(id);
  return out;
}

// In the order of the records.
std::vector<RegisterLimit> InfoPlanner::register_limits_of(FunctionId kernel) const {
  std::vector<RegisterLimit> out;
  const OutId text = layout_.placement.address_of[p_.calls.functions[kernel.value].value].section;
  for (const elf::InfoRecord &record : out_.plan.store.records(out_.plan.of_text[text.value]))
    if (record.attribute == InfoAttribute::MaxregCount)
      out.push_back({kernel, record.value});
  return out;
}

// How many calls of a kernel lead to recursion. Each occurrence of a call counts, and each function
// that a pointer may lead to.
u32 InfoPlanner::count_unbounded_calls(FunctionId kernel, const Resources &resources) const {
  const auto is_unbounded = [&](u32 node) { return bool{resources.unbounded[node]}; };
  u32 count = 0;
  for (const FunctionId callee : p_.calls.calls[kernel.value])
    count += is_unbounded(callee.value) ? 1 : 0;
  for (const CallGraph::Taken &call : p_.calls.indirect)
    if (call.function == kernel)
      count += static_cast<u32>(
          std::ranges::count_if(p_.calls.edges[p_.calls.node(call.prototype)], is_unbounded));
  return count;
}

void InfoPlanner::report_recursion(FunctionId kernel, const Resources &resources) {
  Diagnostic &message = diag_
                            .report(DiagId::UnknownStackSize,
                                    {std::string(p_.entity_of(kernel).name),
                                     std::to_string(count_unbounded_calls(kernel, resources))})
                            .at("kernel defined in", p_.origin_of(kernel));
  if (paths_++ < kMostPaths)
    add_call_cycle(p_, reach_, kernel, message);
}

void InfoPlanner::finish_kernels(const Resources &resources) {
  const std::vector<FunctionId> kernels = kernels_in_symbol_order();
  std::vector<RegisterLimit> limits;
  for (const FunctionId k : kernels) {
    const bool unbounded = resources.unbounded[k.value];
    out_.plan.store.put_symbol_and_word(
        out_.plan.module, InfoAttribute::MinStackSize, p_.calls.functions[k.value],
        unbounded ? 0xffffffff : static_cast<u32>(resources.stack[k.value]));
    out_.kernels.push_back(
        {.kernel = k,
         .registers = resources.registers[k.value],
         .stack = unbounded ? resources.own_frame[k.value] : resources.stack[k.value],
         .recursive = unbounded});
    if (unbounded && !p_.options.suppress_stack_size_warning)
      report_recursion(k, resources);
    for (const RegisterLimit &limit : register_limits_of(k))
      limits.push_back(limit);
  }
  check_kernel_limits(p_, reach_, layout_, resources, kernels, limits, diag_);
  for (u32 f = 0; f < p_.calls.functions.size(); ++f)
    if (p_.live.demoted[f] && p_.live.live[f])
      out_.kernels.push_back({.kernel = FunctionId(f), .stack = resources.own_frame[f]});
  out_.plan = finish_kernel_records(p_, reach_, layout_, resources, kernels, std::move(functions_),
                                    std::move(out_.plan), diag_);
}

} // namespace

InfoResult plan_info_records(const Program &program, const Reach &reach, const Layout &layout,
                             Diagnostics &diag) {
  return InfoPlanner(program, reach, layout, diag).run();
}

} // namespace culink
