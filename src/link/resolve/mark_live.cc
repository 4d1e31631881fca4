// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Liveness of functions. Roots are the kernels (those selected, where kernels are selected); a root
// keeps what it reaches over direct calls and over indirect calls by prototype. The search is
// breadth first and stores for each function what made it live, so that --why-live can follow the
// shortest chain back to a kernel; later passes only need to know if a function is live.
//
// Two rules may surprise. A function whose address is taken is live, too, even if only dead code
// takes it, but it is not a root: the functions that it calls are discarded unless something else
// keeps them; only its undefined callees (driver functions) are live. Kernels whose address is
// taken, however, are roots even if they were not selected, because device code can launch them.
#include "elf/target/driver_functions.h"
#include "link/model/name_pattern.h"
#include "link/resolve/call_graph.h"
#include "link/resolve/search.h"

namespace culink {

namespace {

bool host_refers_to(const Entity &kernel, const HostReferences &host) {
  for (const std::string &pattern : kernel.local ? host.internal_kernels : host.external_kernels)
    if (matches_pattern(kernel.name, pattern))
      return true;
  return false;
}

class LivenessMarker {
public:
  LivenessMarker(const Resolution &symbols, const CallGraph &calls, const LinkOptions &options,
                 const LinkPolicy &policy)
      : symbols_(symbols), calls_(calls), options_(options), policy_(policy) {}

  LiveSet run();

private:
  void select_kernels();
  void add_launched_kernels();
  void select_driver_functions();
  void list_driver_functions();
  void follow_calls();
  void add_address_taken();
  [[nodiscard]] u32 function_count() const { return static_cast<u32>(calls_.functions.size()); }
  void make_live(FunctionId function, LiveReason reason, FunctionId by = {}) {
    if (Liveness &why = out_.why[function.value]; !why.live())
      why = {reason, by};
  }

  const Resolution &symbols_;
  const CallGraph &calls_;
  const LinkOptions &options_;
  const LinkPolicy &policy_;
  LiveSet out_;
  std::vector<u32> roots_; // functions
};

LiveSet LivenessMarker::run() {
  out_.why.resize(calls_.functions.size());
  select_kernels();
  select_driver_functions();
  add_launched_kernels();
  follow_calls();
  add_address_taken();
  list_driver_functions();
  for (const auto &[kernel, inner] : calls_.inside)
    if (out_.why[kernel.value].live())
      make_live(inner, LiveReason::Call, kernel);
  for (const Resolution::Folded &one : symbols_.folded)
    out_.why[calls_.function_of[one.function.value].value].reason = LiveReason::Folded;
  if (options_.keeps_all_code())
    for (u32 f = 0; f < out_.why.size(); ++f)
      make_live(FunctionId(f), LiveReason::AllCode);
  out_.live.resize(out_.why.size());
  for (u32 f = 0; f < function_count(); ++f)
    out_.live[f] = out_.why[f].live();
  return std::move(out_);
}

void LivenessMarker::select_kernels() {
  out_.selected.assign(calls_.functions.size(), false);
  out_.demoted.assign(calls_.functions.size(), false);
  out_.by_host = options_.prunes_by_host();
  out_.judged_late = out_.by_host && !options_.host_references->known_early;
  out_.selective = policy_.selects_kernels || out_.by_host;
  const LiveReason reason = out_.by_host     ? LiveReason::HostReference
                            : out_.selective ? LiveReason::SelectedKernel
                                             : LiveReason::Kernel;
  for (u32 f = 0; f < function_count(); ++f) {
    const Entity &entity = symbols_[calls_.functions[f]];
    if (!is_kernel_mark(entity.other) || !entity.defined())
      continue;
    const bool selected =
        !out_.selective ||
        (out_.by_host ? host_refers_to(entity, *options_.host_references)
                      : selects_kernel(entity.name, *options_.kernels_used, options_.source_names));
    out_.selected[f] = selected;
    out_.demoted[f] = !selected;
    out_.why[f].reason = selected       ? reason
                         : out_.by_host ? LiveReason::NoHostReference
                                        : LiveReason::NotSelected;
    if (selected)
      roots_.push_back(f);
  }
  out_.kernel = out_.selected;
}

// Functions that the driver knows by name are entry points like kernels, unless there is a single
// kernel, which is treated apart (Q140).
void LivenessMarker::select_driver_functions() {
  if (roots_.size() == 1)
    return;
  for (const EntityId id : symbols_.driver_functions) {
    const u32 f = calls_.function_of[id.value].value;
    if (!symbols_[id].defined())
      continue;
    out_.selected[f] = out_.kernel[f] = true;
    out_.why[f].reason = LiveReason::DriverFunction;
    roots_.push_back(f);
  }
}

void LivenessMarker::list_driver_functions() {
  for (const EntityId id : symbols_.driver_functions)
    if (arch::is_always_listed(symbols_[id].name))
      make_live(calls_.function_of[id.value], LiveReason::DriverFunction);
}

// Kernels that device code launches are live even if they were not selected. The only kernel of a
// program has rules of its own in later passes.
void LivenessMarker::add_launched_kernels() {
  const bool one_selected = roots_.size() == 1;
  if (one_selected)
    out_.only = FunctionId(roots_.front());
  if (one_selected && policy_.demotes_launched_kernels)
    return;
  for (const CallGraph::Taken &taken : calls_.taken)
    if (const u32 f = taken.function.value; out_.demoted[f] && !out_.kernel[f]) {
      out_.kernel[f] = true;
      out_.only = {};
      make_live(taken.function, LiveReason::AddressTaken);
      roots_.push_back(f);
    }
}

void LivenessMarker::follow_calls() {
  const u32 functions = function_count();
  std::vector<FunctionId> caller_through(calls_.prototypes.size()); // by prototype
  const auto visit = [&](u32 node, u32 from) {
    if (node >= functions) {
      if (caller_through[node - functions].valid())
        return Visit::Skip;
      caller_through[node - functions] = FunctionId(from);
      return Visit::Follow;
    }
    if (out_.why[node].live())
      return Visit::Skip;
    if (from < functions)
      out_.why[node] = {LiveReason::Call, FunctionId(from)};
    else
      out_.why[node] = {LiveReason::PointerCall, caller_through[from - functions]};
    return Visit::Follow;
  };
  (void)search_breadth_first(
      std::move(roots_), [this](u32 node) { return calls_.edges[node]; }, visit);
}

void LivenessMarker::add_address_taken() {
  for (const CallGraph::Taken &taken : calls_.taken)
    make_live(taken.function, LiveReason::AddressTaken);
  for (const CallGraph::Taken &taken : calls_.taken)
    for (const FunctionId callee : calls_.calls[taken.function.value])
      if (!symbols_[calls_.functions[callee.value]].defined())
        make_live(callee, LiveReason::Call, taken.function);
}

} // namespace

LiveSet mark_live(const Resolution &symbols, const CallGraph &calls, const LinkOptions &options,
                  const LinkPolicy &policy) {
  return LivenessMarker(symbols, calls, options, policy).run();
}

} // namespace culink
