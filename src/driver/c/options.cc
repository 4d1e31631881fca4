// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of a link are words of the program's command line, and are read by the same code: one
// grammar, one list, one set of messages. Each call is checked at once, together with the words
// before it, because the caller knows best which of its words it was.
//
// Options come from the caller alone. With response files, an option from an untrusted source could
// name any file.
//
// What may surprise: the program also has options that are not about the link but about what it
// prints and writes. A library that accepted them and did nothing would deceive its caller.
#include "driver/c/options.h"

#include <fmt/format.h>

#include "driver/c/guard.h"
#include "support/mapped_file.h"

namespace culink::capi {

namespace {

class NoFiles final : public FileSource {
public:
  [[nodiscard]] Result<MappedFile> open(const std::string &, FileType) const override {
    return Error{"", "", "the library reads no option files"};
  }
  [[nodiscard]] bool ask(FileQuestion, const std::string &) const override { return false; }
};

void set_tools(const culink_link &link, LinkRequest &request) {
  const auto path_of = [&link](Tool tool) {
    return link.tools[static_cast<size_t>(tool)].value_or("");
  };
  if (request.ptxas.empty()) // the option --ptxas comes first
    request.ptxas = path_of(Tool::Ptxas);
  request.finalizer.library = path_of(Tool::NvJitLink);
  request.finalizer.worker = path_of(Tool::Culink);
  request.finalizer.nvlink = path_of(Tool::Nvlink);
  request.lto.library = path_of(Tool::NvJitLink);
  request.lto.worker = path_of(Tool::Culink);
}

void add_messages(const Diagnostics &diag, std::vector<Message> &out) {
  for (const Diagnostic &diagnostic : diag.all())
    out.push_back(to_message(diagnostic));
}

// The program has to have a file for its output; here a name is only for -g.
CommandLine with_output(CommandLine line) {
  if (!line.has(OptionId::Output))
    line.set(OptionId::Output, {"output"});
  return line;
}

} // namespace

ParsedOptions parse_options(const std::vector<std::string> &words) {
  ParsedOptions out;
  Diagnostics diag;
  out.line = parse_command_line(words, diag, NoFiles());
  add_messages(diag, out.messages);
  for (const Message &message : out.messages)
    if (message.severity >= Severity::Error && out.error.empty())
      out.error = message.text;
  for (const OptionRow &row : option_rows())
    if (is_of_program(row.concerns) && out.line.has(row.id) && out.error.empty())
      out.error = fmt::format("--{} is an option of the program, not of the library", row.name);
  if (!out.line.inputs.empty() && out.error.empty())
    out.error = fmt::format("'{}' is no option", out.line.inputs.front());
  return out;
}

PreparedLink prepare(const culink_link &link) {
  ParsedOptions options = parse_options(link.words);
  CommandLine &line = options.line;
  if (!link.libraries.empty())
    line.append(OptionId::Library, link.libraries);
  if (!link.library_paths.empty())
    line.append(OptionId::LibraryPath, link.library_paths);
  for (const AddedInput &input : link.inputs)
    line.inputs.push_back(input.name);
  PreparedLink out;
  out.messages = std::move(options.messages);
  Diagnostics diag;
  check_command_line(with_output(line), diag);
  add_messages(diag, out.messages);
  out.failed = diag.failed();
  out.request = make_request(line);
  out.request.inputs.clear();
  for (const AddedInput &input : link.inputs)
    out.request.inputs.push_back({input.name, input.bytes});
  set_tools(link, out.request);
  out.style = {{.demangle = !line.has(OptionId::NoDemangle),
                .target = line.has(OptionId::ReportArch) ? line.value(OptionId::Arch) : ""},
               line.has(OptionId::DisableWarnings),
               line.has(OptionId::DisableInfos)};
  return out;
}

} // namespace culink::capi
