// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of the SASS plane: for each text section the code of the definition that prevails, as it
// was compiled or as a finalizer has made it, and the capsule beside it. All later parts of the
// plan ask here where instructions went.
//
// A capsule is Mercury code as a difference to the SASS. Where it holds a whole instruction, a
// value that the linker stores into the SASS is stored there, too: in the last word of the
// instruction's record.
#include "link/mercury/sass_code.h"

#include <unordered_map>

#include "arch/instructions.h"
#include "arch/reloc.h"
#include "base/bytes.h"
#include "elf/records/nv_capmerc.h"

namespace culink {

namespace {

using FunctionBySection = std::unordered_map<u32, const FinalizedFunction *>;

SassCode compiled_code(const SassContext &c, EntityId function) {
  SassCode out;
  out.definition = c.mercury.symbols[function].prevailing;
  const u32 number = out.definition.object.value;
  const InputObject &object = c.sass.objects[number];
  out.section = object.symbols[out.definition.symbol].section;
  out.compiled = out.text = object.section(out.section).data;
  out.capsule = c.mercury.objects[number].section(out.section).data;
  return out;
}

void store_values(std::vector<u8> &bytes, std::span<const FoldedRelocation> values, u64 slot_base) {
  const elf::Capsule capsule = elf::decode_capsule(bytes);
  std::unordered_map<u64, u64> last_word; // by number of the instruction in the SASS
  for (const elf::CapsuleRecord &record : capsule.records)
    if (record.kind == elf::CapsuleRecordKind::Instruction)
      last_word.emplace(record.machine, record.offset + record.bytes.size() - sizeof(u32));
  for (const FoldedRelocation &value : values) {
    const auto found = last_word.find(value.offset / arch::kInstructionSize);
    if (found == last_word.end())
      continue;
    u8 *word = bytes.data() + found->second;
    const u64 stored = value.value.value - (value.image_slot ? slot_base : 0);
    if (arch::is_short_in_capsule(*value.row))
      store_le<u16>(word, static_cast<u16>(stored));
    else
      store_le<u32>(word, static_cast<u32>(stored));
  }
}

bool has_preexit(ByteSpan code) {
  for (; code.size() >= arch::kInstructionSize; code = code.subspan(arch::kInstructionSize))
    if (const arch::InstructionInfo *row = arch::find_instruction(code);
        row && row->starts_dependents)
      return true;
  return false;
}

// By FunctionId: functions of the list, and those that call them directly or through others.
std::vector<bool> add_callers(const Program &p, std::vector<FunctionId> list) {
  const u32 count = static_cast<u32>(p.calls.functions.size());
  std::vector<std::vector<FunctionId>> callers(count);
  for (u32 f = 0; f < count; ++f)
    if (p.live.live[f])
      for (const FunctionId callee : p.calls.calls[f])
        callers[callee.value].push_back(FunctionId(f));
  std::vector<bool> out(count, false);
  while (!list.empty()) {
    const FunctionId function = list.back();
    list.pop_back();
    if (out[function.value])
      continue;
    out[function.value] = true;
    list.insert(list.end(), callers[function.value].begin(), callers[function.value].end());
  }
  return out;
}

bool has_workaround(const elf::InfoRecords &records) {
  for (const elf::InfoRecord record : records)
    if (record.attribute == elf::InfoAttribute::NvsalSwWar)
      return true;
  return false;
}

// Engines of earlier builds remove a workaround that the compiler has put into the code. nvlink
// does so, too; code for another chip cannot stay as it is.
bool loses_workaround(const SassContext &c, const SassCode &code,
                      const FinalizedFunction &finalized) {
  const InputObject &object = c.sass.objects[code.definition.object.value];
  if (c.mercury.policy.emulates_nvlink || object.sm != c.inputs.arch.number ||
      has_workaround(elf::InfoRecords(finalized.info)))
    return false;
  return std::any_of(object.infos.begin(), object.infos.end(), [&](const InputObject::Info &info) {
    return info.text == code.section && has_workaround(info.records);
  });
}

} // namespace

SassCodeList read_code(const SassContext &c, std::span<const FinalizedObject> finalized,
                       Diagnostics &diag) {
  SassCodeList out;
  out.by_text.resize(c.layout().sections.size());
  std::vector<FunctionBySection> functions(finalized.size()); // by object
  for (u32 i = 0; i < finalized.size(); ++i)
    for (const FinalizedFunction &function : finalized[i].functions)
      functions[i].emplace(function.section, &function);
  for (const OutId id : c.shape.order) {
    const EntityId function = c.function(id);
    if (!function.valid())
      continue;
    SassCode &code = out.by_text[id.value];
    code = compiled_code(c, function);
    const u32 number = code.definition.object.value;
    if (number >= functions.size())
      continue;
    const auto found = functions[number].find(code.section);
    if (found == functions[number].end()) {
      // Device functions may stay as they were compiled. Stubs of unified functions do.
      const InputObject &object = c.sass.objects[number];
      const elf::Symbol &symbol = object.symbols[code.definition.symbol];
      const bool kernel = (symbol.other & elf::kOtherKernel) != 0;
      if (kernel && !finalized[number].empty())
        diag.report(DiagId::NotFinalized,
                    {object.name, std::string(c.mercury.symbols[function].name)});
      continue;
    }
    if (loses_workaround(c, code, *found->second))
      continue;
    code.finalized = found->second;
    code.text = code.finalized->text;
    code.capsule = code.finalized->capsule;
  }
  return out;
}

std::vector<SectionBytes> fill_capsules(const SassContext &c, const SassCodeList &code,
                                        std::span<const FoldedRelocation> values,
                                        Diagnostics &diag) {
  std::vector<SectionBytes> out;
  auto first = values.begin();
  for (u32 i = 0; i < c.layout().sections.size(); ++i) {
    const OutId id(i);
    while (first != values.end() && first->section < id)
      ++first;
    auto last = first;
    while (last != values.end() && last->section == id)
      ++last;
    if (c.shape.counterpart_of(id) != Counterpart::Capsule)
      continue;
    const ByteSpan capsule = code[id].capsule;
    if (capsule.size() < sizeof(u32)) {
      diag.report(DiagId::BadInput,
                  {c.sass.objects[code[id].definition.object.value].name,
                   "the capsule of '" + std::string(c.mercury.symbols[c.function(id)].name) +
                       "' has no header"});
      continue;
    }
    out.push_back({id, {capsule.begin(), capsule.end()}});
    if (first != last)
      store_values(out.back().bytes, {first, last}, c.plan.images.slot_base);
  }
  return out;
}

std::vector<bool> find_preexits(const SassContext &c, const SassCodeList &code) {
  std::vector<bool> out(c.layout().sections.size(), false);
  std::vector<FunctionId> functions;
  for (const OutId text : c.shape.order)
    if (const EntityId function = c.function(text);
        function.valid() && has_preexit(code[text].compiled)) {
      out[text.value] = true;
      functions.push_back(c.mercury.function_of(function));
    }
  if (functions.empty() || !c.mercury.policy.completes_kernels)
    return out;
  const std::vector<bool> reached = add_callers(c.mercury, std::move(functions));
  for (const OutId text : c.shape.order)
    if (const EntityId function = c.function(text);
        function.valid() && c.mercury.is_kernel(function))
      out[text.value] = reached[c.mercury.function_of(function).value];
  return out;
}

} // namespace culink
