// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin extract: writes device code from fatbins, host objects, programs, shared libraries and
// archives, each piece to a file. Names from inside a file cannot select a folder: only the last
// component of a member's name is used.
#include "command.h"

#include <filesystem>
#include <string>
#include <vector>

#include "device_code.h"

namespace culink::tools {

namespace {

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// Returns "lib.b.3.sm_90.cubin" for a member b.o of lib.a.
std::string file_name(const std::string &path, const FoundCode &code) {
  const auto stem = [](std::string_view name) {
    const std::string_view last = last_part(name);
    return std::string(last.substr(0, last.rfind('.')));
  };
  return stem(path) + "." + (code.member.empty() ? "" : visible(stem(code.member)) + ".") +
         code.name();
}

// True if the form and the kernels match. Machine code is unpacked to find its kernels.
bool is_wanted(const std::string &form, const CodeSelection &selection, const FoundCode &code) {
  if (!form.empty() && form != code.form_name())
    return false;
  if (selection.kernels.empty())
    return true;
  const Result<std::vector<u8>> bytes = unpack(code);
  if (code.form != FoundCode::Form::Cubin || !bytes)
    return false;
  const Result<elf::ElfView> view = elf::ElfView::open_tolerant(*bytes);
  return view && selection.takes_image(*view);
}

// True on success.
bool write_code(const DeviceFile &source, const FoundCode &code, const std::string &path) {
  const Result<std::vector<u8>> bytes = unpack(code);
  source.release(code.bytes);
  return is_there(source.name_of(code), bytes) && write_output(path, *bytes);
}

// True if the folder exists, possibly after creating it.
bool make_folder(const std::string &path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error)
    print_error(path, "cannot make the folder: " + error.message());
  return !error;
}

// Explains why -o is not possible, and lists the choices.
std::string several_pieces(const std::string &path, const std::vector<const FoundCode *> &wanted) {
  constexpr size_t kMost = 6;
  std::string names;
  for (size_t i = 0; i < wanted.size() && i < kMost; ++i)
    names += (i == 0 ? "" : ", ") + wanted[i]->name();
  if (wanted.size() > kMost)
    names += " and " + std::to_string(wanted.size() - kMost) + " more";
  return std::to_string(wanted.size()) + " pieces do not go into one file with -o: " + names +
         "; choose one as in " + std::string(last_part(path)) + ":" + wanted.front()->name() +
         ", or write all of them to a folder with -C";
}

} // namespace

int extract_command(Command &command) {
  std::string argument, output, form;
  std::string folder = "."; // for several pieces
  CodeSelection selection;
  command.add({
      required({"FILE", "", "Any file with device code, or FILE:MEMBER; - is standard input",
                &argument}),
      excludes({"folder"}, {"output,o", "<file>", "The file for a single piece", &output}),
      {"folder,C", "<folder>", "The folder for several pieces, made if it is not there", &folder},
      one_of({"cubin", "ptx", "lto"}, {"form", "<form>", "Only cubin, ptx or lto", &form}),
  });
  add_code_selection(command, selection);
  if (!command.parse())
    return command.status();
  const Result<DeviceFile> file = DeviceFile::open(argument);
  if (!is_there(argument, file))
    return 1;
  const Result<std::vector<const FoundCode *>> chosen = file->choose(selection);
  if (!is_there(file->name(), chosen))
    return 1;
  bool clean = file->found().problems.empty();
  for (const Error &problem : file->found().problems)
    print_warning(file->name(), problem);
  std::vector<const FoundCode *> wanted;
  for (const FoundCode *code : *chosen)
    if (is_wanted(form, selection, *code))
      wanted.push_back(code);
  if (wanted.empty()) {
    print_error(file->name(), "there is no such code; 'cubin list' shows what is");
    return 1;
  }
  if (!output.empty() && wanted.size() > 1) {
    print_error(file->name(), several_pieces(file->path(), wanted));
    return 1;
  }
  std::vector<std::string> paths;
  for (const FoundCode *code : wanted) {
    paths.push_back(output.empty() ? folder + "/" + file_name(file->path(), *code) : output);
    if (overwrites(paths.back(), argument))
      return 1;
  }
  if (output.empty() && !make_folder(folder))
    return 1;
  for (size_t i = 0; i < wanted.size(); ++i)
    clean = write_code(*file, *wanted[i], paths[i]) && clean;
  return clean ? 0 : 1;
}

} // namespace culink::tools
