// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that lists the options is made here or in help_text.cc, from the rows of the option
// table, so that none of it can be out of date. The build installs what this writes; a test
// compares it with --help and with the documentation.
#include "compat/option_documents.h"

#include <vector>

#include <fmt/format.h>

#include "compat/option_table.h"
#include "culink/linker.h"
#include "elf/target/arch.h"
#include "model/diagnostics.h"

namespace culink {

namespace {

std::string replaced(std::string_view text, char what, std::string_view by) {
  std::string out;
  for (const char c : text) {
    if (c == what)
      out += by;
    else
      out += c;
  }
  return out;
}

// Hyphens of options are typed as they are, and a line of roff must not begin with a quote.
std::string roff(std::string_view text) {
  return replaced(replaced(text, '\\', "\\e"), '-', "\\-");
}

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
  if (row.id == OptionId::FastCompile)
    out = {"0", "min", "mid", "max"};
  if (row.id == OptionId::Explain)
    for (size_t i = 0; i < static_cast<size_t>(DiagId::Count_); ++i)
      out.emplace_back(diag_row(static_cast<DiagId>(i)).key);
  return out;
}

// The same for a shell.
std::string value_words(const OptionRow &row) {
  std::string out;
  for (const std::string &value : values_of(row))
    out += fmt::format("{}{}", out.empty() ? "" : " ", value);
  return out;
}

bool takes_file(const OptionRow &row) {
  return row.placeholder.starts_with("<file") || row.placeholder == "<folder>" ||
         row.placeholder == "<program>";
}

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

std::string man_option(const OptionRow &row) {
  std::string out = fmt::format(".TP\n\\fB\\-\\-{}\\fR", roff(row.name));
  if (!row.placeholder.empty())
    out += fmt::format(" \\fI{}\\fR", roff(row.placeholder));
  if (!row.brief.empty())
    out += fmt::format(", \\fB\\-{}\\fR", roff(row.brief));
  return out + fmt::format("\n{}\n", roff(row.help));
}

std::string man_page() {
  std::string out = fmt::format(fmt::runtime(kManHead), CULINK_VERSION);
  for (const OptionGroup &group : option_groups()) {
    out += fmt::format(".SS {}\n", group.title);
    for (const OptionRow &row : group.options)
      out += man_option(row);
  }
  return out + std::string(kManTail);
}

std::string markdown_table() {
  std::string out = "| Option | Short | Meaning |\n|---|---|---|\n";
  for (const OptionRow *row : documented_rows())
    out += fmt::format("| `--{}{}{}` | {} | {} |\n", row->name, row->placeholder.empty() ? "" : " ",
                       replaced(row->placeholder, '|', "\\|"),
                       row->brief.empty() ? "" : fmt::format("`-{}`", row->brief),
                       replaced(row->help, '|', "\\|"));
  return out;
}

// All spellings of all options, and per option with a fixed set the values.
std::string bash_completion() {
  std::string words, cases;
  for (const OptionRow *row : documented_rows()) {
    words += fmt::format(" --{}", row->name);
    if (!row->brief.empty())
      words += fmt::format(" -{}", row->brief);
    const std::string values = value_words(*row);
    if (values.empty())
      continue;
    cases += fmt::format("    --{}{}) values='{}' ;;\n", row->name,
                         row->brief.empty() ? "" : fmt::format("|-{}", row->brief), values);
  }
  return "# bash completion for culink\n"
         "_culink() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} option values=''\n"
         "  option=${COMP_WORDS[COMP_CWORD - 1]}\n"
         "  if [ \"$cur\" = = ]; then cur=''; fi\n"
         "  if [ \"$option\" = = ]; then option=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
         "  case $option in\n" +
         cases +
         "  esac\n"
         "  if [ -n \"$values\" ]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$cur\")\n"
         "  elif [[ $cur == -* ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"" +
         words.substr(1) +
         "\" -- \"$cur\")\n"
         "  else\n"
         "    mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _culink culink\n";
}

std::string zsh_completion() {
  std::string out = "#compdef culink\n_arguments \\\n";
  for (const OptionRow *row : documented_rows()) {
    const std::string help = replaced(replaced(replaced(row->help, '\'', ""), '[', "("), ']', ")");
    const std::string values = value_words(*row);
    std::string value;
    if (!values.empty())
      value = fmt::format(":value:({})", values);
    else if (!row->placeholder.empty())
      value = takes_file(*row) ? ":file:_files" : ":value:";
    const auto add = [&](std::string_view spelled) {
      out += fmt::format("  '{}{}[{}]{}' \\\n", spelled, row->placeholder.empty() ? "" : "=", help,
                         value);
    };
    add(fmt::format("--{}", row->name));
    if (!row->brief.empty())
      add(fmt::format("-{}", row->brief));
  }
  return out + "  '*:input:_files'\n";
}

std::string fish_completion() {
  std::string out;
  for (const OptionRow *row : documented_rows()) {
    out += fmt::format("complete -c culink -l {}", row->name);
    if (row->brief.size() == 1)
      out += fmt::format(" -s {}", row->brief);
    else if (!row->brief.empty())
      out += fmt::format(" -o {}", row->brief);
    if (const std::string values = value_words(*row); !values.empty())
      out += fmt::format(" -x -a '{}'", values);
    else if (!row->placeholder.empty())
      out += takes_file(*row) ? " -r" : " -x";
    out += fmt::format(" -d '{}'\n", replaced(row->help, '\'', "\\'"));
  }
  return out;
}

} // namespace

std::string option_document(std::string_view form) {
  if (form == "man")
    return man_page();
  if (form == "markdown")
    return markdown_table();
  if (form == "bash")
    return bash_completion();
  return form == "zsh" ? zsh_completion() : fish_completion();
}

} // namespace culink
