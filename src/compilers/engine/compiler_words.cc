// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compilers write files that their options name: ptxas --compiler-stats-file, -o, and whatever
// later releases add. Words from strangers are therefore options of a list: those of ptxas 11.8
// to 13.4 and of libNVVM that say how code is compiled.
#include "compilers/engine/compiler_words.h"

#include <algorithm>
#include <string>

namespace culink {

namespace {

// Each between blanks.
constexpr std::string_view kOptions =
    " O Ofast-compile Ofc Werror allow-expensive-optimizations annotate"
    " compiler-annotations def-load-cache def-store-cache device-debug"
    " device-function-maxrregcount device-stack-protector disable-optimizer-constants"
    " disable-optimizer-consts disable-warnings dlcm dont-merge-basicblocks dscm ewp"
    " extensible-whole-program flcm fma fmad force-load-cache force-store-cache fscm ftz"
    " func-maxrregcount g generate-line-info legacy-bar-warp-wide-behavior lineinfo"
    " make-errors-visible-at-exit maxntid maxrregcount minnctapersm no-bb-merge opt"
    " opt-fp-atomics opt-level optimize-float-atomics override-directive-values pic"
    " position-independent-code prec-div prec-sqrt preserve-relocs regUsageLevel"
    " register-usage-level ret-end return-at-end sp-bounds-check split-compile"
    " suppress-debug-info suppress-stack-size-warning v verbose w warn-double-usage"
    " warn-lmem-usage warn-on-double-precision-use warn-on-local-memory-usage"
    " warn-on-spills warn-spills warning-as-error ";

// Letters and digits: nothing that leads to another folder or begins another word.
bool is_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  });
}

// The name of an option without its dashes, between blanks; empty: the word is none.
std::string option_in(std::string_view word) {
  const size_t dashes = word.starts_with("--") ? 2 : word.starts_with("-") ? 1 : 0;
  const std::string_view name = word.substr(dashes, word.find('=') - dashes);
  const bool is_name = dashes != 0 && !name.empty() && name.find(' ') == std::string_view::npos;
  return is_name ? " " + std::string(name) + " " : "";
}

} // namespace

bool concerns_code_alone(std::string_view word) {
  const std::string option = option_in(word);
  if (option.empty())
    return is_value(word);
  if (word.size() == 3 && word.starts_with("-O")) // -O3
    return is_value(word.substr(1));
  const size_t equals = std::min(word.find('='), word.size() - 1);
  return kOptions.find(option) != std::string_view::npos && is_value(word.substr(equals + 1));
}

bool names_file(std::string_view word) {
  constexpr std::string_view kOfFiles =
      " apply-controls compiler-stats-file ias input-as-string jobserver o optf options-file"
      " output-file ";
  const std::string option = option_in(word);
  return !option.empty() && kOfFiles.find(option) != std::string_view::npos;
}

} // namespace culink
