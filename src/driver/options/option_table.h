// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every option of nvlink 13.0 to 13.4 and of culink itself, one row each. The parser, the help
// text, the request of a link and the record of the options in the output all read these rows.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "culink/linker.h"
#include "support/types.h"

namespace culink {

// In the order of the tool note (Q060); options that it never records come last.
enum class OptionId : u8 {
  SuppressStackSizeWarning,
  SuppressArchWarning,
  Output,
  Debug,
  Arch,
  Machine,
  Library,
  LibraryPath,
  RegisterLinkBinaries,
  Verbose,
  Verbose2,
  PreserveRelocs,
  DisableWarnings,
  WarningAsError,
  DisableInfos,
  KeepSystemLibraries,
  KernelsUsed,
  VariablesUsed,
  CpuArch,
  ReportArch,
  Time,
  ExtraWarnings,
  EmitPtx,
  Dlto,
  LinkTimeOpt,
  NvvmPath,
  SplitCompile,
  SplitCompileExtended,
  FastCompile,
  SuppressDebugInfo,
  LinkAsToolsPatch,
  Xptxas,
  Xnvvm,
  MaxRegisters,
  DumpCallgraph,
  DumpCallgraphNoDemangle,
  IgnoreHostInfo,
  UseHostInfo,
  Relocatable,
  DeviceStackProtector,
  OptionsFile,
  HostLinkerScript,
  UidxFile,
  HostCompiler,
  Help,
  Version,
  Emulate,
  Dialect,
  Threads,
  Cuda,
  Ptxas,
  Code,
  Check,
  Icf,
  ErrorFormat,
  Color,
  NoDemangle,
  FatalMissingLibrary,
  TraceSymbol,
  WhyLive,
  PrintGcSections,
  Trace,
  Cref,
  Map,
  MapFormat,
  PrintMap,
  ReportFile,
  Report,
  Stats,
  ErrorLimit,
  StripDebug,
  WholeArchive,
  NoWholeArchive,
  StartGroup,
  EndGroup,
  Repro,
  Replay,
  MemoryLimit,
  MakeToolchain,
  MakeJitFolder,
  Finalizer,
  NoCache,
  CacheDir,
  CacheSize,
  CacheRemote,
  CacheRemoteReadOnly,
  CacheStats,
  CacheClear,
  Explain,
  PrintDocs,
  Shared,
  Count_,
};
inline constexpr size_t kOptionCount = static_cast<size_t>(OptionId::Count_);

enum class ValueKind : u8 {
  Flag,    // no value
  Text,    // the whole word
  List,    // split at commas; repetition appends
  Names,   // a list of symbols: commas between brackets are part of a name
  Number,  // a number; one of OptionRow::choices if there are any
  Boolean, // true or false
  Choice,  // one of OptionRow::choices
  Target,  // sm_, compute_ or lto_ and a number
  // Files. A link never writes to a file that it reads, nor two outputs to one file.
  ReadFile,
  WrittenFile,
};

// True if the tool note records the option.
enum class Recorded : u8 {
  Never,
  Always,
  WithDebug, // with -g only, as the last component of the path
};

// The subject of an option: the link, or only messages, files and searches of the program. The
// library refuses the latter, because it cannot apply them. OnMachine options name compilers,
// caches and files on the machine; a stored link does not keep them.
enum class Concerns : u8 { Link, LinkOnMachine, Program, ProgramOnMachine };

// The field of a request that an option sets; empty for options with a rule of their own.
using OptionField =
    std::variant<std::monostate, bool LinkRequest::*, bool LinkOptions::*, bool LtoOptions::*,
                 u32 LinkOptions::*, std::optional<u32> LtoOptions::*, std::string LinkRequest::*,
                 std::string LtoOptions::*, std::vector<std::string> LinkRequest::*,
                 std::vector<std::string> LinkOptions::*, std::vector<std::string> LtoOptions::*,
                 std::optional<std::vector<std::string>> LinkOptions::*,
                 std::optional<std::vector<std::string>> LtoOptions::*>;

struct OptionRow {
  OptionId id = OptionId::Count_;
  std::string_view name;  // after two dashes
  std::string_view brief; // after one dash; empty: none
  ValueKind kind = ValueKind::Flag;
  bool attached = false; // the value may follow the brief name at once: -lfoo
  Recorded recorded = Recorded::Never;
  Concerns concerns = Concerns::Link;
  std::string_view placeholder; // of the value, in the help text
  std::span<const std::string_view> choices;
  std::string_view help; // empty: not shown
  u32 since = 0;         // first release of nvlink with it, times ten; 0: all, or culink only
  u32 brief_since = 0;   // first release with the brief name, if that is earlier
  OptionField field = {};
};

[[nodiscard]] constexpr bool is_of_program(Concerns what) {
  return what == Concerns::Program || what == Concerns::ProgramOnMachine;
}
[[nodiscard]] constexpr bool is_of_machine(Concerns what) {
  return what == Concerns::LinkOnMachine || what == Concerns::ProgramOnMachine;
}

[[nodiscard]] constexpr bool is_list(ValueKind kind) {
  return kind == ValueKind::List || kind == ValueKind::Names;
}

// A group of options, in the order of --help and of the manual page.
struct OptionGroup {
  std::string_view title;
  std::span<const OptionRow> options;
};

// All rows, by OptionId.
[[nodiscard]] std::span<const OptionRow> option_rows();
// The groups; every documented option is in one of them.
[[nodiscard]] std::span<const OptionGroup> option_groups();
// The documented options by name, for completions.
[[nodiscard]] std::vector<const OptionRow *> documented_rows();
[[nodiscard]] const OptionRow &option_row(OptionId id);
// "-o" or "--emulate", for messages.
[[nodiscard]] std::string spelled(OptionId id);

// The values of an option, if there are few.
[[nodiscard]] std::vector<std::string> option_values(const OptionRow &row);

// True if nvlink of a release, times ten, has an option by its name or brief name, or a value of
// it.
[[nodiscard]] bool has_option(const OptionRow &row, bool is_brief, u32 release);
[[nodiscard]] bool has_choice(const OptionRow &row, std::string_view value, u32 release);

// Finds "r" or "relocatable-link"; null for an unknown name.
[[nodiscard]] const OptionRow *find_brief_option(std::string_view brief);
[[nodiscard]] const OptionRow *find_option(std::string_view name);

} // namespace culink
