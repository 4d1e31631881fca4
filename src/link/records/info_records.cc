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
#include <vector>

#include <fmt/format.h>

#include "elf/text_info.h"
#include "link/merge/merge.h"
#include "link/model/diagnostics.h"
#include "link/model/record_list.h"
#include "link/records/kernel_records.h"
#include "link/records/propagate.h"
#include "link/records/read_records.h"
#include "link/resolve/program.h"
#include "link/resolve/reach.h"
#include "support/bytes.h"

namespace culink {

// Barriers of old objects. Since toolkit 13 a function has a NUM_BARRIERS record; before, the count
// was in sh_flags of its code. A link of old and new objects moves the counts into records, after
// all others; so does nvlink 13 where all are old. plan_info_records calls this last. A kernel may
// have a count in its flags and a record from a callee of toolkit 13; it gets the larger count.

namespace {

// By node of the call graph: the count in the flags of the function's own code.
std::vector<u32> own_counts(const Program &p) {
  std::vector<u32> counts(p.calls.node_count(), 0);
  for (u32 f = 0; f < p.calls.functions.size(); ++f) {
    const Entity &entity = p.entity_of(FunctionId(f));
    if (!p.live.live[f] || !entity.defined())
      continue;
    const InputObject &object = p.objects[entity.prevailing.object.value];
    const elf::Symbol &symbol = object.symbols[entity.prevailing.symbol];
    if (symbol.in_section())
      counts[f] = elf::text_barriers(object.section(symbol.section).flags);
  }
  return counts;
}

// The maximum over everything that a node reaches.
std::vector<u32> reached_counts(const Program &p, const Reach &reach, const std::vector<u32> &own) {
  std::vector<u32> out(own.size(), 0);
  const std::vector<u32> &order = reach.callees_first();
  for (size_t begin = 0; begin < order.size();) {
    const u32 component = reach.component_of(order[begin]);
    size_t end = begin;
    u32 most = 0;
    for (; end < order.size() && reach.component_of(order[end]) == component; ++end) {
      most = std::max(most, own[order[end]]);
      for (const u32 callee : p.calls.edges[order[end]])
        most = std::max(most, out[callee]);
    }
    for (; begin < end; ++begin)
      out[order[begin]] = most;
  }
  return out;
}

// A kernel with a record that it has from a callee of toolkit 13.
struct RecordedKernel {
  u32 function;
  u32 owner; // the function that its code belongs to
  OutId text;
  u32 own;
  u32 reached;
};

InfoPlan raise_count(const RecordedKernel &kernel, const Program &p, const Layout &layout,
                     const std::vector<u32> &reached, InfoPlan plan) {
  RecordList &records = plan.of_function[kernel.owner];
  const u64 record = records.find(elf::InfoAttribute::NumBarriers);
  u32 count = kernel.reached;
  u64 flags = 0;
  if (p.policy.loses_barriers) {
    flags = u64{kernel.own} << elf::kTextBarrierShift;
    count = 0;
    for (const u32 callee : p.calls.edges[kernel.function])
      count = std::max(count, reached[callee]);
  }
  plan.text_flags.resize(layout.sections.size());
  plan.text_flags[kernel.text.value] = flags;
  count = std::max<u32>(count, records.value(record));
  records.set_value(record, static_cast<u16>(count));
  return plan;
}

// The plan with records for the barriers that objects of toolkit 12 count in the flags of their
// code. A kernel's record covers the functions it reaches.
InfoPlan add_barrier_records(const Program &p, const Reach &reach, const Layout &layout,
                             InfoPlan plan) {
  if (std::ranges::none_of(p.objects, &InputObject::has_barrier_flags))
    return plan;
  const std::vector<u32> own = own_counts(p);
  if (std::all_of(own.begin(), own.end(), [](u32 count) { return count == 0; }))
    return plan;
  const std::vector<u32> reached = reached_counts(p, reach, own);
  for (u32 f = 0; f < p.calls.functions.size(); ++f) {
    const u32 count = p.live.kernel[f] && p.policy.completes_kernels ? reached[f] : own[f];
    const OutId text = layout.placement.address_of[p.calls.functions[f].value].section;
    if (count == 0 || !p.live.live[f] || !text.valid())
      continue;
    const u32 owner = p.function_of(layout.sections.function(text)).value;
    RecordList &records = plan.of_function[owner];
    const u64 record = records.find(elf::InfoAttribute::NumBarriers);
    if (p.policy.old_abi) {
      plan.text_flags.resize(layout.sections.size());
      plan.text_flags[text.value] = u64{count} << elf::kTextBarrierShift;
      continue;
    }
    if (record == RecordList::kNone) {
      records.put_value(elf::InfoAttribute::NumBarriers, elf::RecordFormat::Byte,
                        static_cast<u16>(count));
      continue;
    }
    plan =
        raise_count({.function = f, .owner = owner, .text = text, .own = own[f], .reached = count},
                    p, layout, reached, std::move(plan));
  }
  return plan;
}

// Limits that a kernel was compiled with. __launch_bounds__ and -maxrregcount limit its registers
// (MAXREG_COUNT in .nv.info.K), MAX_STACK_SIZE limits its stack; the compiler keeps to them in the
// kernel itself, but only the linker knows the functions that it calls. plan_info_records calls
// this when registers and stack of every call tree are known; a link with a message ends.
//
// What may surprise: a kernel is reported for each function with more registers than those before
// it, in the order of the code, the last kernel first. That is how nvlink finds them while it
// raises the register count of kernels.

// Searching for a chain of calls takes time, and a reader does not want hundreds of them.
constexpr u32 kMostPaths = 20;

// A function keeps R16 to R31 for its caller and only some of those above. Code that calls a
// function of the driver expects all above to be kept.
constexpr u32 kMostDriverRegisters = 32;

constexpr u32 kMostStack = 0xfffffffe; // one more means that the stack has no bound

// The number of registers that a kernel may use, in order of the records that hold it.
struct RegisterLimit {
  FunctionId kernel;
  u32 most = 0;
};

class KernelLimitChecker {
public:
  KernelLimitChecker(const Program &program, const Reach &reach, const Layout &layout,
                     const Resources &resources, Diagnostics &diag)
      : p_(program), reach_(reach), layout_(layout), resources_(resources), diag_(diag) {}

  void check_registers(const std::vector<RegisterLimit> &limits);
  void check_stack(FunctionId kernel);
  void check_driver_calls();

private:
  void report_registers(const RegisterLimit &limit, FunctionId function);
  [[nodiscard]] bool has_values_above(ObjectId object) const;
  [[nodiscard]] std::string name_of(FunctionId f) const {
    return std::string(p_.entity_of(f).name);
  }

  const Program &p_;
  const Reach &reach_;
  const Layout &layout_;
  const Resources &resources_;
  Diagnostics &diag_;
  u32 paths_ = 0;
};

void KernelLimitChecker::check_registers(const std::vector<RegisterLimit> &limits) {
  std::vector<RegisterLimit> broken;
  for (const RegisterLimit &limit : limits)
    if (resources_.registers[limit.kernel.value] > limit.most)
      broken.push_back(limit);
  if (broken.empty())
    return;
  std::stable_sort(
      broken.begin(), broken.end(),
      [](const RegisterLimit &a, const RegisterLimit &b) { return b.kernel < a.kernel; });
  std::vector<u32> known = resources_.own_registers; // by FunctionId of a kernel
  for (const SectionDetails &section : layout_.sections.details) {
    const FunctionId f = section.function.valid() ? p_.function_of(section.function) : FunctionId{};
    if (!f.valid() || !p_.live.live[f.value] || p_.live.kernel[f.value])
      continue;
    const u32 needed = resources_.own_registers[f.value];
    const FunctionId one[] = {f};
    const std::vector<FunctionId> users = reach_.kernels_reaching(one);
    for (const RegisterLimit &limit : broken) {
      u32 &registers = known[limit.kernel.value];
      if (needed <= registers || !std::binary_search(users.begin(), users.end(), limit.kernel))
        continue;
      registers = needed;
      if (needed > limit.most)
        report_registers(limit, f);
    }
  }
}

void KernelLimitChecker::report_registers(const RegisterLimit &limit, FunctionId function) {
  Diagnostic &message = diag_.report(
      DiagId::RegisterLimit, {name_of(limit.kernel), std::to_string(limit.most), name_of(function),
                              std::to_string(resources_.own_registers[function.value])});
  message.at("kernel defined in", p_.origin_of(limit.kernel));
  if (paths_++ < kMostPaths)
    add_call_path(p_, limit.kernel, function, message);
}

// A limit of 0 is none. Recursion needs more than any limit.
void KernelLimitChecker::check_stack(FunctionId kernel) {
  const bool unbounded = resources_.unbounded[kernel.value];
  const u64 stack = resources_.stack[kernel.value];
  if (!unbounded && stack > kMostStack && !p_.policy.wraps_stack)
    diag_
        .report(DiagId::TooLargeForField, {fmt::format("stack of kernel '{}'", name_of(kernel)),
                                           std::to_string(stack), std::to_string(kMostStack)})
        .at("kernel defined in", p_.origin_of(kernel));
  const u32 most = resources_.stack_limit[kernel.value];
  if (most == 0 || (!unbounded && stack <= most))
    return;
  diag_
      .report(DiagId::StackLimit,
              {name_of(kernel), unbounded ? "an unknown number of" : std::to_string(stack),
               std::to_string(most), unbounded ? "-1" : std::to_string(stack)})
      .at("kernel defined in", p_.origin_of(kernel));
}

// True if code of an object has registers that a function of the driver keeps and others may
// change.
bool KernelLimitChecker::has_values_above(ObjectId object) const {
  for (u32 f = 0; f < p_.calls.functions.size(); ++f)
    if (p_.live.live[f] && p_.entity_of(FunctionId(f)).prevailing.object == object &&
        resources_.own_registers[f] > kMostDriverRegisters)
      return true;
  return false;
}

// A program may define a function of the driver, but callers in other files were compiled for the
// driver's definition.
void KernelLimitChecker::check_driver_calls() {
  if (p_.policy.ignores_driver_registers)
    return;
  for (const auto &[f, caller] : p_.calls.driver_calls) {
    const u32 needed = resources_.registers[f.value];
    if (!p_.entity_of(f).defined() || !p_.live.live[f.value] || needed <= kMostDriverRegisters ||
        !has_values_above(caller))
      continue;
    diag_
        .report(DiagId::DriverRegisters,
                {name_of(f), std::to_string(needed), std::to_string(kMostDriverRegisters)})
        .at("defined in", p_.origin_of(f))
        .at("called in", p_.objects[caller.value].origin())
        .advise("compile it together with its callers, or with -maxrregcount=32");
  }
}

// True if the stack of a kernel has no bound, is more than the kernel may use, or more than a
// record can hold. Few kernels are like that.
bool exceeds_stack(const Resources &resources, FunctionId kernel) {
  const u32 most = resources.stack_limit[kernel.value];
  return resources.unbounded[kernel.value] != 0 ||
         resources.stack[kernel.value] > (most == 0 ? kMostStack : std::min(most, kMostStack));
}

// Reports kernels that call functions with more registers than the kernel may use, kernels with
// more stack than they may use, and stacks that no record can hold. `kernels`: those for which
// exceeds_stack is true, in the order of the symbols.
void check_kernel_limits(const Program &program, const Reach &reach, const Layout &layout,
                         const Resources &resources, const std::vector<FunctionId> &kernels,
                         const std::vector<RegisterLimit> &limits, Diagnostics &diag) {
  KernelLimitChecker checker(program, reach, layout, resources, diag);
  for (const FunctionId kernel : kernels)
    checker.check_stack(kernel);
  checker.check_registers(limits);
  checker.check_driver_calls();
}

using elf::InfoAttribute;
using elf::RecordFormat;

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
