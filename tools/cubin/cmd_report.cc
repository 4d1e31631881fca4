// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin report: what is in files as a page to look at. All device code of all files goes into one
// page; with --compare, that of the first file is the earlier side.
#include "command.h"

#include <string>
#include <vector>

#include "device_code.h"
#include "inspect/page/page.h"
#include "support/bytes.h"

namespace culink::tools {

namespace {

struct ReportArguments {
  CodeArguments code;
  std::string output;
  bool compare = false;
};

page::ImageReport read_image(const Image &image, bool earlier) {
  page::ImageReport out = page::read_image(*image.view);
  out.file = image.file.path();
  out.name = image.file.found().code.size() == 1 ? out.file : image.code.name();
  out.earlier = earlier;
  return out;
}

// True when all was read.
bool add_file(const std::string &argument, const CodeSelection &selection, bool earlier,
              page::Report &report) {
  bool clean = true;
  const auto add = [&](const Image &image) -> std::function<void()> {
    return [&, image, read = read_image(image, earlier)] {
      for (const Error &violation : image.view->violations()) {
        print_warning(image.name, violation);
        clean = false;
      }
      report.images.push_back(read);
    };
  };
  return for_each_image({{argument}, selection}, add) && clean;
}

int run_report(const ReportArguments &arguments) {
  if (arguments.compare && arguments.code.files.size() < 2) {
    print_error(arguments.code.files.front(), Error{"", "", "--compare needs a second file"});
    return kExitUsage;
  }
  page::Report report;
  report.compares = arguments.compare;
  bool clean = true;
  for (const std::string &file : arguments.code.files)
    if (overwrites(arguments.output, file))
      return 1;
  for (const std::string &file : arguments.code.files)
    clean = add_file(file, arguments.code.selection,
                     arguments.compare && &file == &arguments.code.files.front(), report) &&
            clean;
  if (report.images.empty())
    return 1;
  return write_output(arguments.output, as_bytes(page::page_html(report))) && clean ? 0 : 1;
}

} // namespace

int report_command(Command &command) {
  ReportArguments arguments;
  add_code_arguments(command, arguments.code);
  add_leftovers_flag(command, arguments.code.selection);
  command.add({
      required({"output,o", "<file>", "The page", &arguments.output}),
      {"compare", "", "Compare the first file with the others", &arguments.compare},
  });
  return command.parse() ? run_report(arguments) : command.status();
}

} // namespace culink::tools
