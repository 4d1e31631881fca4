// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin report: shows the contents of files on one page, with all device code of all files. With
// --compare, the first file is the earlier side.
#include "command.h"

#include <string>
#include <vector>

#include "device_code.h"
#include "inspect/page/page.h"
#include "support/bytes.h"

namespace culink::tools {

namespace {

page::ImageReport read_image(const Image &image, bool earlier) {
  page::ImageReport out = page::read_image(*image.view);
  out.file = image.file.path();
  out.name = image.file.found().code.size() == 1 ? out.file : image.code.name();
  out.earlier = earlier;
  return out;
}

// True if all was read.
bool add_file(const std::string &argument, const CodeSelection &selection, bool earlier,
              page::Report &report) {
  bool clean = true;
  const auto add = [&](const Image &image) -> std::function<void()> {
    return [&, image, read = read_image(image, earlier)] {
      clean = print_violations(image) && clean;
      report.images.push_back(read);
    };
  };
  return for_each_image({{argument}, selection}, add) && clean;
}

} // namespace

int report_command(Command &command) {
  CodeArguments code;
  std::string output;
  page::Report report;
  add_code_arguments(command, code);
  add_leftovers_flag(command, code.selection);
  command.add({
      required({"output,o", "<file>", "The page", &output}),
      {"compare", "", "Compare the first file with the others", &report.compares},
  });
  if (!command.parse())
    return command.status();
  if (report.compares && code.files.size() < 2) {
    print_error(code.files.front(), "--compare needs a second file");
    return kExitUsage;
  }
  bool clean = true;
  for (const std::string &file : code.files)
    if (overwrites(output, file))
      return 1;
  for (const std::string &file : code.files)
    clean =
        add_file(file, code.selection, report.compares && &file == &code.files.front(), report) &&
        clean;
  if (report.images.empty())
    return 1;
  return write_output(output, as_bytes(page::page_html(report))) && clean ? 0 : 1;
}

} // namespace culink::tools
