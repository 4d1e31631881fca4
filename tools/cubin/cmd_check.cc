// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin check: checks that a linked file is the program made from its inputs. Prints a line for
// each finding, or only "ok". Exits with 1 if there is a finding or an input cannot be read.
#include "command.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <string>
#include <vector>

#include "compilers/toolkit/find_tools.h"
#include "device_code.h"
#include "driver/api/check_job.h"
#include "inspect/dump/sink.h"

namespace culink::tools {

namespace {

struct CheckArguments {
  std::string output;
  CodeSelection selection;
  std::vector<std::string> inputs;
  LinkRequest request; // without inputs
  std::string cuda;
  u64 threads = 0;
  bool as_compiled = false;
  OutputFlags form;
  bool quiet = false;
};

constexpr text::Column kCheckColumns[] = {{"kind", "kind"},         {"symbol", "symbol"},
                                          {"section", "section"},   {"offset", "offset"},
                                          {"expected", "expected"}, {"found", "found"}};

void print_rows(const std::string &name, const std::vector<check::Finding> &findings,
                text::Sink &sink) {
  sink.begin_file(name);
  sink.open_list("findings", "Findings", kCheckColumns);
  for (const check::Finding &finding : findings)
    sink.row(kCheckColumns, {text::name(check::name_of(finding.kind)), text::name(finding.symbol),
                             text::name(finding.section), text::number(finding.offset),
                             text::name(finding.expected), text::name(finding.found)});
  sink.close_list();
  sink.end_file();
}

CheckAnswer check_image(const CheckArguments &arguments, ByteSpan image) {
  LinkRequest request = arguments.request;
  for (const std::string &input : arguments.inputs)
    request.inputs.push_back(LinkInput::file(input));
  if (request.ptxas.empty())
    request.ptxas = find_ptxas(arguments.cuda);
  request.options.threads = static_cast<u32>(arguments.threads);
  CheckAnswer answer = check_file(std::move(request), image, arguments.as_compiled);
  for (const Message &message : answer.messages)
    if (!answer.complete || message.severity != Severity::Info)
      std::fputs(format_message(message, "cubin").c_str(), stderr);
  return answer;
}

// The linked images of a program; their relocatable parts are inputs. A file with only relocatable
// code, such as the output of -r, is checked itself.
std::vector<const FoundCode *> images_to_check(std::vector<const FoundCode *> images) {
  const auto is_linked = [](const FoundCode *code) { return !code->linkable; };
  if (std::ranges::any_of(images, is_linked))
    std::erase_if(images, [&](const FoundCode *code) { return !is_linked(code); });
  return images;
}

int run_check(const CheckArguments &arguments) {
  const Result<DeviceFile> file = DeviceFile::open(arguments.output);
  if (!is_there(arguments.output, file))
    return 1;
  const Result<std::vector<const FoundCode *>> images = file->choose_images(arguments.selection);
  if (!is_there(file->name(), images))
    return 1;
  return show(arguments.form, [&](text::Sink &sink, TextOut &out) {
    bool clean = true;
    const auto print = [&](const Image &image) {
      const CheckAnswer answer = check_image(arguments, image.bytes);
      clean = clean && answer.complete && answer.findings.empty();
      if (!answer.complete)
        return;
      if (!arguments.form.is_text())
        return print_rows(image.name, answer.findings, sink);
      std::vector<std::string> lines;
      std::ranges::transform(answer.findings, std::back_inserter(lines), check::to_line);
      print_findings(image.name, lines, arguments.quiet ? "" : "ok", out);
    };
    const auto check = [&](const Image &image) -> std::function<void()> {
      return [&, image] { print(image); };
    };
    WorkerPool pool(1); // each check uses all cores itself
    return walk_code(*file, images_to_check(*images), pool, {check, print_problem}) && clean;
  });
}

} // namespace

int check_command(Command &command) {
  CheckArguments arguments;
  command.add({
      required({"OUT", "", "The linked file, or a program with linked images", &arguments.output}),
      required(takes_all(
          {"inputs,i", "<file>", "The files that were linked, in order", &arguments.inputs})),
      {"library,l", "<name>", "Libraries that were linked", &arguments.request.libraries},
      {"library-path,L", "<folder>", "Where libraries are searched",
       &arguments.request.library_paths},
      {"cuda", "<folder>", "The toolkit whose ptxas compiles PTX, as for culink", &arguments.cuda},
      {"ptxas", "<program>", "The ptxas that compiles PTX, as for culink",
       &arguments.request.ptxas},
  });
  add_code_selection(command, arguments.selection);
  command.add({
      {"threads", "<n>", "Threads to use; 0: one per core", &arguments.threads},
      {"as-compiled", "",
       "Code of sm_100 and later was not scheduled again (culink --code=mercury)",
       &arguments.as_compiled},
      {"quiet,q", "", "Do not print 'ok' for a sound file", &arguments.quiet},
  });
  add_output_flags(command, arguments.form);
  return command.parse() ? run_check(arguments) : command.status();
}

} // namespace culink::tools
