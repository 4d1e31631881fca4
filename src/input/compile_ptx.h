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

// The compiler of NVIDIA's toolkit, and its options besides target and files.
struct PtxCompiler {
  std::string path;                  // ptxas; empty: there is none
  std::vector<std::string> recorded; // beside the text, when it was written; later ones count
  std::vector<std::string> options;
  const std::atomic<bool> *cancelled = nullptr; // ends it when it is set, unless null
  Cache *cache = nullptr;                       // of its answers, unless null
  bool whole_program = false; // the result is an image and not an object for linking
  // libnvJitLink and the program culink, which loads it: they compile PTX where there is no ptxas,
  // where it cannot be started, and where the PTX is too new for it.
  std::string library;
  std::string worker;

  [[nodiscard]] const std::string &name() const { return path.empty() ? library : path; }
};

// Compiles PTX, to an object for linking as a rule, with the options that nvlink's own compiler
// has: the bytes are the same. `name` is what messages of the compiler call the text. An error
// means that the compiler could not be run; its messages about the text are in the result.
[[nodiscard]] Result<CompilerAnswer> compile_ptx(const PtxCompiler &compiler, std::string_view name,
                                                 std::string_view target, ByteSpan text);

// A hint for the error of a compiler that is older than its PTX, with both releases; empty for
// other output.
[[nodiscard]] std::string hint_for_newer_ptx(std::string_view remarks, std::string_view compiler);

// The lines of a compiler's output that are not empty, for messages.
[[nodiscard]] std::vector<std::string> remark_lines(std::string_view text);

// Removes the names of files from the note that says how an object was compiled. An object without
// such a note does not change.
void remove_file_names(std::vector<u8> &cubin, std::string_view source, std::string_view object);

// True for options of ptxas or the optimizer (-Xptxas, -Xnvvm) that are known to affect code alone:
// an option that names no file, with its value after '=', or a value without a slash.
[[nodiscard]] bool concerns_code_alone(std::string_view word);

// True for options of ptxas that name a file or a response file.
[[nodiscard]] bool names_file(std::string_view word);

} // namespace culink
