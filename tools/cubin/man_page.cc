// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The manual page is made of the commands as they are registered with CLI11, which also makes
// --help of them, so that the two cannot differ. What several commands have is described once.
#include "man_page.h"

#include <map>
#include <vector>

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

// With the name of its value and its description.
std::string described(const CLI::Option &option) {
  std::string out = ".TP\n\\fB" + roff(option.get_name(option.get_positional(), true)) + "\\fR";
  if (option.get_items_expected_max() > 0 && !option.get_positional())
    out += " \\fI" + roff(option.get_type_name()) + "\\fR";
  return out + "\n" + roff(option.get_description()) + "\n";
}

// Options of commands, by what the page says about them: where several say the same, it is said
// once.
class SharedOptions {
public:
  explicit SharedOptions(const CLI::App &app) {
    for (const CLI::App *command : app.get_subcommands({}))
      for (const CLI::Option *option : command->get_options())
        if (option != command->get_help_ptr()) // every command has it
          commands_[described(*option)].push_back(command->get_name());
  }

  [[nodiscard]] std::string page() const {
    std::string out;
    for (const auto &[text, commands] : commands_) {
      if (commands.size() < kSeveral)
        continue;
      std::string names;
      for (const std::string &name : commands)
        names += (names.empty() ? "" : ", ") + name;
      out += text + "(" + names + ")\n";
    }
    return out;
  }
  [[nodiscard]] std::string page_of(const CLI::App &command) const {
    std::string out, more;
    for (const CLI::Option *option : command.get_options()) {
      const std::string text = described(*option);
      const auto found = commands_.find(text);
      if (found == commands_.end())
        continue;
      if (found->second.size() < kSeveral)
        out += text;
      else
        more += (more.empty() ? "" : ", ") + option->get_name(option->get_positional(), true);
    }
    return more.empty() ? out : out + ".PP\nAnd " + roff(more) + ".\n";
  }

private:
  static constexpr size_t kSeveral = 3;
  std::map<std::string, std::vector<std::string>> commands_;
};

} // namespace

std::string man_page(const CLI::App &app) {
  std::string out = ".TH CUBIN 1 \"\" \"culink " CULINK_VERSION "\" \"User Commands\"\n"
                    ".SH NAME\ncubin \\- inspect, check and edit CUDA device code\n"
                    ".SH SYNOPSIS\n.B cubin\n\\fIcommand\\fR [\\fIoptions\\fR] \\fIfiles\\fR\n"
                    ".SH DESCRIPTION\n" +
                    roff(app.get_description()) +
                    "\n.PP\nEach command has \\fB\\-\\-help\\fR, too."
                    "\n.SH OPTIONS\n";
  for (const CLI::Option *option : app.get_options())
    out += described(*option);
  const SharedOptions shared(app);
  out += ".SH OPTIONS OF SEVERAL COMMANDS\n" + shared.page();
  for (const CLI::App *command : app.get_subcommands({})) {
    out +=
        ".SH CUBIN " + roff(command->get_name()) + "\n" + roff(command->get_description()) + "\n";
    out += shared.page_of(*command);
  }
  return out + ".SH EXIT STATUS\n0: all is well; 1: a problem or a difference was found; 2: the "
               "command line makes no sense.\n.SH SEE ALSO\n.BR culink (1)\n";
}

} // namespace culink::tools
