// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges the call graphs of the objects into one. ptxas records direct calls, functions whose
// address is taken (with their prototype) and indirect calls (with the prototype they call
// through). An indirect call may reach every address-taken function of the same prototype; a node
// per prototype between callers and targets keeps the number of edges linear. Liveness, the
// placement of memory and the records of kernels all read this graph.
//
// Objects are read in parallel, in batches of consecutive ones; the lists of the batches are joined
// in order. Prototypes get their numbers when all batches are read.
#include "link/resolve/call_graph.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "elf/target/driver_functions.h"
#include "elf/target/reloc.h"
#include "link/model/link_policy.h"
#include "link/model/program.h"
#include "support/string_index.h"

namespace culink {

// The call graphs of some consecutive objects, in order.
struct CallBatch {
  static constexpr u32 kNoPrototype = 0xffffffff;

  struct Call {
    FunctionId caller;
    FunctionId callee;
  };

  // The record of an object that a function has a prototype.
  struct Statement {
    FunctionId function;
    u32 prototype = 0; // in `prototypes`
    ObjectId object;
    bool about_address = false; // which is taken
  };
  // A function whose address is taken, or that calls through a pointer.
  struct Pointer {
    FunctionId function;
    u32 prototype = kNoPrototype; // in `prototypes`
    ObjectId object;
  };

  std::vector<Call> calls;
  std::vector<Call> targets;
  std::vector<Pointer> taken;
  std::vector<Pointer> indirect;
  std::vector<Statement> statements;
  std::vector<std::pair<FunctionId, ObjectId>> driver_calls;
  std::vector<std::pair<FunctionId, FunctionId>> inside;
  StringIndex prototypes;
  std::vector<PrototypeId> numbers; // of prototypes in the whole graph
};

// Reads the call graphs of objects. Functions have their numbers in `graph`; nothing else of it is
// read.
class CallReader {
public:
  CallReader(const std::vector<InputObject> &objects, const Resolution &symbols,
             const CallGraph &graph, const LinkPolicy &policy)
      : objects_(objects), symbols_(symbols), graph_(graph), policy_(policy) {}

  [[nodiscard]] CallBatch read(u32 begin, u32 end) const;

private:
  // The functions that the symbols of an object are.
  struct Functions {
    std::span<const EntityId> entity_of; // by symbol
    std::span<const FunctionId> function_of;

    [[nodiscard]] FunctionId operator()(u32 symbol) const {
      const EntityId entity = entity_of[symbol];
      return entity.valid() ? function_of[entity.value] : FunctionId{};
    }
  };

  void read_calls(ObjectId object, CallBatch &batch) const;
  void read_prototypes(ObjectId object, CallBatch &batch) const;
  void read_descriptors(ObjectId object, CallBatch &batch) const;
  void read_pointers(ObjectId object, CallBatch &batch) const;
  void read_owners(ObjectId object, CallBatch &batch) const;
  // True if the records that an object has for one of its functions count (Q026).
  [[nodiscard]] bool counts(ObjectId object, u32 symbol) const {
    const DefinitionOutcome outcome = symbols_.outcome(object, symbol);
    return outcome != DefinitionOutcome::DiscardedForWeak &&
           outcome != DefinitionOutcome::DiscardedForStrong;
  }
  [[nodiscard]] Functions functions_of(ObjectId object) const {
    return {symbols_.entity_of[object.value], graph_.function_of};
  }

  const std::vector<InputObject> &objects_;
  const Resolution &symbols_;
  const CallGraph &graph_;
  const LinkPolicy &policy_;
};

// Statements of objects about calls: .nv.callgraph and .nv.prototype, and relocations that take the
// address of a function. Symbols become functions of the program here; build_call_graph joins the
// batches.
//
// What may surprise: records of a definition that is discarded for an earlier one are skipped, both
// calls and taken addresses; an address taken by code of the output is still recorded. Records of a
// definition that is overridden later are kept, because nvlink has read them by then (Q026).

using elf::CallPart;

CallBatch CallReader::read(u32 begin, u32 end) const {
  CallBatch batch;
  for (u32 i = begin; i < end; ++i) {
    read_calls(ObjectId(i), batch);
    read_prototypes(ObjectId(i), batch);
    read_descriptors(ObjectId(i), batch);
    if (!policy_.forgets_pointed_to)
      read_pointers(ObjectId(i), batch);
    read_owners(ObjectId(i), batch);
  }
  return batch;
}

void CallReader::read_calls(ObjectId id, CallBatch &batch) const {
  const InputObject &object = objects_[id.value];
  const Functions function = functions_of(id);
  for (const elf::CallGroup &group : object.calls.groups)
    for (const elf::CallPair &pair : group.pairs) {
      const FunctionId first = function(pair.first);
      if (elf::second_is_prototype(group.part)) {
        if (!first.valid() || !counts(id, pair.first))
          continue;
        const u32 p = batch.prototypes.insert(object.prototype(pair.second)).first;
        if (group.part == CallPart::AddressTaken) {
          batch.taken.push_back({first, p, id});
          batch.statements.push_back({first, p, id, true});
        } else {
          batch.indirect.push_back({first, p, id});
        }
        continue;
      }
      const FunctionId second = function(pair.second);
      if (!first.valid() || !second.valid() || !counts(id, pair.first))
        continue;
      if (group.part == CallPart::Calls) {
        batch.calls.push_back({first, second});
      } else if (group.part == CallPart::IndirectTargets) {
        batch.targets.push_back({first, second});
        batch.taken.push_back({second, CallBatch::kNoPrototype, id});
      }
    }
}

void CallReader::read_prototypes(ObjectId id, CallBatch &batch) const {
  const InputObject &object = objects_[id.value];
  const Functions function = functions_of(id);
  for (const elf::Prototype &record : object.prototypes.records) {
    const std::string_view prototype = object.prototype(record.string);
    const u32 number = batch.prototypes.insert(prototype).first;
    const FunctionId f = function(record.symbol);
    if (!f.valid())
      continue;
    batch.statements.push_back({f, number, id});
    if (prototype.find('|') != std::string_view::npos) // called as the driver's
      batch.driver_calls.emplace_back(f, id);
  }
}

// A function that a function-descriptor relocation names has its address taken, whatever the
// object's own call graph has (Q071).
void CallReader::read_descriptors(ObjectId id, CallBatch &batch) const {
  const InputObject &object = objects_[id.value];
  const auto occurs = [&object](const arch::RelocInfo &row) {
    return row.resolver == arch::Resolver::LoaderFunction &&
           object.view.may_have_relocations(row.number);
  };
  if (std::ranges::none_of(arch::cuda_relocs(), occurs) &&
      std::ranges::none_of(arch::mercury_relocs(), occurs))
    return;
  for (const elf::Section &table : object.view.sections()) {
    if (!elf::is_relocation_table(table.type))
      continue;
    for (const elf::Relocation entry : object.view.relocations(table)) {
      const arch::RelocInfo *row = arch::find_reloc(entry.type);
      if (!row || row->resolver != arch::Resolver::LoaderFunction)
        continue;
      if (const FunctionId named = functions_of(id)(entry.symbol); named.valid())
        batch.taken.push_back({named, CallBatch::kNoPrototype, id});
    }
  }
}

// A function that a variable points to has its address taken, too. Compilers record it in the call
// graph; nvlink -r records it for an alias where data names the function. A bank of addresses is
// part of the code that loads them, and most of its functions are only called.
void CallReader::read_pointers(ObjectId id, CallBatch &batch) const {
  const InputObject &object = objects_[id.value];
  for (const elf::Section &table : object.view.sections()) {
    if (!elf::is_relocation_table(table.type))
      continue;
    const elf::SectionKind &kind = object.kinds[table.info];
    const bool variables = kind.role == elf::SectionRole::GlobalInit ||
                           (kind.is_constant() && kind.owner.empty() && !kind.holds_addresses());
    if (!variables || kind.mercury)
      continue;
    for (const elf::Relocation entry : object.view.relocations(table))
      if (const FunctionId named = functions_of(id)(entry.symbol); named.valid())
        batch.taken.push_back({named, CallBatch::kNoPrototype, id});
  }
}

// Functions that a compiler has put into the code of a kernel are not nodes of its call graph.
void CallReader::read_owners(ObjectId id, CallBatch &batch) const {
  const InputObject &object = objects_[id.value];
  if (!object.has_aliases)
    return;
  for (const u32 s : symbols_.functions_of[id.value]) {
    if (!object.symbols[s].in_section())
      continue;
    const u32 owner = object.owner_of_code(object.symbols[s].section);
    if (owner == s || owner >= object.symbols.size() ||
        !is_kernel_mark(object.symbols[owner].other))
      continue;
    const FunctionId kernel = functions_of(id)(owner), inner = functions_of(id)(s);
    if (kernel.valid() && inner.valid() && counts(id, s))
      batch.inside.emplace_back(kernel, inner);
  }
}

namespace {

// The digits that `text` begins with.
std::string_view leading_number(std::string_view text) {
  return text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
}

// True if two prototypes differ only where the earlier one has b1, a parameter of one byte, and the
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

constexpr u32 kObjectsOfBatch = 16;

class GraphBuilder {
public:
  GraphBuilder(const std::vector<InputObject> &objects, const Resolution &symbols,
               const LinkPolicy &policy, WorkerPool &pool, Diagnostics &diag)
      : objects_(objects), symbols_(symbols), policy_(policy), pool_(pool), diag_(diag),
        batches_((objects.size() + kObjectsOfBatch - 1) / kObjectsOfBatch) {}

  CallGraph run();

private:
  void number_functions();
  void read_batches();
  void number_prototypes();
  void list_calls();
  void list_targets();
  void list_pointers();
  void take_address(const CallBatch::Pointer &from, PrototypeId prototype);
  void compare_prototypes();
  void agree(FunctionId function, PrototypeId prototype, ObjectId object);
  [[nodiscard]] bool mean_the_same(std::string_view function, std::string_view earlier,
                                   std::string_view later) const;
  void connect();

  const std::vector<InputObject> &objects_;
  const Resolution &symbols_;
  const LinkPolicy &policy_;
  WorkerPool &pool_;
  Diagnostics &diag_;
  std::vector<CallBatch> batches_;
  CallGraph out_;
  std::vector<u32> taken_index_; // by FunctionId: position + 1 in out_.taken
  // By FunctionId: the prototype that was read last, and where.
  std::vector<std::pair<PrototypeId, ObjectId>> latest_;
};

CallGraph GraphBuilder::run() {
  number_functions();
  read_batches();
  number_prototypes();
  list_calls();
  list_targets();
  list_pointers();
  compare_prototypes();
  for (CallGraph::Taken &taken : out_.taken)
    if (!taken.prototype.valid())
      taken.prototype = out_.prototype_of[taken.function.value];
  connect();
  return std::move(out_);
}

// Functions are numbered in order of their first occurrence: the order of nvlink's call graph and
// prototype records.
void GraphBuilder::number_functions() {
  out_.function_of.resize(symbols_.entities.size());
  for (const Resolution::Share &share : symbols_.shares)
    for (u32 e = share.begin; e < share.functions_end; ++e) {
      out_.function_of[e] = FunctionId(static_cast<u32>(out_.functions.size()));
      out_.functions.emplace_back(e);
    }
}

void GraphBuilder::read_batches() {
  const CallReader reader(objects_, symbols_, out_, policy_);
  pool_.for_ranges(static_cast<u32>(objects_.size()), kObjectsOfBatch, [&](u32 begin, u32 end) {
    batches_[begin / kObjectsOfBatch] = reader.read(begin, end);
  });
}

// In the order in which objects refer to them.
void GraphBuilder::number_prototypes() {
  StringIndex index;
  for (CallBatch &batch : batches_)
    for (u32 i = 0; i < batch.prototypes.size(); ++i) {
      const auto [number, is_new] = index.insert(batch.prototypes[i]);
      if (is_new)
        out_.prototypes.push_back(batch.prototypes[i]);
      batch.numbers.emplace_back(number);
    }
}

// Sorts calls by caller, stably.
void GraphBuilder::list_calls() {
  std::vector<u32> starts(out_.functions.size() + 1);
  for (const CallBatch &batch : batches_)
    for (const CallBatch::Call &call : batch.calls)
      ++starts[call.caller.value + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<u32> listed(out_.functions.size());
  out_.calls = NodeLists<FunctionId>(std::move(starts));
  for (const CallBatch &batch : batches_)
    for (const CallBatch::Call &call : batch.calls)
      out_.calls.room(call.caller.value)[listed[call.caller.value]++] = call.callee;
}

void GraphBuilder::list_targets() {
  if (std::ranges::all_of(batches_, [](const CallBatch &batch) { return batch.targets.empty(); }))
    return;
  std::vector<std::vector<FunctionId>> targets(out_.functions.size());
  for (const CallBatch &batch : batches_)
    for (const CallBatch::Call &call : batch.targets)
      targets[call.caller.value].push_back(call.callee);
  out_.targets = NodeLists<FunctionId>(targets);
}

// An address-taken function has one prototype as a target of indirect calls, the last one that was
// read.
void GraphBuilder::take_address(const CallBatch::Pointer &from, PrototypeId prototype) {
  u32 &index = taken_index_[from.function.value];
  if (index == 0) {
    out_.taken_in[from.function.value] = from.object;
    out_.taken.push_back({from.function, {}});
    index = static_cast<u32>(out_.taken.size());
  }
  if (prototype.valid())
    out_.taken[index - 1].prototype = prototype;
}

void GraphBuilder::list_pointers() {
  taken_index_.resize(out_.functions.size());
  out_.taken_in.resize(out_.functions.size());
  for (const CallBatch &batch : batches_) {
    for (const CallBatch::Pointer &one : batch.taken)
      take_address(one, one.prototype == CallBatch::kNoPrototype ? PrototypeId{}
                                                                 : batch.numbers[one.prototype]);
    for (const CallBatch::Pointer &one : batch.indirect)
      out_.indirect.push_back({one.function, batch.numbers[one.prototype]});
    out_.driver_calls.insert(out_.driver_calls.end(), batch.driver_calls.begin(),
                             batch.driver_calls.end());
    out_.inside.insert(out_.inside.end(), batch.inside.begin(), batch.inside.end());
  }
}

void GraphBuilder::compare_prototypes() {
  out_.prototype_of.resize(out_.functions.size());
  latest_.resize(out_.functions.size());
  for (const CallBatch &batch : batches_)
    for (const CallBatch::Statement &one : batch.statements) {
      const PrototypeId prototype = batch.numbers[one.prototype];
      if (one.about_address) {
        latest_[one.function.value] = {prototype, one.object};
        continue;
      }
      agree(one.function, prototype, one.object);
      out_.prototype_of[one.function.value] = prototype; // the last one, where several agree
    }
}

// Calls of a driver function name the registers that it changes after a bar; a definition of such a
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
  std::ranges::stable_sort(callers, {}, &CallGraph::Taken::function);
  std::erase_if(targets, [](const CallGraph::Taken &one) { return !one.prototype.valid(); });
  std::ranges::stable_sort(targets, {}, &CallGraph::Taken::prototype);
  std::vector<u32> successors;
  const auto end_node = [&] {
    std::ranges::sort(successors);
    const auto repeated = std::ranges::unique(successors);
    successors.erase(repeated.begin(), repeated.end());
    out_.edges.add_node(successors);
    successors.clear();
  };
  auto call = callers.begin();
  for (u32 f = 0; f < out_.functions.size(); ++f) {
    for (const FunctionId callee : out_.calls[f])
      successors.push_back(callee.value);
    for (; call != callers.end() && call->function.value == f; ++call)
      successors.push_back(out_.node(call->prototype));
    end_node();
  }
  auto target = targets.begin();
  for (u32 p = 0; p < out_.prototypes.size(); ++p) {
    for (; target != targets.end() && target->prototype.value == p; ++target)
      successors.push_back(target->function.value);
    end_node();
  }
}

} // namespace

CallGraph build_call_graph(const std::vector<InputObject> &objects, const Resolution &symbols,
                           const LinkPolicy &policy, WorkerPool &pool, Diagnostics &diag) {
  return GraphBuilder(objects, symbols, policy, pool, diag).run();
}

} // namespace culink
