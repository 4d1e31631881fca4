// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of C++ as values of Python and back. Names in files and paths are bytes that need not be
// UTF-8: strings carry stray ones as surrogates (PEP 383), so that each comes back as it was.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nanobind/nanobind.h>

#include "culink/result.h"
#include "culink/types.h"

namespace culink::python {

namespace nb = nanobind;

// Takes what a function of Python's own interface returned; nullptr is an exception of it.
[[nodiscard]] inline nb::object own(PyObject *object) {
  if (object == nullptr)
    throw nb::python_error();
  return nb::steal(object);
}

[[nodiscard]] inline nb::object text(std::string_view bytes) {
  return own(
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape"));
}

[[nodiscard]] inline nb::bytes to_bytes(ByteSpan bytes) {
  return nb::bytes(static_cast<const void *>(bytes.data()), bytes.size());
}

[[nodiscard]] inline ByteSpan view_of(const nb::bytes &bytes) {
  return {static_cast<const u8 *>(bytes.data()), bytes.size()};
}

// Of a str or of bytes.
[[nodiscard]] inline std::string to_string(nb::handle value) {
  if (PyBytes_Check(value.ptr()))
    return {nb::borrow<nb::bytes>(value).c_str(), nb::borrow<nb::bytes>(value).size()};
  const nb::object encoded =
      own(PyUnicode_AsEncodedString(value.ptr(), "utf-8", "surrogateescape"));
  return to_string(encoded);
}

[[nodiscard]] inline std::vector<std::string> to_strings(nb::handle values) {
  std::vector<std::string> out;
  for (const nb::handle value : values)
    out.push_back(to_string(value));
  return out;
}

template <typename T> [[nodiscard]] nb::object to_object(const std::optional<T> &value) {
  return value ? nb::cast(*value) : nb::none();
}

// A list of what `convert` makes of each element.
template <typename List, typename Convert>
[[nodiscard]] nb::list to_list(const List &values, Convert convert) {
  nb::list out;
  for (const auto &value : values)
    out.append(convert(value));
  return out;
}

// Raises culink.CubinError.
[[noreturn]] void raise(const Error &error);

// Each adds what it is about to the module.
void add_linking(nb::module_ &module);
void add_reading(nb::module_ &module);
void add_containers(nb::module_ &module);

} // namespace culink::python
