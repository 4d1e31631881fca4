// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as an archive: members lie in the file and do not overlap, and what is read strictly is
// read tolerantly, too. (There may be more: nvlink takes a symbol index with BSD's name for code.)
#include <cstdlib>

#include "input/archive.h"
#include "targets.h"

using namespace culink;

int fuzz::archive_fuzz(const u8 *data, size_t size) {
  const ByteSpan file(data, size);
  const Result<std::vector<ArchiveMember>> strict = read_archive(file);
  const Result<std::vector<ArchiveMember>> tolerant = read_archive(file, ArchiveDamage::Drop);
  if (!strict)
    return 0;
  if (!tolerant || tolerant->size() < strict->size())
    std::abort();
  const u8 *end = data;
  for (const ArchiveMember &member : *strict) {
    if (member.thin)
      continue;
    if (member.data.data() < end || member.data.data() + member.data.size() > data + size)
      std::abort();
    end = member.data.data() + member.data.size();
  }
  return 0;
}
