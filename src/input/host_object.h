// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>
#include <vector>

#include "elf/records/nv_host_refs.h"
#include "support/result.h"
#include "support/types.h"

namespace culink {

// The parts of a host file for the device: nvcc puts fatbins and lists of names into sections of
// their own. Refers to the file's bytes.
struct HostObject {
  bool has_all_names = false;         // of sections; else some sections may be missed
  bool has_segment = false;           // .nvFatBinSegment: the file has device code
  bool has_traces = false;            // one of the other sections below exists
  std::vector<ByteSpan> linkable;     // __nv_relfatbin: compiled with -rdc=true
  std::vector<ByteSpan> finished;     // .nv_fatbin: whole programs, and results of device links
  std::vector<elf::ModuleId> modules; // __nv_module_id
  bool lists_kernels = false;         // .nvHRKE exists and is not empty
  // A section .nvHR*: what host code refers to, as patterns.
  struct References {
    const elf::HostReferenceList *list;
    std::vector<std::string_view> patterns;
  };
  std::vector<References> references;
};

// Reads the section table and the sections above, and no other page of the file. Accepts objects,
// shared libraries and programs of any little-endian host, 32 or 64 bits.
[[nodiscard]] Result<HostObject> read_host_object(ByteSpan file);

} // namespace culink
