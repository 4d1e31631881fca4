// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "support/types.h"

namespace culink::arch {

// The kind of code in the .text sections of a file: the low byte of e_flags.
enum class CodeKind : u8 {
  Capmerc = 0x02, // SASS and a Mercury capsule, from which a finalizer can make SASS again
  Sass = 0x04,    // plain machine code
};

// The relocation tables that ptxas writes for a target.
enum class RelocationStyle : u8 {
  RelAndRela, // SHT_REL where every addend is 0, else SHT_RELA
  Rela,
};

// The constant banks by use. They are equal on all targets so far.
struct ConstantBanks {
  u8 parameters = 0; // per kernel: area of the driver, then the parameters
  u8 compiler = 2;   // per function: jump tables and literals of the compiler
  u8 user = 3;       // per module: __constant__ variables
  u8 addresses = 4;  // per module: addresses of globals and functions
};

struct Limits {
  u32 static_shared; // bytes per kernel, without the reserved area
  u32 opt_in_shared; // bytes per block if requested at launch; 0: not documented
  u32 constant_bank; // bytes, of every bank
  u32 textures;      // per kernel; includes all references of the program
  u32 samplers;
  u32 surfaces;
  u32 registers;       // per thread
  u32 barriers;        // per block
  u32 parameter_bytes; // per kernel
};

// One target. Other code does not compare SM numbers; it reads a field.
struct ArchInfo {
  std::string_view name; // "sm_90a"
  u16 number;            // 90
  char letter;           // 'a', 'f' or 0
  u16 family;            // the lowest number with family (f) code that runs on this target
  CodeKind code_kind;    // what ptxas and nvlink write
  RelocationStyle relocations;
  u32 text_align;
  u32 instruction_size;
  u32 parameter_base;           // size of the driver's area at the start of constant bank 0
  u32 image_slot_align;         // alignment of the first texture, sampler or surface slot after the
                                // parameters
  u32 reserved_shared;          // added to the size of every .nv.shared.<kernel>
  u32 reserved_slot;            // first offset of variables in .nv.shared.reserved.0
  bool registers_in_text_info;  // sh_info of .text.<f> has the register count in its top byte
  bool has_rel_action;          // executables carry .nv.rel.action
  bool has_unified_symbols;     // objects declare __UFT*, __UDT* and .nv.reservedSmem.offset0
  bool has_compat;              // files carry .nv.compat
  u8 accelerator_target;        // .nv.compat attribute 9
  u64 fastpath_mask;            // .nv.compat attribute 0x0b
  bool has_mercury_plane;       // files carry .nv.merc.* and .nv.capmerc.*
  bool calls_driver_for_images; // machine code calls it where Mercury code has instructions
  u32 oldest_toolkit;           // the oldest with objects that can be linked, times ten
  ConstantBanks banks;
  Limits limits;
  u32 toolkit = 130; // the first known release with this target, times ten
};

// The instruction with which ptxas pads .text sections, on every target.
inline constexpr std::array<u8, 16> kNop = {0x18, 0x79, 0, 0, 0,    0,    0,    0,
                                            0,    0,    0, 0, 0x00, 0xc0, 0x0f, 0x00};

[[nodiscard]] std::span<const ArchInfo> all_archs();

// Finds a target by name ("sm_90a") or by number and letter (90, 'a'); null if unknown.
[[nodiscard]] const ArchInfo *find_arch(std::string_view name);
[[nodiscard]] const ArchInfo *find_arch(u32 number, char letter = 0);

// Returns the target for links of machine code alone, or for links of Mercury code: nvlink has
// separate rules for both. Targets before sm_100 are returned unchanged.
[[nodiscard]] ArchInfo as_plain_sass(const ArchInfo &arch);
[[nodiscard]] ArchInfo as_mercury_plane(const ArchInfo &arch);

// True if a toolkit (times ten) can link code of kind `kind` in an object for `object` into an
// image for `target`.
[[nodiscard]] bool can_link(const ArchInfo &object, CodeKind kind, const ArchInfo &target,
                            u32 toolkit);

// Variant for an object with the usual kind of its target.
[[nodiscard]] bool can_link(const ArchInfo &object, const ArchInfo &target, u32 toolkit);

// The letters with which code of one number can be linked into an image of another.
enum class Letters : u8 {
  None,         // no variant at all
  Any,          // every variant into every variant
  NotA,         // every variant but the object's `a`
  NotAIntoF,    // every variant but `a` into `f`
  NotANorIntoF, // neither `a` into any, nor any into `f`
  AIntoA,       // every variant but `a` into others than `a`
};

// A pair of numbers of which some variants can be linked.
struct CompatibleRow {
  u16 target;
  u16 object;
  Letters sass;    // for plain SASS
  Letters capmerc; // for code with a Mercury capsule
  u16 since = 0;   // the first toolkit that links them, times ten
};
[[nodiscard]] std::span<const CompatibleRow> compatible_rows();

} // namespace culink::arch
