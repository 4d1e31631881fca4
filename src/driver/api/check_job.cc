// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls the checker with the objects and the options of a link. culink --check knows both. `cubin
// check` finds the objects in the files as the linker does, and reads the options from the note
// that every linker leaves in its output. The checker itself (src/verify/link) finds out all else
// about the output.
#include "driver/api/check_job.h"

#include <algorithm>

#include "culink/host_references.h"
#include "driver/api/input_loader.h"
#include "driver/options/command_line.h"
#include "driver/options/dialects.h"
#include "elf/records/nv_notes.h"
#include "elf/target/elf_flags.h"
#include "link/model/name_pattern.h"

namespace culink {

namespace {

bool matches_any(std::string_view name, const std::vector<std::string> &patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [name](const std::string &one) { return matches_pattern(name, one); });
}

check::CheckOptions check_options(const LinkOptions &options, bool finalized) {
  check::CheckOptions out;
  out.keeps_all_code = options.keeps_all_code();
  out.finalized = finalized;
  if (options.prunes_by_host())
    out.is_selected = [&host = *options.host_references](std::string_view name, bool local) {
      return matches_any(name, local ? host.internal_kernels : host.external_kernels);
    };
  else if (options.kernels_used && !options.keeps_debug_symbols())
    out.is_selected = [&options](std::string_view name, bool) {
      return selects_kernel(name, *options.kernels_used, options.source_names);
    };
  return out;
}

// The options in the linker's note, each as "-name value ".
std::string recorded_options(const elf::ElfView &output) {
  const elf::Section *section = output.find(".note.nv.tkinfo");
  if (!section)
    return {};
  for (const elf::Note &note : elf::decode_notes(section->data).notes)
    if (const Result<elf::ToolkitInfo> info = elf::decode_toolkit_info(note.desc))
      return std::string(info->options);
  return {};
}

// Sets the options of the checked link. A warning does not end the check.
void read_options(std::string_view recorded, LinkRequest &request) {
  const LinkRequest linked = make_request(parse_note(recorded));
  if (!linked.target.empty())
    request.target = linked.target;
  request.ptxas_options = linked.ptxas_options;
  const u32 threads = request.options.threads;
  request.options = linked.options;
  request.options.threads = threads;
  request.options.warnings_are_errors = false;
}

// True if the code may have been scheduled again; it then differs from the code of the objects.
bool may_be_finalized(const elf::ElfView &output) {
  return std::any_of(output.sections().begin(), output.sections().end(),
                     [](const elf::Section &section) { return section.is_mercury(); });
}

std::vector<check::Finding> check_output(const std::vector<check::CheckInput> &code,
                                         ByteSpan output, const LinkOptions &options,
                                         bool finalized, WorkerPool &pool) {
  return check::check_link(code, output, check_options(options, finalized), pool);
}

// Whether all objects were compiled for the target that they are linked for.
bool are_made_for(const std::vector<check::CheckInput> &code, const std::string &target) {
  return std::all_of(code.begin(), code.end(), [&](const check::CheckInput &one) {
    const Result<elf::ElfView> view = elf::ElfView::open_tolerant(one.bytes);
    return view && arch::target_of(*view).name == target;
  });
}

// Links the same objects without scheduling and checks the Mercury code of that link: scheduled
// code can be compared only in part. Also reports flaws of the inputs that the engine does not
// copy.
std::vector<check::Finding> check_unscheduled(const std::vector<check::CheckInput> &code,
                                              const LinkRequest &request,
                                              const LinkOptions &options, WorkerPool &pool,
                                              Diagnostics &diag) {
  LinkRequest unscheduled;
  unscheduled.target = request.target;
  unscheduled.dialect = request.dialect;
  unscheduled.memory_limit = request.memory_limit;
  for (const check::CheckInput &one : code)
    unscheduled.inputs.push_back(LinkInput::memory(one.name, one.bytes));
  unscheduled.options = options;
  unscheduled.options.code = OutputCode::Mercury;
  unscheduled.options.keep_system_libraries = true; // unused ones are absent already
  unscheduled.options.check_small = false;
  unscheduled.options.warnings_are_errors = false;
  const LinkResult result = link(unscheduled);
  for (const Message &message : result.messages)
    if (message.id == diag_row(DiagId::CopiedFlaw).key) // the finalizer may have fixed it
      diag.report(DiagId::CopiedFlaw, message.arguments);
  return result.ok() ? check_output(code, result.bytes, options, false, pool)
                     : std::vector<check::Finding>{};
}

// Reports the findings: an error for each, or one warning.
void report_findings(const std::vector<check::Finding> &findings, bool all, Diagnostics &diag) {
  if (all) {
    for (const check::Finding &finding : findings)
      diag.report(DiagId::CheckFinding, {check::to_line(finding)});
  } else if (!findings.empty()) {
    Diagnostic &warning = diag.report(DiagId::CheckFailed, {check::to_line(findings.front())});
    if (findings.size() > 1)
      warning.note("and " + std::to_string(findings.size() - 1) + " more; --check lists all");
  }
}

} // namespace

std::vector<check::CheckInput> list_linked_code(const std::vector<InputObject> &objects) {
  std::vector<check::CheckInput> out;
  out.reserve(objects.size());
  for (const InputObject &object : objects)
    out.push_back({object.name, object.view.file()});
  return out;
}

// A small link can be checked in less time than the program takes to start. An emulated linker
// makes its errors on purpose. Code of an unknown newer release may follow rules that the checker
// does not know; a warning about that exists already.
bool is_to_check(const LinkRequest &request, const std::vector<InputObject> &objects,
                 const Diagnostics &diag) {
  if (request.options.check)
    return true;
  u64 code_size = 0;
  for (const InputObject &object : objects)
    code_size += object.view.file().size();
  return request.options.check_small && request.emulate.empty() &&
         code_size <= LinkOptions::kSmallLink &&
         std::none_of(diag.all().begin(), diag.all().end(),
                      [](const Diagnostic &one) { return one.id == DiagId::NewerToolkit; });
}

void check_linked(const std::vector<check::CheckInput> &linked, ByteSpan output,
                  const LinkRequest &request, const LinkOptions &options, bool finalized,
                  WorkerPool &pool, Diagnostics &diag) {
  std::vector<check::Finding> findings;
  if (finalized && !options.check)
    findings = check_unscheduled(linked, request, options, pool, diag);
  // The checker does not know every change of code for another target.
  if (findings.empty() && (!finalized || options.check || are_made_for(linked, request.target)))
    findings = check_output(linked, output, options, finalized, pool);
  report_findings(findings, options.check, diag);
}

CheckAnswer check_file(LinkRequest request, ByteSpan output, bool as_compiled) {
  CheckAnswer answer;
  Diagnostics diag;
  const Result<elf::ElfView> view = elf::ElfView::open(output);
  if (!view) {
    answer.complete = true;
    answer.findings.push_back(
        {check::FindingKind::Unreadable, "", "output", 0, "a cubin", view.error().text()});
    return answer;
  }
  request.target = arch::target_of(*view).name;
  read_options(recorded_options(*view), request);
  const arch::ArchInfo *target = arch::find_arch(request.target);
  const Dialect *dialect = choose_dialect(request, diag);
  if (!target || !dialect) {
    diag.report(DiagId::UnknownTarget, {request.target});
    answer.messages = messages_of(diag);
    return answer;
  }
  InputLoader loader(request, *target, *dialect, diag, nullptr);
  WorkerPool pool(request.options.threads);
  loader.collect(pool);
  const std::vector<InputObject> objects = loader.load_needed(pool);
  answer.messages = messages_of(diag);
  answer.complete = !diag.failed();
  if (answer.complete)
    answer.findings = check_output(list_linked_code(objects), output, loader.options(),
                                   !as_compiled && may_be_finalized(*view), pool);
  return answer;
}

} // namespace culink
