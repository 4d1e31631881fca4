// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finalizing the objects of a link. Each object is a job of its own: prepare a copy, let an engine
// link it, take the functions out of the answer. Threads take jobs, the largest first, and each
// borrows a worker process, because engines do not run at once in one process.
//
// Results and messages come in the order of the objects, whatever was done first. An engine that
// refuses objects of one target for another (libnvJitLink: sm_100 for sm_103) is not asked again.
// What one engine cannot do, or crashes on, is given to the other, if there is one.
#include "finalize/finalize.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <numeric>
#include <optional>

#include "arch/elf_flags.h"
#include "elf/elf_view.h"
#include "engine/worker_process.h"
#include "finalize/harvest.h"
#include "finalize/nvlink_program.h"
#include "finalize/prepare.h"
#include "verify/verify.h"

namespace culink {

namespace {

using Answer = Result<std::vector<u8>>;

// Far more than any engine needs for that many bytes, so that only one that hangs meets it.
std::chrono::seconds time_limit(u64 bytes) {
  constexpr u64 kBytesPerSecond = 16 << 10;
  return std::chrono::seconds(120 + bytes / kBytesPerSecond);
}

u8 sm_of(const elf::FileHeader &header) {
  return arch::decode_elf_target(header.ident[elf::kIdentOsAbi],
                                 header.ident[elf::kIdentAbiVersion], header.flags)
      .sm;
}

EngineJob job_for(const std::string &target, bool debug, ByteSpan object) {
  EngineJob out;
  out.options = {"-arch=" + target};
  if (debug)
    out.options.emplace_back("-g");
  out.inputs = {{EngineInputKind::Cubin, "object", object}};
  return out;
}

// The worker processes of one link. Threads borrow them one at a time.
class Workers {
public:
  explicit Workers(const FinalizerEngine &engine) : engine_(engine) {}

  Result<WorkerAnswer> link(const std::string &target, bool debug, ByteSpan object) {
    std::optional<WorkerProcess> worker = take();
    if (!worker) {
      Result<WorkerProcess> started = WorkerProcess::start(engine_.worker, engine_.library);
      if (!started)
        return started.error();
      worker.emplace(std::move(*started));
    }
    Result<WorkerAnswer> answer =
        worker->run(job_for(target, debug, object), time_limit(object.size()));
    if (worker->alive()) {
      const std::lock_guard lock(mutex_);
      idle_.push_back(std::move(*worker));
    }
    return answer;
  }

private:
  std::optional<WorkerProcess> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty())
      return std::nullopt;
    std::optional<WorkerProcess> out(std::move(idle_.back()));
    idle_.pop_back();
    return out;
  }

  const FinalizerEngine &engine_;
  std::mutex mutex_;
  std::vector<WorkerProcess> idle_;
};

// One call of the finalizer.
class FinalizeJob {
public:
  FinalizeJob(const FinalizerEngine &engine, const FinalizeRequest &request)
      : engine_(engine), request_(request), workers_(engine) {}

  // One element per object; an error names what went wrong with it.
  std::vector<Result<FinalizedObject>> run(WorkerPool &pool) {
    const size_t count = request_.objects.size();
    std::vector<Result<FinalizedObject>> out(count, Result<FinalizedObject>(FinalizedObject{}));
    find_equal_objects();
    pool.for_each(static_cast<u32>(order_.size()),
                  [&](u32 i) { out[order_[i]] = finalize(request_.objects[order_[i]]); });
    for (size_t i = 0; i < count; ++i)
      if (same_as_[i] != i)
        out[i] = repeat(request_.objects[i], out[same_as_[i]]);
    return out;
  }

private:
  // Fills order_: one of each kind, the largest first, which keeps all workers busy to the end.
  void find_equal_objects() {
    const auto &objects = request_.objects;
    same_as_.resize(objects.size());
    std::iota(same_as_.begin(), same_as_.end(), 0);
    std::vector<u32> sorted = same_as_;
    const auto compare = [&](u32 a, u32 b) {
      const ByteSpan x = objects[a].bytes, y = objects[b].bytes;
      if (x.size() != y.size())
        return x.size() > y.size() ? -1 : 1;
      return x.empty() ? 0 : std::memcmp(x.data(), y.data(), x.size());
    };
    std::stable_sort(sorted.begin(), sorted.end(), [&](u32 a, u32 b) { return compare(a, b) < 0; });
    for (const u32 i : sorted) {
      const bool alone = objects[i].together.empty();
      if (alone && !order_.empty() && objects[order_.back()].together.empty() &&
          compare(order_.back(), i) == 0)
        same_as_[i] = order_.back();
      else
        order_.push_back(i);
    }
  }

  Result<FinalizedObject> finalize(const FinalizeRequest::Object &object) {
    if (!object.together.empty())
      return finalize_together(object);
    const Result<elf::ElfView> view = elf::ElfView::open(object.bytes);
    if (!view)
      return view.error();
    const Answer prepared = prepare(*view);
    if (!prepared)
      return prepared.error();
    Answer answer = ask(sm_of(view->header()), *prepared);
    if (answer)
      return harvest(*prepared, std::move(*answer), {});
    return object.wanted.empty() ? Result<FinalizedObject>(answer.error())
                                 : finalize_wanted(*view, object.wanted, answer.error());
  }

  // The engine may fail because of a function that is not in the output, such as one that a
  // relocatable link has broken. Only the program can leave kernels out.
  Result<FinalizedObject> finalize_wanted(const elf::ElfView &view, std::span<const u32> wanted,
                                          const Error &error) const {
    const std::string kernels = kernels_in(view, wanted);
    // As functions whose address is taken; or as those that kernels call, because nvlink may take
    // the address of another one of that name.
    const std::array<u32, 1> none = {0};
    for (const std::span<const u32> taken : {wanted, std::span<const u32>(none)}) {
      const Answer prepared =
          prepare_object(view, {request_.debug_code, request_.distinct_names, {}, taken});
      if (engine_.nvlink.empty() || !prepared)
        return error;
      Answer answer =
          ask_nvlink({*prepared}, "-kernels-used=" + (kernels.empty() ? "none" : kernels));
      if (!answer)
        continue;
      Result<FinalizedObject> out = harvest(*prepared, std::move(*answer), wanted);
      if (out)
        return out;
    }
    return error;
  }

  [[nodiscard]] Answer prepare(const elf::ElfView &view, NameSet defined = {}) const {
    // An engine crashes, or leaves instructions out without a word, where the two forms disagree.
    if (const std::vector<Finding> findings = verify_mercury_mirror(view); !findings.empty())
      return findings.front().what;
    return prepare_object(view,
                          {request_.debug_code, request_.distinct_names, std::move(defined), {}});
  }

  // Only the program takes several objects. What it cannot do leaves the linker with less.
  [[nodiscard]] Result<FinalizedObject>
  finalize_together(const FinalizeRequest::Object &object) const {
    std::vector<std::vector<u8>> prepared;
    NameSet defined;
    for (const ByteSpan bytes : object.together)
      if (const Result<elf::ElfView> view = elf::ElfView::open(bytes))
        defined.merge(defined_names(*view));
    for (const ByteSpan bytes : object.together) {
      const Result<elf::ElfView> view = elf::ElfView::open(bytes);
      Answer copy = view ? prepare(*view, defined) : Answer(view.error());
      if (!copy || engine_.nvlink.empty())
        return FinalizedObject{};
      prepared.push_back(std::move(*copy));
    }
    agree_on_kernels(prepared);
    hide_registers(object.hidden, prepared.front());
    Answer answer = ask_nvlink({prepared.begin(), prepared.end()});
    Result<FinalizedObject> out =
        answer ? harvest_debug(std::move(*answer)) : Result<FinalizedObject>(FinalizedObject{});
    return out ? std::move(out) : Result<FinalizedObject>(FinalizedObject{});
  }

  // The same answer for other bytes with the same contents.
  Result<FinalizedObject> repeat(const FinalizeRequest::Object &object,
                                 const Result<FinalizedObject> &first) const {
    if (!first)
      return first.error();
    const Result<elf::ElfView> view = elf::ElfView::open(object.bytes);
    if (!view)
      return view.error();
    const Result<std::vector<u8>> prepared =
        prepare_object(*view, {request_.debug_code, request_.distinct_names, {}, {}});
    if (!prepared)
      return prepared.error();
    return harvest(*prepared, first->image, object.wanted);
  }

  static Result<FinalizedObject> harvest(ByteSpan prepared, std::vector<u8> answer,
                                         std::span<const u32> wanted) {
    const Result<elf::ElfView> view = elf::ElfView::open(prepared);
    if (!view)
      return view.error();
    return harvest_functions(*view, std::move(answer), wanted);
  }

  Answer ask(u8 sm, ByteSpan object) {
    if (request_.relocatable) // which the library cannot do
      return engine_.nvlink.empty()
                 ? Answer(Error{"", "", "only nvlink can do that, and it was not found"})
                 : ask_nvlink({object});
    std::atomic<bool> &refused = refused_[sm];
    if (!engine_.has_library() || (refused && !engine_.nvlink.empty()))
      return ask_nvlink({object});
    Result<WorkerAnswer> answer = workers_.link(request_.target, request_.debug, object);
    if (answer && answer->outcome == WorkerOutcome::Linked)
      return std::move(answer->image);
    const Error error =
        answer ? Error{"", "", engine_.library + ": " + answer->text} : answer.error();
    if (engine_.nvlink.empty() || (answer && answer->outcome == WorkerOutcome::NotUnderstood))
      return error;
    refused = refused || (answer && answer->outcome != WorkerOutcome::Failed);
    // The program may fare better: it is of the same making, but not the same.
    Answer second = ask_nvlink({object});
    const bool same_fault = !second && !refused;
    return same_fault ? Answer(error) : std::move(second);
  }

  [[nodiscard]] Answer ask_nvlink(const std::vector<ByteSpan> &objects,
                                  const std::string &more = {}) const {
    std::vector<std::string> options = {"-arch=" + request_.target};
    if (!more.empty())
      options.push_back(more);
    if (request_.debug)
      options.emplace_back("-g");
    if (request_.relocatable)
      options.emplace_back("-r");
    u64 size = 0;
    for (const ByteSpan object : objects)
      size += object.size();
    return link_with_nvlink(engine_.nvlink, engine_.folder, options, objects, time_limit(size));
  }

  const FinalizerEngine &engine_;
  const FinalizeRequest &request_;
  Workers workers_;
  std::vector<u32> order_;
  std::vector<u32> same_as_;                     // by object: the first one with its bytes
  std::array<std::atomic<bool>, 256> refused_{}; // by what objects were compiled for
};

} // namespace

FinalizeObjects make_finalizer(const FinalizerEngine &engine, WorkerPool &pool) {
  return [engine, &pool](const FinalizeRequest &request, Diagnostics &diag) {
    std::vector<Result<FinalizedObject>> results = FinalizeJob(engine, request).run(pool);
    std::vector<FinalizedObject> out;
    for (size_t i = 0; i < results.size(); ++i) {
      if (results[i])
        out.push_back(std::move(*results[i]));
      else
        diag.report(DiagId::FinalizerFailed,
                    {std::string(request.objects[i].name), results[i].error().text()}, {},
                    "--cuda=FOLDER and --finalizer=FILE choose another engine");
    }
    return out.size() == results.size() ? std::move(out) : std::vector<FinalizedObject>();
  };
}

} // namespace culink
