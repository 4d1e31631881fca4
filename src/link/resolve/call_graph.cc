// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One call graph from those of the objects. ptxas records direct calls, functions whose address is
// taken (with their prototype) and indirect calls (with the prototype they call through). An
// indirect call may reach every address-taken function of the same prototype; a node per prototype
// between callers and targets keeps the number of edges linear. Liveness, the placement of memory
// and the records of kernels all read this graph.
//
// What surprises: records of a definition that an earlier one prevails over are skipped, be it that
// they list calls or that they say that the function's address is taken; code of the output that
// takes the address counts nevertheless. Records of a definition that was overridden later are
// kept, because nvlink has read them by then (Q026).
#include "link/resolve/call_graph.h"

#include <algorithm>

#include "arch/driver_functions.h"
#include "arch/reloc.h"

namespace culink {

using elf::CallPart;

namespace {

// The digits that `text` begins with.
std::string_view leading_number(std::string_view text) {
  return text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
}

// Whether two prototypes differ only where the earlier one has b1, a parameter of one byte, and the
// later one b and another number.
bool fits_any_size(std::string_view earlier, std::string_view later) {
  while (!earlier.empty() && !later.empty() && earlier[0] == later[0]) {
    const bool block = earlier[0] == 'b';
    earlier.remove_prefix(1);
    later.remove_prefix(1);
    if (const std::string_view size = leading_number(earlier); block && size == "1") {
      earlier.remove_prefix(size.size());
      later.remove_prefix(leading_number(later).size());
    }
  }
  return earlier.empty() && later.empty();
}

class GraphBuilder {
public:
  GraphBuilder(const std::vector<InputObject> &objects, const Resolution &symbols,
               const LinkPolicy &policy, Diagnostics &diag)
      : objects_(objects), symbols_(symbols), policy_(policy), diag_(diag) {
    out_.function_of.resize(symbols.entities.size());
    for (const std::span<const arch::RelocInfo> rows :
         {arch::cuda_relocs(), arch::mercury_relocs()})
      for (const arch::RelocInfo &row : rows)
        if (row.resolver == arch::Resolver::LoaderFunction)
          descriptor_types_.push_back(row.number);
  }

  CallGraph run();

private:
  void number_functions();
  void read_calls(ObjectId object);
  void read_prototypes(ObjectId object);
  void read_descriptors(ObjectId object);
  void read_pointers(ObjectId object);
  void read_owners(ObjectId object);
  void agree(FunctionId function, PrototypeId prototype, ObjectId object);
  [[nodiscard]] bool mean_the_same(std::string_view function, std::string_view earlier,
                                   std::string_view later) const;
  void connect();
  PrototypeId prototype(std::string_view text);
  CallGraph::Taken &taken(FunctionId function, ObjectId object);
  // Whether the records that an object has for one of its functions count (Q026).
  [[nodiscard]] bool counts(ObjectId object, u32 symbol) const {
    const DefinitionOutcome outcome = symbols_.outcome(object, symbol);
    return outcome != DefinitionOutcome::DiscardedForWeak &&
           outcome != DefinitionOutcome::DiscardedForStrong;
  }
  [[nodiscard]] FunctionId function(ObjectId object, u32 symbol) const {
    const EntityId entity = symbols_.of(object, symbol);
    return entity.valid() ? out_.function_of[entity.value] : FunctionId{};
  }

  const std::vector<InputObject> &objects_;
  const Resolution &symbols_;
  const LinkPolicy &policy_;
  Diagnostics &diag_;
  std::vector<u32> descriptor_types_; // relocations that take the address of a function
  CallGraph out_;
  StringIndex prototype_index_;
  std::vector<u32> taken_index_; // by FunctionId: position + 1 in out_.taken
  // By FunctionId: the prototype that was read last, and where.
  std::vector<std::pair<PrototypeId, ObjectId>> latest_;
};

CallGraph GraphBuilder::run() {
  number_functions();
  out_.calls.resize(out_.functions.size());
  taken_index_.resize(out_.functions.size());
  out_.taken_in.resize(out_.functions.size());
  latest_.resize(out_.functions.size());
  out_.targets.resize(out_.functions.size());
  out_.prototype_of.resize(out_.functions.size());
  for (u32 i = 0; i < objects_.size(); ++i) {
    read_calls(ObjectId(i));
    read_prototypes(ObjectId(i));
    read_descriptors(ObjectId(i));
    if (policy_.keeps_pointed_to)
      read_pointers(ObjectId(i));
    read_owners(ObjectId(i));
  }
  for (CallGraph::Taken &taken : out_.taken)
    if (!taken.prototype.valid())
      taken.prototype = out_.prototype_of[taken.function.value];
  connect();
  return std::move(out_);
}

// Functions are numbered in order of their first occurrence: the order of nvlink's call graph and
// prototype records.
void GraphBuilder::number_functions() {
  for (u32 i = 0; i < objects_.size(); ++i)
    for (const u32 s : symbols_.functions_of[i]) {
      const EntityId entity = symbols_.of(ObjectId(i), s);
      if (!entity.valid() || out_.function_of[entity.value].valid())
        continue;
      out_.function_of[entity.value] = FunctionId(static_cast<u32>(out_.functions.size()));
      out_.functions.push_back(entity);
    }
}

PrototypeId GraphBuilder::prototype(std::string_view text) {
  const auto [number, is_new] = prototype_index_.insert(text);
  if (is_new)
    out_.prototypes.push_back(text);
  return PrototypeId(number);
}

// The entry of an address-taken function. It has one prototype as a target of indirect calls, the
// last one that was read.
CallGraph::Taken &GraphBuilder::taken(FunctionId function, ObjectId object) {
  u32 &index = taken_index_[function.value];
  if (index == 0) {
    out_.taken_in[function.value] = object;
    out_.taken.push_back({function, {}});
    index = static_cast<u32>(out_.taken.size());
  }
  return out_.taken[index - 1];
}

void GraphBuilder::read_calls(ObjectId id) {
  const InputObject &object = objects_[id.value];
  for (const elf::CallGroup &group : object.calls.groups)
    for (const elf::CallPair &pair : group.pairs) {
      const FunctionId first = function(id, pair.first);
      if (elf::second_is_prototype(group.part)) {
        const PrototypeId p = prototype(object.prototype(pair.second));
        if (!first.valid() || !counts(id, pair.first))
          continue;
        if (group.part == CallPart::AddressTaken) {
          taken(first, id).prototype = p;
          latest_[first.value] = {p, id};
        } else {
          out_.indirect.push_back({first, p});
        }
        continue;
      }
      const FunctionId second = function(id, pair.second);
      if (!first.valid() || !second.valid() || !counts(id, pair.first))
        continue;
      if (group.part == CallPart::Calls) {
        out_.calls[first.value].push_back(second);
      } else if (group.part == CallPart::IndirectTargets) {
        out_.targets[first.value].push_back(second);
        (void)taken(second, id);
      }
    }
}

void GraphBuilder::read_prototypes(ObjectId id) {
  const InputObject &object = objects_[id.value];
  for (const elf::Prototype &record : object.prototypes.records) {
    const PrototypeId p = prototype(object.prototype(record.string));
    const FunctionId f = function(id, record.symbol);
    if (!f.valid())
      continue;
    agree(f, p, id);
    if (out_.prototypes[p.value].find('|') != std::string_view::npos)
      out_.driver_calls.emplace_back(f, id);
    out_.prototype_of[f.value] = p; // the last one, where several agree
  }
}

// A function that a function-descriptor relocation names has its address taken, whatever the
// object's own call graph says (Q071).
void GraphBuilder::read_descriptors(ObjectId id) {
  const InputObject &object = objects_[id.value];
  const auto may_occur = [&object](u32 type) { return object.view.may_have_relocations(type); };
  if (std::none_of(descriptor_types_.begin(), descriptor_types_.end(), may_occur))
    return;
  for (const elf::Section &table : object.view.sections()) {
    if (!elf::is_relocation_table(table.type))
      continue;
    const elf::RelocationTable entries = object.view.relocations(table);
    for (u32 i = 0; i < entries.size(); ++i) {
      const elf::Relocation entry = entries[i];
      const arch::RelocInfo *row = arch::find_reloc(entry.type);
      if (!row || row->resolver != arch::Resolver::LoaderFunction)
        continue;
      if (const FunctionId named = function(id, entry.symbol); named.valid())
        (void)taken(named, id);
    }
  }
}

// A function that a variable points to has its address taken, too. Compilers say so in the call
// graph; nvlink -r says it of an alias where data has the name of the function.
void GraphBuilder::read_pointers(ObjectId id) {
  const InputObject &object = objects_[id.value];
  for (const elf::Section &table : object.view.sections()) {
    if (!elf::is_relocation_table(table.type))
      continue;
    const elf::SectionKind &kind = object.kinds[table.info];
    const bool variables =
        kind.role == elf::SectionRole::GlobalInit || (kind.is_constant() && kind.owner.empty());
    if (!variables || kind.mercury)
      continue;
    const elf::RelocationTable entries = object.view.relocations(table);
    for (u32 i = 0; i < entries.size(); ++i)
      if (const FunctionId named = function(id, entries[i].symbol); named.valid())
        (void)taken(named, id);
  }
}

// Functions that a compiler has put into the code of a kernel are no nodes of its call graph.
void GraphBuilder::read_owners(ObjectId id) {
  const InputObject &object = objects_[id.value];
  for (const u32 s : symbols_.functions_of[id.value]) {
    if (!object.symbols[s].in_section())
      continue;
    const u32 owner = object.owner_of_code(object.symbols[s].section);
    if (owner == s || owner >= object.symbols.size() ||
        !is_kernel_mark(object.symbols[owner].other))
      continue;
    const FunctionId kernel = function(id, owner), inner = function(id, s);
    if (kernel.valid() && inner.valid() && counts(id, s))
      out_.inside.emplace_back(kernel, inner);
  }
}

// Calls of a driver function say behind a bar which registers it changes; a definition of such a
// function in the program does not (Q140).
bool GraphBuilder::mean_the_same(std::string_view function, std::string_view earlier,
                                 std::string_view later) const {
  if (arch::is_driver_function(function)) {
    earlier = earlier.substr(0, earlier.find('|'));
    later = later.substr(0, later.find('|'));
  }
  return earlier == later || (policy_.one_byte_fits_any && fits_any_size(earlier, later));
}

// All objects that call or define a function must give it the same prototype. The prototype of a
// record that takes its address is compared with no earlier one, but later ones are compared with
// it (Q054).
void GraphBuilder::agree(FunctionId function, PrototypeId prototype, ObjectId object) {
  auto &[latest, where] = latest_[function.value];
  const Entity &entity = symbols_[out_.functions[function.value]];
  if (latest.valid() && latest != prototype &&
      !mean_the_same(entity.name, out_.prototypes[latest.value],
                     out_.prototypes[prototype.value])) {
    const std::string first(out_.prototypes[latest.value]);
    const std::string second(out_.prototypes[prototype.value]);
    const InputObject &here = objects_[object.value];
    // nvlink names the object with the definition if it was read already.
    const bool seen = entity.defined() && entity.first_definition.object.value <= object.value;
    const ObjectId named = (seen ? entity.first_definition : entity.first).object;
    diag_
        .report(DiagId::PrototypeMismatch,
                {std::string(entity.name), first, second, objects_[named.value].name})
        .at("first used or defined in", objects_[where.value].origin({}, first))
        .at("used or defined in", here.origin({}, second))
        .in_step(here.step);
  }
  latest = prototype;
  where = object;
}

void GraphBuilder::connect() {
  // Indirect calls are few, so sorting them is cheaper than a list for each function.
  std::vector<CallGraph::Taken> callers = out_.indirect, targets = out_.taken;
  std::stable_sort(callers.begin(), callers.end(),
                   [](const auto &a, const auto &b) { return a.function < b.function; });
  std::erase_if(targets, [](const CallGraph::Taken &one) { return !one.prototype.valid(); });
  std::stable_sort(targets.begin(), targets.end(),
                   [](const auto &a, const auto &b) { return a.prototype < b.prototype; });
  size_t calls = callers.size() + targets.size();
  for (const std::vector<FunctionId> &callees : out_.calls)
    calls += callees.size();
  out_.edges.reserve(out_.functions.size() + out_.prototypes.size(), calls);
  std::vector<u32> successors;
  auto call = callers.begin();
  for (u32 f = 0; f < out_.functions.size(); ++f) {
    successors.clear();
    for (const FunctionId callee : out_.calls[f])
      successors.push_back(callee.value);
    for (; call != callers.end() && call->function.value == f; ++call)
      successors.push_back(out_.node(call->prototype));
    out_.edges.add_node(successors);
  }
  auto target = targets.begin();
  for (u32 p = 0; p < out_.prototypes.size(); ++p) {
    successors.clear();
    for (; target != targets.end() && target->prototype.value == p; ++target)
      successors.push_back(target->function.value);
    out_.edges.add_node(successors);
  }
}

} // namespace

CallGraph build_call_graph(const std::vector<InputObject> &objects, const Resolution &symbols,
                           const LinkPolicy &policy, Diagnostics &diag) {
  return GraphBuilder(objects, symbols, policy, diag).run();
}

} // namespace culink
