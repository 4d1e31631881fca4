// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns code for link-time optimisation into PTX and decides how to compile it. A program without
// undefined symbols is compiled as a whole, and the compiler's file is the output. If there are
// other objects, or the program needs the device runtime library, or an object is wanted (-r), the
// PTX is compiled to an object that is linked with the others (Q175).
//
// What may surprise: nvlink does not look at the program first. If the device runtime library comes
// after a host object, functions may be left undefined. nvlink puts the optimised object at the
// position of the last *host object* with such code; if all of the code was in fatbins or .ltoir
// files, the object has no position and is discarded silently (Q170). The objects of a divided
// program come before all others (Q176).
#include "driver/api/lto_job.h"

#include <algorithm>

#include <fmt/format.h>

#include "compilers/lto/optimize.h"
#include "input/compile_ptx.h"

namespace culink {

namespace {

constexpr std::string_view kNameInNvlink = "lto.cubin";
constexpr std::string_view kNoName = "!"; // not the name of any symbol

// "a.o, b.o, c.o and 4 more, optimised"
std::string describe(const std::vector<EngineInput> &modules) {
  constexpr size_t kMost = 3;
  std::string out;
  for (size_t i = 0; i < std::min(modules.size(), kMost); ++i)
    out += fmt::format("{}{}", i == 0 ? "" : ", ", modules[i].name);
  if (modules.size() > kMost)
    out += fmt::format(" and {} more", modules.size() - kMost);
  return out + ", optimised";
}

// A hint for the error of a compiler that is older than its input.
std::string hint_for_newer_modules(const std::vector<EngineInput> &modules,
                                   const std::string &said) {
  if (said.find("newer version of nvJitLink") == std::string::npos)
    return "";
  for (const EngineInput &module : modules)
    if (const std::string release = release_of_ltoir(module.bytes);
        module.kind == EngineInputKind::LtoIr && !release.empty())
      return fmt::format(
          "{} is of CUDA {}: name a toolkit of that release with --cuda or CUDA_HOME", module.name,
          release);
  return "name the toolkit that made the code with --cuda or CUDA_HOME";
}

// Turns parts of names, as on the command line, into patterns for whole names.
std::vector<std::string> as_patterns(const std::vector<std::string> &parts) {
  std::vector<std::string> out;
  for (const std::string &part : parts)
    out.push_back(fmt::format("*{}*", part));
  return out;
}

// Names as in the source match all kernels here; the link selects among the compiled ones.
std::vector<std::string> as_kernel_patterns(const std::vector<std::string> &parts, bool of_source) {
  const bool any = of_source && std::any_of(parts.begin(), parts.end(), [](const std::string &one) {
                     return one.find_first_of("*(<: ") != std::string::npos;
                   });
  return any ? std::vector<std::string>{"*"} : as_patterns(parts);
}

// With threads that share one text (-split-compile) the output of the optimiser differs from run to
// run on x86-64, so it gets one thread if equal inputs must give equal outputs. Threads with one
// text each always write the same code.
LtoOptions with_repeatable_code(LtoOptions options) {
  options.split_compile.reset();
  if (options.emit_ptx)
    options.split_compile_extended.reset();
  return options;
}

// True if the optimiser writes the program in another order in every run.
bool is_in_random_order(const LtoOptions &options) {
  const auto has_threads = [](std::optional<u32> count) { return count && *count != 1; };
  return has_threads(options.split_compile) || has_threads(options.split_compile_extended) ||
         options.fast_compile == "max";
}

// The kinds of the inputs and their order.
struct Mix {
  bool others = false;               // objects that are not optimised
  bool system = false;               // the device runtime library
  bool system_after_host = false;    // after a host object with code for optimisation
  bool system_last = false;          // after all of these host objects
  std::optional<size_t> last_host;   // number of the last host object with such code
  std::optional<size_t> last_module; // of the last piece of such code
};

class LtoJob {
public:
  LtoJob(const LinkRequest &request, const arch::ArchInfo &target, const Dialect &dialect,
         const CollectedInputs &found, Diagnostics &diag, Cache *cache)
      : request_(request), target_(target), dialect_(dialect), found_(found), diag_(diag),
        cache_(cache) {}

  [[nodiscard]] std::optional<LtoOutcome> run();

private:
  [[nodiscard]] Mix look_at_inputs() const;
  [[nodiscard]] std::optional<OptimizerTask> make_task(const Mix &mix);
  [[nodiscard]] std::optional<std::string> compile(const OptimizerTask &task);
  [[nodiscard]] std::optional<std::string> compile_whole(OptimizerTask task,
                                                         const LtoOutcome &outcome);
  [[nodiscard]] bool is_closed(const Mix &mix, const std::string &ptx) const;
  void set_host_references(OptimizerTask &task) const;

  const LinkRequest &request_;
  const arch::ArchInfo &target_;
  const Dialect &dialect_;
  const CollectedInputs &found_;
  Diagnostics &diag_;
  Cache *cache_;
  std::vector<std::vector<u8>> containers_; // modules of fatbins, one container each
};

Mix LtoJob::look_at_inputs() const {
  Mix out;
  for (size_t i = 0; i < found_.code.size(); ++i) {
    const DeviceCode &code = found_.code[i];
    if (code.form == DeviceCode::Form::Lto) {
      out.last_module = i;
      if (!code.in_host_object)
        continue;
      out.last_host = i;
      out.system_last = false;
    } else if (code.system) {
      out.system = true;
      out.system_after_host |= out.last_host.has_value();
      out.system_last = true;
    } else if (!code.discarded) {
      out.others = true;
    }
  }
  return out;
}

// nvlink also removes variables if the used kernels are given. culink keeps them, because the
// options do not list the used variables (Q173).
void LtoJob::set_host_references(OptimizerTask &task) const {
  const auto &kernels = request_.options.kernels_used;
  const auto &variables = request_.lto.variables_used;
  const bool all_kernels =
      !kernels || std::find(kernels->begin(), kernels->end(), "") != kernels->end();
  if (all_kernels && !variables) {
    task.host_counts = !request_.options.ignore_host_info;
    task.host = found_.host;
    return;
  }
  HostReferences &host = task.host.emplace();
  const bool by_variables_alone = variables && kernels && kernels->empty();
  if (!all_kernels && !by_variables_alone)
    host.external_kernels = host.internal_kernels =
        kernels->empty() ? std::vector<std::string>{std::string(kNoName)}
                         : as_kernel_patterns(*kernels, request_.options.source_names);
  std::vector<std::string> used;
  if (variables)
    used = as_patterns(*variables);
  else if (!dialect_.defects.lto_drops_variables)
    used = {"*"};
  host.external_constants = host.internal_constants = used;
  host.external_variables = host.internal_variables = used;
}

std::optional<OptimizerTask> LtoJob::make_task(const Mix &mix) {
  OptimizerTask task;
  task.target = target_.name;
  std::vector<ModuleRecord> records;
  containers_.reserve(found_.code.size());
  for (const DeviceCode &code : found_.code) {
    if (code.form != DeviceCode::Form::Lto)
      continue;
    if (!code.entry) {
      task.modules.push_back({EngineInputKind::LtoIr, code.name, code.bytes});
      continue;
    }
    records.push_back({code.name, code.entry->options});
    task.modules.push_back({EngineInputKind::Fatbin, code.name,
                            containers_.emplace_back(write_container({code.entry->whole}))});
  }
  task.compiled = join_module_options(records, request_.lto.max_registers, diag_);
  if (diag_.failed())
    return std::nullopt;
  if (request_.lto.split_compile_extended && request_.lto.emit_ptx)
    diag_.report(DiagId::SplitIgnored, {"-emit-ptx", "-split-compile-extended", "-split-compile"});
  else if (request_.lto.split_compile_extended &&
           (request_.lto.split_compile || task.compiled.split_compile))
    diag_.report(DiagId::SplitIgnored,
                 {"-split-compile", "-split-compile-extended", "-split-compile-extended"});
  task.separate = request_.options.relocatable || mix.others;
  task.open = !dialect_.defects.lto_by_host_objects || mix.system_after_host;
  task.debug = request_.options.debug;
  set_host_references(task);
  return task;
}

std::optional<std::string> LtoJob::compile(const OptimizerTask &task) {
  if (!request_.lto.has_compiler()) {
    diag_.report(DiagId::NoLtoCompiler, {task.modules.front().name}, {},
                 "install it (libnvjitlink of the CUDA toolkit, or `pip install nvidia-nvjitlink`)"
                 " and name the toolkit's folder with --cuda=FOLDER, -nvvmpath or CUDA_HOME");
    return std::nullopt;
  }
  LtoOptions options = request_.lto;
  if (task.compiled.split_compile)
    options.split_compile = task.compiled.split_compile;
  if (!dialect_.defects.lto_order_by_chance)
    options = with_repeatable_code(std::move(options));
  Result<CompilerAnswer> program =
      optimize(task, options, cache_, request_.progress ? &request_.progress->cancelled : nullptr);
  if (!program || program->status != 0) {
    const std::string what = program ? program->text : program.error().text();
    diag_.report(DiagId::LtoFailed,
                 {describe(task.modules), request_.lto.library, what, program ? "" : "broken"},
                 remark_lines(what), hint_for_newer_modules(task.modules, what));
    return std::nullopt;
  }
  if (!program->text.empty())
    diag_.report(DiagId::LtoRemarks, {describe(task.modules), program->text},
                 remark_lines(program->text));
  return std::string(as_text(program->image));
}

// Whether the program can be compiled as a whole.
bool LtoJob::is_closed(const Mix &mix, const std::string &ptx) const {
  const UndefinedInPtx undefined = undefined_in(ptx);
  if (dialect_.defects.lto_by_host_objects)
    return !mix.system_after_host || undefined.functions.empty();
  return undefined.functions.empty() && undefined.variables.empty() &&
         !(mix.system && request_.options.keep_system_libraries);
}

// Compiles the program from LTO-IR, because the library compiles only that as a whole. From PTX, it
// would keep functions that can be linked, and calls to them.
std::optional<std::string> LtoJob::compile_whole(OptimizerTask task, const LtoOutcome &outcome) {
  task.ptxas = request_.ptxas_options;
  task.ptxas->insert(task.ptxas->end(), outcome.ptxas_options.begin(), outcome.ptxas_options.end());
  return compile(task);
}

std::optional<LtoOutcome> LtoJob::run() {
  const Mix mix = look_at_inputs();
  if (!mix.last_module) {
    diag_.report(request_.lto.emit_ptx && !dialect_.defects.lto_by_host_objects
                     ? DiagId::NothingToEmit
                     : DiagId::LtoIgnored,
                 {"-dlto"});
    return std::nullopt;
  }
  const std::optional<OptimizerTask> task = make_task(mix);
  const std::optional<std::string> text = task ? compile(*task) : std::nullopt;
  if (!text)
    return std::nullopt;
  LtoOutcome out;
  // nvlink's optimiser drops the letter of a target (Q172).
  const std::string target = dialect_.defects.lto_forgets_letter
                                 ? fmt::format("sm_{}", target_.number)
                                 : std::string(target_.name);
  for (std::string &part : split_ptx(*text))
    out.parts.push_back(with_target(std::move(part), target));
  if (!dialect_.defects.lto_order_by_chance && is_in_random_order(request_.lto))
    out.parts = in_fixed_order(std::move(out.parts));
  out.whole = !task->separate && out.parts.size() == 1 && is_closed(mix, out.parts.front());
  const bool nvlinks_place = dialect_.defects.lto_by_host_objects;
  const bool divided = out.parts.size() > 1;
  out.lost = nvlinks_place && task->separate && !mix.last_host && !divided;
  out.place = divided ? 0 : mix.last_host.value_or(*mix.last_module);
  out.name = nvlinks_place ? std::string(kNameInNvlink) : describe(task->modules);
  if (task->compiled.max_registers && !request_.lto.max_registers)
    out.ptxas_options.push_back(fmt::format("-maxrregcount={}", *task->compiled.max_registers));
  out.split_compile = task->compiled.split_compile;
  if (out.whole && request_.ptxas.empty() && !request_.lto.emit_ptx) {
    std::optional<std::string> image = compile_whole(*task, out);
    if (!image)
      return std::nullopt;
    out.image = std::move(*image);
  }
  // nvlink writes the file despite this error (Q171).
  if (out.whole && nvlinks_place && mix.last_host && !mix.system_last && !request_.lto.emit_ptx)
    diag_.report(DiagId::RuntimeExpected, {});
  return out;
}

} // namespace

std::optional<LtoOutcome> optimise_inputs(const LinkRequest &request, const arch::ArchInfo &target,
                                          const Dialect &dialect, const CollectedInputs &found,
                                          Diagnostics &diag, Cache *cache) {
  return LtoJob(request, target, dialect, found, diag, cache).run();
}

} // namespace culink
