// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finalizes the objects of a link. Each object is a job: prepare a copy, link it with an engine
// (engines.h), extract the functions from the answer. Threads take jobs, largest code first.
// Results and messages are in the order of the objects, independent of the order of the jobs.
#include "compilers/finalize/finalize.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string_view>

#include "compilers/finalize/harvest.h"
#include "compilers/finalize/prepare.h"
#include "elf/elf_view.h"
#include "elf/target/elf_flags.h"
#include "support/bytes.h"
#include "support/worker_pool.h"
#include "verify/file/verify.h"

namespace culink {

namespace {

using Answer = Result<std::vector<u8>>;

constexpr const char *kOtherEngine = "--cuda=FOLDER and --finalizer=FILE choose another engine";
constexpr const char *kWaysOut =
    "--code=mercury and --code=sass link the code as it was compiled; --cuda=FOLDER and "
    "--finalizer=FILE choose another engine";

// One call of the finalizer.
class FinalizeJob {
public:
  FinalizeJob(Engines &engines, const FinalizeRequest &request)
      : request_(request), engines_(engines) {}

  // Returns one element per object, a result or an error.
  std::vector<Result<FinalizedObject>> run(u32 threads) {
    const size_t count = request_.objects.size();
    std::vector<Result<FinalizedObject>> out(count, Result<FinalizedObject>(FinalizedObject{}));
    find_equal_objects();
    u64 code_bytes = 0;
    for (const u32 i : order_)
      code_bytes += work_of(i);
    use_ = choose_engines(engines_.paths(), order_.size(), code_bytes, threads);
    WorkerPool pool(use_.at_once);
    pool.for_each(static_cast<u32>(order_.size()),
                  [&](u32 i) { out[order_[i]] = finalize(request_.objects[order_[i]]); });
    for (size_t i = 0; i < count; ++i)
      if (same_as_[i] != i)
        out[i] = repeat(request_.objects[i], out[same_as_[i]]);
    return out;
  }

private:
  // The size of the code to finalize, which dominates the cost.
  [[nodiscard]] u64 work_of(u32 object) const {
    const FinalizeRequest::Object &one = request_.objects[object];
    u64 out = one.code_bytes != 0 ? one.code_bytes : one.bytes.size();
    for (const ByteSpan bytes : one.together)
      out += bytes.size();
    return out;
  }

  // Fills order_ with one object of each group of equal ones, largest first, which keeps all
  // engines busy to the end.
  void find_equal_objects() {
    const auto &objects = request_.objects;
    same_as_.resize(objects.size());
    std::iota(same_as_.begin(), same_as_.end(), 0);
    std::vector<u32> sorted = same_as_;
    const auto precedes = [&](u32 a, u32 b) {
      const std::string_view x = as_text(objects[a].bytes), y = as_text(objects[b].bytes);
      return x != y ? x < y : objects[a].wanted < objects[b].wanted;
    };
    std::stable_sort(sorted.begin(), sorted.end(), precedes);
    for (const u32 i : sorted) {
      const bool alone = objects[i].together.empty();
      if (alone && !order_.empty() && objects[order_.back()].together.empty() &&
          !precedes(order_.back(), i))
        same_as_[i] = order_.back();
      else
        order_.push_back(i);
    }
    std::stable_sort(order_.begin(), order_.end(),
                     [&](u32 a, u32 b) { return work_of(a) > work_of(b); });
  }

  Result<FinalizedObject> finalize(const FinalizeRequest::Object &object) {
    if (!object.together.empty())
      return finalize_together(object);
    const Result<elf::ElfView> view = elf::ElfView::open(object.bytes);
    if (!view)
      return view.error();
    if (std::optional<Error> error = find_contradiction(*view))
      return std::move(*error);
    // First tries without the functions that are not needed. If the engine fails, it gets the whole
    // object.
    if (const std::optional<std::vector<u8>> pruned = prune_object(*view, object.wanted))
      if (const Result<elf::ElfView> rest = elf::ElfView::open(*pruned))
        if (Result<FinalizedObject> out = attempt(*rest))
          return out;
    Result<FinalizedObject> out = attempt(*view);
    if (!out && !object.wanted.empty() && engines_.has_nvlink())
      if (std::optional<FinalizedObject> part = finalize_wanted(*view, object.wanted))
        return std::move(*part);
    return out;
  }

  // The engine may fail because of a function that is not part of the output, for instance one that
  // a relocatable link has broken. Only the program nvlink can leave kernels out.
  std::optional<FinalizedObject> finalize_wanted(const elf::ElfView &view,
                                                 std::span<const u32> wanted) {
    const std::string kernels = kernels_in(view, wanted);
    // First as functions with a taken address; then as callees of kernels, because nvlink may take
    // the address of another function of that name.
    const std::array<u32, 1> none = {0};
    for (const std::span<const u32> taken : {wanted, std::span<const u32>(none)})
      if (Result<FinalizedObject> out =
              attempt(view, taken, kernels.empty() ? "none" : kernels, wanted))
        return std::move(*out);
    return std::nullopt;
  }

  // Returns an engine's result for a prepared copy. `taken`: device functions with addresses to
  // mark as taken. `kernels`: all kernels that stay. `wanted`: functions that the result must have.
  // Empty: all.
  Result<FinalizedObject> attempt(const elf::ElfView &view, std::span<const u32> taken = {},
                                  const std::string &kernels = "",
                                  std::span<const u32> wanted = {}) {
    const Answer prepared = prepare_object(view, preparation({}, taken));
    if (!prepared)
      return prepared.error();
    EngineLink job = new_job();
    job.objects = {*prepared};
    job.sm = arch::decode_elf_target(view.header()).sm;
    job.kernels = kernels;
    Answer answer = engines_.link(job, use_.program_first);
    if (!answer)
      return answer.error();
    return harvest(*prepared, std::move(*answer), wanted);
  }

  static Result<FinalizedObject> harvest(ByteSpan prepared, std::vector<u8> answer,
                                         std::span<const u32> wanted) {
    const Result<elf::ElfView> view = elf::ElfView::open(prepared);
    if (!view)
      return view.error();
    return harvest_functions(*view, std::move(answer), wanted);
  }

  // If the two forms disagree, engines crash or silently drop instructions.
  static std::optional<Error> find_contradiction(const elf::ElfView &view) {
    const std::vector<Finding> findings = verify_mercury_mirror(view);
    return findings.empty() ? std::nullopt : std::optional<Error>(findings.front().what);
  }

  [[nodiscard]] Preparation preparation(NameSet defined, std::span<const u32> only) const {
    return {request_.debug_code, request_.independent_textures, request_.distinct_names,
            std::move(defined), only};
  }

  // Only the program nvlink accepts several objects. If it fails, the linker continues with less.
  [[nodiscard]] Result<FinalizedObject> finalize_together(const FinalizeRequest::Object &object) {
    std::vector<elf::ElfView> views;
    NameSet defined;
    for (const ByteSpan bytes : object.together) {
      Result<elf::ElfView> view = elf::ElfView::open(bytes);
      if (!view || find_contradiction(*view) || !engines_.has_nvlink())
        return FinalizedObject{};
      defined.merge(defined_names(*view));
      views.push_back(std::move(*view));
    }
    std::vector<std::vector<u8>> prepared;
    for (const elf::ElfView &view : views) {
      Answer copy = prepare_object(view, preparation(defined, {}));
      if (!copy)
        return FinalizedObject{};
      prepared.push_back(std::move(*copy));
    }
    agree_on_kernels(prepared);
    hide_registers(object.hidden, prepared.front());
    EngineLink job = new_job();
    job.objects.assign(prepared.begin(), prepared.end());
    Answer answer = engines_.link(job);
    Result<FinalizedObject> out =
        answer ? harvest_debug(std::move(*answer)) : Result<FinalizedObject>(FinalizedObject{});
    return out ? std::move(out) : Result<FinalizedObject>(FinalizedObject{});
  }

  // Reuses a result for an object with equal bytes.
  Result<FinalizedObject> repeat(const FinalizeRequest::Object &object,
                                 const Result<FinalizedObject> &first) const {
    if (!first)
      return first.error();
    const Result<elf::ElfView> view = elf::ElfView::open(object.bytes);
    if (!view)
      return view.error();
    const Answer prepared = prepare_object(*view, preparation({}, {}));
    if (!prepared)
      return prepared.error();
    return harvest(*prepared, first->image, object.wanted);
  }

  [[nodiscard]] EngineLink new_job() const {
    EngineLink out;
    out.target = request_.target;
    out.debug = request_.debug;
    out.relocatable = request_.relocatable;
    return out;
  }

  const FinalizeRequest &request_;
  Engines &engines_;
  EngineUse use_;
  std::vector<u32> order_;
  std::vector<u32> same_as_; // by object: the first object with the same bytes
};

} // namespace

std::vector<FinalizedObject> Finalizer::operator()(const FinalizeRequest &request,
                                                   Diagnostics &diag) {
  std::vector<Result<FinalizedObject>> results =
      FinalizeJob(engines_, request).run(WorkerPool(threads_).threads());
  engines_.end_workers();
  std::vector<FinalizedObject> out;
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i]) {
      out.push_back(std::move(*results[i]));
      continue;
    }
    const bool optional = !request.required && request.sound_as_compiled;
    diag.report(optional ? DiagId::NotScheduled : DiagId::FinalizerFailed,
                {std::string(request.objects[i].name), results[i].error().text()}, {},
                request.sound_as_compiled ? kWaysOut : kOtherEngine);
    if (optional)
      return {};
  }
  return out.size() == results.size() ? std::move(out) : std::vector<FinalizedObject>();
}

} // namespace culink
