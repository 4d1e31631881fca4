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

// From the bytes of a file to an object that can be linked for the target, or to messages that say
// why it cannot. The object refers to the bytes.
[[nodiscard]] std::optional<InputObject> load_object(const std::string &name, ByteSpan bytes,
                                                     const arch::ArchInfo &target,
                                                     const Dialect &dialect, Diagnostics &diag);

// Reads a relocatable device object. Everything the passes index with is checked here; a violation
// is an error that names section and field.
[[nodiscard]] Result<InputObject> parse_object(std::string name, elf::ElfView view);

// Variant for other symbols than those of .symtab. Precondition: every section in them exists.
[[nodiscard]] Result<InputObject> parse_object(std::string name, elf::ElfView view,
                                               std::vector<elf::Symbol> symbols);

// One warning for each kind of things that objects have and this linker does not know, about all
// objects together.
void report_unfamiliar(const std::vector<InputObject> &objects, Diagnostics &diag);

// ---- accept.cc: what an object says about itself

// The target of an object and the toolkit that made it.
struct ObjectIdentity {
  u16 sm = 0;
  u16 virtual_sm = 0; // of the PTX
  u32 toolkit = 0;    // 124: CUDA 12.4
  bool capsule = false;
};

[[nodiscard]] ObjectIdentity identify_object(const elf::ElfView &view);

// Whether a device ELF can be linked for a target: relocatable, of an ABI we know, for a compatible
// architecture, by a toolkit that is not too old. Reports what does not fit, and returns false
// then.
[[nodiscard]] bool accept_object(const std::string &name, const elf::ElfView &view,
                                 const arch::ArchInfo &target, const Dialect &dialect,
                                 Diagnostics &diag);

// One warning for all objects of toolkits that are newer than what the dialect knows.
void report_newer_toolkits(const std::vector<InputObject> &objects, const Dialect &dialect,
                           Diagnostics &diag);

// One warning for all objects of toolkits that are newer than the release that the output is to
// look like.
void report_older_dialect(const std::vector<InputObject> &objects, const Dialect &dialect,
                          Diagnostics &diag);

// A warning for each object that is not of `nvcc -ewp`, if another one is: that one was compiled as
// if it were the whole program, the device runtime library apart.
void report_partial_programs(const std::vector<InputObject> &objects, Diagnostics &diag);

// ---- check_object.cc

// Checks what passes rely on beyond valid indices: symbols are in sections of their kind, names of
// sections agree with their types where it matters, sizes and alignments can be added up, and no
// code would be left out silently. Returns the first violation, by section and field, or the
// functions that the object defines, by number of symbol.
[[nodiscard]] Result<std::vector<u32>> check_object(const InputObject &object);

// ---- mercury_plane.cc

// The Mercury object inside an object for sm_100 and later: sections and symbols have the numbers
// and names of their SASS counterparts, so that what a pass finds out about one plane holds for the
// other. Sections without a Mercury form are the same in both planes, except that constant bank 0
// is missing.
//
// Nor are calls of the driver that machine code has in place of Mercury instructions: their symbols
// and relocations are in the SASS plane only.
[[nodiscard]] Result<InputObject> parse_mercury_plane(const InputObject &object);

// Whether a symbol that Mercury code does not have is a function of the driver that compilers for
// the object's target call for textures and surfaces.
[[nodiscard]] bool is_image_function(const InputObject &object, const elf::Symbol &symbol);

} // namespace culink
