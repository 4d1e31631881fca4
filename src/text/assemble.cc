// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way in for documents. What a file holds is the business of the form; here only its being a
// map is.
#include "text/assemble.h"

namespace culink::text {

Result<std::vector<u8>> assemble(const Node &document) {
  if (!document.is_map())
    return Error{"", "", "a document is a map: arch, type and what the file holds"};
  return assemble_exact(document);
}

} // namespace culink::text
