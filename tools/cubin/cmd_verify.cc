// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin verify: reads tolerantly, so that one broken offset does not hide other findings, and
// prints a line for each. Exits with 1 if a file has a finding or cannot be read.
#include "command.h"

#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "device_code.h"
#include "inspect/dump/sink.h"
#include "verify/file/verify.h"

namespace culink::tools {

namespace {

struct VerifyArguments {
  CodeArguments code;
  OutputFlags form;
  bool quiet = false;
  bool list_rules = false;
};

// The result for one image: its findings, or the reason why it could not be read.
struct Verdict {
  std::string name;
  std::vector<Finding> findings;
  std::optional<std::string> not_checked = {}; // the target, if the rules do not cover it
};

void print_text(const Verdict &verdict, bool quiet, TextOut &out) {
  std::vector<std::string> lines;
  for (const Finding &finding : verdict.findings)
    lines.push_back(fmt::format("{} [{}]", finding.what.text(), rule_id(finding.rule)));
  const std::string sound = verdict.not_checked ? *verdict.not_checked + " is not checked" : "ok";
  print_findings(verdict.name, lines, quiet ? "" : sound, out);
}

constexpr text::Column kFindingColumns[] = {
    {"rule", "rule"}, {"place", "place"}, {"field", "field"}, {"message", "message"}};

void print_rows(const Verdict &verdict, text::Sink &sink) {
  sink.begin_file(verdict.name);
  sink.fact("checked", text::flag(!verdict.not_checked));
  sink.open_list("findings", "Findings", kFindingColumns);
  for (const Finding &finding : verdict.findings)
    sink.row(kFindingColumns, {text::name(rule_id(finding.rule)), text::name(finding.what.place),
                               text::name(finding.what.field), text::name(finding.what.message)});
  sink.close_list();
  sink.end_file();
}

int list_rules() {
  TextOut out(STDOUT_FILENO);
  for (const RuleRow &row : verify_rules()) {
    out.put(row.id);
    out.fill(' ', row.id.size() < 20 ? 20 - row.id.size() : 1);
    out.put(row.text);
    out.put('\n');
  }
  return finish_output(out) ? 0 : 1;
}

bool verify_files(const VerifyArguments &arguments, text::Sink &sink, TextOut &out) {
  bool clean = true;
  const auto print = [&](const Verdict &verdict) {
    clean = clean && verdict.findings.empty();
    if (arguments.form.is_text())
      print_text(verdict, arguments.quiet, out);
    else
      print_rows(verdict, sink);
  };
  const ImageVisitor visitor{
      .look = [&](const Image &image) -> std::function<void()> {
        return [&, verdict = Verdict{image.name, verify_device_elf(*image.view),
                                     target_without_rules(*image.view)}] { print(verdict); };
      },
      .report =
          [&](const Problem &problem) {
            print({problem.name, {{Rule::Structure, problem.error}}});
          }};
  WorkerPool pool(0);
  for (const std::string &file : arguments.code.files)
    clean = walk_images(file, arguments.code.selection, pool, visitor) && clean;
  return clean;
}

} // namespace

int verify_command(Command &command) {
  VerifyArguments arguments;
  command.add({{"FILE", "", kFilesHelp, &arguments.code.files}});
  add_code_selection(command, arguments.code.selection);
  command.add({
      {"quiet,q", "", "Do not print 'ok' for good files", &arguments.quiet},
      {"list-rules", "", "Print the rules and stop", &arguments.list_rules},
  });
  add_output_flags(command, arguments.form);
  if (!command.parse())
    return command.status();
  if (arguments.list_rules)
    return list_rules();
  if (arguments.code.files.empty())
    return command.refuse("FILE is required");
  return show(arguments.form,
              [&](text::Sink &sink, TextOut &out) { return verify_files(arguments, sink, out); });
}

} // namespace culink::tools
