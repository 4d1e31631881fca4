// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages about undefined symbols: which code refers to each, and which defined symbol may have
// been meant. They are needed only when a link has failed, so nothing is prepared for them: the
// references come from one walk over all relocations, the similar names from one list of all
// defined names, however many symbols are undefined.
//
// nvlink names the file with the first occurrence of a symbol, so that file comes first here, too.
#include "link/resolve/explain_undefined.h"

#include <algorithm>

#include <fmt/format.h>

#include "arch/driver_functions.h"
#include "base/demangle.h"
#include "link/resolve/references.h"
#include "model/similar_names.h"

namespace culink {

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

} // namespace

void report_undefined(const Program &program, const std::vector<EntityId> &missing,
                      Diagnostics &diag) {
  if (!missing.empty())
    UndefinedExplainer(program, missing).run(diag);
}

} // namespace culink
