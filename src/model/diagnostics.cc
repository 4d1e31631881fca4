// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of all messages: id, severity, a name for machines and culink's wording. nvlink's
// wording is in compat/nvlink_messages.cc.
#include "model/diagnostics.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace culink {

namespace {

constexpr std::array<DiagRow, static_cast<size_t>(DiagId::Count_)> kRows = {{
    {DiagId::CannotOpenInput, Severity::Error, "cannot-open-input", "{0}: {1}"},
    {DiagId::BadInput, Severity::Error, "bad-input", "{0}: {1}"},
    {DiagId::BadHostObject, Severity::Error, "bad-host-object", "{0}: {1}"},
    {DiagId::BadFatbin, Severity::Error, "bad-fatbin", "{0}: {1}"},
    {DiagId::BadPayload, Severity::Error, "bad-payload", "{0}: {1}"},
    {DiagId::BadArchive, Severity::Error, "bad-archive", "{0}: {1}"},
    {DiagId::CannotOpenMember, Severity::Error, "cannot-open-member", "{0}: {1}"},
    {DiagId::NotAnObject, Severity::Error, "not-an-object", "{0}: {1}"},
    {DiagId::PtxRefused, Severity::Error, "ptx-refused", "{0}: {1}"},
    {DiagId::PtxRemarks, Severity::Info, "ptx-remarks", "{0}: messages of the PTX compiler"},
    {DiagId::WrongKind, Severity::Error, "wrong-kind", "{0}: is {1}, but its name ends in '.{2}'"},
    {DiagId::NothingToLink, Severity::Warning, "nothing-to-link", "{0}: ignored, {1}"},
    {DiagId::NoCodeForTarget, Severity::Warning, "no-code-for-target",
     "{0}: ignored, no code for {1}; there is {2}"},
    {DiagId::NoKernels, Severity::Warning, "no-kernels",
     "the output has no kernels: {0} is not linked, because {1}"},
    {DiagId::LinkedTwice, Severity::Warning, "linked-twice",
     "{0}: linked again, although {1} has the result of a device link that took it"},
    {DiagId::NoHostCode, Severity::Info, "no-host-code", "{0}: has no host code"},
    {DiagId::LtoCode, Severity::Error, "lto-code",
     "{0}: has only code for link-time optimisation, which -dlto compiles"},
    {DiagId::LibraryNotFound, Severity::Warning, "library-not-found", "library '{0}' not found"},
    {DiagId::LibraryMissing, Severity::Error, "library-missing", "library '{0}' not found"},
    {DiagId::ObjectAfterRuntime, Severity::Error, "object-after-runtime",
     "{0}: follows the device runtime library {1}, which was not needed before it"},
    {DiagId::NotRelocatable, Severity::Error, "not-relocatable",
     "{0}: not a relocatable device object: e_type is {1}"},
    {DiagId::OnlyLinkedCode, Severity::Error, "only-linked-code",
     "nothing to link: {0} is left out, because {1}"},
    {DiagId::PartialProgram, Severity::Warning, "partial-program",
     "{0}: not compiled with -ewp, but linked with {1}, which claims to be the whole program"},
    {DiagId::WrongArchitecture, Severity::Error, "wrong-architecture",
     "{0}: built for {1}, not for {2}"},
    {DiagId::AcceleratedObject, Severity::Error, "accelerated-object",
     "{0}: built for one chip (sm_{1}a), not for {2}"},
    {DiagId::NoAddressSize, Severity::Warning, "no-address-size",
     "{0}: e_flags do not say that addresses have 64 bits"},
    {DiagId::WrongAbi, Severity::Error, "wrong-abi",
     "{0}: has version {1} of the device ABI, which this linker does not know"},
    {DiagId::TwoKindsOfCode, Severity::Error, "two-kinds-of-code",
     "{0}: e_flags claim both machine code and a Mercury capsule"},
    {DiagId::NewerToolkit, Severity::Warning, "newer-toolkit",
     "{0}: made by CUDA {1}, newer than CUDA {2} which this linker knows"},
    {DiagId::OlderDialect, Severity::Warning, "older-dialect",
     "{0}: made by CUDA {1}, newer than CUDA {2} which --dialect asks for"},
    {DiagId::TooNewToolkit, Severity::Error, "too-new-toolkit",
     "{0}: made by CUDA {1}, newer than CUDA {2}"},
    {DiagId::ForeignWholeProgram, Severity::Error, "foreign-whole-program",
     "{0}: compiled with -ewp by CUDA {1}, which only nvlink {1} links"},
    {DiagId::OldObject, Severity::Error, "old-object",
     "{0}: must be recompiled with CUDA 12.0 or newer: {1}"},
    {DiagId::SectionLeftOut, Severity::Warning, "section-left-out",
     "{0}: section '{1}' of type {2} is not carried into the output"},
    {DiagId::UnknownAttribute, Severity::Warning, "unknown-attribute",
     "{0}: attributes of .nv.info that this linker does not know: {1}"},
    {DiagId::UnknownCompat, Severity::Warning, "unknown-compat",
     "{0}: attributes of .nv.compat that this linker does not know: {1}"},
    {DiagId::NewerNote, Severity::Warning, "newer-note", "{0}: newer than this linker: {1}"},
    {DiagId::UnknownSection, Severity::Warning, "unknown-section",
     "{0}: sections of types that this linker does not know: {1}"},
    {DiagId::UnknownMercury, Severity::Warning, "unknown-mercury",
     "{0}: Mercury code with {1}, so that the output has machine code only and runs on {2} only"},
    {DiagId::MixedVirtualTargets, Severity::Warning, "mixed-virtual-targets",
     "inputs were compiled from PTX of compute_{0} and of compute_{1}"},
    {DiagId::LimitedToOneTarget, Severity::Warning, "limited-to-one-target",
     "the output will run on sm_{0} only: {1} has no Mercury code"},
    {DiagId::MissingIsaClass, Severity::Warning, "missing-isa-class",
     "{1}: its .nv.compat has no ISA_CLASS, so that the output is for sm_{0} only"},
    {DiagId::NoMercuryCode, Severity::Error, "no-mercury-code",
     "{0}: has no Mercury code, so that the output cannot have any"},
    {DiagId::NoFinalizer, Severity::Info, "no-finalizer",
     "no finalizer found: the output has machine code only and runs on {0} only"},
    {DiagId::FinalizerMissing, Severity::Error, "finalizer-missing",
     "--code=exact needs a finalizer, but none was found"},
    {DiagId::FinalizerFailed, Severity::Error, "finalizer-failed", "{0}: cannot be finalized: {1}"},
    {DiagId::NotScheduled, Severity::Warning, "not-scheduled",
     "{0}: cannot be finalized, so that all code stays as it was compiled: {1}"},
    {DiagId::NotFinalized, Severity::Error, "not-finalized",
     "{0}: the finalizer has not given back the code of '{1s}'"},
    {DiagId::ForeignEngine, Severity::Error, "foreign-engine",
     "the finalizer is of CUDA {0}, but --emulate asks for the code of {1}"},
    {DiagId::OtherEngine, Severity::Warning, "other-engine",
     "the finalizer is of CUDA {0}, so that the code is not that of nvlink {1}, whose conventions "
     "the output follows"},
    {DiagId::UndefinedReference, Severity::Error, "undefined-reference", "undefined symbol: {0s}"},
    {DiagId::MultipleDefinition, Severity::Error, "multiple-definition", "duplicate symbol: {0s}"},
    {DiagId::SizeMismatch, Severity::Error, "size-mismatch",
     "size of '{0s}' differs: {1} and {2} bytes"},
    {DiagId::SpaceMismatch, Severity::Error, "space-mismatch",
     "memory space of '{0s}' differs: {1} and {2}"},
    {DiagId::ManagedMismatch, Severity::Error, "managed-mismatch",
     "'{0s}' is __managed__ in one file and not in another"},
    {DiagId::PrototypeMismatch, Severity::Error, "prototype-mismatch",
     "prototype of '{0s}' differs: {1} and {2}"},
    {DiagId::NotAKernelEverywhere, Severity::Error, "not-a-kernel-everywhere",
     "'{0s}' is a __global__ function in one file and not in another"},
    {DiagId::CommonLargerThanDefinition, Severity::Error, "common-too-large",
     "common symbol '{0s}' has {1} bytes, its definition only {2}"},
    {DiagId::ParameterBankMismatch, Severity::Error, "parameter-bank-mismatch",
     "parameters of kernel '{0s}' differ: {1} and {2} bytes"},
    {DiagId::TooMuchConstant, Severity::Error, "too-much-constant",
     "too much __constant__ data: {0} bytes in bank {1}, the limit is {2}"},
    {DiagId::TooMuchBankOfFunction, Severity::Error, "too-much-bank-of-function",
     "too much constant data of '{0s}': {1} bytes in bank {2}, the limit is {3}"},
    {DiagId::TooManyCompilerConstants, Severity::Error, "too-many-compiler-constants",
     "too many compiler-generated constants in '{0s}' and what it calls: {1} bytes in bank {2}, "
     "the limit is {3}"},
    {DiagId::TooMuchShared, Severity::Error, "too-much-shared",
     "kernel '{0s}' uses too much shared memory: {1} bytes, the limit is {2}"},
    {DiagId::TooMuchDebugShared, Severity::Error, "too-much-debug-shared",
     "variables in '.nv_debug.shared' take too much shared memory: {0} bytes, the limit is {1}"},
    {DiagId::TooManyImages, Severity::Error, "too-many-images",
     "kernel '{0s}' has too many {1}: {2}, the limit is {3}"},
    {DiagId::StackLimit, Severity::Error, "stack-limit",
     "kernel '{0s}' needs {1} bytes of stack but may use {2}"},
    {DiagId::RegisterLimit, Severity::Error, "register-limit",
     "kernel '{0s}' may use {1} registers but calls '{2s}', which needs {3}"},
    {DiagId::DriverRegisters, Severity::Error, "driver-registers",
     "'{0s}' changes registers that its callers rely on: it needs {1}, the driver's function at "
     "most "
     "{2}"},
    {DiagId::NoRegisterCount, Severity::Error, "no-register-count",
     "no register count for function '{0s}'"},
    {DiagId::NotAToolsPatch, Severity::Error, "not-a-tools-patch",
     "'{0s}' was not compiled for --link-as-tools-patch: it lacks TOOLS_PATCH_FUNC"},
    {DiagId::UnknownStackSize, Severity::Warning, "unknown-stack-size",
     "stack size of kernel '{0s}' cannot be determined: its calls are recursive"},
    {DiagId::MixedCtaGroups, Severity::Error, "mixed-cta-groups",
     "kernel '{0s}' uses .cta_group::1 and .cta_group::2 at once, which is not allowed"},
    {DiagId::KernelsOfOneName, Severity::Error, "kernels-of-one-name",
     "several kernels are called '{0s}'"},
    {DiagId::DeletedSymbol, Severity::Error, "deleted-symbol",
     "relocation against '{0s}', which is not part of the output"},
    {DiagId::DeletedConstants, Severity::Error, "deleted-constants",
     "'{0s}' has compiler constants, but the definition that overrides it has none"},
    {DiagId::DeletedParameter, Severity::Error, "deleted-parameter",
     "'{0s}' is a parameter of a kernel that is discarded"},
    {DiagId::UnsupportedRelocation, Severity::Error, "unsupported-relocation",
     "{0}: relocation {1} at {2} against '{3s}' cannot be applied"},
    {DiagId::RelocationOutsideSection, Severity::Error, "relocation-outside-section",
     "{0}: relocation {1} at {2} is outside the section"},
    {DiagId::RelocationOutOfRange, Severity::Error, "relocation-out-of-range",
     "{0}: relocation {1} at {2} against '{3s}': {4} does not fit, the field takes {5}"},
    {DiagId::UnifiedWithoutIndex, Severity::Error, "unified-without-index",
     "unified functions or variables need an index file: {0}"},
    {DiagId::EmptyIndex, Severity::Error, "empty-index",
     "{0}: empty, not an index of unified functions and variables"},
    {DiagId::NotAnIndex, Severity::Error, "not-an-index",
     "{0}: not an index of unified functions and variables"},
    {DiagId::PreserveRelocsIncomplete, Severity::Warning, "preserve-relocs-incomplete",
     "--preserve-relocs does not keep every relocation for {0}"},
    {DiagId::TooLargeForField, Severity::Error, "too-large-for-field",
     "{0} is too large: {1}, the largest value that can be stored is {2}"},
    {DiagId::UnknownTarget, Severity::Error, "unknown-target", "unknown target '{0}'"},
    {DiagId::UnknownEmulation, Severity::Error, "unknown-emulation", "cannot emulate '{0}'"},
    {DiagId::UnknownDialect, Severity::Error, "unknown-dialect",
     "unknown release '{0}' for option '--dialect'"},
    {DiagId::NoInput, Severity::Error, "no-input", "no input files"},
    {DiagId::EmptyLink, Severity::Warning, "empty-link", "no input files; the output is empty"},
    {DiagId::UnknownOption, Severity::Error, "unknown-option", "unknown option '-{0}'"},
    {DiagId::NoCommand, Severity::Error, "no-command",
     "'{0}' is no file, and culink has no commands"},
    {DiagId::NoSuchSymbol, Severity::Error, "no-such-symbol", "{0}: no input has a symbol '{1}'"},
    {DiagId::NoSuchKernel, Severity::Warning, "no-such-kernel", "{0}: no kernel is called '{1}'"},
    {DiagId::ArgumentExpected, Severity::Error, "argument-expected", "option '{0}' needs a value"},
    {DiagId::NoArgumentExpected, Severity::Error, "no-argument-expected",
     "option '{0}' takes no value"},
    {DiagId::NotANumber, Severity::Error, "not-a-number", "'{0}' is not a number"},
    {DiagId::NumberOutOfRange, Severity::Error, "number-out-of-range",
     "{0} does not fit into 32 bits"},
    {DiagId::NotABoolean, Severity::Error, "not-a-boolean", "'{0}' is neither true nor false"},
    {DiagId::BadOptionValue, Severity::Error, "bad-option-value",
     "invalid value '{0}' for option '{1}'"},
    {DiagId::StrayQuote, Severity::Error, "stray-quote", "unterminated quote in '{0}'"},
    {DiagId::OptionRedefined, Severity::Warning, "option-redefined",
     "option '{0}' is given twice with different values; the last one is used"},
    {DiagId::TooManyOptionFiles, Severity::Error, "too-many-option-files",
     "too many option files, or nested too deeply: '{0}'"},
    {DiagId::CannotOpenOptionFile, Severity::Error, "cannot-open-option-file",
     "option file '{0}': {1}"},
    {DiagId::ConflictingOptions, Severity::Error, "conflicting-options",
     "options '{0}' and '{1}' cannot be used together"},
    {DiagId::OptionNeedsOption, Severity::Error, "option-needs-option",
     "option '{0}' requires '{1}'"},
    {DiagId::MissingTarget, Severity::Error, "missing-target",
     "missing option '-arch': the target, for example -arch=sm_90"},
    {DiagId::MissingOutput, Severity::Error, "missing-output",
     "missing option '-o': the output file"},
    {DiagId::NvvmPathMissing, Severity::Error, "nvvm-path-missing",
     "option '-dlto' requires '-nvvmpath'"},
    {DiagId::NvvmNotThere, Severity::Error, "nvvm-not-there", "{0}: lib64/libnvvm.so not found"},
    {DiagId::LtoIgnored, Severity::Warning, "lto-ignored",
     "option '{0}' is ignored: no input has code for link-time optimisation"},
    {DiagId::SplitIgnored, Severity::Info, "split-ignored",
     "options '{0}' and '{1}' exclude each other; '{2}' is used"},
    {DiagId::NotOptimised, Severity::Info, "not-optimised",
     "{0}: has no code for link-time optimisation and is {1}"},
    {DiagId::MixedModuleOptions, Severity::Error, "mixed-module-options",
     "{2}: compiled with another value of '{0}' than {1}, so they cannot be optimised together"},
    {DiagId::OptionForAll, Severity::Info, "option-for-all",
     "some inputs were compiled with '{0}'; all of them are now compiled with '{1}'"},
    {DiagId::NoLtoCompiler, Severity::Error, "no-lto-compiler",
     "{0}: has code for link-time optimisation, but no libnvJitLink was found to compile it"},
    {DiagId::LtoFailed, Severity::Error, "lto-failed", "{0}: {1} cannot compile it"},
    {DiagId::LtoRemarks, Severity::Info, "lto-remarks", "{0}: messages of the compiler"},
    {DiagId::NothingToEmit, Severity::Error, "nothing-to-emit",
     "no PTX to write: no input has code for link-time optimisation"},
    {DiagId::RuntimeExpected, Severity::Error, "runtime-expected",
     "nvlink wants the device runtime library behind objects that it optimises (-lcudadevrt)"},
    {DiagId::InputsWithScript, Severity::Error, "inputs-with-script",
     "'{0}': option '-ghls' takes no input files"},
    {DiagId::NoHostScript, Severity::Error, "no-host-script", "no host linker script for {0}: {1}"},
    {DiagId::VirtualLtoTarget, Severity::Error, "virtual-lto-target",
     "code cannot be linked for '{0}'"},
    {DiagId::HostInfoIgnored, Severity::Info, "host-info-ignored",
     "-use-host-info has no effect beside -kernels-used or -variables-used"},
    {DiagId::NoEffect, Severity::Info, "no-effect", "option '{0}' has no effect: {1}"},
    {DiagId::CompiledFromPtx, Severity::Info, "compiled-from-ptx", "{0}: compiled from PTX"},
    {DiagId::ResourceUsage, Severity::Info, "resource-usage", "{0}"},
    {DiagId::CallGraphLine, Severity::Info, "call-graph", "{0}"},
    {DiagId::OverMemoryLimit, Severity::Error, "over-memory-limit",
     "{0}: {1}, which is more than --memory-limit allows ({2})"},
    {DiagId::OutOfMemory, Severity::Error, "out-of-memory",
     "out of memory in step '{0}'; the largest input is {1}"},
    {DiagId::OutputsCollide, Severity::Error, "outputs-collide",
     "'{0}' and '{1}' would write to one file"},
    {DiagId::OutputOverFile, Severity::Error, "output-over-file", "'{0}' would overwrite '{1}'"},
    {DiagId::OutputOverInput, Severity::Error, "output-over-input",
     "'{0}' would overwrite the input '{1}'"},
    {DiagId::CannotWriteOutput, Severity::Error, "cannot-write-output", "{0}: {1}"},
    {DiagId::CannotWriteTimes, Severity::Error, "cannot-write-times", "{0}: cannot write"},
    {DiagId::NoToolchain, Severity::Error, "no-toolchain",
     "cannot make the toolchain folder '{0}': {1}"},
    {DiagId::NoJitFolder, Severity::Error, "no-jit-folder",
     "cannot make {0} a folder with libnvJitLink: {1}"},
    {DiagId::CacheTrouble, Severity::Warning, "cache-trouble", "cache: {0}"},
    {DiagId::Cancelled, Severity::Error, "cancelled", "the link was cancelled"},
    {DiagId::CopiedFlaw, Severity::Warning, "copied-flaw",
     "{0}: a flaw that is copied to the output: {1}"},
    {DiagId::Contradiction, Severity::Bug, "contradiction", "{0}: {1}; this is a bug in culink"},
    {DiagId::CheckFinding, Severity::Error, "check-finding", "the output is not sound: {0}"},
    {DiagId::CheckFailed, Severity::Warning, "check-failed",
     "the output may be another program than its inputs: {0}"},
}};

constexpr bool rows_are_in_order() {
  for (size_t i = 0; i < kRows.size(); ++i)
    if (static_cast<size_t>(kRows[i].id) != i)
      return false;
  return true;
}
static_assert(rows_are_in_order());

} // namespace

const DiagRow &diag_row(DiagId id) {
  return kRows[static_cast<size_t>(id)];
}

const DiagRow *find_diag_row(std::string_view key) {
  const auto *const row =
      std::find_if(kRows.begin(), kRows.end(), [key](const DiagRow &r) { return r.key == key; });
  return row == kRows.end() ? nullptr : row;
}

std::string fill_blanks(std::string_view text, const std::vector<std::string> &arguments,
                        NameStyle names) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '{' || i + 2 >= text.size()) {
      out += text[i];
      continue;
    }
    const size_t argument = static_cast<size_t>(text[i + 1] - '0');
    const bool symbol = text[i + 2] == 's';
    if (argument < arguments.size())
      out += shown_name(arguments[argument], symbol ? names : nullptr);
    i = text.find('}', i);
  }
  return out;
}

std::string diagnostic_text(const Diagnostic &diagnostic) {
  return fill_blanks(diag_row(diagnostic.id).text, diagnostic.arguments);
}

Message to_message(const Diagnostic &diagnostic) {
  return {diagnostic.severity,
          std::string(diag_row(diagnostic.id).key),
          diagnostic_text(diagnostic),
          diagnostic.arguments,
          diagnostic.origins,
          diagnostic.notes,
          diagnostic.hint,
          diagnostic.step};
}

Diagnostic &Diagnostics::report(DiagId id, std::vector<std::string> arguments,
                                std::vector<std::string> notes, std::string hint) {
  const Severity severity = diag_row(id).severity;
  failed_ = failed_ || severity >= Severity::Error;
  return all_.emplace_back(Diagnostic{.id = id,
                                      .severity = severity,
                                      .arguments = std::move(arguments),
                                      .notes = std::move(notes),
                                      .hint = std::move(hint)});
}

void Diagnostics::add(Diagnostic diagnostic) {
  failed_ = failed_ || diagnostic.severity >= Severity::Error;
  all_.push_back(std::move(diagnostic));
}

void Diagnostics::append(Diagnostics &&more) {
  all_.insert(all_.end(), std::make_move_iterator(more.all_.begin()),
              std::make_move_iterator(more.all_.end()));
  failed_ = failed_ || more.failed_;
}

} // namespace culink
