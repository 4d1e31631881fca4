// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "elf/constants.h"
#include "support/types.h"

namespace culink::elf {

// The purpose of a section. A role includes both the typed form (objects, SHT_CUDA_*) and the plain
// form (executables, PROGBITS and NOBITS).
enum class SectionRole : u8 {
  Unknown,
  Null,
  // Tables of the ELF file.
  StringTable,
  SymbolTable,
  SymbolIndices, // .symtab_shndx
  Rel,
  Rela,
  ResolvedRela, // .nv.resolvedrela<target>: relocations already applied, kept on request
  // Code and its records.
  Text,
  CapmercText, // .nv.capmerc.text.<f>: a finalizer makes .text.<f> from it
  MercuryText,
  MercurySassMap,
  Info, // .nv.info (no owner) and .nv.info.<f>
  Callgraph,
  Prototype,
  Metadata,
  Compat,
  RelAction, // .nv.rel.action: how to apply relocation numbers a loader may not know
  NoteTkinfo,
  NoteCuinfo,
  NoteCuver,
  Note,
  // Memory spaces.
  Constant,      // .nv.constant<N>[.<f>], bank 0 to 17
  ConstantNamed, // .nv.constant.<use>[.<f>], bank 20 to 26 (see ConstantUse)
  Global,
  GlobalInit,
  Local,
  Shared,
  DebugShared,    // .nv_debug.shared: shared variables that several kernels may use
  ReservedShared, // .nv.shared.reserved.<n>, .nv.reservedSmem*
  Host,           // .nv.host
  // Unified function and descriptor tables.
  Uft,
  UftEntry,
  UftRel,
  Udt,
  UdtEntry,
  Uidx,
  // Single values.
  DescriptorSize, // .nv.*refDescSize
  PtxConstSize,   // .nv.ptx.const0.size
  // Debug information.
  Dwarf,   // .debug_*
  NvDebug, // .nv_debug_*
  // Host objects.
  HostReferences,    // .nvHR[KDC][EI]: names of kernels, variables, constants that host code uses
  FatbinSegment,     // .nvFatBinSegment
  Fatbin,            // .nv_fatbin: whole-program device code
  RelocatableFatbin, // __nv_relfatbin: device code that still has to be linked
  ModuleId,          // __nv_module_id
};
inline constexpr u32 kSectionRoleCount = static_cast<u32>(SectionRole::ModuleId) + 1;

inline constexpr u8 kNoBank = 0xff;
inline constexpr u8 kLastConstantBank = 17;

// Banks with a name instead of a number: sh_type - 0x70000064.
enum class ConstantUse : u8 {
  EntryParams = 20,
  ImageHeaders = 21,
  Driver = 22,
  Optimizer = 23,
  User = 24,
  Pic = 25,
  Tools = 26,
};

struct SectionKind {
  SectionRole role = SectionRole::Unknown;
  u8 bank = kNoBank;    // Constant and ConstantNamed only
  bool mercury = false; // belongs to the Mercury mirror; `role` is the role of the mirrored section
  std::string_view owner; // the function in the section's name, or in its relocation target's;
                          // a view into the name that was classified

  friend bool operator==(const SectionKind &, const SectionKind &) = default;

  [[nodiscard]] bool is_relocations() const {
    return role == SectionRole::Rel || role == SectionRole::Rela ||
           role == SectionRole::ResolvedRela;
  }
  [[nodiscard]] bool is_constant() const {
    return role == SectionRole::Constant || role == SectionRole::ConstantNamed;
  }
  // True for a bank of addresses for position-independent code.
  [[nodiscard]] bool holds_addresses() const {
    constexpr u8 kAddresses = 4;
    return (role == SectionRole::Constant && bank == kAddresses) ||
           (role == SectionRole::ConstantNamed && bank == static_cast<u8>(ConstantUse::Pic));
  }
  // True for code of a function: its own section, or a slot of the table of unified functions.
  [[nodiscard]] bool is_code() const {
    return role == SectionRole::Text || role == SectionRole::UftRel;
  }
  [[nodiscard]] bool is_debug() const {
    return role == SectionRole::Dwarf || role == SectionRole::NvDebug;
  }
};

// Among the kinds that fit the type, the name decides. If the name does not fit the type or is
// unknown, the type decides; flags decide the rest (executable PROGBITS is text). The result of an
// unrecognised section is Unknown, which every tool preserves verbatim.
[[nodiscard]] SectionKind classify_section(std::string_view name, SectionType type, u64 flags);

// The kinds of all sections of a file.
struct Section;
[[nodiscard]] std::vector<SectionKind> classify_sections(std::span<const Section> sections);

// Returns the type that compilers give a section of that kind in objects; `type` is its actual
// type. nvlink recognises memory sections by name even if they have types of executables or another
// constant type.
[[nodiscard]] inline SectionType type_in_objects(const SectionKind &kind, SectionType type) {
  if (type != SectionType::Progbits && type != SectionType::Nobits &&
      type != SectionType::CudaConstant)
    return type; // the most frequent case
  if (kind.mercury)
    return type;
  switch (kind.role) {
  case SectionRole::Constant:
    return static_cast<SectionType>(static_cast<u32>(SectionType::CudaConstantB0) + kind.bank);
  case SectionRole::Global:
    return SectionType::CudaGlobal;
  case SectionRole::GlobalInit:
    return SectionType::CudaGlobalInit;
  case SectionRole::Shared:
  case SectionRole::DebugShared:
    return SectionType::CudaShared;
  case SectionRole::UftRel:
    return SectionType::CudaUft;
  default:
    return type;
  }
}

// "text", "constant", "reserved-shared" ...
[[nodiscard]] std::string_view name_of_section_role(SectionRole role);

// The rules, for tests and documentation.
enum class NameMatch : u8 {
  Exact,        // the name without a suffix
  Owned,        // name.<function>
  ExactOrOwned, // either
  Prefix,       // the name with any suffix
  Numbered,     // name<N> or name<N>.<function>, N up to kLastConstantBank
};
struct SectionNameRule {
  std::string_view name;
  NameMatch match;
  SectionRole role;
  SectionType type;       // in objects
  SectionType plain_type; // in executables, where it differs
  u8 bank = kNoBank;
};
[[nodiscard]] std::span<const SectionNameRule> section_name_rules();
// Returns the rule for that name, with its type, or null.
[[nodiscard]] const SectionNameRule *find_name_rule(std::string_view name);

} // namespace culink::elf
