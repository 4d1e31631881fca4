// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the documents of culink say around its option table: the beginning of --help, the frame of
// the manual page, and the values that completions offer.
//
// Values come from the tables that the program itself reads: targets, releases, ids of messages.
#include "culink/linker.h"
#include "driver/options/option_documents.h"
#include "driver/options/option_table.h"
#include "elf/target/arch.h"
#include "link/model/diagnostics.h"

namespace culink {

namespace {

constexpr std::string_view kUsage =
    "usage: culink -arch=sm_NN [options] <objects> -o <file>\n"
    "\n"
    "Links relocatable CUDA device objects into a cubin. A value follows after '='\n"
    "or as the next word; lists are separated by commas; @file stands for the words\n"
    "in a file.\n";

constexpr std::string_view kManHead = R"(.TH CULINK 1 "" "culink {0}" "User Commands"
.SH NAME
culink \- link CUDA device code
.SH SYNOPSIS
.B culink
\fB\-arch=\fR\fIsm_NN\fR [\fIoptions\fR] \fIobjects\fR \fB\-o\fR \fIfile\fR
.SH DESCRIPTION
culink joins relocatable CUDA device code into the image that the driver loads, as NVIDIA's nvlink
does. Inputs are cubins, fatbins, host objects, archives of them and PTX, under any name.
.PP
A value follows its option after '=' or as the next word. Lists are separated by commas. @\fIfile\fR
stands for the words in a file.
.SH OPTIONS
)";

constexpr std::string_view kManTail = R"(.SH EXIT STATUS
.TP
0
The link succeeded, perhaps with warnings.
.TP
1
The command line, or an input, could not be understood, or inputs contradict each other.
.TP
255
The program as a whole has errors: undefined symbols, exceeded limits, or warnings with \-Werror.
.SH ENVIRONMENT
.TP
CUDA_HOME, CUDA_PATH, PATH
Where the toolkit is, if \-\-cuda does not say so: its ptxas compiles PTX among the inputs, its
libnvJitLink or nvlink schedules code of sm_100 and later, and \-\-make\-toolchain is about it.
.TP
CULINK_CACHE_DIR, XDG_CACHE_HOME, HOME
Where the cache is, if \-\-cache\-dir does not say so: the first, or culink in the second, or
\&.cache/culink in the third.
.TP
CULINK_CACHE_SIZE, CULINK_CACHE_REMOTE, CULINK_CACHE_REMOTE_READ_ONLY, CULINK_NO_CACHE
As \-\-cache\-size, \-\-cache\-remote, \-\-cache\-remote\-read\-only and \-\-no\-cache, which count more.
.TP
NO_COLOR
If set, messages have no colour.
.SH EXAMPLES
.nf
culink \-arch=sm_90 a.cubin b.cubin \-o linked.cubin
culink \-arch=sm_90 a.cubin b.cubin \-o linked.cubin \-Map=linked.map
culink \-\-make\-toolchain build/cuda && build/cuda/bin/nvcc \-rdc=true *.cu
.fi
.SH SEE ALSO
.BR cubin (1)
)";

// The values that an option takes, if there are not many.
std::vector<std::string> values_of(const OptionRow &row) {
  std::vector<std::string> out(row.choices.begin(), row.choices.end());
  if (row.kind == ValueKind::Boolean)
    out = {"true", "false"};
  if (row.kind == ValueKind::Target)
    for (const arch::ArchInfo &target : arch::all_archs())
      out.emplace_back(target.name);
  if (row.id == OptionId::Emulate)
    for (const std::string_view name : emulated_linkers())
      out.emplace_back(name);
  if (row.id == OptionId::Dialect)
    out = known_dialects();
  if (row.id == OptionId::Explain)
    for (size_t i = 0; i < static_cast<size_t>(DiagId::Count_); ++i)
      out.emplace_back(diag_row(static_cast<DiagId>(i)).key);
  return out;
}

} // namespace

ProgramText culink_text() {
  ProgramText out{"culink", kUsage, kManHead, kManTail, false, {}};
  for (const OptionGroup &group : option_groups()) {
    OptionList &list = out.lists.emplace_back(OptionList{group.title, "", "", {}});
    for (const OptionRow &row : group.options)
      list.options.push_back({row.name, row.brief, row.placeholder, row.help, values_of(row)});
  }
  return out;
}

} // namespace culink
