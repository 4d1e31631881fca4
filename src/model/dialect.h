// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whose rules a link follows: culink's own, or those of one release of nvlink. A dialect is a row
// of the table in compat/dialects.cc. What a release gets wrong is a set of named defects; culink's
// own row has none. Only link/emulate asks for a defect, and nobody asks for a version.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "base/types.h"
#include "model/file_kind.h"
#include "model/release.h"

namespace culink {

// What nvlink gets wrong, in the order of docs/compat.md: it computes a wrong program, writes a
// file that is invalid or misleading, loses data or refuses sound input.
enum class Defect : u8 {
  UnplacedSymbol,         // Q014: dynamic shared memory has a symbol without an offset
  NullSymbolValue,        // Q019: symbol 0 has a value, and so have labels without a location
  EarlyResolution,        // Q020 to Q024, Q103: -r resolves what the next link moves
  DefinedDynamicMemory,   // Q020: two definitions of dynamic memory, which -r made, contradict
  EarlyShared,            // Q021, Q023: shared variables, too
  OverriddenFrames,       // Q028: frames of overridden functions describe those that prevail
  DeletedConstants,       // Q040: -r stops where constants of overridden functions are gone
  OverriddenBranchTables, // Q040: branch tables of overridden functions clear those that prevail
  SizedDynamicMemory,     // Q041: shared memory, dynamic in one file and sized in another
  UnlistedSymbol,         // Q042: --preserve-relocs stops at symbols that are gone
  AliasRegisterCount,     // Q043: stops where an alias is known before the function
  ForgottenPointers,      // Q045: pointers in constants to overridden definitions are 0
  MergedConstants,        // Q050: equal __constant__ data is merged, its symbols are not moved
  GuessedAlignment,       // Q051: packed __constant__ variables are aligned to their size
  PackingCrash,           // Q051: some banks cannot be packed
  LaunchedKernel,         // Q052: a launched kernel is a device function if one other is selected
  DeadAlias,              // Q053: stops at an alias that nobody uses
  WeakOverCommon,         // Q057: stops where a weak definition follows a common symbol
  SilentlyDropped,        // Q058: sections of unknown types are left out without a word
  FilledIndices,          // Q059: .symtab_shndx has numbers for symbols that need none
  LostSectionFff2,        // Q059: symbols of section 0xfff2 look like common symbols
  LostBarriers,           // Q063: barrier counts of toolkit 12 that a newer object's count hides
  IncompleteFlags,        // Q064: banks of toolkits before 12.4 lack a flag
  NewerToolkit,           // Q065: objects of a newer toolkit are refused
  ForeignWholePrograms,   // Q118: objects of -ewp of an older toolkit are refused
  WeakMustBeDefined,      // Q119: undefined weak symbols are refused
  LostAddend,             // Q073: addends in fields, where parts of sections have moved
  RuntimeInOrder,         // Q083: the device runtime library counts only where it is read
  StaleRegistration,      // Q085: a list of modules that exists stays, whatever it says
  AlwaysDemangles,        // Q091: names of the call graph are demangled even if they should not be
  DriverRegisters,        // Q143: functions of the program in place of the driver's are not checked
  OneByteParameter,       // Q141: a parameter of one byte agrees with a later one of any size
  MissingMercuryMark,     // Q100: objects before the first one of SASS only lose a symbol
  LeakedHeaders,          // Q102: section headers in the Mercury form of reserved memory
  MixedDebugInfo,         // Q106: debug information of two weak definitions is mixed
  LostPlaceInCie,         // Q106: addresses in call frames are stored at offset 0
  AliasTakesCode,         // Q107: an alias that precedes its function owns the code
  RegistersByName,        // Q109: debug registers of local functions are found by name
  FirstOfName,            // Q110: local functions of one name have records of the first
  StaleImageBase,         // Q112: images by index are looked up behind the slots
  SharedLists,            // Q113: local functions of one name have one list of relocations
  InstanceAlignment,      // Q115: the value of an instance of dynamic memory is its alignment
  UnnamedShared,          // Q117: shared sections without variables take room
  FirstAlignment,         // Q116: one function of several aligns dynamic memory
  MisplacedLocals,        // Q114: shared variables are local, but among the global symbols
  DiscardedFrames,        // Q160: frames of discarded functions describe those that prevail
  BlankSymbols,           // Q161: -g leaves a symbol without a name for undefined functions
  LimitOfDebugShared,     // Q120: memory of several kernels is reported as that of one more
  WrappedStack,           // Q121: stacks of 4 GiB and more
  TruncatedValues,        // Q122: values of relocations that do not fit
  SectionsByName,         // Q130: kernels of one name share parameters and shared memory
  OpaqueByName,           // Q131: opaque parameters of one name are one image
  LostUnifiedMark,        // Q132: a unified function that is declared first is not marked
  OverrunningPointers,    // Q133: pointers in data that reach beyond its end are kept
  SelectsDebugged,        // Q134: -g -suppress-debug-info leaves kernels incomplete
  LtoByHostObjects,       // Q170, Q171: only host objects count for what is optimised
  LtoForgetsLetter,       // Q172: code for sm_90a is optimised for sm_90
  LtoDropsVariables,      // Q173: variables are unused if only kernels are listed
  LtoOrderByChance,       // Q177: the order of what threads optimised differs from run to run
  StackOfMercury,         // Q145: stacks of kernels that call nothing but the driver, for images
  UnlistedPointers,       // Q144: pointers in data to functions that the call graph omits are 0
  Count_,
};

class DefectSet {
public:
  constexpr DefectSet() = default;
  constexpr DefectSet(std::initializer_list<Defect> defects) {
    for (const Defect one : defects)
      bits_ |= bit(one);
  }

  [[nodiscard]] constexpr bool has(Defect defect) const { return (bits_ & bit(defect)) != 0; }
  // How a row is made of an earlier release's.
  [[nodiscard]] constexpr DefectSet with(DefectSet more) const { return of(bits_ | more.bits_); }
  [[nodiscard]] constexpr DefectSet without(DefectSet fixed) const {
    return of(bits_ & ~fixed.bits_);
  }

private:
  static_assert(static_cast<u32>(Defect::Count_) <= 64);
  static constexpr u64 bit(Defect defect) { return u64{1} << static_cast<u32>(defect); }
  static constexpr DefectSet of(u64 bits) {
    DefectSet out;
    out.bits_ = bits;
    return out;
  }

  u64 bits_ = 0;
};

// How inputs are taken. What is here by default is culink's way: content decides, all code counts,
// and what contributes nothing is reported. The ids name what nvlink gets wrong.
struct InputRules {
  std::span<const FileRule> files;   // Q080; empty: content alone decides
  u64 smallest_file = 0;             // Q080: a shorter one is refused, unless it is empty
  bool silent = false;               // Q066: nothing is said about what contributes nothing
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
  u32 newest_toolkit = 130;      // whose objects we know
  Release release; // what the file looks like; of the newest object in culink's own files
  InputRules input;
  CommandRules command;
  DefectSet defects;

  [[nodiscard]] constexpr bool has(Defect defect) const { return defects.has(defect); }
};

} // namespace culink
