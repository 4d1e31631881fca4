// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of --help and of the manual page: what people need every day comes first, what is only
// accepted last. Every documented option is in one group (suggestions_test).
#include <array>

#include "compat/option_table.h"

namespace culink {

namespace {

using enum OptionId;

constexpr std::array kEveryday = {Arch,        Output, Library,     LibraryPath,
                                  Verbose,     Debug,  Relocatable, WarningAsError,
                                  OptionsFile, Help,   Version};
constexpr std::array kMessages = {ErrorFormat,   ErrorLimit,          Explain,
                                  Color,         NoDemangle,          DisableWarnings,
                                  DisableInfos,  SuppressArchWarning, SuppressStackSizeWarning,
                                  ExtraWarnings, FatalMissingLibrary, ReportArch};
constexpr std::array kReports = {
    WhyLive, TraceSymbol, Trace,  Cref,          PrintGcSections,         Map,  MapFormat, PrintMap,
    Stats,   ReportFile,  Report, DumpCallgraph, DumpCallgraphNoDemangle, Time, Verbose2};
constexpr std::array kOutput = {
    KernelsUsed, VariablesUsed,  UseHostInfo,         IgnoreHostInfo,       StripDebug,
    Icf,         PreserveRelocs, KeepSystemLibraries, RegisterLinkBinaries, LinkAsToolsPatch,
    Code,        Check,          HostLinkerScript};
constexpr std::array kCompilers = {Dlto,         LinkTimeOpt,
                                   EmitPtx,      Xptxas,
                                   Xnvvm,        MaxRegisters,
                                   SplitCompile, SplitCompileExtended,
                                   FastCompile,  DeviceStackProtector,
                                   NvvmPath,     Cuda,
                                   Ptxas,        Finalizer};
constexpr std::array kMachine = {Threads,     MemoryLimit,         NoCache,    CacheDir,  CacheSize,
                                 CacheRemote, CacheRemoteReadOnly, CacheStats, CacheClear};
constexpr std::array kTools = {MakeToolchain, MakeJitFolder,     Repro,   Replay, Emulate,
                               Dialect,       SuppressDebugInfo, UidxFile};
constexpr std::array kIdle = {CpuArch, Machine, WholeArchive, NoWholeArchive, StartGroup, EndGroup};

constexpr std::array<OptionGroup, 8> kGroups = {{
    {"Everyday", kEveryday},
    {"Messages", kMessages},
    {"Reports", kReports},
    {"What the output holds", kOutput},
    {"Compiling: PTX, link-time optimisation, sm_100 and later", kCompilers},
    {"Time and memory", kMachine},
    {"Other programs and compatibility", kTools},
    {"Accepted without effect", kIdle},
}};

} // namespace

std::span<const OptionGroup> option_groups() {
  return kGroups;
}

} // namespace culink
