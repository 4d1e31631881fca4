// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One link from request to result: looks up target and dialect, loads the objects, plans and writes
// the image, and checks it with the same verifier as `cubin verify`. This is the only place where
// all modules meet.
#include "driver/api/link_job.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "compilers/cache/cache.h"
#include "compilers/finalize/finalize.h"
#include "driver/api/check_job.h"
#include "driver/api/input_loader.h"
#include "driver/api/output_code.h"
#include "driver/options/command_line.h"
#include "driver/options/dialects.h"
#include "elf/elf_view.h"
#include "input/collect.h"
#include "input/file_kind.h"
#include "input/load_object.h"
#include "link/link.h"
#include "link/model/diagnostics.h"
#include "link/model/input_object.h"
#include "link/model/name_pattern.h"
#include "link/nvlink/objects.h"
#include "link/output/write.h"
#include "link/resolve/system_library.h"
#include "support/process.h"
#include "support/step_timer.h"
#include "support/string_index.h"
#include "verify/file/verify.h"

namespace culink {

// The most frequent reason for an undefined symbol is an input that was left out: it was compiled
// for another target or without -rdc=true. Such code is read only after a link has failed. Broken
// code is ignored, because the link does not depend on it.

namespace {

constexpr size_t kMostInputs = 1000; // each has to be unpacked

using Definers = OwnedNameMap<const SkippedCode *>;

void add_definitions_in(ByteSpan cubin, const SkippedCode &code, Definers &definers) {
  const Result<elf::ElfView> view = elf::ElfView::open_tolerant(cubin);
  if (!view)
    return;
  const elf::SymbolTable symbols = view->symbols();
  for (u32 i = 0; i < symbols.size(); ++i)
    if (const elf::Symbol symbol = symbols[i];
        symbol.in_section() && symbol.binding() != elf::SymbolBinding::Local)
      definers.try_emplace(std::string(symbol.name), &code);
}

void add_entry(const FatbinEntry &entry, const SkippedCode &code, Definers &definers) {
  if (const Result<std::vector<u8>> unpacked = unpack(entry); unpacked)
    add_definitions_in(*unpacked, code, definers);
}

void add_definitions(const SkippedCode &code, Definers &definers) {
  if (code.entry)
    return add_entry(*code.entry, code, definers);
  if (code.whole.empty())
    return add_definitions_in(code.bytes, code, definers);
  const Result<std::vector<FatbinContainer>> containers = read_fatbins(code.whole);
  if (!containers)
    return;
  for (const FatbinContainer &container : *containers)
    for (const FatbinEntry &entry : container.entries)
      if (entry.kind == FatbinKind::Elf)
        add_entry(entry, code, definers);
}

bool has_kernels(const InputObject &object) {
  return std::any_of(object.symbols.begin(), object.symbols.end(), [](const elf::Symbol &symbol) {
    return symbol.type() == elf::SymbolType::Function && symbol.in_section() &&
           (symbol.other & elf::kOtherKernel) != 0;
  });
}

// A program that was compiled as a whole has hardly any names left, so it may have defined any of
// the missing symbols.
std::string suspect_whole_programs(const std::vector<SkippedCode> &skipped) {
  constexpr size_t kMostNamed = 3;
  std::vector<std::string_view> names;
  for (const SkippedCode &code : skipped)
    if (code.why == kWholeProgram && (names.empty() || names.back() != code.name))
      names.push_back(code.name);
  if (names.empty())
    return "";
  const bool several = names.size() > 1;
  const std::string more = names.size() > kMostNamed
                               ? " and " + std::to_string(names.size() - kMostNamed) + " more"
                               : "";
  names.resize(std::min(names.size(), kMostNamed));
  return comma_list(names) + more + (several ? " were" : " was") +
         " compiled without -rdc=true, so that other files cannot use device code there";
}

// Adds to messages about undefined symbols the inputs that were not linked and define them.
void name_skipped_definitions(const std::vector<SkippedCode> &skipped, Diagnostics &diag) {
  Definers definers;
  for (size_t i = 0; i < skipped.size() && i < kMostInputs; ++i)
    add_definitions(skipped[i], definers);
  const std::string suspects = suspect_whole_programs(skipped);
  for (Diagnostic &message : diag.all()) {
    if (message.id != DiagId::UndefinedReference)
      continue;
    const auto found = definers.find(message.arguments.front());
    if (found == definers.end() && message.hint.empty())
      message.advise(suspects);
    else if (found != definers.end())
      message.at("would be defined in",
                 {"", found->second->name, "", "", "but " + found->second->why});
  }
}

// Reports that no object has a kernel although inputs were left out.
//
// Nothing in such an output can be launched. Without skipped inputs, the user may link device
// functions alone on purpose. An object that was compiled as a whole has a linked image and
// registers it, so its kernels are not lost: nvcc links such objects for every program without
// -rdc=true.
void warn_about_lost_kernels(const std::vector<InputObject> &objects,
                             const std::vector<SkippedCode> &skipped, Diagnostics &diag) {
  const auto is_lost = [](const SkippedCode &code) { return code.why != kWholeProgram; };
  const auto first = std::find_if(skipped.begin(), skipped.end(), is_lost);
  const auto lost = std::count_if(skipped.begin(), skipped.end(), is_lost);
  const bool other_target =
      std::any_of(skipped.begin(), skipped.end(),
                  [](const SkippedCode &code) { return code.entry || !code.bytes.empty(); });
  if (lost == 0 || (!objects.empty() && !other_target) ||
      std::any_of(objects.begin(), objects.end(), has_kernels))
    return;
  diag.report(DiagId::NoKernels, {first->name, first->why})
      .advise(lost > 1
                  ? std::to_string(lost - 1) + " more left out; cubin list shows what inputs have"
                  : "cubin list shows what inputs have");
}

// The modules to register. The device runtime library is one if its code is linked, or if it lacks
// code for the target and may define an undefined function.
std::vector<LinkedModule> linked_modules(const InputLoader &loader,
                                         const std::vector<InputObject> &objects) {
  std::vector<LinkedModule> out;
  for (const HostModule &module : loader.modules()) {
    const auto is_in = [&](const auto &list) {
      return std::any_of(list.begin(), list.end(),
                         [&](const auto &one) { return one.name == module.name; });
    };
    const bool linked = !module.system || is_in(objects) ||
                        (!is_in(loader.code()) && calls_missing_functions(objects));
    out.push_back({module.name, module.id, linked});
  }
  return out;
}

std::vector<InputObject> mercury_planes(const std::vector<InputObject> &objects, WorkerPool &pool,
                                        Diagnostics &diag) {
  std::vector<std::optional<Result<InputObject>>> results(objects.size());
  pool.for_each(static_cast<u32>(objects.size()),
                [&](u32 i) { results[i] = parse_mercury_plane(objects[i]); });
  std::vector<InputObject> planes;
  planes.reserve(objects.size());
  for (u32 i = 0; i < objects.size(); ++i) {
    if (*results[i])
      planes.push_back(std::move(**results[i]));
    else
      diag.report(DiagId::BadInput, {objects[i].name, results[i]->error().text()});
  }
  return planes;
}

// The output records the lowest virtual target. Code that reads __CUDA_ARCH__ at run time would
// then get another value than at compile time.
void warn_about_virtual_targets(const LinkOptions &options, const std::vector<InputObject> &objects,
                                Diagnostics &diag) {
  const auto [low, high] = std::minmax_element(
      objects.begin(), objects.end(),
      [](const InputObject &a, const InputObject &b) { return a.virtual_sm < b.virtual_sm; });
  if (!options.extra_warnings || objects.empty() || low->virtual_sm == high->virtual_sm)
    return;
  diag.report(DiagId::MixedVirtualTargets,
              {std::to_string(low->virtual_sm), std::to_string(high->virtual_sm)})
      .at("the lower one, which the output will name, in", low->origin())
      .at("the higher one in", high->origin());
}

// nvlink reports this error only after it has written its output (Q171).
bool only_runtime_expected(const Diagnostics &diag) {
  const auto is_it = [](const Diagnostic &one) { return one.id == DiagId::RuntimeExpected; };
  return std::any_of(diag.all().begin(), diag.all().end(), is_it) &&
         std::all_of(diag.all().begin(), diag.all().end(), [&](const Diagnostic &one) {
           return is_it(one) || diag_row(one.id).severity < Severity::Error;
         });
}

// Without this check, a script named nvlink that runs culink would start itself without end.
void refuse_to_be_an_engine(Diagnostics &diag) {
  if (runs_as_engine())
    diag.report(DiagId::BadInput,
                {"CULINK_ENGINE", "is set: another link runs this one as its compiler, and so on"},
                {}, "--cuda=FOLDER, --finalizer=FILE and --ptxas=FILE name NVIDIA's compilers");
}

u32 newest_toolkit(const std::vector<InputObject> &objects) {
  u32 newest = 0;
  for (const InputObject &object : objects)
    newest = std::max(newest, object.toolkit);
  return newest;
}

// One link from request to result.
class LinkJob {
public:
  LinkJob(const LinkRequest &request, const FileSource &files)
      : request_(request), files_(files), cache_(request.cache),
        timer_(request.options.times, request.progress) {}
  LinkJob(const LinkJob &) = delete;
  LinkJob &operator=(const LinkJob &) = delete;

  [[nodiscard]] LinkResult run();
  [[nodiscard]] LinkResult list_modules();

private:
  [[nodiscard]] const arch::ArchInfo *choose_target();
  [[nodiscard]] u32 choose_threads(u64 code_size) const;
  [[nodiscard]] LinkResult link_and_verify();
  [[nodiscard]] bool optimise_all(InputLoader &loader);
  [[nodiscard]] LinkResult give_out_optimised(InputLoader &loader);
  [[nodiscard]] std::optional<PlannedLink> plan(OutputCode code, const arch::ArchInfo &target,
                                                std::vector<InputObject> objects, WorkerPool &pool);
  [[nodiscard]] bool make_image(PlannedLink planned, LinkResult &result, WorkerPool &pool);
  void write(FileDraft draft, WorkerPool &pool);
  void report_copied(const Finding &finding);
  [[nodiscard]] bool is_within_limit(u64 image_size);
  void verify(LinkResult &result, const KnownFlaws &flaws, WorkerPool &pool);
  [[nodiscard]] std::vector<Diagnostic> blame_inputs() const;

  const LinkRequest &request_;
  const FileSource &files_;
  Cache cache_;
  const Dialect *dialect_ = nullptr;
  std::optional<InputLoader> loader_; // owns the bytes that objects and messages refer to
  std::optional<WorkerPool> workers_; // while there is a loader
  std::optional<Finalizer> finalizer_;
  CompilerClock finalizing_;
  StepTimer timer_;
  Diagnostics diag_;
  ByteBuffer image_;
};

} // namespace

const arch::ArchInfo *LinkJob::choose_target() {
  const arch::ArchInfo *found = arch::find_arch(request_.target);
  if (found)
    return found;
  diag_.report(
      DiagId::UnknownTarget, {request_.target}, {},
      fmt::format("known targets: {}", fmt::join(option_values(option_row(OptionId::Arch)), ", ")));
  return nullptr;
}

// A small link ends before other threads have started.
u32 LinkJob::choose_threads(u64 code_size) const {
  constexpr u64 kWorthThreads = u64{2} << 20; // bytes
  return request_.options.threads != 0 || code_size >= kWorthThreads ? request_.options.threads : 1;
}

// Writes a large image directly into memory of the caller, if there is any. Frees the draft at the
// end, because verification needs memory, too.
void LinkJob::write(FileDraft draft, WorkerPool &pool) {
  constexpr u64 kLarge = u64{8} << 20;
  const u64 size = draft.layout.file_size;
  if (size >= kLarge)
    loader_->drop_pages(); // few bytes of the inputs are in memory afterwards
  if (request_.place && size >= kLarge)
    image_ = ByteBuffer::borrow(request_.place(size));
  if (image_.empty())
    image_ = ByteBuffer(size);
  write_image(draft, image_, pool, diag_);
}

// Runs the passes over the plane of the objects that the kind of code needs.
std::optional<PlannedLink> LinkJob::plan(OutputCode code, const arch::ArchInfo &target,
                                         std::vector<InputObject> objects, WorkerPool &pool) {
  const bool mercury = code != OutputCode::Sass;
  const Dialect dialect = dialect_for(*dialect_, request_.dialect, newest_toolkit(objects), target);
  if (!request_.dialect.empty())
    report_older_dialect(objects, dialect, diag_);
  const arch::ArchInfo plane =
      mercury ? arch::as_mercury_plane(target) : arch::as_plain_sass(target);
  if (target.has_mercury_plane && request_.options.code == OutputCode::Default)
    objects = nvlink::forget_mercury_marks(std::move(objects), *dialect_);
  LinkOptions options = loader_->options();
  if (options.option_words.empty())
    options.option_words = note_options(describe_request(request_));
  std::optional<SassInputs> sass;
  if (code == OutputCode::Exact && !request_.finalizer.empty())
    finalizer_.emplace(request_.finalizer, request_.options.threads, &cache_,
                       request_.progress ? &request_.progress->cancelled : nullptr);
  if (mercury) {
    timer_.begin("planes");
    std::vector<InputObject> planes = mercury_planes(objects, pool, diag_);
    objects = nvlink::repeat_first_of_name(std::move(objects), *dialect_);
    planes = nvlink::repeat_first_of_name(std::move(planes), *dialect_);
    sass.emplace(SassInputs{std::move(objects), target, {}});
    if (finalizer_)
      sass->finalizer = [this](auto &&...arguments) {
        return finalizing_.wait_for(
            [&] { return (*finalizer_)(std::forward<decltype(arguments)>(arguments)...); });
      };
    objects = std::move(planes);
    if (diag_.failed())
      return {};
  }
  const auto inputs_released = [this] { loader_->drop_pages(); };
  return plan_link(options, dialect, plane, std::move(objects), sass ? &*sass : nullptr, pool,
                   inputs_released, timer_, diag_);
}

// Runs link-time optimisation. True if there is nothing left to link.
bool LinkJob::optimise_all(InputLoader &loader) {
  timer_.begin("optimise");
  loader.optimize();
  const std::optional<LtoOutcome> &made = loader.optimised();
  return made && (made->whole || request_.lto.emit_ptx);
}

// The result is a whole program that needs no linking, or its PTX on request.
LinkResult LinkJob::give_out_optimised(InputLoader &loader) {
  LinkResult result;
  if (request_.lto.emit_ptx) {
    loader.report();
    for (const std::string &part : loader.optimised()->parts)
      result.ptx += part;
  } else {
    timer_.begin("compile");
    const std::optional<std::vector<u8>> image = loader.compile_whole();
    if (!image)
      return {};
    image_ = ByteBuffer(image->size());
    std::copy(image->begin(), image->end(), image_.begin());
  }
  if (request_.options.facts && !dialect_->input.silent)
    diag_.report(DiagId::NoEffect, {"reports (-v, -Map and others)",
                                    "nothing was linked, the optimised program is complete; "
                                    "`cubin usage` shows what its kernels need"});
  result.modules = linked_modules(loader, {});
  std::reverse(result.modules.begin(), result.modules.end()); // as nvlink lists them
  result.complete = !request_.lto.emit_ptx;
  return result;
}

LinkResult LinkJob::link_and_verify() {
  refuse_to_be_an_engine(diag_);
  const arch::ArchInfo *target = choose_target();
  dialect_ = choose_dialect(request_, diag_);
  if (request_.inputs.empty() && request_.libraries.empty())
    diag_.report(
        dialect_ && dialect_->command.refuses_empty_link ? DiagId::NoInput : DiagId::EmptyLink, {});
  if (diag_.failed())
    return {};
  // From sm_90 on some relocations are resolved but not listed.
  if (request_.options.preserve_relocs && target->has_unified_symbols)
    diag_.report(DiagId::PreserveRelocsIncomplete, {request_.target});
  InputLoader &loader = loader_.emplace(request_, *target, *dialect_, diag_, &cache_, files_);
  timer_.begin("open");
  workers_.emplace(loader.has_many_files() ? request_.options.threads : 1);
  loader.collect(*workers_);
  if (request_.lto.enabled && optimise_all(loader))
    return give_out_optimised(loader);
  timer_.begin("read");
  if (!loader.has_many_files())
    workers_.emplace(loader.has_ptx() ? request_.options.threads
                                      : choose_threads(loader.code_size()));
  WorkerPool &pool = *workers_;
  std::vector<InputObject> objects = loader.load_needed(pool);
  if (diag_.failed() && !timer_.cancelled())
    find_conflicts(request_.options, *dialect_, *target, objects, pool, diag_);
  if (diag_.failed() || timer_.cancelled())
    return {};
  const OutputCode code = choose_output_code(request_.options, *dialect_, objects, *target,
                                             !request_.finalizer.empty(), diag_);
  if (diag_.failed())
    return {};
  warn_about_virtual_targets(request_.options, objects, diag_);
  if (!dialect_->input.silent && !request_.options.relocatable &&
      !request_.options.suppress_arch_warning)
    warn_about_lost_kernels(objects, loader.skipped(), diag_);
  std::vector<LinkedModule> modules = linked_modules(loader, objects);
  const bool checked = is_to_check(request_, objects, diag_);
  const std::vector<check::CheckInput> linked =
      checked ? list_linked_code(objects) : std::vector<check::CheckInput>{};
  std::optional<PlannedLink> planned = plan(code, *target, std::move(objects), pool);
  if (!planned)
    return {};
  LinkResult result;
  result.facts = std::move(planned->facts);
  result.modules = std::move(modules);
  result.complete = true;
  if (!planned->draft || timer_.cancelled())
    return result;
  if (!make_image(std::move(*planned), result, pool))
    return {};
  if (checked && !diag_.failed()) {
    timer_.begin("check");
    check_linked(linked, image_, request_, loader.options(), code == OutputCode::Exact, pool,
                 diag_);
  }
  return result;
}

// The image is the largest allocation; its size is known in advance.
bool LinkJob::is_within_limit(u64 image_size) {
  const std::vector<LinkInput> &code = loader_->code();
  const u64 held = loader_->unpacked_size();
  if (request_.memory_limit == 0 || code.empty() || held + image_size <= request_.memory_limit)
    return true;
  const auto largest =
      std::max_element(code.begin(), code.end(), [](const LinkInput &a, const LinkInput &b) {
        return a.bytes->size() < b.bytes->size();
      });
  diag_.report(DiagId::OverMemoryLimit,
               {largest->name,
                "the largest of the inputs, whose output and unpacked code have " +
                    std::to_string(held + image_size) + " bytes",
                std::to_string(request_.memory_limit)});
  return false;
}

// Writes the image and verifies it. False: it could not be written.
bool LinkJob::make_image(PlannedLink planned, LinkResult &result, WorkerPool &pool) {
  if (!is_within_limit(planned.draft->layout.file_size))
    return false;
  timer_.begin("write");
  write(std::move(*planned.draft), pool);
  if (diag_.failed()) {
    image_ = {};
    return false;
  }
  timer_.begin("verify");
  verify(result, planned.flaws, pool);
  return true;
}

LinkResult LinkJob::run() {
  LinkResult result = link_and_verify();
  timer_.end();
  // Drops the result even if the cancellation came too late to save time: the caller does not
  // expect one. Messages about half a link could be wrong.
  if (timer_.cancelled()) {
    diag_ = {};
    diag_.report(DiagId::Cancelled, {});
  } else if (diag_.failed() && loader_) {
    name_skipped_definitions(loader_->skipped(), diag_);
  }
  if (loader_ && !timer_.cancelled())
    loader_->report_changed();
  workers_.reset();
  if (loader_)
    result.compiled = loader_->ptx_names();
  result.times = timer_.times();
  if (request_.options.times) {
    if (loader_)
      loader_->add_waits(result.compilers);
    finalizing_.add_row("finalizer", result.compilers);
  }
  result.cache = cache_.use();
  for (const std::string &trouble : cache_.troubles())
    diag_.report(DiagId::CacheTrouble, {trouble});
  bool failed = diag_.failed();
  const std::vector<Diagnostic> blamed = blame_inputs();
  for (const Diagnostic &diagnostic : blamed)
    result.messages.push_back(to_message(diagnostic));
  for (const Diagnostic &diagnostic : diag_.all()) {
    if (diagnostic.id == DiagId::Contradiction && !blamed.empty())
      continue;
    Message &message = result.messages.emplace_back(to_message(diagnostic));
    if (request_.options.warnings_are_errors && message.severity == Severity::Warning &&
        diagnostic.id != DiagId::CacheTrouble) { // which never fails a link
      message.severity = Severity::Error;
      failed = true;
    }
  }
  if (failed && !only_runtime_expected(diag_)) {
    result.ptx = {};
    return result;
  }
  result.bytes = std::move(image_);
  return result;
}

LinkResult LinkJob::list_modules() {
  LinkResult result;
  const std::string number = request_.target.substr(request_.target.find('_') + 1);
  const arch::ArchInfo *target = arch::find_arch("sm_" + number);
  dialect_ = choose_dialect(request_, diag_);
  if (!target)
    diag_.report(DiagId::UnknownTarget, {request_.target});
  if (!diag_.failed()) {
    WorkerPool alone(1);
    loader_.emplace(request_, *target, *dialect_, diag_, &cache_, files_).collect(alone);
    loader_->report();
    for (const HostModule &module : loader_->modules()) // the runtime library, too, as nvlink does
      result.modules.push_back({module.name, module.id});
  }
  result.messages = messages_of(diag_);
  return result;
}

LinkResult list_modules(const LinkRequest &request, const FileSource &files) {
  return LinkJob(request, files).list_modules();
}

LinkResult list_modules(const LinkRequest &request) {
  return list_modules(request, system_files());
}

LinkResult link(const LinkRequest &request, const FileSource &files) {
  return LinkJob(request, files).run();
}

LinkResult link(const LinkRequest &request) {
  return link(request, system_files());
}

// Checks of an image before it is returned: the verifier of `cubin verify` for the rules of the
// format, the checker for the comparison with the inputs, and a search for the input at fault. An
// input may break a rule that no pass depends on; its flaw is then copied and reported.

namespace {

// The violations of the format in an input.
std::vector<Finding> findings_in(const LinkInput &input) {
  const Result<elf::ElfView> view = elf::ElfView::open_tolerant(*input.bytes);
  return view ? verify_device_elf(*view) : std::vector<Finding>{};
}

std::string text_of(const Finding &finding) {
  return fmt::format("{}: {}", rule_id(finding.rule), finding.what.text());
}

} // namespace

// Warns about a copied flaw and names the input that has it.
void LinkJob::report_copied(const Finding &finding) {
  const auto has_it = [&](const LinkInput &input) {
    return std::ranges::any_of(findings_in(input),
                               [&](const Finding &one) { return one.rule == finding.rule; });
  };
  const auto source = std::ranges::find_if(loader_->code(), has_it);
  diag_.report(DiagId::CopiedFlaw,
               {source == loader_->code().end() ? "output" : source->name, text_of(finding)});
}

void LinkJob::verify(LinkResult &result, const KnownFlaws &flaws, WorkerPool &pool) {
  const Result<elf::ElfView> view = elf::ElfView::open(image_);
  if (!view) {
    diag_.report(DiagId::Contradiction, {"output", view.error().text()});
    return;
  }
  for (const Finding &finding : verify_device_elf(*view, pool)) {
    if (is_about_carried_content(finding.rule)) {
      report_copied(finding);
      continue;
    }
    if ((flaws.wrong_symbols && finding.rule == Rule::SymbolValue) ||
        (flaws.null_symbol_value && finding.rule == Rule::SymbolNull) ||
        (flaws.overruns && finding.rule == Rule::RelocationOffset) ||
        (flaws.misplaced_locals && finding.rule == Rule::SymbolOrder) ||
        (flaws.lost_section && view->sections().size() > elf::kSectionCommon &&
         (finding.rule == Rule::TextSymbol || finding.rule == Rule::MirrorSymbol)))
      continue;
    diag_.report(DiagId::Contradiction, {"output", text_of(finding)});
  }
  if (!request_.options.facts)
    return;
  result.facts.sections.clear();
  for (const elf::Section &section : view->sections())
    result.facts.sections.push_back({std::string(section.name), static_cast<u32>(section.type),
                                     section.flags, section.offset, section.size});
}

// An output that breaks a rule of the format can come from an input that does: inputs are not
// checked for all rules, because harmless violations should link. Returns the findings of the same
// rules in the inputs, or all findings of the output if no input breaks them.
std::vector<Diagnostic> LinkJob::blame_inputs() const {
  std::string contradiction;
  for (const Diagnostic &diagnostic : diag_.all())
    if (diagnostic.id == DiagId::Contradiction && contradiction.empty())
      contradiction = diagnostic.arguments.back();
  if (contradiction.empty())
    return {};
  constexpr size_t kMost = 10;
  std::vector<Diagnostic> same_rule, all;
  for (const LinkInput &input : loader_->code())
    for (const Finding &finding : findings_in(input)) {
      Diagnostic &found = all.emplace_back();
      found.arguments = {input.name, finding.what.text()};
      found.notes = {"the output would break a rule: " + contradiction};
      found.hint = "if the file is in order, this is a bug in culink";
      if (contradiction.starts_with(rule_id(finding.rule)))
        same_rule.push_back(found);
    }
  std::vector<Diagnostic> &out = same_rule.empty() ? all : same_rule;
  if (out.size() > kMost)
    out.resize(kMost);
  return out;
}

} // namespace culink
