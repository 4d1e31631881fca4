// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The law of the exact form: whatever can be opened comes back byte for byte, through YAML too.
#include "round_trip.h"
#include "targets.h"

#include "elf/elf_view.h"
#include "yaml/document/document.h"
#include "yaml/text_form.h"

using namespace culink;

int fuzz::describe_fuzz(const u8 *data, size_t size) {
  const ByteSpan file(data, size);
  const Result<elf::ElfView> view = elf::ElfView::open_tolerant(file);
  if (!view)
    return 0;
  const Result<text::Node> document =
      text::read_yaml(text::write_yaml(text::describe_exact(*view)));
  fuzz::require(document.ok());
  const Result<std::vector<u8>> image = text::assemble(*document);
  fuzz::require(image.ok());
  fuzz::require(std::ranges::equal(*image, file));
  if (const Result<text::MinimalDescription> minimal = text::describe_minimal(*view))
    static_cast<void>(text::assemble(minimal->document)); // may be refused, must not crash
  return 0;
}
