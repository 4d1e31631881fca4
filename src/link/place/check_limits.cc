// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The limits of a target: how much shared memory and how many images a kernel may have, and how
// large a constant bank may be, because an instruction cannot address more. Only the linker knows
// the sums, because a kernel reaches functions of many files. Sections are measured after the last
// one has its size, and a message names the largest contributors. A link with such a message ends.
//
// What may surprise: the sections are visited in order of creation, whatever they are, since nvlink
// reports in that order. Relocatable links have no limit of shared memory, but one of each bank.
#include "link/place/check_limits.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "elf/names.h"
#include "elf/section_kind.h"
#include "link/place/shared_uses.h"

namespace culink {

namespace {

constexpr size_t kMostContributors = 3;
constexpr u64 kWorthSaying = 1024; // bytes that are lost between constants

// A variable or a function, and its share of a limited memory.
struct Contributor {
  EntityId id;
  u64 size = 0;
};

class LimitChecker {
public:
  LimitChecker(const Program &program, const Reach &reach, const Layout &layout, Diagnostics &diag)
      : p_(program), reach_(reach), layout_(layout), diag_(diag) {}

  void check_images(const ImagePlan &images);
  void check_sections();

private:
  void check_shared(OutId id);
  void check_bank(OutId id);
  void report_compiler_bank(OutId id, FunctionId function);
  [[nodiscard]] std::vector<Contributor> shared_of(OutId id) const;
  [[nodiscard]] std::vector<Contributor> compiler_constants_of(OutId id, FunctionId function) const;
  [[nodiscard]] std::vector<Contributor> variables(bool (*is_there)(u8 other)) const;
  void add_largest(std::vector<Contributor> list, std::string_view role, std::string_view others,
                   Diagnostic &message) const;
  [[nodiscard]] std::string name_of(FunctionId function) const {
    return std::string(p_.entity_of(function).name);
  }
  // The function that a section belongs to, or nothing.
  [[nodiscard]] FunctionId owner_of(const OutSection &section) const {
    if (!section.target().valid() || !layout_.sections.function(section.target()).valid())
      return {};
    return p_.function_of(layout_.sections.function(section.target()));
  }

  const Program &p_;
  const Reach &reach_;
  const Layout &layout_;
  Diagnostics &diag_;
};

// A kernel has a slot for each image of the program of the kinds that it uses (Q070). nvlink starts
// with the last kernel.
void LimitChecker::check_images(const ImagePlan &images) {
  const arch::Limits &limits = p_.arch.limits;
  struct Kind {
    elf::SymbolType type;
    std::string_view name;
    u64 limit;
  };
  const std::array<Kind, 3> kinds = {{{elf::SymbolType::CudaTexture, "textures", limits.textures},
                                      {elf::SymbolType::CudaSampler, "samplers", limits.samplers},
                                      {elf::SymbolType::CudaSurface, "surfaces", limits.surfaces}}};
  for (size_t i = images.tables.size(); i-- > 0;) {
    const SlotTable &slots = images.tables[i];
    const FunctionId kernel = owner_of(layout_.sections[layout_.sections[slots.table].target()]);
    for (const Kind &kind : kinds) {
      const i64 count = std::count_if(
          slots.entries.begin(), slots.entries.end(),
          [&](const SlotRelocation &slot) { return p_.symbols[slot.image].type() == kind.type; });
      if (static_cast<u64>(count) > kind.limit && kernel.valid())
        diag_
            .report(DiagId::TooManyImages, {name_of(kernel), std::string(kind.name),
                                            std::to_string(count), std::to_string(kind.limit)})
            .at("kernel defined in", p_.origin_of(kernel))
            .note("every reference of the program counts, also if no code uses it");
    }
  }
}

void LimitChecker::check_sections() {
  const arch::Limits &limits = p_.arch.limits;
  const u64 smallest = std::min(limits.static_shared, limits.constant_bank);
  for (u32 i = 0; i < layout_.sections.size(); ++i) {
    const OutSection &section = layout_.sections[OutId(i)];
    if (section.size <= smallest || section.presence == Presence::Nothing ||
        section.presence == Presence::NameOnly)
      continue;
    if (section.type == elf::SectionType::CudaShared)
      check_shared(OutId(i));
    else if (section.size > limits.constant_bank)
      check_bank(OutId(i));
  }
}

// The limit excludes the reserved area.
void LimitChecker::check_shared(OutId id) {
  const OutSection &section = layout_.sections[id];
  const u64 limit = p_.arch.limits.static_shared;
  const u64 size = section.size - std::min<u64>(section.size, p_.arch.reserved_shared);
  if (!p_.policy.places_memory || size <= limit)
    return;
  const FunctionId kernel = owner_of(section);
  if (!kernel.valid()) {
    if (id == layout_.sections.debug_shared && p_.policy.limits_debug_shared)
      add_largest(
          variables(is_shared), "variable of", "variables",
          diag_.report(DiagId::TooMuchDebugShared, {std::to_string(size), std::to_string(limit)}));
    return;
  }
  Diagnostic &message = diag_.report(
      DiagId::TooMuchShared, {name_of(kernel), std::to_string(size), std::to_string(limit)});
  message.at("kernel defined in", p_.origin_of(kernel));
  add_largest(shared_of(id), "variable of", "variables", message);
}

// The variables of a kernel: those in its section, and those that functions it reaches share with
// other kernels.
std::vector<Contributor> LimitChecker::shared_of(OutId id) const {
  const FunctionId kernel = owner_of(layout_.sections[id]);
  const SharedUses uses = find_shared_uses(p_, layout_);
  std::vector<Contributor> out;
  for (u32 v = 0; v < p_.symbols.entities.size(); ++v) {
    const Entity &entity = p_.symbols.entities[v];
    if (entity.function || !is_shared(entity.other) || entity.size == 0 || !entity.defined())
      continue;
    const OutId section = layout_.placement.address_of[v].section;
    bool counts = section == id;
    if (section.valid() && section == layout_.sections.debug_shared) {
      const std::vector<FunctionId> users = reach_.kernels_reaching(uses.users[v]);
      counts = std::find(users.begin(), users.end(), kernel) != users.end();
    }
    if (counts)
      out.push_back({EntityId(v), entity.size});
  }
  return out;
}

void LimitChecker::check_bank(OutId id) {
  const OutSection &section = layout_.sections[id];
  const elf::SectionKind kind =
      elf::classify_section(layout_.sections.name(id), section.type, section.flags);
  if (kind.role != elf::SectionRole::Constant)
    return;
  const FunctionId function = owner_of(section);
  if (function.valid() && kind.bank == p_.arch.banks.compiler)
    return report_compiler_bank(id, function);
  const std::string size = std::to_string(section.size), bank = std::to_string(kind.bank);
  const std::string limit = std::to_string(p_.arch.limits.constant_bank);
  if (function.valid()) {
    diag_.report(DiagId::TooMuchBankOfFunction, {name_of(function), size, bank, limit})
        .at("defined in", p_.origin_of(function));
    return;
  }
  Diagnostic &message = diag_.report(DiagId::TooMuchConstant, {size, bank, limit});
  if (kind.bank == p_.arch.banks.user)
    add_largest(variables(is_constant), "variable of", "variables", message);
}

void LimitChecker::report_compiler_bank(OutId id, FunctionId function) {
  constexpr size_t kPrefix = std::string_view(".nv.constant.").size();
  const OutSection &section = layout_.sections[id];
  // nvlink takes what follows the prefix of a numbered bank for the name of the kernel, but banks
  // of Mercury code have no number.
  const bool mercury = p_.arch.code_kind == arch::CodeKind::Capmerc;
  const std::string name = mercury
                               ? elf::mercury_link_name(layout_.sections.name(id)).substr(kPrefix)
                               : name_of(function);
  Diagnostic &message = diag_.report(DiagId::TooManyCompilerConstants,
                                     {name_of(function), std::to_string(section.size),
                                      std::to_string(p_.arch.banks.compiler),
                                      std::to_string(p_.arch.limits.constant_bank), name});
  message.at("defined in", p_.origin_of(function));
  const std::vector<Contributor> list = compiler_constants_of(id, function);
  add_largest(list, "constants of", "functions", message);
  u64 unused = section.size;
  for (const Contributor &one : list)
    unused -= std::min(unused, one.size);
  if (unused >= kWorthSaying)
    message.note(fmt::format("{} bytes are unused, because the constants of a function have one "
                             "offset in all kernels",
                             unused));
  message.advise("recompile the largest with -Xptxas --disable-optimizer-constants");
}

// Constants of the function itself, then those of the functions that it reaches.
std::vector<Contributor> LimitChecker::compiler_constants_of(OutId id, FunctionId function) const {
  const auto bytes_of = [](const std::vector<Piece> &pieces) {
    u64 sum = 0;
    for (const Piece &piece : pieces)
      sum += piece.bytes.size();
    return sum;
  };
  u64 own = bytes_of(layout_.sections.table.pieces(id));
  std::vector<Contributor> out;
  for (const FunctionConstants &constants : layout_.placement.function_constants) {
    const FunctionId one[] = {constants.function};
    const std::vector<FunctionId> kernels = reach_.kernels_reaching(one);
    if (constants.size == 0 || std::find(kernels.begin(), kernels.end(), function) == kernels.end())
      continue;
    out.push_back({p_.calls.functions[constants.function.value], constants.size});
    own -= std::min(own, bytes_of(constants.pieces));
  }
  if (own != 0)
    out.insert(out.begin(), {p_.calls.functions[function.value], own});
  return out;
}

// All variables of the program in one kind of memory.
std::vector<Contributor> LimitChecker::variables(bool (*is_there)(u8 other)) const {
  std::vector<Contributor> out;
  for (u32 v = 0; v < p_.symbols.entities.size(); ++v)
    if (const Entity &entity = p_.symbols.entities[v];
        !entity.function && is_there(entity.other) && entity.defined() && entity.size != 0)
      out.push_back({EntityId(v), entity.size});
  return out;
}

void LimitChecker::add_largest(std::vector<Contributor> list, std::string_view role,
                               std::string_view others, Diagnostic &message) const {
  std::stable_sort(list.begin(), list.end(),
                   [](const Contributor &a, const Contributor &b) { return a.size > b.size; });
  for (size_t i = 0; i < list.size() && i < kMostContributors; ++i) {
    const Entity &entity = p_.symbols[list[i].id];
    message.at(role, p_.objects[entity.prevailing.object.value].origin(
                         entity.name, fmt::format("{} bytes", list[i].size)));
  }
  if (list.size() > kMostContributors)
    message.note(fmt::format("and {} smaller {}", list.size() - kMostContributors, others));
}

} // namespace

void check_limits(const Program &program, const Reach &reach, const Layout &layout,
                  const ImagePlan &images, Diagnostics &diag) {
  LimitChecker checker(program, reach, layout, diag);
  checker.check_images(images);
  checker.check_sections();
}

} // namespace culink
