// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links of machine code take objects with Mercury code, too, whose Mercury half is left out. nvlink
// notices that such a link is one when it meets the first object without Mercury code. Objects
// before that one have been read for their Mercury code, of which a trace stays: a symbol that only
// Mercury code mentions is missing (Q100).
#include "link/emulate/mixed_kinds.h"

#include <algorithm>

namespace culink {

void forget_mercury_marks(std::vector<InputObject> &objects, const Dialect &dialect) {
  constexpr std::string_view kCap = ".nv.reservedSmem.cap";
  const auto plain = std::find_if(objects.begin(), objects.end(),
                                  [](const InputObject &object) { return !object.capsule; });
  if (!dialect.has(Defect::MissingMercuryMark) || plain == objects.end())
    return;
  for (auto object = objects.begin(); object != plain; ++object)
    for (elf::Symbol &symbol : object->symbols)
      if (symbol.undefined() && symbol.name == kCap)
        symbol.name = {};
}

} // namespace culink
