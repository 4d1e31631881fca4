// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .nv.info records of the output. Lists are kept newest first: the output holds what was read last
// at the front. In an executable, a kernel's records speak for all it calls:
//
//   REGCOUNT        of a kernel: the maximum over what it reaches
//   MIN_STACK_SIZE  new, for each kernel, at the end; MAX_STACK_SIZE of the inputs goes away
//   .nv.info.K      inherits flags, maxima, sums and the list of undefined callees (inherit.h)
//
// What may surprise: a program with a single kernel follows other rules than one with several, in
// which values it takes over, and in the order of new records (Q017).
#include "link/info_records.h"

#include <algorithm>
#include <iterator>

#include "link/barrier_flags.h"
#include "link/call_paths.h"
#include "link/kernel_records.h"
#include "link/propagate.h"

namespace culink {

using elf::InfoAttribute;
using elf::RecordFormat;

namespace {

class InfoPlanner {
public:
  InfoPlanner(const Program &program, const Reach &reach, const Merged &merged, Diagnostics &diag)
      : p_(program), reach_(reach), m_(merged), diag_(diag) {}

  InfoResult run();

private:
  void read_module_records(ObjectId object, const InputObject::Info &info);
  void read_function_records(ObjectId object, const InputObject::Info &info);
  [[nodiscard]] OutInfo convert(ObjectId object, const elf::InfoRecord &record) const;
  [[nodiscard]] std::vector<EntityId> named_entities(ObjectId object,
                                                     const elf::InfoRecord &record) const;
  [[nodiscard]] std::vector<EntityId> still_undefined(ObjectId object,
                                                      const elf::InfoRecord &record) const;
  void place_externs();
  void finish_kernels();
  void check_registers(FunctionId kernel, const Resources &resources);
  void report_recursion(FunctionId kernel);
  [[nodiscard]] std::vector<FunctionId> kernels_in_symbol_order() const;

  const Program &p_;
  const Reach &reach_;
  const Merged &m_;
  Diagnostics &diag_;
  InfoResult out_;
  FunctionRecords functions_;
  std::vector<OutInfo> records_; // of the section that is being read
  // Looking for chains of calls takes time, and nobody reads hundreds of them.
  static constexpr u32 kMostPaths = 20;
  u32 paths_ = 0;
};

InfoResult InfoPlanner::run() {
  out_.plan.of_text.resize(m_.sections.size());
  functions_.externs.resize(p_.calls.functions.size());
  functions_.inherited.resize(p_.calls.functions.size());
  for (u32 i = 0; i < p_.objects.size(); ++i)
    for (const InputObject::Info &info : p_.objects[i].infos)
      if (info.text == 0)
        read_module_records(ObjectId(i), info);
      else
        read_function_records(ObjectId(i), info);
  // Read in order, written newest first.
  std::reverse(out_.plan.module.begin(), out_.plan.module.end());
  place_externs();
  if (!p_.options.relocatable)
    finish_kernels();
  // nvlink -r leaves the barriers of old objects where they are.
  if (!p_.options.relocatable || p_.lossless())
    add_barrier_records(p_, reach_, m_, out_.plan);
  return std::move(out_);
}

OutInfo InfoPlanner::convert(ObjectId object, const elf::InfoRecord &record) const {
  OutInfo out{.format = record.format,
              .attribute = record.attribute,
              .value = record.value,
              .payload_size = static_cast<u16>(record.payload.size()),
              .payload_begin = record.payload.data()};
  const u32 symbols = elf::symbol_word_count(record);
  if (symbols == 0)
    return out;
  if (record.attribute == InfoAttribute::Externs) { // the caller says which
    out.kind = OutInfo::Kind::Symbols;
    return out;
  }
  const u32 symbol = load_le<u32>(record.payload.data());
  if (symbol == 0) // KPARAM_INFO has a place for a symbol and names none
    return out;
  out.word = record.payload.size() >= 8 ? load_le<u32>(record.payload.data() + 4) : 0;
  const elf::Symbol &first = p_.objects[object.value].symbols[symbol];
  // PARAM_CBANK names the bank's section symbol, or up to sm_89 a parameter symbol in it.
  if (first.type() == elf::SymbolType::Section || record.attribute == InfoAttribute::ParamCbank) {
    out.kind = OutInfo::Kind::Bank;
    out.section = m_.where[object.value][first.section].section;
  } else {
    out.kind = OutInfo::Kind::Symbol;
    out.entity = p_.symbols.of(object, symbol);
  }
  return out;
}

std::vector<EntityId> InfoPlanner::named_entities(ObjectId object,
                                                  const elf::InfoRecord &record) const {
  std::vector<EntityId> out;
  const u32 count = elf::symbol_word_count(record);
  out.reserve(count);
  for (u32 i = 0; i < count; ++i)
    out.push_back(p_.symbols.of(object, load_le<u32>(record.payload.data() + u64{i} * 4)));
  return out;
}

// Of a function's undefined callees, those that are still undefined or are kernels stay.
std::vector<EntityId> InfoPlanner::still_undefined(ObjectId object,
                                                   const elf::InfoRecord &record) const {
  std::vector<EntityId> out; // nearly always empty
  const u32 count = elf::symbol_word_count(record);
  for (u32 i = 0; i < count; ++i) {
    const EntityId id = p_.symbols.of(object, load_le<u32>(record.payload.data() + u64{i} * 4));
    if (id.valid() && p_.stays(id) &&
        (!p_.symbols[id].defined() || is_kernel_mark(p_.symbols[id].other)))
      out.push_back(id);
  }
  return out;
}

void InfoPlanner::read_module_records(ObjectId object, const InputObject::Info &info) {
  for (const elf::InfoRecord &record : info.records) {
    OutInfo out = convert(object, record);
    if (out.kind == OutInfo::Kind::Symbols)
      out.entities = named_entities(object, record);
    if (out.kind == OutInfo::Kind::Symbol) {
      if (!out.entity.valid() || !p_.stays(out.entity))
        continue;
      // Only the definition that won speaks for a function.
      const Entity &entity = p_.symbols[out.entity];
      if (entity.function && entity.defined() && entity.winner.object != object)
        continue;
      if (record.attribute == InfoAttribute::MaxStackSize && !p_.options.relocatable)
        continue;
    }
    out_.plan.module.push_back(std::move(out));
  }
}

void InfoPlanner::read_function_records(ObjectId object, const InputObject::Info &info) {
  const SectionPlace &place = m_.where[object.value][info.text];
  if (!place.section.valid() || place.lost)
    return;
  const EntityId entity = m_[place.section].function;
  if (p_.symbols[entity].winner.object != object)
    return;
  const FunctionId function = p_.function_of(entity);
  functions_.read_order.push_back(function);
  records_.clear();
  for (const elf::InfoRecord &record : info.records) {
    if (record.attribute == InfoAttribute::Externs)
      functions_.externs[function.value] = still_undefined(object, record);
    if (inherit_rule_of(record.attribute) || record.attribute == InfoAttribute::Externs)
      functions_.inherited[function.value].push_back({record.attribute, record.value});
    records_.push_back(convert(object, record));
  }
  std::vector<OutInfo> &records = out_.plan.of_text[place.section.value];
  records.reserve(records.size() + records_.size() + 1); // a kernel gets one more as a rule
  records.insert(records.begin(), std::make_move_iterator(records_.rbegin()),
                 std::make_move_iterator(records_.rend()));
}

// A kernel's record may take up more (kernel_records.cc).
void InfoPlanner::place_externs() {
  for (u32 f = 0; f < p_.calls.functions.size(); ++f) {
    if (p_.live.kernel[f] && !p_.options.relocatable)
      continue;
    const OutId text = m_.place_of[p_.calls.functions[f].value].section;
    if (!text.valid())
      continue;
    std::vector<OutInfo> &records = out_.plan.of_text[text.value];
    const std::vector<EntityId> &externs = functions_.externs[f];
    for (OutInfo &record : records)
      if (record.attribute == InfoAttribute::Externs)
        record.entities = externs;
    std::erase_if(records, [](const OutInfo &record) {
      return record.attribute == InfoAttribute::Externs && record.entities.empty();
    });
  }
}

std::vector<FunctionId> InfoPlanner::kernels_in_symbol_order() const {
  std::vector<FunctionId> out;
  const auto take = [&](EntityId id) {
    if (p_.is_kernel(id) && p_.symbols[id].defined())
      out.push_back(p_.function_of(id));
  };
  for (const LocalSymbol &symbol : m_.locals)
    if (symbol.kind == LocalSymbol::Kind::Entity)
      take(EntityId(symbol.id));
  for (const EntityId id : m_.globals)
    take(id);
  return out;
}

// A kernel that promised to need few registers must not call what needs more.
void InfoPlanner::check_registers(FunctionId kernel, const Resources &resources) {
  const u32 needed = resources.registers[kernel.value];
  const OutId text = m_.place_of[p_.calls.functions[kernel.value].value].section;
  for (const OutInfo &record : out_.plan.of_text[text.value]) {
    if (record.attribute != InfoAttribute::MaxregCount || needed <= record.value)
      continue;
    for (const FunctionId f : reach_.reached_from(kernel))
      if (resources.own_registers[f.value] == needed) {
        diag_
            .report(DiagId::RegisterLimit,
                    {std::string(p_.entity_of(kernel).name), std::to_string(record.value),
                     std::string(p_.entity_of(f).name), std::to_string(needed)})
            .at("kernel defined in", p_.origin_of(kernel));
        if (paths_++ < kMostPaths)
          add_call_path(p_, kernel, f, diag_.all().back());
        break;
      }
  }
}

void InfoPlanner::report_recursion(FunctionId kernel) {
  Diagnostic &message =
      diag_.report(DiagId::UnknownStackSize, {std::string(p_.entity_of(kernel).name)})
          .at("kernel defined in", p_.origin_of(kernel));
  if (paths_++ < kMostPaths)
    add_call_cycle(p_, reach_, kernel, message);
}

void InfoPlanner::finish_kernels() {
  const Resources resources = propagate_resources(p_, reach_);
  const std::vector<FunctionId> kernels = kernels_in_symbol_order();
  for (OutInfo &record : out_.plan.module)
    if (record.attribute == InfoAttribute::Regcount && record.kind == OutInfo::Kind::Symbol)
      if (const FunctionId f = p_.function_of(record.entity); f.valid() && p_.live.kernel[f.value])
        record.word = resources.registers[f.value];
  for (const FunctionId k : kernels) {
    const bool unbounded = resources.unbounded[k.value];
    out_.plan.module.push_back(
        {.kind = OutInfo::Kind::Symbol,
         .attribute = InfoAttribute::MinStackSize,
         .word = unbounded ? 0xffffffff : static_cast<u32>(resources.stack[k.value]),
         .entity = p_.calls.functions[k.value]});
    out_.kernels.push_back(
        {.kernel = k,
         .registers = resources.registers[k.value],
         .stack = unbounded ? resources.own_frame[k.value] : resources.stack[k.value],
         .recursive = unbounded});
    if (unbounded && !p_.options.suppress_stack_size_warning)
      report_recursion(k);
    check_registers(k, resources);
  }
  for (u32 f = 0; f < p_.calls.functions.size(); ++f)
    if (p_.live.demoted[f] && p_.live.live[f])
      out_.kernels.push_back({.kernel = FunctionId(f), .stack = resources.own_frame[f]});
  finish_kernel_records(p_, reach_, m_, resources, kernels, functions_, out_.plan, diag_);
}

} // namespace

InfoResult plan_info_records(const Program &program, const Reach &reach, const Merged &merged,
                             Diagnostics &diag) {
  return InfoPlanner(program, reach, merged, diag).run();
}

} // namespace culink
