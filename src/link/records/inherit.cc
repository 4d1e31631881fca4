// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels inherit records from all functions they reach, in the order of a walk over these
// functions. A walk for every kernel would cost functions times kernels. But the
// result needs little of the walk: where it first met an attribute, the largest value, all bits,
// the last value. All of these combine from those of the callees, so one sweep over the
// call graph, callees first, finds them for everybody. A component without records of its own
// shares what its callee has.
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

// Whether some function has what does not combine.
bool some_has_lists(const FunctionRecords &functions) {
  const auto has_sum = [&](const InheritRule &rule) {
    return rule.combine == Combine::Sum && functions.has(rule.attribute);
  };
  return !functions.externs.empty() || !functions.fragments.empty() ||
         std::ranges::any_of(kInheritRules, has_sum);
}

} // namespace

void FunctionRecords::put_first(FunctionId function, const Inherited &record) {
  const std::span<const Inherited> old = inherited_from(function);
  std::vector<Inherited> all = {record};
  all.insert(all.end(), old.begin(), old.end());
  InheritedList &list = inherited[function.value];
  list.count = static_cast<u32>(all.size());
  if (list.count <= InheritedList::kFew)
    std::ranges::copy(all, list.few.begin());
  else
    many_inherited[function.value] = std::move(all);
}

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
  add_lists(other);
}

void Inheritance::add_lists(const Inheritance &other) {
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
                                   const FunctionRecords &functions)
    : p_(program), reach_(reach), functions_(functions), has_lists_(some_has_lists(functions)),
      part_of_(reach.component_count(), kNothing) {
  sweep();
}

void InheritanceSweep::add_own(FunctionId function, Inheritance &into) const {
  WalkPosition position = u64{functions_.read_position[function.value]} << kListBits;
  for (const Inherited &record : functions_.inherited_from(function)) {
    ++position;
    if (const std::optional<size_t> rule = inherit_rule_of(record.attribute))
      into.add(*rule, {position, position, record.value, record.value, record.value});
    else if (record.attribute != elf::InfoAttribute::AtEntryFragments) // EXTERNS
      into.first_externs = std::min(into.first_externs, position);
  }
  if (has_lists_)
    add_lists_of(function, into);
}

void InheritanceSweep::add_lists_of(FunctionId function, Inheritance &into) const {
  Inheritance own;
  const WalkPosition start = u64{functions_.read_position[function.value]} << kListBits;
  WalkPosition position = start;
  for (const Inherited &record : functions_.inherited_from(function)) {
    ++position;
    if (record.attribute == elf::InfoAttribute::AtEntryFragments)
      own.fragments.push_back({position, function, record.value});
    if (const std::optional<size_t> rule = inherit_rule_of(record.attribute);
        rule && kInheritRules[*rule].combine == Combine::Sum) {
      if (own.addends.empty())
        own.addends.push_back({function, 0});
      own.addends[0].value = add_counts(own.addends[0].value, record.value);
    }
  }
  position = start;
  for (const EntityId callee : functions_.externs_of(function))
    if (++position; p_.function_of(callee).valid())
      own.undefined.push_back({callee, position});
  const auto by_callee = [](const Inheritance::Undefined &a, const Inheritance::Undefined &b) {
    return a.callee != b.callee ? a.callee < b.callee : a.first < b.first;
  };
  std::sort(own.undefined.begin(), own.undefined.end(), by_callee);
  own.undefined.erase(
      std::unique(own.undefined.begin(), own.undefined.end(),
                  [](const auto &a, const auto &b) { return a.callee == b.callee; }),
      own.undefined.end());
  into.add_lists(own);
}

// What callees in other components hand down. Those that share a part are often neighbours, so
// repetitions in a row are left out.
void InheritanceSweep::list_callees(u32 node, Callees &out) const {
  for (const u32 callee : p_.calls.edges[node])
    if (is_leaf(callee)) {
      if (counts(callee))
        out.leaves.push_back(FunctionId(callee));
    } else if (const u32 part = part_of_[reach_.component_of(callee)];
               part != kNothing && (out.parts.empty() || out.parts.back() != part)) {
      out.parts.push_back(part);
    }
}

void InheritanceSweep::sort_parts(std::vector<u32> &parts) {
  if (!std::is_sorted(parts.begin(), parts.end())) // as they mostly are
    std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
}

u32 InheritanceSweep::Parts::keep(Inheritance &&part) {
  const u32 position = static_cast<u32>(parts.size());
  Part &kept = parts.emplace_back();
  kept.first_externs = part.first_externs;
  kept.first_item = static_cast<u32>(items.size());
  kept.rules = part.rules;
  for (u32 left = part.rules; left != 0; left &= left - 1)
    items.push_back(part.items[static_cast<u32>(std::countr_zero(left))]);
  if (part.addends.empty() && part.undefined.empty() && part.fragments.empty())
    return position;
  kept.lists = static_cast<u32>(lists.size());
  lists.push_back(std::move(part));
  return position;
}

void InheritanceSweep::add(u32 part, Inheritance &into) const {
  const Part &kept = all_.parts[part];
  u32 next = kept.first_item;
  for (u32 rules = kept.rules; rules != 0; rules &= rules - 1)
    into.add(static_cast<u32>(std::countr_zero(rules)), all_.items[next++]);
  into.first_externs = std::min(into.first_externs, kept.first_externs);
  if (kept.lists != kNothing)
    into.add_lists(all_.lists[kept.lists]);
}

// No function inherits from a kernel, so those that are called are all.
void InheritanceSweep::sweep() {
  Callees callees;
  for (const std::span<const u32> component : reach_.inner_components()) {
    callees.parts.clear();
    callees.leaves.clear();
    for (const u32 node : component) {
      if (counts(node))
        callees.leaves.push_back(FunctionId(node));
      list_callees(node, callees);
    }
    sort_parts(callees.parts);
    u32 &part = part_of_[reach_.component_of(component[0])];
    if (callees.leaves.empty() && callees.parts.size() <= 1) {
      part = callees.parts.empty() ? kNothing : callees.parts[0];
      continue;
    }
    Inheritance sum;
    for (const u32 one : callees.parts)
      add(one, sum);
    for (const FunctionId function : callees.leaves)
      add_own(function, sum);
    part = all_.keep(std::move(sum));
  }
}

// Adding a part twice changes nothing, but where there are many, a part may come up often.
void InheritanceSweep::add_reached(FunctionId kernel, Inheritance &into) const {
  constexpr size_t kFew = 8;
  const auto edges = p_.calls.edges[kernel.value];
  if (edges.size() <= kFew) { // of nearly all kernels
    for (const u32 callee : edges)
      if (is_leaf(callee)) {
        if (counts(callee))
          add_own(FunctionId(callee), into);
      } else if (const u32 part = part_of_[reach_.component_of(callee)]; part != kNothing) {
        add(part, into);
      }
    return;
  }
  Callees callees;
  list_callees(kernel.value, callees);
  sort_parts(callees.parts);
  for (const u32 part : callees.parts)
    add(part, into);
  for (const FunctionId function : callees.leaves)
    add_own(function, into);
}

} // namespace culink
