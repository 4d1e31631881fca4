// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One object: whether it is one, whether it fits the target, and only then what is in it, so that
// the first message about a file is the one that helps.
#include "input/load_object.h"

#include "input/accept.h"
#include "input/parse_object.h"

namespace culink {

std::optional<InputObject> load_object(const std::string &name, ByteSpan bytes,
                                       const arch::ArchInfo &target, const Dialect &dialect,
                                       Diagnostics &diag) {
  Result<elf::ElfView> view = elf::ElfView::open(bytes);
  if (!view) {
    diag.report(DiagId::BadInput, {name, view.error().text()});
    return std::nullopt;
  }
  if (!accept_object(name, *view, target, dialect, diag))
    return std::nullopt;
  const ObjectIdentity identity = identify_object(*view);
  Result<InputObject> object = parse_object(name, std::move(*view));
  if (!object) {
    diag.report(DiagId::BadInput, {name, object.error().text()});
    return std::nullopt;
  }
  object->sm = identity.sm;
  object->virtual_sm = identity.virtual_sm;
  object->toolkit = identity.toolkit;
  return std::move(*object);
}

} // namespace culink
