// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cubin program: inspects, checks and edits device ELF files. A command lives in its own
// cmd_*.cc and registers itself with one line here; it leaves its verdict in the exit code: 0 all
// is well, 1 a problem was found (or, for diff, a difference), 2 the command line makes no sense.
// CLI11 reports by exception; they end here and never leave main.
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>

#include "cmd_assemble.h"
#include "cmd_callgraph.h"
#include "cmd_check.h"
#include "cmd_diff.h"
#include "cmd_disasm.h"
#include "cmd_dump.h"
#include "cmd_extract.h"
#include "cmd_list.h"
#include "cmd_pack.h"
#include "cmd_prune.h"
#include "cmd_report.h"
#include "cmd_size.h"
#include "cmd_text.h"
#include "cmd_usage.h"
#include "cmd_verify.h"
#include "compat/version_text.h"
#include "completions.h"
#include "man_page.h"
#include "messages.h"
#include "suggest.h"
#include "support/mapped_file.h"
#include "support/text_out.h"

namespace {

constexpr int kExitProblem = 1;
constexpr int kExitUsage = 2;

// What is wrong with words that no command or option is called. CLI11 speaks of further arguments,
// or of a missing command.
std::string unknown_word(const CLI::App &app, const CLI::App &command) {
  const std::vector<std::string> words = app.remaining(true);
  if (words.empty())
    return {};
  const std::string word = words.front().substr(0, words.front().find('='));
  std::vector<std::string> known;
  if (&command == &app && !word.starts_with("-"))
    for (const CLI::App *other : app.get_subcommands({}))
      known.push_back(other->get_name());
  for (const CLI::Option *option : command.get_options())
    for (const std::string &name : option->get_lnames())
      known.push_back("--" + name);
  const std::string meant = culink::tools::nearest_word(word, known);
  const char *const kind = word.starts_with("-") ? "option"
                           : &command == &app    ? "command"
                                                 : "argument";
  return std::string("unknown ") + kind + " '" + culink::visible(word) + "'" +
         (meant.empty() ? "" : "; did you mean '" + meant + "'?");
}

// Our own wording: one line, then the way to more.
std::string usage_error(const CLI::App *app, const CLI::Error &error) {
  const CLI::App *command = app;
  for (const CLI::App *chosen : app->get_subcommands())
    command = chosen;
  const std::string name = command == app ? "cubin" : "cubin " + command->get_name();
  const std::string unknown = unknown_word(*app, *command);
  return "cubin: error: " + (unknown.empty() ? std::string(error.what()) : unknown) + "\nTry '" +
         name + " --help'.\n";
}

// CLI11 ends the line.
std::string version_without_end() {
  std::string text = culink::version_text("cubin");
  text.pop_back();
  return text;
}

int print(const std::string &text) {
  culink::TextOut out(STDOUT_FILENO);
  out.put(text);
  return culink::tools::finish_output(out) ? 0 : kExitProblem;
}

int run(int argc, char **argv) {
  int exit_code = 0;
  using culink::tools::completions, culink::tools::man_page;
  CLI::App app{"Inspect, check and edit NVIDIA device ELF files (cubins).", "cubin"};
  app.set_version_flag("--version", version_without_end());
  app.require_subcommand(1);
  app.failure_message(usage_error);
  culink::tools::add_dump_command(app, exit_code);
  culink::tools::add_disasm_command(app, exit_code);
  culink::tools::add_usage_command(app, exit_code);
  culink::tools::add_size_command(app, exit_code);
  culink::tools::add_callgraph_command(app, exit_code);
  culink::tools::add_diff_command(app, exit_code);
  culink::tools::add_report_command(app, exit_code);
  culink::tools::add_verify_command(app, exit_code);
  culink::tools::add_check_command(app, exit_code);
  culink::tools::add_text_command(app, exit_code);
  culink::tools::add_assemble_command(app, exit_code);
  culink::tools::add_list_command(app, exit_code);
  culink::tools::add_extract_command(app, exit_code);
  culink::tools::add_pack_command(app, exit_code);
  culink::tools::add_prune_command(app, exit_code);

  // For the build, which installs them: cubin --print-docs man.
  if (argc == 3 && std::string_view(argv[1]) == "--print-docs") {
    const std::string_view form = argv[2];
    return print(form == "man" ? man_page(app) : completions(app, form));
  }
  if (argc == 1) {
    std::fputs(app.help().c_str(), stderr);
    std::fputs("\n'cubin COMMAND --help' tells more; 'cubin usage FILE' is a good beginning.\n",
               stderr);
    return kExitUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    std::ostringstream text;
    const int status = app.exit(error, text, std::cerr);
    return status == 0 ? print(text.str()) : kExitUsage; // --help and --version end here with 0
  }
  return exit_code;
}

} // namespace

int main(int argc, char **argv) {
  // A reader that went away (cubin dump x | head) shows as a failed write, which ends the output.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN); // an output beyond the limit is a failed write, too
  culink::end_when_files_shrink();
  try {
    return run(argc, argv);
  } catch (const std::exception &error) { // out of memory and the like, from libraries below us
    std::fprintf(stderr, "cubin: error: %s\n", error.what());
  }
  return kExitProblem;
}
