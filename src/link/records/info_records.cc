// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .nv.info records of the output. Lists are kept newest first: the output holds what was read last
// at the front. In an executable, a kernel's records cover all functions it reaches:
//
//   REGCOUNT        of a kernel: the maximum over what it reaches
//   MIN_STACK_SIZE  new, for each kernel, at the end; MAX_STACK_SIZE of the inputs is dropped
//   .nv.info.K      inherits flags, maxima, sums and the list of undefined callees (inherit.h)
//
// What may surprise: a program with a single kernel follows other rules than one with several, in
// which values it takes over, and in the order of new records (Q017).
#include "link/records/info_records.h"

#include <algorithm>
#include <iterator>

#include "base/bytes.h"
#include "link/records/barrier_flags.h"
#include "link/records/kernel_limits.h"
#include "link/records/kernel_records.h"
#include "link/records/propagate.h"
#include "link/records/read_records.h"
#include "link/resolve/call_paths.h"

namespace culink {

using elf::InfoAttribute;
using elf::RecordFormat;

namespace {

class InfoPlanner {
public:
  InfoPlanner(const Program &program, const Reach &reach, const Layout &layout, WorkerPool &pool,
              Diagnostics &diag)
      : p_(program), reach_(reach), layout_(layout), pool_(pool), diag_(diag) {}

  InfoResult run();

private:
  void fill_externs(const std::vector<OutId> &lists_externs);
  void finish_kernels(const Resources &resources);
  void list_uses(const std::vector<FunctionId> &kernels, const Resources &resources);
  [[nodiscard]] std::vector<RegisterLimit> register_limits(const std::vector<FunctionId> &kernels,
                                                           const Resources &resources) const;
  [[nodiscard]] u32 count_unbounded_calls(FunctionId kernel, const Resources &resources) const;
  void report_recursion(FunctionId kernel, const Resources &resources);
  [[nodiscard]] std::vector<FunctionId> kernels_in_symbol_order() const;

  const Program &p_;
  const Reach &reach_;
  const Layout &layout_;
  WorkerPool &pool_;
  Diagnostics &diag_;
  InfoResult out_;
  ProgramRecords functions_;
  // Searching for a chain of calls takes time, and a reader does not want hundreds of them.
  static constexpr u32 kMostPaths = 20;
  u32 paths_ = 0;
};

InfoResult InfoPlanner::run() {
  const Resources resources = p_.policy.completes_kernels
                                  ? propagate_resources(p_, reach_, own_resources(p_, pool_))
                                  : Resources{};
  ReadRecords read = read_info_records(p_, layout_, resources, pool_);
  out_.plan = std::move(read.plan);
  functions_ = std::move(read.functions);
  fill_externs(read.lists_externs);
  if (p_.policy.completes_kernels)
    finish_kernels(resources);
  // A link that resolves early leaves the barriers of old objects in the flags of their code.
  if (!p_.policy.resolves_early)
    out_.plan = add_barrier_records(p_, reach_, layout_, std::move(out_.plan));
  return std::move(out_);
}

// EXTERNS records of device functions; those of kernels are in kernel_records.cc.
void InfoPlanner::fill_externs(const std::vector<OutId> &lists_externs) {
  for (const OutId text : lists_externs) {
    const u32 f = p_.function_of(layout_.sections.function(text)).value;
    RecordList &records = out_.plan.of_function[f];
    const std::vector<EntityId> &externs = functions_.of[f].externs;
    u64 record = records.find(InfoAttribute::Externs);
    if (!externs.empty() && record != RecordList::kNone)
      records.put_symbols(InfoAttribute::Externs, externs, record);
    for (; externs.empty() && record != RecordList::kNone;
         record = records.find(InfoAttribute::Externs))
      records.erase(record);
  }
}

std::vector<FunctionId> InfoPlanner::kernels_in_symbol_order() const {
  std::vector<FunctionId> out;
  const auto add = [&](EntityId id) {
    const FunctionId f = p_.function_of(id);
    if (f.valid() && p_.live.is_kernel(f) && p_.symbols[id].defined())
      out.push_back(f);
  };
  for (const LocalSymbol &local : layout_.sections.locals)
    if (local.kind == LocalSymbol::Kind::Entity)
      add(EntityId(local.id));
  for (const EntityId global : layout_.sections.globals)
    add(global);
  return out;
}

// Limits that calls may break, in the order of the records.
std::vector<RegisterLimit> InfoPlanner::register_limits(const std::vector<FunctionId> &kernels,
                                                        const Resources &resources) const {
  std::vector<RegisterLimit> out;
  for (const FunctionId f : kernels) {
    // A kernel that calls nothing with more registers keeps its limit.
    if (resources.registers[f.value] <= resources.own_registers[f.value])
      continue;
    const EntityId kernel = p_.calls.functions[f.value];
    const OutId text = layout_.placement.address_of[kernel.value].section;
    const RecordList &records =
        out_.plan.of_function[p_.function_of(layout_.sections.function(text)).value];
    for (u64 at = records.find(InfoAttribute::MaxregCount); at != RecordList::kNone;
         at = records.find(InfoAttribute::MaxregCount, at))
      out.push_back({f, records.value(at)});
  }
  return out;
}

// How many calls of a kernel lead to recursion. Each occurrence of a call counts, and each function
// that a pointer may lead to.
u32 InfoPlanner::count_unbounded_calls(FunctionId kernel, const Resources &resources) const {
  const auto is_unbounded = [&](u32 node) { return resources.unbounded[node] != 0; };
  u32 count = 0;
  for (const FunctionId callee : p_.calls.calls[kernel.value])
    count += is_unbounded(callee.value) ? 1 : 0;
  for (const CallGraph::Taken &call : p_.calls.indirect)
    if (call.function == kernel)
      count += static_cast<u32>(
          std::ranges::count_if(p_.calls.edges[p_.calls.node(call.prototype)], is_unbounded));
  return count;
}

void InfoPlanner::report_recursion(FunctionId kernel, const Resources &resources) {
  Diagnostic &message = diag_
                            .report(DiagId::UnknownStackSize,
                                    {std::string(p_.entity_of(kernel).name),
                                     std::to_string(count_unbounded_calls(kernel, resources))})
                            .at("kernel defined in", p_.origin_of(kernel));
  if (paths_++ < kMostPaths)
    add_call_cycle(p_, reach_, kernel, message);
}

void InfoPlanner::finish_kernels(const Resources &resources) {
  const std::vector<FunctionId> kernels = kernels_in_symbol_order();
  std::vector<FunctionId> deep;
  std::ranges::copy_if(kernels, std::back_inserter(deep),
                       [&](FunctionId kernel) { return exceeds_stack(resources, kernel); });
  for (const FunctionId k : deep)
    if (resources.unbounded[k.value] != 0 && !p_.options.suppress_stack_size_warning)
      report_recursion(k, resources);
  for (const FunctionId k : kernels) {
    const u32 stack =
        resources.unbounded[k.value] != 0 ? 0xffffffff : static_cast<u32>(resources.stack[k.value]);
    out_.plan.module.put_symbol_and_word(InfoAttribute::MinStackSize, p_.calls.functions[k.value],
                                         stack);
  }
  check_kernel_limits(p_, reach_, layout_, resources, deep, register_limits(kernels, resources),
                      diag_);
  if (p_.options.facts)
    list_uses(kernels, resources);
  out_.plan = finish_kernel_records(p_, reach_, layout_, resources, kernels, std::move(functions_),
                                    std::move(out_.plan), pool_, diag_);
}

void InfoPlanner::list_uses(const std::vector<FunctionId> &kernels, const Resources &resources) {
  for (const FunctionId k : kernels) {
    const bool unbounded = resources.unbounded[k.value] != 0;
    out_.kernels.push_back(
        {.kernel = k,
         .registers = resources.registers[k.value],
         .stack = unbounded ? resources.own_frame[k.value] : resources.stack[k.value],
         .recursive = unbounded});
  }
  for (u32 f = 0; f < p_.calls.functions.size(); ++f)
    if (p_.live.demoted[f] && p_.live.live[f])
      out_.kernels.push_back({.kernel = FunctionId(f), .stack = resources.own_frame[f]});
}

} // namespace

InfoResult plan_info_records(const Program &program, const Reach &reach, const Layout &layout,
                             WorkerPool &pool, Diagnostics &diag) {
  return InfoPlanner(program, reach, layout, pool, diag).run();
}

} // namespace culink
