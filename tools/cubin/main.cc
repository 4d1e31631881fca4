// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cubin program: inspects, checks and edits device ELF files. Each command has its own cmd_*.cc
// and one row here. Exit status: 0 success, 1 a problem (or, for diff, a difference), 2 an invalid
// command line.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "command.h"
#include "driver/options/option_documents.h"
#include "support/mapped_file.h"
#include "support/text_out.h"

namespace culink::tools {

namespace {

constexpr auto kCommands = std::to_array<CommandRow>({
    {"dump", "Show what is in a cubin",
     "Without a choice: header, sections and symbols.\n"
     "Exit status: 0 all was read, 1 something was damaged or missing, 2 usage.\n",
     dump_command},
    {"disasm", "Show instructions, with relocations beside them, by an installed nvdisasm",
     "Exit status: 0 all is shown, 1 not, 2 usage.\n", disasm_command},
    {"usage", "Show registers, stack and memory of each kernel",
     "Exit status: 0 all was read, 1 something was damaged or missing, 2 usage.\n", usage_command},
    {"size", "Show what fills a file, or what changed between two",
     "Every byte has one owner, and 'stored' adds up to the size of the file.\n"
     "Exit status: 0 all was read, 1 something was damaged or missing, 2 usage.\n",
     size_command},
    {"callgraph", "Show which functions each kernel calls",
     "Marks: external (another file has it), recursive, calls through pointers,\n"
     "through a pointer (it may be called so), above (what it calls stands there).\n"
     "Exit status: 0 all was read, 1 something was damaged or missing, 2 usage.\n",
     callgraph_command},
    {"diff", "Explain how the code of two files differs", "", diff_command},
    {"report", "Write a page (HTML) that shows what is in files",
     "The page is one file that needs no network.\n"
     "Exit status: 0 all was read and written, 1 not, 2 usage.\n",
     report_command},
    {"verify", "Check that files are well-formed cubins", "", verify_command},
    {"check", "Check that a linked file is the program that its inputs make up", "", check_command},
    {"text", "Write a cubin as YAML that assemble takes back",
     "Without --exact: functions, variables and undefined names, as a person would write\n"
     "them; a comment says what was left out. The form is described in docs/text-format.md.\n"
     "Exit status: 0 written, 1 a file failed, 2 usage.\n",
     text_command},
    {"assemble", "Make a cubin from its text form",
     "The form is described in docs/text-format.md.\n"
     "Exit status: 0 written, 1 the document is wrong or a file failed, 2 usage.\n",
     assemble_command},
    {"list", "List the device code in fatbins, objects, programs, libraries and archives",
     "Exit status: 0 all was read, 1 something was damaged or missing, 2 usage.\n", list_command},
    {"extract", "Write the device code in a fatbin, object, program, library or archive to files",
     "Files are called FILE.NUMBER.TARGET.cubin, numbered as 'cubin list' does.\n"
     "Exit status: 0 all was written, 1 not, 2 usage.\n",
     extract_command},
    {"pack", "Make a fatbin of cubins, PTX and other fatbins",
     "Without --compress and --raw, PTX is packed, cubins are not, and what is in a\n"
     "fatbin stays as it is. 'cubin extract' takes a fatbin apart.\n"
     "Exit status: 0 it was made, 1 not, 2 usage.\n",
     pack_command},
    {"prune", "Leave device code out of a fatbin, object, archive, program or library",
     "Code is named by its target (sm_90, compute_90 for PTX, lto_90; a star stands for\n"
     "any characters), by its form (cubin, ptx, lto), or as 'relocatable': what a program\n"
     "still has of the objects of its device link. --drop=debug empties the debug\n"
     "information of what stays.\n"
     "Exit status: 0 done, 1 not, 2 usage.\n",
     prune_command},
});

constexpr std::string_view kUsage =
    "usage: cubin <command> [options] <files>\n"
    "\n"
    "Inspects, checks and edits NVIDIA device ELF files (cubins).\n"
    "'cubin <command> --help' has the options of a command; --version prints the\n"
    "version. 'cubin usage FILE' is a good beginning.\n";

constexpr std::string_view kManHead = R"(.TH CUBIN 1 "" "culink {0}" "User Commands"
.SH NAME
cubin \- inspect, check and edit CUDA device code
.SH SYNOPSIS
.B cubin
\fIcommand\fR [\fIoptions\fR] \fIfiles\fR
.SH DESCRIPTION
Inspect, check and edit NVIDIA device ELF files (cubins).
.PP
Each command has \fB\-\-help\fR, too.
)";

constexpr std::string_view kManTail = R"(.SH EXIT STATUS
0: all is well; 1: a problem or a difference was found; 2: the command line makes no sense.
.SH SEE ALSO
.BR culink (1)
)";

// Collects the options of all commands, for documents.
ProgramText cubin_text() {
  ProgramText out{"cubin", kUsage, kManHead, kManTail, true, {}};
  for (const CommandRow &row : kCommands) {
    Command command(row, std::nullopt);
    row.run(command);
    out.lists.push_back(command.list());
  }
  return out;
}

int print(const std::string &text) {
  TextOut out(STDOUT_FILENO);
  out.put(text);
  return finish_output(out) ? 0 : 1;
}

int refuse(const std::string &word) {
  std::vector<std::string> known = {"--help", "--version"};
  for (const CommandRow &row : kCommands)
    known.emplace_back(row.name);
  const std::string error = unknown_word(word.starts_with('-') ? "option" : "command",
                                         word.substr(0, word.find('=')), known);
  std::fputs(fmt::format("cubin: error: {}\nTry 'cubin --help'.\n", error).c_str(), stderr);
  return kExitUsage;
}

// --help before a command shows the help of the command.
int run(std::vector<std::string> words) {
  const auto is_help = [](const std::string &word) { return word == "--help" || word == "-h"; };
  const bool asks = !words.empty() && is_help(words.front());
  if (words.empty()) {
    std::fputs(help_text(cubin_text()).c_str(), stderr);
    return kExitUsage;
  }
  if (words.size() == 2 && words.front() == "--print-docs")
    return print(option_document(cubin_text(), words.back()));
  if (words.front() == "--version")
    return print(version_text("cubin"));
  const auto *const row =
      std::find_if(kCommands.begin(), kCommands.end(), [&](const CommandRow &one) {
        return words.size() > (asks ? 1 : 0) && one.name == words[asks ? 1 : 0];
      });
  if (row == kCommands.end())
    return asks ? print(help_text(cubin_text())) : refuse(words.front());
  words.erase(asks ? words.begin() + 1 : words.begin());
  Command command(*row, std::move(words));
  return row->run(command);
}

} // namespace

} // namespace culink::tools

int main(int argc, char **argv) {
  // A reader that closes early (cubin dump x | head) causes a failed write, which ends the output.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN); // exceeding the size limit is a failed write, too
  culink::end_when_files_shrink();
  try {
    return culink::tools::run({argv + std::min(argc, 1), argv + argc});
  } catch (const std::exception &error) { // for example out of memory, from libraries
    std::fprintf(stderr, "cubin: error: %s\n", error.what());
  }
  return 1;
}
