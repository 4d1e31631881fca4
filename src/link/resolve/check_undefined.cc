// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that a program is complete. Undefined symbols of live code are errors, with exceptions:
// functions that the driver provides; dynamic shared memory; image references; weak symbols. An
// executable also needs the register count of every function, and tables of unified functions need
// an index file, whose format is not known; images that are parameters need their kernel. The
// checks run after liveness, because dead code may refer to anything, and before sections are
// merged, because an incomplete program has no layout. Code that tools put into programs
// (--link-as-tools-patch) must be compiled for it, or it would change registers of the program;
// each such function has a record of this.
#include "link/resolve/check_undefined.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "elf/target/driver_functions.h"
#include "link/model/diagnostics.h"
#include "link/model/name_pattern.h"
#include "link/resolve/program.h"
#include "link/resolve/references.h"
#include "link/resolve/special_symbols.h"
#include "support/demangle.h"
#include "support/string_index.h"

namespace culink {

// Messages about undefined symbols: which code refers to each, and which defined symbol may have
// been meant. They are needed only when a link has failed, so nothing is prepared for them: the
// references come from one walk over all relocations, the similar names from one list of all
// defined names, however many symbols are undefined.
//
// nvlink names the file with the first occurrence of a symbol, so that file comes first here, too.

namespace {

constexpr size_t kMostReferences = 3;
constexpr size_t kMostSimilar = 2;
constexpr size_t kMostExplained = 50; // without a library, thousands are undefined

// A section that refers to a symbol.
struct Referrer {
  u32 object = 0;
  u32 section = 0;

  friend bool operator==(const Referrer &, const Referrer &) = default;
};

class UndefinedExplainer {
public:
  UndefinedExplainer(const Program &program, const std::vector<EntityId> &missing)
      : p_(program), missing_(missing) {}

  void run(Diagnostics &diag);

private:
  struct Candidate {
    std::string plain;
    EntityId entity;
  };

  void find_references();
  void find_candidates();
  [[nodiscard]] Origin origin_of(const Referrer &referrer) const;
  void add_references(size_t number, Diagnostic &message) const;
  void add_similar(const Entity &entity, Diagnostic &message) const;

  const Program &p_;
  const std::vector<EntityId> &missing_;
  std::vector<u32> number_of_;                   // by EntityId: position in missing_ plus 1
  std::vector<std::vector<Referrer>> referrers_; // by number; neighbours are not equal
  std::vector<Candidate> candidates_;
};

void UndefinedExplainer::find_references() {
  number_of_.assign(p_.symbols.entities.size(), 0);
  for (u32 i = 0; i < missing_.size(); ++i)
    number_of_[missing_[i].value] = i + 1;
  referrers_.resize(missing_.size());
  each_reference(p_, [this](const Reference &reference) {
    const u32 number = number_of_[reference.to.value];
    if (number == 0)
      return;
    const Referrer referrer{reference.object.value, reference.section};
    if (std::vector<Referrer> &all = referrers_[number - 1]; all.empty() || all.back() != referrer)
      all.push_back(referrer);
  });
}

void UndefinedExplainer::find_candidates() {
  for (u32 i = 0; i < p_.symbols.entities.size(); ++i)
    if (p_.symbols.entities[i].defined())
      candidates_.push_back({plain_name(p_.symbols.entities[i].name), EntityId(i)});
}

Origin UndefinedExplainer::origin_of(const Referrer &referrer) const {
  const InputObject &object = p_.objects[referrer.object];
  const bool code = object.kinds[referrer.section].is_code();
  const u32 owner = code ? object.owner_of_code(referrer.section) : 0;
  if (owner != 0 && owner < object.symbols.size() && !object.symbols[owner].name.empty())
    return object.origin(object.symbols[owner].name);
  return object.origin({}, std::string(object.section(referrer.section).name));
}

void UndefinedExplainer::add_references(size_t number, Diagnostic &message) const {
  const Entity &entity = p_.symbols[missing_[number]];
  const std::vector<Referrer> &all = referrers_[number];
  const u32 first = entity.first.object.value;
  if (all.empty() || all.front().object != first)
    message.at("declared in", p_.objects[first].origin());
  for (size_t i = 0; i < all.size() && i < kMostReferences; ++i)
    message.at("referenced by", origin_of(all[i]));
  if (all.size() > kMostReferences)
    message.at(fmt::format("referenced by {} more", all.size() - kMostReferences), {});
}

void UndefinedExplainer::add_similar(const Entity &entity, Diagnostic &message) const {
  const std::string wanted = plain_name(entity.name);
  const size_t limit = std::min<size_t>(wanted.size() / 4, 2) + 1;
  size_t shown = 0;
  for (const Candidate &candidate : candidates_) {
    if (shown == kMostSimilar)
      return;
    const Entity &other = p_.symbols[candidate.entity];
    const Origin origin = p_.objects[other.prevailing.object.value].origin(other.name);
    if (candidate.plain == wanted) {
      const bool hidden = other.name == entity.name && other.local;
      message.at(hidden ? "not visible outside of" : "other signature in", origin);
      ++shown;
    } else if (limit > 1 && edit_distance(candidate.plain, wanted, limit) < limit) {
      message.at("similar name in", origin);
      ++shown;
    }
  }
}

void UndefinedExplainer::run(Diagnostics &diag) {
  find_references();
  find_candidates();
  const bool has_runtime = std::any_of(p_.objects.begin(), p_.objects.end(),
                                       [](const InputObject &object) { return object.system; });
  for (size_t i = 0; i < missing_.size(); ++i) {
    const Entity &entity = p_.symbols[missing_[i]];
    Diagnostic &message = diag.report(DiagId::UndefinedReference, {std::string(entity.name)});
    add_references(i, message);
    if (i < kMostExplained)
      add_similar(entity, message);
    if (entity.function && arch::is_runtime_function(entity.name) && !has_runtime)
      message.advise("it is part of the device runtime: add -lcudadevrt, and -L with its folder");
  }
}

// Reports these entities as undefined: the references to each, and similar names.
void report_undefined(const Program &program, const std::vector<EntityId> &missing,
                      Diagnostics &diag) {
  if (!missing.empty())
    UndefinedExplainer(program, missing).run(diag);
}

using elf::SymbolType;

bool may_be_undefined(const Entity &entity, bool weak) {
  if (entity.function)
    return arch::is_driver_function(entity.name) || weak;
  if (is_image(entity.type()) || entity.dynamic || is_unified_table(entity.name) ||
      is_descriptor_size(entity.name) || entity.name.starts_with(".nv.reservedSmem"))
    return true;
  return entity.common_align != 0 || weak;
}

// A function without a register count would run without registers.
void check_register_counts(const Program &p, WorkerPool &pool, Diagnostics &diag) {
  const auto check = [&p](u32 f, Diagnostics &messages) {
    const Entity &entity = p.entity_of(FunctionId(f));
    if (!entity.defined() || !p.live.live[f])
      return;
    const InputObject &object = p.objects[entity.prevailing.object.value];
    const auto has_none = [&](u32 symbol) {
      return symbol >= object.registers.size() ||
             object.registers[symbol] == InputObject::kNoRegisters;
    };
    if (has_none(entity.prevailing.symbol) &&
        has_none(object.owner_of_code(object.symbols[entity.prevailing.symbol].section)))
      messages.report(DiagId::NoRegisterCount, {std::string(entity.name)})
          .at("defined in", object.origin());
  };
  constexpr u32 kFunctionsTogether = 4096;
  report_from_threads(pool, static_cast<u32>(p.calls.functions.size()), kFunctionsTogether, check,
                      diag);
}

// The slots of unified functions and variables come from an index file that is made for a whole
// system.
void check_unified(const Program &p, Diagnostics &diag) {
  for (const InputObject &object : p.objects)
    for (u32 i = 0; object.has_unified && i < object.kinds.size(); ++i)
      if (const elf::SectionRole role = object.kinds[i].role;
          role == elf::SectionRole::UftEntry || role == elf::SectionRole::UdtEntry) {
        diag.report(DiagId::UnifiedWithoutIndex,
                    {object.name + ": " + std::string(object.section(i).name)});
        return;
      }
}

// Returns the kernel that an image parameter belongs to.
EntityId kernel_of_parameter(const Program &p, const Entity &opaque) {
  const InputObject &object = p.objects[opaque.prevailing.object.value];
  const u32 kernel = object.owner_of_code(object.symbols[opaque.prevailing.symbol].section);
  return kernel < object.symbols.size() ? p.symbols.of(opaque.prevailing.object, kernel)
                                        : EntityId{};
}

// ptxas writes one symbol for image parameters of one name, in the code of one kernel. The symbol
// is discarded with that code, and the slots of the other kernels could not be filled.
void check_image_parameters(const Program &p, Diagnostics &diag) {
  std::vector<bool> discarded;
  for (const EntityId id : p.symbols.opaque)
    if (const EntityId kernel = kernel_of_parameter(p, p.symbols[id]);
        kernel.valid() && !p.is_live(kernel)) {
      discarded.resize(p.symbols.entities.size());
      discarded[id.value] = true;
    }
  if (discarded.empty() || p.policy.joins_opaque_by_name) // where nvlink refuses all of them
    return;
  each_reference(p, [&](const Reference &reference) {
    if (!reference.from.valid() || !p.is_live(reference.from) || !discarded[reference.to.value])
      return;
    discarded[reference.to.value] = false; // one message is enough
    const Entity &image = p.symbols[reference.to];
    const std::string kernel(p.symbols[kernel_of_parameter(p, image)].name);
    diag.report(DiagId::DeletedParameter, {std::string(image.name)}, {},
                "the object has one symbol for parameters of this name; keep '" + kernel +
                    "', too, or give them different names")
        .at("parameter of", p.objects[image.prevailing.object.value].origin(kernel))
        .at("used by", p.objects[reference.object.value].origin(p.symbols[reference.from].name));
  });
}

} // namespace

// All functions count, since all of them stay.
void check_tools_patch(const Program &p, Diagnostics &diag) {
  if (!p.options.tools_patch)
    return;
  std::vector<std::vector<bool>> is_patch; // by object and section: code with the record
  for (const InputObject &object : p.objects) {
    std::vector<bool> &sections = is_patch.emplace_back(object.kinds.size());
    for (const InputObject::Info &info : object.infos)
      for (const elf::InfoRecord &record : info.records)
        if (record.attribute == elf::InfoAttribute::ToolsPatchFunc)
          sections[info.text] = true;
  }
  for (const Entity &entity : p.symbols.entities) {
    if (!entity.function || !entity.defined())
      continue;
    const InputObject &object = p.objects[entity.prevailing.object.value];
    if (!is_patch[entity.prevailing.object.value][object.symbols[entity.prevailing.symbol].section])
      diag.report(
              DiagId::NotAToolsPatch,
              {std::string(entity.name), object.name, std::string(p.dialect.command.patch_option)},
              {}, "compile it with -Xptxas -astoolspatch")
          .at("defined in", object.origin());
  }
}

void check_executable(const Program &p, WorkerPool &pool, Diagnostics &diag) {
  if (!p.policy.executable)
    return;
  check_unified(p, diag);
  check_register_counts(p, pool, diag);
  check_image_parameters(p, diag);
}

void check_undefined(const Program &p, Diagnostics &diag) {
  if (!p.policy.requires_definitions)
    return;
  std::vector<EntityId> missing;
  for (const EntityId id : p.symbols.undefined) {
    const Entity &entity = p.symbols[id];
    if (!p.is_live(id))
      continue;
    const InputObject &object = p.objects[entity.first.object.value];
    const elf::Symbol &first = object.symbols[entity.first.symbol];
    const bool weak =
        first.binding() == elf::SymbolBinding::Weak && !p.policy.requires_weak_definitions;
    if (first.in_section() || may_be_undefined(entity, weak))
      continue;
    missing.push_back(id);
  }
  report_undefined(p, missing, diag);
}

// An option with a symbol that does not exist, or a selection without a match, is a mistake in the
// name. All symbols of the inputs are known here, linked or not.

namespace {

constexpr size_t kMostAlike = 3;

// Returns similar names without namespaces and parameters, each once: users mistype the name
// itself.
std::string names_alike(const std::vector<std::string> &plain, std::string_view wanted) {
  std::string_view name = wanted.substr(0, std::min(wanted.find_first_of("(<"), wanted.size()));
  if (const size_t colons = name.rfind("::"); colons != std::string_view::npos)
    name.remove_prefix(colons + 2);
  const std::vector<std::string_view> near =
      similar_names(name, {plain.begin(), plain.end()}, kMostAlike);
  return near.empty() ? "" : "similar names: " + comma_list(near);
}

void report_asked_name(DiagId id, const char *option, const std::string &wanted,
                       const std::vector<std::string_view> &names, Diagnostics &diag) {
  std::vector<std::string> plain;
  for (const std::string_view name : names)
    plain.push_back(plain_name(name));
  std::sort(plain.begin(), plain.end());
  plain.erase(std::unique(plain.begin(), plain.end()), plain.end());
  diag.report(id, {option, wanted}).advise(names_alike(plain, wanted));
}

// The names to search. Nearly every query equals one of them exactly.
struct KnownNames {
  std::vector<std::string_view> list;
  StringIndex index;

  void add(std::string_view name) {
    list.push_back(name);
    index.insert(name);
  }
  template <typename IsIt> [[nodiscard]] bool has(const std::string &wanted, IsIt is_it) const {
    return index.find(wanted) || std::any_of(list.begin(), list.end(), is_it);
  }
};

} // namespace

void check_asked_names(const Program &p, Diagnostics &diag) {
  const LinkOptions &options = p.options;
  if (options.trace_symbols.empty() && options.why_live.empty() &&
      !(options.kernels_used && options.source_names))
    return;
  KnownNames symbols, kernels;
  for (const Entity &entity : p.symbols.entities) {
    symbols.add(entity.name);
    if (entity.function && entity.defined() && is_kernel_mark(entity.other))
      kernels.add(entity.name);
  }
  for (const auto &[option, wanted] : {std::pair{"--trace-symbol", &options.trace_symbols},
                                       std::pair{"--why-live", &options.why_live}})
    for (const std::string &name : *wanted)
      if (!symbols.has(name, [&](std::string_view symbol) { return is_meant(symbol, name); }))
        report_asked_name(DiagId::NoSuchSymbol, option, name, symbols.list, diag);
  if (!options.kernels_used || !options.source_names)
    return;
  for (const std::string &name : *options.kernels_used) {
    const std::vector<std::string> alone = {name};
    const bool found = kernels.has(
        name, [&](std::string_view kernel) { return selects_kernel(kernel, alone, true); });
    if (!found && !name.empty()) // which is part of every name
      report_asked_name(DiagId::NoSuchKernel, "-kernels-used", name, kernels.list, diag);
  }
}

} // namespace culink
