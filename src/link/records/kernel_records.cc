// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel's .nv.info.K inherits from the functions it reaches. A record the kernel has is
// changed in place; a new one is appended, in the order in which a walk over the functions (in the
// order their sections were read, each function's records in input order) first meets it.
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
#include <utility>

#include <fmt/format.h>

#include "base/gather.h"

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
                      FunctionRecords functions, InfoPlan plan, WorkerPool &pool, Diagnostics &diag)
      : p_(program), reach_(reach), layout_(layout), resources_(resources), kernels_(kernels),
        functions_(std::move(functions)), plan_(std::move(plan)), store_(plan_.store), pool_(pool),
        diag_(diag), several_(!program.live.only.valid()) {}

  InfoPlan run();

private:
  // What one thread has for itself.
  struct Worker {
    Diagnostics diag;      // of the kernel that it works at
    Inheritance inherited; // by that kernel
    std::vector<u32> seen; // by FunctionId: number of the last search; empty before the first
    u32 search = 0;
  };
  // The messages about a kernel, by its position among all.
  struct Messages {
    u32 kernel;
    Diagnostics diag;
  };

  void add_missing_masks();
  void finish_all(const InheritanceSweep &sweep);
  void finish(FunctionId kernel, Worker &worker);
  void add_inheritance(FunctionId kernel, const InheritanceSweep &sweep, Inheritance &into) const;
  [[nodiscard]] std::vector<FunctionId> reached_from(FunctionId kernel) const {
    const std::lock_guard lock(searching_);
    return reach_.reached_from(kernel);
  }
  [[nodiscard]] std::vector<EntityId>
  undefined_callees(FunctionId kernel, const Inheritance &inherited, Worker &worker) const;
  [[nodiscard]] std::vector<EntityId> undefined_callees_of_all(Worker &worker) const;
  void add_unseen(EntityId id, Worker &worker, std::vector<EntityId> &out) const;
  [[nodiscard]] bool fill_own_externs(FunctionId kernel, InfoList &records,
                                      const std::vector<EntityId> &undefined) const;
  void mark_recursion(FunctionId kernel, InfoList &records) const;
  void inherit(FunctionId kernel, InfoList &records, const Inheritance &inherited,
               const std::vector<EntityId> &undefined, bool has_externs, Worker &worker) const;
  void take_over(size_t rule_number, const Inheritance &inherited, InfoList &records) const;
  void take_over_words(InfoAttribute attribute, u16 bits, u64 old, InfoList &records) const;
  [[nodiscard]] std::vector<u32> fragments_of_all() const;
  void take_over_fragments(FunctionId kernel, InfoList &records, const Inheritance &inherited,
                           Worker &worker) const;
  void check_cta_groups(FunctionId kernel, const InfoList &records, Worker &worker) const;
  void check_record_size(FunctionId kernel, std::string_view what, u64 words, Worker &worker) const;

  [[nodiscard]] OutId text_of(FunctionId f) const {
    return layout_.placement.address_of[p_.calls.functions[f.value].value].section;
  }

  // Those of the function that its code belongs to.
  [[nodiscard]] InfoList &records_of(FunctionId f) {
    return plan_.of_function[p_.function_of(layout_.sections[text_of(f)].function).value];
  }

  const Program &p_;
  const Reach &reach_;
  const Layout &layout_;
  const Resources &resources_;
  const std::vector<FunctionId> &kernels_;
  FunctionRecords functions_;
  InfoPlan plan_;
  InfoStore &store_; // different threads change lists of different chunks
  WorkerPool &pool_;
  Diagnostics &diag_;
  mutable std::mutex searching_; // one thread at a time may search in the call graph
  const bool several_;
  bool has_masks_ = false;     // some function has SPARSE_MMA_MASK
  bool masks_missing_ = false; // and some has not
  bool nobody_lacks_ = true;   // not even functions that are removed or undefined
};

InfoPlan KernelRecordPlanner::run() {
  add_missing_masks();
  finish_all(InheritanceSweep(p_, reach_, functions_));
  return std::move(plan_);
}

// Kernels whose records are in one chunk of the store are one thread's work, in order.
void KernelRecordPlanner::finish_all(const InheritanceSweep &sweep) {
  constexpr u32 kTogether = 4096;
  std::vector<u32> chunk_of(kernels_.size());
  pool_.for_ranges(static_cast<u32>(kernels_.size()), kTogether, [&](u32 begin, u32 end) {
    for (u32 i = begin; i < end; ++i)
      chunk_of[i] = records_of(kernels_[i]).chunk;
  });
  std::vector<std::vector<u32>> of_chunk(store_.chunk_count());
  for (u32 i = 0; i < kernels_.size(); ++i)
    of_chunk[chunk_of[i]].push_back(i);
  std::vector<std::vector<Messages>> messages(of_chunk.size());
  pool_.for_each(static_cast<u32>(of_chunk.size()), [&](u32 chunk) {
    Worker worker;
    for (const u32 i : of_chunk[chunk]) {
      worker.inherited.clear();
      add_inheritance(kernels_[i], sweep, worker.inherited);
      finish(kernels_[i], worker);
      if (!worker.diag.all().empty())
        messages[chunk].push_back({i, std::exchange(worker.diag, {})});
    }
  });
  std::vector<Messages> all;
  for (std::vector<Messages> &some : messages)
    std::move(some.begin(), some.end(), std::back_inserter(all));
  std::ranges::sort(all, {}, &Messages::kernel);
  for (Messages &one : all)
    diag_.append(std::move(one.diag));
}

void KernelRecordPlanner::add_missing_masks() {
  const auto has_mask = [&](u32 f) {
    return std::ranges::any_of(functions_.inherited_from(FunctionId(f)), [](const Inherited &i) {
      return i.attribute == InfoAttribute::SparseMmaMask;
    });
  };
  has_masks_ = functions_.has(InfoAttribute::SparseMmaMask);
  if (!has_masks_)
    return;
  constexpr u32 kTogether = 4096;
  const u32 count = static_cast<u32>(p_.calls.functions.size());
  // Where some have one, nearly all have.
  const auto find = [&](u32 f, std::vector<u32> &out) {
    const OutId text = text_of(FunctionId(f));
    const bool own =
        text.valid() && p_.live.live[f] && layout_.sections[text].function == p_.calls.functions[f];
    if (!own || !has_mask(f))
      out.push_back(f);
  };
  std::vector<u32> without; // functions that get one
  for (const u32 f : gather<u32>(count, kTogether, pool_, find)) {
    const OutId text = text_of(FunctionId(f));
    if (!text.valid() || !p_.live.live[f]) {
      nobody_lacks_ = false;
      continue;
    }
    const EntityId owner = layout_.sections[text].function; // another one for an alias
    const bool alias = owner != p_.calls.functions[f];
    const u32 owner_function = p_.function_of(owner).value;
    if (!alias && has_mask(owner_function))
      continue;
    if (alias && is_kernel_mark(p_.symbols[owner].other)) // a function in the kernel's code
      continue;
    masks_missing_ = true;
    nobody_lacks_ = false;
    if (p_.live.kernel[f])
      continue;
    store_.put_value(plan_.of_function[owner_function], InfoAttribute::SparseMmaMask,
                     RecordFormat::Half, kNoSparseMask);
    without.push_back(owner_function);
  }
  for (const u32 f : without)
    functions_.put_first(FunctionId(f), {InfoAttribute::SparseMmaMask, kNoSparseMask});
}

void KernelRecordPlanner::finish(FunctionId kernel, Worker &worker) {
  InfoList &records = records_of(kernel);
  const Inheritance &inherited = worker.inherited;
  const std::vector<EntityId> undefined =
      several_ ? undefined_callees(kernel, inherited, worker) : undefined_callees_of_all(worker);
  check_record_size(kernel, "undefined functions", undefined.size(), worker);
  const bool has_externs = fill_own_externs(kernel, records, undefined);
  mark_recursion(kernel, records);
  inherit(kernel, records, inherited, undefined, has_externs, worker);
  check_cta_groups(kernel, records, worker);
}

// What a kernel inherits. The only kernel of a program inherits from all live functions (Q025); a
// kernel never inherits from itself.
void KernelRecordPlanner::add_inheritance(FunctionId kernel, const InheritanceSweep &sweep,
                                          Inheritance &into) const {
  if (!several_) {
    for (const FunctionId f : functions_.read_order)
      if (f != kernel)
        sweep.add_own(f, into);
  } else if (!reach_.recursive(kernel.value)) {
    sweep.add_reached(kernel, into);
  } else {
    for (const FunctionId f : reached_from(kernel))
      if (f != kernel && functions_.count(f))
        sweep.add_own(f, into);
  }
}

// Adds a function that is not among those that this search has met.
void KernelRecordPlanner::add_unseen(EntityId id, Worker &worker,
                                     std::vector<EntityId> &out) const {
  const FunctionId callee = p_.function_of(id);
  if (!callee.valid())
    return;
  if (worker.seen.empty())
    worker.seen.assign(p_.calls.functions.size(), 0);
  if (std::exchange(worker.seen[callee.value], worker.search) != worker.search)
    out.push_back(id);
}

// The kernel's own entries, then those of the functions it reaches, in reading order.
std::vector<EntityId> KernelRecordPlanner::undefined_callees(FunctionId kernel,
                                                             const Inheritance &inherited,
                                                             Worker &worker) const {
  std::vector<EntityId> out;
  const std::span<const EntityId> own = functions_.externs_of(kernel);
  if (own.empty() && inherited.undefined.empty())
    return out; // as nearly always
  ++worker.search;
  for (const EntityId id : own)
    add_unseen(id, worker, out);
  std::vector<Inheritance::Undefined> others = inherited.undefined;
  std::sort(others.begin(), others.end(),
            [](const auto &a, const auto &b) { return a.first < b.first; });
  for (const Inheritance::Undefined &other : others)
    add_unseen(other.callee, worker, out);
  return out;
}

// The only kernel of a program gets the entries of all live functions, up to 13.1 the last one read
// first (Q025).
std::vector<EntityId> KernelRecordPlanner::undefined_callees_of_all(Worker &worker) const {
  std::vector<EntityId> out;
  ++worker.search;
  for (const FunctionId f : functions_.read_order)
    for (const EntityId id : functions_.externs_of(f))
      add_unseen(id, worker, out);
  if (p_.policy.reverses_externs)
    std::reverse(out.begin(), out.end());
  return out;
}

// Fills the kernel's own EXTERNS record or takes it out. True if it has one afterwards.
bool KernelRecordPlanner::fill_own_externs(FunctionId kernel, InfoList &records,
                                           const std::vector<EntityId> &undefined) const {
  const u64 record = store_.find(records, InfoAttribute::Externs);
  if (record == InfoStore::kNone)
    return false;
  if (undefined.empty()) {
    store_.erase(records, record);
    return false;
  }
  if (several_) {
    store_.put_symbols(records, InfoAttribute::Externs, undefined, record);
    return true;
  }
  const std::span<const EntityId> found = functions_.externs_of(kernel);
  const std::vector<EntityId> own(found.begin(), found.end());
  std::vector<EntityId> a = own, b = undefined;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  a.erase(std::unique(a.begin(), a.end()), a.end());
  if (a == b) {
    store_.put_symbols(records, InfoAttribute::Externs, own, record);
    return true;
  }
  store_.erase(records, record);
  return false;
}

void KernelRecordPlanner::mark_recursion(FunctionId kernel, InfoList &records) const {
  if (!resources_.unbounded[kernel.value])
    return;
  store_.put_word(records, InfoAttribute::CrsStackSize, 0xffffffff,
                  store_.find(records, InfoAttribute::CrsStackSize));
}

// The kernel's records with what it inherits. New ones come in the order of the walk, or for the
// only kernel of a program in the order of the rules, with EXTERNS and LANGUAGE at the end.
void KernelRecordPlanner::inherit(FunctionId kernel, InfoList &records,
                                  const Inheritance &inherited,
                                  const std::vector<EntityId> &undefined, bool has_externs,
                                  Worker &worker) const {
  constexpr size_t kExterns = kInheritRuleCount, kFragments = kExterns + 1; // not rules
  static_assert(kInheritRules.back().attribute == InfoAttribute::Language);
  constexpr size_t kLanguage = kInheritRuleCount - 1, kLate = kFragments + 1; // behind EXTERNS
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
  if (!functions_.fragments.empty() && (!several_ || !inherited.fragments.empty()))
    add(several_ ? inherited.fragments[0].position : kNeverMet, kFragments);
  const std::span order(list.data(), count);
  if (count > 1)
    std::sort(order.begin(), order.end());
  for (const auto &[position, rule] : order)
    if (rule == kFragments) {
      take_over_fragments(kernel, records, inherited, worker);
    } else if (rule == kLate) {
      take_over(kLanguage, inherited, records);
    } else if (rule != kExterns) {
      take_over(rule, inherited, records);
    } else if (!has_externs && !undefined.empty()) {
      store_.put_symbols(records, InfoAttribute::Externs, undefined);
    }
  if (several_ || !masks_missing_)
    return;
  if (const u64 record = store_.find(records, InfoAttribute::SparseMmaMask);
      record != InfoStore::kNone)
    store_.set_value(records, record, store_.value(records, record) | kNoSparseMask);
}

// The first record of the attribute, or a new one at the end, with the value that results.
// A list that the kernel has grows; else it gets one (Q152).
void KernelRecordPlanner::take_over_words(InfoAttribute attribute, u16 bits, u64 old,
                                          InfoList &records) const {
  std::vector<u32> values;
  for (const elf::InfoRecord &record : store_.records(records))
    if (record.offset == old)
      values = elf::words_of(record);
  const size_t own = values.size();
  for (u32 value = 0; value < 16; ++value)
    if ((bits >> value & 1) != 0 && std::find(values.begin(), values.end(), value) == values.end())
      values.push_back(value);
  if (values.size() != own)
    store_.put_words(records, attribute, values, old);
}

void KernelRecordPlanner::take_over(size_t rule_number, const Inheritance &inherited,
                                    InfoList &records) const {
  const InheritRule &rule = kInheritRules[rule_number];
  u64 record = store_.find(records, rule.attribute);
  if (rule.combine == Combine::Words)
    return take_over_words(rule.attribute, inherited.items[rule_number].bits, record, records);
  const bool mask = rule.attribute == InfoAttribute::SparseMmaMask;
  if (record == InfoStore::kNone) {
    // The only kernel of a program gets no record for a sum of 0.
    if (!several_ && rule.combine == Combine::Sum &&
        std::all_of(inherited.addends.begin(), inherited.addends.end(),
                    [](const Inheritance::Addend &addend) { return addend.value == 0; }))
      return;
    record = records.size;
    store_.put_value(records, rule.attribute, rule.format, mask ? kNoSparseMask : u16{0});
  } else if (!several_ && rule.own_value_stays && (!mask || nobody_lacks_)) {
    return; // Q018
  }
  const Inheritance::Item item =
      inherited.met(rule_number) ? inherited.items[rule_number] : Inheritance::Item{};
  u16 value = store_.value(records, record);
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
  store_.set_value(records, record, value);
}

// The fragments of all live functions, each once.
std::vector<u32> KernelRecordPlanner::fragments_of_all() const {
  std::vector<u32> out;
  for (const FunctionId f : functions_.read_order)
    if (const auto found = functions_.fragments.find(f.value); found != functions_.fragments.end())
      for (const std::vector<u32> &record : found->second)
        for (const u32 value : record)
          if (std::find(out.begin(), out.end(), value) == out.end())
            out.push_back(value);
  return out;
}

// Code that a function needs to run at entry runs at the entry of the kernels that reach it (Q111).
// The record of the kernel grows; that of a program's only kernel is replaced unless it is
// complete.
void KernelRecordPlanner::take_over_fragments(FunctionId kernel, InfoList &records,
                                              const Inheritance &inherited, Worker &worker) const {
  constexpr InfoAttribute kAttribute = InfoAttribute::AtEntryFragments;
  constexpr std::string_view kFragmentsOf = "entry fragments";
  const u64 old = store_.find(records, kAttribute);
  std::vector<u32> values;
  for (const elf::InfoRecord &record : store_.records(records))
    if (record.offset == old)
      values = elf::words_of(record);
  if (several_) {
    for (const Inheritance::Fragments &one : inherited.fragments) {
      const std::vector<u32> known = values;
      for (const u32 value : functions_.fragments.at(one.function.value)[one.record])
        if (std::find(known.begin(), known.end(), value) == known.end())
          values.push_back(value);
    }
    check_record_size(kernel, kFragmentsOf, values.size(), worker);
    store_.put_words(records, kAttribute, values, old);
    return;
  }
  const std::vector<u32> all = fragments_of_all();
  if (all.empty() || (old != InfoStore::kNone && std::set<u32>(all.begin(), all.end()) ==
                                                     std::set<u32>(values.begin(), values.end())))
    return;
  if (old != InfoStore::kNone)
    store_.erase(records, old);
  check_record_size(kernel, kFragmentsOf, all.size(), worker);
  store_.put_words(records, kAttribute, all);
}

// A record has at most 65,535 bytes, a word for each entry of a list.
void KernelRecordPlanner::check_record_size(FunctionId kernel, std::string_view what, u64 words,
                                            Worker &worker) const {
  constexpr u64 kMostWords = 0xffff / 4;
  if (words > kMostWords)
    worker.diag
        .report(DiagId::TooLargeForField,
                {fmt::format("number of {} of kernel '{}'", what, p_.entity_of(kernel).name),
                 std::to_string(words), std::to_string(kMostWords)})
        .at("kernel defined in", p_.origin_of(kernel));
}

void KernelRecordPlanner::check_cta_groups(FunctionId kernel, const InfoList &records,
                                           Worker &worker) const {
  const auto has = [&](InfoAttribute attribute) {
    return functions_.has(attribute) && store_.find(records, attribute) != InfoStore::kNone;
  };
  if (several_ && has(InfoAttribute::Tcgen05OneCtaUsed) && has(InfoAttribute::Tcgen05TwoCtaUsed))
    worker.diag.report(DiagId::MixedCtaGroups, {std::string(p_.entity_of(kernel).name)})
        .at("defined in", p_.origin_of(kernel));
}

} // namespace

InfoPlan finish_kernel_records(const Program &program, const Reach &reach, const Layout &layout,
                               const Resources &resources, const std::vector<FunctionId> &kernels,
                               FunctionRecords functions, InfoPlan plan, WorkerPool &pool,
                               Diagnostics &diag) {
  return KernelRecordPlanner(program, reach, layout, resources, kernels, std::move(functions),
                             std::move(plan), pool, diag)
      .run();
}

} // namespace culink
