// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CubinReader for Python, with the comparison and the rules of `cubin diff` and `cubin verify`. The
// object holds the bytes that it reads, which nobody can change, and offers them as a buffer
// without a copy. It is the base of culink.Cubin, which makes named values of the rows given here.
#include <array>
#include <utility>

#include "convert.h"
#include "culink/cubin_reader.h"
#include "elf/elf_view.h"
#include "elf/names.h"
#include "inspect/diff/diff.h"
#include "verify/file/verify.h"

namespace culink::python {

namespace {

struct Reader {
  nb::bytes data;
  CubinReader cubin;
};

// The name of a number, or the number.
nb::object name_or_number(std::optional<std::string_view> name, u64 number) {
  return name ? text(*name) : nb::str("{:#x}").attr("format")(number);
}

void construct(Reader *self, nb::bytes data, nb::handle name) {
  Result<CubinReader> cubin = CubinReader::open(view_of(data), to_string(name));
  if (!cubin)
    raise(cubin.error());
  new (self) Reader{std::move(data), std::move(*cubin)};
}

int give_buffer(PyObject *self, Py_buffer *view, int flags) {
  return PyObject_GetBuffer(nb::inst_ptr<Reader>(self)->data.ptr(), view, flags);
}

nb::tuple header_row(const Reader &self) {
  const CubinReader::Header &header = self.cubin.header();
  return nb::make_tuple(
      name_or_number(elf::kFileTypeNames.name_of(header.type), static_cast<u32>(header.type)),
      header.elf_class == elf::ElfClass::Elf64 ? 64 : 32, header.abi_version, header.flags,
      text(header.target), header.sm, header.virtual_sm, header.toolkit, header.mercury);
}

nb::tuple section_row(const CubinReader::Section &section) {
  return nb::make_tuple(section.index, text(section.name), static_cast<u32>(section.type),
                        text(section.type_name), text(section.role), text(section.function),
                        section.flags, section.offset, section.size, section.align, section.entsize,
                        section.link, section.info, section.data.size());
}

nb::tuple symbol_row(const CubinReader::Symbol &symbol) {
  return nb::make_tuple(
      symbol.number, text(symbol.name),
      name_or_number(elf::kSymbolBindingNames.name_of(symbol.binding),
                     static_cast<u32>(symbol.binding)),
      name_or_number(elf::kSymbolTypeNames.name_of(symbol.type), static_cast<u32>(symbol.type)),
      symbol.other, symbol.section, symbol.special_section, symbol.value, symbol.size,
      symbol.defined(), symbol.kernel());
}

nb::tuple relocation_row(const CubinReader::Relocation &relocation) {
  return nb::make_tuple(relocation.table, relocation.section, relocation.offset, relocation.type,
                        text(relocation.type_name), relocation.symbol, text(relocation.symbol_name),
                        relocation.addend);
}

std::string_view kind_name(CubinReader::Value::Kind kind) {
  switch (kind) {
  case CubinReader::Value::Kind::Number:
    return "number";
  case CubinReader::Value::Kind::Symbol:
    return "symbol";
  case CubinReader::Value::Kind::CodeOffset:
    return "code offset";
  case CubinReader::Value::Kind::Text:
    break;
  }
  return "text";
}

nb::tuple value_row(const CubinReader::Value &value) {
  return nb::make_tuple(text(value.key), text(kind_name(value.kind)), value.number,
                        text(value.text));
}

nb::tuple attribute_row(const CubinReader::Attribute &attribute) {
  return nb::make_tuple(attribute.section, text(attribute.function), attribute.offset,
                        attribute.code, text(attribute.name), attribute.format,
                        to_bytes(attribute.payload), to_list(attribute.values, value_row));
}

nb::tuple note_row(const CubinReader::Note &note) {
  return nb::make_tuple(note.section, note.type, text(note.owner), to_bytes(note.desc));
}

nb::tuple tool_row(const CubinReader::Tool &tool) {
  return nb::make_tuple(text(tool.object), text(tool.name), text(tool.version), text(tool.build),
                        text(tool.options));
}

nb::dict banks_of(const std::vector<BankUse> &constants) {
  nb::dict out;
  for (const BankUse &use : constants)
    out[nb::int_(use.bank)] = nb::int_(use.size);
  return out;
}

nb::object threads_of(const std::optional<std::array<u32, 3>> &threads) {
  if (!threads)
    return nb::none();
  return nb::make_tuple((*threads)[0], (*threads)[1], (*threads)[2]);
}

nb::tuple function_row(const FunctionUsage &function) {
  return nb::make_tuple(
      text(function.name), function.kernel, to_object(function.registers),
      to_object(function.register_limit), to_object(function.frame), to_object(function.min_stack),
      to_object(function.max_stack), function.shared, function.local, to_object(function.barriers),
      to_object(function.parameters), function.code, banks_of(function.constants),
      threads_of(function.max_threads), threads_of(function.required_threads), function.symbol);
}

nb::tuple usage_row(const Reader &self) {
  const ModuleUsage usage = self.cubin.usage();
  return nb::make_tuple(usage.toolkit, usage.global, usage.shared, usage.reserved_shared,
                        banks_of(usage.constants), to_list(usage.functions, function_row));
}

// Files that opened strictly also open tolerantly, so there is a view.
elf::ElfView view_for(const Reader &self) {
  Result<elf::ElfView> view = elf::ElfView::open_tolerant(view_of(self.data));
  if (!view)
    raise(view.error());
  return std::move(*view);
}

nb::object difference_topics() {
  nb::list out;
  for (u32 i = 0; i < text::kDiffTopics; ++i)
    out.append(python::text(text::name_of_topic(static_cast<text::DiffTopic>(i))));
  return nb::tuple(out);
}

// Rows of differences, and the count of each topic.
nb::tuple diff(const Reader &self, const Reader &other, nb::handle ignored, u64 limit) {
  text::DiffOptions options;
  options.limit = limit;
  for (const std::string &name : to_strings(ignored)) {
    const std::optional<text::DiffTopic> topic = text::topic_from_name(name);
    if (!topic)
      throw nb::value_error(("no topic is called " + name).c_str());
    options.ignored[static_cast<u32>(*topic)] = true;
  }
  const elf::ElfView first = view_for(self);
  const elf::ElfView second = view_for(other);
  const text::DiffResult result = [&] {
    const nb::gil_scoped_release others_run;
    return text::diff_files(first, second, options);
  }();
  const auto row = [](const text::Difference &difference) {
    return nb::make_tuple(python::text(text::name_of_topic(difference.topic)),
                          python::text(difference.place), python::text(difference.text));
  };
  return nb::make_tuple(to_list(result.differences, row),
                        to_list(result.counts, [](u64 count) { return nb::int_(count); }));
}

nb::list verify(const Reader &self) {
  const elf::ElfView view = view_for(self);
  const std::vector<Finding> findings = [&] {
    const nb::gil_scoped_release others_run;
    return verify_device_elf(view);
  }();
  return to_list(findings, [](const Finding &finding) {
    return nb::make_tuple(text(rule_id(finding.rule)), text(finding.what.place),
                          text(finding.what.field), text(finding.what.message));
  });
}

// The section with that index, or an IndexError.
const CubinReader::Section &section_at(const Reader &self, u32 index) {
  if (index >= self.cubin.sections().size())
    throw nb::index_error("no such section");
  return self.cubin.sections()[index];
}

} // namespace

void add_reading(nb::module_ &module) {
  static const PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void *>(give_buffer)},
                                      {0, nullptr}};
  module.attr("topics") = difference_topics();
  module.attr("UNBOUNDED_STACK") = kUnboundedStack;
  nb::class_<Reader>(module, "Reader", nb::type_slots(slots))
      .def("__init__", construct)
      .def_prop_ro("_data", [](const Reader &self) { return self.data; })
      .def("_header", header_row)
      .def("_sections",
           [](const Reader &self) { return to_list(self.cubin.sections(), section_row); })
      .def("_symbols", [](const Reader &self) { return to_list(self.cubin.symbols(), symbol_row); })
      .def("_symbols",
           [](const Reader &self, u32 table) {
             return to_list(self.cubin.symbols(section_at(self, table)), symbol_row);
           })
      .def("_relocations",
           [](const Reader &self) { return to_list(self.cubin.relocations(), relocation_row); })
      .def("_attributes",
           [](const Reader &self) { return to_list(self.cubin.attributes(), attribute_row); })
      .def("_notes", [](const Reader &self) { return to_list(self.cubin.notes(), note_row); })
      .def("_tools", [](const Reader &self) { return to_list(self.cubin.tools(), tool_row); })
      .def("_usage", usage_row)
      .def("_verify", verify)
      .def("_diff", diff);
}

} // namespace culink::python
