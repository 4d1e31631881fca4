// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of the SASS plane: for each text section the code of the definition that prevails, as it
// was compiled or as a finalizer has made it, and the capsule beside it. All later parts of the
// plan look up the new positions of instructions here.
//
// A capsule is Mercury code as a difference to the SASS. Where it holds a whole instruction, a
// value that the linker stores into the SASS is stored there, too: in the last word of the
// instruction's record.
#include "link/mercury/sass_code.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "elf/records/nv_capmerc.h"
#include "elf/records/nv_notes.h"
#include "elf/target/instructions.h"
#include "elf/target/reloc.h"
#include "link/mercury/sass_constants.h"
#include "support/bytes.h"

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

// A request to a finalizer. nvlink schedules the code of a linked program again; each object
// with code in the output is finalized for itself, once, and the functions that are needed are
// taken from the answer (link/model/finalized.h).
//
// What may surprise: nvlink -r finalizes, too, but this changes code only if it is for another
// target, for a debugger or by another release (Q104). Other objects are left out, except objects
// whose Mercury code needs another form. Objects may be finalized once more together, for their
// debug information alone: see link/nvlink/merged_debug.h.
//
// Engines take objects of earlier releases, too, and schedule their code in their own way. If the
// bytes of a certain release are requested, the engine must be of that release.

namespace {

// Code that was compiled with -G.
bool has_debug_code(const InputObject &plane) {
  bool functions = false, marked = false;
  for (const elf::Section &section : plane.view.sections())
    functions = functions || plane.kinds[section.index].role == elf::SectionRole::Text;
  for (const InputObject::Info &info : plane.infos)
    for (const elf::InfoRecord record : info.records)
      marked =
          marked || (info.text == 0 && record.attribute == elf::InfoAttribute::GenErrbarAtExit);
  return functions && marked;
}

// By object: the sections of its code that is in the output.
struct NeededCode {
  std::vector<u32> functions;
  std::vector<u32> kernels;
};

std::vector<NeededCode> find_needed_code(const SassContext &c) {
  std::vector<NeededCode> out(c.sass.objects.size());
  for (const OutId id : c.shape.order)
    if (const EntityId function = c.function(id); function.valid()) {
      const SymbolRef prevailing = c.mercury.symbols[function].prevailing;
      NeededCode &needed = out[prevailing.object.value];
      const InputObject &object = c.sass.objects[prevailing.object.value];
      const elf::Symbol &symbol = object.symbols[prevailing.symbol];
      const bool kernel = (symbol.other & elf::kOtherKernel) != 0;
      (kernel ? needed.kernels : needed.functions).push_back(symbol.section);
    }
  return out;
}

// True for code that is scheduled as the linker schedules it. Builds of one release differ, too:
// later ones wait for a fault of the chip (NVSAL_SW_WAR), earlier ones remove these instructions.
// Only an emulated linker has a build; others keep what the compiler of the release has made.
bool has_own_schedule(const InputObject &object, const Program &mercury) {
  if (object.toolkit != mercury.policy.toolkit)
    return false;
  if (!mercury.policy.emulates_nvlink)
    return true;
  for (const u32 section : object.tool_notes)
    for (const elf::Note &note : elf::decode_notes(object.section(section).data).notes)
      if (const Result<elf::ToolkitInfo> info = elf::decode_toolkit_info(note.desc);
          info && info->tool_version != mercury.dialect.tool_version)
        return false;
  return true;
}

// True if linking does not change the schedule of device functions. It changes only the code around
// entry and exits of kernels; functions keep the schedule of the compiler of the same release
// (docs/compilers.md), unless their code may have driver calls.
bool functions_keep_schedule(const SassContext &c, const InputObject &object,
                             const FinalizeRequest &request) {
  const auto has_lines = [](const elf::Section &section) {
    return section.name.starts_with(".debug_line") || section.name.starts_with(".nv_debug_");
  };
  const auto &sections = object.view.sections();
  return !c.inputs.arch.calls_driver_for_images && c.mercury.policy.executable && !request.debug &&
         !request.debug_code && has_own_schedule(object, c.mercury) &&
         std::none_of(sections.begin(), sections.end(), has_lines);
}

u64 size_of_code(const InputObject &object, const std::vector<u32> &sections) {
  u64 out = 0;
  for (const u32 section : sections)
    out += object.view.sections()[section].size;
  return out;
}

bool has_independent_textures(const InputObject &plane) {
  for (const InputObject::Info &info : plane.infos)
    for (const elf::InfoRecord record : info.records)
      if (info.text == 0 && record.attribute == elf::InfoAttribute::TexmodeIndependent)
        return true;
  return false;
}

FinalizeRequest make_request(const SassContext &c) {
  FinalizeRequest out{.target = std::string(c.inputs.arch.name),
                      .debug = c.mercury.options.keeps_debug_symbols(),
                      .relocatable = !c.mercury.policy.executable,
                      .distinct_names = !c.mercury.policy.repeats_first_of_name};
  for (const InputObject &plane : c.mercury.objects)
    out.debug_code = out.debug_code || has_debug_code(plane);
  out.independent_textures = c.inputs.arch.calls_driver_for_images &&
                             c.mercury.policy.recounts_image_calls &&
                             std::ranges::any_of(c.mercury.objects, has_independent_textures);
  return out;
}

void check_engine(const SassContext &c, std::span<const FinalizedObject> results,
                  Diagnostics &diag) {
  const u32 expected = c.mercury.policy.toolkit;
  const auto other = std::find_if(results.begin(), results.end(), [&](const FinalizedObject &made) {
    return made.toolkit != 0 && made.toolkit != expected;
  });
  if (other == results.end())
    return;
  const auto name = [](u32 toolkit) { return fmt::format("{}.{}", toolkit / 10, toolkit % 10); };
  if (c.mercury.policy.emulates_nvlink)
    diag.report(DiagId::ForeignEngine, {name(other->toolkit), name(expected)}, {},
                "--cuda=FOLDER and --finalizer=FILE choose another engine");
  else if (c.mercury.options.code == OutputCode::Exact)
    diag.report(DiagId::OtherEngine, {name(other->toolkit), name(expected)});
}

} // namespace

FinalizedCode finalize_code(const SassContext &c, Diagnostics &diag) {
  FinalizedCode out;
  if (!c.inputs.finalizer)
    return out;
  FinalizeRequest request = make_request(c);
  const bool changes = c.mercury.policy.executable ||
                       (c.mercury.policy.resolves_early && (request.debug || request.debug_code));
  // Without these options, code may stay as it was compiled.
  request.required =
      c.mercury.options.code == OutputCode::Exact || c.mercury.policy.emulates_nvlink;
  request.sound_as_compiled = true;
  std::vector<NeededCode> needed = find_needed_code(c);
  std::vector<u32> numbers; // of the objects in the request
  for (u32 i = 0; i < c.sass.objects.size(); ++i) {
    const InputObject &object = c.sass.objects[i];
    const bool other_finalizer =
        (c.mercury.policy.resolves_early && !has_own_schedule(object, c.mercury)) ||
        elf::has_older_capsules(object.view);
    const bool translated =
        object.sm != c.inputs.arch.number || other_finalizer ||
        (c.mercury.policy.mixes_debug_info && nvlink::is_finalized_again(object)) ||
        has_mixed_tables(c.mercury.objects[i], c.mercury.arch) ||
        (request.independent_textures && !has_independent_textures(c.mercury.objects[i]));
    std::vector<u32> sections = std::move(needed[i].kernels);
    if (translated || !functions_keep_schedule(c, object, request))
      sections.insert(sections.end(), needed[i].functions.begin(), needed[i].functions.end());
    if (sections.empty() || !(changes || translated))
      continue;
    request.sound_as_compiled = request.sound_as_compiled && !translated;
    const u64 code_bytes = size_of_code(object, sections);
    request.objects.push_back({object.name, object.view.file(), std::move(sections), code_bytes});
    numbers.push_back(i);
  }
  const FunctionsByName first_of_name = first_functions_of_name(c);
  const nvlink::MergedDebugRequest merged =
      nvlink::find_merged_debug({c.mercury, c.planes(), c.layout(), c.alias_owners, first_of_name});
  for (FinalizeRequest::Object &object : nvlink::objects_to_merge(merged, c.sass.objects))
    request.objects.push_back(std::move(object));
  if (request.objects.empty())
    return out;
  std::vector<FinalizedObject> results = c.inputs.finalizer(request, diag);
  out.refused = results.empty();
  if (out.refused)
    return out; // and the finalizer has reported why
  check_engine(c, results, diag);
  out.objects.resize(c.sass.objects.size());
  for (size_t i = 0; i < numbers.size(); ++i)
    out.objects[numbers[i]] = std::move(results[i]);
  results.erase(results.begin(), results.begin() + static_cast<i64>(numbers.size()));
  out.merged = nvlink::read_merged_debug(merged, c.mercury.symbols, std::move(results));
  return out;
}

} // namespace culink
