// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads cubins and relocatable device objects: their target and tools, their sections, symbols,
// relocations and attribute records, and the resources of each kernel.
//
//   Result<CubinReader> cubin = CubinReader::open_file("a.cubin");
//   if (!cubin)
//     return fail(cubin.error().text()); // "a.cubin: .symtab, st_name of symbol 4: ..."
//   for (const FunctionUsage &function : cubin->usage().functions)
//     if (function.kernel)
//       std::cout << function.name << ": " << function.registers.value_or(0) << " registers\n";
//
// examples/read_cubin/read_cubin.cc is a complete program. CMake: culink::inspect.
//
// Errors: opening checks every offset, size, count, index, string and record once, and refuses a
// file in which one is wrong with an Error that names the file, the section and the field. After
// that no function fails, and the only exception is std::bad_alloc. Numbers without a name in this
// version (a section type, an attribute) are returned as numbers.
//
// Lifetime: text and bytes are not copied. Every returned std::string_view and ByteSpan points into
// the file: into the caller's buffer after open(), into the reader's own mapping after open_file().
// They stay valid when the reader is moved, and end with the buffer or the reader.
//
// Threads: a reader does not change after opening; any number of threads may use it.
//
// Cost: opening looks at headers, symbols, relocations and records, not at code. Functions that
// return a vector decode it on each call, so keep the result.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "culink/elf_constants.h"
#include "culink/result.h"
#include "culink/types.h"

namespace culink {

// Bytes in one constant bank.
struct BankUse {
  u32 bank = 0;
  u64 size = 0;
};

inline constexpr u32 kUnboundedStack = 0xffffffff;

// The resources of one kernel or device function. Values that the file does not record are absent.
struct FunctionUsage {
  std::string_view name; // mangled
  u32 symbol = 0;        // its number in .symtab
  bool kernel = false;
  u64 code = 0; // bytes
  std::optional<u32> registers;
  std::optional<u32> register_limit; // given to the compiler; 255: none
  std::optional<u32> frame;          // stack in bytes, its own
  std::optional<u32> min_stack;      // with all that it calls; kUnboundedStack: without a limit
  std::optional<u32> max_stack;
  std::optional<u32>
      spills; // instructions that store or load spilled registers; CUDA 12.9 and later
  std::optional<u32> barriers;
  std::optional<u32> parameters;                      // bytes
  std::optional<std::array<u32, 3>> max_threads;      // __launch_bounds__
  std::optional<std::array<u32, 3>> required_threads; // .reqntid
  u64 shared = 0; // static, bytes; for a linked kernel, the reserved area included
  u64 local = 0;  // bytes
  std::vector<BankUse> constants;
};

struct ModuleUsage {
  u32 toolkit = 0;         // the release that made the file: 130 for CUDA 13.0; 0: not recorded
  u64 global = 0;          // zeroed and initialized variables, bytes
  u64 shared = 0;          // static shared memory of no particular kernel
  u64 reserved_shared = 0; // taken by the system at the start of every kernel's shared memory
  std::vector<BankUse> constants;
  std::vector<FunctionUsage> functions; // in symbol order
};

class CubinReader {
public:
  struct Header {
    elf::FileType type = elf::FileType::None; // Relocatable: an object; Executable: linked
    elf::ElfClass elf_class = elf::ElfClass::Elf64;
    u8 abi_version = 0;   // 8 since toolkit 13.0, for sm_100 and later since 12.8
    u32 flags = 0;        // e_flags
    std::string target;   // "sm_90a"
    u32 sm = 0;           // 90
    u32 virtual_sm = 0;   // 90 for compute_90; 0: not recorded
    u32 toolkit = 0;      // 130 for CUDA 13.0; 0: not recorded
    bool mercury = false; // carries Mercury code beside its machine code (sm_100 and later)
  };

  struct Section {
    u32 index = 0; // in sections()
    std::string_view name;
    elf::SectionType type = elf::SectionType::Null;
    std::string_view type_name; // "CUDA_INFO"; empty: not known
    std::string_view role;      // what it is for: "text", "constant", "info"; or "unknown"
    std::string_view function;  // the function that it belongs to by its name, or empty
    u64 flags = 0;
    u64 offset = 0;
    u64 size = 0;
    u64 align = 0;
    u64 entsize = 0;
    u32 link = 0;
    u32 info = 0;
    ByteSpan data; // empty for types without bytes in the file, whatever `size` is
  };

  struct Symbol {
    u32 number = 0;        // in its table
    std::string_view name; // the section's name for a section symbol without a name
    elf::SymbolBinding binding = elf::SymbolBinding::Local;
    elf::SymbolType type = elf::SymbolType::NoType;
    u8 other = 0;            // bits elf::kOther...
    u32 section = 0;         // index of the section that it is defined in; 0: in none
    u16 special_section = 0; // elf::kSectionAbsolute, elf::kSectionCommon; 0: neither
    u64 value = 0;
    u64 size = 0;

    [[nodiscard]] bool defined() const { return section != 0 || special_section != 0; }
    [[nodiscard]] bool kernel() const {
      return type == elf::SymbolType::Function && (other & elf::kOtherKernel) != 0;
    }
  };

  struct Relocation {
    u32 table = 0;   // index of the section with the relocation
    u32 section = 0; // index of the section that it is for
    u64 offset = 0;  // in that section
    u32 type = 0;
    std::string_view type_name; // "R_CUDA_ABS32_LO_20"; empty: not known
    u32 symbol = 0;             // number in the symbol table of `table`
    std::string_view symbol_name;
    i64 addend = 0;
  };

  // A part of a record's value. A list or table has one Value per part, in the order of the file.
  struct Value {
    enum class Kind : u8 {
      Number,
      Symbol,     // `number` in the symbol table, and its name in `text`
      CodeOffset, // in the code of the function
      Text,
    };
    Kind kind = Kind::Number;
    std::string_view key; // "value", "symbol", "offset", "x": as in the JSON of `cubin dump`
    u64 number = 0;
    std::string text;
  };

  // One record of .nv.info, .nv.info.<function> or .nv.compat.
  struct Attribute {
    u32 section = 0;           // index of the section that it is in
    std::string_view function; // described by the section; empty: the whole module
    u64 offset = 0;            // in the section
    u8 code = 0;
    std::string_view name; // "EIATTR_REGCOUNT"; empty: not known
    u8 format = 0;         // 1 no value, 2 byte, 3 half word, 4 payload
    ByteSpan payload;      // of format 4
    // The decoded payload. Empty if the record has no value, or one of unknown meaning.
    std::vector<Value> values;
  };

  struct Note {
    u32 section = 0;
    u32 type = 0;
    std::string_view owner; // "NVIDIA Corp"
    ByteSpan desc;
  };

  // A program that took part in making the file.
  struct Tool {
    std::string_view object; // the name of the file at that time, or empty
    std::string_view name;   // "ptxas"
    std::string_view version;
    std::string_view build;
    std::string_view options;
  };

  // Reads bytes that the caller keeps. `name` is their name in errors.
  [[nodiscard]] static Result<CubinReader> open(ByteSpan bytes, std::string_view name = {});
  [[nodiscard]] static Result<CubinReader> open_file(const std::string &path);

  ~CubinReader();
  CubinReader(CubinReader &&) noexcept;
  CubinReader &operator=(CubinReader &&) noexcept;

  [[nodiscard]] const Header &header() const;

  // By index; number 0 is the null section.
  [[nodiscard]] const std::vector<Section> &sections() const;
  // The first section of that name, or nothing.
  [[nodiscard]] const Section *find_section(std::string_view name) const;

  // The symbols of .symtab, by number, or of another symbol table, which files with Mercury code
  // have. Number 0 is the null symbol. Empty for a section that is not a symbol table.
  [[nodiscard]] std::vector<Symbol> symbols() const;
  [[nodiscard]] std::vector<Symbol> symbols(const Section &table) const;

  // The relocations of all tables, or of one. Empty for a section that is not such a table.
  [[nodiscard]] std::vector<Relocation> relocations() const;
  [[nodiscard]] std::vector<Relocation> relocations(const Section &table) const;

  // The records of all sections that have some, or of one.
  [[nodiscard]] std::vector<Attribute> attributes() const;
  [[nodiscard]] std::vector<Attribute> attributes(const Section &section) const;

  [[nodiscard]] std::vector<Note> notes() const;
  // From the notes; older files have none.
  [[nodiscard]] std::vector<Tool> tools() const;

  [[nodiscard]] ModuleUsage usage() const;

private:
  class Impl;
  explicit CubinReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

} // namespace culink
