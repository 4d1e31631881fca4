// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of numbers. NVIDIA publishes few of them; these are the names that cuobjdump -elf 13.0
// prints for a file that carries each number in turn. One sorted table per kind serves both
// directions: numbers by binary search, names by a scan, since no table has a hundred rows.
//
// cuobjdump's names are not unique: it prints 0x70000083 and 0x70000000 both as CUDA_INFO. The text
// form needs to get from a name to its number, so those few have names of ours here and
// cuobjdump's in a second table.
#include "elf/names.h"

#include <algorithm>
#include <array>

namespace culink::elf {
namespace {

template <size_t N> constexpr bool sorted_by_number(const std::array<NamedNumber, N> &table) {
  return std::is_sorted(table.begin(), table.end(), [](const auto &a, const auto &b) {
    return a.number <= b.number; // strict: a number occurs once
  });
}

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

// The types that cuobjdump prints otherwise than kSectionTypes; empty: it prints UNKNOWN.
constexpr std::array<NamedNumber, 16> kCuobjdumpSectionTypes{{
    {0x0000000b, ""},
    {0x00000011, ""},
    {0x7000006c, ""},
    {0x7000006d, ""},
    {0x7000006e, ""},
    {0x7000006f, ""},
    {0x70000070, ""},
    {0x70000071, ""},
    {0x70000072, ""},
    {0x70000073, ""},
    {0x70000074, ""},
    {0x70000075, ""},
    {0x70000082, "RELA"},
    {0x70000083, "CUDA_INFO"},
    {0x70000084, "CUDA_MERCURY_CONSTANT_OPT"},
    {0x70000085, "SYMTAB"},
}};
static_assert(sorted_by_number(kCuobjdumpSectionTypes));

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

// By type, which has four bits; empty: no such type. An array, because every symbol of a link needs
// it.
constexpr std::array<std::string_view, 16> kSymbolTypeNames = [] {
  std::array<std::string_view, 16> names;
  for (const NamedNumber &row : kSymbolTypes)
    names[row.number] = row.name;
  return names;
}();

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

// 0x56 is a gap in 13.0 and 0x60 its end marker; later toolkits give both a meaning. 0x66 and 0x6b
// came with 13.2, 0x6d with 13.4.
constexpr std::array<NamedNumber, 100> kInfoAttributes{{
    {0x00, "EIATTR_ERROR"},
    {0x01, "EIATTR_PAD"},
    {0x02, "EIATTR_IMAGE_SLOT"},
    {0x03, "EIATTR_JUMPTABLE_RELOCS"},
    {0x04, "EIATTR_CTAIDZ_USED"},
    {0x05, "EIATTR_MAX_THREADS"},
    {0x06, "EIATTR_IMAGE_OFFSET"},
    {0x07, "EIATTR_IMAGE_SIZE"},
    {0x08, "EIATTR_TEXTURE_NORMALIZED"},
    {0x09, "EIATTR_SAMPLER_INIT"},
    {0x0a, "EIATTR_PARAM_CBANK"},
    {0x0b, "EIATTR_SMEM_PARAM_OFFSETS"},
    {0x0c, "EIATTR_CBANK_PARAM_OFFSETS"},
    {0x0d, "EIATTR_SYNC_STACK"},
    {0x0e, "EIATTR_TEXID_SAMPID_MAP"},
    {0x0f, "EIATTR_EXTERNS"},
    {0x10, "EIATTR_REQNTID"},
    {0x11, "EIATTR_FRAME_SIZE"},
    {0x12, "EIATTR_MIN_STACK_SIZE"},
    {0x13, "EIATTR_SAMPLER_FORCE_UNNORMALIZED"},
    {0x14, "EIATTR_BINDLESS_IMAGE_OFFSETS"},
    {0x15, "EIATTR_BINDLESS_TEXTURE_BANK"},
    {0x16, "EIATTR_BINDLESS_SURFACE_BANK"},
    {0x17, "EIATTR_KPARAM_INFO"},
    {0x18, "EIATTR_SMEM_PARAM_SIZE"},
    {0x19, "EIATTR_CBANK_PARAM_SIZE"},
    {0x1a, "EIATTR_QUERY_NUMATTRIB"},
    {0x1b, "EIATTR_MAXREG_COUNT"},
    {0x1c, "EIATTR_EXIT_INSTR_OFFSETS"},
    {0x1d, "EIATTR_S2RCTAID_INSTR_OFFSETS"},
    {0x1e, "EIATTR_CRS_STACK_SIZE"},
    {0x1f, "EIATTR_NEED_CNP_WRAPPER"},
    {0x20, "EIATTR_NEED_CNP_PATCH"},
    {0x21, "EIATTR_EXPLICIT_CACHING"},
    {0x22, "EIATTR_ISTYPEP_USED"},
    {0x23, "EIATTR_MAX_STACK_SIZE"},
    {0x24, "EIATTR_SUQ_USED"},
    {0x25, "EIATTR_LD_CACHEMOD_INSTR_OFFSETS"},
    {0x26, "EIATTR_LOAD_CACHE_REQUEST"},
    {0x27, "EIATTR_ATOM_SYS_INSTR_OFFSETS"},
    {0x28, "EIATTR_COOP_GROUP_INSTR_OFFSETS"},
    {0x29, "EIATTR_COOP_GROUP_MASK_REGIDS"},
    {0x2a, "EIATTR_SW1850030_WAR"},
    {0x2b, "EIATTR_WMMA_USED"},
    {0x2c, "EIATTR_HAS_PRE_V10_OBJECT"},
    {0x2d, "EIATTR_ATOMF16_EMUL_INSTR_OFFSETS"},
    {0x2e, "EIATTR_ATOM16_EMUL_INSTR_REG_MAP"},
    {0x2f, "EIATTR_REGCOUNT"},
    {0x30, "EIATTR_SW2393858_WAR"},
    {0x31, "EIATTR_INT_WARP_WIDE_INSTR_OFFSETS"},
    {0x32, "EIATTR_SHARED_SCRATCH"},
    {0x33, "EIATTR_STATISTICS"},
    {0x34, "EIATTR_INDIRECT_BRANCH_TARGETS"},
    {0x35, "EIATTR_SW2861232_WAR"},
    {0x36, "EIATTR_SW_WAR"},
    {0x37, "EIATTR_CUDA_API_VERSION"},
    {0x38, "EIATTR_NUM_MBARRIERS"},
    {0x39, "EIATTR_MBARRIER_INSTR_OFFSETS"},
    {0x3a, "EIATTR_COROUTINE_RESUME_ID_OFFSETS"},
    {0x3b, "EIATTR_SAM_REGION_STACK_SIZE"},
    {0x3c, "EIATTR_PER_REG_TARGET_PERF_STATS"},
    {0x3d, "EIATTR_CTA_PER_CLUSTER"},
    {0x3e, "EIATTR_EXPLICIT_CLUSTER"},
    {0x3f, "EIATTR_MAX_CLUSTER_RANK"},
    {0x40, "EIATTR_INSTR_REG_MAP"},
    {0x41, "EIATTR_RESERVED_SMEM_USED"},
    {0x42, "EIATTR_RESERVED_SMEM_0_SIZE"},
    {0x43, "EIATTR_UCODE_SECTION_DATA"},
    {0x44, "EIATTR_UNUSED_LOAD_BYTE_OFFSET"},
    {0x45, "EIATTR_KPARAM_INFO_V2"},
    {0x46, "EIATTR_SYSCALL_OFFSETS"},
    {0x47, "EIATTR_SW_WAR_MEMBAR_SYS_INSTR_OFFSETS"},
    {0x48, "EIATTR_GRAPHICS_GLOBAL_CBANK"},
    {0x49, "EIATTR_SHADER_TYPE"},
    {0x4a, "EIATTR_VRC_CTA_INIT_COUNT"},
    {0x4b, "EIATTR_TOOLS_PATCH_FUNC"},
    {0x4c, "EIATTR_NUM_BARRIERS"},
    {0x4d, "EIATTR_TEXMODE_INDEPENDENT"},
    {0x4e, "EIATTR_PERF_STATISTICS"},
    {0x4f, "EIATTR_AT_ENTRY_FRAGMENTS"},
    {0x50, "EIATTR_SPARSE_MMA_MASK"},
    {0x51, "EIATTR_TCGEN05_1CTA_USED"},
    {0x52, "EIATTR_TCGEN05_2CTA_USED"},
    {0x53, "EIATTR_GEN_ERRBAR_AT_EXIT"},
    {0x54, "EIATTR_REG_RECONFIG"},
    {0x55, "EIATTR_ANNOTATIONS"},
    {0x56, "EIATTR_UNKNOWN"},
    {0x57, "EIATTR_STACK_CANARY_TRAP_OFFSETS"},
    {0x58, "EIATTR_STUB_FUNCTION_KIND"},
    {0x59, "EIATTR_LOCAL_CTA_ASYNC_STORE_OFFSETS"},
    {0x5a, "EIATTR_MERCURY_FINALIZER_OPTIONS"},
    {0x5b, "EIATTR_BLOCKS_ARE_CLUSTERS"},
    {0x5c, "EIATTR_SANITIZE"},
    {0x5d, "EIATTR_SYSCALLS_FALLBACK"},
    {0x5e, "EIATTR_CUDA_REQ"},
    {0x5f, "EIATTR_MERCURY_ISA_VERSION"},
    {0x60, "EIATTR_ERROR_LAST"},
    {0x66, "EIATTR_LANGUAGE"},
    {0x6b, "EIATTR_NVSAL_SW_WAR"},
    {0x6d, "EIATTR_PREEXIT_USED"},
}};
static_assert(sorted_by_number(kInfoAttributes));

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

std::optional<std::string_view> find_name(std::span<const NamedNumber> table, u32 number) {
  const auto row = std::lower_bound(
      table.begin(), table.end(), number,
      [](const NamedNumber &candidate, u32 wanted) { return candidate.number < wanted; });
  if (row == table.end() || row->number != number)
    return std::nullopt;
  return row->name;
}

// `prefix` may be present or absent both in the table and in `name`.
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

template <typename T>
std::optional<T> find_typed(std::span<const NamedNumber> table, std::string_view prefix,
                            std::string_view name) {
  const std::optional<u32> number = find_number(table, prefix, name);
  if (!number)
    return std::nullopt;
  return static_cast<T>(*number);
}

} // namespace

std::optional<std::string_view> name_of_section_type(SectionType type) {
  return find_name(kSectionTypes, static_cast<u32>(type));
}

std::optional<std::string_view> cuobjdump_name_of_section_type(SectionType type) {
  const auto differing = find_name(kCuobjdumpSectionTypes, static_cast<u32>(type));
  if (!differing)
    return name_of_section_type(type);
  return differing->empty() ? std::nullopt : differing;
}

std::optional<SectionType> section_type_from_name(std::string_view name) {
  return find_typed<SectionType>(kSectionTypes, "SHT_", name);
}

std::optional<std::string_view> name_of_symbol_type(SymbolType type) {
  const u32 number = static_cast<u32>(type);
  if (number >= kSymbolTypeNames.size() || kSymbolTypeNames[number].empty())
    return std::nullopt;
  return kSymbolTypeNames[number];
}

std::optional<SymbolType> symbol_type_from_name(std::string_view name) {
  return find_typed<SymbolType>(kSymbolTypes, "STT_", name);
}

std::optional<std::string_view> name_of_symbol_binding(SymbolBinding binding) {
  return find_name(kSymbolBindings, static_cast<u32>(binding));
}

std::optional<SymbolBinding> symbol_binding_from_name(std::string_view name) {
  return find_typed<SymbolBinding>(kSymbolBindings, "STB_", name);
}

std::optional<std::string_view> name_of_symbol_visibility(u8 visibility) {
  return find_name(kSymbolVisibilities, visibility);
}

std::optional<u8> symbol_visibility_from_name(std::string_view name) {
  return find_typed<u8>(kSymbolVisibilities, "STV_", name);
}

std::optional<std::string_view> name_of_file_type(FileType type) {
  return find_name(kFileTypes, static_cast<u32>(type));
}

std::optional<FileType> file_type_from_name(std::string_view name) {
  return find_typed<FileType>(kFileTypes, "ET_", name);
}

std::optional<std::string_view> name_of_segment_type(SegmentType type) {
  return find_name(kSegmentTypes, static_cast<u32>(type));
}

std::optional<SegmentType> segment_type_from_name(std::string_view name) {
  return find_typed<SegmentType>(kSegmentTypes, "PT_", name);
}

std::optional<std::string_view> name_of_info_attribute(u32 code) {
  return find_name(kInfoAttributes, code);
}

std::optional<u32> info_attribute_from_name(std::string_view name) {
  return find_number(kInfoAttributes, "EIATTR_", name);
}

std::optional<std::string_view> name_of_info_format(u32 format) {
  return find_name(kInfoFormats, format);
}

std::optional<u32> info_format_from_name(std::string_view name) {
  return find_number(kInfoFormats, "EIFMT_", name);
}

std::optional<std::string_view> name_of_compat_attribute(u32 code) {
  return find_name(kCompatAttributes, code);
}

std::optional<u32> compat_attribute_from_name(std::string_view name) {
  return find_number(kCompatAttributes, "EICOMPAT_ATTR_", name);
}

std::span<const NamedNumber> section_type_names() {
  return kSectionTypes;
}

std::span<const NamedNumber> symbol_type_names() {
  return kSymbolTypes;
}

std::span<const NamedNumber> symbol_binding_names() {
  return kSymbolBindings;
}

std::span<const NamedNumber> symbol_visibility_names() {
  return kSymbolVisibilities;
}

std::span<const NamedNumber> file_type_names() {
  return kFileTypes;
}

std::span<const NamedNumber> segment_type_names() {
  return kSegmentTypes;
}

std::span<const NamedNumber> info_attribute_names() {
  return kInfoAttributes;
}

std::span<const NamedNumber> info_format_names() {
  return kInfoFormats;
}

std::span<const NamedNumber> compat_attribute_names() {
  return kCompatAttributes;
}

} // namespace culink::elf
