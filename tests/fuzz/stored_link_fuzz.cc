// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a stored link: every file that it gives out lies in the archive.
#include <cstdlib>

#include "driver/repro/stored_link.h"
#include "targets.h"

using namespace culink;

int fuzz::stored_link_fuzz(const u8 *data, size_t size) {
  const ByteSpan archive(data, size);
  const Result<std::vector<TarMember>> members = read_tar(archive);
  const Result<StoredLink> stored = read_stored_link(archive);
  if (!members) {
    if (stored)
      std::abort();
    return 0;
  }
  for (const TarMember &member : *members)
    if (member.name.starts_with('/') || member.bytes.data() < data ||
        member.bytes.data() + member.bytes.size() > data + size)
      std::abort();
  if (stored)
    for (const std::string &word : stored->record.words)
      (void)stored->files.open(word, FileType::Readable);
  return 0;
}
