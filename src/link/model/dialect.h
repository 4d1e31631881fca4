// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules that a link follows: culink's own, or those of one release of nvlink. A dialect is a
// row of the table in driver/options/dialects.cc. The defects of a release are named here; culink's
// own row has none. Passes of the linker read the LinkPolicy, which is made from the row.
#pragma once

#include <span>
#include <string_view>

#include "elf/records/nv_compat.h"
#include "elf/records/nv_info.h"
#include "link/model/file_kind.h"
#include "support/types.h"

namespace culink {

// The conventions of files of one release of the CUDA toolkit, where releases differ and none is
// wrong. A row of the table in driver/options/dialects.cc. nvlink writes its own release; culink
// the release of the newest object, so that every tool that accepts the objects accepts the result.

// The merged .nv.compat.
struct CompatRules {
  std::span<const elf::CompatAttribute> drops;      // in every file
  std::span<const elf::CompatAttribute> sass_drops; // in files of SASS alone
  std::span<const elf::CompatRecord> adds;          // the meaning of a file without the attribute
  std::span<const elf::CompatAttribute> unanimous;  // only where every object has it
  std::span<const elf::CompatRecord> finalizer;     // what finalizing Mercury code adds
  std::span<const elf::CompatRecord> assumes;       // the same, where a file has other attributes
  // The version of attribute 13 from which a link for sm_100a or sm_120a clears the shortcut of the
  // other chip of the family. 0: a link does so without the attribute, too.
  u16 excluding_version = 0x101;
};

struct Release {
  // ABI 7, for targets before sm_100: no notes and no .nv.compat; the header has the toolkit, the
  // virtual architecture and the mode of textures, flags of code have the number of barriers.
  bool old_abi = false;
  u32 toolkit = 130; // times ten
  CompatRules compat;
  // Code for one chip (sm_90a) is linked for others of its number and family, too.
  bool accelerates_any_target = true;
  // Where dynamic shared memory follows, the size of a kernel's own is rounded up to its alignment.
  bool rounds_shared_size = false;
  // The list of undefined callees of a program's only kernel begins with the last one read.
  bool reverses_externs = true;
  // Records that finalizing adds to each function where the compiler has not.
  std::span<const elf::InfoRecord> finalizer_records;
  // No instruction keeps the driver from taking shortcuts with finalized code.
  bool finalizes_any_code = false;
  // The call graph and prototypes have counterparts on the Mercury plane.
  bool mirrors_calls = false;
  // Tables with addends leave the names of tables without addends (Q004).
  bool names_rel_tables = true;
  // In files with Mercury code: the symbol table of the Mercury plane, then counterparts in the
  // order of their sections, no unused names, and no bytes of memory.
  bool compacts_planes = false;
  // Such files have .debug_info once for both planes.
  bool shares_debug_info = false;
  // On the SASS plane, a unit of a line table without code still ends a sequence.
  bool ends_empty_lines = false;
  // Definitions without initial values prevail over common symbols.
  bool zeroed_data_prevails = false;
  // Weak symbols are in the local part of the symbol table.
  bool weak_among_locals = true;
};

// Defects of nvlink: it computes a wrong program, writes a file that is invalid or misleading,
// loses data or refuses sound input. The default is the sound answer, which is culink's own.
// docs/compat.md has the exact rules. Passes of the linker read these fields from the LinkPolicy.
struct Defects {
  // Symbols and definitions.

  // Q141: a parameter of one byte agrees with a later one of any size.
  bool one_byte_fits_any = false;
  // Q132: a unified function that is declared before its definition is not marked.
  bool loses_unified_marks = false;
  // Q131: opaque parameters of one name are one image. It belongs to the first kernel, and its
  // slot is not filled where a function or variable has the name.
  bool joins_opaque_by_name = false;
  // Q130: sections of a kernel are found by name alone, so that the first of several kernels of
  // one name gets the parameters and shared memory of all.
  bool sections_by_name = false;
  // Q057: a weak definition after a common symbol is an error. With -r the symbol has no place.
  bool loses_weak_over_common = false;
  // Q119: undefined weak symbols are an error.
  bool requires_weak_definitions = false;
  // Q043: an alias that is read before its function is an error.
  bool refuses_early_alias = false;
  // Q053: an alias is an error if only the alias or only its function is live.
  bool refuses_dead_alias = false;
  // Q161: with -g or --preserve-relocs, the first file that refers to an undefined function
  // leaves a local symbol without a name.
  bool leaves_blank_symbols = false;
  // Q019: symbol 0, and labels without a location, have the offset of the last block that was
  // placed without a symbol.
  bool null_symbol_has_value = false;
  // Q059: symbols of section 0xfff2 look like common symbols.
  bool loses_section_fff2 = false;
  // Q059: .symtab_shndx has an index for symbols that need none, too.
  bool fills_indices = false;

  // Liveness.

  // Q052: a kernel that device code launches is a device function, if one other kernel is
  // selected.
  bool demotes_launched_kernels = false;
  // Q144: functions are dead if only pointers in data refer to them.
  bool forgets_pointed_to = false;
  // Q134: -g -suppress-debug-info does not keep all kernels.
  bool selects_debugged = false;

  // Shared memory.

  // Q014: --preserve-relocs keeps the symbol of dynamic memory, which has no offset of its own,
  // where there are slots and a reserved area. Its value is -1, plus the reserved area.
  bool keeps_dynamic_symbol = false;
  // Q020: definitions of dynamic memory, which -r makes, contradict each other.
  bool refuses_dynamic_twice = false;
  // Q041: memory that is dynamic in one file and has a size in another is accepted as both. A
  // variable that replaces a weak one is listed twice, and its value has the reserved area added
  // twice.
  bool accepts_sized_dynamic = false;
  // Q115: the value of an instance of dynamic memory, an offset that an earlier -r left there, is
  // taken for an alignment. An instance after other definitions is ignored.
  bool misreads_instances = false;
  // Q115: the alignment of an instance is ignored altogether.
  bool ignores_instances = false;
  // Q116: dynamic memory keeps the alignment that was read first, and without -g only the first
  // function of a group aligns it.
  bool keeps_first_alignment = false;
  // Q117: without -g, a shared section without variables is a block of memory.
  bool keeps_unnamed_shared = false;
  // Q117: with -g, kernels of `nvcc -ewp` lose their shared memory.
  bool loses_placed_shared = false;
  // Q114: symbols of shared variables are local, although they are among the global ones.
  bool misplaces_locals = false;
  // Q120: variables of several kernels, which -g and --preserve-relocs keep, are measured as if
  // they were the memory of one more kernel.
  bool limits_debug_shared = false;

  // Constants.

  // Q040: -r refuses a definition without constants that overrides one with constants.
  bool refuses_deleted_constants = false;
  // Q040: relocations of branch tables of an overridden definition stay. They clear fields of the
  // tables that prevail, so that the function jumps to its own beginning.
  bool keeps_overridden_tables = false;
  // Q045: pointers in constants are 0 if the object's own definition of their target did not
  // prevail, and stay if the constant itself was discarded.
  bool forgets_pointers = false;
  // Q050: equal blocks of __constant__ data are merged, and symbols are not moved.
  bool merges_equal_constants = false;
  // Q051: packed __constant__ variables are aligned to their size. --preserve-relocs keeps the
  // symbols of variables that are left out, as internal ones.
  bool guesses_alignment = false;
  // Q051: where kernels are selected, a bank is not packed if its code uses a local variable.
  // Pointers of variables that are left out stay where they were.
  bool crashes_packing = false;
  // Q064: banks keep the flags of their object, in which toolkits before 12.4 leave out
  // SHF_INFO_LINK.
  bool takes_bank_flags = false;
  // Q112: in SASS, loads of images by index keep the old offset of the first slot, and so read
  // beyond the slots.
  bool keeps_image_base = false;

  // Relocations.

  // Q020 to Q024, Q103: -r resolves what the next link moves.
  bool resolves_early = false;
  // Q021, Q023: -r resolves references to shared variables, too.
  bool resolves_shared_early = false;
  // Q122: values that do not fit into their field lose bits.
  bool truncates_values = false;
  // Q133: relocations that are kept may reach beyond the end of their section. ptxas writes
  // 8-byte pointers into arrays of 4-byte integers.
  bool accepts_overruns = false;
  // Q073: the addend in the field is lost where a relocation gets an addend of its own, or its
  // target has moved.
  bool loses_field_addends = false;
  // Q113: local functions of one name share the list of resolved relocations of the first one.
  // Some of its offsets are beyond the end of that function.
  bool shares_lists = false;
  // Q042: --preserve-relocs stops at relocations against symbols that were removed.
  bool refuses_unlisted = false;

  // Records.

  // Q063: a kernel's record of barriers, which it has from a callee of toolkit 13, hides the
  // count in the flags of its own code, which toolkit 12 writes.
  bool loses_barriers = false;
  // Q121: a stack of 4 GiB or more is written modulo 2^32.
  bool wraps_stack = false;
  // Q143: a function of the program in place of the driver's may change any register.
  bool ignores_driver_registers = false;

  // Debug information.

  // Q028: call frames and lines of overridden definitions describe the definition that prevails.
  // Frames are dropped only if the overridden code had relocations, and only from .rela tables and
  // from the .rel table of a section that had a .rela table first.
  bool keeps_overridden_frames = false;
  // Q160: those of discarded definitions do so, too, and none is dropped.
  bool keeps_discarded_frames = false;
  // Q106: debug information of several definitions of a function is mixed.
  bool mixes_debug_info = false;
  // Q106: with -r or -g, the address in a call frame's CIE is stored at offset 0.
  bool loses_place_in_cie = false;
  // Q107: an alias that precedes its function in the symbol table owns the code.
  bool alias_takes_code = false;
  // Q109: debug registers of local functions are found by name.
  bool registers_by_name = false;

  // Mercury code.

  // Q100: objects before the first one without Mercury code lose a symbol.
  bool loses_mercury_marks = false;
  // Q102: the Mercury form of reserved memory contains section headers.
  bool leaks_headers = false;
  // Q110: local functions of one name have the records of the first one.
  bool repeats_first_of_name = false;
  // Q145: stacks of code that calls the driver for images are added up again, and callees are
  // listed, without calls through pointers. One object with samplers counts for all.
  bool recounts_image_calls = false;

  // Inputs.

  // Q058: sections of unknown types are left out without a message.
  bool drops_unknown_sections = false;
  // Q065: objects of a newer toolkit are an error.
  bool refuses_newer_toolkit = false;
  // Q118: objects of -ewp of an older toolkit are an error.
  bool refuses_foreign_programs = false;
  // Q083: the device runtime library is linked only if something is undefined where it is read.
  bool runtime_in_order = false;
  // Q170, Q171: only host objects count for what is optimised.
  bool lto_by_host_objects = false;
  // Q172: code for sm_90a is optimised for sm_90.
  bool lto_forgets_letter = false;
  // Q173: variables are unused if only kernels are listed.
  bool lto_drops_variables = false;
  // Q177: the order of what threads optimised differs from run to run.
  bool lto_order_by_chance = false;

  // Reports.

  // Q085: an existing list of modules is kept, whatever its content.
  bool keeps_stale_list = false;
  // Q091: names of the call graph are demangled even with -dump-callgraph-no-demangle.
  bool always_demangles = false;
};

// The treatment of inputs. The defaults are culink's: content decides the kind of a file, all code
// is used, and an input that contributes nothing is reported. Q numbers refer to defects of nvlink.
struct InputRules {
  std::span<const FileRule> files;   // Q080; empty: content alone decides
  u64 smallest_file = 0;             // Q080: a shorter one is refused, unless it is empty
  bool silent = false;               // Q066: inputs that contribute nothing are not reported
  bool drops_cut_files = false;      // Q080: cut cubins and archive members are ignored
  bool first_container_only = false; // Q080: further fatbins in a file are ignored
  bool host_members_only = false; // Q080: other members of archives are ignored, those that are no
                                  // ELF files with all that follow
  bool system_by_path = false;    // Q082: "cudadevrt" in any path is the system library
  bool distrusts_foreign_fatbins = false; // as FileAction::Distrust, unless modules are registered
  bool trusts_lto_files = false;          // Q174: files without host code use no kernels
  bool loses_ptx_files = false;           // Q084: code in files called .ptx, before sm_90
  bool little_endian_only = false;        // Q087: headers are read as if every file were
  bool any_type_links = false;            // Q142: every device file that is not linked is an object
  bool drops_unreadable = false;          // members of fatbins that cannot be unpacked are ignored
  bool checks_archives = false;           // Q086: archives that end within a member are refused
  bool tells_missing_host = false; // inputs without a host part are named where modules are listed
  bool old_headers_only = false;   // e_flags are read as if every file had ABI 7
  bool thin_from_here = false;     // Q086: members of thin archives are looked for in the working
                                   // folder, by their names up to the first slash
};

// Where the command line means something else to nvlink than to culink.
struct CommandRules {
  bool refuses_empty_link = false;  // instead of making an empty image
  bool dash_is_a_file = false;      // -o - does not mean standard output
  bool needs_nvvm = false;          // -dlto looks for the optimizer even if there is nothing for it
  bool measures_time = true;        // --time shows what the link took
  bool conflicts_first = false;     // options are compared before inputs and output are missed
  bool ignores_relocatable = false; // -r is accepted, and an executable is made
  std::string_view patch_option = "-astoolspatch"; // as messages spell it
};

struct Dialect {
  std::string_view name; // the value of the option that chooses it; empty: culink's own
  // Identity in .note.nv.tkinfo.
  std::string_view tool;
  std::string_view tool_version;
  std::string_view tool_build;
  std::string_view tool_object;  // the name of the output; empty: that of the file, with -g
  std::string_view tool_options; // empty: those that were given
  u32 newest_toolkit = 130;      // newest release with known objects
  Release release; // what the file looks like; of the newest object in culink's own files
  InputRules input;
  CommandRules command;
  Defects defects;
};

} // namespace culink
