// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory of an executable. A variable is either a kernel's own (declared inside it), or a
// device variable (at file scope or in a device function), or dynamic (extern __shared__ x[], whose
// size is known at launch). Each kernel's memory starts at 0, so variables that no kernel uses
// together may overlap:
//
//   1  device variables, largest first: one with exactly one user joins that kernel's own; the
//      others go to slots, each to the first slot that shares no user with the variable
//   2  slots follow each other from 0; a kernel's part of them ends where its last one does
//   3  the kernel's own variables follow, largest alignment first
//   4  dynamic memory starts after all that, aligned to 16; kernels that reach a common function
//      with dynamic memory agree on the largest start
//
// Nearly all variables are kernels' own, and threads place those of different kernels at once.
// Relocatable links only sum up sizes (place_shared_relocatable).
#include "link/place/place_shared.h"

#include <algorithm>
#include <functional>
#include <map>

#include "link/nvlink/section_owners.h"
#include "link/nvlink/shared_memory.h"
#include "link/place/list_sort.h"
#include "link/place/shared_uses.h"
#include "link/resolve/references.h"
#include "support/bytes.h"

namespace culink {

// Shared memory in a relocatable link: nothing gets an address, the next link will do that. A
// section has the sum of its variables' sizes, and dynamic memory stays undefined, as it came.

namespace {

class RelocatablePlacer {
public:
  RelocatablePlacer(const Program &program, Layout layout)
      : p_(program), layout_(std::move(layout)),
        plan_(static_cast<u32>(program.symbols.entities.size())) {}

  PlacedShared run();

private:
  void leave_dynamic_memory();
  void sum_up_sizes(OutId section);

  const Program &p_;
  Layout layout_;
  SharedPlan plan_;
};

PlacedShared RelocatablePlacer::run() {
  if (layout_.sections.debug_shared.valid()) {
    leave_dynamic_memory();
    sum_up_sizes(layout_.sections.debug_shared);
  }
  for (u32 f = 0; f < p_.calls.functions.size(); ++f) {
    if (!p_.live.kernel[f] && !p_.live.demoted[f])
      continue;
    const OutId text = layout_.placement.address_of[p_.calls.functions[f].value].section;
    const OutId id = layout_.sections.find_for(
        ".nv.shared." + std::string(p_.entity_of(FunctionId(f)).name), text);
    if (!id.valid())
      continue;
    layout_.sections[id].info = text;
    layout_.sections[id].has_symbol = true;
    sum_up_sizes(id);
  }
  return {std::move(layout_), std::move(plan_)};
}

void RelocatablePlacer::leave_dynamic_memory() {
  for (const EntityId v : layout_.sections.shared_variables(layout_.sections.debug_shared)) {
    const Entity &entity = p_.symbols[v];
    if (entity.size != 0 && (entity.defined() || entity.sized))
      continue;
    plan_.is_dynamic[v.value] = true;
    const u64 align = layout_.placement.shared_align[v.value]; // which the next link has to know
    layout_.placement.address_of[v.value] = {OutId{}, align > 1 ? align : 0};
  }
}

void RelocatablePlacer::sum_up_sizes(OutId id) {
  u64 sum = 0, align = 1;
  for (const EntityId v : layout_.sections.shared_variables(id))
    if (!plan_.dynamic(v)) {
      sum += p_.symbols[v].size;
      align = std::max(align, layout_.placement.shared_align[v.value]);
    }
  if (const UnnamedShared *block = layout_.placement.unnamed_in(id)) {
    sum += block->size;
    align = std::max(align, block->align);
  }
  if (sum == 0)
    return;
  OutSection &section = layout_.sections[id];
  section.align = align;
  section.size = size_in_object(sum, align);
  section.presence = Presence::Always;
  section.has_symbol = true;
}

PlacedShared place_shared_relocatable(const Program &program, Layout layout) {
  if (!program.policy.resolves_early)
    return RelocatablePlacer(program, std::move(layout)).run();
  SharedUses uses = find_shared_uses(program, layout);
  return nvlink::place_shared_early(program, std::move(uses), std::move(layout));
}

struct Slot {
  std::vector<EntityId> members;
  std::vector<FunctionId> users; // sorted
};

constexpr std::string_view kKernelShared = ".nv.shared."; // then the kernel

class SharedPlacer {
public:
  SharedPlacer(const Program &program, const Reach &reach, Layout layout, WorkerPool &pool)
      : p_(program), reach_(reach), layout_(std::move(layout)), pool_(pool),
        uses_(find_shared_uses(program, layout_)),
        plan_(static_cast<u32>(program.symbols.entities.size())) {}

  PlacedShared run();

private:
  [[nodiscard]] bool find_kernels();
  void sort_variables();
  void assign_to_slots();
  void place_slots();
  void find_sections();
  void place_own();
  void for_kernels(const std::function<void(FunctionId)> &work);
  void place_own_of(FunctionId kernel, const UnnamedShared *block, bool first);
  void add_up_own_of(FunctionId kernel, const UnnamedShared &block);
  void join_kernels_of_one_section();
  void place_dynamic();
  void agree_on_dynamic(std::vector<u64> aligns);
  [[nodiscard]] DynamicGroups find_dynamic_groups() const;
  void round_sizes();
  void finish_sections();
  void finish_section_of(FunctionId kernel);
  void finish_dynamic_symbols();
  [[nodiscard]] u64 debug_section_align() const;
  [[nodiscard]] u64 debug_section_size() const;

  [[nodiscard]] const Entity &entity(EntityId v) const { return p_.symbols[v]; }
  [[nodiscard]] u64 align(EntityId v) const { return layout_.placement.shared_align[v.value]; }
  [[nodiscard]] OutId text_of(FunctionId kernel) const {
    return layout_.placement.address_of[p_.calls.functions[kernel.value].value].section;
  }
  // The alignment that dynamic memory declares. Weak symbols are instances from an earlier
  // relocatable link.
  [[nodiscard]] u64 declared_align(EntityId v) const {
    return p_.policy.ignores_instances && entity(v).weak() ? 1 : align(v);
  }
  [[nodiscard]] OutId section_of(FunctionId kernel);
  [[nodiscard]] bool has_section(FunctionId kernel);
  void adopt_section(FunctionId kernel, OutId id);
  [[nodiscard]] bool keeps_symbols() const { return p_.policy.keeps_shared_symbols; }

  const Program &p_;
  const Reach &reach_;
  Layout layout_;
  WorkerPool &pool_;
  const SharedUses uses_;
  SharedPlan plan_;
  std::vector<FunctionId> kernels_;
  std::vector<std::pair<FunctionId, FunctionId>>
      joined_; // a kernel, and the kernel with the section that it shares
  std::vector<EntityId> device_, dynamic_;
  std::vector<EntityId> unplaced_;                    // never get an address
  std::map<EntityId, std::vector<FunctionId>> users_; // of device and dynamic variables
  std::vector<std::vector<EntityId>> own_;            // by FunctionId, if there is any
  std::vector<OutId> section_of_;                     // by FunctionId of a kernel
  std::string name_;                                  // of a section that is being looked for
  std::vector<u64> end_;                              // by FunctionId of a kernel: used memory
  std::vector<u64> start_;                            // of dynamic memory, likewise
  std::vector<Slot> slots_;
  u64 slots_end_ = 0;
  u64 device_align_ = 1;
  bool has_dynamic_ = false;
  u32 made_for_variables_ = 0; // later sections were made for dynamic memory only
  bool several_users_ = false; // some referenced variable has not exactly one user
};

PlacedShared SharedPlacer::run() {
  const bool all_have_sections = find_kernels();
  sort_variables();
  assign_to_slots();
  place_slots();
  if (!all_have_sections)
    find_sections();
  place_own();
  place_dynamic();
  finish_sections();
  return {std::move(layout_), std::move(plan_)};
}

// Lists the kernels whose shared memory is placed: selected ones, and others that are live. True if
// merging has made a section for each of them, in the order of the kernels, as nearly always.
bool SharedPlacer::find_kernels() {
  const u32 functions = static_cast<u32>(p_.calls.functions.size());
  section_of_.resize(functions);
  end_.resize(functions);
  bool all_have_sections = true;
  OutId last;
  for (u32 f = 0; f < functions; ++f) {
    if (!p_.live.kernel[f] && (!p_.live.demoted[f] || !p_.live.live[f]))
      continue;
    const OutId id = layout_.sections.shared_of[p_.calls.functions[f].value];
    const bool complete =
        id.valid() && layout_.sections[id].has_symbol && layout_.sections[id].target().valid();
    all_have_sections = all_have_sections && complete && (kernels_.empty() || id > last);
    section_of_[f] = last = complete ? id : OutId{};
    kernels_.emplace_back(f);
  }
  return all_have_sections;
}

// Calls `work` for each kernel; a thread takes some hundred kernels at a time.
void SharedPlacer::for_kernels(const std::function<void(FunctionId)> &work) {
  pool_.for_ranges(static_cast<u32>(kernels_.size()), 512, [&](u32 begin, u32 end) {
    for (u32 i = begin; i < end; ++i)
      work(kernels_[i]);
  });
}

void SharedPlacer::sort_variables() {
  if (!layout_.sections.debug_shared.valid())
    return;
  const std::span listed = layout_.sections.shared_variables(layout_.sections.debug_shared);
  const std::vector<EntityId> all(listed.begin(), listed.end());
  for (const EntityId v : all) {
    device_align_ = std::max(device_align_, align(v));
    if (entity(v).sized) {
      unplaced_.push_back(v);
      continue;
    }
    // Size 0 in a section: dynamic memory that came through a relocatable link.
    if (!entity(v).defined() || entity(v).size == 0)
      dynamic_.push_back(v);
    users_[v] = kernels_of_users(p_, reach_, uses_.users[v.value]);
  }
  for (const EntityId v : dynamic_)
    plan_.is_dynamic[v.value] = true;
  has_dynamic_ = !dynamic_.empty() || !unplaced_.empty();
  device_ =
      list_sort(all, [this](EntityId a, EntityId b) { return entity(a).size > entity(b).size; });
  std::erase_if(device_, [this](EntityId v) { return plan_.dynamic(v) || entity(v).sized; });
}

// The kernel's shared section; one that was not selected gets it only when it is needed.
OutId SharedPlacer::section_of(FunctionId kernel) {
  if (has_section(kernel))
    return section_of_[kernel.value];
  const OutId id =
      layout_.sections.add(layout_.sections.keep_name(kKernelShared, p_.entity_of(kernel).name),
                           {.type = elf::SectionType::CudaShared,
                            .flags = elf::kFlagAlloc | elf::kFlagWrite | elf::kFlagInfoLink,
                            .has_symbol = true});
  layout_.sections.add_section_symbol(id);
  adopt_section(kernel, id);
  return id;
}

// True if the kernel has a section already. The search runs once, since a program may have many.
bool SharedPlacer::has_section(FunctionId kernel) {
  if (section_of_[kernel.value].valid())
    return true;
  OutId id = layout_.sections.shared_of[p_.calls.functions[kernel.value].value];
  if (!id.valid())
    id = nvlink::section_of_kernel(
        p_, layout_.sections,
        layout_.sections.find(name_.assign(kKernelShared).append(p_.entity_of(kernel).name)),
        text_of(kernel));
  if (id.valid())
    adopt_section(kernel, id);
  return id.valid();
}

// Threads may call this for sections that are complete.
void SharedPlacer::adopt_section(FunctionId kernel, OutId id) {
  OutSection &section = layout_.sections[id];
  if (!section.target().valid())
    section.info = text_of(kernel);
  if (!section.has_symbol)
    section.has_symbol = true;
  section_of_[kernel.value] = id;
}

void SharedPlacer::assign_to_slots() {
  own_.resize(device_.empty() ? 0 : p_.calls.functions.size());
  for (const EntityId v : device_) {
    const std::vector<FunctionId> &users = users_[v];
    for (const FunctionId k : users)
      (void)section_of(k);
    if (users.size() != 1 && uses_.referenced[v.value])
      several_users_ = true;
    if (users.size() == 1) {
      own_[users[0].value].push_back(v);
      layout_.placement.address_of[v.value].section = section_of(users[0]);
    } else if (uses_.referenced[v.value]) {
      const auto disjoint = [&users](const Slot &slot) {
        std::vector<FunctionId> common;
        std::set_intersection(slot.users.begin(), slot.users.end(), users.begin(), users.end(),
                              std::back_inserter(common));
        return common.empty();
      };
      auto slot = std::find_if(slots_.begin(), slots_.end(), disjoint);
      if (slot == slots_.end())
        slot = slots_.insert(slots_.end(), Slot{});
      slot->members.push_back(v);
      slot->users.insert(slot->users.end(), users.begin(), users.end());
      std::sort(slot->users.begin(), slot->users.end());
    } else { // at most debug information refers to it
      plan_.deleted[v.value] = true;
    }
  }
  made_for_variables_ = static_cast<u32>(layout_.sections.size());
  std::vector<FunctionId> dynamic_users;
  for (const EntityId v : dynamic_)
    dynamic_users.insert(dynamic_users.end(), users_[v].begin(), users_[v].end());
  std::sort(dynamic_users.begin(), dynamic_users.end());
  for (const FunctionId k : in_reading_order(p_, std::move(dynamic_users)))
    (void)section_of(k);
}

void SharedPlacer::place_slots() {
  for (const Slot &slot : slots_) {
    u64 slot_align = 1, size = 0;
    for (const EntityId v : slot.members) {
      slot_align = std::max(slot_align, align(v));
      size = std::max(size, entity(v).size);
    }
    const u64 offset = align_up(slots_end_, slot_align);
    slots_end_ = offset + size;
    for (const EntityId v : slot.members) {
      plan_.offset[v.value] = static_cast<i64>(offset);
      for (const FunctionId k : users_[v])
        end_[k.value] = std::max(end_[k.value], offset + entity(v).size);
    }
  }
}

void SharedPlacer::place_own() {
  if (layout_.placement.unnamed_shared.empty()) {
    for_kernels([this](FunctionId k) { place_own_of(k, nullptr, false); });
  } else {
    bool first = true;
    for (const FunctionId k : kernels_) {
      const UnnamedShared *block = layout_.placement.unnamed_in(section_of(k));
      if (block && !p_.live.selected[k.value]) {
        add_up_own_of(k, *block);
        continue;
      }
      place_own_of(k, block, first);
      first &= !block || block->size == 0;
    }
  }
  for (const auto &[joined, leader] : joined_)
    end_[joined.value] = end_[leader.value];
}

// The kernels that have one, and their sections.
void SharedPlacer::find_sections() {
  std::erase_if(kernels_, [this](FunctionId k) { return !has_section(k); });
  join_kernels_of_one_section();
}

// A block without a symbol comes before the variables; `first`: of all blocks.
void SharedPlacer::place_own_of(FunctionId kernel, const UnnamedShared *block, bool first) {
  const OutId id = section_of_[kernel.value];
  OutSection &section = layout_.sections[id];
  if (several_users_ && id.value < made_for_variables_)
    section.align = std::max(section.align, device_align_);
  const auto align_of = [this, block](EntityId v) { return v.valid() ? align(v) : block->align; };
  const auto size_of = [this, block](EntityId v) {
    return v.valid() ? entity(v).size : block->size;
  };
  std::span<const EntityId> variables = layout_.sections.shared_variables(id);
  std::vector<EntityId> sorted;
  if (const bool more = !own_.empty() && !own_[kernel.value].empty();
      block || more || variables.size() > 1) {
    if (block) // without a symbol: an invalid id
      sorted.emplace_back();
    sorted.insert(sorted.end(), variables.begin(), variables.end());
    if (more)
      sorted.insert(sorted.end(), own_[kernel.value].begin(), own_[kernel.value].end());
    sorted = list_sort(sorted, [&](EntityId a, EntityId b) {
      return align_of(a) != align_of(b) ? align_of(a) > align_of(b) : size_of(a) <= size_of(b);
    });
    variables = sorted;
  }
  u64 &end = end_[kernel.value];
  for (const EntityId v : variables) {
    end = align_up(end, align_of(v));
    if (v.valid())
      plan_.offset[v.value] = static_cast<i64>(end);
    else if (p_.policy.null_symbol_has_value && block->size != 0)
      layout_.placement.null_symbol_value =
          (first ? end : layout_.placement.null_symbol_value) + p_.arch.reserved_shared;
    end += size_of(v);
    section.align = std::max(section.align, align_of(v));
  }
}

// Adds up the sizes of the kernel's variables, which are not placed.
void SharedPlacer::add_up_own_of(FunctionId kernel, const UnnamedShared &block) {
  OutSection &section = layout_.sections[section_of(kernel)];
  section.align = std::max(section.align, block.align);
  end_[kernel.value] = block.size;
  for (const EntityId v : own_.empty() ? std::vector<EntityId>{} : own_[kernel.value]) {
    end_[kernel.value] += entity(v).size;
    plan_.deleted[v.value] = true;
  }
}

// Kernels of one name have one section where nvlink is emulated: all their variables are in it.
void SharedPlacer::join_kernels_of_one_section() {
  const auto follows = [this](FunctionId a, FunctionId b) {
    return section_of_[a.value] >= section_of_[b.value];
  };
  if (std::adjacent_find(kernels_.begin(), kernels_.end(), follows) == kernels_.end())
    return; // each has its own, in the order of creation
  std::map<OutId, FunctionId> leaders;
  for (const FunctionId k : kernels_) {
    const FunctionId leader = leaders.emplace(section_of(k), k).first->second;
    if (leader == k)
      continue;
    joined_.emplace_back(k, leader);
    if (!own_.empty())
      own_[leader.value].insert(own_[leader.value].end(), own_[k.value].begin(),
                                own_[k.value].end());
    if (end_[leader.value] != 0) // slots that only the others use are discarded
      end_[leader.value] = std::max(end_[leader.value], end_[k.value]);
  }
  for (const auto &[joined, leader] : joined_)
    std::erase(kernels_, joined);
}

void SharedPlacer::place_dynamic() {
  if (dynamic_.empty() && uses_.first_dynamic.empty())
    return finish_dynamic_symbols();
  std::vector<u64> aligns(end_.size(), kDynamicAlign); // by FunctionId of a kernel
  for (const EntityId v : dynamic_)
    for (const FunctionId k : users_[v]) {
      u64 &align = aligns[k.value];
      align = std::max(align, declared_align(v));
      OutSection &section = layout_.sections[section_of(k)];
      section.align = std::max(section.align, align);
    }
  if (p_.options.keeps_debug_symbols() && p_.policy.rounds_shared_size)
    for (const EntityId v : dynamic_) // the symbols' values follow the rounded size
      for (const FunctionId k : users_[v])
        aligns[k.value] = layout_.sections[section_of(k)].align;
  agree_on_dynamic(std::move(aligns));
  finish_dynamic_symbols();
  round_sizes();
}

void SharedPlacer::round_sizes() {
  if (!p_.policy.rounds_shared_size)
    return;
  for (const EntityId v : dynamic_)
    for (const FunctionId k : users_[v])
      end_[k.value] = align_up(end_[k.value], layout_.sections[section_of(k)].align);
}

// A function has one address for its dynamic memory, so the kernels that reach it agree on the
// largest start, which is aligned for all of them.
void SharedPlacer::agree_on_dynamic(std::vector<u64> aligns) {
  const DynamicGroups groups = find_dynamic_groups();
  start_ = agree_on_largest(groups.kernels, {end_.begin(), end_.end()});
  std::ranges::copy(start_, end_.begin());
  if (p_.policy.aligns_by_first_function)
    aligns.assign(aligns.size(), kDynamicAlign);
  const std::vector<u64> common = agree_on_largest(groups.kernels, aligns);
  for (const EntityId v : dynamic_)
    for (const FunctionId k : users_[v])
      end_[k.value] = align_up(end_[k.value], common[k.value]);
  start_.assign(end_.begin(), end_.end());
  if (p_.policy.aligns_by_first_function)
    start_ = nvlink::starts_by_first_function(groups, std::move(start_));
}

DynamicGroups SharedPlacer::find_dynamic_groups() const {
  DynamicGroups groups;
  std::vector<std::pair<FunctionId, EntityId>> order = uses_.first_dynamic;
  if (!p_.live.only.valid()) // kernels come after functions
    std::stable_partition(order.begin(), order.end(),
                          [this](const auto &use) { return !p_.live.kernel[use.first.value]; });
  for (const auto &[f, v] : order) {
    const FunctionId one[] = {f};
    std::vector<FunctionId> kernels =
        p_.live.kernel[f.value] ? std::vector<FunctionId>{f} : reach_.kernels_reaching(one);
    if (kernels.empty() && p_.live.demoted[f.value])
      kernels.push_back(f);
    groups.kernels.push_back(std::move(kernels));
    groups.aligns.push_back(std::max(kDynamicAlign, declared_align(v)));
  }
  if (p_.options.keeps_debug_symbols()) // the symbol is kept, so it has one value for all its users
    for (const EntityId v : dynamic_) {
      groups.kernels.push_back(users_.at(v));
      groups.aligns.push_back(std::max(kDynamicAlign, declared_align(v)));
    }
  return groups;
}

void SharedPlacer::finish_dynamic_symbols() {
  const bool stays = p_.policy.keeps_dynamic_symbol && slots_end_ != 0;
  const bool instances_stay = p_.options.preserve_relocs && debug_section_size() != 0;
  for (const EntityId v : unplaced_) {
    layout_.placement.address_of[v.value].section = layout_.sections.debug_shared;
    if (p_.options.keeps_debug_symbols())
      plan_.offset[v.value] = 0;
    else
      plan_.deleted[v.value] = p_.options.preserve_relocs && !stays;
  }
  for (const EntityId v : dynamic_) {
    u64 largest = 0;
    for (const FunctionId k : users_[v])
      largest = std::max(largest, start_[k.value]);
    layout_.placement.address_of[v.value].section = layout_.sections.debug_shared;
    if (p_.options.keeps_debug_symbols()) {
      plan_.one_dynamic_value = true;
      plan_.offset[v.value] = static_cast<i64>(largest);
      // Not part of the output: an instance that an earlier relocatable link made.
      plan_.deleted[v.value] = (entity(v).other & 1) != 0 && !instances_stay;
    } else if (p_.options.preserve_relocs) {
      plan_.deleted[v.value] = !stays;
    }
  }
  if (dynamic_.empty() || p_.options.keeps_debug_symbols())
    return;
  plan_.dynamic_end.resize(p_.calls.functions.size(), SharedPlan::kNowhere);
  for (const EntityId v : dynamic_)
    for (const FunctionId f : uses_.users[v.value]) {
      const FunctionId one[] = {f};
      for (const FunctionId k : reach_.kernels_reaching(one))
        plan_.dynamic_end[f.value] =
            std::max(plan_.dynamic_end[f.value], static_cast<i64>(start_[k.value]));
      if (p_.live.demoted[f.value])
        plan_.dynamic_end[f.value] =
            std::max(plan_.dynamic_end[f.value], static_cast<i64>(start_[f.value]));
    }
}

u64 SharedPlacer::debug_section_align() const {
  return std::max(several_users_ ? device_align_ : 1, has_dynamic_ ? kDynamicAlign : 1);
}

u64 SharedPlacer::debug_section_size() const {
  const bool keep = slots_end_ != 0 || (has_dynamic_ && debug_section_align() == kDynamicAlign);
  return keeps_symbols() && keep ? slots_end_ + p_.arch.reserved_shared : 0;
}

void SharedPlacer::finish_sections() {
  plan_.has_slots = slots_end_ != 0;
  if (layout_.sections.debug_shared.valid()) {
    OutSection &section = layout_.sections[layout_.sections.debug_shared];
    section.align = debug_section_align();
    section.has_symbol = true;
    section.size = debug_section_size();
    section.presence = section.size != 0 || (has_dynamic_ && section.align == kDynamicAlign)
                           ? Presence::Always
                           : Presence::IfUsed;
  }
  for_kernels([this](FunctionId k) { finish_section_of(k); });
}

void SharedPlacer::finish_section_of(FunctionId kernel) {
  const u64 reserved = p_.arch.reserved_shared;
  const OutId id = section_of_[kernel.value];
  OutSection &section = layout_.sections[id];
  const bool only_dynamic = has_dynamic_ && (section.align == kDynamicAlign ||
                                             (section.align > kDynamicAlign && reserved != 0));
  const bool unnamed = layout_.placement.unnamed_in(id) != nullptr;
  if (end_[kernel.value] == 0 && !only_dynamic) {
    if (unnamed)
      section.presence = Presence::Always;
    return;
  }
  const bool stays = unnamed && !p_.live.selected[kernel.value];
  section.size = end_[kernel.value] + (stays ? 0 : reserved);
  section.presence = Presence::Always;
}

} // namespace

PlacedShared place_shared(const Program &program, const Reach &reach, Layout layout,
                          WorkerPool &pool) {
  if (!program.policy.places_memory)
    return place_shared_relocatable(program, std::move(layout));
  return SharedPlacer(program, reach, std::move(layout), pool).run();
}

} // namespace culink
