// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which form a document has: one that lists sections, or says `cubin: exact`, is exact.
#include "yaml/assemble.h"

namespace culink::text {

Result<std::vector<u8>> assemble(const Node &document) {
  if (!document.is_map())
    return Error{"", "", "a document is a map: arch, type and what the file holds"};
  if (document.find("sections") || document.find("cubin"))
    return assemble_exact(document);
  return assemble_minimal(document);
}

} // namespace culink::text
