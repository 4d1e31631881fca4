// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Completions are made of the commands as they are registered with CLI11, as --help and the manual
// page are. An option with a few values has them in the name of its type: "TEXT:{cubin,ptx,lto}";
// targets and columns are those of their tables.
#include "completions.h"

#include <vector>

#include "elf/target/arch.h"
#include "text/dump/usage.h"

namespace culink::tools {

namespace {

std::string targets() {
  std::string out;
  for (const arch::ArchInfo &target : arch::all_archs())
    out += (out.empty() ? "" : " ") + std::string(target.name);
  return out;
}

// Each with what a condition has behind it.
std::string columns(std::string_view behind) {
  std::string out;
  for (const std::string_view key : text::usage_numbers())
    out += (out.empty() ? "" : " ") + std::string(key) + std::string(behind);
  return out;
}

// Values that an option can have, separated by blanks; empty: any.
std::string choices(const CLI::Option &option) {
  if (option.check_lname("target"))
    return targets();
  if (option.check_lname("keep") || option.check_lname("drop"))
    return targets() + " cubin ptx lto relocatable" + (option.check_lname("drop") ? " debug" : "");
  if (option.check_lname("sort"))
    return columns("");
  if (option.check_lname("where"))
    return columns("=") + " kind=kernel kind=function name=";
  const std::string type = option.get_type_name();
  const size_t begin = type.find('{'), end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos)
    return {};
  std::string out = type.substr(begin + 1, end - begin - 1);
  for (char &c : out)
    c = c == ',' ? ' ' : c;
  return out;
}

bool has_value(const CLI::Option &option) {
  return option.get_items_expected_max() > 0;
}

bool takes_path(const CLI::Option &option) {
  for (const std::string &name : option.get_lnames())
    if (name == "output" || name == "folder" || name == "inputs" || name == "nvdisasm" ||
        name == "cuda" || name == "library-path")
      return true;
  return option.get_type_name() == "FILE";
}

// "--json" and "-n", as they are typed.
std::vector<std::string> spellings(const CLI::Option &option) {
  std::vector<std::string> out;
  for (const std::string &name : option.get_lnames())
    out.push_back("--" + name);
  for (const std::string &name : option.get_snames())
    out.push_back("-" + name);
  return out;
}

std::string without(std::string text, std::string_view characters) {
  std::erase_if(text, [&](char c) { return characters.find(c) != std::string_view::npos; });
  return text;
}

std::string bash_completions(const CLI::App &app) {
  std::string commands, options, values;
  for (const CLI::App *command : app.get_subcommands({})) {
    commands += (commands.empty() ? "" : " ") + command->get_name();
    std::string words;
    for (const CLI::Option *option : command->get_options()) {
      const std::vector<std::string> names = spellings(*option);
      std::string patterns;
      for (const std::string &name : names) {
        words += (words.empty() ? "" : " ") + name;
        patterns += (patterns.empty() ? "" : "|") + command->get_name() + ":" + name;
      }
      if (!choices(*option).empty())
        values += "    " + patterns + ") values='" + choices(*option) + "' ;;\n";
    }
    options += "    " + command->get_name() + ") options='" + words + "' ;;\n";
  }
  return "# bash completion for cubin\n"
         "_cubin() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} option options='' "
         "values=''\n"
         "  if [ \"$COMP_CWORD\" = 1 ]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W '" +
         commands +
         " --help --version' -- \"$cur\")\n"
         "    return\n"
         "  fi\n"
         "  option=${COMP_WORDS[COMP_CWORD - 1]}\n"
         "  if [ \"$cur\" = = ]; then cur=''; fi\n"
         "  if [ \"$option\" = = ]; then option=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
         "  case $command in\n" +
         options +
         "  esac\n"
         "  case $command:$option in\n" +
         values +
         "  esac\n"
         "  if [ -n \"$values\" ]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$cur\")\n"
         "  elif [[ $cur == -* ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$cur\")\n"
         "  else\n"
         "    mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _cubin cubin\n";
}

std::string zsh_completions(const CLI::App &app) {
  std::string commands, cases;
  for (const CLI::App *command : app.get_subcommands({})) {
    commands +=
        "    '" + command->get_name() + ":" + without(command->get_description(), "':") + "'\n";
    cases += "    " + command->get_name() + ") _arguments \\\n";
    for (const CLI::Option *option : command->get_options())
      for (const std::string &name : spellings(*option)) {
        std::string value;
        if (!choices(*option).empty())
          value = ":value:(" + choices(*option) + ")";
        else if (has_value(*option))
          value = takes_path(*option) ? ":file:_files" : ":value:";
        const std::string joins = !has_value(*option) ? "" : name.starts_with("--") ? "=" : "+";
        cases += "      '" + name + joins + "[" + without(option->get_description(), "'[]") + "]" +
                 value + "' \\\n";
      }
    cases += "      '*:file:_files' ;;\n";
  }
  return "#compdef cubin\n_cubin() {\n  local -a commands\n  commands=(\n" + commands +
         "  )\n"
         "  if (( CURRENT == 2 )); then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $words[1] in\n" +
         cases +
         "  esac\n"
         "}\n"
         "_cubin \"$@\"\n";
}

std::string fish_completions(const CLI::App &app) {
  std::string out;
  for (const CLI::App *command : app.get_subcommands({}))
    out += "complete -c cubin -f -n __fish_use_subcommand -a " + command->get_name() + " -d '" +
           without(command->get_description(), "'") + "'\n";
  for (const CLI::App *command : app.get_subcommands({}))
    for (const CLI::Option *option : command->get_options()) {
      if (option->get_positional())
        continue;
      out += "complete -c cubin -n '__fish_seen_subcommand_from " + command->get_name() + "'";
      for (const std::string &name : option->get_lnames())
        out += " -l " + name;
      for (const std::string &name : option->get_snames())
        out += " -s " + name;
      if (!choices(*option).empty())
        out += " -x -a '" + choices(*option) + "'";
      else if (has_value(*option))
        out += takes_path(*option) ? " -r" : " -x";
      out += " -d '" + without(option->get_description(), "'") + "'\n";
    }
  return out;
}

} // namespace

std::string completions(const CLI::App &app, std::string_view shell) {
  return shell == "bash"  ? bash_completions(app)
         : shell == "zsh" ? zsh_completions(app)
                          : fish_completions(app);
}

} // namespace culink::tools
