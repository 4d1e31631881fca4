// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "culink/diagnostics.h"
#include "elf/elf_view.h"
#include "elf/records/nv_callgraph.h"
#include "elf/records/nv_info.h"
#include "elf/section_kind.h"
#include "support/bytes.h"
#include "support/types.h"

namespace culink {

using ObjectId = Id<struct ObjectTag>;

// Parts of an object that this linker does not know and keeps as they are.
struct Unfamiliar {
  std::vector<u8> attributes;        // of .nv.info
  std::vector<u8> compat;            // attributes of .nv.compat
  std::vector<std::string> sections; // of unknown types: name and type
  std::vector<std::string> mercury;  // those among Mercury code, which cannot be kept
  u32 cuda_note = 0;                 // version of .note.nv.cuinfo, if it is newer
  u32 tool_note = 0;                 // of .note.nv.tkinfo
};

// One relocatable device object, validated: every index in its tables and records is in range, so
// that passes need no checks. It refers to the bytes of its file, which the caller keeps mapped.
struct InputObject {
  static constexpr u32 kNoRegisters = 0x40000000; // more than any function can have

  // An .nv.info section and its records.
  struct Info {
    u32 section = 0;
    u32 text = 0; // section index of the function, 0: the module's
    elf::InfoRecords records;
  };

  std::string name;       // for messages
  u32 archive_length = 0; // length of the archive's name in `name`; 0: not from an archive
  u32 step = 0;           // for messages: see Message
  elf::ElfView view;
  std::vector<elf::SectionKind> kinds; // by section index
  std::vector<u32> owners;             // by section index: see owner_of
  std::vector<elf::Symbol> symbols;
  std::vector<u32> registers;  // by symbol: REGCOUNT of the function, or kNoRegisters
  std::vector<Info> infos;     // in section order
  std::vector<u32> compats;    // sections with records of compatibility
  std::vector<u32> tool_notes; // sections with notes of the tools that made it
  elf::CallGraph calls;
  elf::PrototypeSection prototypes;
  // By section index of code, of Mercury planes only: size of the constant bank 0 beside it.
  std::vector<u64> parameter_sizes;
  ByteSpan strings;               // .strtab, where prototypes are
  u16 sm = 0;                     // target of its code
  u16 virtual_sm = 0;             // target of the PTX it was compiled from: 90 for compute_90
  u32 toolkit = 0;                // release that compiled it: 124 for CUDA 12.4
  bool capsule = false;           // its code has a Mercury form beside it
  bool has_unified = false;       // slots in the tables of unified functions or variables
  bool has_aliases = false;       // functions whose code may belong to another one
  bool has_barrier_flags = false; // some code has its number of barriers in sh_flags: toolkit 12
  bool system = false;            // from libcudadevrt: discarded as a whole if nothing needs it
  Unfamiliar unfamiliar;

  // The origin of a message about a symbol of this object.
  [[nodiscard]] Origin origin(std::string_view symbol = {}, std::string detail = {}) const {
    if (archive_length == 0)
      return {"", name, "", std::string(symbol), std::move(detail)};
    return {"", name.substr(0, archive_length), name.substr(archive_length + 1),
            std::string(symbol), std::move(detail)};
  }
  // Frees all memory except the name.
  void release_tables() {
    const auto release = [](auto &table) { table = std::remove_reference_t<decltype(table)>(); };
    view.release_tables();
    release(kinds);
    release(owners);
    release(symbols);
    release(registers);
    release(infos);
    release(calls);
    release(prototypes);
  }
  [[nodiscard]] const elf::Section &section(u32 index) const { return view.sections()[index]; }
  // The symbol that a code section belongs to; other function symbols of the section are aliases.
  [[nodiscard]] u32 owner_of_code(u32 section_index) const {
    constexpr u32 kSymbolMask = 0xffffff; // the top byte counts registers
    return section(section_index).info & kSymbolMask;
  }
  // The function that owns the code of another one, or the function itself.
  [[nodiscard]] u32 owner_of_function(u32 index) const {
    const elf::Symbol &symbol = symbols[index];
    const u32 owner = symbol.in_section() ? owner_of_code(symbol.section) : index;
    return owner != index && owner < symbols.size() &&
                   symbols[owner].type() == elf::SymbolType::Function &&
                   symbols[owner].section == symbol.section
               ? owner
               : index;
  }
  // The code section that a section belongs to, or 0: its sh_info. Toolkits before 12.4 did not set
  // SHF_INFO_LINK for it.
  [[nodiscard]] u32 owner_of(u32 index) const { return owners[index]; }
  [[nodiscard]] std::string_view prototype(u32 offset) const {
    return c_string_at(strings, offset).value_or("");
  }
};

// A bit of st_other: the symbol was made by a compiler or by a linker.
inline constexpr u8 kOtherInternal = 0x01;

// A reference to a texture, sampler or surface.
[[nodiscard]] constexpr bool is_image(elf::SymbolType type) {
  return type == elf::SymbolType::CudaTexture || type == elf::SymbolType::CudaSampler ||
         type == elf::SymbolType::CudaSurface;
}

// Memory space in st_other of a data symbol.
[[nodiscard]] constexpr bool is_shared(u8 other) {
  return (other & 0xe0) == elf::kOtherShared;
}
[[nodiscard]] constexpr bool is_global(u8 other) {
  return (other & 0xe0) == elf::kOtherGlobal;
}
[[nodiscard]] constexpr bool is_constant(u8 other) {
  return (other & 0xe0) == elf::kOtherConstant;
}
[[nodiscard]] constexpr bool is_kernel_mark(u8 other) {
  return (other & elf::kOtherKernel) != 0;
}

} // namespace culink
