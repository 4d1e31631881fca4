// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin list: the device code in fatbins, host objects, programs, shared libraries and archives. It
// tolerates: what cannot be read is warned about, the rest is listed.
#include "cmd_list.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "elf/elf_view.h"
#include "inspect/toolkit.h"
#include "open_input.h"
#include "show_files.h"
#include "survey/find_code.h"

namespace culink::tools {

namespace {

struct ListArguments {
  std::vector<std::string> files;
  bool quick = false;
  bool json = false;
};

constexpr std::array<text::Column, 10> kListColumns{{
    {"number", "number", 6},
    {"form", "form", -5},
    {"target", "target", -12},
    {"release", "CUDA", -5},
    {"size", "size", 9},
    {"packed_size", "packed", 9},
    {"packing", "packing", -7},
    {"place", "in", -15},
    {"member", "member", -16},
    {"identifier", "source"},
}};

text::Value text_or_missing(std::string_view text) {
  return text.empty() ? text::missing() : text::name(text);
}

// The release of CUDA that made machine code; empty if it does not say so, or is damaged.
std::string release_of(const FoundCode &code) {
  if (code.form != FoundCode::Form::Cubin)
    return "";
  const Result<std::vector<u8>> bytes = unpack(code);
  const Result<elf::ElfView> view =
      bytes ? elf::ElfView::open_tolerant(*bytes) : Result<elf::ElfView>(bytes.error());
  return view ? inspect::release_name(inspect::toolkit_of(*view)) : "";
}

void put_code(const FoundCode &code, bool quick, text::DumpSink &sink) {
  const bool packed = code.entry && code.entry->compression != Compression::None;
  const std::string release = quick ? "" : release_of(code);
  const std::array<text::Value, kListColumns.size()> values = {
      text::number(code.number),
      text::name(code.form_name()),
      text_or_missing(code.target),
      text_or_missing(release),
      text::number(code.entry ? code.entry->size : code.bytes.size()),
      packed ? text::number(code.bytes.size()) : text::missing(),
      text::name(code.entry ? compression_name(code.entry->compression) : "raw"),
      text::name(code.place),
      text_or_missing(code.member),
      text_or_missing(code.entry ? code.entry->identifier : ""),
  };
  sink.open_row();
  for (size_t i = 0; i < values.size(); ++i)
    sink.field(kListColumns[i], values[i]);
  sink.close_row();
}

// True when all was read.
bool list_one(const std::string &argument, bool quick, text::DumpSink &sink) {
  const Result<NamedFile> file = open_file(argument);
  if (!file) {
    print_error(argument, file.error());
    return false;
  }
  const CodeInFile found = find_code(file->path, file->file.bytes());
  for (const Error &problem : found.problems)
    print_warning(file->name, problem);
  sink.begin_file(file->name);
  sink.open_list("code", "Code");
  sink.headings(kListColumns);
  for (const FoundCode &code : found.code)
    if (file->member.empty() || code.is_called(file->member))
      put_code(code, quick, sink);
  sink.close_list();
  sink.end_file();
  return found.problems.empty();
}

} // namespace

void add_list_command(CLI::App &app, int &exit_code) {
  const auto arguments = std::make_shared<ListArguments>(); // lives in the callback
  CLI::App *command = app.add_subcommand(
      "list", "List the device code in fatbins, objects, programs, libraries and archives");
  command->add_option("FILE", arguments->files, "Files, or FILE:MEMBER; - is standard input")
      ->required();
  command->add_flag("--quick", arguments->quick, "Read headers only, without the release of CUDA");
  command->add_flag("--json", arguments->json, "The same facts as JSON");
  command->footer("Exit status: 0 all was read, 1 something was damaged or missing, 2 usage.");
  command->callback([arguments, &exit_code] {
    const auto list = [&](const std::string &argument, text::DumpSink &sink) {
      return list_one(argument, arguments->quick, sink);
    };
    exit_code = show_files(arguments->files, arguments->json, list);
  });
}

} // namespace culink::tools
