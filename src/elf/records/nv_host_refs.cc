// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host reference lists. An empty string between two NULs is an ordinary name here, which preserves
// padding; lookups of names skip it.
#include "elf/records/nv_host_refs.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "support/bytes.h"

namespace culink::elf {

namespace {

using K = HostReferenceKind;

constexpr std::array kLists = {
    HostReferenceList{".nvHRCE", K::Constant, false},
    HostReferenceList{".nvHRCI", K::Constant, true},
    HostReferenceList{".nvHRDE", K::Device, false},
    HostReferenceList{".nvHRDI", K::Device, true},
    HostReferenceList{".nvHRKE", K::Kernel, false},
    HostReferenceList{".nvHRKI", K::Kernel, true},
};
static_assert(std::ranges::is_sorted(kLists, {}, &HostReferenceList::section));

constexpr std::string_view kDefined = "def ";

} // namespace

const HostReferenceList *host_reference_list(std::string_view section) {
  const auto it = std::ranges::find(kLists, section, &HostReferenceList::section);
  return it != kLists.end() ? &*it : nullptr;
}

NameList decode_names(ByteSpan section) {
  NameList out;
  u64 at = 0;
  while (const std::optional<std::string_view> name = c_string_at(section, at)) {
    out.names.push_back(*name);
    at += name->size() + 1;
  }
  out.rest = section.subspan(at);
  if (!out.rest.empty())
    out.violations.push_back({at, "the last name is not terminated"});
  return out;
}

std::vector<u8> encode_names(const NameList &list) {
  std::vector<u8> out;
  for (const std::string_view name : list.names) {
    append_bytes(out, as_bytes(name));
    out.push_back(0);
  }
  append_bytes(out, list.rest);
  return out;
}

ModuleId module_id(std::string_view name) {
  if (name.starts_with(kDefined))
    return {true, name.substr(kDefined.size())};
  return {false, name};
}

} // namespace culink::elf
