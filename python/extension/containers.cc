// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device code in fatbins, host objects, programs, libraries and archives, for Python. Files are
// mapped, so that a library of hundreds of megabytes is listed without being read; a piece is
// unpacked when somebody asks for it.
#include <optional>
#include <utility>

#include "convert.h"
#include "input/find_code.h"
#include "support/mapped_file.h"

namespace culink::python {

namespace {

// Where the bytes are: a file, or an object of Python. The pieces point into them.
struct Container {
  std::optional<MappedFile> file;
  nb::object data;
  CodeInFile found;
};

CodeInFile find_without_lock(const std::string &name, ByteSpan bytes) {
  const nb::gil_scoped_release others_run;
  return find_code(name, bytes);
}

void open_path(Container *self, nb::handle path) {
  const std::string name = to_string(path);
  Result<MappedFile> file = MappedFile::open(name);
  if (!file) {
    Error error = file.error();
    error.file = name;
    raise(error);
  }
  CodeInFile found = find_without_lock(name, file->bytes());
  new (self) Container{std::move(*file), nb::none(), std::move(found)};
}

void open_bytes(Container *self, nb::handle name, nb::bytes data) {
  CodeInFile found = find_without_lock(to_string(name), view_of(data));
  new (self) Container{std::nullopt, std::move(data), std::move(found)};
}

nb::tuple code_row(const FoundCode &code) {
  return nb::make_tuple(code.number, text(code.form_name()), text(code.target), text(code.member),
                        text(code.place), code.entry ? code.entry->size : code.bytes.size(),
                        code.bytes.size(),
                        text(code.entry ? compression_name(code.entry->compression) : "raw"),
                        text(code.entry ? code.entry->identifier : ""), text(code.name()));
}

nb::tuple problem_row(const Error &error) {
  return nb::make_tuple(text(error.place), text(error.field), text(error.message));
}

nb::bytes read(const Container &self, size_t index) {
  if (index >= self.found.code.size())
    throw nb::index_error("no such piece of code");
  const Result<std::vector<u8>> bytes = [&] {
    const nb::gil_scoped_release others_run;
    return unpack(self.found.code[index]);
  }();
  if (!bytes)
    raise(bytes.error());
  return to_bytes(*bytes);
}

} // namespace

void add_containers(nb::module_ &module) {
  nb::class_<Container>(module, "Container")
      .def("__init__", open_path)
      .def("__init__", open_bytes)
      .def("code", [](const Container &self) { return to_list(self.found.code, code_row); })
      .def("problems",
           [](const Container &self) { return to_list(self.found.problems, problem_row); })
      .def("read", read);
}

} // namespace culink::python
