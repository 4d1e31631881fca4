// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvlink's words for each of culink's messages, and explanations of all messages.
//
// nvlink's wording, spelling mistakes included, is for build scripts that parse its lines. culink
// reports all errors in one run; nvlink stops earlier, and this file derives its shorter list from
// culink's. nvlink opens every input and stops at the first unreadable one. It then merges file
// after file and stops after the first conflicting file. It lists all errors of the program as a
// whole (Q068).
//
// The explanations are a text for one message (culink --explain) and a document of all. A user need
// not know the id of a message: its words, or nvlink's, are enough, and the blanks of the tables
// then match any text.
#include "driver/options/messages.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "culink/host_references.h"
#include "driver/options/nvlink_name.h"
#include "support/text_out.h"

namespace culink {

namespace {

using Stage = NvlinkStage;
using Weight = NvlinkWeight;

// nvlink's words for each message of culink's. One row for each DiagId, in their order, so that
// none can be missing.
constexpr std::array<NvlinkRow, static_cast<size_t>(DiagId::Count_)> kNvlinkRows = {{
    {DiagId::CannotOpenInput, Stage::Load, Weight::Fatal, "Could not open input file '{0}'"},
    {DiagId::BadInput, Stage::Load, Weight::Fatal, "{0}: {1}"},
    {DiagId::BadHostObject, Stage::Load, Weight::Fatal, "elfLink internal error"},
    {DiagId::BadFatbin, Stage::Load, Weight::Fatal, "elfLink fatbinary error"},
    {DiagId::BadPayload, Stage::Load, Weight::Fatal, "elfLink fatbinary error"},
    {DiagId::BadArchive, Stage::Load, Weight::Fatal, "elfLink internal error"},
    {DiagId::CannotOpenMember, Stage::Load, Weight::Fatal, "elfLink internal error"},
    {DiagId::NotAnObject, Stage::Load, Weight::Fatal,
     "Input file '{0}' size does not match target '-m64'"},
    {DiagId::PtxRefused, Stage::Load, Weight::Fatal, "elfLink fatbinary error"},
    {DiagId::PtxRemarks, Stage::Load, Weight::Info, ""}, // the compiler's lines
    {DiagId::WrongKind, Stage::Load, Weight::Fatal, ""}, // depends on the kind
    {DiagId::NothingToLink, Stage::Load, Weight::Silent, ""},
    {DiagId::NoCodeForTarget, Stage::Load, Weight::Warning, "SM Arch ('{1}') not found in '{0}'"},
    {DiagId::NoKernels, Stage::Load, Weight::Silent, ""},
    {DiagId::LinkedTwice, Stage::Load, Weight::Silent, ""},
    {DiagId::NoHostCode, Stage::Load, Weight::Info,
     "Input '{0}' has no host code, which could cause later host link error if there is a "
     "reference to it"},
    {DiagId::LtoCode, Stage::Load, Weight::Fatal, "LTO objects found, use -dlto"},
    {DiagId::LibraryNotFound, Stage::Load, Weight::Silent, ""},
    {DiagId::LibraryMissing, Stage::Load, Weight::Fatal, "Could not open input file '{0}'"},
    {DiagId::ObjectAfterRuntime, Stage::Load, Weight::Fatal, "unexpected object after cudadevrt"},
    {DiagId::NotRelocatable, Stage::Load, Weight::Fatal, "{0}: not a relocatable device object"},
    {DiagId::OnlyLinkedCode, Stage::Load, Weight::Fatal,
     "nothing to link, '{0}' is linked already"},
    {DiagId::PartialProgram, Stage::Load, Weight::Warning,
     "'{0}': -ewp compiled objects should only link with libcudadevrt"},
    {DiagId::WrongArchitecture, Stage::Load, Weight::Fatal,
     "Input file '{0}' arch does not match target '{2}'"},
    {DiagId::AcceleratedObject, Stage::Load, Weight::Fatal,
     "cannot link accelerated arch to non-accelerated"},
    {DiagId::NoAddressSize, Stage::Load, Weight::Warning,
     "expected 64bit object '{0}' to have EF_CUDA_64BIT_ADDRESS set"},
    {DiagId::WrongAbi, Stage::Load, Weight::Fatal, "Input file '{0}' abi does not match"},
    {DiagId::TwoKindsOfCode, Stage::Load, Weight::Fatal, "Internal error", NvlinkRow::kLastStep,
     "elfLink error finalization failed"},
    {DiagId::NewerToolkit, Stage::Load, Weight::Silent, ""},
    {DiagId::OlderDialect, Stage::Load, Weight::Silent, ""},
    {DiagId::TooNewToolkit, Stage::Load, Weight::Fatal,
     "Input file '{0}' newer than toolkit ({3} vs {4})"},
    {DiagId::ForeignWholeProgram, Stage::Load, Weight::Fatal,
     "linking with -ewp objects requires using current toolkit"},
    {DiagId::OldObject, Stage::Load, Weight::Fatal,
     "Input file '{0}' must be recompiled with toolkit >= Cuda 12.0"},
    {DiagId::SectionLeftOut, Stage::Merge, Weight::Silent, ""},
    {DiagId::UnknownAttribute, Stage::Merge, Weight::Silent, ""},
    {DiagId::UnknownCompat, Stage::Merge, Weight::Silent, ""},
    {DiagId::NewerNote, Stage::Merge, Weight::Silent, ""},
    {DiagId::UnknownSection, Stage::Merge, Weight::Silent, ""},
    {DiagId::UnknownMercury, Stage::Merge, Weight::Silent, ""},
    {DiagId::MixedVirtualTargets, Stage::Merge, Weight::Silent, ""},
    {DiagId::LimitedToOneTarget, Stage::Load, Weight::Warning,
     "Output is limited to run on SM Arch '{0}' only due to limitations in input file {1}"},
    {DiagId::MissingIsaClass, Stage::Merge, Weight::Warning,
     "Output is limited to run on SM Arch '{0}' only, due to missing attribute 'ISA_CLASS' in "
     "input file '{1}'"},
    {DiagId::NoMercuryCode, Stage::Load, Weight::Fatal, "{0}: has no Mercury code"},
    {DiagId::NoFinalizer, Stage::Load, Weight::Silent, ""},
    {DiagId::FinalizerMissing, Stage::Load, Weight::Fatal, "--code=exact needs a finalizer"},
    {DiagId::FinalizerFailed, Stage::Load, Weight::Fatal, "{0}: cannot be finalized: {1}"},
    {DiagId::NotScheduled, Stage::Load, Weight::Silent, ""},
    {DiagId::NotFinalized, Stage::Load, Weight::Fatal, "{0}: '{1}' was not finalized"},
    {DiagId::ForeignEngine, Stage::Load, Weight::Fatal,
     "the finalizer is of CUDA {0}, but --emulate asks for the code of {1}"},
    {DiagId::OtherEngine, Stage::Load, Weight::Warning,
     "the finalizer is of CUDA {0}, and the output as of nvlink {1}"},
    {DiagId::UndefinedReference, Stage::Program, Weight::Error,
     "Undefined reference to '{0}' in '{a}'", 3},
    {DiagId::MultipleDefinition, Stage::Merge, Weight::Error,
     "Multiple definition of '{0}' in '{1}', first defined in '{2}'"},
    {DiagId::SizeMismatch, Stage::Merge, Weight::Error,
     "Size doesn't match for '{0}' in '{b}', first specified in '{a}'"},
    {DiagId::SpaceMismatch, Stage::Merge, Weight::Error,
     "Memory space doesn't match for '{0}' in '{b}', first specified in '{3}'"},
    {DiagId::ManagedMismatch, Stage::Merge, Weight::Error,
     "Managed attribute doesn't match for '{0}' in '{b}', first specified in '{a}'"},
    {DiagId::PrototypeMismatch, Stage::Merge, Weight::Error,
     "Prototype doesn't match for '{0}' in '{b}', first defined in '{3}'"},
    {DiagId::NotAKernelEverywhere, Stage::Merge, Weight::Error,
     "Function '{0d}' not declared __global__ in all source files"},
    {DiagId::CommonLargerThanDefinition, Stage::Merge, Weight::Error,
     "Common symbol '{0}' in file '{a}' has larger size than initialization"},
    {DiagId::ParameterBankMismatch, Stage::Merge, Weight::Error,
     "Duplicate weak parameter bank for '{0}' is not the same size"},
    {DiagId::TooMuchConstant, Stage::Program, Weight::Error,
     "File uses too much global constant data ({0x} bytes, {2x} max)", 2},
    {DiagId::TooMuchBankOfFunction, Stage::Program, Weight::Error,
     "Entry function '{0}' uses too much constant data ({1x} bytes, {3x} max)", 2},
    {DiagId::TooManyCompilerConstants, Stage::Program, Weight::Error,
     "Entry function '{4}' uses too much data for compiler-generated constants; please recompile "
     "with -Xptxas --disable-optimizer-constants",
     2},
    {DiagId::TooMuchShared, Stage::Program, Weight::Error,
     "Entry function '{0}' uses too much shared data ({1x} bytes, {2x} max)", 2},
    {DiagId::TooMuchDebugShared, Stage::Program, Weight::Error,
     "Entry function 'hared' uses too much shared data ({0x} bytes, {1x} max)", 2},
    {DiagId::TooManyImages, Stage::Program, Weight::Fatal,
     "More than {3} {1} used in entry function '{0}'", 1},
    {DiagId::StackLimit, Stage::Program, Weight::Error,
     "Function '{0}' uses {3} bytes stack but limited to {2}", 4},
    {DiagId::RegisterLimit, Stage::Program, Weight::Error,
     "entry function '{0}' with max regcount of {1} calls function '{2}' with regcount of {3}", 5},
    {DiagId::DriverRegisters, Stage::Program, Weight::Error,
     "function '{0}' with regcount of {1} changes registers of its callers"},
    {DiagId::NoRegisterCount, Stage::Program, Weight::Fatal, "Internal error: no regcount?"},
    {DiagId::NotAToolsPatch, Stage::Program, Weight::Fatal,
     "Function '{0}' in '{1}' is missing EIATTR_TOOLS_PATCH_FUNC attribute required by {2} option"},
    {DiagId::UnknownStackSize, Stage::Program, Weight::Warning,
     "Stack size for entry function '{0}' cannot be statically determined", 0},
    {DiagId::MixedCtaGroups, Stage::Program, Weight::Error,
     "entry function '{0}' uses both .cta_group::1 and .cta_group::2"},
    {DiagId::KernelsOfOneName, Stage::Program, Weight::Error,
     "several entry functions are called '{0}'"},
    {DiagId::DeletedSymbol, Stage::Program, Weight::Fatal,
     "Internal error: reference to deleted symbol"},
    {DiagId::DeletedConstants, Stage::Program, Weight::Fatal,
     "Internal error: reference to deleted section"},
    {DiagId::DeletedParameter, Stage::Program, Weight::Fatal,
     "Internal error: reference to deleted section"},
    {DiagId::DeletedCommon, Stage::Program, Weight::Fatal,
     "Internal error: reference to deleted section"},
    {DiagId::UnsupportedRelocation, Stage::Program, Weight::Fatal,
     "Internal error: unexpected reloc"},
    {DiagId::RelocationOutsideSection, Stage::Program, Weight::Fatal,
     "Internal error: relocation is past end of offset"},
    {DiagId::RelocationOutOfRange, Stage::Program, Weight::Fatal,
     "Internal error: relocation out of range"},
    {DiagId::UnifiedWithoutIndex, Stage::Program, Weight::Fatal,
     "Unified symbols found but index file not specified."},
    {DiagId::EmptyIndex, Stage::Options, Weight::Fatal, "Could not read file '{0}'"},
    {DiagId::NotAnIndex, Stage::Options, Weight::Fatal, "Internal error: not uidx input"},
    {DiagId::PreserveRelocsIncomplete, Stage::Load, Weight::Warning,
     "Option '--preserve-relocs' is not fully implemented for gpu archtecture '{0}' and may not "
     "work as expected"},
    {DiagId::TooLargeForField, Stage::Program, Weight::Fatal,
     "Internal error: {0} is {1}, more than {2}"},
    {DiagId::UnknownTarget, Stage::Options, Weight::Fatal,
     "Value '{0}' is not defined for option 'arch'"},
    {DiagId::UnknownEmulation, Stage::Options, Weight::Fatal,
     "Value '{0}' is not defined for option 'emulate'"},
    {DiagId::UnknownDialect, Stage::Options, Weight::Fatal,
     "Value '{0}' is not defined for option 'dialect'"},
    {DiagId::NoInput, Stage::Options, Weight::Fatal,
     "No input files specified; use option --help for more information"},
    {DiagId::EmptyLink, Stage::Options, Weight::Silent, ""},
    {DiagId::UnknownOption, Stage::Options, Weight::Fatal, "Unknown option '{1}'"},
    {DiagId::NoCommand, Stage::Options, Weight::Fatal, "Could not open input file '{0}'"},
    {DiagId::NoSuchSymbol, Stage::Program, Weight::Error, "No symbol '{1}' for option '{0}'"},
    {DiagId::NoSuchKernel, Stage::Program, Weight::Warning, "No kernel '{1}' for option '{0}'"},
    {DiagId::ArgumentExpected, Stage::Options, Weight::Fatal, "argument expected after '{0}'"},
    {DiagId::NoArgumentExpected, Stage::Options, Weight::Fatal, "no argument expected after '{0}'"},
    {DiagId::NotANumber, Stage::Options, Weight::Fatal, "'{0}': expected a number"},
    {DiagId::NumberOutOfRange, Stage::Options, Weight::Fatal,
     "32-bit integer value ({0}) out of range"},
    {DiagId::NotABoolean, Stage::Options, Weight::Fatal, "'{0}': expected true or false"},
    {DiagId::BadOptionValue, Stage::Options, Weight::Fatal,
     "Value '{0}' is not defined for option '{1}'"},
    {DiagId::StrayQuote, Stage::Options, Weight::Fatal, "Stray '\"' character"},
    {DiagId::OptionRedefined, Stage::Options, Weight::Warning,
     "incompatible redefinition for option '{0}', the last value of this option was used"},
    {DiagId::TooManyOptionFiles, Stage::Options, Weight::Fatal,
     "Too many options file opened '{0}'"},
    {DiagId::CannotOpenOptionFile, Stage::Options, Weight::Fatal,
     "Could not open options file '{0}'"},
    {DiagId::ConflictingOptions, Stage::Options, Weight::Fatal,
     "Conflicting options '{0}' and '{1}'"},
    {DiagId::OptionNeedsOption, Stage::Options, Weight::Fatal,
     "Conflicting options '{0}' and 'no {1}'"},
    {DiagId::MissingTarget, Stage::Options, Weight::Fatal, "Unknown arch name '(null)'"},
    {DiagId::MissingOutput, Stage::Options, Weight::Fatal,
     "Must specify output file with -o option"},
    {DiagId::NvvmPathMissing, Stage::Options, Weight::Fatal,
     "-nvvmpath should be specified with -lto"},
    {DiagId::NvvmNotThere, Stage::Options, Weight::Fatal, "elfLink linker library load error"},
    {DiagId::LtoIgnored, Stage::Load, Weight::Warning,
     "Ignoring -dlto option because no LTO objects found"},
    {DiagId::SplitIgnored, Stage::Load, Weight::Info,
     "Incompatible options '{0}' and '{1}', using '{2}'"},
    {DiagId::NotOptimised, Stage::Load, Weight::Info,
     "requested LTO but '{0}' not built for LTO so doing partial LTO"},
    {DiagId::MixedModuleOptions, Stage::Load, Weight::Fatal,
     "Cicc option values for '{0}' do not match"},
    {DiagId::OptionForAll, Stage::Load, Weight::Info,
     "Some objects do not have '{0}' specified but others do; will build everything with '{1}'"},
    {DiagId::NoLtoCompiler, Stage::Load, Weight::Fatal, "elfLink linker library load error"},
    {DiagId::LtoFailed, Stage::Load, Weight::Fatal, "elfLink JIT compile failed"},
    {DiagId::LtoRemarks, Stage::Load, Weight::Silent, ""},
    {DiagId::NothingToEmit, Stage::Load, Weight::Fatal, "no LTO objects found"},
    {DiagId::RuntimeExpected, Stage::Program, Weight::Fatal, "expected libcudadevrt object"},
    {DiagId::InputsWithScript, Stage::Options, Weight::Fatal,
     "Input files are not allowed with -ghls option; use --help for more information"},
    {DiagId::NoHostScript, Stage::Options, Weight::Fatal, "Host linker script creation failed."},
    {DiagId::VirtualLtoTarget, Stage::Options, Weight::Fatal,
     "Link target of '{0}' is virtual target that is not JIT-able; use 'sm_' target instead"},
    {DiagId::HostInfoIgnored, Stage::Options, Weight::Info,
     "ignore -use-host-info because -kernels-used or -variables-used is specified"},
    {DiagId::NoEffect, Stage::Options, Weight::Silent, ""},
    {DiagId::CompiledFromPtx, Stage::Options, Weight::Silent, ""},
    {DiagId::ResourceUsage, Stage::Options, Weight::Silent, ""},
    {DiagId::CallGraphLine, Stage::Options, Weight::Silent, ""},
    {DiagId::OverMemoryLimit, Stage::Load, Weight::Fatal, "{0}: {1}, more than the limit ({2})"},
    {DiagId::OutOfMemory, Stage::Load, Weight::Fatal, "Out of memory"},
    {DiagId::OutputsCollide, Stage::Options, Weight::Fatal,
     "'{0}' and '{1}' would write to one file"},
    {DiagId::OutputOverFile, Stage::Options, Weight::Fatal, "'{0}' would overwrite '{1}'"},
    {DiagId::OutputOverInput, Stage::Load, Weight::Fatal, "'{0}' would overwrite the input '{1}'"},
    {DiagId::CannotWriteOutput, Stage::Program, Weight::Fatal, "Could not open output file '{0}'"},
    {DiagId::CannotWriteTimes, Stage::Options, Weight::Fatal, "Cannot open file '{0}'"},
    {DiagId::NoToolchain, Stage::Options, Weight::Fatal, "Cannot make folder '{0}'"},
    {DiagId::NoJitFolder, Stage::Options, Weight::Fatal, "Cannot make folder '{0}'"},
    {DiagId::CacheTrouble, Stage::Load, Weight::Silent, ""},
    {DiagId::Cancelled, Stage::Load, Weight::Fatal, "the link was cancelled"},
    {DiagId::CopiedFlaw, Stage::Program, Weight::Silent, ""},
    {DiagId::Contradiction, Stage::Program, Weight::Fatal, "Internal error: {0}: {1}"},
    {DiagId::CheckFinding, Stage::Program, Weight::Fatal, "Internal error: {0}"},
    {DiagId::CheckFailed, Stage::Program, Weight::Warning,
     "output may be another program than its inputs: {0}"},
}};

constexpr bool nvlink_rows_are_in_order() {
  for (size_t i = 0; i < kNvlinkRows.size(); ++i)
    if (static_cast<size_t>(kNvlinkRows[i].id) != i)
      return false;
  return true;
}
static_assert(nvlink_rows_are_in_order());

} // namespace

std::span<const NvlinkRow> nvlink_rows() {
  return kNvlinkRows;
}

namespace {

constexpr int kStatusFatal = 1;
constexpr int kStatusErrors = 255;

std::string origin_file(const Message &message, size_t number) {
  if (number >= message.origins.size())
    return "";
  const Origin &origin = message.origins[number];
  return origin.member.empty() ? origin.file : fmt::format("{}:{}", origin.file, origin.member);
}

std::string as_hexadecimal(const std::string &number) {
  u64 value = 0;
  std::from_chars(number.data(), number.data() + number.size(), value);
  return fmt::format("{:#x}", value);
}

// `blank` is the text between the braces.
std::string nvlink_blank(const Message &message, std::string_view blank) {
  if (blank == "a" || blank == "b")
    return origin_file(message, blank == "a" ? 0 : 1);
  const size_t number = static_cast<size_t>(blank[0] - '0');
  if (number >= message.arguments.size())
    return "";
  const std::string &argument = message.arguments[number];
  if (blank.ends_with('x'))
    return as_hexadecimal(argument);
  return blank.ends_with('d') ? nvlink_name(argument) : argument;
}

std::string fill_nvlink_text(const Message &message, std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t brace = std::min(text.find('{'), text.size());
    out += text.substr(0, brace);
    text.remove_prefix(brace);
    if (text.empty())
      break;
    const size_t end = text.find('}');
    out += nvlink_blank(message, text.substr(1, end - 1));
    text.remove_prefix(end + 1);
  }
  return out;
}

std::string_view words_of(const NvlinkRow &row, u32 toolkit) {
  return toolkit >= 131 && !row.text_13_1.empty() ? row.text_13_1 : row.text;
}

std::string_view unknown_binary(u32 toolkit) {
  return toolkit >= 131 ? "nvlink error   : Can't load this binary kind, as it's not recognized"
                        : "nvlink error   : Binary format for key='0', ident='' is not recognized";
}

// A file of another kind than the extension of its name. May put a line into `lines` first.
std::string wrong_kind_text(const Message &message, u32 toolkit, std::vector<std::string> &lines) {
  const std::string &kind = message.arguments[1];
  const std::string &ending = message.arguments[2];
  const bool host =
      kind.find("host") != std::string::npos || kind.find("program") != std::string::npos;
  if (ending == "cubin")
    return host ? "cubin not a device elf?" : "cubin not an elf?";
  if (ending == "fatbin")
    return "fatbin wrong format?";
  if (ending == "bc")
    return "should never see bc files";
  if (ending == "ltoir" || ending == "nvvm")
    return message.arguments.back() == "lto" ? "elfLink nvvm error"
                                             : "should only see nvvm files when -lto";
  lines.emplace_back(unknown_binary(toolkit));
  return "elfLink fatbinary error";
}

// Appends the lines of a text, without empty lines.
void append_lines(std::vector<std::string> &lines, std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (end != 0)
      lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// Removes the name of the text: nvlink's compiler does not know it.
std::string without_name(std::string text, const std::string &name) {
  replace_all(text, fmt::format("ptxas {}, line ", name), "ptxas application ptx input, line ");
  return text;
}

// True for a memory space of variables; functions and images have none.
bool is_variable(std::string_view space) {
  return space.starts_with("__");
}

// The number of times that nvlink prints a line. It warns of each call of a kernel that leads to
// recursion.
u32 repetitions(const Message &message, DiagId id) {
  u32 count = 1;
  if (id == DiagId::UnknownStackSize && message.arguments.size() > 1)
    (void)std::from_chars(message.arguments[1].data(),
                          message.arguments[1].data() + message.arguments[1].size(), count);
  return std::max(count, 1u);
}

// libnvJitLink prints the name of the error before the optimiser's text; nvlink prints it after the
// text, without a line break.
std::string optimizer_text(std::string_view log) {
  constexpr std::string_view kHead = "ERROR in nvvmCompileProgram: ";
  const size_t at = log.find(kHead);
  if (at == std::string_view::npos)
    return std::string(log);
  log.remove_prefix(at + kHead.size());
  const size_t end = std::min(log.find('\n'), log.size());
  const std::string_view name = log.substr(0, end);
  return fmt::format("{}{}", log.substr(std::min(end + 1, log.size())), name);
}

// Adds the lines that nvlink's layers print before the line of the table.
void say_before(const Message &message, DiagId id, u32 toolkit, std::vector<std::string> &lines) {
  const auto argument = [&](size_t number) {
    return number < message.arguments.size() ? message.arguments[number] : std::string();
  };
  const std::string name = argument(0);
  if (id == DiagId::BadHostObject)
    lines.push_back(fmt::format("nvlink fatal   : Could not find fatbin in '{}'", name));
  else if (id == DiagId::BadFatbin)
    lines.emplace_back(unknown_binary(toolkit));
  else if (id == DiagId::BadPayload && argument(2) == "memory")
    lines.emplace_back("nvlink fatal   : Memory allocation failure");
  else if (id == DiagId::BadPayload)
    lines.insert(lines.end(), argument(2) == "twice" ? 2 : 1, "nvlink error   : Uncompress failed");
  else if (id == DiagId::NoCodeForTarget && argument(3) == "damaged")
    lines.emplace_back("nvlink error   : Uncompress failed");
  else if (id == DiagId::BadArchive)
    lines.emplace_back(argument(2) == "cut"
                           ? "nvlink fatal   : archive member size exceeds library bounds"
                           : "nvlink fatal   : unexpected archive format");
  else if (id == DiagId::CannotOpenMember && argument(3) == "folder")
    lines.emplace_back("nvlink fatal   : Memory allocation failure");
  else if (id == DiagId::CannotOpenMember)
    lines.push_back(fmt::format("nvlink fatal   : Could not open input file '{}'", argument(2)));
  else if (id == DiagId::PtxRefused || id == DiagId::PtxRemarks)
    append_lines(lines, without_name(argument(2), name));
  else if (id == DiagId::LtoFailed)
    lines.push_back(fmt::format("nvlink info    : {}", optimizer_text(argument(2))));
  else if ((id == DiagId::WrongArchitecture || id == DiagId::AcceleratedObject) &&
           !argument(3).empty())
    lines.push_back(fmt::format("nvlink warning : Output is limited to run on SM Arch '{}' only "
                                "due to limitations in input file {}",
                                argument(3), name));
}

class NvlinkReporter {
public:
  explicit NvlinkReporter(u32 toolkit) : toolkit_(toolkit) {}
  NvlinkReport run(const std::vector<Message> &messages);

private:
  struct Item {
    const Message *message;
    const NvlinkRow *row;
  };

  // False after an error at which nvlink stops.
  [[nodiscard]] bool report(const Item &item);
  [[nodiscard]] bool end_stage();
  void say(std::string_view weight, const std::string &text) {
    out_.lines.push_back(fmt::format("nvlink {:<8}: {}", weight, text));
  }

  u32 toolkit_; // toolkit of the words, times ten
  NvlinkReport out_;
  NvlinkStage stage_ = Stage::Options;
  u32 step_ = 0; // of the file with the current errors
  bool errors_ = false;
  bool no_node_ = false; // a variable turned out to be a function
};

// After an error in one file, nvlink does not merge another file.
bool NvlinkReporter::end_stage() {
  if (!errors_)
    return true;
  out_.status = kStatusErrors;
  out_.tells_about_program = stage_ == Stage::Program;
  if (stage_ == Stage::Merge) {
    say("fatal", no_node_ ? "Internal error: no callgraph node" : "merge_elf failed");
    out_.status = kStatusFatal;
  }
  return false;
}

bool NvlinkReporter::report(const Item &item) {
  const auto &[message, row] = item;
  if (row->stage != stage_ || (stage_ == Stage::Merge && message->step != step_)) {
    if (!end_stage())
      return false;
    stage_ = row->stage;
  }
  step_ = message->step;
  say_before(*message, row->id, toolkit_, out_.lines);
  if (row->id == DiagId::PtxRemarks)
    return true;
  // nvlink checks only this value elsewhere.
  const bool speed = row->id == DiagId::BadOptionValue && message->arguments[1] == "Ofast-compile";
  const std::string text = speed ? "Invalid argument for option '--Ofast-compile'"
                           : row->id == DiagId::WrongKind
                               ? wrong_kind_text(*message, toolkit_, out_.lines)
                               : fill_nvlink_text(*message, words_of(*row, toolkit_));
  // -Werror does not apply to the warning about a redefined option.
  const bool raised = row->weight == Weight::Warning && message->severity == Severity::Error &&
                      row->id != DiagId::OptionRedefined;
  if (row->weight == Weight::Fatal) {
    say("fatal", text);
    out_.status = kStatusFatal;
    out_.tells_about_program = false;
    return false;
  }
  for (u32 i = repetitions(*message, row->id); i-- > 0;)
    say(row->weight == Weight::Info              ? "info"
        : row->weight == Weight::Error || raised ? "error"
                                                 : "warning",
        text);
  errors_ = errors_ || row->weight == Weight::Error || raised;
  no_node_ = no_node_ || (row->id == DiagId::SpaceMismatch && is_variable(message->arguments[1]) &&
                          message->arguments[2] == "a function");
  return true;
}

NvlinkReport NvlinkReporter::run(const std::vector<Message> &messages) {
  std::vector<Item> items;
  for (const Message &message : messages) {
    const DiagRow *row = find_diag_row(message.id);
    const NvlinkRow &words = nvlink_rows()[static_cast<size_t>(row ? row->id : DiagId::BadInput)];
    if (words.weight != Weight::Silent)
      items.push_back({&message, &words});
  }
  std::ranges::stable_sort(
      items, {}, [](const Item &item) { return std::pair(item.row->stage, item.row->step); });
  for (const Item &item : items)
    if (!report(item))
      return std::move(out_);
  (void)end_stage();
  return std::move(out_);
}

} // namespace

NvlinkReport nvlink_report(const std::vector<Message> &messages, u32 toolkit) {
  return NvlinkReporter(toolkit).run(messages);
}

// Other programs report many errors of a device link later: the host's linker, the loader and the
// CUDA runtime. culink does not see these messages, but can explain them (--explain).

namespace {

constexpr auto kForeignMessages = std::to_array<ForeignMessage>({
    {"*undefined*__cudaRegisterLinkedBinary*", "the host's linker",
     "Each object that was compiled with -rdc=true calls a function which only the device link "
     "defines. There was no device link, its result is not among the objects of the host link, or "
     "it was made without this object.",
     "Let nvcc link the program; or `nvcc -dlink *.o -o dlink.o` and dlink.o among the objects of "
     "the host link. CMake: CUDA_SEPARABLE_COMPILATION for the program, or "
     "CUDA_RESOLVE_DEVICE_SYMBOLS for a library that others link without nvcc."},
    {"*undefined*__fatbinwrap*", "the host's linker",
     "The result of a device link refers to every object that it took, and one of them is not "
     "among the objects of the host link.",
     "Give the same objects and libraries to both links."},
    {"*multiple definition*__cudaRegisterLinkedBinary*", "the host's linker",
     "Two device links took the same object: often one for a library and one for the program, "
     "which also links the library's objects.",
     "Link device code once, in the program. CMake: CUDA_RESOLVE_DEVICE_SYMBOLS OFF for static "
     "libraries that programs with device code use."},
    {"*invalid device function*", "the CUDA runtime",
     "A kernel was launched that the program's image for this GPU does not have: it was compiled "
     "for another target, no device link took its object, or a device link of its own took it.",
     "`cubin list PROGRAM` shows the targets, `cubin usage PROGRAM` the kernels; `culink ... "
     "--why-live=KERNEL` tells why one is there or not."},
    {"*no kernel image is available*", "the CUDA runtime",
     "The program has no code for this GPU, and no PTX that the driver could compile for it.",
     "`cubin list PROGRAM` shows what it has. Compile and link for the GPU: nvcc -arch=sm_NN, or "
     "one -gencode for each, in both commands."},
    {"*undefined symbol: __nvJitLink*", "the loader",
     "A program was built for a newer libnvJitLink than the one that the loader finds first.",
     "Put the folder of the newer one first in LD_LIBRARY_PATH; `culink --make-jit-folder DIR` "
     "makes one with culink's."},
    {"*relocation truncated to fit*", "the host's linker",
     "Device code makes the program so large that host code cannot reach across it.",
     "`cubin size PROGRAM` shows what fills it, `cubin prune` leaves targets out; `culink "
     "-ghls=lcs-aug` writes a script for the host's linker that puts device code at the end."},
    {"*Skipping incompatible*", "nvlink",
     "nvlink leaves out a library that is for another kind of host.",
     "culink has no such test: what a library has for the target is linked. `cubin list LIBRARY` "
     "shows it."},
});

} // namespace

std::span<const ForeignMessage> foreign_messages() {
  return kForeignMessages;
}

namespace {

constexpr size_t kIndent = 2;

using Rows = std::vector<const DiagRow *>;

// Replaces the blanks of a text of a table.
std::string with_blanks(std::string_view text, std::string_view blank) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t end = text[i] == '{' ? text.find('}', i) : std::string_view::npos;
    out += end == std::string_view::npos ? text.substr(i, 1) : blank;
    i = end == std::string_view::npos ? i : end;
  }
  return out;
}

// The text for people. Some messages consist only of a file and a text from elsewhere.
std::string shown_text(const DiagRow &row) {
  return row.text == "{0}: {1}" ? "FILE: what is wrong with it" : with_blanks(row.text, "...");
}

// The number of fixed letters in a text.
size_t fixed_letters(std::string_view text) {
  const std::string fixed = with_blanks(text, "");
  return static_cast<size_t>(
      std::count_if(fixed.begin(), fixed.end(), [](char c) { return c >= 'a' && c <= 'z'; }));
}

// Removes the prefix: "undefined symbol: f" for "culink: error: undefined symbol: f", also
// nvlink's.
std::string_view without_prefix(std::string_view line) {
  for (const std::string_view severity : {"fatal", "error", "warning", "info"}) {
    const size_t at = line.find(severity);
    const size_t colon =
        at == std::string_view::npos ? at : line.find_first_not_of(' ', at + severity.size());
    if (colon == std::string_view::npos || line.substr(colon, 2) != ": ")
      continue;
    return line.substr(colon + 2);
  }
  return line;
}

// The messages that a line may be an instance of: the text with the most fixed letters wins.
// Without one, the messages that contain the words.
Rows find_messages(std::string_view words) {
  if (const DiagRow *row = find_diag_row(words))
    return {row};
  const std::string_view line = without_prefix(words);
  size_t most = 5; // letters; excludes "FILE: what is wrong with it"
  Rows best, parts;
  const auto consider = [&](const DiagRow &row, std::string_view text) {
    const size_t letters = fixed_letters(text);
    if (letters < most || !matches_pattern(line, with_blanks(text, "*") + "*"))
      return;
    if (letters > most)
      best.clear();
    most = letters;
    if (best.empty() || best.back() != &row)
      best.push_back(&row);
  };
  for (const NvlinkRow &nvlinks : nvlink_rows()) {
    const DiagRow &row = diag_row(nvlinks.id);
    for (const std::string_view text : {row.text, nvlinks.text}) {
      constexpr std::string_view kFile = "{0}: "; // may be missing
      consider(row, text);
      if (text.starts_with(kFile))
        consider(row, text.substr(kFile.size()));
    }
    if (row.key.find(words) != std::string_view::npos ||
        row.text.find(words) != std::string_view::npos)
      parts.push_back(&row);
  }
  return best.empty() ? parts : best;
}

std::string headline(const DiagRow &row) {
  return fmt::format("{} ({}): {}\n", row.key, severity_word(row.severity), shown_text(row));
}

std::string explained(std::string_view head, std::string_view meaning, std::string_view way_out) {
  return fmt::format("{}\n{}\n\nWhat to do:\n{}\n", head, wrapped(meaning, kIndent),
                     wrapped(way_out, kIndent));
}

// Escapes stars and double underscores, which are markup, except in code.
std::string in_markdown(std::string_view text) {
  std::string out;
  bool is_code = false;
  for (size_t i = 0; i < text.size(); ++i) {
    is_code = is_code != (text[i] == '`');
    const bool is_pair = text.substr(i, 2) == "__" || (i > 0 && text.substr(i - 1, 2) == "__");
    if (!is_code && (text[i] == '*' || is_pair))
      out += '\\';
    out += text[i];
  }
  return out;
}

struct Chapter {
  std::string_view title;
  DiagId first, end;
};

} // namespace

std::optional<std::string> explain_message(std::string_view words) {
  if (words.empty())
    return std::nullopt;
  for (const ForeignMessage &one : foreign_messages())
    if (matches_pattern(words, one.pattern))
      return explained(fmt::format("A message of {}\n", one.speaker), one.meaning, one.way_out);
  const Rows rows = find_messages(words);
  if (rows.empty())
    return std::nullopt;
  std::string heads;
  for (const DiagRow *row : rows)
    heads += headline(*row);
  return rows.size() > 1 ? heads : explained(heads, rows[0]->meaning, rows[0]->advice);
}

std::string message_list() {
  std::string out =
      "# All messages\n\n"
      "What each message of culink means and what to do about it; `...` stands for names and "
      "numbers. `culink --explain WORDS` prints it, too:\nthe words are an id, which "
      "`--error-format=json` shows, a message of culink or nvlink, or a part of one. `culink "
      "--print-docs messages`\nwrites this page.\n";
  for (const Chapter &chapter :
       {Chapter{"Inputs, targets, releases", DiagId{}, DiagId::UndefinedReference},
        Chapter{"The program: symbols, limits, relocations", DiagId::UndefinedReference,
                DiagId::UnknownTarget},
        Chapter{"The command, link-time optimisation, outputs", DiagId::UnknownTarget,
                DiagId::Count_}}) {
    out += fmt::format("\n## {}\n\n| Id | Message | Meaning | What to do |\n|---|---|---|---|\n",
                       chapter.title);
    for (const DiagRow &row : diag_rows())
      if (row.id >= chapter.first && row.id < chapter.end)
        out += fmt::format("| `{}` | {}: {} | {} | {} |\n", row.key, severity_word(row.severity),
                           in_markdown(shown_text(row)), in_markdown(row.meaning),
                           in_markdown(row.advice));
  }
  out += "\n## Messages of other programs about device links\n\n"
         "| Of | Message | Meaning | What to do |\n|---|---|---|---|\n";
  for (const ForeignMessage &one : foreign_messages())
    out += fmt::format("| {} | `{}` | {} | {} |\n", one.speaker,
                       one.pattern.substr(1, one.pattern.size() - 2), in_markdown(one.meaning),
                       in_markdown(one.way_out));
  return out;
}

} // namespace culink
