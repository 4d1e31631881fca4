// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The manual page is made of the commands as they are registered with CLI11, which also makes
// --help of them, so that the two cannot differ.
#include "man_page.h"

namespace culink::tools {

namespace {

// Hyphens are typed as they are, and no line may begin with a dot or a quote.
std::string roff(const std::string &text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\''))
      out += "\\&";
    begins = c == '\n';
    if (c == '-' || c == '\\')
      out += c == '-' ? "\\-" : "\\e";
    else
      out += c;
  }
  return out;
}

void add_options(const CLI::App &command, std::string &out) {
  for (const CLI::Option *option : command.get_options()) {
    if (option == command.get_help_ptr() && command.get_parent())
      continue; // every command has it
    const std::string name = option->get_name(option->get_positional(), true);
    out += ".TP\n\\fB" + roff(name) + "\\fR";
    if (option->get_items_expected_max() > 0 && !option->get_positional())
      out += " \\fI" + roff(option->get_type_name()) + "\\fR";
    out += "\n" + roff(option->get_description()) + "\n";
  }
}

} // namespace

std::string man_page(const CLI::App &app) {
  std::string out = ".TH CUBIN 1 \"\" \"culink " CULINK_VERSION "\" \"User Commands\"\n"
                    ".SH NAME\ncubin \\- inspect, check and edit CUDA device code\n"
                    ".SH SYNOPSIS\n.B cubin\n\\fIcommand\\fR [\\fIoptions\\fR] \\fIfiles\\fR\n"
                    ".SH DESCRIPTION\n" +
                    roff(app.get_description()) +
                    "\n.PP\nEach command has \\fB\\-\\-help\\fR, too."
                    "\n.SH OPTIONS\n";
  add_options(app, out);
  for (const CLI::App *command : app.get_subcommands({})) {
    out +=
        ".SH CUBIN " + roff(command->get_name()) + "\n" + roff(command->get_description()) + "\n";
    add_options(*command, out);
  }
  return out + ".SH EXIT STATUS\n0: all is well; 1: a problem or a difference was found; 2: the "
               "command line makes no sense.\n.SH SEE ALSO\n.BR culink (1)\n";
}

} // namespace culink::tools
