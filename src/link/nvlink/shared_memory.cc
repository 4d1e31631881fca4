// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory as nvlink -r leaves it. Dynamic memory is defined in .nv_debug.shared, although its
// size is known at launch only, and each kernel that refers to it gets a weak symbol
// externsharedinstance (Q020), so that only a kernel's own references survive, not those of device
// functions (Q021). A section has the sum of its variables' sizes (Q022). With -g dynamic memory
// has one value, the largest of the kernels that refer to it, and no instances.
//
// In every link, shared memory that is dynamic in one file and of a fixed size in a later one is
// both to nvlink: it is listed twice among the variables that are sorted and its alignment counts,
// but it is never placed, and its value has the reserved area added twice or not at all (Q041).
// Without that defect only memory that no code uses gets this far (emulated_errors.cc).
#include "link/nvlink/shared_memory.h"

#include <algorithm>
#include <map>

#include "link/resolve/references.h"
#include "support/bytes.h"

namespace culink::nvlink {

namespace {

class EarlyPlacer {
public:
  EarlyPlacer(const Program &program, SharedUses uses, Layout layout)
      : p_(program), layout_(std::move(layout)), uses_(std::move(uses)),
        plan_(static_cast<u32>(program.symbols.entities.size())) {}

  PlacedShared run();

private:
  void sort_variables();
  void size_sections();
  void size_debug_section();
  void make_instances();
  void give_one_value();
  [[nodiscard]] bool refers_to_dynamic(FunctionId f) const;
  [[nodiscard]] bool refers_to(FunctionId f, EntityId v) const;
  [[nodiscard]] u64 declared_align(EntityId v) const;
  [[nodiscard]] u64 declared_align(FunctionId f) const;
  [[nodiscard]] u64 end_of(FunctionId kernel, u64 sum, const OutSection &section) const;
  [[nodiscard]] OutId section_of(FunctionId kernel) const {
    return layout_.sections.find(".nv.shared." + std::string(p_.entity_of(kernel).name));
  }
  OutId need_section(FunctionId kernel);
  [[nodiscard]] u64 rounded(u64 sum, const OutSection &section) const {
    return p_.policy.rounds_shared_size ? align_up(sum, section.align) : sum;
  }

  const Program &p_;
  Layout layout_;
  const SharedUses uses_;
  SharedPlan plan_;
  std::vector<FunctionId> kernels_;
  std::vector<EntityId> device_, dynamic_;
  std::map<FunctionId, u64> sum_;
  std::vector<bool> late_; // by FunctionId: section created here
  u64 device_align_ = 1;
  bool has_dynamic_ = false;
};

PlacedShared EarlyPlacer::run() {
  late_.assign(p_.calls.functions.size(), false);
  for (u32 f = 0; f < p_.calls.functions.size(); ++f)
    if (p_.live.kernel[f] || p_.live.demoted[f])
      kernels_.push_back(FunctionId(f));
  kernels_ = in_reading_order(p_, std::move(kernels_));
  for (const FunctionId k : kernels_)
    if (const OutId id = section_of(k); id.valid()) {
      if (!layout_.sections[id].target().valid())
        layout_.sections[id].info =
            layout_.placement.address_of[p_.calls.functions[k.value].value].section;
      layout_.sections[id].has_symbol = true;
    }
  sort_variables();
  size_debug_section();
  if (!p_.options.keeps_debug_symbols())
    make_instances();
  size_sections();
  return {std::move(layout_), std::move(plan_)};
}

void EarlyPlacer::sort_variables() {
  if (!layout_.sections.debug_shared.valid())
    return;
  for (const EntityId v : layout_.sections.shared_variables(layout_.sections.debug_shared)) {
    const Entity &entity = p_.symbols[v];
    if (entity.sized && std::find(device_.begin(), device_.end(), v) != device_.end())
      continue; // listed twice (Q041)
    const bool is_dynamic = entity.size == 0 || (!entity.defined() && !entity.sized);
    (is_dynamic ? dynamic_ : device_).push_back(v);
    plan_.is_dynamic[v.value] = is_dynamic;
    has_dynamic_ |= is_dynamic || entity.sized;
    device_align_ = std::max(device_align_, layout_.placement.shared_align[v.value]);
  }
}

bool EarlyPlacer::refers_to(FunctionId f, EntityId v) const {
  const std::vector<FunctionId> &users = uses_.users[v.value];
  return std::binary_search(users.begin(), users.end(), f);
}

bool EarlyPlacer::refers_to_dynamic(FunctionId f) const {
  return std::any_of(dynamic_.begin(), dynamic_.end(),
                     [this, f](EntityId v) { return refers_to(f, v); });
}

u64 EarlyPlacer::declared_align(EntityId v) const {
  const u64 align = layout_.placement.shared_align[v.value];
  return align == 1 || (p_.policy.ignores_instances && p_.symbols[v].weak()) ? 0 : align;
}

// Alignment of the dynamic memory that a function refers to; 0 in objects before 13.1, which do not
// record it.
u64 EarlyPlacer::declared_align(FunctionId f) const {
  u64 align = 0;
  for (const EntityId v : dynamic_)
    if (refers_to(f, v))
      align = std::max(align, declared_align(v));
  return align;
}

// Returns the start of dynamic memory of a kernel with `sum` bytes of variables.
u64 EarlyPlacer::end_of(FunctionId kernel, u64 sum, const OutSection &section) const {
  if (p_.options.keeps_debug_symbols()) // the symbol's value follows the rounded size
    return rounded(align_up(sum, std::max(kDynamicAlign, declared_align(kernel))), section);
  u64 declared = 0;
  for (const auto &[f, v] : uses_.first_dynamic) // the others do not count (Q116)
    if (f == kernel)
      declared = declared_align(v);
  const u64 end = align_up(sum, std::max(kDynamicAlign, declared));
  return p_.policy.rounds_shared_size ? std::max(end, declared) : end;
}

OutId EarlyPlacer::need_section(FunctionId kernel) {
  if (const OutId id = section_of(kernel); id.valid())
    return id;
  const EntityId entity = p_.calls.functions[kernel.value];
  const OutId id =
      layout_.sections.add(layout_.sections.keep_name(".nv.shared.", p_.symbols[entity].name),
                           {.type = elf::SectionType::CudaShared,
                            .flags = elf::kFlagAlloc | elf::kFlagWrite | elf::kFlagInfoLink,
                            .info = layout_.placement.address_of[entity.value].section,
                            .has_symbol = true});
  layout_.sections.add_section_symbol(id);
  late_[kernel.value] = true;
  return id;
}

void EarlyPlacer::size_debug_section() {
  if (!layout_.sections.debug_shared.valid())
    return;
  u64 sum = 0;
  for (const EntityId v : device_)
    sum += p_.symbols[v].size;
  OutSection &section = layout_.sections[layout_.sections.debug_shared];
  section.align = std::max(device_align_, has_dynamic_ ? kDynamicAlign : 1);
  for (const EntityId v : device_)
    if (const Entity &variable = p_.symbols[v]; variable.sized) // never placed (Q041)
      layout_.placement.address_of[v.value] = {
          layout_.sections.debug_shared,
          p_.options.keeps_debug_symbols()
              ? 0
              : p_.objects[variable.first.object.value].symbols[variable.first.symbol].value};
  section.has_symbol = sum > 0;
  section.size = size_in_object(sum, section.align);
  section.presence = Presence::Always;
  for (const EntityId v : dynamic_) {
    const u64 align = layout_.placement.shared_align[v.value];
    const u64 value = p_.symbols[v].weak() || align > 1 ? align : 0;
    layout_.placement.address_of[v.value] = {layout_.sections.debug_shared, value};
  }
}

void EarlyPlacer::make_instances() {
  plan_.instances.resize(p_.calls.functions.size(), kNoIndex);
  for (const FunctionId k : kernels_)
    if (refers_to_dynamic(k)) {
      plan_.instances[k.value] = static_cast<u32>(layout_.sections.instances.size());
      layout_.sections.locals.push_back(
          {LocalSymbol::Kind::SharedInstance, static_cast<u32>(layout_.sections.instances.size())});
      layout_.sections.instances.push_back({k, 0});
      need_section(k);
    }
}

void EarlyPlacer::size_sections() {
  for (const FunctionId k : kernels_)
    if (refers_to_dynamic(k))
      need_section(k);
  for (const FunctionId k : kernels_) {
    const OutId id = section_of(k);
    if (!id.valid())
      continue;
    OutSection &section = layout_.sections[id];
    u64 sum = 0;
    section.align = late_[k.value] ? 1 : device_align_;
    for (const EntityId v : layout_.sections.shared_variables(id)) {
      sum += p_.symbols[v].size;
      section.align = std::max(section.align, layout_.placement.shared_align[v.value]);
    }
    if (const UnnamedShared *block = layout_.placement.unnamed_in(id)) {
      sum += block->size;
      section.align = std::max(section.align, block->align);
      if (p_.live.selected[k.value])
        layout_.placement.null_symbol_value = block->align;
    }
    if (refers_to_dynamic(k)) {
      section.align = std::max({section.align, kDynamicAlign, declared_align(k)});
      sum = end_of(k, sum, section);
    }
    sum_[k] = sum;
  }
  if (p_.options.keeps_debug_symbols())
    give_one_value();
  for (const auto &[k, sum] : sum_) {
    OutSection &section = layout_.sections[section_of(k)];
    section.has_symbol = sum > 0;
    if (sum != 0 || (has_dynamic_ && section.align == kDynamicAlign) ||
        layout_.placement.unnamed_in(section_of(k))) {
      section.size =
          size_in_object(refers_to_dynamic(k) ? rounded(sum, section) : sum, section.align);
      section.presence = Presence::Always;
    }
    if (plan_.instance_of(k) != kNoIndex)
      layout_.sections.instances[plan_.instances[k.value]].value = sum;
  }
}

// -r -g: dynamic memory has one value, the largest of the kernels that refer to it.
void EarlyPlacer::give_one_value() {
  plan_.one_dynamic_value = true;
  std::vector<u64> ends(p_.calls.functions.size(), 0), aligns(p_.calls.functions.size(), 1);
  for (const auto &[k, sum] : sum_) {
    ends[k.value] = sum;
    if (p_.policy.rounds_shared_size && refers_to_dynamic(k))
      aligns[k.value] = layout_.sections[section_of(k)].align;
  }
  std::vector<std::vector<FunctionId>> groups;
  for (const EntityId v : dynamic_) {
    std::vector<FunctionId> &group = groups.emplace_back(uses_.users[v.value]);
    std::erase_if(group, [this](FunctionId f) { return !sum_.contains(f); });
  }
  ends = agree_on_largest(groups, std::move(ends));
  aligns = agree_on_largest(groups, std::move(aligns));
  for (size_t k = 0; k < ends.size(); ++k)
    ends[k] = align_up(ends[k], aligns[k]);
  for (auto &[k, sum] : sum_)
    sum = ends[k.value];
  for (size_t i = 0; i < dynamic_.size(); ++i) {
    const u64 value = groups[i].empty() ? 0 : ends[groups[i].front().value];
    layout_.placement.address_of[dynamic_[i].value].value = value;
    plan_.offset[dynamic_[i].value] = static_cast<i64>(value);
  }
}

} // namespace

PlacedShared place_shared_early(const Program &program, SharedUses uses, Layout layout) {
  return EarlyPlacer(program, std::move(uses), std::move(layout)).run();
}

std::vector<u64> starts_by_first_function(const DynamicGroups &groups, std::vector<u64> ends) {
  // By kernel: the first group is the largest number, 0 means none.
  std::vector<u64> first(ends.size(), 0);
  const u64 count = groups.kernels.size();
  for (u64 i = 0; i < count; ++i)
    for (const FunctionId k : groups.kernels[i])
      first[k.value] = std::max(first[k.value], count - i);
  first = agree_on_largest(groups.kernels, std::move(first));
  for (size_t k = 0; k < ends.size(); ++k)
    if (first[k] != 0)
      ends[k] = align_up(ends[k], groups.aligns[count - first[k]]);
  return ends;
}

} // namespace culink::nvlink
