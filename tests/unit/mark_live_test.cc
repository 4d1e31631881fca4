// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>

#include <gtest/gtest.h>

#include "elf/target/driver_functions.h"
#include "link/resolve/call_graph.h"

namespace culink {
namespace {

// A program in words: functions are named by numbers, calls are added one by one.
class TestProgram {
public:
  u32 add(std::string_view name, bool kernel = false, bool defined = true) {
    const u32 number = static_cast<u32>(symbols.entities.size());
    Entity &entity = symbols.entities.emplace_back(Entity{});
    entity.name = name;
    entity.function = true;
    entity.other = kernel ? elf::kOtherKernel : u8{0};
    if (defined)
      entity.prevailing = {ObjectId(0), number + 1};
    if (arch::is_driver_function(name))
      symbols.driver_functions.emplace_back(number);
    calls.functions.emplace_back(number);
    calls.function_of.emplace_back(number);
    callees.emplace_back();
    return number;
  }
  void call(u32 from, u32 to) { callees[from].emplace_back(to); }
  void take_address(u32 function, u32 prototype) {
    calls.taken.push_back({FunctionId(function), PrototypeId(prototype)});
  }
  void call_pointer(u32 from, u32 prototype) {
    calls.indirect.push_back({FunctionId(from), PrototypeId(prototype)});
  }
  LiveSet mark(u32 prototypes = 0) {
    calls.prototypes.resize(prototypes);
    calls.calls = NodeLists<FunctionId>(callees);
    std::vector<std::vector<u32>> successors(calls.functions.size() + prototypes);
    for (u32 f = 0; f < calls.functions.size(); ++f)
      for (const FunctionId callee : calls.calls[f])
        successors[f].push_back(callee.value);
    for (const CallGraph::Taken &call : calls.indirect)
      successors[call.function.value].push_back(calls.node(call.prototype));
    for (const CallGraph::Taken &taken : calls.taken)
      successors[calls.node(taken.prototype)].push_back(taken.function.value);
    for (std::vector<u32> &list : successors)
      std::sort(list.begin(), list.end());
    calls.edges = EdgeLists(successors);
    policy.selects_kernels = options.kernels_used.has_value();
    return mark_live(symbols, calls, options, policy);
  }

  Resolution symbols;
  CallGraph calls;
  std::vector<std::vector<FunctionId>> callees;
  LinkOptions options;
  LinkPolicy policy;
};

void expect(const LiveSet &live, u32 function, LiveReason reason, FunctionId by = {}) {
  EXPECT_EQ(live.why[function].reason, reason) << "function " << function;
  EXPECT_EQ(live.why[function].by, by) << "function " << function;
  EXPECT_EQ(live.live[function], live.why[function].live()) << "function " << function;
}

TEST(MarkLive, names_the_caller_on_the_shortest_chain) {
  TestProgram p;
  const u32 first = p.add("first", true), a = p.add("a"), b = p.add("b"), end = p.add("end");
  const u32 second = p.add("second", true), dead = p.add("dead");
  p.call(first, a);
  p.call(a, b);
  p.call(b, end);
  p.call(second, b);
  p.call(dead, end);
  const LiveSet live = p.mark();
  expect(live, first, LiveReason::Kernel);
  expect(live, second, LiveReason::Kernel);
  expect(live, a, LiveReason::Call, FunctionId(first));
  expect(live, b, LiveReason::Call, FunctionId(second));
  expect(live, end, LiveReason::Call, FunctionId(b));
  expect(live, dead, LiveReason::None);
}

TEST(MarkLive, names_the_caller_behind_a_prototype) {
  TestProgram p;
  const u32 kernel = p.add("kernel", true), target = p.add("target"), other = p.add("other");
  p.call_pointer(kernel, 0);
  p.take_address(target, 0);
  p.take_address(other, 1);
  const LiveSet live = p.mark(2);
  expect(live, target, LiveReason::PointerCall, FunctionId(kernel));
  expect(live, other, LiveReason::AddressTaken);
}

TEST(MarkLive, follows_address_taken_functions_to_system_calls_only) {
  TestProgram p;
  const u32 printer = p.add("printer"), lost = p.add("lost");
  const u32 vprintf = p.add("vprintf", false, false);
  p.call(printer, lost);
  p.call(printer, vprintf);
  p.take_address(printer, 0);
  const LiveSet live = p.mark(1);
  expect(live, printer, LiveReason::AddressTaken);
  expect(live, vprintf, LiveReason::Call, FunctionId(printer));
  expect(live, lost, LiveReason::None);
}

TEST(MarkLive, says_which_kernels_were_selected) {
  TestProgram p;
  const u32 first = p.add("first", true), second = p.add("second", true);
  p.options.kernels_used = {"first"};
  const LiveSet live = p.mark();
  expect(live, first, LiveReason::SelectedKernel);
  expect(live, second, LiveReason::NotSelected);
  EXPECT_EQ(live.only, FunctionId(first));
}

TEST(MarkLive, says_which_kernels_host_code_refers_to) {
  TestProgram p;
  const u32 first = p.add("first", true), second = p.add("second", true);
  p.options.host_references.emplace();
  p.options.host_references->external_kernels = {"second"};
  const LiveSet live = p.mark();
  expect(live, first, LiveReason::NoHostReference);
  expect(live, second, LiveReason::HostReference);
}

// Launched from the device, it is an entry point and a root.
TEST(MarkLive, keeps_launched_kernels_that_were_not_selected) {
  TestProgram p;
  const u32 launched = p.add("launched", true), callee = p.add("callee");
  p.call(launched, callee);
  p.take_address(launched, 0);
  p.options.kernels_used = {"none of them"};
  const LiveSet live = p.mark(1);
  expect(live, launched, LiveReason::AddressTaken);
  expect(live, callee, LiveReason::Call, FunctionId(launched));
  EXPECT_TRUE(live.is_kernel(FunctionId(launched)));
}

// To nvlink it is a device function whose address is taken if exactly one other is selected (Q052).
TEST(MarkLive, counts_launched_kernels_beside_a_single_selected_one) {
  for (const bool completes : {true, false}) {
    TestProgram p;
    const u32 parent = p.add("parent", true), child = p.add("child", true);
    const u32 callee = p.add("callee");
    p.call(child, callee);
    p.take_address(child, 0);
    p.options.kernels_used = {"parent"};
    p.policy.demotes_launched_kernels = !completes;
    const LiveSet live = p.mark(1);
    expect(live, parent, LiveReason::SelectedKernel);
    expect(live, child, LiveReason::AddressTaken);
    EXPECT_EQ(live.is_kernel(FunctionId(child)), completes);
    EXPECT_EQ(live.is_live(FunctionId(callee)), completes);
    EXPECT_EQ(live.only, completes ? FunctionId() : FunctionId(parent));
  }
}

TEST(MarkLive, gives_the_option_only_if_there_is_no_other_reason) {
  TestProgram p;
  const u32 kernel = p.add("kernel", true), used = p.add("used"), unused = p.add("unused");
  p.call(kernel, used);
  p.options.debug = true;
  const LiveSet live = p.mark();
  expect(live, used, LiveReason::Call, FunctionId(kernel));
  expect(live, unused, LiveReason::AllCode);
}

} // namespace
} // namespace culink
