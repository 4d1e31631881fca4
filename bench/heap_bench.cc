// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heap_bench FILE: what reading a cubin costs in heap. Opens the file, lists its sections to
// nowhere and prints the bytes that were allocated at the highest moment, and how often. The mapped
// file is not heap.
#include <fcntl.h>

#include <fmt/format.h>

#include "counted_heap.h"
#include "elf/elf_view.h"
#include "inspect/dump/dump.h"
#include "support/mapped_file.h"
#include "support/text_out.h"

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  const auto file = culink::MappedFile::open(argv[1]);
  if (!file) {
    fmt::print(stderr, "heap_bench: {}: {}\n", argv[1], file.error().text());
    return 1;
  }
  culink::bench::begin_counting();
  const auto view = culink::elf::ElfView::open(file->bytes());
  if (!view) {
    fmt::print(stderr, "heap_bench: {}: {}\n", argv[1], view.error().text());
    return 1;
  }
  const size_t view_peak = culink::bench::counted().peak;
  culink::TextOut nowhere(open("/dev/null", O_WRONLY));
  const auto sink = culink::text::make_sink(culink::text::Format::Text, nowhere);
  culink::text::DumpOptions options;
  options.sections = true;
  sink->begin();
  culink::text::dump_file(argv[1], *view, options, *sink, [](const culink::Error &) {});
  sink->end();
  const culink::bench::HeapCount heap = culink::bench::counted();
  fmt::print("{} {} {} {} {}\n", file->bytes().size(), view->sections().size(), view_peak,
             heap.peak, heap.allocations);
  return 0;
}
