// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows, in the order of --help: everyday options first, options without effect last. Names,
// kinds and the record in the output are nvlink's; the help texts are ours and describe culink. A
// new option is a new row (and an enumerator at its position in the note).
#include "driver/options/option_table.h"

#include <algorithm>
#include <array>

#include "elf/target/arch.h"
#include "link/model/diagnostics.h"

namespace culink {

namespace {

using enum OptionId;
using enum ValueKind;
using enum Recorded;
using enum Concerns;

constexpr std::array<std::string_view, 1> kMachines = {"64"};
constexpr std::array<std::string_view, 7> kCpus = {"AARCH64", "ARMv7",  "PPC64LE", "RISCV64",
                                                   "X86",     "X86_64", "unknown"};
constexpr std::array<std::string_view, 2> kScripts = {"lcs-abs", "lcs-aug"};
constexpr std::array<std::string_view, 3> kCodeKinds = {"exact", "mercury", "sass"};

constexpr std::array<std::string_view, 4> kSpeeds = {"0", "min", "mid", "max"};
constexpr std::array<std::string_view, 2> kFoldings = {"none", "safe"};
constexpr std::array<std::string_view, 3> kErrorFormats = {"text", "json", "nvlink"};
constexpr std::array<std::string_view, 6> kDocuments = {"bash",     "fish",     "man",
                                                        "markdown", "messages", "zsh"};
constexpr std::array<std::string_view, 2> kMapFormats = {"text", "json"};
constexpr std::array<std::string_view, 3> kColors = {"auto", "always", "never"};

constexpr OptionRow valued(OptionId id, std::string_view name, std::string_view brief,
                           ValueKind kind, Recorded recorded, Concerns concerns,
                           std::string_view placeholder, std::string_view help,
                           OptionField field = {}) {
  return {id, name, brief, kind, false, recorded, concerns, placeholder, {}, help, 0, 0, field};
}
constexpr OptionRow flag(OptionId id, std::string_view name, std::string_view brief,
                         Recorded recorded, Concerns concerns, std::string_view help,
                         OptionField field = {}) {
  return valued(id, name, brief, Flag, recorded, concerns, "", help, field);
}
constexpr OptionRow choice(OptionId id, std::string_view name, std::string_view brief,
                           ValueKind kind, Recorded recorded, Concerns concerns,
                           std::string_view placeholder, std::span<const std::string_view> choices,
                           std::string_view help, OptionField field = {}) {
  OptionRow row = valued(id, name, brief, kind, recorded, concerns, placeholder, help, field);
  row.choices = choices;
  return row;
}
constexpr OptionRow attached(OptionRow row) {
  row.attached = true;
  return row;
}
// `brief`: the release that introduced the brief name, if that is an earlier one.
constexpr OptionRow since(u32 release, OptionRow row, u32 brief = 0) {
  row.since = release;
  row.brief_since = brief;
  return row;
}

constexpr auto kEveryday = std::to_array<OptionRow>({
    valued(Arch, "arch", "arch", Target, Always, Link, "<sm_NN>",
           "The target, such as sm_90. Required.", &LinkRequest::target),
    valued(Output, "output-file", "o", WrittenFile, WithDebug, Link, "<file>",
           "Where the linked cubin goes."),
    attached(valued(Library, "library", "l", List, Always, Link, "<name>,...",
                    "Libraries to search for undefined symbols.", &LinkRequest::libraries)),
    attached(valued(LibraryPath, "library-path", "L", List, Always, Link, "<folder>,...",
                    "Where libraries are searched.", &LinkRequest::library_paths)),
    flag(Verbose, "verbose", "v", Always, Program,
         "Print registers, stack and memory of each kernel."),
    flag(Debug, "debug", "g", Always, Link,
         "Keep unused code and the names of shared variables, for debuggers.", &LinkOptions::debug),
    since(130,
          flag(Relocatable, "relocatable-link", "r", Always, Link,
               "Write an object that can be linked again.", &LinkOptions::relocatable),
          124),
    flag(WarningAsError, "warning-as-error", "Werror", Always, Link, "Let warnings fail the link.",
         &LinkOptions::warnings_are_errors),
    valued(OptionsFile, "options-file", "optf", List, WithDebug, Program, "<file>,...",
           "Read more words of the command line from a file."),
    flag(Help, "help", "h", Never, ProgramOnMachine, "Print this text."),
    flag(Version, "version", "V", Never, ProgramOnMachine, "Print the version."),
});

constexpr auto kMessages = std::to_array<OptionRow>({
    choice(ErrorFormat, "error-format", "", Choice, Never, Program, "<format>", kErrorFormats,
           "How messages are written: text, json (one object per line), or nvlink (its lines)."),
    valued(ErrorLimit, "error-limit", "", Number, Never, Program, "<count>",
           "Show this many errors at most, 0 for all; else 20."),
    valued(Explain, "explain", "", Text, Never, ProgramOnMachine, "<message>",
           "Print what a message means and what to do about it: its id, or words of it."),
    choice(Color, "color", "", Choice, Never, Program, "<when>", kColors,
           "Colour in messages: auto (on a terminal), always or never."),
    flag(NoDemangle, "no-demangle", "", Never, Link, "Show C++ names as objects have them."),
    flag(DisableWarnings, "disable-warnings", "w", Always, Link, "Print no warnings."),
    since(130,
          flag(DisableInfos, "disable-infos", "disable-infos", Always, Link, "Print no remarks.")),
    flag(SuppressArchWarning, "suppress-arch-warning", "suppress-arch-warning", Always, Link,
         "Do not warn about inputs without code for the target.",
         &LinkOptions::suppress_arch_warning),
    flag(SuppressStackSizeWarning, "suppress-stack-size-warning", "suppress-stack-size-warning",
         Always, Link, "Do not warn about kernels whose stack size cannot be determined.",
         &LinkOptions::suppress_stack_size_warning),
    flag(ExtraWarnings, "extra-warnings", "extrawarn", Always, Link,
         "Warn also about inputs compiled from PTX of different targets.",
         &LinkOptions::extra_warnings),
    flag(FatalMissingLibrary, "fatal-missing-library", "", Never, Link,
         "Fail where a library is not found; otherwise that is a warning.",
         &LinkRequest::needs_all_libraries),
    flag(ReportArch, "report-arch", "report-arch", Always, Link,
         "Name the target in every message."),
});

constexpr auto kReports = std::to_array<OptionRow>({
    valued(WhyLive, "why-live", "", Names, Never, Program, "<name>,...",
           "Print why these functions and variables are live: the shortest chain of reasons.",
           &LinkOptions::why_live),
    valued(TraceSymbol, "trace-symbol", "", Names, Never, Program, "<name>,...",
           "Print which inputs define or refer to these symbols.", &LinkOptions::trace_symbols),
    flag(Trace, "trace", "t", Never, Program,
         "List the files and members of archives that are linked."),
    flag(Cref, "cref", "", Never, Program,
         "List every symbol with the inputs that define and refer to it.",
         &LinkOptions::all_references),
    flag(PrintGcSections, "print-gc-sections", "", Never, Program,
         "List what of the inputs is not part of the output."),
    valued(Map, "Map", "Map", WrittenFile, Never, Program, "<file>",
           "Write a map of the output: sections, symbols, where they come from, and totals. "
           "%a stands for the target."),
    choice(MapFormat, "Map-format", "", Choice, Never, Program, "<format>", kMapFormats,
           "How the map is written: text, or json for programs."),
    flag(PrintMap, "print-map", "", Never, Program, "Print the map."),
    flag(Stats, "stats", "", Never, Program, "Print times of the steps, counts, sizes and memory."),
    valued(ReportFile, "report-file", "", WrittenFile, Never, Program, "<file>",
           "Write there what options print about the link; else it is printed."),
    valued(Report, "report", "", WrittenFile, Never, Program, "<file>",
           "Write a page (HTML) that shows the link: what fills the output, its kernels, what was "
           "discarded (docs/cubin.md). %a stands for the target."),
    flag(DumpCallgraph, "dump-callgraph", "dump-callgraph", Always, Program,
         "Print who calls whom."),
    flag(DumpCallgraphNoDemangle, "dump-callgraph-no-demangle", "dump-callgraph-no-demangle",
         Always, Program, "The same with mangled names."),
    valued(Time, "time", "time", WrittenFile, WithDebug, Program, "<file>",
           "Append the times of the phases to a table."),
    since(132, flag(Verbose2, "verbose2", "v2", Always, Link,
                    "Print what the compiler of PTX says about each kernel.")),
});

constexpr auto kOutput = std::to_array<OptionRow>({
    valued(KernelsUsed, "kernels-used", "kernels-used", Names, Always, Link, "<name>,...",
           "Keep only these kernels: parts of mangled names, names as in the source, or patterns."),
    valued(VariablesUsed, "variables-used", "variables-used", Names, Always, Link, "<name>,...",
           "Variables that the host uses; without --kernels-used no kernel stays.",
           &LtoOptions::variables_used),
    flag(UseHostInfo, "use-host-info", "use-host-info", Always, Link,
         "Remove kernels that no host code refers to (the default)."),
    flag(IgnoreHostInfo, "ignore-host-info", "ignore-host-info", Always, Link,
         "Keep kernels that no host code refers to.", &LinkOptions::ignore_host_info),
    flag(StripDebug, "strip-debug", "S", Never, Link, "Leave debug information out of the output."),
    choice(Icf, "icf", "", Choice, Never, Link, "<which>", kFoldings,
           "Identical code folding: safe lets one device function stand for all that are the same, "
           "but for those whose address is taken; none is the default."),
    flag(PreserveRelocs, "preserve-relocs", "preserve-relocs", Always, Link,
         "Keep resolved relocations in the output, for binary tools.",
         &LinkOptions::preserve_relocs),
    flag(KeepSystemLibraries, "keep-system-libraries", "keep-system-libraries", Always, Link,
         "Keep code of libcudadevrt even if nothing needs it.",
         &LinkOptions::keep_system_libraries),
    valued(RegisterLinkBinaries, "register-link-binaries", "", WrittenFile, WithDebug, Link,
           "<file>", "Write the names of the registration functions of the linked files.",
           &LinkRequest::registers_modules),
    since(133, flag(LinkAsToolsPatch, "link-as-tools-patch", "astoolspatch", Always, Link,
                    "Link functions that tools put into programs (ptxas -astoolspatch): keep all "
                    "of them.",
                    &LinkOptions::tools_patch)),
    choice(Code, "code", "", Choice, Never, Link, "<kind>", kCodeKinds,
           "What outputs for sm_100 and later hold: sass, mercury or exact (docs/compilers.md)."),
    flag(Check, "check", "", Never, Link,
         "Compare the output with the inputs before it is written; any finding is an error.",
         &LinkOptions::check),
    choice(HostLinkerScript, "gen-host-linker-script", "ghls", Choice, Never, ProgramOnMachine,
           "<kind>", kScripts, "Write a script for the host's linker."),
});

constexpr auto kCompilers = std::to_array<OptionRow>({
    flag(Dlto, "dlto", "dlto", Always, Link,
         "Optimise at link time; the same as -lto (docs/compilers.md).", &LtoOptions::enabled),
    flag(LinkTimeOpt, "link-time-opt", "lto", Always, Link, "Optimise at link time.",
         &LtoOptions::enabled),
    flag(EmitPtx, "emit-ptx", "emit-ptx", Always, Link,
         "With -dlto: write the optimised program as PTX.", &LtoOptions::emit_ptx),
    valued(Xptxas, "Xptxas", "Xptxas", List, Always, Link, "<option>,...",
           "Options for ptxas, for -dlto."),
    valued(Xnvvm, "Xnvvm", "Xnvvm", List, Always, Link, "<option>,...",
           "Options for libnvvm, for -dlto.", &LtoOptions::nvvm_options),
    valued(MaxRegisters, "maxrregcount", "maxrregcount", Number, Always, Link, "<count>",
           "Registers that a thread may use, for -dlto.", &LtoOptions::max_registers),
    valued(SplitCompile, "split-compile", "split-compile", Number, Always, Link, "<threads>",
           "Threads of the optimiser and of ptxas, for -dlto.", &LtoOptions::split_compile),
    valued(SplitCompileExtended, "split-compile-extended", "split-compile-extended", Number, Always,
           Link, "<threads>", "Parts that are compiled at once, for -dlto.",
           &LtoOptions::split_compile_extended),
    since(130, choice(FastCompile, "Ofast-compile", "Ofc", Text, Always, Link, "<0|min|mid|max>",
                      kSpeeds, "Compile faster at the cost of the code, for -dlto.",
                      &LtoOptions::fast_compile)),
    since(130,
          valued(DeviceStackProtector, "device-stack-protector", "device-stack-protector", Boolean,
                 Always, Link, "<true|false>", "Guard the stacks of compiled code, for -dlto.")),
    valued(NvvmPath, "nvvmpath", "nvvmpath", Text, Always, Link, "<folder>",
           "A folder of the toolkit whose compiler -dlto uses; else that of --cuda."),
    valued(Cuda, "cuda", "", Text, Never, ProgramOnMachine, "<folder>",
           "The CUDA toolkit; else that of CUDA_HOME, of CUDA_PATH, or of nvcc in PATH."),
    valued(Ptxas, "ptxas", "", ReadFile, Never, LinkOnMachine, "<program>",
           "The compiler for PTX; else that of the toolkit.", &LinkRequest::ptxas),
    valued(Finalizer, "finalizer", "", ReadFile, Never, ProgramOnMachine, "<file>",
           "What schedules code of sm_100 and later: libnvJitLink or nvlink; else those of the "
           "toolkit."),
});

constexpr auto kMachine = std::to_array<OptionRow>({
    valued(Threads, "threads", "", Number, Never, Link, "<count>",
           "Threads to use; the output does not depend on it.", &LinkOptions::threads),
    valued(MemoryLimit, "memory-limit", "", Text, Never, Link, "<size>",
           "Memory that the link may take, and each compiler it runs, such as 2G; what needs more "
           "is refused (docs/security.md)."),
    flag(NoCache, "no-cache", "", Never, Link,
         "Compile and finalize everything, and keep no answers of compilers (docs/compilers.md)."),
    valued(CacheDir, "cache-dir", "", Text, Never, LinkOnMachine, "<folder>",
           "Where answers of compilers are kept; else CULINK_CACHE_DIR, or culink in the user's "
           "cache folder."),
    valued(CacheSize, "cache-size", "", Text, Never, LinkOnMachine, "<size>",
           "What that folder may hold, such as 500M; else CULINK_CACHE_SIZE, or 5G."),
    valued(CacheRemote, "cache-remote", "", Text, Never, LinkOnMachine, "<url>",
           "An HTTP server that machines share as a second cache; else CULINK_CACHE_REMOTE."),
    flag(CacheRemoteReadOnly, "cache-remote-read-only", "", Never, LinkOnMachine,
         "Send nothing to that server."),
    flag(CacheStats, "cache-stats", "", Never, ProgramOnMachine, "Print how full the cache is."),
    flag(CacheClear, "cache-clear", "", Never, ProgramOnMachine,
         "Remove all that is in the cache."),
});

constexpr auto kTools = std::to_array<OptionRow>({
    valued(MakeToolchain, "make-toolchain", "", Text, Never, ProgramOnMachine, "<folder>",
           "Make a folder of links to the CUDA toolkit in which nvlink is culink, for nvcc, CMake "
           "and clang."),
    valued(MakeJitFolder, "make-jit-folder", "", Text, Never, ProgramOnMachine, "<folder>",
           "Make a folder in which libnvJitLink is culink, for programs that link while they run."),
    valued(Repro, "repro", "", WrittenFile, Never, ProgramOnMachine, "<file.tar>",
           "Store the command line, all files that the link reads, and versions, before linking."),
    valued(Replay, "replay", "", ReadFile, Never, ProgramOnMachine, "<file.tar>",
           "Link what --repro has stored, from that file alone; -o says where the result goes."),
    valued(Emulate, "emulate", "", Text, Never, Link, "<linker>",
           "Write exactly the bytes that another linker would write: nvlink-13.0.88, or "
           "another that --version names (docs/compat.md).",
           &LinkRequest::emulate),
    valued(Dialect, "dialect", "", Text, Never, Link, "<release>",
           "Write the file as this release of CUDA would, such as 13.2; else as the newest "
           "release that made an input.",
           &LinkRequest::dialect),
    flag(SuppressDebugInfo, "suppress-debug-info", "suppress-debug-info", Always, Link,
         "Accepted with -g, for nvlink's sake.", &LinkOptions::suppress_debug_info),
    valued(UidxFile, "uidx-file", "uidx", ReadFile, Never, Link, "<file>",
           "Index of unified functions and variables."),
});

constexpr auto kIdle = std::to_array<OptionRow>({
    choice(CpuArch, "cpu-arch", "cpu-arch", Choice, Always, Link, "<name>", kCpus,
           "The host's processor; has no effect."),
    attached(choice(Machine, "machine", "m", Number, Always, Link, "<bits>", kMachines,
                    "Address size; only 64.")),
    flag(WholeArchive, "whole-archive", "whole-archive", Never, Link,
         "Accepted; archives are always linked whole."),
    flag(NoWholeArchive, "no-whole-archive", "no-whole-archive", Never, Link,
         "Accepted; archives are always linked whole."),
    flag(StartGroup, "start-group", "start-group", Never, Link,
         "Accepted; the order of archives does not matter."),
    flag(EndGroup, "end-group", "end-group", Never, Link,
         "Accepted; the order of archives does not matter."),
});

constexpr auto kHidden = std::to_array<OptionRow>({
    valued(HostCompiler, "host-ccbin", "host-ccbin", ReadFile, Never, Link, "<program>", ""),
    choice(PrintDocs, "print-docs", "", Choice, Never, ProgramOnMachine, "<form>", kDocuments, ""),
    // nvcc passes it for a shared library, CMake for every device link (Q092).
    flag(Shared, "shared", "shared", Never, Link, ""),
});

constexpr OptionGroup kGroups[] = {
    {"Everyday", kEveryday},
    {"Messages", kMessages},
    {"Reports", kReports},
    {"What the output holds", kOutput},
    {"Compiling: PTX, link-time optimisation, sm_100 and later", kCompilers},
    {"Time and memory", kMachine},
    {"Other programs and compatibility", kTools},
    {"Accepted without effect", kIdle},
};

// Rows by their id, which is their order in the note.
constexpr std::array<OptionRow, kOptionCount> rows_by_id() {
  std::array<OptionRow, kOptionCount> out{};
  const auto put = [&out](std::span<const OptionRow> rows) {
    for (const OptionRow &row : rows)
      out[static_cast<size_t>(row.id)] = row;
  };
  for (const OptionGroup &group : kGroups)
    put(group.options);
  put(kHidden);
  return out;
}

constexpr std::array<OptionRow, kOptionCount> kRows = rows_by_id();

constexpr bool every_id_has_a_row() {
  for (size_t i = 0; i < kRows.size(); ++i)
    if (static_cast<size_t>(kRows[i].id) != i || kRows[i].name.empty())
      return false;
  return true;
}
static_assert(every_id_has_a_row());

// True if every option with a file has a kind for read or written files. Option files are a list.
constexpr bool files_have_a_use() {
  return std::all_of(kRows.begin(), kRows.end(), [](const OptionRow &row) {
    const bool names_file =
        row.placeholder.starts_with("<file") || row.placeholder.starts_with("<program>");
    return names_file == (row.kind == ReadFile || row.kind == WrittenFile || row.id == OptionsFile);
  });
}
static_assert(files_have_a_use());

} // namespace

std::span<const OptionRow> option_rows() {
  return kRows;
}

std::span<const OptionGroup> option_groups() {
  return kGroups;
}

std::vector<const OptionRow *> documented_rows() {
  std::vector<const OptionRow *> rows;
  for (const OptionRow &row : option_rows())
    if (!row.help.empty())
      rows.push_back(&row);
  std::sort(rows.begin(), rows.end(),
            [](const OptionRow *a, const OptionRow *b) { return a->name < b->name; });
  return rows;
}

const OptionRow &option_row(OptionId id) {
  return kRows[static_cast<size_t>(id)];
}

std::string spelled(OptionId id) {
  const OptionRow &row = option_row(id);
  // nvlink's messages have the long name of this option.
  return row.brief.empty() || id == OptionId::FastCompile ? "--" + std::string(row.name)
                                                          : "-" + std::string(row.brief);
}

std::vector<std::string> option_values(const OptionRow &row) {
  std::vector<std::string> out(row.choices.begin(), row.choices.end());
  if (row.kind == ValueKind::Boolean)
    out = {"true", "false"};
  if (row.kind == ValueKind::Target)
    for (const arch::ArchInfo &target : arch::all_archs())
      out.emplace_back(target.name);
  if (row.id == OptionId::Emulate)
    for (const std::string_view name : emulated_linkers())
      out.emplace_back(name);
  if (row.id == OptionId::Dialect)
    out = known_dialects();
  if (row.id == OptionId::Explain)
    for (size_t i = 0; i < static_cast<size_t>(DiagId::Count_); ++i)
      out.emplace_back(diag_row(static_cast<DiagId>(i)).key);
  return out;
}

bool has_option(const OptionRow &row, bool is_brief, u32 release) {
  return row.since <= release || (is_brief && row.brief_since != 0 && row.brief_since <= release);
}

bool has_choice(const OptionRow &row, std::string_view value, u32 release) {
  const bool is_new = row.id == OptionId::CpuArch && value == "RISCV64"; // in 13.3
  return std::ranges::find(row.choices, value) != row.choices.end() && (!is_new || release >= 133);
}

const OptionRow *find_brief_option(std::string_view brief) {
  for (const OptionRow &row : kRows)
    if (!row.brief.empty() && row.brief == brief)
      return &row;
  return nullptr;
}

const OptionRow *find_option(std::string_view name) {
  for (const OptionRow &row : kRows)
    if (row.name == name)
      return &row;
  return nullptr;
}

} // namespace culink
