// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who links what was prepared: libnvJitLink in worker processes, of which each thread borrows one,
// because the library does not do two links at once; or the program nvlink. Only the program links
// with -r or -kernels-used, or several objects. Where both can do it, their answers are the same.
//
// An engine that refuses objects of one target for another (libnvJitLink: sm_100 for sm_103) is not
// asked again. What one engine cannot do, or crashes on, is given to the other, if there is one. A
// link that the cache knows starts neither.
#include "finalize/engines.h"

#include <chrono>

#include "arch/target_name.h"
#include "finalize/nvlink_program.h"

namespace culink {

namespace {

u64 bytes_of(const EngineLink &job) {
  u64 size = 0;
  for (const ByteSpan object : job.objects)
    size += object.size();
  return size;
}

// Far more than any engine needs for that many bytes, so that only one that hangs meets it.
std::chrono::seconds time_limit(const EngineLink &job) {
  constexpr u64 kBytesPerSecond = 16 << 10;
  return std::chrono::seconds(120 + bytes_of(job) / kBytesPerSecond);
}

EngineJob library_job(const EngineLink &job) {
  EngineJob out;
  out.options = {"-arch=" + job.target};
  if (job.debug)
    out.options.emplace_back("-g");
  out.inputs = {{EngineInputKind::Cubin, "object", job.objects.front()}};
  return out;
}

bool needs_program(const EngineLink &job) {
  return job.relocatable || !job.kernels.empty() || job.objects.size() != 1;
}

} // namespace

std::optional<WorkerProcess> Engines::take_idle() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty())
    return std::nullopt;
  std::optional<WorkerProcess> out(std::move(idle_.back()));
  idle_.pop_back();
  return out;
}

Result<WorkerAnswer> Engines::link_with_library(const EngineLink &job) {
  std::optional<WorkerProcess> worker = take_idle();
  if (!worker) {
    Result<WorkerProcess> started = WorkerProcess::start(paths_.worker, paths_.library);
    if (!started)
      return started.error();
    worker.emplace(std::move(*started));
  }
  Result<WorkerAnswer> answer = worker->run(library_job(job), time_limit(job));
  if (worker->alive()) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(*worker));
  }
  return answer;
}

Engines::Answer Engines::link_with_program(const EngineLink &job) const {
  std::vector<std::string> options = {"-arch=" + job.target};
  if (!job.kernels.empty())
    options.push_back("-kernels-used=" + job.kernels);
  if (job.debug)
    options.emplace_back("-g");
  if (job.relocatable)
    options.emplace_back("-r");
  return link_with_nvlink(paths_.nvlink, paths_.folder, options, job.objects, time_limit(job));
}

Engines::Answer Engines::ask(const EngineLink &job) {
  if (needs_program(job) && !has_nvlink())
    return Error{"", "", "only nvlink can do that, and it was not found"};
  std::atomic<bool> &refused = refused_[job.sm];
  if (needs_program(job) || !paths_.has_library() || (refused && has_nvlink()))
    return link_with_program(job);
  Result<WorkerAnswer> answer = link_with_library(job);
  if (answer && answer->outcome == WorkerOutcome::Linked)
    return std::move(answer->image);
  const Error error = answer ? Error{"", "", paths_.library + ": " + answer->text} : answer.error();
  if (!has_nvlink() || (answer && answer->outcome == WorkerOutcome::NotUnderstood))
    return error;
  refused = refused || (answer && answer->outcome != WorkerOutcome::Failed);
  // The program may fare better: it is of the same making, but not the same.
  Answer second = link_with_program(job);
  const bool same_fault = !second && !refused;
  return same_fault ? Answer(error) : std::move(second);
}

// Both engines, because which of them is asked depends on what the first one takes.
CacheQuestion Engines::question_for(const EngineLink &job) const {
  const bool by_library = paths_.has_library() && !needs_program(job);
  return {"finalize",
          {by_library ? paths_.library : "", paths_.nvlink},
          {job.target, job.debug ? "-g" : "", job.relocatable ? "-r" : "", job.kernels},
          job.objects};
}

Engines::Answer Engines::link(const EngineLink &job) {
  const std::optional<CacheKey> key = cache_ ? cache_->key_of(question_for(job)) : std::nullopt;
  if (key)
    if (std::optional<CachedAnswer> known = cache_->find(*key, [&job](const CachedAnswer &answer) {
          return arch::is_code_for(job.target, answer.image);
        }))
      return std::move(known->image);
  Answer answer = ask(job);
  if (key && answer && arch::is_code_for(job.target, *answer))
    cache_->keep(*key, *answer, {});
  return answer;
}

} // namespace culink
