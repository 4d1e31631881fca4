// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of whole files, for all mutators.
#include "custom_mutator.h"

#include "elf/wire.h"
#include "support/bytes.h"

namespace culink::fuzz {

size_t size_of_file(ByteSpan input) {
  using elf::wire::Ehdr64, elf::wire::Phdr64, elf::wire::Shdr64;
  const std::optional<Ehdr64> header = load_at<Ehdr64>(input, 0);
  if (!header || header->e_shoff > input.size() || header->e_phoff > input.size())
    return input.size();
  const u64 sections = header->e_shoff + u64{header->e_shnum} * sizeof(Shdr64);
  const u64 segments = header->e_phoff + u64{header->e_phnum} * sizeof(Phdr64);
  const u64 end = std::max(sections, segments);
  return end > sizeof(Ehdr64) && end < input.size() ? end : input.size();
}

void mutate_file(std::vector<u8> &file, Random &random) {
  for (u64 changes = 1 + random.below(3); changes > 0 && !file.empty(); --changes)
    robustness::mutate_input(file, random);
}

} // namespace culink::fuzz
