// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of symbol resolution. A second definition of a name is treated as follows:
//
//   strong after strong      an error
//   strong after weak        the strong one prevails
//   weak function after weak the one with fewer registers prevails, then that of newer PTX
//   weak data after weak     the first prevails
//   weak after strong        the strong one prevails
//   common                   the largest size and the first alignment, unless one is initialised
//
// Nothing here looks at another name, so that several threads can decide the names of a program for
// resolve_symbols. What may surprise: a definition that prevails over an earlier one takes over its
// order in the output. An entity therefore has two definitions, `first_definition` for the order
// and `prevailing` for the content, and each definition has an outcome as of the time when it was
// read, because nvlink uses it (Q026).
#include "link/resolve/name_rules.h"

#include <algorithm>
#include <new>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "elf/constants.h"
#include "elf/target/driver_functions.h"
#include "link/model/input_object.h"
#include "link/resolve/special_symbols.h"
#include "support/types.h"

namespace culink {

using elf::SymbolBinding;
using elf::SymbolType;

namespace {

// For messages about names that two files give to different things: "a function", "a texture",
// "__shared__". The memory space is in st_other, and images have symbol types of their own.
std::string space_name(SymbolType type, u8 other) {
  switch (type) {
  case SymbolType::Function:
    return "a function";
  case SymbolType::CudaTexture:
    return "a texture";
  case SymbolType::CudaSampler:
    return "a sampler";
  case SymbolType::CudaSurface:
    return "a surface";
  default:
    break;
  }
  switch (other & 0xe0) {
  case elf::kOtherShared:
    return "__shared__";
  case elf::kOtherConstant:
    return "__constant__";
  default:
    return "__device__";
  }
}

std::string bytes_text(u64 size) {
  return fmt::format("{} bytes", size);
}

u8 info_of(SymbolBinding binding, SymbolType type) {
  return static_cast<u8>(static_cast<u8>(binding) << 4 | static_cast<u8>(type));
}

// Undefined symbols keep a weak binding, except variables that compilers declare in every file
// (Q072). Others of their type become variables like any.
[[gnu::noinline]] void declare_weak_object(Entity &entity) {
  const bool declared = is_declared_everywhere(entity.name);
  entity.in_local_part = entity.in_local_part && !declared;
  entity.info = declared ? info_of(SymbolBinding::Global, SymbolType::Object)
                         : info_of(SymbolBinding::Weak, SymbolType::CudaObject);
}

// Fills in an entity with initial values from its first symbol.
inline void declare_entity(Entity &entity, SymbolRef ref, const elf::Symbol &symbol,
                           const LinkPolicy &policy) {
  const bool weak = symbol.binding() == SymbolBinding::Weak;
  entity.name = symbol.name;
  entity.first = ref;
  entity.local = symbol.binding() == SymbolBinding::Local;
  entity.function = symbol.type() == SymbolType::Function;
  entity.info = symbol.info;
  entity.other = symbol.other;
  entity.size = symbol.size;
  entity.dynamic = is_shared(symbol.other) && symbol.size == 0;
  entity.in_local_part = policy.weak_among_locals && weak;
  if (weak && symbol.undefined() && symbol.type() == SymbolType::Object)
    declare_weak_object(entity);
}

} // namespace

Entity new_entity(SymbolRef ref, const elf::Symbol &symbol, const LinkPolicy &policy) {
  Entity entity;
  declare_entity(entity, ref, symbol, policy);
  return entity;
}

void NameRules::read(SymbolRef ref, const Occurrence &next, const elf::Symbol &symbol) {
  reading_ = &next;
  if (symbol.type() == SymbolType::Function)
    read_function(ref, symbol);
  else
    read_data(ref, symbol);
}

const Entity *NameRules::find(std::string_view name, u32 hash) const {
  const std::optional<u32> draft =
      names_.find(hash, [&](u32 other) { return drafts_[other].name == name; });
  return draft ? &drafts_[*draft] : nullptr;
}

[[gnu::always_inline]] inline std::pair<Entity *, bool>
NameRules::entity_for(SymbolRef ref, const elf::Symbol &symbol) {
  u32 draft = static_cast<u32>(drafts_.size());
  bool is_new = true;
  if (symbol.binding() != SymbolBinding::Local)
    std::tie(draft, is_new) = names_.insert(
        reading_->hash, draft, [&](u32 other) { return drafts_[other].name == symbol.name; });
  if (is_new)
    add_draft(ref, symbol);
  tables_.entity_of[ref.object.value][ref.symbol] = entity_for_draft(draft, is_new);
  return {&drafts_[draft], is_new};
}

[[gnu::noinline]] void NameRules::add_draft(SymbolRef ref, const elf::Symbol &symbol) {
  if (symbol.type() == SymbolType::Function && arch::is_driver_function(symbol.name))
    driver_functions_.push_back(static_cast<u32>(drafts_.size()));
  declare_entity(*::new (&drafts_.emplace_back()) Entity, ref, symbol, policy_); // see store_fields
}

void NameRules::report_duplicate(const Entity &entity, SymbolRef ref) {
  const SymbolRef first = entity.defined() ? entity.prevailing : entity.first;
  // nvlink names the file with the first occurrence of a variable, as if it defined it.
  const SymbolRef named = entity.function ? first : entity.first;
  report(DiagId::MultipleDefinition, ref,
         {std::string(entity.name), file(ref), named_file(entity, named)})
      .at("defined in", origin(first))
      .at("defined in", origin(ref))
      .advise(first.object == ref.object ? "the file itself has two symbols of this name"
              : file(first) == file(ref) ? "the same file is given twice"
                                         : "");
}

// A function and a variable of one name, both with a strong definition.
void NameRules::report_other_kind(const Entity &entity, SymbolRef ref, const elf::Symbol &symbol) {
  const bool other = entity.function != (symbol.type() == SymbolType::Function);
  if (other && entity.defined() && !entity.weak() && symbol.binding() != SymbolBinding::Weak)
    report_duplicate(entity, ref);
}

// True if a symbol agrees with earlier ones of its name in type and in st_other, except for bits
// that may differ. Nearly all do, and most of the others are allowed.
inline bool NameRules::agree(const Entity &entity, const elf::Symbol &symbol) {
  constexpr u8 kSpaces = 0xe0;
  const u8 compared =
      symbol.type() == SymbolType::Function ? elf::kOtherKernel : u8{kSpaces | elf::kOtherManaged};
  return entity.type() == symbol.type() && ((entity.other ^ symbol.other) & compared) == 0;
}

// True if a symbol disagrees with the earlier ones of its name in kind or memory space.
bool NameRules::report_disagreement(const Entity &entity, SymbolRef ref,
                                    const elf::Symbol &symbol) {
  const auto disagree = [&](DiagId id, std::vector<std::string> more, std::string here,
                            std::string there) {
    std::vector<std::string> arguments = {std::string(entity.name)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    report(id, ref, std::move(arguments))
        .at("first declared in", origin(entity.first, std::move(here)))
        .at("declared in", origin(ref, std::move(there)));
  };
  const bool function = symbol.type() == SymbolType::Function;
  const bool image = is_image(entity.type());
  const bool other_space = entity.function != function || image != is_image(symbol.type()) ||
                           (!function && ((entity.other ^ symbol.other) & 0xe0) != 0);
  if (other_space) {
    const std::string here = space_name(entity.type(), entity.other);
    const std::string there = space_name(symbol.type(), symbol.other);
    disagree(DiagId::SpaceMismatch, {here, there, named_file(entity, entity.first)}, here, there);
  }
  if (!other_space && function && is_kernel_mark(entity.other) != is_kernel_mark(symbol.other)) {
    const auto kind = [](u8 other) { return is_kernel_mark(other) ? "__global__" : "__device__"; };
    disagree(DiagId::NotAKernelEverywhere, {}, kind(entity.other), kind(symbol.other));
    return true;
  }
  if (!function && !entity.function && ((entity.other ^ symbol.other) & elf::kOtherManaged) != 0) {
    const auto kind = [](u8 other) {
      return (other & elf::kOtherManaged) != 0 ? "__managed__" : "not __managed__";
    };
    disagree(DiagId::ManagedMismatch, {}, kind(entity.other), kind(symbol.other));
    return true;
  }
  return other_space;
}

void NameRules::read_function(SymbolRef ref, const elf::Symbol &symbol) {
  const auto [entity, is_new] = entity_for(ref, symbol);
  const bool is_code = reading_->in_code != 0;
  if (!is_new && !compatible(*entity, ref, symbol)) {
    if (is_code)
      report_other_kind(*entity, ref, symbol);
    return;
  }
  if (is_code)
    define_function(*entity, ref, symbol);
}

// Weak definitions of a function compete by fewer registers, then by newer PTX than that of the
// very first definition (not of the one that prevails so far, Q055), then by order.
bool NameRules::prevails_over_weak(SymbolRef ref, const Entity &entity) const {
  if (reading_->registers != registers(entity.prevailing))
    return reading_->registers < registers(entity.prevailing);
  return objects_[ref.object.value].virtual_sm >
         objects_[entity.first_definition.object.value].virtual_sm;
}

u64 NameRules::parameter_bytes(SymbolRef kernel) const {
  const std::vector<u64> &sizes = tables_.parameters[kernel.object.value];
  return sizes.empty() ? 0 : sizes[symbol_of(kernel).section];
}

// Two weak definitions of a kernel must have parameters of one size. nvlink does not compare them
// with a strong definition's (Q044), and culink does not report it either.
void NameRules::compare_parameters(const Entity &kernel, SymbolRef ref) {
  const u64 first = parameter_bytes(kernel.prevailing), second = parameter_bytes(ref);
  if (first != second)
    report(DiagId::ParameterBankMismatch, ref,
           {std::string(kernel.name), std::to_string(first), std::to_string(second)})
        .at("first defined in", origin(kernel.prevailing, bytes_text(first)))
        .at("defined in", origin(ref, bytes_text(second)));
}

bool NameRules::is_alias(SymbolRef ref) const {
  return objects_[ref.object.value].owner_of_function(ref.symbol) != ref.symbol;
}

void NameRules::define_function(Entity &entity, SymbolRef ref, const elf::Symbol &symbol) {
  const bool strong = symbol.binding() != SymbolBinding::Weak;
  if (entity.defined()) {
    if (!entity.weak()) {
      outcome(ref) = DefinitionOutcome::DiscardedForStrong;
      if (strong)
        report_duplicate(entity, ref);
      return;
    }
    if (!strong && entity.prevailing.object == ref.object)
      report_duplicate(entity, ref);
    if (!strong && is_kernel_mark(symbol.other))
      compare_parameters(entity, ref);
    if (!strong && !prevails_over_weak(ref, entity)) {
      outcome(ref) = DefinitionOutcome::DiscardedForWeak;
      return;
    }
    // An alias does not share the section that another definition has created.
    if (is_alias(ref) || is_alias(entity.prevailing)) {
      outcome(entity.first_definition) = outcome(entity.prevailing) =
          DefinitionOutcome::DiscardedForStrong;
      entity.first_definition = ref;
    }
  } else {
    entity.first_definition = ref;
    const bool unmarked = policy_.loses_unified_marks && (entity.other & elf::kOtherUnified) == 0;
    entity.other = unmarked ? symbol.other & ~elf::kOtherUnified : symbol.other;
  }
  outcome(ref) = DefinitionOutcome::Accepted;
  entity.prevailing = ref;
  entity.info = symbol.info;
  entity.size = symbol.size;
}

void NameRules::read_data(SymbolRef ref, const elf::Symbol &symbol) {
  if (is_image(symbol.type())) {
    const bool opaque = reading_->in_code != 0;
    if (!agrees_with_images(ref, symbol, opaque))
      return;
    if (opaque) {
      read_opaque(ref, symbol);
      return;
    }
  }
  const auto [entity, is_new] = entity_for(ref, symbol);
  const bool agrees = is_new || compatible(*entity, ref, symbol);
  if (!is_new && entity->size != symbol.size && !may_differ_in_size(*entity, ref, symbol)) {
    report(DiagId::SizeMismatch, ref,
           {std::string(entity->name), std::to_string(entity->size), std::to_string(symbol.size)})
        .at("first specified in", origin(entity->first, bytes_text(entity->size)))
        .at("specified in", origin(ref, bytes_text(symbol.size)));
  }
  if (!agrees && entity->function) {
    if (symbol.in_section())
      report_other_kind(*entity, ref, symbol);
    return;
  }
  if (symbol.common())
    merge_common(*entity, ref, symbol);
  else if (symbol.in_section())
    define_data(*entity, ref, symbol);
}

// True if an image has the name of something that is not an image of its kind.
bool NameRules::has_other_kind(const Entity &known, SymbolRef ref, const elf::Symbol &symbol,
                               bool opaque) {
  if (known.type() == symbol.type() && known.opaque == opaque)
    return false;
  report(DiagId::MultipleDefinition, ref,
         {std::string(symbol.name), file(ref), named_file(known, known.first)})
      .at("defined in", origin(known.first, space_name(known.type(), known.other)))
      .at("defined in", origin(ref, space_name(symbol.type(), symbol.other)));
  return true;
}

bool NameRules::agrees_with_images(SymbolRef ref, const elf::Symbol &symbol, bool opaque) {
  if (opaque && !policy_.joins_opaque_by_name)
    return true;
  if (const auto known = opaque_.find(symbol.name);
      known != opaque_.end() && has_other_kind(drafts_[known->second], ref, symbol, opaque))
    return false;
  const Entity *entity = find(symbol.name, reading_->hash);
  return !entity || !has_other_kind(*entity, ref, symbol, opaque);
}

// A parameter of a kernel that is an image. It is local to the kernel.
void NameRules::read_opaque(SymbolRef ref, const elf::Symbol &symbol) {
  if (const auto known = opaque_.find(symbol.name); known != opaque_.end()) {
    tables_.entity_of[ref.object.value][ref.symbol] = entity_for_draft(known->second, false);
    outcome(ref) = DefinitionOutcome::DiscardedForStrong;
    return;
  }
  Entity &entity = *entity_for(ref, symbol).first;
  entity.opaque = true;
  entity.first_definition = entity.prevailing = ref;
  outcome(ref) = DefinitionOutcome::Accepted;
  if (policy_.joins_opaque_by_name)
    opaque_.emplace(symbol.name, draft_of(ref));
}

bool NameRules::is_initialised(SymbolRef ref) const {
  const InputObject &object = objects_[ref.object.value];
  const elf::SectionRole role = object.kinds[object.symbols[ref.symbol].section].role;
  return role != elf::SectionRole::Global && role != elf::SectionRole::Udt;
}

// Unified variables never prevail over common symbols, whatever the release.
bool NameRules::prevails_over_common(SymbolRef ref) const {
  const InputObject &object = objects_[ref.object.value];
  const u32 section = object.symbols[ref.symbol].section;
  return is_initialised(ref) ||
         (policy_.zeroed_data_prevails && object.kinds[section].role == elf::SectionRole::Global);
}

// A declaration without a size agrees with any, and so does dynamic shared memory that is read
// first. The largest of several common symbols prevails; initialised data only has to be large
// enough.
bool NameRules::may_differ_in_size(const Entity &entity, SymbolRef ref,
                                   const elf::Symbol &symbol) const {
  const bool declared = !entity.defined() && entity.common_align == 0;
  if ((symbol.size == 0 && symbol.undefined()) ||
      (entity.size == 0 && (declared || is_shared(entity.other))))
    return true;
  if (symbol.common())
    return entity.common_align != 0 || (entity.defined() && is_initialised(entity.prevailing));
  return entity.common_align != 0 && symbol.in_section() && is_initialised(ref);
}

// Before 13.3 a definition without initial values counts as one more common symbol, unless it is
// strong and was read first: then the common symbol is a duplicate (Q057).
void NameRules::merge_common(Entity &entity, SymbolRef ref, const elf::Symbol &symbol) {
  if (entity.defined() && prevails_over_common(entity.prevailing)) {
    if (symbol.size > entity.size)
      report(DiagId::CommonLargerThanDefinition, ref,
             {std::string(entity.name), std::to_string(symbol.size), std::to_string(entity.size)})
          .at("common in", origin(ref, bytes_text(symbol.size)))
          .at("defined in", origin(entity.prevailing, bytes_text(entity.size)));
    return;
  }
  if (entity.defined() && !entity.weak()) {
    report_duplicate(entity, ref);
    return;
  }
  entity.prevailing = {};
  if (entity.common_align == 0)
    entity.common_align = std::max<u64>(symbol.value, 1);
  entity.size = std::max(entity.size, symbol.size);
  SymbolRef &largest = largest_common_[draft_of(ref)];
  if (!largest.valid() || symbol_of(largest).size < symbol.size)
    largest = ref;
}

void NameRules::define_data(Entity &entity, SymbolRef ref, const elf::Symbol &symbol) {
  const bool strong = symbol.binding() != SymbolBinding::Weak;
  // The first declaration of dynamic shared memory defines it. Definitions without a size come from
  // nvlink -r; whether one with a size contradicts is checked where its users are known.
  if (entity.dynamic && entity.first != ref) {
    outcome(ref) = DefinitionOutcome::DiscardedForStrong;
    entity.sized = entity.sized || symbol.size != 0;
    entity.info = symbol.info;
    entity.size = std::max(entity.size, symbol.size);
    if (symbol.size == 0 && strong && policy_.refuses_dynamic_twice)
      report_duplicate(entity, ref);
    return;
  }
  if (entity.common_align != 0 && !prevails_over_common(ref)) {
    outcome(ref) = DefinitionOutcome::DiscardedForStrong;
    if (strong)
      entity.info = symbol.info;
    return;
  }
  if (entity.defined()) {
    if (!entity.weak() || !strong) {
      outcome(ref) = entity.weak() ? DefinitionOutcome::DiscardedForWeak
                                   : DefinitionOutcome::DiscardedForStrong;
      if (strong)
        report_duplicate(entity, ref);
      return;
    }
  } else {
    if (entity.common_align != 0 && entity.size > symbol.size)
      report(DiagId::CommonLargerThanDefinition, ref,
             {std::string(entity.name), std::to_string(entity.size), std::to_string(symbol.size)})
          .at("common in", origin(largest_common(ref), bytes_text(entity.size)))
          .at("defined in", origin(ref, bytes_text(symbol.size)));
    entity.weak_over_common = policy_.loses_weak_over_common && entity.common_align != 0 && !strong;
    if (entity.weak_over_common) {
      outcome(ref) = DefinitionOutcome::DiscardedForStrong;
      return;
    }
    entity.first_definition = ref;
  }
  outcome(ref) = DefinitionOutcome::Accepted;
  entity.prevailing = ref;
  entity.info = symbol.info;
  entity.other = symbol.other;
  entity.size = symbol.size;
  entity.common_align = 0;
}

std::vector<NameRules::Message> NameRules::take_messages() {
  std::vector<Message> out;
  for (size_t i = 0; i < reported_.size(); ++i)
    out.push_back({reported_[i], std::move(diag_.all()[i])});
  return out;
}

} // namespace culink
