// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "elf/elf_view.h"
#include "elf/target/arch.h"
#include "link/model/diagnostics.h"
#include "link/model/dialect.h"
#include "link/model/input_object.h"
#include "support/result.h"

namespace culink {

// Parses a file as an object that can be linked for the target, or reports why it cannot be linked.
// The object refers to the bytes.
[[nodiscard]] std::optional<InputObject> load_object(const std::string &name, ByteSpan bytes,
                                                     const arch::ArchInfo &target,
                                                     const Dialect &dialect, Diagnostics &diag);

// Reads a relocatable device object. Checks every index that passes use; a violation is an error
// that names section and field.
[[nodiscard]] Result<InputObject> parse_object(std::string name, elf::ElfView view);

// Variant with other symbols than those of .symtab. Precondition: their sections exist.
[[nodiscard]] Result<InputObject> parse_object(std::string name, elf::ElfView view,
                                               std::vector<elf::Symbol> symbols);

// Reports one warning for each kind of unknown contents, for all objects together.
void report_unfamiliar(const std::vector<InputObject> &objects, Diagnostics &diag);

// ---- accept.cc: the target and toolkit of an object

// The target of an object and the toolkit that made it.
struct ObjectIdentity {
  u16 sm = 0;
  u16 virtual_sm = 0; // of the PTX
  u32 toolkit = 0;    // 124: CUDA 12.4
  bool capsule = false;
};

[[nodiscard]] ObjectIdentity identify_object(const elf::ElfView &view);

// True if a device ELF can be linked for a target: relocatable, of a known ABI, for a compatible
// architecture, by a toolkit that is not too old. Otherwise reports the reason and returns false.
[[nodiscard]] bool accept_object(const std::string &name, const elf::ElfView &view,
                                 const arch::ArchInfo &target, const Dialect &dialect,
                                 Diagnostics &diag);

// One warning for all objects of toolkits that are newer than what the dialect knows.
void report_newer_toolkits(const std::vector<InputObject> &objects, const Dialect &dialect,
                           Diagnostics &diag);

// Reports one warning for all objects of toolkits that are newer than the imitated release.
void report_older_dialect(const std::vector<InputObject> &objects, const Dialect &dialect,
                          Diagnostics &diag);

// Reports a warning for each object that is not of `nvcc -ewp`, if another object is: code of -ewp
// was compiled as a whole program, without the device runtime library.
void report_partial_programs(const std::vector<InputObject> &objects, Diagnostics &diag);

// ---- check_object.cc

// Checks invariants of passes beyond valid indices: symbols are in sections of their kind, section
// names agree with types where it matters, sizes and alignments can be added up, and no code would
// be dropped silently. Returns the first violation, by section and field, or the functions that the
// object defines, by symbol number.
[[nodiscard]] Result<std::vector<u32>> check_object(const InputObject &object);

// ---- mercury_plane.cc

// Returns the Mercury object inside an object for sm_100 and later. Its sections and symbols have
// the numbers and names of their SASS counterparts, so that results of a pass for one plane are
// valid for the other. Sections without a Mercury form are the same in both planes, except that
// constant bank 0 is missing.
//
// Calls of the driver that replace Mercury instructions in machine code are also missing: their
// symbols and relocations are in the SASS plane only.
[[nodiscard]] Result<InputObject> parse_mercury_plane(const InputObject &object);

// True if a symbol without a Mercury counterpart is a driver function that compilers call for
// textures and surfaces on the object's target.
[[nodiscard]] bool is_image_function(const InputObject &object, const elf::Symbol &symbol);

} // namespace culink
