// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Help, manual pages and completions of both programs, made from the option rows, so that they are
// always up to date. The build installs these documents.
//
// The programs differ in one way: options of cubin belong to a command, so its completions first
// look for the command in the line.
#include "driver/options/option_documents.h"

#include <algorithm>
#include <cstring>
#include <map>

#include <fmt/format.h>

#include "culink/linker.h"
#include "driver/options/option_table.h"
#include "support/text_out.h"
#include "support/types.h"

namespace culink {

namespace {

constexpr size_t kHelpColumn = 26;
std::string help_line(const OptionText &option) {
  std::string line = option.name.empty() ? "" : fmt::format("--{}", option.name);
  if (!option.placeholder.empty())
    line += fmt::format("{}{}", line.empty() ? "" : " ", option.placeholder);
  if (!option.brief.empty())
    line += fmt::format(", -{}", option.brief);
  line = "  " + line;
  return fmt::format("{}{}\n", line, wrapped(option.help, kHelpColumn, line.size()));
}

// Formats an argument: "[FILE...]".
std::string usage_of(const OptionText &argument) {
  const std::string word = fmt::format("{}{}", argument.placeholder, argument.repeats ? "..." : "");
  return argument.required ? word : fmt::format("[{}]", word);
}

} // namespace

std::string help_text(const ProgramText &program) {
  std::string out(program.usage);
  if (program.has_commands)
    out += "\nCommands:\n";
  for (const OptionList &list : program.lists) {
    if (program.has_commands) {
      const std::string line = fmt::format("  {}", list.name);
      out += fmt::format("{}{}\n", line, wrapped(list.help, kHelpColumn, line.size()));
      continue;
    }
    out += fmt::format("\n{}:\n", list.name);
    for (const OptionText &option : list.options)
      out += help_line(option);
  }
  return out;
}

std::string command_help(std::string_view program, const OptionList &command) {
  std::string usage = fmt::format("usage: {} {} [options]", program, command.name), arguments,
              options;
  for (const OptionText &option : command.options) {
    if (option.name.empty())
      usage += " " + usage_of(option);
    (option.name.empty() ? arguments : options) += help_line(option);
  }
  return fmt::format("{}\n\n{}.\n\n{}\n{}{}{}", usage, command.help, arguments, options,
                     command.more.empty() ? "" : "\n", command.more);
}

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

std::string joined(const std::vector<std::string> &words) {
  return fmt::format("{}", fmt::join(words, " "));
}

bool takes_file(const OptionText &option) {
  return option.placeholder.starts_with("<file") || option.placeholder == "<folder>" ||
         option.placeholder == "<program>";
}

// Returns "--rows" and "-n"; an empty list for an argument.
std::vector<std::string> spellings(const OptionText &option) {
  std::vector<std::string> out;
  if (!option.name.empty())
    out.push_back(fmt::format("--{}", option.name));
  if (!option.brief.empty())
    out.push_back(fmt::format("-{}", option.brief));
  return out;
}

// Hyphens of options stay hyphens, and a line of roff must not begin with a quote.
std::string roff(std::string_view text) {
  std::string out = replaced(replaced(text, '\\', "\\e"), '-', "\\-");
  for (size_t at = out.find("\n'"); at != std::string::npos; at = out.find("\n'", at + 1))
    out.insert(at + 1, "\\&");
  return out;
}

std::string man_option(const OptionText &option) {
  std::string out = ".TP\n";
  if (!option.name.empty())
    out += fmt::format("\\fB\\-\\-{}\\fR", roff(option.name));
  if (!option.placeholder.empty())
    out += fmt::format("{}\\fI{}\\fR", option.name.empty() ? "" : " ", roff(option.placeholder));
  if (!option.brief.empty())
    out += fmt::format(", \\fB\\-{}\\fR", roff(option.brief));
  return out + fmt::format("\n{}\n", roff(option.help));
}

// Describes an option of several commands once; the commands only name it.
std::string man_page(const ProgramText &program) {
  constexpr u32 kSeveral = 3;
  std::map<std::string, u32> uses;
  for (const OptionList &list : program.lists)
    for (const OptionText &option : list.options)
      ++uses[man_option(option)];
  std::string out = fmt::format(fmt::runtime(program.man_head), CULINK_VERSION);
  if (program.has_commands)
    out += ".SH OPTIONS OF SEVERAL COMMANDS\n";
  for (const auto &[text, count] : uses)
    out += count >= kSeveral ? text : "";
  for (const OptionList &list : program.lists) {
    std::vector<std::string> others;
    out += program.has_commands
               ? fmt::format(".SH {} {}\n{}.\n", program.name, list.name, roff(list.help))
               : fmt::format(".SS {}\n", list.name);
    for (const OptionText &option : list.options)
      if (const std::string text = man_option(option); uses[text] < kSeveral)
        out += text;
      else
        others.push_back(option.name.empty() ? std::string(option.placeholder)
                                             : spellings(option).front());
    if (!others.empty())
      out += roff(fmt::format(".PP\nAnd {}.\n", fmt::join(others, ", ")));
    if (!list.more.empty())
      out += roff(fmt::format(".PP\n{}", list.more));
  }
  return out + std::string(program.man_tail);
}

// The lists for completions: the commands, or all options in one list by name.
std::vector<OptionList> lists_of(const ProgramText &program) {
  if (program.has_commands)
    return program.lists;
  OptionList all;
  for (const OptionList &list : program.lists)
    all.options.insert(all.options.end(), list.options.begin(), list.options.end());
  std::sort(all.options.begin(), all.options.end(),
            [](const OptionText &a, const OptionText &b) { return a.name < b.name; });
  return {all};
}

std::string markdown_table(const ProgramText &program) {
  std::string out = "| Option | Short | Meaning |\n|---|---|---|\n";
  for (const OptionList &list : lists_of(program))
    for (const OptionText &option : list.options)
      out += fmt::format("| `--{}{}{}` | {} | {} |\n", option.name,
                         option.placeholder.empty() ? "" : " ",
                         replaced(option.placeholder, '|', "\\|"),
                         option.brief.empty() ? "" : fmt::format("`-{}`", option.brief),
                         replaced(option.help, '|', "\\|"));
  return out;
}

// All spellings of all options, and the values of each option with a fixed set.
std::string bash_completion(const ProgramText &program) {
  std::string commands, options, values;
  for (const OptionList &list : lists_of(program)) {
    const std::string prefix = program.has_commands ? fmt::format("{}:", list.name) : "";
    std::vector<std::string> words;
    for (const OptionText &option : list.options) {
      std::string patterns;
      for (const std::string &word : spellings(option)) {
        words.push_back(word);
        patterns += fmt::format("{}{}{}", patterns.empty() ? "" : "|", prefix, word);
      }
      if (!option.values.empty())
        values += fmt::format("    {}) values='{}' ;;\n", patterns, joined(option.values));
    }
    commands += fmt::format("{} ", list.name);
    options += fmt::format("    {}) options='{}' ;;\n", program.has_commands ? list.name : "*",
                           joined(words));
  }
  const std::string first = fmt::format("  if [ \"$COMP_CWORD\" = 1 ]; then\n"
                                        "    mapfile -t COMPREPLY < <(compgen -W '{}--help "
                                        "--version' -- \"$cur\")\n"
                                        "    return\n"
                                        "  fi\n",
                                        commands);
  return fmt::format("# bash completion for {0}\n"
                     "_{0}() {{\n"
                     "  local cur=${{COMP_WORDS[COMP_CWORD]}} command=${{COMP_WORDS[1]}} option "
                     "options='' values=''\n"
                     "{1}"
                     "  option=${{COMP_WORDS[COMP_CWORD - 1]}}\n"
                     "  if [ \"$cur\" = = ]; then cur=''; fi\n"
                     "  if [ \"$option\" = = ]; then option=${{COMP_WORDS[COMP_CWORD - 2]}}; fi\n"
                     "  case $command in\n"
                     "{2}"
                     "  esac\n"
                     "  case {3}$option in\n"
                     "{4}"
                     "  esac\n"
                     "  if [ -n \"$values\" ]; then\n"
                     "    mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$cur\")\n"
                     "  elif [[ $cur == -* ]]; then\n"
                     "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\")\n"
                     "  else\n"
                     "    mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
                     "  fi\n"
                     "}}\n"
                     "complete -o filenames -F _{0} {0}\n",
                     program.name, program.has_commands ? first : "", options,
                     program.has_commands ? "$command:" : "", values);
}

// Arguments of zsh's _arguments, each on a line of its own.
std::string zsh_arguments(const OptionList &list, bool letters_join) {
  std::string out;
  for (const OptionText &option : list.options) {
    const std::string help =
        replaced(replaced(replaced(option.help, '\'', ""), '[', "("), ']', ")");
    std::string value;
    if (!option.values.empty())
      value = fmt::format(":value:({})", joined(option.values));
    else if (!option.placeholder.empty())
      value = takes_file(option) ? ":file:_files" : ":value:";
    for (const std::string &word : spellings(option)) {
      const std::string_view joins = option.placeholder.empty()                ? ""
                                     : letters_join && !word.starts_with("--") ? "+"
                                                                               : "=";
      out += fmt::format("  '{}{}[{}]{}' \\\n", word, joins, help, value);
    }
  }
  return out + "  '*:file:_files'";
}

std::string zsh_completion(const ProgramText &program) {
  const std::vector<OptionList> lists = lists_of(program);
  if (!program.has_commands)
    return fmt::format("#compdef {}\n_arguments \\\n{}\n", program.name,
                       zsh_arguments(lists.front(), false));
  std::string commands, cases;
  for (const OptionList &list : lists) {
    commands +=
        fmt::format("    '{}:{}'\n", list.name, replaced(replaced(list.help, '\'', ""), ':', ""));
    cases += fmt::format("    {}) _arguments \\\n{} ;;\n", list.name, zsh_arguments(list, true));
  }
  return fmt::format("#compdef {0}\n"
                     "_{0}() {{\n"
                     "  local -a commands\n"
                     "  commands=(\n{1}  )\n"
                     "  if (( CURRENT == 2 )); then\n"
                     "    _describe command commands\n"
                     "    return\n"
                     "  fi\n"
                     "  shift words\n"
                     "  (( CURRENT-- ))\n"
                     "  case $words[1] in\n{2}"
                     "  esac\n"
                     "}}\n"
                     "_{0} \"$@\"\n",
                     program.name, commands, cases);
}

std::string fish_completion(const ProgramText &program) {
  std::string out;
  for (const OptionList &list : lists_of(program)) {
    if (program.has_commands)
      out += fmt::format("complete -c {} -f -n __fish_use_subcommand -a {} -d '{}'\n", program.name,
                         list.name, replaced(list.help, '\'', "\\'"));
    for (const OptionText &option : list.options) {
      if (option.name.empty())
        continue;
      out += fmt::format("complete -c {}", program.name);
      if (program.has_commands)
        out += fmt::format(" -n '__fish_seen_subcommand_from {}'", list.name);
      out += fmt::format(" -l {}", option.name);
      if (!option.brief.empty())
        out += fmt::format(" -{} {}", option.brief.size() == 1 ? "s" : "o", option.brief);
      if (!option.values.empty())
        out += fmt::format(" -x -a '{}'", joined(option.values));
      else if (!option.placeholder.empty())
        out += takes_file(option) ? " -r" : " -x";
      out += fmt::format(" -d '{}'\n", replaced(option.help, '\'', "\\'"));
    }
  }
  return out;
}

} // namespace

std::string option_document(const ProgramText &program, std::string_view form) {
  if (form == "man")
    return man_page(program);
  if (form == "markdown")
    return markdown_table(program);
  if (form == "bash")
    return bash_completion(program);
  return form == "zsh" ? zsh_completion(program) : fish_completion(program);
}

// The text around the option table in culink's documents: the beginning of --help, the frame of the
// manual page, and the values for completions.
//
// Values come from the tables that the program itself reads: targets, releases, ids of messages.

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

} // namespace

ProgramText culink_text() {
  ProgramText out{"culink", kUsage, kManHead, kManTail, false, {}};
  for (const OptionGroup &group : option_groups()) {
    OptionList &list = out.lists.emplace_back(OptionList{group.title, "", "", {}});
    for (const OptionRow &row : group.options)
      list.options.push_back({row.name, row.brief, row.placeholder, row.help, option_values(row)});
  }
  return out;
}

// The first line is only the version, for scripts. The second lists the releases of nvlink that
// culink can replace, for people.

std::string version_text(std::string_view program) {
  constexpr std::string_view kPrefix = "nvlink-";
  std::vector<std::string> releases;
  for (const std::string_view name : emulated_linkers())
    if (name.starts_with(kPrefix))
      releases.emplace_back(name.substr(kPrefix.size()));
  std::ranges::sort(releases, [](const std::string &a, const std::string &b) {
    return ::strverscmp(a.c_str(), b.c_str()) < 0;
  });
  std::string out = std::string(program) + " " CULINK_VERSION "\nnvlink releases it stands for:";
  return out + fmt::format(" {}\n", fmt::join(releases, ", "));
}

} // namespace culink
