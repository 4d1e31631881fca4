// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "culink/host_references.h"
#include "culink/types.h"

namespace culink {

// The code in an output for sm_100 and later; earlier targets have machine code only.
// docs/compilers.md explains the choice.
enum class OutputCode : u8 {
  Default, // Exact with a finalizer, else Sass; Sass if some input has no Mercury code
  Sass,    // machine code alone: runs on the target itself only
  Mercury, // machine code as compiled, and the Mercury code that it was made from
  Exact,   // the same, with machine code that a finalizer schedules again, as nvlink does
};

// The options of a link, apart from the target.
struct LinkOptions {
  OutputCode code = OutputCode::Default;
  bool relocatable = false;         // -r: the output is an object that can be linked again
  bool debug = false;               // -g: keep unused code and shared-memory symbols
  bool suppress_debug_info = false; // with debug: all code stays, but no symbols for a debugger
  bool preserve_relocs = false;     // --preserve-relocs: keep resolved relocations for other tools
  // --link-as-tools-patch: functions that tools put into programs. All are kept, and must be
  // compiled for it.
  bool tools_patch = false;
  // --icf=safe: identical device functions become one, except functions whose address is taken. No
  // effect if all code is kept.
  bool fold_identical = false;
  // Substrings of the names of kernels to keep; an empty list keeps none. Nothing: keep all.
  std::optional<std::vector<std::string>> kernels_used;
  // kernels_used may also have names as in the source, or patterns with stars; a name that no
  // kernel has is an error. trace_symbols and why_live always accept these.
  bool source_names = false;
  // Ignores the lists of launched kernels in host objects. Otherwise, other kernels are discarded
  // if every input has such a list.
  bool ignore_host_info = false;
  // The kernels that host code launches, if the inputs do not list them.
  std::optional<HostReferences> host_references;
  bool keep_system_libraries = false;
  bool suppress_arch_warning = false; // about inputs without code for the target
  bool suppress_stack_size_warning = false;
  bool warnings_are_errors = false; // a warning fails the link
  bool extra_warnings = false;      // also for constructs that are rarely mistakes
  std::string object_name;          // the output's name, for the tool note, with -g only
  std::string option_words;         // for the tool note; empty: the options above
  bool facts = false;               // fill LinkResult::facts
  bool map = false;                 // also LinkFacts::symbols and LinkFacts::discarded
  // The facts list the references to these symbols: names, mangled or as in the source, or
  // patterns.
  std::vector<std::string> trace_symbols;
  bool all_references = false; // the facts list the references to all symbols
  // The facts explain why these functions and variables are live.
  std::vector<std::string> why_live;
  // Compares the output with its inputs before it is returned (docs/checker.md). A difference fails
  // the link.
  bool check = false;
  // Checks links of at most kSmallLink bytes of device code likewise, but a difference is a
  // warning. No effect where a release of nvlink is emulated.
  bool check_small = true;
  static constexpr u64 kSmallLink = u64{64} << 10;
  bool times = false; // fill LinkResult::times
  u32 threads = 0;    // 0: one per core when the work is worth it

  // True if kernels that host code does not launch are discarded.
  [[nodiscard]] bool prunes_by_host() const {
    return host_references && !ignore_host_info && !kernels_used && !debug && !relocatable;
  }
  // True if symbols that only a debugger needs are kept.
  [[nodiscard]] bool keeps_debug_symbols() const { return debug && !suppress_debug_info; }
  // True if unused functions are kept.
  [[nodiscard]] bool keeps_all_code() const {
    return relocatable || debug || preserve_relocs || tools_patch;
  }
};

} // namespace culink
