// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels inherit records from all functions they reach, in the order of a walk over these
// functions. A walk for every kernel would cost functions times kernels. The
// result needs little of the walk: where it first met an attribute, the largest value, all bits,
// the last value. All of these combine from those of the callees, so one sweep over the
// call graph, callees first, computes them for every kernel. A component without records of its own
// shares the part of its callee.
//
// Sums do not combine that way, because two callees may reach the same function; the
// functions that count are listed instead. They are few (NUM_MBARRIERS).
#include "link/records/inherit.h"

#include <algorithm>
#include <bit>

namespace culink {

namespace {

constexpr u32 kListBits = 20; // of a WalkPosition: the index in the list of one function

// Joins two lists sorted by `key`; of two entries with one key, `merge` makes one.
template <typename T, typename Key, typename Merge>
void join(std::vector<T> &into, const std::vector<T> &other, Key key, Merge merge) {
  if (other.empty())
    return;
  std::vector<T> out;
  out.reserve(into.size() + other.size());
  auto a = into.begin();
  auto b = other.begin();
  while (a != into.end() && b != other.end())
    if (key(*a) < key(*b)) {
      out.push_back(*a++);
    } else if (key(*b) < key(*a)) {
      out.push_back(*b++);
    } else {
      out.push_back(merge(*a++, *b++));
    }
  out.insert(out.end(), a, into.end());
  out.insert(out.end(), b, other.end());
  into = std::move(out);
}

} // namespace

void Inheritance::Item::add(const Item &more) {
  if (more.last > last) {
    last = more.last;
    last_value = more.last_value;
  }
  first = std::min(first, more.first);
  largest = std::max(largest, more.largest);
  bits |= more.bits;
}

void Inheritance::add(size_t rule, const Item &item) {
  if (met(rule))
    items[rule].add(item);
  else
    items[rule] = item;
  rules |= static_cast<u16>(1u << rule);
}

void Inheritance::add(const Inheritance &other) {
  for (u32 left = other.rules; left != 0; left &= left - 1) {
    const u32 rule = static_cast<u32>(std::countr_zero(left));
    add(rule, other.items[rule]);
  }
  first_externs = std::min(first_externs, other.first_externs);
  join(
      addends, other.addends, [](const Addend &a) { return a.function; },
      [](const Addend &a, const Addend &) { return a; });
  join(
      undefined, other.undefined, [](const Undefined &u) { return u.callee; },
      [](const Undefined &a, const Undefined &b) { return a.first < b.first ? a : b; });
  join(
      fragments, other.fragments, [](const Fragments &f) { return f.position; },
      [](const Fragments &a, const Fragments &) { return a; });
}

InheritanceSweep::InheritanceSweep(const Program &program, const Reach &reach,
                                   const ProgramRecords &records)
    : p_(program), reach_(reach), records_(records), part_of_(reach.component_count(), kNothing) {
  // No function inherits from a kernel, so functions that are called suffice.
  for (const std::span<const u32> component : reach_.inner_components()) {
    Callees callees = callees_of(component);
    for (const u32 node : component)
      if (counts(node))
        callees.leaves.push_back(FunctionId(node));
    u32 &part = part_of_[reach_.component_of(component[0])];
    if (callees.leaves.empty() && callees.parts.size() <= 1) {
      part = callees.parts.empty() ? kNothing : callees.parts[0];
      continue;
    }
    part = static_cast<u32>(parts_.size());
    parts_.push_back(sum(callees));
  }
}

Inheritance InheritanceSweep::own(FunctionId function) const {
  Inheritance out;
  const FunctionRecords &records = records_[function];
  const WalkPosition start = u64{records.read_position} << kListBits;
  WalkPosition position = start;
  for (const Inherited &record : records.inherited) {
    ++position;
    if (record.attribute == elf::InfoAttribute::AtEntryFragments)
      out.fragments.push_back({position, function, record.value});
    else if (record.attribute == elf::InfoAttribute::Externs)
      out.first_externs = std::min(out.first_externs, position);
    const std::optional<size_t> rule = inherit_rule_of(record.attribute);
    if (!rule)
      continue;
    out.add(*rule, {position, position, record.value, record.value, record.value});
    if (kInheritRules[*rule].combine != Combine::Sum)
      continue;
    if (out.addends.empty())
      out.addends.push_back({function, 0});
    out.addends[0].value = add_counts(out.addends[0].value, record.value);
  }
  position = start;
  for (const EntityId callee : records.externs)
    if (++position; p_.function_of(callee).valid())
      out.undefined.push_back({callee, position});
  const auto by_callee = [](const Inheritance::Undefined &a, const Inheritance::Undefined &b) {
    return a.callee != b.callee ? a.callee < b.callee : a.first < b.first;
  };
  std::sort(out.undefined.begin(), out.undefined.end(), by_callee);
  out.undefined.erase(
      std::unique(out.undefined.begin(), out.undefined.end(),
                  [](const auto &a, const auto &b) { return a.callee == b.callee; }),
      out.undefined.end());
  return out;
}

// Callees in other components. Neighbours often share a part.
InheritanceSweep::Callees InheritanceSweep::callees_of(std::span<const u32> nodes) const {
  Callees out;
  for (const u32 node : nodes)
    for (const u32 callee : p_.calls.edges[node])
      if (is_leaf(callee)) {
        if (counts(callee))
          out.leaves.push_back(FunctionId(callee));
      } else if (const u32 part = part_of_[reach_.component_of(callee)]; part != kNothing) {
        out.parts.push_back(part);
      }
  std::ranges::sort(out.parts);
  const auto repeated = std::ranges::unique(out.parts);
  out.parts.erase(repeated.begin(), repeated.end());
  return out;
}

Inheritance InheritanceSweep::sum(const Callees &callees) const {
  Inheritance out;
  for (const u32 part : callees.parts)
    out.add(parts_[part]);
  for (const FunctionId function : callees.leaves)
    out.add(own(function));
  return out;
}

Inheritance InheritanceSweep::reached(FunctionId kernel) const {
  return sum(callees_of({&kernel.value, 1}));
}

} // namespace culink
