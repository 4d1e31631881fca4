// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "compilers/cache/cache.h"
#include "support/result.h"
#include "support/types.h"

namespace culink {

// The compiler of NVIDIA's toolkit, and its options except target and files.
struct PtxCompiler {
  std::string path;                  // ptxas; empty: there is none
  std::vector<std::string> recorded; // options recorded with the text; later ones override
  std::vector<std::string> options;
  const std::atomic<bool> *cancelled = nullptr; // stops the compiler when set; may be null
  Cache *cache = nullptr;                       // cache of its answers; may be null
  bool whole_program = false;                   // the result is an image, not an object for linking
  // libnvJitLink, and the program culink, which loads it. They compile PTX if there is no ptxas, if
  // ptxas cannot be started, or if the PTX is too new for it.
  std::string library;
  std::string worker;

  [[nodiscard]] const std::string &name() const { return path.empty() ? library : path; }
};

// Compiles PTX, usually to an object for linking, with the options of nvlink's own compiler, so
// that the bytes are equal. `name` identifies the text in messages of the compiler. An error means
// that the compiler could not run; its messages about the text are in the result.
[[nodiscard]] Result<CompilerAnswer> compile_ptx(const PtxCompiler &compiler, std::string_view name,
                                                 std::string_view target, ByteSpan text);

// Returns a hint for the error of a compiler that is older than its PTX, with both releases; empty
// for other errors.
[[nodiscard]] std::string hint_for_newer_ptx(std::string_view remarks, std::string_view compiler);

// Returns the non-empty lines of a compiler's output, for messages.
[[nodiscard]] std::vector<std::string> remark_lines(std::string_view text);

// Removes file names from the note that records how an object was compiled. An object without such
// a note does not change.
void remove_file_names(std::vector<u8> &cubin, std::string_view source, std::string_view object);

// True for words of ptxas or the optimiser (-Xptxas, -Xnvvm) that are known to affect code only: an
// option that does not name a file, with its value after '=', or a value without a slash.
[[nodiscard]] bool concerns_code_alone(std::string_view word);

// True for options of ptxas that name a file or a response file.
[[nodiscard]] bool names_file(std::string_view word);

} // namespace culink
