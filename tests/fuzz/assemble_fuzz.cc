// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any text as a document: it is refused, or it becomes a file. A file of the minimal form can be
// opened strictly.
#include "round_trip.h"
#include "targets.h"

#include "elf/elf_view.h"
#include "support/bytes.h"
#include "yaml/document/document.h"
#include "yaml/text_form.h"

using namespace culink;

int fuzz::assemble_fuzz(const u8 *data, size_t size) {
  const Result<text::Node> document = text::read_yaml(as_text({data, size}));
  if (!document)
    return 0;
  const Result<std::vector<u8>> image = text::assemble(*document);
  if (!image)
    fuzz::require(!image.error().message.empty());
  else if (!document->find("sections") && !document->find("cubin"))
    fuzz::require(elf::ElfView::open(*image).ok());
  return 0;
}
