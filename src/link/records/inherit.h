// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <unordered_map>

#include "base/uninitialized.h"
#include "base/worker_pool.h"
#include "elf/records/nv_info.h"
#include "link/merge/merge.h"
#include "link/resolve/reach.h"

namespace culink {

// How the values of a kernel and of the functions it reaches combine.
// Words: a list of small numbers, each of them once.
enum class Combine : u8 { Flag, Maximum, Sum, BitOr, Last, Words };

struct InheritRule {
  elf::InfoAttribute attribute;
  elf::RecordFormat format; // of a new record
  Combine combine;
  bool own_value_stays; // in a program with one kernel, if it has the record
};

inline constexpr size_t kInheritRuleCount = 10;

// In the order in which a program's only kernel gets new records.
inline constexpr std::array<InheritRule, kInheritRuleCount> kInheritRules = {{
    {elf::InfoAttribute::SparseMmaMask, elf::RecordFormat::Half, Combine::BitOr, true},
    {elf::InfoAttribute::CtaidzUsed, elf::RecordFormat::NoValue, Combine::Flag, false},
    {elf::InfoAttribute::ReservedSmemUsed, elf::RecordFormat::NoValue, Combine::Flag, false},
    {elf::InfoAttribute::VrcCtaInitCount, elf::RecordFormat::Byte, Combine::Maximum, true},
    {elf::InfoAttribute::Tcgen05OneCtaUsed, elf::RecordFormat::NoValue, Combine::Flag, false},
    {elf::InfoAttribute::Tcgen05TwoCtaUsed, elf::RecordFormat::NoValue, Combine::Flag, false},
    {elf::InfoAttribute::NumBarriers, elf::RecordFormat::Byte, Combine::Maximum, false},
    {elf::InfoAttribute::RegReconfig, elf::RecordFormat::NoValue, Combine::Last, true},
    {elf::InfoAttribute::NumMbarriers, elf::RecordFormat::Half, Combine::Sum, false},
    {elf::InfoAttribute::Language, elf::RecordFormat::Sized, Combine::Words, false},
}};
// By attribute: the number of its rule, plus 1. Every record of a program is asked for.
inline constexpr std::array<u8, 256> kInheritRuleOf = [] {
  std::array<u8, 256> rules{};
  for (u8 i = 0; i < kInheritRuleCount; ++i)
    rules[static_cast<u8>(kInheritRules[i].attribute)] = i + 1;
  return rules;
}();
// Nothing: kernels do not inherit the attribute.
[[nodiscard]] constexpr std::optional<size_t> inherit_rule_of(elf::InfoAttribute attribute) {
  const u8 rule = kInheritRuleOf[static_cast<u8>(attribute)];
  return rule == 0 ? std::nullopt : std::optional<size_t>(rule - 1);
}

// The sum of two counts. The largest number means that the count is not known, and is no count.
[[nodiscard]] constexpr u16 add_counts(u16 a, u16 b) {
  return static_cast<u16>(std::min(u32{a} + b, u32{0xffff}));
}

// A record that kernels take over.
struct Inherited {
  elf::InfoAttribute attribute{};
  u16 value = 0; // of Combine::Words: a bit for each number
};

// The inherited records of one function, of which nearly all have few. There is one for each
// function, so it owns nothing: threads make them, and nobody has to destroy them.
struct InheritedList {
  static constexpr u32 kFew = 5;
  std::array<Inherited, kFew> few;
  u32 count = 0; // more than kFew: all are elsewhere
};

// What the records of functions say that kernels take over.
struct FunctionRecords {
  static constexpr u32 kNotRead = 0xffffffff;

  // Of their .nv.info.F sections; and by FunctionId: the last position there, or kNotRead.
  std::vector<FunctionId, UninitializedAllocator<FunctionId>> read_order;
  std::vector<u32, UninitializedAllocator<u32>> read_position;
  // By FunctionId: in order of reading; and those of functions that have many.
  std::vector<InheritedList, UninitializedAllocator<InheritedList>> inherited;
  std::unordered_map<u32, std::vector<Inherited>> many_inherited;
  // By FunctionId: undefined callees, filtered; few have any.
  std::unordered_map<u32, std::vector<EntityId>> externs;
  // AT_ENTRY_FRAGMENTS: code that has to run before a kernel does. By FunctionId, in order of
  // reading; few have any.
  std::unordered_map<u32, std::vector<std::vector<u32>>> fragments;
  u16 rules = 0; // a bit for each rule whose attribute some function has

  [[nodiscard]] std::span<const Inherited> inherited_from(FunctionId function) const {
    const InheritedList &list = inherited[function.value];
    return list.count <= InheritedList::kFew ? std::span(list.few).first(list.count)
                                             : std::span(many_inherited.at(function.value));
  }
  void put_first(FunctionId function, const Inherited &record);
  [[nodiscard]] std::span<const EntityId> externs_of(FunctionId function) const {
    const auto found = externs.empty() ? externs.end() : externs.find(function.value);
    return found == externs.end() ? std::span<const EntityId>() : found->second;
  }
  // Whether a kernel that reaches the function may inherit from it.
  [[nodiscard]] bool count(FunctionId function) const {
    return read_position[function.value] != kNotRead &&
           !(inherited[function.value].count == 0 && externs_of(function).empty());
  }
  [[nodiscard]] bool has(elf::InfoAttribute attribute) const {
    return (rules >> (kInheritRuleOf[static_cast<u8>(attribute)] - 1) & 1) != 0;
  }
};

// A position in the walk over all records: functions in the order in which their sections were
// read, each function's records in input order.
using WalkPosition = u64;
inline constexpr WalkPosition kNeverMet = ~u64{0};

// Everything that a set of functions hands down, without the walk.
struct Inheritance {
  struct Item {
    WalkPosition first, last;
    u16 last_value, largest, bits;
    void add(const Item &more);
  };
  struct Addend {
    FunctionId function;
    u16 value = 0;
  };
  struct Undefined {
    EntityId callee;
    WalkPosition first = kNeverMet;
  };
  struct Fragments {
    WalkPosition position = kNeverMet;
    FunctionId function;
    u32 record = 0; // of those of the function
  };
  std::array<Item, kInheritRuleCount> items; // by rule; not initialised where `rules` has no bit
  u16 rules = 0;                             // a bit for each rule that was met
  WalkPosition first_externs = kNeverMet;
  std::vector<Addend> addends;      // of Combine::Sum, by function
  std::vector<Undefined> undefined; // by callee
  std::vector<Fragments> fragments; // by position

  [[nodiscard]] bool met(size_t rule) const { return (rules >> rule & 1) != 0; }
  void clear() {
    rules = 0;
    first_externs = kNeverMet;
    addends.clear();
    undefined.clear();
    fragments.clear();
  }
  void add(size_t rule, const Item &item);
  void add(const Inheritance &other);
  void add_lists(const Inheritance &other); // all but the items
};

// What every kernel inherits, from one sweep over the call graph.
class InheritanceSweep {
public:
  InheritanceSweep(const Program &program, const Reach &reach, const FunctionRecords &functions);

  // Of all functions that the kernel reaches, added to `into`. Precondition: it does not reach
  // itself.
  void add_reached(FunctionId kernel, Inheritance &into) const;
  // Of one function alone, added to `into`.
  void add_own(FunctionId function, Inheritance &into) const;

private:
  static constexpr u32 kNothing = 0xffffffff;

  // What components that call others hand down; many share a part. Nearly all have one item or two
  // of ten, and no lists.
  struct Part {
    WalkPosition first_externs = kNeverMet;
    u32 first_item = 0;   // in `items`; as many as there are bits in `rules`
    u32 lists = kNothing; // in `lists`
    u16 rules = 0;        // a bit for each rule that has an item
  };
  struct Parts {
    std::vector<Part> parts;
    std::vector<Inheritance::Item> items;
    std::vector<Inheritance> lists;

    u32 keep(Inheritance &&part); // its position
  };
  // What the callees of some nodes hand down: parts, and what functions have that call none.
  struct Callees {
    std::vector<u32> parts;
    std::vector<FunctionId> leaves;
  };

  // A function that calls none hands down what it has. Most do, so that there is no part for them.
  [[nodiscard]] bool is_leaf(u32 node) const {
    return p_.calls.edges[node].empty() && node < p_.calls.functions.size();
  }
  [[nodiscard]] bool counts(u32 node) const {
    return node < p_.calls.functions.size() && functions_.count(FunctionId(node));
  }
  void sweep();
  void add(u32 part, Inheritance &into) const;
  void add_lists_of(FunctionId function, Inheritance &into) const;
  void list_callees(u32 node, Callees &out) const;
  static void sort_parts(std::vector<u32> &parts);

  const Program &p_;
  const Reach &reach_;
  const FunctionRecords &functions_;
  const bool has_lists_;     // some function has more than items
  std::vector<u32> part_of_; // by component: position among all parts, or kNothing
  Parts all_;
};

} // namespace culink
