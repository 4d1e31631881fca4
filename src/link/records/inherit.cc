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

} // namespace

void Inheritance::Item::add(const Item &more) {
  if (more.first == kNeverMet)
    return;
  if (first == kNeverMet || more.last > last) {
    last = more.last;
    last_value = more.last_value;
  }
  first = std::min(first, more.first);
  largest = std::max(largest, more.largest);
  bits |= more.bits;
}

void Inheritance::add(const Inheritance &other) {
  for (size_t i = 0; i < items.size(); ++i)
    items[i].add(other.items[i]);
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
    : p_(program), reach_(reach), functions_(functions),
      read_position_(program.calls.functions.size(), kNotRead),
      part_of_(reach.component_count(), kNothing) {
  for (u32 i = 0; i < functions.read_order.size(); ++i)
    read_position_[functions.read_order[i].value] = i;
  sweep();
}

Inheritance InheritanceSweep::own_of(FunctionId function) const {
  Inheritance own;
  const WalkPosition start = u64{read_position_[function.value]} << kListBits;
  WalkPosition position = start;
  for (const Inherited &record : functions_.inherited[function.value]) {
    ++position;
    if (record.attribute == elf::InfoAttribute::AtEntryFragments) {
      own.fragments.push_back({position, function, record.value});
      continue;
    }
    const std::optional<size_t> rule = inherit_rule_of(record.attribute);
    if (!rule) { // EXTERNS
      own.first_externs = std::min(own.first_externs, position);
      continue;
    }
    Inheritance::Item &item = own.items[*rule];
    item.first = std::min(item.first, position);
    item.last = position;
    item.last_value = record.value;
    item.largest = std::max(item.largest, record.value);
    item.bits |= record.value;
    if (kInheritRules[*rule].combine == Combine::Sum) {
      if (own.addends.empty())
        own.addends.push_back({function, 0});
      own.addends[0].value = add_counts(own.addends[0].value, record.value);
    }
  }
  if (functions_.externs[function.value].empty())
    return own;
  position = start;
  for (const EntityId callee : functions_.externs[function.value])
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
  return own;
}

// Parts (indices into parts_) that the callees of a node in other components hand down. Callees
// that share a part are often neighbours, so repetitions in a row are left out.
void InheritanceSweep::list_parts(u32 node, std::vector<u32> &out) const {
  for (const u32 callee : p_.calls.edges[node])
    if (const u32 part = part_of_[reach_.component_of(callee)];
        part != kNothing && (out.empty() || out.back() != part))
      out.push_back(part);
}

void InheritanceSweep::sort_parts(std::vector<u32> &parts) {
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
}

void InheritanceSweep::keep(Inheritance &&part) {
  Part &kept = parts_.emplace_back();
  kept.first_externs = part.first_externs;
  kept.first_item = static_cast<u32>(items_.size());
  for (size_t rule = 0; rule < kInheritRuleCount; ++rule)
    if (part.items[rule].first != kNeverMet) {
      kept.rules |= static_cast<u16>(1u << rule);
      items_.push_back(part.items[rule]);
    }
  if (part.addends.empty() && part.undefined.empty() && part.fragments.empty())
    return;
  kept.lists = static_cast<u32>(lists_.size());
  lists_.push_back(std::move(part));
}

void InheritanceSweep::add(u32 part, Inheritance &into) const {
  const Part &kept = parts_[part];
  u32 next = kept.first_item;
  for (u32 rules = kept.rules; rules != 0; rules &= rules - 1)
    into.items[static_cast<u32>(std::countr_zero(rules))].add(items_[next++]);
  into.first_externs = std::min(into.first_externs, kept.first_externs);
  if (kept.lists != kNothing)
    into.add_lists(lists_[kept.lists]);
}

void InheritanceSweep::sweep() {
  const std::vector<u32> &order = reach_.callees_first();
  std::vector<u32> parts;
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    const u32 component = reach_.component_of(order[begin]);
    end = begin + 1;
    if (!reach_.called(order[begin])) // a kernel: no function inherits from it
      continue;
    bool has_own = false;
    parts.clear();
    for (end = begin; end < order.size() && reach_.component_of(order[end]) == component; ++end) {
      has_own =
          has_own || (order[end] < p_.calls.functions.size() && counts(FunctionId(order[end])));
      list_parts(order[end], parts);
    }
    sort_parts(parts);
    if (!has_own && parts.size() <= 1) {
      part_of_[component] = parts.empty() ? kNothing : parts[0];
      continue;
    }
    part_of_[component] = static_cast<u32>(parts_.size());
    if (parts.empty() && end - begin == 1) { // most functions call none
      keep(own_of(FunctionId(order[begin])));
      continue;
    }
    Inheritance sum;
    for (const u32 part : parts)
      add(part, sum);
    for (size_t i = begin; i < end; ++i)
      if (order[i] < p_.calls.functions.size() && counts(FunctionId(order[i])))
        add_own(FunctionId(order[i]), sum);
    keep(std::move(sum));
  }
}

// Adding a part twice changes nothing, but where there are many, a part may come up often.
Inheritance InheritanceSweep::of(FunctionId kernel) const {
  constexpr size_t kFew = 8;
  Inheritance out;
  const auto callees = p_.calls.edges[kernel.value];
  if (callees.size() <= kFew) { // of nearly all kernels
    for (const u32 callee : callees)
      if (const u32 part = part_of_[reach_.component_of(callee)]; part != kNothing)
        add(part, out);
    return out;
  }
  std::vector<u32> parts;
  list_parts(kernel.value, parts);
  sort_parts(parts);
  for (const u32 part : parts)
    add(part, out);
  return out;
}

} // namespace culink
