// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin extract: device code out of fatbins, host objects, programs, shared libraries and archives,
// each piece into a file of its own. Names from inside a file never decide about folders: of a
// member's name only the last part is used.
#include "cmd_extract.h"

#include <memory>
#include <string>
#include <vector>

#include "base/output_file.h"
#include "open_input.h"
#include "survey/find_code.h"

namespace culink::tools {

namespace {

struct ExtractArguments {
  std::string file;
  std::string output;       // one piece
  std::string folder = "."; // several
  std::string form;
  std::string target;
};

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// "lib.b.3.sm_90.cubin" for a member b.o of lib.a.
std::string file_name(const std::string &path, const FoundCode &code) {
  const auto stem = [](std::string_view name) {
    const std::string_view last = last_part(name);
    return std::string(last.substr(0, last.rfind('.')));
  };
  return stem(path) + "." + (code.member.empty() ? "" : stem(code.member) + ".") + code.name();
}

bool is_wanted(const ExtractArguments &arguments, const std::string &member,
               const FoundCode &code) {
  const FoundCode::Form form = arguments.form == "cubin" ? FoundCode::Form::Cubin
                               : arguments.form == "ptx" ? FoundCode::Form::Ptx
                                                         : FoundCode::Form::Lto;
  return (member.empty() || code.is_called(member)) &&
         (arguments.form.empty() || code.form == form) &&
         (arguments.target.empty() || code.target == arguments.target);
}

// True when it was written.
bool write_code(const std::string &source, const FoundCode &code, const std::string &path) {
  const Result<std::vector<u8>> bytes = unpack(code);
  if (!bytes) {
    print_error(source + ":" + code.name(), bytes.error());
    return false;
  }
  if (const std::optional<Error> error = write_file(path, *bytes)) {
    print_error(path, *error);
    return false;
  }
  return true;
}

int run_extract(const ExtractArguments &arguments) {
  const Result<NamedFile> file = open_file(arguments.file);
  if (!file) {
    print_error(arguments.file, file.error());
    return 1;
  }
  const CodeInFile found = find_code(file->path, file->file.bytes());
  bool clean = found.problems.empty();
  for (const Error &problem : found.problems)
    print_warning(file->name, problem);
  std::vector<const FoundCode *> wanted;
  for (const FoundCode &code : found.code)
    if (is_wanted(arguments, file->member, code))
      wanted.push_back(&code);
  if (wanted.empty()) {
    print_error(file->name, Error{"", "", "there is no such code; 'cubin list' shows what is"});
    return 1;
  }
  if (!arguments.output.empty() && wanted.size() > 1) {
    print_error(file->name, Error{"", "", "several pieces do not go into one file with -o"});
    return 1;
  }
  for (const FoundCode *code : wanted) {
    const std::string path = arguments.output.empty()
                                 ? arguments.folder + "/" + file_name(file->path, *code)
                                 : arguments.output;
    clean = write_code(file->path, *code, path) && clean;
  }
  return clean ? 0 : 1;
}

} // namespace

void add_extract_command(CLI::App &app, int &exit_code) {
  const auto arguments = std::make_shared<ExtractArguments>(); // lives in the callback
  CLI::App *command = app.add_subcommand(
      "extract", "Write the device code in a fatbin, object, program, library or archive to files");
  command->add_option("FILE", arguments->file, "A file, or FILE:MEMBER; - is standard input")
      ->required();
  CLI::Option *output =
      command->add_option("-o,--output", arguments->output, "The file for a single piece");
  command->add_option("-C,--folder", arguments->folder, "The folder for several pieces")
      ->excludes(output);
  command->add_option("--form", arguments->form, "Only cubin, ptx or lto")
      ->check(CLI::IsMember({"cubin", "ptx", "lto"}));
  command->add_option("--target", arguments->target, "Only for this target, as in sm_90");
  command->footer("Files are called FILE.NUMBER.TARGET.cubin, numbered as 'cubin list' does.\n"
                  "Exit status: 0 all was written, 1 not, 2 usage.");
  command->callback([arguments, &exit_code] { exit_code = run_extract(*arguments); });
}

} // namespace culink::tools
