// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a host object, the fatbins in it, and the code in its data.
#include <cstdlib>

#include "input/fatbin.h"
#include "input/find_code.h"
#include "input/host_object.h"
#include "targets.h"

using namespace culink;

int fuzz::host_object_fuzz(const u8 *data, size_t size) {
  for (const FoundCode &code : find_code("", {data, size}).code)
    if (!code.bytes.empty() &&
        (code.bytes.data() < data || code.bytes.data() + code.bytes.size() > data + size))
      std::abort();
  const Result<HostObject> object = read_host_object({data, size});
  if (!object)
    return 0;
  for (const ByteSpan fatbin : object->linkable) {
    if (!fatbin.empty() && (fatbin.data() < data || fatbin.data() + fatbin.size() > data + size))
      std::abort();
    (void)read_fatbins(fatbin);
  }
  return 0;
}
