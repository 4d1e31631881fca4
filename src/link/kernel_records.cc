// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel's .nv.info.K inherits from the functions it reaches. A record the kernel has is
// changed in place; a new one is appended, in the order in which a walk over the functions (in the
// order their sections were read, each function's records in input order) first meets it.
//
// Kernels that call the same things inherit the same things: what a set of callees reaches is
// found once and remembered.
#include "link/kernel_records.h"

#include <algorithm>
#include <array>
#include <map>

namespace culink {

using elf::InfoAttribute;
using elf::RecordFormat;

namespace {

enum class Combine : u8 { Flag, Maximum, Sum, BitOr, Last };

struct InheritRule {
  InfoAttribute attribute;
  RecordFormat format; // of a new record
  Combine combine;
  bool own_value_stays; // in a program with one kernel, if it has the record
};

// In the order in which a program's only kernel gets new records.
constexpr std::array<InheritRule, 9> kRules = {{
    {InfoAttribute::SparseMmaMask, RecordFormat::Half, Combine::BitOr, true},
    {InfoAttribute::CtaidzUsed, RecordFormat::NoValue, Combine::Flag, false},
    {InfoAttribute::ReservedSmemUsed, RecordFormat::NoValue, Combine::Flag, false},
    {InfoAttribute::VrcCtaInitCount, RecordFormat::Byte, Combine::Maximum, true},
    {InfoAttribute::Tcgen05OneCtaUsed, RecordFormat::NoValue, Combine::Flag, false},
    {InfoAttribute::Tcgen05TwoCtaUsed, RecordFormat::NoValue, Combine::Flag, false},
    {InfoAttribute::NumBarriers, RecordFormat::Byte, Combine::Maximum, false},
    {InfoAttribute::RegReconfig, RecordFormat::NoValue, Combine::Last, true},
    {InfoAttribute::NumMbarriers, RecordFormat::Half, Combine::Sum, false},
}};

// A function without the mask counts as this, as soon as any function has one (Q018).
constexpr u16 kNoSparseMask = 0x8000;

const InheritRule *rule_of(InfoAttribute attribute) {
  for (const InheritRule &rule : kRules)
    if (rule.attribute == attribute)
      return &rule;
  return nullptr;
}

class KernelRecordPlanner {
public:
  KernelRecordPlanner(const Program &program, const Reach &reach, const Merged &merged,
                      const Resources &resources, const std::vector<FunctionId> &kernels,
                      const FunctionRecords &functions, InfoPlan &plan, Diagnostics &diag)
      : p_(program), reach_(reach), m_(merged), resources_(resources), kernels_(kernels),
        functions_(functions), plan_(plan), diag_(diag), several_(!program.live.only.valid()),
        inherited_(functions.inherited) {}

  void run();

private:
  using Inherited = FunctionRecords::Inherited;
  using Records = std::vector<OutInfo>;

  void add_missing_masks();
  void finish(FunctionId kernel);
  [[nodiscard]] std::vector<EntityId> undefined_callees(FunctionId kernel);
  [[nodiscard]] bool place_own_externs(FunctionId kernel, Records &records,
                                       const std::vector<EntityId> &undefined) const;
  void mark_recursion(FunctionId kernel, Records &records) const;
  void inherit(FunctionId kernel, Records &records, const std::vector<EntityId> &undefined,
               bool has_externs);
  [[nodiscard]] std::vector<Inherited> walk(FunctionId kernel) const;
  [[nodiscard]] const std::vector<FunctionId> &reached_in_read_order(FunctionId kernel) const;
  void check_cta_groups(FunctionId kernel, const Records &records);

  [[nodiscard]] OutId text_of(FunctionId f) const {
    return m_.place_of[p_.calls.functions[f.value].value].section;
  }

  const Program &p_;
  const Reach &reach_;
  const Merged &m_;
  const Resources &resources_;
  const std::vector<FunctionId> &kernels_;
  const FunctionRecords &functions_;
  InfoPlan &plan_;
  Diagnostics &diag_;
  const bool several_;
  bool has_masks_ = false;                        // some function has SPARSE_MMA_MASK
  bool masks_missing_ = false;                    // and some has not
  std::vector<std::vector<Inherited>> inherited_; // with the masks that were added
  std::vector<u32> read_position_;                // by FunctionId
  std::vector<u32> seen_;                         // by FunctionId: number of the last search
  u32 search_ = 0;
  mutable std::map<std::vector<u32>, std::vector<FunctionId>> reached_; // by set of callees
};

void KernelRecordPlanner::run() {
  read_position_.assign(p_.calls.functions.size(), kNoBlock);
  seen_.assign(p_.calls.functions.size(), 0);
  for (u32 i = 0; i < functions_.read_order.size(); ++i)
    read_position_[functions_.read_order[i].value] = i;
  add_missing_masks();
  for (const FunctionId k : kernels_)
    finish(k);
}

void KernelRecordPlanner::add_missing_masks() {
  const auto has_mask = [](const std::vector<Inherited> &list) {
    return std::any_of(list.begin(), list.end(), [](const Inherited &i) {
      return i.attribute == InfoAttribute::SparseMmaMask;
    });
  };
  for (const std::vector<Inherited> &list : functions_.inherited)
    has_masks_ |= has_mask(list);
  if (!has_masks_)
    return;
  for (u32 f = 0; f < p_.calls.functions.size(); ++f) {
    const OutId text = text_of(FunctionId(f));
    if (!text.valid() || !p_.live.live[f])
      continue;
    const EntityId owner = m_[text].function; // another one for an alias
    const bool alias = owner != p_.calls.functions[f];
    const u32 owner_function = p_.function_of(owner).value;
    if (!alias && has_mask(functions_.inherited[owner_function]))
      continue;
    masks_missing_ = true;
    if (p_.live.kernel[f])
      continue;
    plan_.of_text[text.value].push_back({.format = RecordFormat::Half,
                                         .attribute = InfoAttribute::SparseMmaMask,
                                         .value = kNoSparseMask});
    std::vector<Inherited> &list = inherited_[owner_function];
    list.insert(list.begin(), {InfoAttribute::SparseMmaMask, kNoSparseMask});
  }
}

void KernelRecordPlanner::finish(FunctionId kernel) {
  Records &records = plan_.of_text[text_of(kernel).value];
  const std::vector<EntityId> undefined = undefined_callees(kernel);
  const bool has_externs = place_own_externs(kernel, records, undefined);
  mark_recursion(kernel, records);
  inherit(kernel, records, undefined, has_externs);
  check_cta_groups(kernel, records);
}

// Functions the kernel reaches that have a record section, in the order these were read.
const std::vector<FunctionId> &KernelRecordPlanner::reached_in_read_order(FunctionId kernel) const {
  const std::vector<u32> &callees = p_.calls.edges[kernel.value];
  const auto [entry, is_new] = reached_.try_emplace(callees);
  if (is_new) {
    std::vector<FunctionId> reached = reach_.reached_from(kernel);
    std::erase_if(reached, [this](FunctionId f) {
      return read_position_[f.value] == kNoBlock ||
             (inherited_[f.value].empty() && functions_.externs[f.value].empty());
    });
    std::sort(reached.begin(), reached.end(), [this](FunctionId a, FunctionId b) {
      return read_position_[a.value] < read_position_[b.value];
    });
    entry->second = std::move(reached);
  }
  return entry->second;
}

// Several kernels: the kernel's own entries, then those of what it reaches in reading order. The
// only kernel of a program gets the entries of all functions that stay, the last one read first
// (Q025).
std::vector<EntityId> KernelRecordPlanner::undefined_callees(FunctionId kernel) {
  std::vector<EntityId> out;
  ++search_;
  const auto take = [&](FunctionId f) {
    for (const EntityId id : functions_.externs[f.value]) {
      const FunctionId callee = p_.function_of(id);
      if (callee.valid() && seen_[callee.value] != search_) {
        seen_[callee.value] = search_;
        out.push_back(id);
      }
    }
  };
  if (!several_) {
    for (const FunctionId f : functions_.read_order)
      take(f);
    std::reverse(out.begin(), out.end());
    return out;
  }
  take(kernel);
  for (const FunctionId f : reached_in_read_order(kernel))
    if (f != kernel)
      take(f);
  return out;
}

// Fills the kernel's own EXTERNS record or takes it out. True if it has one afterwards.
bool KernelRecordPlanner::place_own_externs(FunctionId kernel, Records &records,
                                            const std::vector<EntityId> &undefined) const {
  const auto record = std::find_if(records.begin(), records.end(), [](const OutInfo &r) {
    return r.attribute == InfoAttribute::Externs;
  });
  if (record == records.end())
    return false;
  const std::vector<EntityId> &own = functions_.externs[kernel.value];
  if (!undefined.empty() && several_) {
    record->entities = undefined;
    return true;
  }
  std::vector<EntityId> a = own, b = undefined;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  a.erase(std::unique(a.begin(), a.end()), a.end());
  if (!undefined.empty() && a == b) {
    record->entities = own;
    return true;
  }
  records.erase(record);
  return false;
}

void KernelRecordPlanner::mark_recursion(FunctionId kernel, Records &records) const {
  if (!resources_.unbounded[kernel.value])
    return;
  const OutInfo unknown{.kind = OutInfo::Kind::Word,
                        .format = RecordFormat::Sized,
                        .attribute = InfoAttribute::CrsStackSize,
                        .word = 0xffffffff};
  const auto record = std::find_if(records.begin(), records.end(), [](const OutInfo &r) {
    return r.attribute == InfoAttribute::CrsStackSize;
  });
  if (record != records.end())
    *record = unknown;
  else
    records.push_back(unknown);
}

// The records of other functions that count, in the order in which they are looked at.
std::vector<KernelRecordPlanner::Inherited> KernelRecordPlanner::walk(FunctionId kernel) const {
  std::vector<Inherited> out;
  if (has_masks_) // every kernel gets one as soon as one function has it
    out.push_back({InfoAttribute::SparseMmaMask, 0});
  const auto take = [&](FunctionId f) {
    if (f != kernel)
      out.insert(out.end(), inherited_[f.value].begin(), inherited_[f.value].end());
  };
  if (several_) {
    for (const FunctionId f : reached_in_read_order(kernel))
      take(f);
    return out;
  }
  for (const FunctionId f : functions_.read_order)
    take(f);
  std::vector<Inherited> sorted;
  for (const InheritRule &rule : kRules)
    for (const Inherited &i : out)
      if (i.attribute == rule.attribute)
        sorted.push_back(i);
  sorted.push_back({InfoAttribute::Externs, 0});
  return sorted;
}

void KernelRecordPlanner::inherit(FunctionId kernel, Records &records,
                                  const std::vector<EntityId> &undefined, bool has_externs) {
  // Position in `records` by rule; records are appended, never moved.
  std::array<i64, kRules.size()> own;
  std::array<bool, kRules.size()> fixed{};
  own.fill(-1);
  for (size_t r = records.size(); r-- > 0;)
    if (const InheritRule *rule = rule_of(records[r].attribute))
      own[static_cast<size_t>(rule - kRules.data())] = static_cast<i64>(r);
  for (size_t i = 0; i < kRules.size(); ++i)
    fixed[i] = !several_ && own[i] >= 0 && kRules[i].own_value_stays;

  for (const Inherited &from : walk(kernel)) {
    if (from.attribute == InfoAttribute::Externs) {
      if (!has_externs && !undefined.empty()) {
        has_externs = true;
        records.push_back({.kind = OutInfo::Kind::Symbols,
                           .attribute = InfoAttribute::Externs,
                           .entities = undefined});
      }
      continue;
    }
    const InheritRule &rule = *rule_of(from.attribute);
    const size_t number = static_cast<size_t>(&rule - kRules.data());
    if (own[number] < 0) {
      own[number] = static_cast<i64>(records.size());
      records.push_back(
          {.format = rule.format,
           .attribute = rule.attribute,
           .value = rule.attribute == InfoAttribute::SparseMmaMask ? kNoSparseMask : u16{0}});
    }
    if (fixed[number])
      continue;
    u16 &value = records[static_cast<size_t>(own[number])].value;
    switch (rule.combine) {
    case Combine::Flag:
      break;
    case Combine::Maximum:
      value = std::max(value, from.value);
      break;
    case Combine::Sum:
      value = static_cast<u16>(value + from.value);
      break;
    case Combine::BitOr:
      value = static_cast<u16>(value | from.value);
      break;
    case Combine::Last:
      value = several_ ? from.value : u16{0};
      break;
    }
  }
  if (!several_ && masks_missing_ && own[0] >= 0)
    records[static_cast<size_t>(own[0])].value |= kNoSparseMask;
}

void KernelRecordPlanner::check_cta_groups(FunctionId kernel, const Records &records) {
  const auto has = [&records](InfoAttribute attribute) {
    return std::any_of(records.begin(), records.end(),
                       [attribute](const OutInfo &r) { return r.attribute == attribute; });
  };
  if (several_ && has(InfoAttribute::Tcgen05OneCtaUsed) && has(InfoAttribute::Tcgen05TwoCtaUsed))
    diag_.report(DiagId::MixedCtaGroups, {std::string(p_.entity_of(kernel).name)},
                 {"defined in " + p_.objects[p_.entity_of(kernel).winner.object.value].name});
}

} // namespace

bool is_inherited(InfoAttribute attribute) {
  return rule_of(attribute) != nullptr;
}

void finish_kernel_records(const Program &program, const Reach &reach, const Merged &merged,
                           const Resources &resources, const std::vector<FunctionId> &kernels,
                           const FunctionRecords &functions, InfoPlan &plan, Diagnostics &diag) {
  KernelRecordPlanner(program, reach, merged, resources, kernels, functions, plan, diag).run();
}

} // namespace culink
