// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records that a kernel's .nv.info.K inherits from the functions it reaches. A record the kernel
// has is changed in place; a new one is appended, in the order in which a walk over the functions
// (in the order their sections were read, each function's records in input order) first meets it.
//
// The values come from one sweep over the call graph (inherit.cc), not from a walk for each kernel.
#include "link/records/kernel_records.h"

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <iterator>
#include <mutex>
#include <set>
#include <span>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

namespace culink {

using elf::InfoAttribute;
using elf::RecordFormat;

namespace {

// A function without the mask counts as this, as soon as any function has one (Q018).
constexpr u16 kNoSparseMask = 0x8000;

class KernelRecordPlanner {
public:
  KernelRecordPlanner(const Program &program, const Reach &reach, const Layout &layout,
                      const Resources &resources, const std::vector<FunctionId> &kernels,
                      ProgramRecords functions, InfoPlan plan, WorkerPool &pool, Diagnostics &diag)
      : p_(program), reach_(reach), layout_(layout), resources_(resources), kernels_(kernels),
        functions_(std::move(functions)), plan_(std::move(plan)), pool_(pool), diag_(diag),
        several_(!program.live.only.valid()) {}

  InfoPlan run();

private:
  void add_missing_masks();
  void finish(FunctionId kernel, const InheritanceSweep &sweep, Diagnostics &diag);
  [[nodiscard]] Inheritance inheritance_of(FunctionId kernel, const InheritanceSweep &sweep) const;
  [[nodiscard]] std::vector<FunctionId> reached_from(FunctionId kernel) const {
    const std::lock_guard lock(searching_);
    return reach_.reached_from(kernel);
  }
  [[nodiscard]] std::vector<EntityId> undefined_callees(FunctionId kernel,
                                                        const Inheritance &inherited) const;
  [[nodiscard]] std::vector<EntityId> undefined_callees_of_all() const;
  [[nodiscard]] std::vector<EntityId> functions_once(std::span<const EntityId> list) const;
  [[nodiscard]] bool fill_own_externs(FunctionId kernel, RecordList &records,
                                      const std::vector<EntityId> &undefined) const;
  void mark_recursion(FunctionId kernel, RecordList &records) const;
  void inherit(FunctionId kernel, RecordList &records, const Inheritance &inherited,
               const std::vector<EntityId> &undefined, bool has_externs, Diagnostics &diag) const;
  void take_over(size_t rule_number, const Inheritance &inherited, RecordList &records) const;
  void take_over_words(InfoAttribute attribute, u16 bits, u64 old, RecordList &records) const;
  [[nodiscard]] std::vector<u32> fragments_of_all() const;
  void take_over_fragments(FunctionId kernel, RecordList &records, const Inheritance &inherited,
                           Diagnostics &diag) const;
  void check_cta_groups(FunctionId kernel, const RecordList &records, Diagnostics &diag) const;
  void check_record_size(FunctionId kernel, std::string_view what, u64 words,
                         Diagnostics &diag) const;

  [[nodiscard]] OutId text_of(FunctionId f) const {
    return layout_.placement.address_of[p_.calls.functions[f.value].value].section;
  }

  // The function that its code and records belong to.
  [[nodiscard]] FunctionId owner_of(FunctionId f) const {
    return p_.function_of(layout_.sections.function(text_of(f)));
  }

  const Program &p_;
  const Reach &reach_;
  const Layout &layout_;
  const Resources &resources_;
  const std::vector<FunctionId> &kernels_;
  ProgramRecords functions_;
  InfoPlan plan_;
  WorkerPool &pool_;
  Diagnostics &diag_;
  mutable std::mutex searching_; // one thread at a time may search in the call graph
  const bool several_;
  bool has_masks_ = false;     // some function has SPARSE_MMA_MASK
  bool masks_missing_ = false; // and some function does not
  bool all_have_masks_ = true; // even functions that are removed or undefined
};

// Kernels are finished in parallel, except kernels that share records: an alias of a kernel has the
// records of the function that its code belongs to.
InfoPlan KernelRecordPlanner::run() {
  add_missing_masks();
  const InheritanceSweep sweep(p_, reach_, functions_);
  const u32 count = static_cast<u32>(kernels_.size());
  std::vector<u32> kernels_with(p_.calls.functions.size(), 0); // by owner of records
  for (const FunctionId kernel : kernels_)
    ++kernels_with[owner_of(kernel).value];
  std::vector<Diagnostics> messages(count);
  const auto finish_if = [&](bool shared, u32 i) {
    if ((kernels_with[owner_of(kernels_[i]).value] > 1) == shared)
      finish(kernels_[i], sweep, messages[i]);
  };
  constexpr u32 kTogether = 64;
  pool_.for_ranges(count, kTogether, [&](u32 begin, u32 end) {
    for (u32 i = begin; i < end; ++i)
      finish_if(false, i);
  });
  for (u32 i = 0; i < count; ++i)
    finish_if(true, i);
  for (Diagnostics &message : messages)
    diag_.append(std::move(message));
  return std::move(plan_);
}

void KernelRecordPlanner::add_missing_masks() {
  const auto has_mask = [&](FunctionId f) {
    return std::ranges::any_of(functions_[f].inherited, [](const Inherited &i) {
      return i.attribute == InfoAttribute::SparseMmaMask;
    });
  };
  has_masks_ = functions_.has(InfoAttribute::SparseMmaMask);
  if (!has_masks_)
    return;
  std::vector<u32> without; // functions that get one
  for (u32 f = 0; f < p_.calls.functions.size(); ++f) {
    const OutId text = text_of(FunctionId(f));
    if (!text.valid() || !p_.live.live[f]) {
      all_have_masks_ = false;
      continue;
    }
    const EntityId owner = layout_.sections.function(text); // another one for an alias
    const bool alias = owner != p_.calls.functions[f];
    const u32 owner_function = p_.function_of(owner).value;
    if (!alias && has_mask(FunctionId(f)))
      continue;
    if (alias && is_kernel_mark(p_.symbols[owner].other)) // a function in the kernel's code
      continue;
    masks_missing_ = true;
    all_have_masks_ = false;
    if (p_.live.kernel[f])
      continue;
    plan_.of_function[owner_function].put_value(InfoAttribute::SparseMmaMask, RecordFormat::Half,
                                                kNoSparseMask);
    without.push_back(owner_function);
  }
  for (const u32 f : without)
    functions_.of[f].inherited.insert(functions_.of[f].inherited.begin(),
                                      {InfoAttribute::SparseMmaMask, kNoSparseMask});
}

void KernelRecordPlanner::finish(FunctionId kernel, const InheritanceSweep &sweep,
                                 Diagnostics &diag) {
  RecordList &records = plan_.of_function[owner_of(kernel).value];
  const Inheritance inherited = inheritance_of(kernel, sweep);
  const std::vector<EntityId> undefined =
      several_ ? undefined_callees(kernel, inherited) : undefined_callees_of_all();
  check_record_size(kernel, "undefined functions", undefined.size(), diag);
  const bool has_externs = fill_own_externs(kernel, records, undefined);
  mark_recursion(kernel, records);
  inherit(kernel, records, inherited, undefined, has_externs, diag);
  check_cta_groups(kernel, records, diag);
}

// The only kernel of a program inherits from all live functions (Q025); a kernel never inherits
// from itself.
Inheritance KernelRecordPlanner::inheritance_of(FunctionId kernel,
                                                const InheritanceSweep &sweep) const {
  if (several_ && !reach_.recursive(kernel.value))
    return sweep.reached(kernel);
  Inheritance out;
  for (const FunctionId f : several_ ? reached_from(kernel) : functions_.read_order)
    if (f != kernel && functions_[f].counts())
      out.add(sweep.own(f));
  return out;
}

// Each function of a list where it comes first.
std::vector<EntityId> KernelRecordPlanner::functions_once(std::span<const EntityId> list) const {
  std::vector<EntityId> out;
  std::unordered_set<u32> seen;
  for (const EntityId id : list)
    if (const FunctionId callee = p_.function_of(id);
        callee.valid() && seen.insert(callee.value).second)
      out.push_back(id);
  return out;
}

// The kernel's own entries, then those of the functions it reaches, in reading order.
std::vector<EntityId> KernelRecordPlanner::undefined_callees(FunctionId kernel,
                                                             const Inheritance &inherited) const {
  std::vector<EntityId> all = functions_[kernel].externs;
  std::vector<Inheritance::Undefined> others = inherited.undefined;
  std::ranges::sort(others, {}, &Inheritance::Undefined::first);
  for (const Inheritance::Undefined &other : others)
    all.push_back(other.callee);
  return functions_once(all);
}

// The only kernel of a program gets the entries of all live functions, up to 13.1 the last one read
// first (Q025).
std::vector<EntityId> KernelRecordPlanner::undefined_callees_of_all() const {
  std::vector<EntityId> all;
  for (const FunctionId f : functions_.read_order)
    all.insert(all.end(), functions_[f].externs.begin(), functions_[f].externs.end());
  all = functions_once(all);
  if (p_.policy.reverses_externs)
    std::ranges::reverse(all);
  return all;
}

// Fills the kernel's own EXTERNS record or removes it. True if it has one afterwards.
bool KernelRecordPlanner::fill_own_externs(FunctionId kernel, RecordList &records,
                                           const std::vector<EntityId> &undefined) const {
  const u64 record = records.find(InfoAttribute::Externs);
  if (record == RecordList::kNone)
    return false;
  if (undefined.empty()) {
    records.erase(record);
    return false;
  }
  if (several_) {
    records.put_symbols(InfoAttribute::Externs, undefined, record);
    return true;
  }
  const std::vector<EntityId> &own = functions_[kernel].externs;
  std::vector<EntityId> a = own, b = undefined;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  a.erase(std::unique(a.begin(), a.end()), a.end());
  if (a == b) {
    records.put_symbols(InfoAttribute::Externs, own, record);
    return true;
  }
  records.erase(record);
  return false;
}

void KernelRecordPlanner::mark_recursion(FunctionId kernel, RecordList &records) const {
  if (!resources_.unbounded[kernel.value])
    return;
  records.put_word(InfoAttribute::CrsStackSize, 0xffffffff,
                   records.find(InfoAttribute::CrsStackSize));
}

// The kernel's records with what it inherits. New ones come in the order of the walk, or for the
// only kernel of a program in the order of the rules, with EXTERNS and LANGUAGE at the end.
void KernelRecordPlanner::inherit(FunctionId kernel, RecordList &records,
                                  const Inheritance &inherited,
                                  const std::vector<EntityId> &undefined, bool has_externs,
                                  Diagnostics &diag) const {
  constexpr size_t kExterns = kInheritRuleCount, kFragments = kExterns + 1; // not rules
  static_assert(kInheritRules.back().attribute == InfoAttribute::Language);
  constexpr size_t kLanguage = kInheritRuleCount - 1, kLate = kFragments + 1; // after EXTERNS
  struct Step {
    WalkPosition position;
    size_t rule;
    auto operator<=>(const Step &) const = default;
  };
  std::array<Step, kLate> list; // the first `count`
  size_t count = 0;
  const auto add = [&](WalkPosition position, size_t rule) { list[count++] = {position, rule}; };
  static_assert(kInheritRules[0].attribute == InfoAttribute::SparseMmaMask);
  if (has_masks_) // every kernel gets one as soon as one function has it
    add(0, 0);
  for (u32 left = has_masks_ ? inherited.rules & ~1u : inherited.rules; left != 0;
       left &= left - 1) {
    const size_t rule = static_cast<size_t>(std::countr_zero(left));
    if (several_)
      add(inherited.items[rule].first, rule);
    else if (rule == kLanguage)
      add(kNeverMet, kLate);
    else
      add(rule + 1, rule);
  }
  if (!several_ || inherited.first_externs != kNeverMet)
    add(several_ ? inherited.first_externs : kNeverMet, kExterns);
  if (!several_ || !inherited.fragments.empty())
    add(several_ ? inherited.fragments[0].position : kNeverMet, kFragments);
  const std::span order(list.data(), count);
  if (count > 1)
    std::sort(order.begin(), order.end());
  for (const auto &[position, rule] : order)
    if (rule == kFragments) {
      take_over_fragments(kernel, records, inherited, diag);
    } else if (rule == kLate) {
      take_over(kLanguage, inherited, records);
    } else if (rule != kExterns) {
      take_over(rule, inherited, records);
    } else if (!has_externs && !undefined.empty()) {
      records.put_symbols(InfoAttribute::Externs, undefined);
    }
  if (several_ || !masks_missing_)
    return;
  if (const u64 record = records.find(InfoAttribute::SparseMmaMask); record != RecordList::kNone)
    records.set_value(record, records.value(record) | kNoSparseMask);
}

// The first record of the attribute, or a new one at the end, with the value that results.
// A list that the kernel has grows; else it gets one (Q152).
void KernelRecordPlanner::take_over_words(InfoAttribute attribute, u16 bits, u64 old,
                                          RecordList &records) const {
  std::vector<u32> values;
  for (const elf::InfoRecord &record : records.records())
    if (record.offset == old)
      values = elf::words_of(record);
  const size_t own = values.size();
  for (u32 value = 0; value < 16; ++value)
    if ((bits >> value & 1) != 0 && std::find(values.begin(), values.end(), value) == values.end())
      values.push_back(value);
  if (values.size() != own)
    records.put_words(attribute, values, old);
}

void KernelRecordPlanner::take_over(size_t rule_number, const Inheritance &inherited,
                                    RecordList &records) const {
  const InheritRule &rule = kInheritRules[rule_number];
  u64 record = records.find(rule.attribute);
  if (rule.combine == Combine::Words)
    return take_over_words(rule.attribute, inherited.items[rule_number].bits, record, records);
  const bool mask = rule.attribute == InfoAttribute::SparseMmaMask;
  if (record == RecordList::kNone) {
    // The only kernel of a program gets no record for a sum of 0.
    if (!several_ && rule.combine == Combine::Sum &&
        std::all_of(inherited.addends.begin(), inherited.addends.end(),
                    [](const Inheritance::Addend &addend) { return addend.value == 0; }))
      return;
    record = records.bytes().size();
    records.put_value(rule.attribute, rule.format, mask ? kNoSparseMask : u16{0});
  } else if (!several_ && rule.own_value_stays && (!mask || all_have_masks_)) {
    return; // Q018
  }
  const Inheritance::Item item =
      inherited.met(rule_number) ? inherited.items[rule_number] : Inheritance::Item{};
  u16 value = records.value(record);
  switch (rule.combine) {
  case Combine::Flag:
  case Combine::Words:
    return;
  case Combine::Maximum:
    value = std::max(value, item.largest);
    break;
  case Combine::Sum:
    for (const Inheritance::Addend &addend : inherited.addends)
      value = add_counts(value, addend.value);
    break;
  case Combine::BitOr:
    value |= item.bits;
    break;
  case Combine::Last:
    value = several_ ? item.last_value : u16{0};
    break;
  }
  records.set_value(record, value);
}

// The fragments of all live functions, each once.
std::vector<u32> KernelRecordPlanner::fragments_of_all() const {
  std::vector<u32> out;
  for (const FunctionId f : functions_.read_order)
    for (const std::vector<u32> &record : functions_[f].fragments)
      for (const u32 value : record)
        if (std::find(out.begin(), out.end(), value) == out.end())
          out.push_back(value);
  return out;
}

// Code that a function needs to run at entry runs at the entry of the kernels that reach it (Q111).
// The record of the kernel grows; that of a program's only kernel is replaced unless it is
// complete.
void KernelRecordPlanner::take_over_fragments(FunctionId kernel, RecordList &records,
                                              const Inheritance &inherited,
                                              Diagnostics &diag) const {
  constexpr InfoAttribute kAttribute = InfoAttribute::AtEntryFragments;
  constexpr std::string_view kFragmentsOf = "entry fragments";
  const u64 old = records.find(kAttribute);
  std::vector<u32> values;
  for (const elf::InfoRecord &record : records.records())
    if (record.offset == old)
      values = elf::words_of(record);
  if (several_) {
    for (const Inheritance::Fragments &one : inherited.fragments) {
      const std::vector<u32> known = values;
      for (const u32 value : functions_[one.function].fragments[one.record])
        if (std::find(known.begin(), known.end(), value) == known.end())
          values.push_back(value);
    }
    check_record_size(kernel, kFragmentsOf, values.size(), diag);
    records.put_words(kAttribute, values, old);
    return;
  }
  const std::vector<u32> all = fragments_of_all();
  if (all.empty() || (old != RecordList::kNone && std::set<u32>(all.begin(), all.end()) ==
                                                      std::set<u32>(values.begin(), values.end())))
    return;
  if (old != RecordList::kNone)
    records.erase(old);
  check_record_size(kernel, kFragmentsOf, all.size(), diag);
  records.put_words(kAttribute, all);
}

// A record has at most 65,535 bytes, a word for each entry of a list.
void KernelRecordPlanner::check_record_size(FunctionId kernel, std::string_view what, u64 words,
                                            Diagnostics &diag) const {
  constexpr u64 kMostWords = 0xffff / 4;
  if (words > kMostWords)
    diag.report(DiagId::TooLargeForField,
                {fmt::format("number of {} of kernel '{}'", what, p_.entity_of(kernel).name),
                 std::to_string(words), std::to_string(kMostWords)})
        .at("kernel defined in", p_.origin_of(kernel));
}

void KernelRecordPlanner::check_cta_groups(FunctionId kernel, const RecordList &records,
                                           Diagnostics &diag) const {
  const auto has = [&](InfoAttribute attribute) {
    return functions_.has(attribute) && records.find(attribute) != RecordList::kNone;
  };
  if (several_ && has(InfoAttribute::Tcgen05OneCtaUsed) && has(InfoAttribute::Tcgen05TwoCtaUsed))
    diag.report(DiagId::MixedCtaGroups, {std::string(p_.entity_of(kernel).name)})
        .at("defined in", p_.origin_of(kernel));
}

} // namespace

InfoPlan finish_kernel_records(const Program &program, const Reach &reach, const Layout &layout,
                               const Resources &resources, const std::vector<FunctionId> &kernels,
                               ProgramRecords functions, InfoPlan plan, WorkerPool &pool,
                               Diagnostics &diag) {
  return KernelRecordPlanner(program, reach, layout, resources, kernels, std::move(functions),
                             std::move(plan), pool, diag)
      .run();
}

} // namespace culink
