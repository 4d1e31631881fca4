// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heap_bench FILE: what reading a cubin costs in heap. Opens the file, lists its sections to
// nowhere and prints the bytes that were allocated at the highest moment, and how often. Counts by
// replacing the global operator new, which the whole program goes through; the mapped file is not
// heap.
#include <atomic>
#include <cstdlib>
#include <fcntl.h>
#include <malloc.h>
#include <new>

#include <fmt/format.h>

#include "base/mapped_file.h"
#include "base/text_out.h"
#include "elf/elf_view.h"
#include "text/dump.h"

namespace {

std::atomic<size_t> live{0}, peak{0}, allocations{0};

void *count_allocation(size_t size) {
  void *p = std::malloc(size);
  if (!p)
    std::abort();
  const size_t now = live += malloc_usable_size(p);
  if (now > peak)
    peak = now;
  ++allocations;
  return p;
}

} // namespace

void *operator new(size_t size) {
  return count_allocation(size);
}
void operator delete(void *p) noexcept {
  live -= malloc_usable_size(p);
  std::free(p);
}
void operator delete(void *p, size_t) noexcept {
  ::operator delete(p);
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  const auto file = culink::MappedFile::open(argv[1]);
  if (!file) {
    fmt::print(stderr, "heap_bench: {}: {}\n", argv[1], file.error().text());
    return 1;
  }
  const size_t before = live;
  peak = before;
  allocations = 0;
  const auto view = culink::elf::ElfView::open(file->bytes());
  if (!view) {
    fmt::print(stderr, "heap_bench: {}: {}\n", argv[1], view.error().text());
    return 1;
  }
  const size_t view_peak = peak - before;
  culink::TextOut nowhere(open("/dev/null", O_WRONLY));
  const auto sink = culink::text::make_text_sink(nowhere);
  culink::text::DumpOptions options;
  options.sections = true;
  sink->begin();
  culink::text::dump_file(argv[1], *view, options, *sink, [](const culink::Error &) {});
  sink->end();
  fmt::print("{} {} {} {} {}\n", file->bytes().size(), view->sections().size(), view_peak,
             peak - before, allocations.load());
  return 0;
}
