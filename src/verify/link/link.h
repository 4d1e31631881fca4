// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A link under examination: the program of the inputs, the output, and where in the output the
// parts of the program are.
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

// Where a section of an input is in the output.
struct Place {
  u32 section = 0; // 0: nowhere
  u64 base = 0;
  bool scattered = false; // its variables lie one by one: their symbols say where
};

// Code that a finalizer has changed, as it was before (restore.cc). Empty: all is in its place.
struct RestoredCode {
  std::vector<u8> code;           // in the order of the definition, with the output's fields
  std::vector<u32> place, origin; // by instruction, of the definition and of the output; or kNone

  [[nodiscard]] bool moved() const;
  // The offset in the definition of what is at an offset of the output.
  [[nodiscard]] std::optional<u64> origin_of(u64 offset) const;
  // Where the first instruction that the output has from an offset in the definition on is in the
  // definition, and the same for an offset in the output: equal if both lead to one instruction.
  [[nodiscard]] u64 first_kept(u64 offset) const;
  [[nodiscard]] u64 first_kept_of_output(u64 offset) const;
  // `before`, an offset in the definition, if `after` in the output leads to the same instruction;
  // else where that leads.
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

// What a field of the output says about a place that no symbol shows.
inline constexpr u64 kUnknown = ~u64{0};

struct Link {
  Link(Program of, Object output, const arch::ArchInfo &row, const CheckOptions &how)
      : program(std::move(of)), out(std::move(output)), arch(row), options(how) {}

  Program program;
  Object out;
  std::vector<Object> planes; // the Mercury objects inside the inputs, and inside the output
  std::optional<Object> out_plane;
  const arch::ArchInfo &arch;
  const CheckOptions &options;
  bool executable = true;
  bool has_mercury = false; // the output has Mercury code, too
  bool has_unified = false; // there are unified functions, whose table has a symbol
  bool mercury = false;     // this is the Mercury form of both

  Calls calls;       // of prevailing definitions: what must be there follows from it
  Calls all_calls;   // of overridden ones as well: what may be there follows from it
  bool exact = true; // both are the same
  Liveness live;
  std::vector<bool> allowed; // by function node: may be in the output

  // Tables of the output.
  StringIndex section_names;                // of all sections but code
  std::vector<u32> section_of_name;         // the first of that name
  std::vector<u32> section_symbol;          // by section; 0: none
  std::vector<u32> canonical;               // by symbol: the first one for the same code
  std::vector<std::vector<u32>> belongs_to; // by code section: banks, shared memory
  std::vector<bool> claimed;                // by section: an input accounts for it

  std::vector<std::vector<Place>> place_of; // by object and section
  std::vector<CodePlace> code;
  std::vector<u32> code_of_node; // by function node: position in `code`, or kNone

  // Found in fields of the code (place.cc).
  std::vector<u64> shared_offset; // by entity: in a kernel's shared memory, or kUnknown
  std::vector<u64> slot_of;       // by entity: of an image, in the bank of parameters
  std::vector<u64> dynamic_start; // by function node: of dynamic shared memory, or kUnknown
  std::vector<std::vector<u64>> constants_base; // by object and section, where there are any
  std::vector<std::vector<u32>> shared_uses;    // by function node: entities
  std::vector<std::vector<u32>> image_uses;     // by function node: entities

  [[nodiscard]] const Entity *entity(u32 object, u32 symbol) const {
    const u32 id = program.entity_of[object][symbol];
    return id == kNone ? nullptr : &program.entities[id];
  }
  [[nodiscard]] const Entity &function(u32 node) const { return calls.function(program, node); }
  // The code of the output, in the order of the definition.
  [[nodiscard]] ByteSpan bytes_of(const CodePlace &place) const {
    return place.restored.code.empty() ? out.section(place.out).data
                                       : ByteSpan(place.restored.code);
  }
  [[nodiscard]] u32 out_section(std::string_view name) const {
    const std::optional<u32> number = section_names.find(name);
    return number ? section_of_name[*number] : 0;
  }
  // The section of a role (and bank) that belongs to code of the output, or 0.
  [[nodiscard]] u32 owned(u32 code_section, elf::SectionRole role, u8 bank = elf::kNoBank) const {
    for (const u32 section : belongs_to[code_section])
      if (out.kinds[section].role == role && out.kinds[section].bank == bank)
        return section;
    return 0;
  }
};

// The parts, in the order in which they need each other. Each reports what it finds.

// Functions that the output lacks because another one is the same; afterwards all that named them
// names that one. Whether there are any: then the calls have to be found again.
[[nodiscard]] bool accept_folding(Link &link);
// Symbols: which one of the output stands for which entity.
void match_symbols(Link &link, Report &report);
// Places of sections that are joined: data, constants, debug information.
void place_blocks(Link &link, Report &report);
// Offsets that only fields of the code show.
void derive_places(Link &link, WorkerPool &pool);
// Takes the addresses from the machine code of the program, for its Mercury form.
void take_places(const Link &sass, Link &mercury);
// Bytes, fields and relocations of code and data.
void check_contents(Link &link, WorkerPool &pool, Report &report);
// Compiler constants, shared memory and images of each kernel.
void check_kernels(Link &link, Report &report);
// Registers, stack and other records.
void check_records(Link &link, Report &report);
// Finds records of the module that contradict each other.
void check_module_records(const Link &link, Report &report);
// The call graph of the output.
void check_call_graph(Link &link, Report &report);
// The code of a function that a finalizer may have changed.
[[nodiscard]] RestoredCode restore_code(const Link &link, const CodePlace &code);
// A section of the output that has the compiler's constants of such code at `base`, with the tables
// of branches that the code had before. `bank` is the section of the input.
[[nodiscard]] std::vector<u8> restore_tables(const Link &link, const CodePlace &code, u32 bank,
                                             u32 out, u64 base);
// Capsules: Mercury code as a difference to the machine code, with the values stored there.
void check_capsules(const Link &sass, Report &report);
// Sections of the output that nothing accounts for.
void check_leftovers(Link &link, Report &report);

// What a relocation of an input has to have become (targets.cc).

// What the symbol of a relocation stands for.
enum class TargetKind : u8 {
  Function,
  Memory,          // global memory, or anything that the next link places
  UndefinedObject, // what the driver defines
  Known,           // a constant, a shared variable, a place in a joined section
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
  u64 shift = 0; // of a section's part in the output: counts as part of the addend
};

// `node` is the function whose code the relocation is in, or kNone.
[[nodiscard]] Target target_of(const Link &link, u32 object, u32 symbol, u32 node);

enum class Treatment : u8 {
  Dropped, // no trace; the bytes are those of the input
  Kept,
  KeptAsNone, // as number 0 without a symbol
  Folded,
  Cleared,
  Anything, // nobody knows what it means
};

[[nodiscard]] Treatment treatment_of(const Link &link, const Target &target, u32 type,
                                     const arch::RelocInfo *row);

// Whether nobody reads what a field holds: an engine that makes relocatable files, nvlink -r,
// stores values into fields of relocations that it keeps, which is harmless where those have
// addends.
[[nodiscard]] bool is_filled_by_engine(const Link &link, Treatment treatment, bool rela);

// Whether a value can be stored in an operand's field without loss.
[[nodiscard]] bool fits(const arch::RelocInfo &row, u64 value);

[[nodiscard]] bool is_image(elf::SymbolType type);

// Where `MOV R, index; LDC R, c[0][R + base]` loads the number of an image: code compiled with -G
// has the index of a slot in the relocated field and where slots begin in the load, without a
// relocation (Q112). Nothing for any other relocation.
[[nodiscard]] std::optional<u64> load_of_index(ByteSpan code, u64 offset,
                                               const arch::RelocInfo &row);
// The begin of the slots that such a load has.
[[nodiscard]] u64 begin_of_slots(ByteSpan code, u64 load);

// The bank that a field names for a section of that type.
[[nodiscard]] constexpr u8 bank_of(elf::SectionType type) {
  return static_cast<u8>(
      (static_cast<u32>(type) - static_cast<u32>(elf::SectionType::CudaConstantB0)) & 31);
}
// The bank of a section of an input.
[[nodiscard]] inline u8 bank_of(const Object &file, u32 section) {
  return bank_of(elf::type_in_objects(file.kinds[section], file.section(section).type));
}

// One block of an input against its place in the output: bytes, fields, relocations (contents.cc).

// A relocation of the output, as it is or as it has to be.
struct KeptEntry {
  u64 offset = 0;
  i64 addend = 0;
  u32 type = 0;
  u32 symbol = 0; // of the output; of several names of one function, the first
  bool explicit_addend = false;
  bool optional = false; // may be missing
  i64 in_field = 0;      // the addend of an input's entry without one, of a relocatable link

  [[nodiscard]] auto key() const { return std::tie(offset, type, symbol, addend, explicit_addend); }
};

struct Block {
  u32 object = 0, section = 0; // of the input
  u32 out = 0;                 // section of the output
  u64 base = 0;                // in it
  u64 begin = 0, end = 0;      // in the input's section
  u32 node = kNone;            // the function whose code it is
  std::string_view name;       // for findings
  bool live = true;            // it is reached: all that it refers to has to be there
  bool debug = false;          // information about code, also about what is gone
  bool any_bytes = false;      // only relocations are compared
  bool any_schedule = false;   // bits that only say when instructions start are not compared
  ByteSpan restored;           // what the output has there, if not that
};

// Compares bytes and fields, and adds to `kept` what the output's tables have to have.
void check_block(const Link &link, const Block &block, std::vector<KeptEntry> &kept,
                 Report &report);

// The relocations of a section of the output.
[[nodiscard]] std::vector<KeptEntry> kept_in_output(const Link &link, u32 out);

// Compares relocations with those that a section of the output has to have.
void compare_kept(const Link &link, u32 out, std::vector<KeptEntry> expected,
                  std::vector<KeptEntry> found, Report &report);
// Checks the kept relocations of a section of the output. With `ranges`, only those inside them:
// nothing refers to other offsets.
using OffsetRanges = std::vector<std::pair<u64, u64>>;
void check_kept(const Link &link, u32 out, std::vector<KeptEntry> expected, Report &report,
                const OffsetRanges *ranges = nullptr);

} // namespace culink::check
