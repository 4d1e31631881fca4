// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains of reasons for --why-live. mark_live has stored for every live function what made it live,
// so the chain of a function only has to be followed back to its root. Liveness knows nothing of
// variables, because all of them are kept: the reason of a variable is the live code that refers to
// it, found by a search from all live functions over the relocations. Code comes before initial
// values of other variables; of several functions, the one with the shortest chain of its own.
//
// A function that is live because its address is taken is the start of its chain; what takes the
// address is shown before it, but need not be live.
#include "link/records/liveness_facts.h"

#include <algorithm>

#include "link/records/symbol_facts.h"
#include "link/resolve/references.h"
#include "link/resolve/search.h"

namespace culink {

namespace {

constexpr size_t kMostReferrers = 3; // shown for a function that is not live

class LivenessExplainer {
public:
  LivenessExplainer(const Program &program, const Layout &layout)
      : p_(program), layout_(layout), asked_for_(program.symbols.entities.size(), false),
        taker_of_(program.calls.functions.size()) {}

  std::vector<LivenessFacts> run();

private:
  // Something that takes the address of a function. The best one is shown.
  struct Taker {
    ObjectId object;
    EntityId symbol; // none: not known which
    int rank = 0;
  };

  void find_asked();
  void read_references();
  void note_taker(const Reference &reference, FunctionId function);
  void find_variables(std::vector<std::vector<u32>> &references);
  [[nodiscard]] std::vector<u32> live_functions_by_distance() const;
  void explain(LivenessFacts &facts, EntityId id) const;
  void add_referrers(LivenessFacts &facts, EntityId id) const;
  [[nodiscard]] std::vector<LiveStep> chain_to(EntityId id) const;
  [[nodiscard]] LiveStep step(LiveReason reason, EntityId id) const;
  [[nodiscard]] EntityId stand_in(EntityId folded) const {
    return std::ranges::lower_bound(p_.symbols.folded, folded, {}, &Resolution::Folded::function)
        ->into;
  }
  // The definition that a reference is in is part of the output, or would be if it were live.
  [[nodiscard]] bool prevails(const Reference &reference) const {
    return reference.from.valid() &&
           p_.symbols[reference.from].prevailing.object == reference.object;
  }

  const Program &p_;
  const Layout &layout_;
  std::vector<LivenessFacts> out_;
  std::vector<EntityId> entities_;   // by position in out_
  std::vector<bool> asked_for_;      // by EntityId
  std::vector<Taker> taker_of_;      // by FunctionId
  std::vector<EntityId> reached_by_; // by EntityId: of a variable, what refers to it
  std::vector<std::pair<EntityId, EntityId>> to_asked_; // references to what was asked for
};

std::vector<LivenessFacts> LivenessExplainer::run() {
  find_asked();
  if (out_.empty())
    return {};
  read_references();
  for (size_t i = 0; i < out_.size(); ++i)
    explain(out_[i], entities_[i]);
  return std::move(out_);
}

void LivenessExplainer::find_asked() {
  for (const std::string &text : p_.options.why_live)
    for (u32 i = 0; i < p_.symbols.entities.size(); ++i)
      if (names_symbol(text, p_.symbols.entities[i].name)) {
        out_.push_back({text, std::string(p_.symbols.entities[i].name), false, {}, {}});
        entities_.emplace_back(i);
        asked_for_[i] = true;
      }
}

void LivenessExplainer::read_references() {
  std::vector<std::vector<u32>> references(p_.symbols.entities.size()); // by entity, to variables
  each_reference(p_, [&](const Reference &reference) {
    const FunctionId function = p_.function_of(reference.to);
    if (!function.valid()) {
      if (prevails(reference))
        references[reference.from.value].push_back(reference.to.value);
    } else if (p_.live.why[function.value].reason == LiveReason::AddressTaken) {
      note_taker(reference, function);
    }
    if (asked_for_[reference.to.value] && prevails(reference))
      to_asked_.emplace_back(reference.from, reference.to);
  });
  find_variables(references);
}

// Relocations do not say whether code calls a function or takes its address, but the call graph
// says which calls there are, and in which object the address was seen first.
void LivenessExplainer::note_taker(const Reference &reference, FunctionId function) {
  if (!reference.from.valid())
    return;
  const FunctionId from = p_.function_of(reference.from);
  const bool calls =
      from.valid() && std::ranges::binary_search(p_.calls.edges[from.value], function.value);
  const bool first = p_.calls.taken_in[function.value] == reference.object;
  const int rank = 1 + (calls ? 0 : 2) + (first ? 1 : 0);
  if (Taker &known = taker_of_[function.value]; rank > known.rank)
    known = {reference.object, reference.from, rank};
}

// Callers come before callees, kernels first: the order in which a chain gets longer.
std::vector<u32> LivenessExplainer::live_functions_by_distance() const {
  std::vector<std::vector<u32>> kept_by(p_.calls.functions.size());
  std::vector<u32> roots;
  for (u32 f = 0; f < kept_by.size(); ++f) {
    const Liveness &why = p_.live.why[f];
    if (why.by.valid())
      kept_by[why.by.value].push_back(f);
    else if (why.live())
      roots.push_back(f);
  }
  const auto is_kernel = [this](u32 f) { return p_.live.kernel[f]; };
  std::stable_partition(roots.begin(), roots.end(), is_kernel);
  return search_breadth_first(
      std::move(roots), [&](u32 f) -> const std::vector<u32> & { return kept_by[f]; },
      [](u32, u32) { return Visit::Follow; });
}

void LivenessExplainer::find_variables(std::vector<std::vector<u32>> &references) {
  EdgeLists edges;
  for (std::vector<u32> &to : references)
    edges.add_node(to);
  reached_by_.resize(references.size());
  std::vector<u32> start;
  for (const u32 f : live_functions_by_distance())
    start.push_back(p_.calls.functions[f].value);
  (void)search_breadth_first(
      std::move(start), [&](u32 id) { return edges[id]; },
      [this](u32 id, u32 from) {
        if (reached_by_[id].valid())
          return Visit::Skip;
        reached_by_[id] = EntityId(from);
        return Visit::Follow;
      });
}

LiveStep LivenessExplainer::step(LiveReason reason, EntityId id) const {
  const Entity &entity = p_.symbols[id];
  return {reason, std::string(entity.name),
          entity.defined() ? p_.objects[entity.prevailing.object.value].name : ""};
}

// The chain is followed from its end: variables, then functions up to a root.
std::vector<LiveStep> LivenessExplainer::chain_to(EntityId id) const {
  std::vector<LiveStep> out;
  while (!p_.function_of(id).valid()) {
    out.push_back(step(LiveReason::Reference, id));
    id = reached_by_[id.value];
  }
  FunctionId function = p_.function_of(id);
  for (; function.valid(); function = p_.live.why[function.value].by) {
    const LiveReason reason = p_.live.why[function.value].reason;
    out.push_back(step(reason, p_.calls.functions[function.value]));
    if (reason != LiveReason::AddressTaken)
      continue;
    const Taker &taker = taker_of_[function.value];
    const ObjectId object = p_.calls.taken_in[function.value];
    out.push_back({LiveReason::AddressTaker,
                   taker.symbol.valid() ? std::string(p_.symbols[taker.symbol].name) : "",
                   p_.objects[(taker.symbol.valid() ? taker.object : object).value].name});
  }
  std::reverse(out.begin(), out.end());
  return out;
}

void LivenessExplainer::add_referrers(LivenessFacts &facts, EntityId id) const {
  std::vector<EntityId> seen;
  const auto add = [&](LiveReason reason, EntityId from) {
    if (from == id || std::find(seen.begin(), seen.end(), from) != seen.end() ||
        seen.size() == kMostReferrers)
      return;
    seen.push_back(from);
    facts.chain.push_back(step(reason, from));
  };
  const FunctionId callee = p_.function_of(id);
  for (u32 f = 0; callee.valid() && f < p_.calls.functions.size(); ++f)
    if (std::ranges::binary_search(p_.calls.edges[f], callee.value))
      add(LiveReason::Call, p_.calls.functions[f]);
  for (const auto &[from, to] : to_asked_)
    if (to == id)
      add(LiveReason::Reference, from);
}

void LivenessExplainer::explain(LivenessFacts &facts, EntityId id) const {
  if (const FunctionId function = p_.function_of(id); function.valid()) {
    facts.reason = p_.live.why[function.value].reason;
    facts.live = p_.live.is_live(function);
  } else {
    const bool placed = layout_.placement.address_of[id.value].section.valid();
    const bool referenced = reached_by_[id.value].valid();
    facts.reason = referenced ? LiveReason::Reference
                   : placed   ? LiveReason::AllVariables
                              : LiveReason::None;
    facts.live = facts.reason != LiveReason::None;
  }
  if (facts.reason == LiveReason::Folded)
    facts.chain = {step(facts.reason, stand_in(id))};
  else if (!facts.live)
    add_referrers(facts, id);
  else if (facts.reason == LiveReason::AllVariables)
    facts.chain = {step(facts.reason, id)};
  else
    facts.chain = chain_to(id);
}

} // namespace

std::vector<LivenessFacts> explain_liveness(const Program &program, const Layout &layout) {
  return LivenessExplainer(program, layout).run();
}

} // namespace culink
