// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbol resolution: which of several definitions of a name prevails. Objects are read in the order
// of the command line, in each first the functions and then everything else, as nvlink does. A
// second definition of a name meets these rules:
//
//   strong after strong      an error
//   strong after weak        the strong one prevails
//   weak function after weak the one with fewer registers prevails, then that of newer PTX
//   weak data after weak     the first prevails
//   weak after strong        the strong one prevails
//   common                   the largest size and the first alignment, unless one is initialised
//
// All later passes work with the resulting entities instead of symbols. What surprises: a
// definition that prevails over an earlier one takes over its order in the output. An entity
// therefore has two definitions, `first_definition` for the order and `prevailing` for the content,
// and each definition has an outcome as of the time when it was read, because nvlink goes by it
// (Q026).
#include "link/resolve/resolve.h"

#include <map>
#include <optional>

#include <fmt/format.h>

#include "arch/arch.h"
#include "link/resolve/kind_words.h"
#include "link/resolve/special_symbols.h"

namespace culink {

using elf::SymbolBinding;
using elf::SymbolType;

namespace {

constexpr u8 kParameterBank = arch::ConstantBanks{}.parameters;

std::string bytes_text(u64 size) {
  return fmt::format("{} bytes", size);
}

class SymbolResolver {
public:
  SymbolResolver(const std::vector<InputObject> &objects, const LinkPolicy &policy,
                 Diagnostics &diag)
      : objects_(objects), policy_(policy), diag_(diag) {}

  Resolution run();

private:
  void read_functions(ObjectId object);
  void read_function(ObjectId object, u32 symbol);
  void read_data(ObjectId object, u32 symbol);
  void read_opaque(SymbolRef ref, const elf::Symbol &symbol);
  [[nodiscard]] bool has_other_kind(const Entity &known, SymbolRef ref, const elf::Symbol &symbol,
                                    bool opaque);
  [[nodiscard]] bool agrees_with_images(SymbolRef ref, const elf::Symbol &symbol, bool opaque);
  void define_function(Entity &entity, SymbolRef ref, const elf::Symbol &symbol);
  void define_data(Entity &entity, SymbolRef ref, const elf::Symbol &symbol);
  void merge_common(Entity &entity, SymbolRef ref, const elf::Symbol &symbol);
  [[nodiscard]] bool may_differ_in_size(const Entity &entity, SymbolRef ref,
                                        const elf::Symbol &symbol) const;
  [[nodiscard]] bool is_initialised(SymbolRef ref) const;
  [[nodiscard]] bool prevails_over_common(SymbolRef ref) const {
    return policy_.zeroed_data_prevails || is_initialised(ref);
  }
  [[nodiscard]] bool prevails_over_weak(SymbolRef ref, const Entity &entity) const;
  [[nodiscard]] u64 parameter_bytes(SymbolRef kernel);
  void compare_parameters(const Entity &kernel, SymbolRef ref);
  [[nodiscard]] bool compatible(const Entity &entity, SymbolRef ref, const elf::Symbol &symbol);
  void report_duplicate(const Entity &entity, SymbolRef ref);
  void report_other_kind(const Entity &entity, SymbolRef ref, const elf::Symbol &symbol);

  // The largest common symbol of the name that `ref` has.
  [[nodiscard]] SymbolRef largest_common(SymbolRef ref) const {
    const auto found = largest_common_.find(out_.entity_of[ref.object.value][ref.symbol]);
    return found == largest_common_.end() ? ref : found->second;
  }
  [[nodiscard]] const elf::Symbol &symbol_of(SymbolRef ref) const {
    return objects_[ref.object.value].symbols[ref.symbol];
  }
  // The entity of a symbol, and whether this is its first occurrence.
  std::pair<Entity *, bool> entity_for(SymbolRef ref, const elf::Symbol &symbol);
  DefinitionOutcome &outcome(SymbolRef ref) {
    return out_.outcome_of[ref.object.value][ref.symbol];
  }
  [[nodiscard]] const std::string &file(SymbolRef ref) const {
    return objects_[ref.object.value].name;
  }
  [[nodiscard]] Origin origin(SymbolRef ref, std::string detail = {}) const {
    return objects_[ref.object.value].origin({}, std::move(detail));
  }
  // The file that nvlink names for an entity. It does not know whose an image is.
  [[nodiscard]] std::string named_file(const Entity &entity, SymbolRef ref) const {
    return is_image(entity.type()) ? "<input>" : file(ref);
  }
  Diagnostic &report(DiagId id, SymbolRef ref, std::vector<std::string> arguments) {
    return diag_.report(id, std::move(arguments)).in_step(objects_[ref.object.value].step);
  }
  [[nodiscard]] u32 registers(SymbolRef ref) const {
    return objects_[ref.object.value].registers[ref.symbol];
  }

  const std::vector<InputObject> &objects_;
  const LinkPolicy &policy_;
  Diagnostics &diag_;
  Resolution out_;
  StringIndex names_;
  std::vector<EntityId> entity_of_name_;
  std::map<EntityId, SymbolRef> largest_common_; // of a common symbol
  std::map<std::string_view, EntityId> opaque_;  // by name, where names decide
  std::vector<std::vector<u64>> parameters_; // by object and code section; empty: not asked for yet
};

Resolution SymbolResolver::run() {
  size_t symbols = 0; // at least as many as entities; memory that is not used costs nothing
  for (const InputObject &object : objects_)
    symbols += object.symbols.size();
  out_.entities.reserve(symbols);
  out_.entity_of.reserve(objects_.size());
  out_.outcome_of.reserve(objects_.size());
  out_.functions_of.reserve(objects_.size());
  for (u32 i = 0; i < objects_.size(); ++i) {
    const InputObject &object = objects_[i];
    out_.entity_of.emplace_back(object.symbols.size());
    out_.outcome_of.emplace_back(object.symbols.size(), DefinitionOutcome::None);
    if (i + 1 < objects_.size())
      prefetch_bytes(objects_[i + 1].strings);
    for (const elf::Symbol &symbol : object.symbols)
      if (symbol.binding() != SymbolBinding::Local)
        names_.expect(symbol.name);
    read_functions(ObjectId(i));
    for (u32 s = 1; s < object.symbols.size(); ++s)
      if (object.symbols[s].type() != SymbolType::Function)
        read_data(ObjectId(i), s);
  }
  return std::move(out_);
}

// Functions are read in symbol order, with one exception: before an alias whose name no object has
// used yet comes the function that owns the code (Q043).
void SymbolResolver::read_functions(ObjectId id) {
  const InputObject &object = objects_[id.value];
  std::vector<u32> &order = out_.functions_of.emplace_back();
  std::vector<bool> done(object.symbols.size(), false);
  const auto read = [&](u32 s) {
    if (done[s])
      return;
    done[s] = true;
    order.push_back(s);
    read_function(id, s);
  };
  for (u32 s = 1; s < object.symbols.size(); ++s) {
    const elf::Symbol &symbol = object.symbols[s];
    if (symbol.type() != SymbolType::Function)
      continue;
    if (const u32 owner = symbol.in_section() ? object.owner_of_code(symbol.section) : s;
        owner != s && owner < object.symbols.size() && !names_.find(symbol.name) &&
        object.symbols[owner].type() == SymbolType::Function &&
        object.symbols[owner].section == symbol.section)
      read(owner);
    read(s);
  }
}

std::pair<Entity *, bool> SymbolResolver::entity_for(SymbolRef ref, const elf::Symbol &symbol) {
  const bool local = symbol.binding() == SymbolBinding::Local;
  EntityId id(static_cast<u32>(out_.entities.size()));
  bool is_new = true;
  if (!local) {
    const auto [number, inserted] = names_.insert(symbol.name);
    if (inserted)
      entity_of_name_.push_back(id);
    id = entity_of_name_[number];
    is_new = inserted;
  }
  if (is_new) {
    Entity &entity = out_.entities.emplace_back();
    entity.name = symbol.name;
    entity.first = ref;
    entity.local = local;
    entity.function = symbol.type() == SymbolType::Function;
    entity.info = symbol.info;
    entity.other = symbol.other;
    entity.size = symbol.size;
    entity.dynamic = is_shared(symbol.other) && symbol.size == 0;
    // Undefined symbols keep a weak binding, except variables that compilers declare in every file
    // (Q072).
    const bool declared_object = symbol.undefined() && symbol.type() == SymbolType::Object;
    entity.in_local_part =
        policy_.weak_among_locals && symbol.binding() == SymbolBinding::Weak && !declared_object;
    if (declared_object && symbol.binding() == SymbolBinding::Weak)
      entity.info =
          static_cast<u8>(static_cast<u8>(SymbolBinding::Global) << 4 | (symbol.info & 15));
  }
  out_.entity_of[ref.object.value][ref.symbol] = id;
  return {&out_.entities[id.value], is_new};
}

void SymbolResolver::report_duplicate(const Entity &entity, SymbolRef ref) {
  const SymbolRef first = entity.defined() ? entity.prevailing : entity.first;
  // nvlink names the file with the first occurrence of a variable, as if it defined it.
  const SymbolRef named = entity.function ? first : entity.first;
  report(DiagId::MultipleDefinition, ref,
         {std::string(entity.name), file(ref), named_file(entity, named)})
      .at("defined in", origin(first))
      .at("defined in", origin(ref))
      .advise(first.object == ref.object || file(first) == file(ref)
                  ? "the same file is given twice"
                  : "");
}

// A function and a variable of one name, both with a strong definition.
void SymbolResolver::report_other_kind(const Entity &entity, SymbolRef ref,
                                       const elf::Symbol &symbol) {
  const bool other = entity.function != (symbol.type() == SymbolType::Function);
  if (other && entity.defined() && !entity.weak() && symbol.binding() != SymbolBinding::Weak)
    report_duplicate(entity, ref);
}

// Whether a symbol agrees with the earlier ones of its name in kind and memory space.
bool SymbolResolver::compatible(const Entity &entity, SymbolRef ref, const elf::Symbol &symbol) {
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
  if (entity.function != function || image != is_image(symbol.type()) ||
      (!function && ((entity.other ^ symbol.other) & 0xe0) != 0)) {
    const std::string here = space_name(entity.type(), entity.other);
    const std::string there = space_name(symbol.type(), symbol.other);
    disagree(DiagId::SpaceMismatch, {here, there, named_file(entity, entity.first)}, here, there);
    return false;
  }
  if (function && is_kernel_mark(entity.other) != is_kernel_mark(symbol.other)) {
    const auto kind = [](u8 other) { return is_kernel_mark(other) ? "__global__" : "__device__"; };
    disagree(DiagId::NotAKernelEverywhere, {}, kind(entity.other), kind(symbol.other));
    return false;
  }
  if (!function && ((entity.other ^ symbol.other) & elf::kOtherManaged) != 0) {
    const auto kind = [](u8 other) {
      return (other & elf::kOtherManaged) != 0 ? "__managed__" : "not __managed__";
    };
    disagree(DiagId::ManagedMismatch, {}, kind(entity.other), kind(symbol.other));
    return false;
  }
  return true;
}

void SymbolResolver::read_function(ObjectId object, u32 index) {
  const elf::Symbol &symbol = objects_[object.value].symbols[index];
  const SymbolRef ref{object, index};
  if (symbol.name.empty())
    return;
  const auto [entity, is_new] = entity_for(ref, symbol);
  const bool is_code =
      symbol.in_section() && objects_[object.value].kinds[symbol.section].is_code();
  if (!is_new && !compatible(*entity, ref, symbol)) {
    if (is_code)
      report_other_kind(*entity, ref, symbol);
    return;
  }
  if (is_code)
    define_function(*entity, ref, symbol);
}

// Of weak definitions of a function the one with fewer registers prevails, then one of newer PTX
// than the very first definition (not than the one that prevails so far, Q055), then the earlier.
bool SymbolResolver::prevails_over_weak(SymbolRef ref, const Entity &entity) const {
  if (registers(ref) != registers(entity.prevailing))
    return registers(ref) < registers(entity.prevailing);
  return objects_[ref.object.value].virtual_sm >
         objects_[entity.first_definition.object.value].virtual_sm;
}

// The size of a kernel's parameter bank. Sizes are collected for an object when it is first asked
// for, because few objects define a weak kernel that another object defines, too.
u64 SymbolResolver::parameter_bytes(SymbolRef kernel) {
  const InputObject &object = objects_[kernel.object.value];
  parameters_.resize(objects_.size());
  std::vector<u64> &sizes = parameters_[kernel.object.value];
  if (sizes.empty()) {
    sizes.resize(object.view.sections().size());
    for (const elf::Section &section : object.view.sections())
      if (const elf::SectionKind &kind = object.kinds[section.index];
          kind.role == elf::SectionRole::Constant && kind.bank == kParameterBank && !kind.mercury)
        sizes[object.owner_of(section.index)] = section.size;
  }
  return sizes[object.symbols[kernel.symbol].section];
}

// Two weak definitions of a kernel must have parameters of one size. nvlink does not compare those
// of a strong definition (Q044), and neither is it worth an error here.
void SymbolResolver::compare_parameters(const Entity &kernel, SymbolRef ref) {
  const u64 first = parameter_bytes(kernel.prevailing), second = parameter_bytes(ref);
  if (first != second)
    report(DiagId::ParameterBankMismatch, ref,
           {std::string(kernel.name), std::to_string(first), std::to_string(second)})
        .at("first defined in", origin(kernel.prevailing, bytes_text(first)))
        .at("defined in", origin(ref, bytes_text(second)));
}

void SymbolResolver::define_function(Entity &entity, SymbolRef ref, const elf::Symbol &symbol) {
  const bool strong = symbol.binding() != SymbolBinding::Weak;
  if (entity.defined()) {
    if (!entity.weak()) {
      outcome(ref) = DefinitionOutcome::DiscardedForStrong;
      if (strong)
        report_duplicate(entity, ref);
      return;
    }
    if (!strong && is_kernel_mark(symbol.other))
      compare_parameters(entity, ref);
    if (!strong && !prevails_over_weak(ref, entity)) {
      outcome(ref) = DefinitionOutcome::DiscardedForWeak;
      return;
    }
  } else {
    entity.first_definition = ref;
    const bool unmarked = !policy_.keeps_unified_marks && (entity.other & elf::kOtherUnified) == 0;
    entity.other = unmarked ? symbol.other & ~elf::kOtherUnified : symbol.other;
  }
  outcome(ref) = DefinitionOutcome::Accepted;
  entity.prevailing = ref;
  entity.info = symbol.info;
  entity.size = symbol.size;
}

void SymbolResolver::read_data(ObjectId object, u32 index) {
  const elf::Symbol &symbol = objects_[object.value].symbols[index];
  const SymbolRef ref{object, index};
  const bool local = symbol.binding() == SymbolBinding::Local;
  if (symbol.type() == SymbolType::Section || symbol.type() == SymbolType::NoType ||
      symbol.name.empty() || (symbol.undefined() && local && symbol.name != kConstantBankSize))
    return;
  if (is_image(symbol.type())) {
    const bool opaque =
        symbol.in_section() && objects_[object.value].kinds[symbol.section].is_code();
    if (!agrees_with_images(ref, symbol, opaque))
      return;
    if (opaque) {
      read_opaque(ref, symbol);
      return;
    }
  }
  const auto [entity, is_new] = entity_for(ref, symbol);
  const bool agrees = is_new || compatible(*entity, ref, symbol);
  if (!is_new && entity->size != 0 && symbol.size != 0 && entity->size != symbol.size &&
      !may_differ_in_size(*entity, ref, symbol)) {
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

// Whether an image meets something of its name that is no image of its kind.
bool SymbolResolver::has_other_kind(const Entity &known, SymbolRef ref, const elf::Symbol &symbol,
                                    bool opaque) {
  if (known.type() == symbol.type() && known.opaque == opaque)
    return false;
  report(DiagId::MultipleDefinition, ref,
         {std::string(symbol.name), file(ref), named_file(known, known.first)})
      .at("defined in", origin(known.first, space_name(known.type(), known.other)))
      .at("defined in", origin(ref, space_name(symbol.type(), symbol.other)));
  return true;
}

bool SymbolResolver::agrees_with_images(SymbolRef ref, const elf::Symbol &symbol, bool opaque) {
  if (opaque && policy_.keeps_opaque_apart)
    return true;
  if (const auto known = opaque_.find(symbol.name);
      known != opaque_.end() &&
      has_other_kind(out_.entities[known->second.value], ref, symbol, opaque))
    return false;
  const std::optional<u32> number = names_.find(symbol.name);
  return !number ||
         !has_other_kind(out_.entities[entity_of_name_[*number].value], ref, symbol, opaque);
}

// A parameter of a kernel that is an image. It is local to the kernel.
void SymbolResolver::read_opaque(SymbolRef ref, const elf::Symbol &symbol) {
  if (const auto known = opaque_.find(symbol.name); known != opaque_.end()) {
    out_.entity_of[ref.object.value][ref.symbol] = known->second;
    outcome(ref) = DefinitionOutcome::DiscardedForStrong;
    return;
  }
  Entity &entity = *entity_for(ref, symbol).first;
  entity.opaque = true;
  entity.first_definition = entity.prevailing = ref;
  outcome(ref) = DefinitionOutcome::Accepted;
  if (!policy_.keeps_opaque_apart)
    opaque_.emplace(symbol.name, out_.entity_of[ref.object.value][ref.symbol]);
}

bool SymbolResolver::is_initialised(SymbolRef ref) const {
  const InputObject &object = objects_[ref.object.value];
  return object.kinds[object.symbols[ref.symbol].section].role != elf::SectionRole::Global;
}

// The largest of several common symbols prevails; initialised data only has to be large enough.
bool SymbolResolver::may_differ_in_size(const Entity &entity, SymbolRef ref,
                                        const elf::Symbol &symbol) const {
  if (symbol.common())
    return entity.common_align != 0 || (entity.defined() && is_initialised(entity.prevailing));
  return entity.common_align != 0 && symbol.in_section() && is_initialised(ref);
}

// Before 13.3 a definition without initial values counts as one more common symbol, unless it is
// strong and was read first: then the common symbol is a duplicate (Q057).
void SymbolResolver::merge_common(Entity &entity, SymbolRef ref, const elf::Symbol &symbol) {
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
  SymbolRef &largest = largest_common_[out_.entity_of[ref.object.value][ref.symbol]];
  if (!largest.valid() || symbol_of(largest).size < symbol.size)
    largest = ref;
}

void SymbolResolver::define_data(Entity &entity, SymbolRef ref, const elf::Symbol &symbol) {
  const bool strong = symbol.binding() != SymbolBinding::Weak;
  // The first declaration of dynamic shared memory defines it. Definitions without a size come from
  // nvlink -r; whether one with a size contradicts is asked where it is known who uses it.
  if (entity.dynamic && entity.first != ref) {
    outcome(ref) = DefinitionOutcome::DiscardedForStrong;
    entity.sized = entity.sized || symbol.size != 0;
    entity.size = std::max(entity.size, symbol.size);
    if (symbol.size == 0 && strong && !policy_.repeats_dynamic_memory)
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
    entity.first_definition = ref;
    entity.weak_over_common = entity.common_align != 0;
    if (entity.common_align != 0 && entity.size > symbol.size)
      report(DiagId::CommonLargerThanDefinition, ref,
             {std::string(entity.name), std::to_string(entity.size), std::to_string(symbol.size)})
          .at("common in", origin(largest_common(ref), bytes_text(entity.size)))
          .at("defined in", origin(ref, bytes_text(symbol.size)));
  }
  outcome(ref) = DefinitionOutcome::Accepted;
  entity.weak_over_common = entity.weak_over_common && !strong;
  entity.prevailing = ref;
  entity.info = symbol.info;
  entity.other = symbol.other;
  entity.size = symbol.size;
  entity.common_align = 0;
}

} // namespace

Resolution resolve_symbols(const std::vector<InputObject> &objects, const LinkPolicy &policy,
                           Diagnostics &diag) {
  return SymbolResolver(objects, policy, diag).run();
}

} // namespace culink
