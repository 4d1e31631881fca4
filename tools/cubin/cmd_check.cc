// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin check: whether a linked file is the program that its inputs make up. One line for each
// finding; nothing but "ok" if there is none. Exit 1 when there is a finding or an input cannot be
// read.
#include "cmd_check.h"

#include <cstdio>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include "api/check_job.h"
#include "open_input.h"
#include "text/dump/dump_sink.h"

namespace culink::tools {

namespace {

struct CheckArguments {
  std::string output;
  std::vector<std::string> inputs;
  std::vector<std::string> libraries;
  std::vector<std::string> library_paths;
  unsigned threads = 0;
  bool as_compiled = false;
  bool json = false;
  bool quiet = false;
};

void print_findings(const std::string &name, const std::vector<check::Finding> &findings,
                    bool quiet, TextOut &out) {
  for (const check::Finding &finding : findings) {
    out.name(name);
    out.put(": ");
    out.name(check::to_line(finding));
    out.put("\n");
  }
  if (findings.empty() && !quiet) {
    out.name(name);
    out.put(": ok\n");
  }
}

void print_findings_as_json(const std::string &name, const std::vector<check::Finding> &findings,
                            TextOut &out) {
  const std::unique_ptr<text::DumpSink> sink = text::make_json_sink(out);
  sink->begin();
  sink->begin_file(name);
  sink->open_list("findings", "");
  for (const check::Finding &finding : findings) {
    sink->open_row();
    sink->field({"kind", "", 0}, text::name(check::name_of(finding.kind)));
    sink->field({"symbol", "", 0}, text::name(finding.symbol));
    sink->field({"section", "", 0}, text::name(finding.section));
    sink->field({"offset", "", 0}, text::number(finding.offset));
    sink->field({"expected", "", 0}, text::name(finding.expected));
    sink->field({"found", "", 0}, text::name(finding.found));
    sink->close_row();
  }
  sink->close_list();
  sink->end_file();
  sink->end();
}

int run_check(const CheckArguments &arguments) {
  const Result<Input> output = open_input(arguments.output);
  if (!output) {
    print_error(arguments.output, output.error());
    return 1;
  }
  LinkRequest request;
  for (const std::string &input : arguments.inputs)
    request.inputs.push_back(LinkInput::file(input));
  request.libraries = arguments.libraries;
  request.library_paths = arguments.library_paths;
  request.options.threads = arguments.threads;
  const CheckAnswer answer = check_file(std::move(request), output->bytes(), arguments.as_compiled);
  for (const Message &message : answer.messages)
    if (!answer.complete || message.severity != Severity::Info)
      std::fputs(format_message(message, "cubin").c_str(), stderr);
  if (!answer.complete)
    return 1;
  TextOut out(STDOUT_FILENO);
  if (arguments.json)
    print_findings_as_json(output->name, answer.findings, out);
  else
    print_findings(output->name, answer.findings, arguments.quiet, out);
  return finish_output(out) && answer.findings.empty() ? 0 : 1;
}

} // namespace

void add_check_command(CLI::App &app, int &exit_code) {
  const auto arguments = std::make_shared<CheckArguments>(); // lives in the callback
  CLI::App *command = app.add_subcommand(
      "check", "Check that a linked file is the program that its inputs make up");
  command->add_option("OUT", arguments->output, "The linked file")->required();
  command->add_option("--inputs,-i", arguments->inputs, "The files that were linked, in order")
      ->required();
  command->add_option("-l,--library", arguments->libraries, "Libraries that were linked");
  command->add_option("-L,--library-path", arguments->library_paths,
                      "Where libraries are searched");
  command->add_option("--threads", arguments->threads, "Threads to use; 0: one per core");
  command->add_flag("--as-compiled", arguments->as_compiled,
                    "Code of sm_100 and later was not scheduled again (culink --code=mercury)");
  command->add_flag("--json", arguments->json, "The findings as JSON");
  command->add_flag("-q,--quiet", arguments->quiet, "Do not print 'ok' for a sound file");
  command->callback([arguments, &exit_code] { exit_code = run_check(*arguments); });
}

} // namespace culink::tools
