// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one table of messages: id, severity, a name for machines and our wording.
#include "model/diagnostics.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/demangle.h"

namespace culink {

namespace {

using enum Severity;

constexpr std::array<DiagRow, static_cast<size_t>(DiagId::Count_)> kRows = {{
    {DiagId::CannotOpenInput, Error, "cannot-open-input", "{0}: {1}"},
    {DiagId::BadInput, Error, "bad-input", "{0}: {1}"},
    {DiagId::WrongKind, Error, "wrong-kind", "{0}: is {1}, unlike its name '.{2}' says"},
    {DiagId::NothingToLink, Warning, "nothing-to-link", "{0}: ignored, {1}"},
    {DiagId::NoCodeForTarget, Warning, "no-code-for-target",
     "{0}: ignored, no code for {1}; there is {2}"},
    {DiagId::LtoCode, Error, "lto-code",
     "{0}: has only code of link-time optimisation, which is not supported yet"},
    {DiagId::LibraryNotFound, Warning, "library-not-found", "library '{0}' not found"},
    {DiagId::ObjectAfterRuntime, Error, "object-after-runtime",
     "{0}: stands after the device runtime library {1}, which was not needed until then"},
    {DiagId::NotRelocatable, Error, "not-relocatable",
     "{0}: not a relocatable device object (it is already linked, or was compiled without "
     "-rdc=true)"},
    {DiagId::WrongArchitecture, Error, "wrong-architecture", "{0}: built for {1}, not for {2}"},
    {DiagId::WrongAbi, Error, "wrong-abi", "{0}: device ELF ABI {1} cannot be linked, only {2}"},
    {DiagId::NewerToolkit, Warning, "newer-toolkit",
     "{0}: made by CUDA {1}, newer than CUDA {2} which this linker knows"},
    {DiagId::TooNewToolkit, Error, "too-new-toolkit", "{0}: made by CUDA {1}, newer than CUDA {2}"},
    {DiagId::OldObject, Error, "old-object",
     "{0}: must be recompiled with CUDA 12.0 or newer: {1}"},
    {DiagId::SectionLeftOut, Warning, "section-left-out",
     "{0}: section '{1}' of type {2} is not carried into the output"},
    {DiagId::MixedVirtualTargets, Warning, "mixed-virtual-targets",
     "inputs were compiled from PTX of compute_{0} and of compute_{1}"},
    {DiagId::LimitedToOneTarget, Warning, "limited-to-one-target",
     "the output will run on sm_{0} only: {1} has no Mercury code"},
    {DiagId::NoMercuryCode, Error, "no-mercury-code",
     "{0}: has no Mercury code, so that the output cannot have any"},
    {DiagId::NoFinalizer, Info, "no-finalizer",
     "no finalizer found: the output holds machine code alone and runs on {0} only"},
    {DiagId::FinalizerMissing, Error, "finalizer-missing",
     "--code=exact needs a finalizer, and there is none"},
    {DiagId::FinalizerFailed, Error, "finalizer-failed", "{0}: cannot be finalized: {1}"},
    {DiagId::NotFinalized, Error, "not-finalized",
     "{0}: the finalizer has not given back the code of '{1s}'"},
    {DiagId::UndefinedReference, Error, "undefined-reference", "undefined symbol: {0s}"},
    {DiagId::MultipleDefinition, Error, "multiple-definition", "duplicate symbol: {0s}"},
    {DiagId::SizeMismatch, Error, "size-mismatch", "size of '{0s}' differs: {1} and {2} bytes"},
    {DiagId::SpaceMismatch, Error, "space-mismatch", "memory space of '{0s}' differs: {1} and {2}"},
    {DiagId::ManagedMismatch, Error, "managed-mismatch",
     "'{0s}' is __managed__ in one file and not in another"},
    {DiagId::PrototypeMismatch, Error, "prototype-mismatch",
     "prototype of '{0s}' differs: {1} and {2}"},
    {DiagId::NotAKernelEverywhere, Error, "not-a-kernel-everywhere",
     "'{0s}' is a __global__ function in one file and not in another"},
    {DiagId::CommonLargerThanDefinition, Error, "common-too-large",
     "common symbol '{0s}' has {1} bytes, its definition only {2}"},
    {DiagId::TooMuchConstant, Error, "too-much-constant",
     "too much __constant__ data: {0} bytes in bank {1}, the limit is {2}"},
    {DiagId::TooMuchShared, Error, "too-much-shared",
     "kernel '{0s}' uses too much shared memory: {1} bytes, the limit is {2}"},
    {DiagId::RegisterLimit, Error, "register-limit",
     "kernel '{0s}' may use {1} registers but calls '{2s}', which needs {3}"},
    {DiagId::NoRegisterCount, Error, "no-register-count", "no register count for function '{0s}'"},
    {DiagId::UnknownStackSize, Warning, "unknown-stack-size",
     "stack size of kernel '{0s}' cannot be determined: its calls are recursive"},
    {DiagId::MixedCtaGroups, Error, "mixed-cta-groups",
     "kernel '{0s}' uses .cta_group::1 and .cta_group::2 at once, which is not allowed"},
    {DiagId::DeletedSymbol, Error, "deleted-symbol",
     "relocation against '{0s}', which is not part of the output"},
    {DiagId::UnsupportedRelocation, Error, "unsupported-relocation",
     "{0}: relocation {1} at {2} against '{3s}' cannot be applied"},
    {DiagId::RelocationOutsideSection, Error, "relocation-outside-section",
     "{0}: relocation {1} at {2} lies outside the section"},
    {DiagId::UnifiedWithoutIndex, Error, "unified-without-index",
     "unified functions or variables need an index file: {0}"},
    {DiagId::PreserveRelocsIncomplete, Warning, "preserve-relocs-incomplete",
     "--preserve-relocs does not keep every relocation for {0}"},
    {DiagId::FileTooLarge, Error, "file-too-large", "{0}"},
    {DiagId::UnknownTarget, Error, "unknown-target", "unknown target '{0}'"},
    {DiagId::UnknownEmulation, Error, "unknown-emulation", "cannot emulate '{0}'"},
    {DiagId::NoInput, Error, "no-input", "no input files"},
    {DiagId::EmptyLink, Warning, "empty-link", "no input files; the output is empty"},
    {DiagId::UnknownOption, Error, "unknown-option", "unknown option '-{0}'"},
    {DiagId::ArgumentExpected, Error, "argument-expected", "option '{0}' needs a value"},
    {DiagId::NoArgumentExpected, Error, "no-argument-expected", "option '{0}' takes no value"},
    {DiagId::NotANumber, Error, "not-a-number", "'{0}' is not a number"},
    {DiagId::NumberOutOfRange, Error, "number-out-of-range", "{0} does not fit into 32 bits"},
    {DiagId::NotABoolean, Error, "not-a-boolean", "'{0}' is neither true nor false"},
    {DiagId::BadOptionValue, Error, "bad-option-value", "'{0}' is no value of option '{1}'"},
    {DiagId::StrayQuote, Error, "stray-quote", "quote without an end in '{0}'"},
    {DiagId::OptionRedefined, Warning, "option-redefined",
     "option '{0}' is given twice with different values; the last one counts"},
    {DiagId::TooManyOptionFiles, Error, "too-many-option-files",
     "option files are nested too deeply: '{0}'"},
    {DiagId::CannotOpenOptionFile, Error, "cannot-open-option-file", "option file '{0}': {1}"},
    {DiagId::ConflictingOptions, Error, "conflicting-options",
     "options '{0}' and '{1}' contradict each other"},
    {DiagId::OptionNeedsOption, Error, "option-needs-option",
     "option '{0}' has a meaning only with '{1}'"},
    {DiagId::MissingTarget, Error, "missing-target",
     "option '-arch' is missing: the target, for example -arch=sm_90"},
    {DiagId::MissingOutput, Error, "missing-output", "option '-o' is missing: the output file"},
    {DiagId::NvvmPathMissing, Error, "nvvm-path-missing",
     "option '-dlto' has a meaning only with '-nvvmpath'"},
    {DiagId::LtoIgnored, Warning, "lto-ignored",
     "option '{0}' is ignored: the machine code of the inputs is linked as it is"},
    {DiagId::InputsWithScript, Error, "inputs-with-script",
     "'{0}': option '-ghls' takes no input files"},
    {DiagId::NoHostScript, Error, "no-host-script", "no script of the host's linker for {0}: {1}"},
    {DiagId::VirtualLtoTarget, Error, "virtual-lto-target",
     "'{0}' is no target that code can be linked for"},
    {DiagId::HostInfoIgnored, Info, "host-info-ignored",
     "-use-host-info has no effect beside -kernels-used or -variables-used"},
    {DiagId::NoEffect, Info, "no-effect", "option '{0}' has no effect: {1}"},
    {DiagId::CannotWriteOutput, Error, "cannot-write-output", "{0}: {1}"},
    {DiagId::CannotWriteTimes, Error, "cannot-write-times", "{0}: cannot write"},
    {DiagId::NoToolchain, Error, "no-toolchain", "cannot make the toolchain folder '{0}': {1}"},
    {DiagId::NotSupportedYet, Error, "not-supported-yet", "{0}: {1} not supported yet"},
    {DiagId::Contradiction, Bug, "contradiction", "{0}: {1}; this is a bug in culink"},
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
                        SymbolNames names) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '{' || i + 2 >= text.size()) {
      out += text[i];
      continue;
    }
    const size_t argument = static_cast<size_t>(text[i + 1] - '0');
    const bool symbol = text[i + 2] == 's' && names == SymbolNames::Demangled;
    if (argument < arguments.size())
      out += symbol ? demangle(arguments[argument]) : arguments[argument];
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
