// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The installed reader: what it opens it can give out in full, and what it refuses it names.
#include "culink/cubin_reader.h"

#include "round_trip.h"
#include "targets.h"

using namespace culink;

int fuzz::cubin_reader_fuzz(const u8 *data, size_t size) {
  const Result<CubinReader> cubin = CubinReader::open({data, size}, "input");
  if (!cubin) {
    fuzz::require(cubin.error().file == "input" && !cubin.error().message.empty());
    return 0;
  }
  const std::vector<CubinReader::Symbol> symbols = cubin->symbols();
  const size_t sections = cubin->sections().size();
  for (const CubinReader::Symbol &symbol : symbols)
    fuzz::require(symbol.section < std::max<size_t>(sections, 1));
  for (const CubinReader::Relocation &relocation : cubin->relocations())
    fuzz::require(relocation.table < sections && relocation.section < sections);
  for (const CubinReader::Attribute &attribute : cubin->attributes())
    for (const CubinReader::Value &value : attribute.values)
      fuzz::require(!value.key.empty());
  for (const FunctionUsage &function : cubin->usage().functions)
    fuzz::require(function.symbol < symbols.size());
  for (const CubinReader::Section &section : cubin->sections()) {
    (void)cubin->symbols(section);
    (void)cubin->relocations(section);
  }
  (void)cubin->notes();
  (void)cubin->tools();
  return 0;
}
