// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a host object, and the fatbins in it.
#include <cstdlib>

#include "input/fatbin.h"
#include "input/host_object.h"

using namespace culink;

extern "C" int LLVMFuzzerTestOneInput(const u8 *data, size_t size) {
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
