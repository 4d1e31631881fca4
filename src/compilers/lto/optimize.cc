// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many modules in, PTX out. The compiler is that of libnvJitLink, in a worker process. It is asked
// for PTX and not for a cubin, because that text is nvlink's to the byte if the optimiser inside
// gets the options that nvlink gives to its own: these are passed on one by one with -Xnvvm.
// ptxas then makes of the text what nvlink makes of it.
//
// What may surprise: -split-compile-extended is passed on in the same way, because libnvJitLink
// itself would not combine it with PTX. The texts of the parts come one behind the other.
#include "compilers/lto/optimize.h"

#include <algorithm>

#include <fmt/format.h>

#include "compilers/engine/worker.h"
#include "support/bytes.h"

namespace culink {

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

// One thread is none more than there is anyway.
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

// Names of modules are in what the compiler says.
CacheQuestion question_for(const EngineJob &job, const LtoOptions &options) {
  CacheQuestion out{"lto", {options.library}, job.options, {}};
  for (const EngineInput &input : job.inputs) {
    out.words.push_back(std::to_string(static_cast<u32>(input.kind)));
    out.contents.push_back(as_bytes(input.name));
    out.contents.push_back(input.bytes);
  }
  return out;
}

bool is_ptx(const CachedAnswer &answer) {
  const std::string_view text = as_text(answer.image);
  return text.find(".version") != std::string_view::npos &&
         text.find(".target") != std::string_view::npos;
}

Result<OptimizedProgram> ask_compiler(const EngineJob &job, const LtoOptions &options,
                                      const std::atomic<bool> *cancelled) {
  Result<WorkerProcess> worker = WorkerProcess::start(options.worker, options.library);
  if (!worker)
    return worker.error();
  Result<WorkerAnswer> answer = worker->run(job, optimizer_time(size_of(job.inputs)), cancelled);
  if (!answer)
    return answer.error();
  if (answer->outcome == WorkerOutcome::NoEngine || answer->outcome == WorkerOutcome::NotUnderstood)
    return Error{"", "", answer->text};
  return OptimizedProgram{.failed = answer->outcome != WorkerOutcome::Linked,
                          .text = std::string(answer->image.begin(), answer->image.end()),
                          .remarks = std::move(answer->text)};
}

} // namespace

Result<OptimizedProgram> optimize(const OptimizerTask &task, const LtoOptions &options,
                                  Cache *cache, const std::atomic<bool> *cancelled) {
  const EngineJob job = optimizer_job(task, options);
  const std::optional<CacheKey> key =
      cache ? cache->key_of(question_for(job, options)) : std::nullopt;
  const auto is_sound = [&task](const CachedAnswer &answer) {
    return is_ptx(answer) != task.ptxas.has_value();
  };
  if (key)
    if (std::optional<CachedAnswer> known = cache->find(*key, is_sound))
      return OptimizedProgram{.text = std::string(as_text(known->image)),
                              .remarks = std::move(known->text)};
  Result<OptimizedProgram> out = ask_compiler(job, options, cancelled);
  if (key && out && !out->failed)
    cache->keep(*key, as_bytes(out->text), out->remarks);
  return out;
}

} // namespace culink
