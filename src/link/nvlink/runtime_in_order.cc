// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device runtime library in nvlink's order of reading. nvlink decides when it reads an object
// of the library: it is linked if any function at all is undefined at that moment, driver
// functions apart. After one that is not linked only further objects of the library may follow
// (Q083).
#include "link/nvlink/runtime_in_order.h"

#include <algorithm>

#include "link/resolve/system_library.h"

namespace culink::nvlink {

namespace {

std::vector<bool> find_needed_in_order(const std::vector<InputObject> &objects, Diagnostics &diag) {
  std::vector<bool> needed(objects.size(), true);
  UndefinedFunctions read;
  const InputObject *dropped = nullptr;
  for (size_t i = 0; i < objects.size(); ++i) {
    const InputObject &object = objects[i];
    if (object.system && !read.any_missing()) {
      needed[i] = false;
      dropped = &object;
      continue;
    }
    if (dropped) {
      diag.report(DiagId::ObjectAfterRuntime, {object.name, dropped->name});
      break;
    }
    read.add(object);
  }
  return needed;
}

} // namespace

std::vector<bool> find_needed_objects(const std::vector<InputObject> &objects,
                                      const Dialect &dialect, Diagnostics &diag) {
  const bool has_library = std::any_of(objects.begin(), objects.end(),
                                       [](const InputObject &object) { return object.system; });
  if (!has_library) // most links: nothing has to be counted
    return std::vector<bool>(objects.size(), true);
  return dialect.defects.runtime_in_order ? find_needed_in_order(objects, diag)
                                          : culink::find_needed_objects(objects);
}

} // namespace culink::nvlink
