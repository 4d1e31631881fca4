// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module culink._native: the library's functions over plain values of Python. Files give rows,
// which are tuples; the classes that people see, their names and their documentation are in
// python/culink. Nothing here keeps state, and whatever may take long runs without the GIL.
#include "compilers/toolkit/find_tools.h"
#include "convert.h"
#include "culink/linker.h"
#include "support/demangle.h"
#include "support/output_file.h"

namespace culink::python {

void raise(const Error &error) {
  const nb::object type = nb::module_::import_("culink._errors").attr("CubinError");
  const nb::object exception =
      type(text(error.message), text(error.file), text(error.place), text(error.field));
  PyErr_SetObject(type.ptr(), exception.ptr());
  throw nb::python_error();
}

namespace {

nb::object find_ptxas_for_python(nb::handle cuda, nb::handle near) {
  return text(find_ptxas(to_string(cuda), to_strings(near)));
}

// The fields of FinalizerEngine.
nb::tuple find_finalizer_for_python(nb::handle given, nb::handle cuda, nb::handle program,
                                    nb::handle near) {
  const FinalizerEngine engine =
      find_finalizer(to_string(given), to_string(cuda), to_string(program), to_strings(near));
  return nb::make_tuple(text(engine.library), text(engine.worker), text(engine.nvlink),
                        text(engine.folder));
}

// An OSError if it cannot be written.
void write_for_python(nb::handle path, const nb::bytes &data) {
  std::string name = to_string(path);
  if (name == "-") // a file like any other here
    name = "./-";
  const std::optional<Error> error = [&] {
    const nb::gil_scoped_release others_run;
    return write_file(name, view_of(data));
  }();
  if (!error)
    return;
  PyErr_SetObject(PyExc_OSError, text(name + ": " + error->text()).ptr());
  throw nb::python_error();
}

} // namespace

} // namespace culink::python

NB_MODULE(_native, module) {
  using namespace culink::python;
  module.attr("version") = CULINK_VERSION;
  module.def("demangle", [](nb::handle name) { return text(culink::demangle(to_string(name))); });
  module.def("is_called", [](nb::handle name, nb::handle wanted) {
    return culink::is_called(to_string(name), to_string(wanted));
  });
  module.def("emulated_linkers", [] { return to_list(culink::emulated_linkers(), text); });
  module.def("known_dialects", [] { return to_list(culink::known_dialects(), text); });
  module.def("find_ptxas", find_ptxas_for_python);
  module.def("find_finalizer", find_finalizer_for_python);
  module.def("write_file", write_for_python);
  add_linking(module);
  add_reading(module);
  add_containers(module);
}
