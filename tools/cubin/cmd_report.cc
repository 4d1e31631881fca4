// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin report: what is in files as a page to look at. All device code of all files goes into one
// page; with --compare, that of the first file is the earlier side.
#include "cmd_report.h"

#include <memory>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/output_file.h"
#include "open_input.h"
#include "page/read_image.h"
#include "page/write_page.h"
#include "survey/find_code.h"

namespace culink::tools {

namespace {

constexpr int kExitUsage = 2;

struct ReportArguments {
  std::vector<std::string> files;
  std::string output;
  bool compare = false;
};

// True when it could be read whole.
bool add_image(const std::string &file, const std::string &name, ByteSpan bytes, bool earlier,
               page::Report &report) {
  const Result<elf::ElfView> view = elf::ElfView::open_tolerant(bytes);
  if (!view) {
    print_error(name, view.error());
    return false;
  }
  for (const Error &violation : view->violations())
    print_warning(name, violation);
  page::ImageReport image = page::read_image(*view, bytes.size());
  image.file = file;
  image.name = name;
  image.earlier = earlier;
  report.images.push_back(std::move(image));
  return view->violations().empty();
}

bool add_file(const std::string &argument, bool earlier, page::Report &report) {
  const Result<NamedFile> file = open_file(argument);
  if (!file) {
    print_error(argument, file.error());
    return false;
  }
  const CodeInFile found = find_code(file->path, file->file.bytes());
  bool clean = found.problems.empty();
  for (const Error &problem : found.problems)
    print_warning(file->name, problem);
  const size_t before = report.images.size();
  for (const FoundCode &code : found.code) {
    if (code.form != FoundCode::Form::Cubin ||
        (!file->member.empty() && !code.is_called(file->member)))
      continue;
    const std::string name = found.code.size() == 1 ? file->path : code.name();
    const Result<std::vector<u8>> bytes = unpack(code);
    if (!bytes)
      print_error(name, bytes.error());
    clean = bytes && add_image(file->path, name, *bytes, earlier, report) && clean;
  }
  if (report.images.size() == before && clean) {
    print_error(file->name, Error{"", "", "there is no device code in it"});
    return false;
  }
  return clean;
}

int run_report(const ReportArguments &arguments) {
  if (arguments.compare && arguments.files.size() < 2) {
    print_error(arguments.files.front(), Error{"", "", "--compare needs a second file"});
    return kExitUsage;
  }
  page::Report report;
  report.compares = arguments.compare;
  bool clean = true;
  for (const std::string &file : arguments.files)
    clean = add_file(file, arguments.compare && &file == &arguments.files.front(), report) && clean;
  if (report.images.empty())
    return 1;
  if (const std::optional<Error> error =
          write_file(arguments.output, as_bytes(page::page_html(report)))) {
    print_error(arguments.output, *error);
    return 1;
  }
  return clean ? 0 : 1;
}

} // namespace

void add_report_command(CLI::App &app, int &exit_code) {
  const auto arguments = std::make_shared<ReportArguments>(); // lives in the callback
  CLI::App *command =
      app.add_subcommand("report", "Write a page (HTML) that shows what is in files");
  command
      ->add_option("FILE", arguments->files,
                   "Files with device code, or FILE:MEMBER; - is standard input")
      ->required();
  command->add_option("-o,--output", arguments->output, "The page")->required();
  command->add_flag("--compare", arguments->compare, "Compare the first file with the others");
  command->footer("The page is one file that needs no network.\n"
                  "Exit status: 0 all was read and written, 1 not, 2 usage.");
  command->callback([arguments, &exit_code] { exit_code = run_report(*arguments); });
}

} // namespace culink::tools
