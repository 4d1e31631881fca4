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

CallReader::CallReader(const std::vector<InputObject> &objects, const Resolution &symbols,
                       const CallGraph &graph, const LinkPolicy &policy)
    : objects_(objects), symbols_(symbols), graph_(graph), policy_(policy) {
  for (const std::span<const arch::RelocInfo> rows : {arch::cuda_relocs(), arch::mercury_relocs()})
    for (const arch::RelocInfo &row : rows)
      if (row.resolver == arch::Resolver::LoaderFunction)
        descriptor_types_.push_back(row.number);
}

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
