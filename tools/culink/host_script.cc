// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A script for the host's linker, as nvlink writes it: the whole of ld's own script, which ld
// prints between two lines of equals signs, and the sections of device code. The blank behind one
// of these lines is nvlink's.
#include "host_script.h"

#include "support/process.h"

namespace culink {

namespace {

constexpr std::string_view kDeviceSections = "SECTIONS\n"
                                             "{\n"
                                             "\t.nvFatBinSegment : { *(.nvFatBinSegment) }\n"
                                             "\t__nv_relfatbin : { *(__nv_relfatbin) } \n"
                                             "\t.nv_fatbin : { *(.nv_fatbin) }\n"
                                             "}\n";

// On x86-64 nvlink asks for the script of programs that can be loaded anywhere, on aarch64 for ld's
// default.
#if defined(__aarch64__)
constexpr bool kAnywhere = false;
#else
constexpr bool kAnywhere = true;
#endif

Result<std::string> script_of_ld() {
  std::vector<std::string> command = {"/usr/bin/env", "ld", "--verbose"};
  if (kAnywhere)
    command.insert(command.end() - 1, "-pie");
  const Result<ProcessResult> run = run_process(command);
  if (!run)
    return run.error();
  const std::string_view text = run->output;
  constexpr std::string_view kRuler = "\n=====";
  const size_t first = text.find(kRuler);
  const size_t begin = first == std::string_view::npos ? first : text.find('\n', first + 1);
  const size_t end = begin == std::string_view::npos ? begin : text.find(kRuler, begin);
  if (run->status != 0 || end == std::string_view::npos)
    return Error{"", "ld --verbose", "gave no script"};
  return std::string(text.substr(begin + 1, end - begin));
}

} // namespace

Result<std::string> host_linker_script(std::string_view kind) {
  if (kind == "lcs-aug")
    return std::string(kDeviceSections);
  Result<std::string> script = script_of_ld();
  if (script)
    script.value() += kDeviceSections;
  return script;
}

} // namespace culink
