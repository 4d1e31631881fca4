// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files for sm_100 and later hold the program twice. A section of the SASS plane has the name that
// it would have without Mercury code; its Mercury counterpart has a prefix (.nv.merc, .nv.capmerc
// for code) and comes after all of them. The kind of a counterpart depends only on the type and
// name of its section; plan_sass and lay_out_planes both use it.
//
// What may surprise: a section that is known to be equal in both forms has one content and two
// headers. A line table is such a section only if it does not describe code.
#include "link/mercury/counterparts.h"

#include <algorithm>
#include <array>

#include "elf/names.h"
#include "link/output/draft_sections.h"

namespace culink {

using elf::Bucket;
using elf::SectionType;

namespace {

// After the default buckets: parameters of kernels, which lay_out_planes adds, come first.
constexpr u8 kCapsuleBucket = 9, kFirstBucket = 10;
constexpr u64 kMercuryCodeAlign = 16;

SectionType counterpart_type(SectionType type) {
  // Mercury code names banks of constants after their use.
  switch (static_cast<u32>(type) - static_cast<u32>(SectionType::CudaConstantB0)) {
  case 2:
    return SectionType::MercuryConstantOpt2;
  case 3:
    return SectionType::MercuryConstantUser;
  case 4:
    return SectionType::MercuryConstantPic;
  default:
    return elf::mercury_type(type);
  }
}

// Facts about tables of debug information. Line tables name code by relocations.
struct DebugTables {
  bool lines_name_code = false;
  bool sass_lines_name_code = false;
  bool shares_info = false; // .debug_info is in the file once
};

bool shares_bytes(const OutSection &s, std::string_view name, const DebugTables &tables) {
  constexpr std::array<std::string_view, 11> kShared = {
      ".nv.constant3",  ".nv.constant4",  ".nv.global.init", ".debug_abbrev",
      ".debug_aranges", ".debug_macinfo", ".debug_pubnames", ".debug_pubtypes",
      ".debug_ranges",  ".debug_str",     ".debug_loc"};
  if (s.type == SectionType::Progbits && s.size == 0)
    return true;
  if (name == ".debug_info")
    return tables.shares_info;
  if (name == ".debug_line")
    return !tables.lines_name_code;
  if (name == ".nv_debug_line_sass")
    return !tables.sass_lines_name_code;
  return std::find(kShared.begin(), kShared.end(), name) != kShared.end() ||
         name.starts_with(".nv_debug_ptx_txt");
}

Counterpart kind_of(const OutputSections &sections, OutId id, const DebugTables &tables,
                    bool mirrors_calls) {
  const OutSection &s = sections[id];
  if (sections.function(id).valid())
    return Counterpart::Capsule;
  switch (s.type) {
  case SectionType::Note:
  case SectionType::CudaCompat:
    return Counterpart::None;
  case SectionType::CudaCallgraph:
  case SectionType::CudaPrototype:
    return mirrors_calls ? Counterpart::Equal : Counterpart::None;
  case SectionType::CudaReservedShared:
    return Counterpart::Memory;
  case SectionType::CudaUdt:
  case SectionType::CudaUdtEntry:
  case SectionType::CudaUftEntry:
    return Counterpart::Equal;
  default:
    break;
  }
  // It is not known whether a section of a later release has a counterpart.
  if (elf::has_no_file_data(s.type) || !elf::kSectionTypeNames.name_of(s.type))
    return Counterpart::None;
  return shares_bytes(s, sections.name(s), tables) ? Counterpart::Shared : Counterpart::Own;
}

} // namespace

Bucket bucket_of(const OutputSections &sections, OutId id) {
  const OutSection &section = sections[id];
  if (section.type == SectionType::Progbits && (section.flags & elf::kFlagAlloc) == 0)
    return Bucket::Debug;
  return elf::default_bucket(sections.name(id), section.type, section.flags);
}

OutId relocation_table_of(const Layout &layout, OutId target) {
  for (const RelocationGroup &group : layout.relocs.groups)
    if (group.target == target)
      return group.table;
  return {};
}

FileShape shape_file(const OutputPlan &mercury, const Release &release) {
  const OutputSections &sections = mercury.layout.sections;
  const auto names_code = [&](std::string_view name) {
    return relocation_table_of(mercury.layout, sections.find(name)).valid();
  };
  const DebugTables tables{names_code(".debug_line"), names_code(".nv_debug_line_sass"),
                           release.shares_debug_info};
  FileShape out{{}, std::vector<Counterpart>(sections.size())};
  std::array<std::vector<OutId>, static_cast<u8>(Bucket::LastDefault) + 1> buckets;
  for (u32 i = elf::SectionTable::kOwnTables; i < sections.size(); ++i)
    if (sections[OutId(i)].emitted()) {
      buckets[static_cast<u8>(bucket_of(sections, OutId(i)))].emplace_back(i);
      out.counterpart[i] = kind_of(sections, OutId(i), tables, release.mirrors_calls);
    }
  for (const std::vector<OutId> &bucket : buckets)
    out.order.insert(out.order.end(), bucket.begin(), bucket.end());
  return out;
}

OutSection counterpart_header(const OutputSections &sections, OutId id, Counterpart kind,
                              const OutputSymbols &symbols, bool capsules_first) {
  const OutSection &s = sections[id];
  const auto in_order =
      static_cast<Bucket>(kFirstBucket + static_cast<u8>(bucket_of(sections, id)));
  if (kind == Counterpart::Capsule)
    return {.type = SectionType::CudaCapmerc,
            .flags = elf::kFlagMercury,
            .align = kMercuryCodeAlign,
            .entsize = s.entsize,
            .info = elf::InfoField(symbols.of_entity[sections.function(id).value]),
            .presence = Presence::Always,
            .bucket = capsules_first ? static_cast<Bucket>(kCapsuleBucket) : in_order};
  return {.type = counterpart_type(s.type),
          .flags = s.flags | elf::kFlagMercury,
          .align = s.align,
          .entsize = s.entsize,
          .presence = Presence::Always,
          .bucket = in_order};
}

} // namespace culink
