// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a finalizer is asked for. nvlink schedules the code of a linked program again; each object
// with code in the output is finalized for itself, once, and the functions that are needed are
// taken from the answer (model/finalized.h).
//
// What may surprise: nvlink -r finalizes, too, but that changes nothing unless the code is for
// another target, for a debugger or by another release (Q104), so other objects are left out, but
// for those whose Mercury code has to be brought into another form. And
// objects may be finalized once more together, for the sake of debug information alone: see
// link/nvlink/merged_debug.h.
//
// Engines take objects of earlier releases, too, and schedule their code in their own way. Where
// the bytes of a certain release were asked for, the engine has to be of that release.
#include <algorithm>

#include <fmt/format.h>

#include "elf/records/nv_capmerc.h"
#include "elf/records/nv_notes.h"
#include "link/mercury/sass_code.h"
#include "link/mercury/sass_constants.h"

namespace culink {

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

// Only kernels are scheduled otherwise in a linked program than in the object: the code around
// their entry and their exits is. Device functions keep the schedule that the compiler of the same
// release gave them (docs/mercury.md), unless calls of the driver may be among it.
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
  // Without these options, any sound code will do.
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
