// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin list: the device code in fatbins, host objects, programs, shared libraries and archives.
// Warns about unreadable parts and lists the rest.
#include "command.h"

#include <array>
#include <string>
#include <vector>

#include "device_code.h"
#include "input/file_kind.h"
#include "inspect/reader/usage.h"

namespace culink::tools {

namespace {

struct ListArguments {
  CodeArguments code;
  bool quick = false;
  OutputFlags form;
};

constexpr std::array<text::Column, 12> kListColumns{{
    {"number", "number", 6},
    {"form", "form", -5},
    {"target", "target", -12},
    {"kind", "kind", -11},
    {"release", "CUDA", -5},
    {"size", "size", 9},
    {"packed_size", "packed", 9},
    {"packing", "packing", -7},
    {"place", "in", -15},
    {"member", "member", -16},
    {"identifier", "source", -16},
    {"options", "options"},
}};

// Returns "linked", "relocatable", or "" if unknown: for packed code if only headers are read, and
// for other forms.
std::string_view kind_of(const FoundCode &code, const elf::ElfView *view) {
  if (code.form != FoundCode::Form::Cubin || (!view && !code.linkable && code.is_packed()))
    return "";
  const bool linked = view ? view->header().type == elf::FileType::Executable
                           : !code.linkable && file_kind(code.bytes) == FileKind::DeviceImage;
  return linked ? "linked" : "relocatable";
}

// `release`: of CUDA, empty if unknown.
void put_code(const FoundCode &code, std::string_view kind, const std::string &release,
              text::Sink &sink) {
  const std::string place = std::string(code.place) + (code.in_data ? " (data)" : "");
  // Machine code has other bytes at this place.
  const bool is_text =
      code.entry && (code.form == FoundCode::Form::Ptx || code.form == FoundCode::Form::Lto);
  sink.row(kListColumns,
           {
               text::number(code.number),
               text::name(code.form_name()),
               text::name_or_missing(code.target),
               text::name_or_missing(kind),
               text::name_or_missing(release),
               text::number(code.size()),
               code.is_packed() ? text::number(code.bytes.size()) : text::missing(),
               text::name(code.entry ? compression_name(code.entry->compression) : "raw"),
               text::name(place),
               text::name_or_missing(code.member),
               text::name_or_missing(code.entry ? code.entry->identifier : ""),
               text::name_or_missing(is_text ? code.entry->options : ""),
           });
}

// True if all pieces were read.
bool list_pieces(const ListArguments &arguments, const DeviceFile &file,
                 const std::vector<const FoundCode *> &pieces, WorkerPool &pool, text::Sink &sink) {
  const CodeSelection &selection = arguments.code.selection;
  bool any = false;
  const auto list = [&](const FoundCode &code, const elf::ElfView *view,
                        const std::string &release) {
    any = true;
    put_code(code, kind_of(code, view), release, sink);
  };
  if (arguments.quick && selection.kernels.empty()) {
    for (const FoundCode *code : pieces)
      list(*code, nullptr, "");
    return true;
  }
  const auto look = [&](const Image &image) -> std::function<void()> {
    if (image.view ? !selection.takes_image(*image.view) : !selection.kernels.empty())
      return {};
    const u32 toolkit = image.view && !arguments.quick ? inspect::toolkit_of(*image.view) : 0;
    return [&, release = inspect::release_name(toolkit), image] {
      list(image.code, image.view, release);
    };
  };
  const auto report = [&](const Problem &problem) {
    print_warning(problem.name, problem.error);
    if (problem.code && selection.kernels.empty())
      list(*problem.code, nullptr, "");
  };
  const bool clean = walk_code(file, pieces, pool, {look, report});
  if (!any)
    print_error(file.name(), "has no such kernel");
  return clean && any;
}

bool list_one(const ListArguments &arguments, const std::string &argument, WorkerPool &pool,
              text::Sink &sink) {
  const Result<DeviceFile> file = DeviceFile::open(argument);
  if (!is_there(argument, file))
    return false;
  const Result<std::vector<const FoundCode *>> pieces = file->choose(arguments.code.selection);
  if (!is_there(file->name(), pieces))
    return false;
  for (const Error &problem : file->found().problems)
    print_warning(file->name(), problem);
  sink.begin_file(file->name());
  sink.open_list("code", "Code", kListColumns);
  const bool clean = list_pieces(arguments, *file, *pieces, pool, sink);
  sink.close_list();
  sink.end_file();
  return clean && file->found().problems.empty();
}

} // namespace

int list_command(Command &command) {
  ListArguments arguments;
  add_code_arguments(command, arguments.code);
  command.add({{"quick", "", "Read headers only, without the release of CUDA", &arguments.quick}});
  add_output_flags(command, arguments.form);
  if (!command.parse())
    return command.status();
  return show(arguments.form, [&](text::Sink &sink, TextOut &) {
    WorkerPool pool(0);
    bool clean = true;
    for (const std::string &file : arguments.code.files)
      clean = list_one(arguments, file, pool, sink) && clean;
    return clean;
  });
}

} // namespace culink::tools
