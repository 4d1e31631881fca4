// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common parts of commands: they accept any file with device code and show all of its code unless
// options select some. An error in one file makes the exit status 1 but does not stop the next
// files.
#include "device_code.h"

#include <cstdio>
#include <memory>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "command.h"
#include "elf/target/arch.h"

namespace culink::tools {

std::string counted(u64 count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::vector<std::string> target_names() {
  std::vector<std::string> out;
  for (const arch::ArchInfo &target : arch::all_archs())
    out.emplace_back(target.name);
  return out;
}

void add_code_selection(Command &command, CodeSelection &selection) {
  command.add({
      suggests(target_names(),
               {"target", "<pattern>,...", "Only code for these targets, as in sm_90 or 'sm_9*'",
                &selection.targets}),
      {"kernel", "<pattern>",
       "Only code with such a kernel, by its name in the file or in the source",
       &selection.kernels},
  });
}

void add_code_arguments(Command &command, CodeArguments &arguments) {
  command.add({required({"FILE", "", kFilesHelp, &arguments.files})});
  add_code_selection(command, arguments.selection);
}

void add_leftovers_flag(Command &command, CodeSelection &selection) {
  selection.leftovers = false;
  command.add({{"relocatable", "", "Also the objects of its device link that a program still has",
                &selection.leftovers}});
}

void print_left_out(const std::string &file, u64 objects) {
  const std::string line = fmt::format(
      "cubin: note: {}: {} of its device link {} not shown (--relocatable shows all)\n",
      visible(file), counted(objects, "relocatable object"), objects == 1 ? "is" : "are");
  std::fwrite(line.data(), 1, line.size(), stderr);
}

std::string heading(const std::string &name, const FoundCode &code) {
  return code.leftover ? name + " (relocatable)" : name;
}

void print_findings(const std::string &name, const std::vector<std::string> &findings,
                    std::string_view if_none, TextOut &out) {
  for (const std::string &finding : findings) {
    out.name(name);
    out.put(": ");
    out.name(finding);
    out.put('\n');
  }
  if (!findings.empty() || if_none.empty())
    return;
  out.name(name);
  out.put(": ");
  out.put(if_none);
  out.put('\n');
}

bool print_violations(const Image &image) {
  for (const Error &violation : image.view->violations())
    print_warning(image.name, violation);
  return image.view->violations().empty();
}

void print_problem(const Problem &problem) {
  if (problem.warning)
    print_warning(problem.name, problem.error);
  else
    print_error(problem.name, problem.error);
}

bool for_each_image(const CodeArguments &arguments,
                    const std::function<std::function<void()>(const Image &)> &look) {
  WorkerPool pool(0);
  bool clean = true;
  for (const std::string &file : arguments.files)
    clean = walk_images(file, arguments.selection, pool, {look, print_problem, print_left_out}) &&
            clean;
  return clean;
}

text::Format OutputFlags::format() const {
  return json       ? text::Format::Json
         : csv      ? text::Format::Csv
         : markdown ? text::Format::Markdown
                    : text::Format::Text;
}

void add_output_flags(Command &command, OutputFlags &flags) {
  command.add({
      excludes({"csv", "markdown"}, {"json", "", "Print JSON", &flags.json}),
      excludes({"markdown"}, {"csv", "", "Print comma-separated values", &flags.csv}),
      {"markdown", "", "Print tables of Markdown", &flags.markdown},
  });
}

int show(const OutputFlags &flags, const std::function<bool(text::Sink &, TextOut &)> &show_all) {
  TextOut out(STDOUT_FILENO);
  const std::unique_ptr<text::Sink> sink = text::make_sink(flags.format(), out);
  sink->begin();
  const bool clean = show_all(*sink, out);
  sink->end();
  return finish_output(out) && clean ? 0 : 1;
}

Result<OneImage> open_one_image(const std::string &argument, const CodeSelection &selection) {
  Result<DeviceFile> file = DeviceFile::open(argument);
  if (!file)
    return file.error();
  const Result<const FoundCode *> code = file->choose_one(selection);
  if (!code)
    return code.error();
  OneImage out{std::move(*file), *code, "", {}};
  out.name = out.file.name_of(*out.code);
  if (out.code->is_packed()) {
    Result<std::vector<u8>> bytes = unpack(*out.code);
    if (!bytes)
      return bytes.error();
    out.unpacked = std::move(*bytes);
  }
  return out;
}

} // namespace culink::tools
