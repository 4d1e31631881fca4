// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notes and the descriptors of the two that NVIDIA writes.
#include "elf/records/nv_notes.h"

#include "round_trip.h"
#include "targets.h"

using namespace culink;

int fuzz::nv_notes_fuzz(const u8 *data, size_t size) {
  const elf::NoteSection notes =
      fuzz::require_round_trip({data, size}, elf::decode_notes, elf::encode_notes);
  for (const elf::Note &note : notes.notes) {
    if (const Result<elf::ToolkitInfo> info = elf::decode_toolkit_info(note.desc))
      fuzz::require(std::ranges::equal(elf::encode_toolkit_info(*info), note.desc));
    if (const Result<elf::CudaInfo> info = elf::decode_cuda_info(note.desc))
      fuzz::require(std::ranges::equal(elf::encode_cuda_info(*info), note.desc));
  }
  // The bytes as a descriptor: reaches deeper than random notes do.
  if (const Result<elf::ToolkitInfo> info = elf::decode_toolkit_info({data, size}))
    fuzz::require(std::ranges::equal(elf::encode_toolkit_info(*info), ByteSpan(data, size)));
  return 0;
}
