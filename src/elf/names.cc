// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of numbers. NVIDIA publishes few of them; these are the names that cuobjdump -elf 13.0
// prints for a file with each number in turn. One sorted table per kind is used in both directions:
// binary search by number, linear search by name, since each table has fewer than a hundred rows.
//
// cuobjdump's names are not unique: it prints both 0x70000083 and 0x70000000 as CUDA_INFO, and for
// constant banks 8 to 17, DYNSYM and GROUP it prints UNKNOWN. The text form requires unique names,
// so these numbers have names of ours.
#include "elf/names.h"

#include <algorithm>
#include <array>

namespace culink::elf {

namespace {

constexpr std::array<NamedNumber, 71> kSectionTypes{{
    {0x00000000, "NULL"},
    {0x00000001, "PROGBITS"},
    {0x00000002, "SYMTAB"},
    {0x00000003, "STRTAB"},
    {0x00000004, "RELA"},
    {0x00000005, "HASH"},
    {0x00000006, "DYNAMIC"},
    {0x00000007, "NOTE"},
    {0x00000008, "NOBITS"},
    {0x00000009, "REL"},
    {0x0000000a, "SHLIB"},
    {0x0000000b, "DYNSYM"},
    {0x0000000e, "INIT_ARRAY"},
    {0x0000000f, "FINI_ARRAY"},
    {0x00000010, "PREINIT_ARRAY"},
    {0x00000011, "GROUP"},
    {0x00000012, "SYMTAB_SHNDX"},
    {0x70000000, "CUDA_INFO"},
    {0x70000001, "CUDA_CALLGRAPH"},
    {0x70000002, "CUDA_PROTOTYPE"},
    {0x70000003, "CUDA_RESOLVED_RELA"},
    {0x70000004, "CUDA_METADATA"},
    {0x70000006, "CUDA_CONSTANT"},
    {0x70000007, "CUDA_GLOBAL"},
    {0x70000008, "CUDA_GLOBAL_INIT"},
    {0x70000009, "CUDA_LOCAL"},
    {0x7000000a, "CUDA_SHARED"},
    {0x7000000b, "CUDA_RELOCINFO"},
    {0x7000000c, "CUDA_MERCURY"},
    {0x7000000d, "CUDA_MERCURY_SASS_MAP"},
    {0x7000000e, "CUDA_UFT"},
    {0x70000010, "CUDA_UIDX"},
    {0x70000011, "CUDA_UFT_ENTRY"},
    {0x70000012, "CUDA_UDT"},
    {0x70000014, "CUDA_UDT_ENTRY"},
    {0x70000015, "CUDA_RESERVED_SHARED"},
    {0x70000016, "CUDA_CAPMERC"},
    {0x70000064, "CUDA_CONSTANT_B0"},
    {0x70000065, "CUDA_CONSTANT_B1"},
    {0x70000066, "CUDA_CONSTANT_B2"},
    {0x70000067, "CUDA_CONSTANT_B3"},
    {0x70000068, "CUDA_CONSTANT_B4"},
    {0x70000069, "CUDA_CONSTANT_B5"},
    {0x7000006a, "CUDA_CONSTANT_B6"},
    {0x7000006b, "CUDA_CONSTANT_B7"},
    {0x7000006c, "CUDA_CONSTANT_B8"},
    {0x7000006d, "CUDA_CONSTANT_B9"},
    {0x7000006e, "CUDA_CONSTANT_B10"},
    {0x7000006f, "CUDA_CONSTANT_B11"},
    {0x70000070, "CUDA_CONSTANT_B12"},
    {0x70000071, "CUDA_CONSTANT_B13"},
    {0x70000072, "CUDA_CONSTANT_B14"},
    {0x70000073, "CUDA_CONSTANT_B15"},
    {0x70000074, "CUDA_CONSTANT_B16"},
    {0x70000075, "CUDA_CONSTANT_B17"},
    {0x70000078, "CUDA_MERCURY_CONSTANT_PARAMS"},
    {0x70000079, "CUDA_MERCURY_CONSTANT_IMGHDR"},
    {0x7000007a, "CUDA_MERCURY_CONSTANT_DRIVER"},
    {0x7000007b, "CUDA_MERCURY_CONSTANT_OPT"},
    {0x7000007c, "CUDA_MERCURY_CONSTANT_USER"},
    {0x7000007d, "CUDA_MERCURY_CONSTANT_PIC"},
    {0x7000007e, "CUDA_MERCURY_CONSTANT_TOOLS"},
    {0x70000082, "CUDA_MERCURY_RELA"},
    {0x70000083, "CUDA_MERCURY_INFO"},
    {0x70000084, "CUDA_MERCURY_CONSTANT_OPT_2"},
    {0x70000085, "CUDA_MERCURY_SYMTAB"},
    {0x70000086, "CUDA_COMPAT_INFO"},
    {0x70000087, "CUDA_EMBEDDED_HOST"},
    {0x70000088, "CUDA_MERCURY_RESOLVED_RELA"},
    {0x7000008a, "CUDA_MERCURY_CALLGRAPH"},
    {0x7000008b, "CUDA_MERCURY_PROTOTYPE"},
}};
static_assert(sorted_by_number(kSectionTypes));

constexpr std::array<NamedNumber, 11> kSymbolTypes{{
    {0x00, "NOTYPE"},
    {0x01, "OBJECT"},
    {0x02, "FUNC"},
    {0x03, "SECTION"},
    {0x04, "FILE"},
    {0x05, "COMMON"},
    {0x06, "TLS"},
    {0x0a, "CUDA_TEXTURE"},
    {0x0b, "CUDA_SAMPLER"},
    {0x0c, "CUDA_SURFACE"},
    {0x0d, "CUDA_OBJECT"},
}};
static_assert(sorted_by_number(kSymbolTypes));

constexpr std::array<NamedNumber, 3> kSymbolBindings{{
    {0x00, "LOCAL"},
    {0x01, "GLOBAL"},
    {0x02, "WEAK"},
}};
static_assert(sorted_by_number(kSymbolBindings));

constexpr std::array<NamedNumber, 4> kSymbolVisibilities{{
    {0x00, "DEFAULT"},
    {0x01, "INTERNAL"},
    {0x02, "HIDDEN"},
    {0x03, "PROTECTED"},
}};
static_assert(sorted_by_number(kSymbolVisibilities));

constexpr std::array<NamedNumber, 6> kFileTypes{{
    {0x00, "NONE"},
    {0x01, "REL"},
    {0x02, "EXEC"},
    {0x03, "DYN"},
    {0x04, "CORE"},
    {0xff00, "EWP"},
}};
static_assert(sorted_by_number(kFileTypes));

constexpr std::array<NamedNumber, 8> kSegmentTypes{{
    {0x00, "NULL"},
    {0x01, "LOAD"},
    {0x02, "DYNAMIC"},
    {0x03, "INTERP"},
    {0x04, "NOTE"},
    {0x05, "SHLIB"},
    {0x06, "PHDR"},
    {0x07, "TLS"},
}};
static_assert(sorted_by_number(kSegmentTypes));

constexpr std::array<NamedNumber, 4> kInfoFormats{{
    {0x01, "EIFMT_NVAL"},
    {0x02, "EIFMT_BVAL"},
    {0x03, "EIFMT_HVAL"},
    {0x04, "EIFMT_SVAL"},
}};
static_assert(sorted_by_number(kInfoFormats));

constexpr std::array<NamedNumber, 13> kCompatAttributes{{
    {0x00, "EICOMPAT_ATTR_ERROR"},
    {0x01, "EICOMPAT_ATTR_PAD"},
    {0x02, "EICOMPAT_ATTR_ISA_CLASS"},
    {0x03, "EICOMPAT_ATTR_INST_TENSORMAP_V1"},
    {0x04, "EICOMPAT_ATTR_INST_TCGEN05_MMA_DEPRECATED"},
    {0x05, "EICOMPAT_ATTR_INST_TCGEN05_MMA"},
    {0x06, "EICOMPAT_ATTR_ENABLE_OPPORTUNISTIC_FINALIZATION"},
    {0x07, "EICOMPAT_ATTR_MERCURY_ISA_MAJOR_MINOR_VERSION"},
    {0x08, "EICOMPAT_ATTR_MERCURY_ISA_PATCH_VERSION"},
    {0x09, "EICOMPAT_ATTR_CUDA_ACCELERATOR_TARGET"},
    {0x0b, "EICOMPAT_ATTR_CAN_FASTPATH_FINALIZE"},
    {0x0c, "EICOMPAT_ATTR_CUDA_INTERNAL_TARGET"}, // the end marker of 13.0
    {0x0e, "EICOMPAT_ATTR_FINALIZER_VERSION"},
}};
static_assert(sorted_by_number(kCompatAttributes));

} // namespace

constinit const NameTable<SectionType> kSectionTypeNames{"SHT_", kSectionTypes};
constinit const NameTable<SymbolType> kSymbolTypeNames{"STT_", kSymbolTypes};
constinit const NameTable<SymbolBinding> kSymbolBindingNames{"STB_", kSymbolBindings};
constinit const NameTable<u8> kSymbolVisibilityNames{"STV_", kSymbolVisibilities};
constinit const NameTable<FileType> kFileTypeNames{"ET_", kFileTypes};
constinit const NameTable<SegmentType> kSegmentTypeNames{"PT_", kSegmentTypes};
constinit const NameTable<u32> kInfoFormatNames{"EIFMT_", kInfoFormats};
constinit const NameTable<u32> kCompatAttributeNames{"EICOMPAT_ATTR_", kCompatAttributes};

std::optional<std::string_view> find_name(std::span<const NamedNumber> table, u32 number) {
  const auto row = std::ranges::lower_bound(table, number, {}, &NamedNumber::number);
  if (row == table.end() || row->number != number)
    return std::nullopt;
  return row->name;
}

std::optional<u32> find_number(std::span<const NamedNumber> table, std::string_view prefix,
                               std::string_view name) {
  const auto bare = [prefix](std::string_view text) {
    return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
  };
  for (const NamedNumber &row : table)
    if (bare(row.name) == bare(name))
      return row.number;
  return std::nullopt;
}

// Names of constant banks: by use in Mercury code, by number in machine code. Types of tables: one
// pair for each table that both planes have.

namespace {

struct BankName {
  std::string_view sass;    // the whole name, or the part before the owner
  std::string_view mercury; // likewise
};
constexpr std::array<BankName, 4> kBankNames = {{
    {".nv.constant0.", ".nv.constant.entry_image_header_indices."},
    {".nv.constant2.", ".nv.constant.optimizer."},
    {".nv.constant3", ".nv.constant.user"},
    {".nv.constant4", ".nv.constant.pic"},
}};

struct TypePair {
  SectionType plain;
  SectionType mercury;
};
constexpr std::array<TypePair, 6> kTypePairs = {{
    {SectionType::Rela, SectionType::MercuryRela},
    {SectionType::Symtab, SectionType::MercurySymtab},
    {SectionType::CudaInfo, SectionType::MercuryInfo},
    {SectionType::CudaResolvedRela, SectionType::MercuryResolvedRela},
    {SectionType::CudaCallgraph, SectionType::MercuryCallgraph},
    {SectionType::CudaPrototype, SectionType::MercuryPrototype},
}};

} // namespace

std::string mercury_link_name(std::string_view name) {
  std::string table;
  for (const std::string_view prefix : {".nv.resolvedrela", ".rela", ".rel"})
    if (table.empty() && name.size() > prefix.size() && name.starts_with(prefix) &&
        name[prefix.size()] == '.')
      table = prefix;
  const std::string_view target = name.substr(table.size());
  for (const BankName &bank : kBankNames) {
    const bool owned = bank.sass.ends_with('.');
    if (owned ? target.starts_with(bank.sass) : target == bank.sass)
      return table.append(bank.mercury).append(target.substr(bank.sass.size()));
  }
  return std::string(name);
}

std::string mercury_counterpart_name(std::string_view name) {
  constexpr std::string_view kCode = ".text.", kUnifiedCode = ".nv.uft.rel.";
  const bool code = name.starts_with(kCode) || name.starts_with(kUnifiedCode);
  return (code ? ".nv.capmerc" : ".nv.merc") + mercury_link_name(name);
}

SectionType mercury_type(SectionType type) {
  for (const TypePair &pair : kTypePairs)
    if (pair.plain == type)
      return pair.mercury;
  return type;
}

SectionType mirrored_type(SectionType type) {
  if (type < SectionType::MercuryRela) // the most frequent case
    return type;
  for (const TypePair &pair : kTypePairs)
    if (pair.mercury == type)
      return pair.plain;
  // The counterpart of bank 2 has this type in a linked file.
  return type == SectionType::MercuryConstantOpt2 ? SectionType::MercuryConstantOpt : type;
}

} // namespace culink::elf
