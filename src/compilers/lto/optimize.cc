// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Link-time optimisation by the compiler of libnvJitLink. The first part handles the options of the
// modules, which have to agree. The second part runs the compiler. The third part reads the
// properties of the resulting PTX that the linker needs.
//
// What may surprise: -split-compile-extended is passed on with -Xnvvm like all other options,
// because libnvJitLink itself would not combine it with PTX.
#include "compilers/lto/optimize.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "compilers/engine/worker.h"
#include "elf/target/driver_functions.h"
#include "support/bytes.h"
#include "support/option_text.h"
#include "support/string_index.h"
#include "support/types.h"

namespace culink {

// ---- Options of modules
//
// nvcc records the options that concern the optimiser next to the code: "-ftz=0 -prec_div=1
// -prec_sqrt=1 -fmad=1", "-maxreg 40", "-generate-line-info", "-split-compile 2". All modules of
// one optimised program have the same options: a program cannot round differently in its parts, and
// nvlink refuses such modules. Raw modules (.ltoir) have no such record.

namespace {

// An arithmetic option in three spellings: in the record, in messages (and on nvcc's command line),
// and for the optimiser.
struct Arithmetic {
  std::string_view recorded;
  std::string_view shown;
  std::string_view word;
};
constexpr std::array<Arithmetic, 4> kArithmetic = {{{"-ftz=", "-ftz", "-ftz="},
                                                    {"-prec_div=", "-prec-div", "-prec-div="},
                                                    {"-prec_sqrt=", "-prec-sqrt", "-prec-sqrt="},
                                                    {"-fmad=", "-fmad", "-fma="}}};

std::optional<u32> number_in(std::string_view word) {
  u32 out = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out);
  if (error != std::errc() || end != word.data() + word.size())
    return std::nullopt;
  return out;
}

// Reports a module that differs from the modules before it.
void report_difference(std::string_view option, const ModuleRecord &first,
                       const ModuleRecord &other, Diagnostics &diag) {
  diag.report(DiagId::MixedModuleOptions, {std::string(option), first.name, other.name}, {},
              "compile all of them with the same value");
}

// A number that must be equal in all modules that have it.
struct SharedNumber {
  std::string_view option;
  std::optional<u32> number = {};
  const ModuleRecord *first = nullptr; // the first module that has the number
  bool missing = false;                // true if a module does not have it

  void add(std::optional<u32> one, const ModuleRecord &module, bool counts, Diagnostics &diag) {
    missing |= !one;
    if (!one)
      return;
    if (first && number != one && counts)
      report_difference(option, *first, module, diag);
    if (!first) {
      first = &module;
      number = one;
    }
  }
};

} // namespace

ModuleOptions parse_module_options(std::string_view text) {
  ModuleOptions out;
  const std::vector<std::string> words = option_words(text);
  for (size_t at = 0; at < words.size(); ++at) {
    const std::string &word = words[at];
    for (size_t i = 0; i < kArithmetic.size(); ++i)
      if (word.starts_with(kArithmetic[i].recorded))
        out.arithmetic[i] = word.substr(kArithmetic[i].recorded.size()) != "0";
    if (word == "-generate-line-info")
      out.line_info = true;
    if (at + 1 == words.size())
      break;
    if (word == "-maxreg")
      out.max_registers = number_in(words[++at]);
    else if (word == "-split-compile" && !out.split_compile)
      out.split_compile = number_in(words[++at]);
  }
  return out;
}

ModuleOptions join_module_options(const std::vector<ModuleRecord> &modules,
                                  std::optional<u32> max_registers, Diagnostics &diag) {
  ModuleOptions out;
  SharedNumber registers{"-maxrregcount"}, threads{"-split-compile"};
  bool some_without_lines = false;
  for (size_t i = 0; i < modules.size(); ++i) {
    const ModuleOptions one = parse_module_options(modules[i].options);
    for (size_t k = 0; i != 0 && k < kArithmetic.size(); ++k)
      if (one.arithmetic[k] != out.arithmetic[k])
        report_difference(kArithmetic[k].shown, modules.front(), modules[i], diag);
    if (i == 0)
      out.arithmetic = one.arithmetic;
    registers.add(one.max_registers, modules[i], !max_registers, diag);
    threads.add(one.split_compile, modules[i], true, diag);
    some_without_lines |= !one.line_info;
    out.line_info |= one.line_info;
  }
  out.max_registers = max_registers ? max_registers : registers.number;
  out.split_compile = threads.number;
  if (diag.failed())
    return out;
  if (out.line_info && some_without_lines)
    diag.report(DiagId::OptionForAll, {"-lineinfo", "-lineinfo"});
  if (registers.first && registers.missing && !max_registers)
    diag.report(DiagId::OptionForAll,
                {"-maxrregcount", fmt::format("-maxrregcount={}", *out.max_registers)});
  return out;
}

std::vector<std::string> arithmetic_words(const ModuleOptions &options,
                                          const std::vector<std::string> &given) {
  std::vector<std::string> out;
  for (size_t i = 0; i < kArithmetic.size(); ++i) {
    const bool has = std::any_of(given.begin(), given.end(), [i](const std::string &word) {
      return word.starts_with(kArithmetic[i].word);
    });
    if (!has)
      out.push_back(fmt::format("{}{}", kArithmetic[i].word, options.arithmetic[i] ? 1 : 0));
  }
  return out;
}

// The number at this place differs for each release.
std::string release_of_ltoir(ByteSpan module) {
  constexpr size_t kPlace = 7;
  constexpr std::pair<u8, std::string_view> kReleases[] = {
      {0x62, "13.0"}, {0x6b, "13.1"}, {0x72, "13.2"}, {0x73, "13.3"}, {0x78, "13.4"}};
  for (const auto &[number, release] : kReleases)
    if (module.size() > kPlace && module[kPlace] == number)
      return std::string(release);
  return "";
}

// ---- The optimiser
//
// Many modules in, PTX out. The compiler of libnvJitLink runs in a worker process. The linker
// requests PTX and not a cubin: the PTX is identical to nvlink's if the optimiser gets the options
// that nvlink gives to its own, and these are passed one by one with -Xnvvm. ptxas then compiles
// the text as nvlink does. The texts of parts (-split-compile) are concatenated.

namespace {

u64 size_of(const std::vector<EngineInput> &modules) {
  u64 bytes = 0;
  for (const EngineInput &module : modules)
    bytes += module.bytes.size();
  return bytes;
}

void append_list(std::vector<std::string> &words, std::string_view option,
                 const std::vector<std::string> &patterns) {
  std::string joined;
  for (const std::string &pattern : patterns)
    joined += fmt::format("{}{}", joined.empty() ? "" : ",", pattern);
  if (!joined.empty())
    words.push_back(fmt::format("{}={}", option, joined));
}

void append_host_references(std::vector<std::string> &words, const HostReferences &host) {
  append_list(words, "-host-ref-ek", host.external_kernels);
  append_list(words, "-host-ref-ik", host.internal_kernels);
  append_list(words, "-host-ref-ec", host.external_constants);
  append_list(words, "-host-ref-ic", host.internal_constants);
  append_list(words, "-host-ref-eg", host.external_variables);
  append_list(words, "-host-ref-ig", host.internal_variables);
}

// A value of one thread is the default and is not passed.
void append_threads(std::vector<std::string> &words, std::string_view option,
                    std::optional<u32> threads) {
  if (threads && *threads != 1)
    words.push_back(fmt::format("{}={}", option, *threads));
}

} // namespace

std::chrono::seconds optimizer_time(u64 bytes) {
  constexpr u64 kBytesPerSecond = 1 << 10;
  return std::chrono::seconds(3600 + bytes / kBytesPerSecond);
}

std::vector<std::string> optimizer_words(const OptimizerTask &task, const LtoOptions &options) {
  std::vector<std::string> words;
  if (task.compiled.max_registers)
    words.push_back(fmt::format("-maxreg={}", *task.compiled.max_registers));
  if (options.split_compile_extended && !options.emit_ptx)
    append_threads(words, "-split-compile-extended", options.split_compile_extended);
  else
    append_threads(words, "-split-compile",
                   options.split_compile ? options.split_compile : options.split_compile_extended);
  if (!options.fast_compile.empty() && options.fast_compile != "0")
    words.push_back("-Ofast-compile=" + options.fast_compile);
  if (task.compiled.line_info)
    words.emplace_back("-generate-line-info");
  if (task.open || task.separate)
    words.emplace_back("--device-c");
  if (task.separate)
    words.emplace_back("--force-device-c");
  if (task.debug)
    words.emplace_back("-g");
  if (!task.separate && task.host_counts) {
    words.emplace_back("-has-global-host-info");
    if (task.host)
      append_host_references(words, *task.host);
  }
  if (options.nvvm_options.empty())
    return words;
  words.insert(words.end(), options.nvvm_options.begin(), options.nvvm_options.end());
  for (std::string &word : arithmetic_words(task.compiled, options.nvvm_options))
    words.push_back(std::move(word));
  return words;
}

namespace {

EngineJob optimizer_job(const OptimizerTask &task, const LtoOptions &options) {
  EngineJob job;
  job.options = {"-arch=" + task.target, "-lto"};
  if (!task.ptxas)
    job.options.emplace_back("-ptx");
  for (const std::string &word : optimizer_words(task, options))
    job.options.push_back("-Xnvvm=" + word);
  job.options.insert(job.options.end(), options.library_options.begin(),
                     options.library_options.end());
  for (const std::string &word : task.ptxas.value_or(std::vector<std::string>()))
    job.options.push_back("-Xptxas=" + word);
  job.inputs = task.modules;
  job.wanted = task.ptxas ? EngineOutput::Cubin : EngineOutput::Ptx;
  return job;
}

// The compiler's messages contain the names of modules, so the names are part of the question.
CacheQuestion question_for(const EngineJob &job, const LtoOptions &options) {
  CacheQuestion out{"lto", {options.library}, job.options, {}};
  for (const EngineInput &input : job.inputs) {
    out.words.push_back(std::to_string(static_cast<u32>(input.kind)));
    out.contents.push_back(as_bytes(input.name));
    out.contents.push_back(input.bytes);
  }
  return out;
}

bool is_ptx(const CompilerAnswer &answer) {
  const std::string_view text = as_text(answer.image);
  return text.find(".version") != std::string_view::npos &&
         text.find(".target") != std::string_view::npos;
}

} // namespace

Result<CompilerAnswer> optimize(const OptimizerTask &task, const LtoOptions &options, Cache *cache,
                                const std::atomic<bool> *cancelled) {
  const EngineJob job = optimizer_job(task, options);
  const auto is_sound = [&task](const CompilerAnswer &answer) {
    return is_ptx(answer) != task.ptxas.has_value();
  };
  return answer_once(cache, question_for(job, options), is_sound, [&]() -> Result<CompilerAnswer> {
    Result<WorkerAnswer> answer = run_in_worker(options.worker, options.library, job,
                                                optimizer_time(size_of(job.inputs)), cancelled);
    if (!answer)
      return answer.error();
    return CompilerAnswer{std::move(answer->image), std::move(answer->text),
                          answer->outcome == WorkerOutcome::Linked ? 0 : 1};
  });
}

// ---- Its answer
//
// Properties of the optimiser's PTX: the ends of its texts, its undefined symbols, and its target.
// The optimiser writes each declaration on a line of its own. Only those that begin with ".extern"
// matter here:
//
//   .extern .func  (.param .b32 func_retval0) name
//   .extern .global .align 4 .b8 name[16];
//   .extern .shared .align 16 .b8 name[];

namespace {

constexpr std::string_view kHead = "//\n// Generated by ";
constexpr std::string_view kExtern = ".extern ";
constexpr std::string_view kTarget = "\n.target ";

std::string_view without_blanks_at_end(std::string_view text) {
  while (!text.empty() && std::string_view(" \t\r\n").find(text.back()) != std::string_view::npos)
    text.remove_suffix(1);
  return text;
}

// Returns the last word of a declaration without the characters after a name.
std::string name_at_end(std::string_view text) {
  text = without_blanks_at_end(text.substr(0, text.find_first_of("[;=")));
  return std::string(text.substr(text.find_last_of(" \t)") + 1));
}

// The name is after the result, which is in parentheses, and before the parameters.
std::string name_of_function(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first != std::string_view::npos && text[first] == '(')
    text.remove_prefix(std::min(text.find(')') + 1, text.size()));
  return name_at_end(text.substr(0, text.find('(')));
}

} // namespace

std::vector<std::string> split_ptx(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    size_t end = text.find(kHead, 1);
    while (end != std::string_view::npos && text[end - 1] != '\n')
      end = text.find(kHead, end + 1);
    out.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? "" : text.substr(end);
  }
  return out;
}

UndefinedInPtx undefined_in(std::string_view ptx) {
  UndefinedInPtx out;
  while (!ptx.empty()) {
    const size_t end = std::min(ptx.find('\n'), ptx.size());
    std::string_view line = ptx.substr(0, end);
    ptx.remove_prefix(std::min(end + 1, ptx.size()));
    if (!line.starts_with(kExtern))
      continue;
    line.remove_prefix(kExtern.size());
    if (line.starts_with(".func")) {
      std::string name = name_of_function(line.substr(5));
      if (!name.empty() && !arch::is_driver_function(name))
        out.functions.push_back(std::move(name));
    } else if (!line.starts_with(".shared")) {
      out.variables.push_back(name_at_end(line));
    }
  }
  return out;
}

std::string with_target(std::string ptx, std::string_view target) {
  const size_t at = ptx.find(kTarget);
  if (at == std::string::npos)
    return ptx;
  const size_t start = at + kTarget.size();
  ptx.replace(start, std::min(ptx.find_first_of(", \r\n", start), ptx.size()) - start, target);
  return ptx;
}

// ---- A fixed order
//
// An optimiser with several threads (-split-compile) or with -Ofc=max writes the same lines in
// every run, but in varying order: the variables of a text are in the order of a hash of their
// addresses, and texts are in the order in which their threads finish. Equal inputs must give equal
// outputs, so both are sorted. The order of functions is fixed.
//
// The optimiser writes each variable on one line, and all variables on consecutive lines:
//
//   .visible .global .align 8 .u64 pointer = generic(table);
//
// What may surprise: a variable has to be declared before it is referenced, so one that references
// others follows them.

namespace {

// True for ".global" and ".const", with or without a linkage directive before them.
bool declares_variable(std::string_view line) {
  constexpr std::string_view kLinkages[] = {".visible ", ".weak ", ".common ", ".extern "};
  for (const std::string_view linkage : kLinkages)
    if (line.starts_with(linkage))
      line.remove_prefix(linkage.size());
  return (line.starts_with(".global ") || line.starts_with(".const ")) && line.ends_with(";\n");
}

bool is_in_names(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || c == '%';
}

std::vector<std::string_view> names_in(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t at = 0; at < text.size(); ++at) {
    size_t end = at;
    while (end < text.size() && is_in_names(text[end]))
      ++end;
    if (end != at)
      out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

std::string_view declared_name(std::string_view line) {
  const std::vector<std::string_view> names = names_in(line.substr(0, line.find_first_of("[=;")));
  return names.empty() ? std::string_view() : names.back();
}

// Consecutive lines, each of which declares a variable.
class Variables {
public:
  void add(std::string_view line) { lines_.push_back(line); }

  // Appends the lines in their new order and forgets them.
  void append_to(std::string &out) {
    std::sort(lines_.begin(), lines_.end());
    numbers_.clear();
    for (u32 i = 0; i < lines_.size(); ++i)
      numbers_.emplace(declared_name(lines_[i]), i);
    seen_.assign(lines_.size(), false);
    for (u32 i = 0; i < lines_.size(); ++i)
      append_with_references(i, out);
    lines_.clear();
  }

private:
  struct Step {
    u32 number;
    std::vector<std::string_view> references; // the references that are not visited yet
  };

  void visit(u32 number) {
    seen_[number] = true;
    const std::string_view line = lines_[number];
    pending_.push_back({number, names_in(line.substr(std::min(line.find('='), line.size())))});
  }

  // Not recursive, because chains of references can be long.
  void append_with_references(u32 first, std::string &out) {
    if (!seen_[first])
      visit(first);
    while (!pending_.empty()) {
      Step &step = pending_.back();
      if (step.references.empty()) {
        out += lines_[step.number];
        pending_.pop_back();
        continue;
      }
      const auto found = numbers_.find(step.references.back());
      step.references.pop_back();
      if (found != numbers_.end() && !seen_[found->second])
        visit(found->second);
    }
  }

  std::vector<std::string_view> lines_;
  NameMap<u32> numbers_; // by name
  std::vector<bool> seen_;
  std::vector<Step> pending_;
};

std::string with_sorted_variables(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  Variables variables;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
    text.remove_prefix(line.size());
    if (declares_variable(line)) {
      variables.add(line);
      continue;
    }
    variables.append_to(out);
    out += line;
  }
  variables.append_to(out);
  return out;
}

} // namespace

std::vector<std::string> in_fixed_order(std::vector<std::string> parts) {
  for (std::string &part : parts)
    part = with_sorted_variables(part);
  std::sort(parts.begin(), parts.end());
  return parts;
}

} // namespace culink
