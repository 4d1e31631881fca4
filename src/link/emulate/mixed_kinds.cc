// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links of SASS take objects with Mercury code, too, and leave the Mercury code out. nvlink notices
// that a link is of that kind when it reads the first object without Mercury code. Objects before
// it have been read for their Mercury code and show it: a symbol that only Mercury code refers to
// is missing (Q100).
#include "link/emulate/mixed_kinds.h"

#include <algorithm>

namespace culink::emulate {

std::vector<InputObject> forget_mercury_marks(std::vector<InputObject> objects,
                                              const Dialect &dialect) {
  constexpr std::string_view kCap = ".nv.reservedSmem.cap";
  const auto plain = std::find_if(objects.begin(), objects.end(),
                                  [](const InputObject &object) { return !object.capsule; });
  if (!dialect.has(Defect::MissingMercuryMark) || plain == objects.end())
    return objects;
  for (auto object = objects.begin(); object != plain; ++object)
    for (elf::Symbol &symbol : object->symbols)
      if (symbol.undefined() && symbol.name == kCap)
        symbol.name = {};
  return objects;
}

} // namespace culink::emulate
