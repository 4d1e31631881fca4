// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "elf/records/nv_info.h"
#include "link/merge/merge.h"
#include "link/resolve/reach.h"
#include "support/worker_pool.h"

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

inline constexpr size_t kInheritRuleCount = 12;

// In the order in which a program's only kernel gets new records.
inline constexpr std::array<InheritRule, kInheritRuleCount> kInheritRules = {{
    {elf::InfoAttribute::SparseMmaMask, elf::RecordFormat::Half, Combine::BitOr, true},
    {elf::InfoAttribute::CtaidzUsed, elf::RecordFormat::NoValue, Combine::Flag, false},
    {elf::InfoAttribute::ReservedSmemUsed, elf::RecordFormat::NoValue, Combine::Flag, false},
    {elf::InfoAttribute::ClusterLaunchControlUsed, elf::RecordFormat::NoValue, Combine::Flag,
     false},
    {elf::InfoAttribute::VrcCtaInitCount, elf::RecordFormat::Byte, Combine::Maximum, true},
    {elf::InfoAttribute::Tcgen05OneCtaUsed, elf::RecordFormat::NoValue, Combine::Flag, false},
    {elf::InfoAttribute::Tcgen05TwoCtaUsed, elf::RecordFormat::NoValue, Combine::Flag, false},
    {elf::InfoAttribute::NumBarriers, elf::RecordFormat::Byte, Combine::Maximum, false},
    {elf::InfoAttribute::RegReconfig, elf::RecordFormat::NoValue, Combine::Last, true},
    {elf::InfoAttribute::NumMbarriers, elf::RecordFormat::Half, Combine::Sum, false},
    {elf::InfoAttribute::GridAttributes, elf::RecordFormat::Half, Combine::BitOr, false},
    {elf::InfoAttribute::Language, elf::RecordFormat::Sized, Combine::Words, false},
}};
// By attribute: the number of its rule, plus 1. It is looked up for every record of a program.
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

// The sum of two counts. The largest number means that the count is unknown.
[[nodiscard]] constexpr u16 add_counts(u16 a, u16 b) {
  return static_cast<u16>(std::min(u32{a} + b, u32{0xffff}));
}

// A record that kernels take over.
struct Inherited {
  elf::InfoAttribute attribute{};
  u16 value = 0; // of Combine::Words: a bit for each number
};

// The contents of the .nv.info.F sections of one function.
struct FunctionRecords {
  static constexpr u32 kNotRead = 0xffffffff;

  u32 read_position = kNotRead;     // the last one in ProgramRecords::read_order
  std::vector<Inherited> inherited; // in order of reading
  std::vector<EntityId> externs;    // undefined callees, filtered; few functions have any
  // AT_ENTRY_FRAGMENTS: code that has to run before a kernel does, in order of reading.
  std::vector<std::vector<u32>> fragments;

  // True if a kernel that reaches the function may inherit from it.
  [[nodiscard]] bool counts() const {
    return read_position != kNotRead && !(inherited.empty() && externs.empty());
  }
};

struct ProgramRecords {
  std::vector<FunctionId> read_order; // of .nv.info.F sections
  std::vector<FunctionRecords> of;    // by FunctionId
  u16 rules = 0;                      // a bit for each rule whose attribute some function has

  [[nodiscard]] const FunctionRecords &operator[](FunctionId function) const {
    return of[function.value];
  }
  [[nodiscard]] bool has(elf::InfoAttribute attribute) const {
    return (rules >> (kInheritRuleOf[static_cast<u8>(attribute)] - 1) & 1) != 0;
  }
};

// A position in the walk over all records: functions in the order in which their sections were
// read, each function's records in input order.
using WalkPosition = u64;
inline constexpr WalkPosition kNeverMet = ~u64{0};

// Everything that kernels inherit from a set of functions, without the walk.
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
  std::array<Item, kInheritRuleCount> items{}; // by rule
  u16 rules = 0;                               // a bit for each rule that was met
  WalkPosition first_externs = kNeverMet;
  std::vector<Addend> addends;      // of Combine::Sum, by function
  std::vector<Undefined> undefined; // by callee
  std::vector<Fragments> fragments; // by position

  [[nodiscard]] bool met(size_t rule) const { return (rules >> rule & 1) != 0; }
  void add(size_t rule, const Item &item);
  void add(const Inheritance &other);
};

// Records that kernels inherit, from one sweep over the call graph.
class InheritanceSweep {
public:
  InheritanceSweep(const Program &program, const Reach &reach, const ProgramRecords &records);

  // Records of all functions that the kernel reaches. Precondition: it does not reach itself.
  [[nodiscard]] Inheritance reached(FunctionId kernel) const;
  // Records of one function alone.
  [[nodiscard]] Inheritance own(FunctionId function) const;

private:
  static constexpr u32 kNothing = 0xffffffff;

  // Records of some callees: parts, and functions that have no part.
  struct Callees {
    std::vector<u32> parts;
    std::vector<FunctionId> leaves;
  };

  // Leaf functions contribute only their own records. Most functions are leaves, so they have no
  // part.
  [[nodiscard]] bool is_leaf(u32 node) const {
    return p_.calls.edges[node].empty() && node < p_.calls.functions.size();
  }
  [[nodiscard]] bool counts(u32 node) const {
    return node < p_.calls.functions.size() && records_.of[node].counts();
  }
  [[nodiscard]] Callees callees_of(std::span<const u32> nodes) const;
  [[nodiscard]] Inheritance sum(const Callees &callees) const;

  const Program &p_;
  const Reach &reach_;
  const ProgramRecords &records_;
  std::vector<u32> part_of_;       // by component: position in `parts_`, or kNothing
  std::vector<Inheritance> parts_; // of components that call others; many share one
};

} // namespace culink
