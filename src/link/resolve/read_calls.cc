// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What objects say about calls: the sections .nv.callgraph and .nv.prototype, and relocations that
// take the address of a function. Symbols become functions of the program here; build_call_graph
// joins what consecutive objects say.
//
// What surprises: records of a definition that an earlier one prevails over are skipped, be it that
// they list calls or that they say that the function's address is taken; code of the output that
// takes the address counts nevertheless. Records of a definition that was overridden later are
// kept, because nvlink has read them by then (Q026).
#include "link/resolve/read_calls.h"

#include <algorithm>
#include <array>

#include "arch/reloc.h"

namespace culink {

using elf::CallPart;

namespace {

// Prototypes of one object by the offset of their text. Nearly all records have one of a few.
class PrototypeMemory {
public:
  struct Known {
    u32 offset = CallBatch::kNoPrototype;
    u32 number = 0;
    bool has_bar = false; // the function is called as the driver's
  };

  PrototypeMemory(const InputObject &object, StringIndex &index) : object_(object), index_(index) {}
  const Known &find(u32 offset) {
    Known &known = known_[offset % known_.size()];
    if (known.offset != offset) [[unlikely]]
      known = look_up(offset);
    return known;
  }

private:
  [[nodiscard]] Known look_up(u32 offset) {
    const std::string_view text = object_.prototype(offset);
    return {offset, index_.insert(text).first, text.find('|') != std::string_view::npos};
  }

  const InputObject &object_;
  StringIndex &index_;
  std::array<Known, 16> known_;
};

} // namespace

CallReader::CallReader(const std::vector<InputObject> &objects, const Resolution &symbols,
                       const CallGraph &graph, const LinkPolicy &policy, std::span<u32> counts)
    : objects_(objects), symbols_(symbols), graph_(graph), policy_(policy), call_counts_(counts) {
  for (const std::span<const arch::RelocInfo> rows : {arch::cuda_relocs(), arch::mercury_relocs()})
    for (const arch::RelocInfo &row : rows)
      if (row.resolver == arch::Resolver::LoaderFunction)
        descriptor_types_.push_back(row.number);
}

CallBatch CallReader::read(u32 begin, u32 end) const {
  CallBatch batch = make_room(begin, end);
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

// A batch with room for most of what these objects say.
CallBatch CallReader::make_room(u32 begin, u32 end) const {
  size_t calls = 0, statements = 0;
  for (u32 i = begin; i < end; ++i) {
    statements += objects_[i].prototypes.records.size();
    for (const elf::CallGroup &group : objects_[i].calls.groups)
      calls += group.part == CallPart::Calls ? group.pairs.size() : 0;
  }
  CallBatch batch;
  batch.calls.reserve(calls);
  batch.statements.reserve(statements);
  return batch;
}

void CallReader::read_calls(ObjectId id, CallBatch &batch) const {
  const InputObject &object = objects_[id.value];
  const Functions function = functions_of(id);
  PrototypeMemory prototypes(object, batch.prototypes);
  for (const elf::CallGroup &group : object.calls.groups)
    for (const elf::CallPair &pair : group.pairs) {
      const FunctionId first = function(pair.first);
      if (elf::second_is_prototype(group.part)) {
        if (!first.valid() || !counts(id, pair.first))
          continue;
        const u32 p = prototypes.find(pair.second).number;
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
      if (group.part == CallPart::Calls && home_of_function(symbols_, graph_, first) == id) {
        batch.calls.push_back({first, second, id});
        ++call_counts_[first.value]; // which no other object does
      } else if (group.part == CallPart::Calls) {
        batch.other_calls.push_back({first, second, id});
      } else if (group.part == CallPart::IndirectTargets) {
        batch.targets.push_back({first, second, id});
        batch.taken.push_back({second, CallBatch::kNoPrototype, id});
      }
    }
}

void CallReader::read_prototypes(ObjectId id, CallBatch &batch) const {
  const InputObject &object = objects_[id.value];
  const Functions function = functions_of(id);
  PrototypeMemory prototypes(object, batch.prototypes);
  for (const elf::Prototype &record : object.prototypes.records) {
    const PrototypeMemory::Known &prototype = prototypes.find(record.string);
    const FunctionId f = function(record.symbol);
    if (!f.valid())
      continue;
    batch.statements.push_back({f, prototype.number, id});
    if (prototype.has_bar)
      batch.driver_calls.emplace_back(f, id);
  }
}

// A function that a function-descriptor relocation names has its address taken, whatever the
// object's own call graph says (Q071).
void CallReader::read_descriptors(ObjectId id, CallBatch &batch) const {
  const InputObject &object = objects_[id.value];
  const auto may_occur = [&object](u32 type) { return object.view.may_have_relocations(type); };
  if (std::none_of(descriptor_types_.begin(), descriptor_types_.end(), may_occur))
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

// A function that a variable points to has its address taken, too. Compilers say so in the call
// graph; nvlink -r says it of an alias where data has the name of the function. A bank of
// addresses is part of the code that loads them, and most of its functions are only called.
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

// Functions that a compiler has put into the code of a kernel are no nodes of its call graph.
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

} // namespace culink
