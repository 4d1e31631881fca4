// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A relocatable link may leave several local functions of one name in an object, with sections of
// one name each. When nvlink reads such an object for sm_100 or later, it looks for the records of
// a function by the name of their section, and finds the first one's for all (Q110). It does the
// same with relocations, which breaks programs and is not repeated here.
#include "link/repeated_names.h"

#include <unordered_map>

namespace culink {

void repeat_first_records(std::vector<InputObject> &objects, const Dialect &dialect) {
  if (!dialect.repeats_first_records)
    return;
  for (InputObject &object : objects) {
    std::unordered_map<std::string_view, const InputObject::Info *> first;
    for (InputObject::Info &info : object.infos)
      info.records = first.emplace(object.section(info.section).name, &info).first->second->records;
  }
}

} // namespace culink
