// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "culink/host_references.h"
#include "culink/types.h"

namespace culink {

// What an output for sm_100 and later holds; earlier targets know only machine code.
// docs/compilers.md explains the choice.
enum class OutputCode : u8 {
  Default, // Exact where a finalizer is at hand, else Sass; Sass if some input has no Mercury code
  Sass,    // machine code alone: runs on the target itself only
  Mercury, // machine code as it was compiled, and the Mercury code it was made from
  Exact,   // the same, with machine code that a finalizer has scheduled again, as nvlink does
};

// What a caller of the linker decides, apart from the target.
struct LinkOptions {
  OutputCode code = OutputCode::Default;
  bool relocatable = false;         // -r: the output is an object that can be linked again
  bool debug = false;               // -g: keep unused code and shared-memory symbols
  bool suppress_debug_info = false; // with debug: all code stays, but no symbols for a debugger
  bool preserve_relocs = false;     // --preserve-relocs: keep what was resolved for other tools
  // --link-as-tools-patch: functions that tools put into programs, all of which stay and have to be
  // compiled for it
  bool tools_patch = false;
  // --icf=safe: device functions that are the same become one, but for those whose address is
  // taken; without effect where all code stays
  bool fold_identical = false;
  // Substrings of the names of kernels to keep; an empty list keeps none. Nothing: keep all.
  std::optional<std::vector<std::string>> kernels_used;
  // They may also be names as in the source, or patterns with stars; one that no kernel has is an
  // error. The same goes for trace_symbols and why_live, always.
  bool source_names = false;
  // Host objects list the kernels that their code launches; other kernels are discarded if every
  // input has such a list.
  bool ignore_host_info = false;
  // The kernels that host code launches, where the inputs do not say it themselves.
  std::optional<HostReferences> host_references;
  bool keep_system_libraries = false;
  bool suppress_arch_warning = false; // about inputs without code for the target
  bool suppress_stack_size_warning = false;
  bool warnings_are_errors = false; // a warning fails the link
  bool extra_warnings = false;      // also about what is seldom a mistake
  std::string object_name;          // the output's name, for the tool note, with -g only
  std::string option_words;         // what the tool note records; empty: the options above
  bool facts = false;               // fill LinkResult::facts
  bool map = false;                 // and there the lists of symbols and of what is left out
  // Names, mangled or as in the source, or patterns, whose references the facts list.
  std::vector<std::string> trace_symbols;
  bool all_references = false; // the facts list those of all symbols
  // Names of functions and variables, of which the facts say why they are live.
  std::vector<std::string> why_live;
  // Compare the output with its inputs before it is given out (docs/checker.md): a difference fails
  // the link.
  bool check = false;
  // Checks links of at most kSmallLink bytes of device code likewise, but a difference is a
  // warning. No effect where a release of nvlink is emulated.
  bool check_small = true;
  static constexpr u64 kSmallLink = u64{64} << 10;
  bool times = false; // fill LinkResult::times
  u32 threads = 0;    // 0: one per core when the work is worth it

  // Kernels that host code does not launch are discarded.
  [[nodiscard]] bool prunes_by_host() const {
    return host_references && !ignore_host_info && !kernels_used && !debug && !relocatable;
  }
  // Symbols stay that only a debugger needs.
  [[nodiscard]] bool keeps_debug_symbols() const { return debug && !suppress_debug_info; }
  // Unused functions stay.
  [[nodiscard]] bool keeps_all_code() const {
    return relocatable || debug || preserve_relocs || tools_patch;
  }
};

} // namespace culink
