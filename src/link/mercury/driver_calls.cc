// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Driver calls that exist in machine code only. On sm_107, compilers and finalizers replace the
// texture and surface instructions of Mercury code by such calls. A function with such a call, and
// its callers, need more registers and stack than its Mercury code records.
//
// What may surprise: all lists are in the order of the code in the file, as nvlink has them on one
// processor. On several processors, nvlink has the order in which threads end, so two runs may give
// different files.
#include "link/mercury/driver_calls.h"

#include <algorithm>
#include <unordered_map>

#include "link/nvlink/images.h"
#include "link/records/propagate.h"
#include "support/bytes.h"

namespace culink {

using elf::InfoAttribute;

namespace {

// An object's records about its code as it was compiled.
class CompiledCalls {
public:
  explicit CompiledCalls(const SassContext &c) : c_(c), read_(c.sass.objects.size()) {}

  [[nodiscard]] const FinalizedFunction *find(u32 object, u32 section) {
    if (!read_[object].done)
      read(object);
    const auto found = read_[object].by_section.find(section);
    return found == read_[object].by_section.end() ? nullptr : &found->second;
  }

private:
  struct Object {
    bool done = false;
    std::unordered_map<u32, FinalizedFunction> by_section;
  };

  [[nodiscard]] bool is_own(u32 object, u32 symbol) const {
    return c_.sass.objects[object].symbols[symbol].type() == elf::SymbolType::Function &&
           !c_.mercury.symbols.of(ObjectId(object), symbol).valid();
  }

  void read(u32 number) {
    Object &out = read_[number];
    out.done = true;
    const InputObject &object = c_.sass.objects[number];
    const u32 count = static_cast<u32>(object.symbols.size());
    if (count == 0 || !is_own(number, count - 1)) // they are the last ones
      return;
    for (const elf::Section &table : object.view.sections()) {
      if (!elf::is_relocation_table(table.type) || !object.kinds[table.info].is_code() ||
          object.kinds[table.index].mercury)
        continue;
      for (const elf::Relocation entry : object.view.relocations(table))
        if (is_own(number, entry.symbol))
          out.by_section[table.info].driver_calls.push_back(
              {entry.offset, entry.type, entry.addend, object.symbols[entry.symbol].name});
    }
    for (const InputObject::Info &info : object.infos)
      if (info.text == 0)
        read_resources(object, info, out);
  }

  static void read_resources(const InputObject &object, const InputObject::Info &info,
                             Object &out) {
    for (const elf::InfoRecord record : info.records) {
      if (record.payload.size() < 8)
        continue;
      const auto found =
          out.by_section.find(object.symbols[load_le<u32>(record.payload.data())].section);
      if (found == out.by_section.end())
        continue;
      const u32 value = load_le<u32>(record.payload.data() + 4);
      if (record.attribute == InfoAttribute::Regcount)
        found->second.registers = value;
      else if (record.attribute == InfoAttribute::FrameSize)
        found->second.frame = value;
    }
  }

  const SassContext &c_;
  std::vector<Object> read_; // by ObjectId
};

void add_once(std::vector<u32> &list, u32 number) {
  if (std::ranges::find(list, number) == list.end())
    list.push_back(number);
}

OutId text_of(const SassContext &c, FunctionId function) {
  const EntityId entity = c.mercury.calls.functions[function.value];
  return c.layout().placement.address_of[entity.value].section;
}

// Adds the callees of each function to its own list and to the lists of kernels that reach it, in
// the order of the functions.
void list_callees(const SassContext &c, DriverCalls &calls) {
  calls.listed.resize(c.layout().sections.size());
  const Reach reach(c.mercury.calls, c.mercury.live);
  std::vector<std::pair<FunctionId, std::vector<FunctionId>>> unselected; // with what they reach
  if (c.mercury.policy.completes_kernels)
    for (const FunctionId kernel : nvlink::unselected_listing_kernels(c.mercury))
      unselected.emplace_back(kernel, reach.reached_from(kernel));
  for (const DriverCalls::Caller &caller : calls.callers) {
    const FunctionId function = c.mercury.function_of(c.function(caller.text));
    std::vector<FunctionId> functions = {function};
    if (c.mercury.policy.completes_kernels)
      for (const FunctionId kernel : nvlink::kernels_listing(c.mercury, reach, function))
        functions.push_back(kernel);
    for (const auto &[kernel, reached] : unselected)
      if (std::ranges::binary_search(reached, function))
        functions.push_back(kernel);
    for (const FunctionId one : functions)
      if (const OutId text = text_of(c, one); text.valid())
        for (const DriverCalls::Call &call : caller.calls)
          add_once(calls.listed[text.value], call.callee);
  }
}

// By FunctionId, and with all that it reaches.
Resources resources_of_sass(const SassContext &c, const DriverCalls &calls, const Reach &reach,
                            WorkerPool &pool) {
  Resources own = own_resources(c.mercury, pool);
  for (const DriverCalls::Caller &caller : calls.callers) {
    const u32 function = c.mercury.function_of(c.function(caller.text)).value;
    own.own_registers[function] = std::max(own.own_registers[function], caller.registers);
    own.own_frame[function] = caller.frame;
  }
  return propagate_resources(c.mercury, reach, std::move(own));
}

} // namespace

DriverCalls find_driver_calls(const SassContext &c, const SassCodeList &code) {
  DriverCalls out;
  CompiledCalls compiled(c);
  std::unordered_map<std::string_view, u32> number_of;
  for (const OutId text : c.shape.order) {
    if (!c.function(text).valid() || !code[text].definition.valid())
      continue;
    const FinalizedFunction *made =
        compiled.find(code[text].definition.object.value, code[text].section);
    const FinalizedFunction *function = code[text].finalized ? code[text].finalized : made;
    if (!function || function->driver_calls.empty())
      continue;
    // In the output of a finalizer every function may be called through pointers, and its registers
    // are included in those of functions that call through one.
    const u32 registers = made ? made->registers : function->registers;
    DriverCalls::Caller &caller =
        out.callers.emplace_back(DriverCalls::Caller{text, registers, function->frame, {}});
    for (const DriverCall &call : function->driver_calls) {
      const auto [callee, added] =
          number_of.emplace(call.callee, static_cast<u32>(out.callees.size()));
      if (added)
        out.callees.push_back(call.callee);
      caller.calls.push_back({callee->second, call.offset, call.type, call.addend});
    }
  }
  if (!out.empty())
    list_callees(c, out);
  return out;
}

RecordList make_module_records(const SassContext &c, const DriverCalls &calls, WorkerPool &pool) {
  if (calls.empty())
    return {};
  const Reach reach(c.mercury.calls, c.mercury.live);
  const Resources resources = resources_of_sass(c, calls, reach, pool);
  nvlink::StackSizes stacks(c.mercury.calls.functions.size());
  for (u32 f = 0; f < stacks.size(); ++f)
    if (!resources.unbounded[f])
      stacks[f] = resources.stack[f];
  stacks = nvlink::add_up_stacks(c.mercury, reach, resources.own_frame, std::move(stacks));
  RecordList out = c.plan.info.module;
  std::unordered_map<u64, EntityId> named; // by offset of the word
  for (const InfoWord &word : c.plan.info.module.words())
    if (word.names == InfoWord::Names::Entity)
      named.emplace(word.offset, EntityId(word.id));
  for (const elf::InfoRecord &record : c.plan.info.module.records()) {
    const auto entity = named.find(record.offset + elf::kRecordHeaderSize);
    if (entity == named.end() || record.payload.size() < 8)
      continue;
    const FunctionId function = c.mercury.function_of(entity->second);
    if (!function.valid())
      continue;
    u8 *value = out.open_bytes().data() + record.offset + elf::kRecordHeaderSize + 4;
    const u32 f = function.value;
    if (record.attribute == InfoAttribute::FrameSize)
      store_le<u32>(value, resources.own_frame[f]);
    else if (record.attribute == InfoAttribute::Regcount)
      store_le<u32>(value, std::max(load_le<u32>(value), resources.own_registers[f]));
    else if (record.attribute == InfoAttribute::MinStackSize && stacks[f])
      store_le<u32>(value, static_cast<u32>(*stacks[f]));
  }
  return out;
}

} // namespace culink
