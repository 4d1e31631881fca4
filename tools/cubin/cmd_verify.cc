// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin verify: reads tolerantly, so that one broken offset does not hide the rest, and prints
// every finding on a line of its own. Exit 1 when any file has a finding or cannot be read.
#include "commands.h"

#include <cstdio>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include "device_code.h"
#include "messages.h"
#include "text/dump/dump_sink.h"
#include "verify/verify.h"

namespace culink::tools {

namespace {

struct VerifyArguments {
  CodeArguments code;
  bool json = false;
  bool quiet = false;
  bool list_rules = false;
};

// What is known of one image: its findings, or why it could not be read.
struct Verdict {
  std::string name;
  std::vector<Finding> findings;
  std::optional<std::string> not_checked = {}; // the target that the rules are not for
};

void print_text(const Verdict &verdict, bool quiet, TextOut &out) {
  for (const Finding &finding : verdict.findings) {
    out.name(verdict.name);
    out.put(": ");
    out.name(finding.what.text());
    out.put(" [");
    out.put(rule_id(finding.rule));
    out.put("]\n");
  }
  if (verdict.findings.empty() && !quiet) {
    out.name(verdict.name);
    out.put(verdict.not_checked ? ": " + *verdict.not_checked + " is not checked\n" : ": ok\n");
  }
}

void print_json(const Verdict &verdict, text::DumpSink &sink) {
  sink.begin_file(verdict.name);
  sink.field({"checked", "", 0}, text::flag(!verdict.not_checked));
  sink.open_list("findings", "");
  for (const Finding &finding : verdict.findings) {
    sink.open_row();
    sink.field({"rule", "", 0}, text::name(rule_id(finding.rule)));
    sink.field({"place", "", 0}, text::name(finding.what.place));
    sink.field({"field", "", 0}, text::name(finding.what.field));
    sink.field({"message", "", 0}, text::name(finding.what.message));
    sink.close_row();
  }
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

int run_verify(const VerifyArguments &arguments) {
  if (arguments.list_rules)
    return list_rules();
  if (arguments.code.files.empty()) {
    std::fputs("cubin: error: FILE is required\nTry 'cubin verify --help'.\n", stderr);
    return kExitUsage;
  }
  TextOut out(STDOUT_FILENO);
  const std::unique_ptr<text::DumpSink> sink = text::make_json_sink(out);
  bool clean = true;
  const auto print = [&](const Verdict &verdict) {
    clean = clean && verdict.findings.empty();
    if (arguments.json)
      print_json(verdict, *sink);
    else
      print_text(verdict, arguments.quiet, out);
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
  if (arguments.json)
    sink->begin();
  WorkerPool pool(0);
  for (const std::string &file : arguments.code.files)
    clean = walk_images(file, arguments.code.selection, pool, visitor) && clean;
  if (arguments.json)
    sink->end();
  return finish_output(out) && clean ? 0 : 1;
}

} // namespace

int verify_command(Command &command) {
  VerifyArguments arguments;
  command.add({{"FILE", "", kFilesHelp, &arguments.code.files}});
  add_code_selection(command, arguments.code.selection);
  command.add({
      {"json", "", "The findings as JSON", &arguments.json},
      {"quiet,q", "", "Do not print 'ok' for good files", &arguments.quiet},
      {"list-rules", "", "Print the rules and stop", &arguments.list_rules},
  });
  return command.parse() ? run_verify(arguments) : command.status();
}

} // namespace culink::tools
