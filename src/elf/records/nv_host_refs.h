// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of names in host objects: .nvHR* list the kernels and variables that the host code uses;
// __nv_module_id names the object for registration. Each name ends with a NUL.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "elf/codec.h"

namespace culink::elf {

enum class HostReferenceKind : u8 { Kernel, Device, Constant };

// The contents of one of the six .nvHR* sections.
struct HostReferenceList {
  std::string_view section;
  HostReferenceKind kind;
  bool internal; // names of internal linkage
};

// Returns the row of a section name, or null.
[[nodiscard]] const HostReferenceList *host_reference_list(std::string_view section);

struct NameList {
  std::vector<std::string_view> names; // without their NUL; of kernels: patterns with '*'
  ByteSpan rest;                       // an unterminated last name
  std::vector<Violation> violations;
};

[[nodiscard]] NameList decode_names(ByteSpan section);
[[nodiscard]] std::vector<u8> encode_names(const NameList &list);

// An entry of __nv_module_id. An object for linking has the plain identity, an object of nvcc
// -dlink has "def <identity>" for every linked module, and an object compiled as a whole program
// has "__NV_MODULE_ID".
struct ModuleId {
  bool defined = false;
  std::string_view id;
};

[[nodiscard]] ModuleId module_id(std::string_view name);

} // namespace culink::elf
