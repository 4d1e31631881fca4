// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "culink/diagnostics.h"
#include "support/demangle.h"
#include "support/types.h"
#include "support/worker_pool.h"

namespace culink {

// Every message of a link. The texts are in message_rows.cc; nvlink's own wording in compat.
enum class DiagId : u16 {
  CannotOpenInput,
  BadInput,
  BadHostObject,
  BadFatbin,
  BadPayload,
  BadArchive,
  CannotOpenMember,
  NotAnObject,
  PtxRefused,
  PtxRemarks,
  WrongKind,
  NothingToLink,
  NoCodeForTarget,
  NoKernels,
  LinkedTwice,
  NoHostCode,
  LtoCode,
  LibraryNotFound,
  LibraryMissing,
  ObjectAfterRuntime,
  NotRelocatable,
  OnlyLinkedCode,
  PartialProgram,
  WrongArchitecture,
  AcceleratedObject,
  NoAddressSize,
  WrongAbi,
  TwoKindsOfCode,
  NewerToolkit,
  OlderDialect,
  TooNewToolkit,
  ForeignWholeProgram,
  OldObject,
  SectionLeftOut,
  UnknownAttribute,
  UnknownCompat,
  NewerNote,
  UnknownSection,
  UnknownMercury,
  MixedVirtualTargets,
  LimitedToOneTarget,
  MissingIsaClass,
  NoMercuryCode,
  NoFinalizer,
  FinalizerMissing,
  FinalizerFailed,
  NotScheduled,
  NotFinalized,
  ForeignEngine,
  OtherEngine,
  UndefinedReference,
  MultipleDefinition,
  SizeMismatch,
  SpaceMismatch,
  ManagedMismatch,
  PrototypeMismatch,
  NotAKernelEverywhere,
  CommonLargerThanDefinition,
  ParameterBankMismatch,
  TooMuchConstant,
  TooMuchBankOfFunction,
  TooManyCompilerConstants,
  TooMuchShared,
  TooMuchDebugShared,
  TooManyImages,
  StackLimit,
  RegisterLimit,
  DriverRegisters,
  NoRegisterCount,
  NotAToolsPatch,
  UnknownStackSize,
  MixedCtaGroups,
  KernelsOfOneName,
  DeletedSymbol,
  DeletedConstants,
  DeletedParameter,
  DeletedCommon,
  UnsupportedRelocation,
  RelocationOutsideSection,
  RelocationOutOfRange,
  UnifiedWithoutIndex,
  EmptyIndex,
  NotAnIndex,
  PreserveRelocsIncomplete,
  TooLargeForField,
  UnknownTarget,
  UnknownEmulation,
  UnknownDialect,
  NoInput,
  EmptyLink,
  UnknownOption,
  NoCommand,
  NoSuchSymbol,
  NoSuchKernel,
  ArgumentExpected,
  NoArgumentExpected,
  NotANumber,
  NumberOutOfRange,
  NotABoolean,
  BadOptionValue,
  StrayQuote,
  OptionRedefined,
  TooManyOptionFiles,
  CannotOpenOptionFile,
  ConflictingOptions,
  OptionNeedsOption,
  MissingTarget,
  MissingOutput,
  NvvmPathMissing,
  NvvmNotThere,
  LtoIgnored,
  SplitIgnored,
  NotOptimised,
  MixedModuleOptions,
  OptionForAll,
  NoLtoCompiler,
  LtoFailed,
  LtoRemarks,
  NothingToEmit,
  RuntimeExpected,
  InputsWithScript,
  NoHostScript,
  VirtualLtoTarget,
  HostInfoIgnored,
  NoEffect,
  CompiledFromPtx,
  ResourceUsage,
  CallGraphLine,
  OverMemoryLimit,
  OutOfMemory,
  OutputsCollide,
  OutputOverFile,
  OutputOverInput,
  CannotWriteOutput,
  CannotWriteTimes,
  NoToolchain,
  NoJitFolder,
  CacheTrouble,
  Cancelled,
  CopiedFlaw,
  Contradiction,
  CheckFinding,
  CheckFailed,
  Count_,
};

// A message is data: an id, arguments of its text, the origins it is about, and further lines.
// Renderers turn it into culink's or nvlink's words.
struct Diagnostic {
  DiagId id = DiagId::BadInput;
  Severity severity = Severity::Error;
  std::vector<std::string> arguments;
  std::vector<Origin> origins;
  std::vector<std::string> notes; // ">>> ..." lines after the origins
  std::string hint;               // what to do about it
  u32 step = Message::kWholeLink; // see Message

  // For reports: diag.report(...).at("defined in", object.origin()).
  Diagnostic &at(std::string_view role, Origin origin) {
    origin.role = role;
    origins.push_back(std::move(origin));
    return *this;
  }
  Diagnostic &note(std::string text) {
    notes.push_back(std::move(text));
    return *this;
  }
  Diagnostic &advise(std::string text) {
    hint = std::move(text);
    return *this;
  }
  Diagnostic &in_step(u32 number) {
    step = number;
    return *this;
  }
};

// For people and programs; a bug is an error.
[[nodiscard]] constexpr std::string_view severity_word(Severity severity) {
  constexpr std::string_view kWords[] = {"info", "warning", "error", "error"};
  return kWords[static_cast<size_t>(severity)];
}

struct DiagRow {
  DiagId id;
  Severity severity;
  std::string_view key;     // stable name for machines: "undefined-reference"
  std::string_view text;    // {0}, {1} ... are the arguments, {0s} is one that names a symbol
  std::string_view meaning; // for culink --explain and docs/message-list.md
  std::string_view advice;
};
// In the order of the ids. First come messages about inputs, from UndefinedReference on messages
// about the program, from UnknownTarget on messages about the command and what is around it.
[[nodiscard]] std::span<const DiagRow> diag_rows();
[[nodiscard]] const DiagRow &diag_row(DiagId id);
[[nodiscard]] const DiagRow *find_diag_row(std::string_view key);

// Returns a text with its placeholders filled; `names` gives the form of symbol names.
[[nodiscard]] std::string fill_blanks(std::string_view text,
                                      const std::vector<std::string> &arguments,
                                      NameStyle names = nullptr);

// "undefined symbol: f", without severity and origins.
[[nodiscard]] std::string diagnostic_text(const Diagnostic &diagnostic);

// A diagnostic with its id by name, as callers of the library get it.
[[nodiscard]] Message to_message(const Diagnostic &diagnostic);

// The messages of a link, in the order of the inputs. Passes report here and go on with a
// sound value; the list of passes stops at its checkpoints.
class Diagnostics {
public:
  // Origins, notes and a hint can be added to the result, which is valid until the next report.
  Diagnostic &report(DiagId id, std::vector<std::string> arguments,
                     std::vector<std::string> notes = {}, std::string hint = {});

  // Appends another list: threads have a list each.
  void append(Diagnostics &&more);

  // Appends a message.
  void add(Diagnostic diagnostic);

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] const std::vector<Diagnostic> &all() const { return all_; }
  // Lets a caller extend messages that a pass has reported.
  [[nodiscard]] std::vector<Diagnostic> &all() { return all_; }

private:
  std::vector<Diagnostic> all_;
  bool failed_ = false;
};

// Returns all messages, as callers of the library get them.
[[nodiscard]] std::vector<Message> messages_of(const Diagnostics &diag);

// Calls check(i, messages) for every i < count, on several threads, `grain` numbers together. The
// messages come in the order of the numbers.
template <typename Check>
void report_from_threads(WorkerPool &pool, u32 count, u32 grain, const Check &check,
                         Diagnostics &diag) {
  std::vector<Diagnostics> parts(count / grain + 1);
  pool.for_ranges(count, grain, [&](u32 begin, u32 end) {
    for (u32 i = begin; i < end; ++i)
      check(i, parts[begin / grain]);
  });
  for (Diagnostics &part : parts)
    diag.append(std::move(part));
}

} // namespace culink
