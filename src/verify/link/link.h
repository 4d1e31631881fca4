// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A link under examination: the program that the inputs define, the output, and the places of the
// program's parts in the output.
#pragma once

#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "elf/target/arch.h"
#include "elf/target/reloc.h"
#include "support/string_index.h"
#include "support/worker_pool.h"
#include "verify/link/calls.h"
#include "verify/link/program.h"

namespace culink::check {

// The place of an input's section in the output.
struct Place {
  u32 section = 0; // 0: not in the output
  u64 base = 0;
  bool scattered = false; // its variables are placed one by one, by their symbols
};

// The original form of code that a finalizer has changed (restore.cc). Empty if nothing has moved
// or the instructions differ.
struct RestoredCode {
  std::vector<u8> code;           // in the order of the definition, with the fields of the output
  std::vector<u32> place, origin; // by instruction, of the definition and of the output; or kNone

  [[nodiscard]] bool moved() const;
  // Returns the offset in the definition of the code at an offset of the output.
  [[nodiscard]] std::optional<u64> origin_of(u64 offset) const;
  // Starting at an offset in the definition, finds the first instruction that the output also has,
  // and returns its offset in the definition; the second function starts at an offset in the
  // output. The results are equal if both offsets lead to the same instruction.
  [[nodiscard]] u64 first_kept(u64 offset) const;
  [[nodiscard]] u64 first_kept_of_output(u64 offset) const;
  // Returns `before`, an offset in the definition, if `after` in the output leads to the same
  // instruction; else the offset in the definition that `after` leads to.
  [[nodiscard]] u64 place_before(u64 before, u64 after) const;
};

// A code section of an input that is part of the output.
struct CodePlace {
  u32 object = 0, section = 0;
  u32 entity = 0;     // the function
  u32 out = 0;        // section of the output
  bool moved = false; // a finalizer has added or removed instructions
  RestoredCode restored;
};

// An offset that no symbol and no field shows.
inline constexpr u64 kUnknown = ~u64{0};

struct Link {
  Link(Program of, Object output, const arch::ArchInfo &row, const CheckOptions &how)
      : program(std::move(of)), out(std::move(output)), arch(row), options(how) {}

  Program program;
  Object out;
  std::vector<Object> planes; // Mercury objects in the inputs and in the output
  std::optional<Object> out_plane;
  const arch::ArchInfo &arch;
  const CheckOptions &options;
  bool executable = true;
  bool has_mercury = false; // the output has Mercury code, too
  bool has_unified = false; // there are unified functions, whose table has a symbol
  bool mercury = false;     // this link is the Mercury form of the program and of the output

  Calls calls;       // of prevailing definitions: the output must contain them
  Calls all_calls;   // also of overridden ones: the output may contain them
  bool exact = true; // both are equal
  Liveness live;
  std::vector<bool> allowed; // by function node: may be in the output

  // Tables of the output.
  StringIndex section_names;                // of all sections but code
  std::vector<u32> section_of_name;         // the first of that name
  std::vector<u32> section_symbol;          // by section; 0 if it has none
  std::vector<u32> canonical;               // by symbol: the first one for the same code
  std::vector<std::vector<u32>> belongs_to; // by code section: banks, shared memory
  std::vector<bool> claimed;                // by section: an input accounts for it

  std::vector<std::vector<Place>> place_of; // by object and section
  std::vector<CodePlace> code;
  std::vector<u32> code_of_node; // by function node: position in `code`, or kNone

  // Offsets that fields of the code show (place.cc).
  std::vector<u64> shared_offset; // by entity: offset in a kernel's shared memory, or kUnknown
  std::vector<u64> slot_of;       // by entity: an image's slot in the bank of parameters
  std::vector<u64> dynamic_start; // by function node: begin of dynamic shared memory, or kUnknown
  std::vector<std::vector<u64>> constants_base; // by object and section, if there are any
  std::vector<std::vector<u32>> shared_uses;    // by function node: entities
  std::vector<std::vector<u32>> image_uses;     // by function node: entities

  [[nodiscard]] const Entity *entity(u32 object, u32 symbol) const {
    const u32 id = program.entity_of[object][symbol];
    return id == kNone ? nullptr : &program.entities[id];
  }
  [[nodiscard]] const Entity &function(u32 node) const { return calls.function(program, node); }
  // Returns the code of the output, in the order of the definition.
  [[nodiscard]] ByteSpan bytes_of(const CodePlace &place) const {
    return place.restored.code.empty() ? out.section(place.out).data
                                       : ByteSpan(place.restored.code);
  }
  [[nodiscard]] u32 out_section(std::string_view name) const {
    const std::optional<u32> number = section_names.find(name);
    return number ? section_of_name[*number] : 0;
  }
  // Returns the section of a role (and bank) that belongs to code of the output, or 0.
  [[nodiscard]] u32 owned(u32 code_section, elf::SectionRole role, u8 bank = elf::kNoBank) const {
    for (const u32 section : belongs_to[code_section])
      if (out.kinds[section].role == role && out.kinds[section].bank == bank)
        return section;
    return 0;
  }
};

// The parts, in the order of their dependencies. Each reports what it finds.

// Finds functions that the output lacks because an equal one replaces them, and redirects all
// references to it. Returns true if there are any: the calls must then be computed again.
[[nodiscard]] bool accept_folding(Link &link);
// Finds the symbol of the output for each entity.
void match_symbols(Link &link, Report &report);
// Finds the places of joined sections: data, constants, debug information.
void place_blocks(Link &link, Report &report);
// Finds the offsets that only fields of the code show.
void derive_places(Link &link, WorkerPool &pool);
// Copies the addresses from the machine code of the program to its Mercury form.
void take_places(const Link &sass, Link &mercury);
// Checks bytes, fields and relocations of code and data.
void check_contents(Link &link, WorkerPool &pool, Report &report);
// Checks compiler constants, shared memory and images of each kernel.
void check_kernels(Link &link, Report &report);
// Checks registers, stack and other records.
void check_records(Link &link, Report &report);
// Finds records of the module that contradict each other.
void check_module_records(const Link &link, Report &report);
// Checks the call graph of the output.
void check_call_graph(Link &link, Report &report);
// Returns the original form of a function's code that a finalizer may have changed.
[[nodiscard]] RestoredCode restore_code(const Link &link, const CodePlace &code);
// Returns a section of the output that has the compiler's constants of such code at `base`, with
// the original branch tables of the code. `bank` is the section of the input.
[[nodiscard]] std::vector<u8> restore_tables(const Link &link, const CodePlace &code, u32 bank,
                                             u32 out, u64 base);
// Checks capsules: Mercury code as a difference to machine code, with the values of its fields.
void check_capsules(const Link &sass, Report &report);
// Reports sections of the output that no input accounts for.
void check_leftovers(Link &link, Report &report);

// The expected result for a relocation of an input (targets.cc).

// The meaning of the symbol of a relocation.
enum class TargetKind : u8 {
  Function,
  Memory,          // global memory, or memory that the next link places
  UndefinedObject, // defined by the driver
  Known,           // a constant, a shared variable, an offset in a joined section
  Nothing,         // a label without a location
  GoneFunction,    // not part of the output, or undefined and weak
  GoneData,
  Image,
  UnifiedTable, // __UFT, __UDT
  Ignored,
};

struct Target {
  TargetKind kind = TargetKind::Nothing;
  bool unknown = false; // no field and no symbol of the output shows the value
  u8 bank = 0;
  u32 symbol = 0; // of the output
  u64 value = 0;
  u64 shift = 0; // of the section's part in the output; added to the addend
};

// `node` is the function whose code the relocation is in, or kNone.
[[nodiscard]] Target target_of(const Link &link, u32 object, u32 symbol, u32 node);

enum class Treatment : u8 {
  Dropped, // without a trace; the bytes are those of the input
  Kept,
  KeptAsNone, // with type 0 and without a symbol
  Folded,
  Cleared,
  Anything, // of unknown meaning
};

[[nodiscard]] Treatment treatment_of(const Link &link, const Target &target, u32 type,
                                     const arch::RelocInfo *row);

// True if the value in a field is not used: engines that make relocatable files (nvlink -r) store
// values into fields of relocations that they keep, which is harmless if those have addends.
[[nodiscard]] bool is_filled_by_engine(const Link &link, Treatment treatment, bool rela);

// True if a value can be stored in an operand's field without loss.
[[nodiscard]] bool fits(const arch::RelocInfo &row, u64 value);

[[nodiscard]] bool is_image(elf::SymbolType type);

// Finds the load in `MOV R, index; LDC R, c[0][R + base]`, which loads the number of an image. Code
// compiled with -G has the slot's index in the relocated field, and the begin of the slots in the
// load, without a relocation (Q112). nullopt for any other relocation.
[[nodiscard]] std::optional<u64> load_of_index(ByteSpan code, u64 offset,
                                               const arch::RelocInfo &row);
// Returns the begin of the slots in such a load.
[[nodiscard]] u64 begin_of_slots(ByteSpan code, u64 load);

// Returns the bank that a field has for a section of that type.
[[nodiscard]] constexpr u8 bank_of(elf::SectionType type) {
  return static_cast<u8>(
      (static_cast<u32>(type) - static_cast<u32>(elf::SectionType::CudaConstantB0)) & 31);
}
// Returns the bank of an input's section.
[[nodiscard]] inline u8 bank_of(const Object &file, u32 section) {
  return bank_of(elf::type_in_objects(file.kinds[section], file.section(section).type));
}

// Compares a block of an input with its place in the output: bytes, fields, relocations
// (contents.cc).

// A relocation of the output, found or expected.
struct KeptEntry {
  u64 offset = 0;
  i64 addend = 0;
  u32 type = 0;
  u32 symbol = 0; // of the output; the first of several names of a function
  bool explicit_addend = false;
  bool optional = false; // may be missing
  i64 in_field = 0;      // -r: the value in the field of an input's entry without addend

  [[nodiscard]] auto key() const { return std::tie(offset, type, symbol, addend, explicit_addend); }
};

struct Block {
  u32 object = 0, section = 0; // of the input
  u32 out = 0;                 // section of the output
  u64 base = 0;                // in the output section
  u64 begin = 0, end = 0;      // in the input's section
  u32 node = kNone;            // the function whose code it is
  std::string_view name;       // for findings
  bool live = true;            // it is reachable: all its references must be in the output
  bool debug = false;          // debug information, which may describe discarded code
  bool any_bytes = false;      // only relocations are compared
  bool any_schedule = false;   // scheduling bits are not compared
  ByteSpan restored;           // compared instead of the bytes of the output, unless empty
};

// Compares bytes and fields, and appends the expected relocations to `kept`.
void check_block(const Link &link, const Block &block, std::vector<KeptEntry> &kept,
                 Report &report);

// Returns the relocations of a section of the output.
[[nodiscard]] std::vector<KeptEntry> kept_in_output(const Link &link, u32 out);

// Compares the relocations of a section of the output with the expected ones.
void compare_kept(const Link &link, u32 out, std::vector<KeptEntry> expected,
                  std::vector<KeptEntry> found, Report &report);
// Checks the kept relocations of a section of the output. With `ranges`, only those inside them:
// other offsets are unused.
using OffsetRanges = std::vector<std::pair<u64, u64>>;
void check_kept(const Link &link, u32 out, std::vector<KeptEntry> expected, Report &report,
                const OffsetRanges *ranges = nullptr);

} // namespace culink::check
