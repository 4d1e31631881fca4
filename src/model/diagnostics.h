// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "culink/diagnostics.h"

namespace culink {

// Every message of a link. The texts are in diagnostics.cc; nvlink's own wording in compat.
enum class DiagId : u16 {
  BadInput,
  WrongKind,
  NothingToLink,
  NoCodeForTarget,
  LtoCode,
  LibraryNotFound,
  ObjectAfterRuntime,
  NotRelocatable,
  WrongArchitecture,
  WrongAbi,
  NewerToolkit,
  TooNewToolkit,
  OldObject,
  SectionLeftOut,
  LimitedToOneTarget,
  NoMercuryCode,
  NoFinalizer,
  FinalizerMissing,
  UndefinedReference,
  MultipleDefinition,
  SizeMismatch,
  SpaceMismatch,
  ManagedMismatch,
  PrototypeMismatch,
  NotAKernelEverywhere,
  CommonLargerThanDefinition,
  TooMuchConstant,
  TooMuchShared,
  RegisterLimit,
  NoRegisterCount,
  UnknownStackSize,
  MixedCtaGroups,
  DeletedSymbol,
  UnsupportedRelocation,
  RelocationOutsideSection,
  UnifiedWithoutIndex,
  PreserveRelocsIncomplete,
  FileTooLarge,
  UnknownTarget,
  UnknownEmulation,
  NoInput,
  UnknownOption,
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
  MissingOption,
  NotSupportedYet,
  Contradiction,
  Count_,
};

// A message is data: an id, what fills the blanks of its text, and further lines. Renderers turn it
// into culink's or nvlink's words.
struct Diagnostic {
  DiagId id = DiagId::BadInput;
  Severity severity = Severity::Error;
  std::vector<std::string> arguments;
  std::vector<std::string> notes; // ">>> ..." lines: where, who else
  std::string hint;               // what to do about it
};

struct DiagRow {
  DiagId id;
  Severity severity;
  std::string_view key;  // stable name for machines: "undefined-reference"
  std::string_view text; // {0}, {1} ... are the arguments
};
[[nodiscard]] const DiagRow &diag_row(DiagId id);

// "undefined symbol: f", without severity and notes.
[[nodiscard]] std::string diagnostic_text(const Diagnostic &diagnostic);

// The same with its id by name, as callers of the library get it.
[[nodiscard]] Message to_message(const Diagnostic &diagnostic);

// Collects what a link has to say, in the order of the inputs. Passes report here and go on with a
// sound value; the list of passes stops at its checkpoints.
class Diagnostics {
public:
  void report(DiagId id, std::vector<std::string> arguments, std::vector<std::string> notes = {},
              std::string hint = {});

  // What another list has to say, behind what this one has: threads have a list each.
  void append(Diagnostics &&more);

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] const std::vector<Diagnostic> &all() const { return all_; }

private:
  std::vector<Diagnostic> all_;
  bool failed_ = false;
};

} // namespace culink
