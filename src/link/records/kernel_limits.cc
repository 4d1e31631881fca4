// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits that a kernel was compiled with. __launch_bounds__ and -maxrregcount limit its registers
// (MAXREG_COUNT in .nv.info.K), MAX_STACK_SIZE limits its stack; the compiler keeps to them in the
// kernel itself, but only the linker knows the functions that it calls. plan_info_records calls
// this when registers and stack of every call tree are known; a link with a message ends.
//
// What may surprise: a kernel is reported for each function with more registers than those before
// it, in the order of the code, the last kernel first. That is how nvlink finds them while it
// raises the register count of kernels.
#include "link/records/kernel_limits.h"

#include <algorithm>

#include <fmt/format.h>

#include "link/resolve/call_paths.h"

namespace culink {

namespace {

// Searching for a chain of calls takes time, and a reader does not want hundreds of them.
constexpr u32 kMostPaths = 20;

// A function keeps R16 to R31 for its caller and only some of those above. Code that calls a
// function of the driver expects all above to be kept.
constexpr u32 kMostDriverRegisters = 32;

constexpr u32 kMostStack = 0xfffffffe; // one more means that the stack has no bound

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

// Whether code of an object has registers that a function of the driver keeps and others may
// change.
bool KernelLimitChecker::has_values_above(ObjectId object) const {
  for (u32 f = 0; f < p_.calls.functions.size(); ++f)
    if (p_.live.live[f] && p_.entity_of(FunctionId(f)).prevailing.object == object &&
        resources_.own_registers[f] > kMostDriverRegisters)
      return true;
  return false;
}

// A program may define a function that is the driver's otherwise, but its callers in other files
// were compiled for the driver's.
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

} // namespace

bool exceeds_stack(const Resources &resources, FunctionId kernel) {
  const u32 most = resources.stack_limit[kernel.value];
  return resources.unbounded[kernel.value] != 0 ||
         resources.stack[kernel.value] > (most == 0 ? kMostStack : std::min(most, kMostStack));
}

void check_kernel_limits(const Program &program, const Reach &reach, const Layout &layout,
                         const Resources &resources, const std::vector<FunctionId> &kernels,
                         const std::vector<RegisterLimit> &limits, Diagnostics &diag) {
  KernelLimitChecker checker(program, reach, layout, resources, diag);
  for (const FunctionId kernel : kernels)
    checker.check_stack(kernel);
  checker.check_registers(limits);
  checker.check_driver_calls();
}

} // namespace culink
