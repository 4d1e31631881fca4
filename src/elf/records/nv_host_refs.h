// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of names in host objects: .nvHR* say which kernels and variables the host code uses,
// __nv_module_id names the object for registration. All are strings, each ended by a NUL.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "elf/codec.h"

namespace culink::elf {

enum class HostReferenceKind : u8 { Kernel, Device, Constant };

// What one of the six .nvHR* sections lists.
struct HostReferenceList {
  std::string_view section;
  HostReferenceKind kind;
  bool internal; // names of internal linkage
};

// The row of a section name, or nothing.
[[nodiscard]] const HostReferenceList *host_reference_list(std::string_view section);

struct NameList {
  std::vector<std::string_view> names; // without their NUL; of kernels: patterns with '*'
  ByteSpan rest;                       // an unterminated last name
  std::vector<Violation> violations;
};

[[nodiscard]] NameList decode_names(ByteSpan section);
[[nodiscard]] std::vector<u8> encode_names(const NameList &list);

// An entry of __nv_module_id. Objects made for linking hold the bare identity; what nvcc -dlink
// makes holds "def <identity>" for every module linked; an object that was compiled as a whole
// program holds "__NV_MODULE_ID".
struct ModuleId {
  bool defined = false;
  std::string_view id;
};

[[nodiscard]] ModuleId module_id(std::string_view name);

} // namespace culink::elf
