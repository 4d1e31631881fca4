// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Call graph and prototypes: pairs of words.
#include "elf/records/nv_callgraph.h"

#include "round_trip.h"
#include "targets.h"

using namespace culink;

int fuzz::nv_callgraph_fuzz(const u8 *data, size_t size) {
  const elf::CallGraph graph =
      fuzz::require_round_trip({data, size}, elf::decode_call_graph, elf::encode_call_graph);
  u64 pairs = 0;
  for (const elf::CallGroup &group : graph.groups)
    pairs += group.pairs.size() + (group.part == elf::CallPart::Unmarked ? 0 : 1);
  fuzz::require(pairs == size / 8);
  fuzz::require_round_trip({data, size}, elf::decode_prototypes, elf::encode_rows<elf::Prototype>);
  return 0;
}
