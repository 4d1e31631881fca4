// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reachability in the call graph. The strongly connected components are found once, by Tarjan's
// algorithm with an explicit stack, because a chain of calls may be long. Components come out
// callees first, so that one forward sweep over them (records/inherit.cc) propagates registers or
// stack sizes from callees to callers. Questions about single functions are searches of their own,
// over callers or over callees; a mark with the number of the search saves clearing a table for
// each.
#include "link/resolve/reach.h"

#include <algorithm>
#include <numeric>

namespace culink {

namespace {

constexpr u32 kManyNodes = 4096;

} // namespace

Reach::Reach(const CallGraph &calls, const LiveSet &live, WorkerPool &pool)
    : calls_(calls), live_(live), mark_(calls.node_count(), 0) {
  if (calls.node_count() < kManyNodes) { // for which no thread is started
    find_callers();
    find_components();
  } else {
    pool.for_each(2, [this](u32 i) { i == 0 ? find_components() : find_callers(); });
  }
  list_inner_components(pool);
}

// Callers are counted first, so that the lists of all nodes fit into one vector.
void Reach::find_callers() {
  first_caller_.assign(u64{calls_.node_count()} + 1, 0);
  for (const u32 callee : calls_.edges.all())
    ++first_caller_[callee + 1];
  std::partial_sum(first_caller_.begin(), first_caller_.end(), first_caller_.begin());
  callers_.resize(first_caller_.back());
  std::vector<u32> next(first_caller_.begin(), first_caller_.end() - 1);
  for (u32 node = 0; node < calls_.node_count(); ++node)
    for (const u32 callee : calls_.edges[node])
      callers_[next[callee]++] = node;
}

void Reach::find_components() {
  const u32 count = calls_.node_count();
  constexpr u32 kUnseen = 0xffffffff;
  std::vector<u32> index(count, kUnseen), low(count, 0), stack;
  std::vector<std::pair<u32, u32>> work; // (node, next successor)
  component_of_.assign(count, kUnseen);
  callees_first_.reserve(count);
  u32 next_index = 0;
  for (u32 root = 0; root < count; ++root) {
    if (index[root] != kUnseen)
      continue;
    work.emplace_back(root, 0);
    while (!work.empty()) {
      auto &[node, next] = work.back();
      if (next == 0) {
        index[node] = low[node] = next_index++;
        stack.push_back(node);
      }
      if (const std::span<const u32> callees = calls_.edges[node]; next < callees.size()) {
        const u32 callee = callees[next++];
        if (index[callee] == kUnseen)
          work.emplace_back(callee, 0);
        else if (component_of_[callee] == kUnseen)
          low[node] = std::min(low[node], index[callee]);
        continue;
      }
      const u32 done = node;
      work.pop_back();
      if (!work.empty())
        low[work.back().first] = std::min(low[work.back().first], low[done]);
      if (low[done] != index[done])
        continue;
      const size_t begin = callees_first_.size();
      u32 member = 0;
      do {
        member = stack.back();
        stack.pop_back();
        component_of_[member] = component_count_;
        callees_first_.push_back(member);
      } while (member != done);
      const bool circle =
          callees_first_.size() - begin > 1 || std::ranges::binary_search(calls_.edges[done], done);
      recursive_.push_back(circle);
      ++component_count_;
    }
  }
}

void Reach::list_inner_components(WorkerPool &pool) {
  const std::vector<u32> &order = callees_first_;
  const u32 count = static_cast<u32>(order.size());
  const auto same = [&](u32 i, u32 j) {
    return component_of_[order[i]] == component_of_[order[j]];
  };
  std::vector<std::vector<std::span<const u32>>> ranges(count / kManyNodes + 1);
  pool.for_ranges(count, kManyNodes, [&](u32 begin, u32 end) {
    for (u32 i = begin; i < end; ++i) {
      if (calls_.edges[order[i]].empty() || !called(order[i]) || (i != 0 && same(i - 1, i)))
        continue;
      u32 behind = i + 1;
      while (behind < count && same(i, behind))
        ++behind;
      ranges[begin / kManyNodes].push_back(std::span(order).subspan(i, behind - i));
    }
  });
  for (const std::vector<std::span<const u32>> &range : ranges)
    inner_components_.insert(inner_components_.end(), range.begin(), range.end());
}

std::vector<FunctionId> Reach::kernels_reaching(std::span<const FunctionId> functions) const {
  ++search_;
  std::vector<u32> start;
  for (const FunctionId f : functions)
    if (mark(f.value) == Visit::Follow)
      start.push_back(f.value);
  const std::vector<u32> reached = search_breadth_first(
      std::move(start), [this](u32 node) { return callers_of(node); },
      [this](u32 node, u32) { return mark(node); });
  std::vector<FunctionId> out;
  for (const u32 node : reached)
    if (node < calls_.functions.size() && live_.kernel[node])
      out.push_back(FunctionId(node));
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<FunctionId> Reach::reached_from(FunctionId start) const {
  ++search_;
  const std::vector<u32> reached = search_breadth_first(
      {start.value}, [this](u32 node) { return calls_.edges[node]; },
      [this](u32 node, u32) { return mark(node); });
  std::vector<FunctionId> out;
  for (size_t i = 1; i < reached.size(); ++i)
    if (reached[i] < calls_.functions.size())
      out.push_back(FunctionId(reached[i]));
  std::sort(out.begin(), out.end());
  return out;
}

} // namespace culink
