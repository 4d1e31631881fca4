// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cubins of culink.h: rows of C structures made from the results of the reader. Each list is made
// on first use, since most callers want only one of them, and kept, so that access by index is
// quick. Text is copied: names in the file end with a zero, parts of names do not.
#include <memory>
#include <string_view>

#include "driver/c/handles.h"

using namespace culink;
using namespace culink::capi;

namespace {

template <typename Row> using MakeRows = std::vector<Row> (*)(const CubinReader &, TextStore &);

// The rows of a list; the first call makes them.
template <typename Row>
const std::vector<Row> &rows_of(const culink_cubin &cubin, RowList<Row> culink_cubin::*list,
                                MakeRows<Row> make) {
  RowList<Row> &out = const_cast<culink_cubin &>(cubin).*list; // shared, guarded by the lock
  const std::lock_guard<std::mutex> lock(out.mutex);
  if (!out.made && cubin.reader) {
    TextStore text;
    out.rows = make(*cubin.reader, text);
    out.text = std::move(text);
    out.made = true;
  }
  return out.rows;
}

template <typename Row>
size_t count_of(const culink_cubin *cubin, RowList<Row> culink_cubin::*list, MakeRows<Row> make) {
  if (!is_valid(cubin))
    return 0;
  return guarded_value<size_t>(0, [&] { return rows_of(*cubin, list, make).size(); });
}

template <typename Row>
culink_status give_row(const culink_cubin *cubin, RowList<Row> culink_cubin::*list,
                       MakeRows<Row> make, size_t index, Row *out) {
  if (!is_valid(cubin) || !out)
    return CULINK_INVALID_ARGUMENT;
  return guarded([&] {
    const std::vector<Row> &rows = rows_of(*cubin, list, make);
    return index < rows.size() ? give(rows[index], out) : CULINK_INVALID_ARGUMENT;
  });
}

int64_t number_of(const std::optional<u32> &value) {
  return value ? int64_t{*value} : CULINK_NOT_SAID;
}

void store(const std::optional<std::array<u32, 3>> &value, int64_t (&out)[3]) {
  for (size_t i = 0; i < 3; ++i)
    out[i] = value ? int64_t{(*value)[i]} : CULINK_NOT_SAID;
}

std::vector<culink_cubin_info> make_info(const CubinReader &reader, TextStore &text) {
  const CubinReader::Header &header = reader.header();
  const ModuleUsage usage = reader.usage();
  culink_cubin_info out{};
  out.target = text.keep(header.target);
  out.linked = header.type == elf::FileType::Executable ? 1 : 0;
  out.mercury = header.mercury ? 1 : 0;
  out.sm = header.sm;
  out.virtual_sm = header.virtual_sm;
  out.toolkit = header.toolkit;
  out.flags = header.flags;
  out.global_bytes = usage.global;
  out.shared_bytes = usage.shared;
  out.reserved_shared_bytes = usage.reserved_shared;
  out.type = static_cast<u32>(header.type);
  out.bits = header.elf_class == elf::ElfClass::Elf64 ? 64 : 32;
  out.abi_version = header.abi_version;
  return {out};
}

std::vector<culink_section> make_sections(const CubinReader &reader, TextStore &text) {
  std::vector<culink_section> out;
  for (const CubinReader::Section &from : reader.sections()) {
    culink_section &to = out.emplace_back();
    to.name = text.keep(from.name);
    to.type_name = text.keep(from.type_name);
    to.role = text.keep(from.role);
    to.function = text.keep(from.function);
    to.data = from.data.empty() ? nullptr : from.data.data();
    to.data_size = from.data.size();
    to.flags = from.flags;
    to.offset = from.offset;
    to.size = from.size;
    to.align = from.align;
    to.entsize = from.entsize;
    to.type = static_cast<u32>(from.type);
    to.link = from.link;
    to.info = from.info;
  }
  return out;
}

void add_symbols(const std::vector<CubinReader::Symbol> &symbols, u32 table, TextStore &text,
                 std::vector<culink_symbol> &out) {
  for (const CubinReader::Symbol &from : symbols) {
    culink_symbol &to = out.emplace_back();
    to.name = text.keep(from.name);
    to.value = from.value;
    to.size = from.size;
    to.section = from.section;
    to.special_section = from.special_section;
    to.binding = static_cast<u8>(from.binding);
    to.type = static_cast<u8>(from.type);
    to.other = from.other;
    to.kernel = from.kernel() ? 1 : 0;
    to.table = table;
  }
}

std::vector<culink_symbol> make_symbols(const CubinReader &reader, TextStore &text) {
  std::vector<culink_symbol> out;
  const CubinReader::Section *table = reader.find_section(".symtab");
  add_symbols(reader.symbols(), table ? table->index : 0, text, out);
  return out;
}

std::vector<culink_symbol> make_other_symbols(const CubinReader &reader, TextStore &text) {
  std::vector<culink_symbol> out;
  const CubinReader::Section *usual = reader.find_section(".symtab");
  for (const CubinReader::Section &table : reader.sections())
    if (!usual || table.index != usual->index)
      add_symbols(reader.symbols(table), table.index, text, out);
  return out;
}

std::vector<culink_relocation> make_relocations(const CubinReader &reader, TextStore &text) {
  std::vector<culink_relocation> out;
  for (const CubinReader::Relocation &from : reader.relocations()) {
    culink_relocation &to = out.emplace_back();
    to.type_name = text.keep(from.type_name);
    to.symbol_name = text.keep(from.symbol_name);
    to.offset = from.offset;
    to.addend = from.addend;
    to.table = from.table;
    to.section = from.section;
    to.symbol = from.symbol;
    to.type = from.type;
  }
  return out;
}

std::vector<culink_function> make_functions(const CubinReader &reader, TextStore &text) {
  std::vector<culink_function> out;
  for (const FunctionUsage &from : reader.usage().functions) {
    culink_function &to = out.emplace_back();
    to.name = text.keep(from.name);
    to.symbol = from.symbol;
    to.kernel = from.kernel ? 1 : 0;
    to.code_bytes = from.code;
    to.shared_bytes = from.shared;
    to.local_bytes = from.local;
    for (const BankUse &bank : from.constants)
      to.constant_bytes += bank.size;
    to.registers = number_of(from.registers);
    to.register_limit = number_of(from.register_limit);
    to.frame_bytes = number_of(from.frame);
    to.min_stack_bytes = number_of(from.min_stack);
    to.max_stack_bytes = number_of(from.max_stack);
    to.barriers = number_of(from.barriers);
    to.parameter_bytes = number_of(from.parameters);
    store(from.max_threads, to.max_threads);
    store(from.required_threads, to.required_threads);
    to.spills = number_of(from.spills);
  }
  return out;
}

std::vector<culink_attribute> make_attributes(const CubinReader &reader, TextStore &text) {
  std::vector<culink_attribute> out;
  u64 values = 0;
  for (const CubinReader::Attribute &from : reader.attributes()) {
    culink_attribute &to = out.emplace_back();
    to.name = text.keep(from.name);
    to.function = text.keep(from.function);
    to.payload = from.payload.empty() ? nullptr : from.payload.data();
    to.payload_size = from.payload.size();
    to.offset = from.offset;
    to.value_count = from.values.size();
    to.section = from.section;
    to.code = from.code;
    to.format = from.format;
    to.first_value = values;
    values += to.value_count;
  }
  return out;
}

std::vector<culink_value> make_values(const CubinReader &reader, TextStore &text) {
  std::vector<culink_value> out;
  for (const CubinReader::Attribute &attribute : reader.attributes())
    for (const CubinReader::Value &from : attribute.values)
      out.push_back({0, text.keep(from.key), text.keep(from.text), from.number,
                     static_cast<culink_value_kind>(from.kind)});
  return out;
}

std::vector<culink_tool> make_tools(const CubinReader &reader, TextStore &text) {
  std::vector<culink_tool> out;
  for (const CubinReader::Tool &from : reader.tools())
    out.push_back({0, text.keep(from.name), text.keep(from.version), text.keep(from.build),
                   text.keep(from.options), text.keep(from.object)});
  return out;
}

std::vector<culink_bank> make_banks(const CubinReader &reader, TextStore &) {
  std::vector<culink_bank> out;
  const ModuleUsage usage = reader.usage();
  for (const BankUse &bank : usage.constants)
    out.push_back({0, bank.size, ~u32{0}, bank.bank});
  for (u32 i = 0; i < usage.functions.size(); ++i)
    for (const BankUse &bank : usage.functions[i].constants)
      out.push_back({0, bank.size, i, bank.bank});
  return out;
}

std::vector<culink_note> make_notes(const CubinReader &reader, TextStore &text) {
  std::vector<culink_note> out;
  for (const CubinReader::Note &from : reader.notes())
    out.push_back({0, text.keep(from.owner), from.desc.empty() ? nullptr : from.desc.data(),
                   from.desc.size(), from.section, from.type});
  return out;
}

template <auto List, auto Make> culink_status list_of(const culink_cubin &cubin, culink_list *out) {
  return give_list(rows_of(cubin, List, Make), out);
}

struct ListKind {
  std::string_view name;
  culink_status (*give)(const culink_cubin &, culink_list *);
};

constexpr std::array kListKinds = std::to_array<ListKind>({
    {"attribute", list_of<&culink_cubin::attributes, make_attributes>},
    {"bank", list_of<&culink_cubin::banks, make_banks>},
    {"function", list_of<&culink_cubin::functions, make_functions>},
    {"note", list_of<&culink_cubin::notes, make_notes>},
    {"other-symbol", list_of<&culink_cubin::other_symbols, make_other_symbols>},
    {"relocation", list_of<&culink_cubin::relocations, make_relocations>},
    {"section", list_of<&culink_cubin::sections, make_sections>},
    {"symbol", list_of<&culink_cubin::symbols, make_symbols>},
    {"tool", list_of<&culink_cubin::tools, make_tools>},
    {"value", list_of<&culink_cubin::values, make_values>},
});

void open(culink_cubin &cubin, ByteSpan bytes, std::string_view name) {
  cubin.bytes = bytes;
  Result<CubinReader> reader = CubinReader::open(bytes, name);
  if (reader)
    cubin.reader = std::move(*reader);
  else
    cubin.error = reader.error();
}

template <typename Open> culink_status make_cubin(culink_cubin **cubin, const Open &open) {
  *cubin = nullptr;
  return guarded([&] {
    auto out = std::make_unique<culink_cubin>();
    open(*out);
    if (!out->reader)
      out->error_text = out->error.text();
    *cubin = out.release();
    return (*cubin)->reader ? CULINK_OK : CULINK_BAD_FILE;
  });
}

} // namespace

culink_status culink_cubin_open_file(culink_cubin **cubin, const char *path) {
  if (!cubin || !path)
    return CULINK_INVALID_ARGUMENT;
  return make_cubin(cubin, [&](culink_cubin &out) {
    Result<MappedFile> file = open_file(path);
    if (!file) {
      out.error = file.error();
      return;
    }
    out.file = std::move(*file);
    open(out, out.file->bytes(), path);
  });
}

culink_status culink_cubin_open_bytes(culink_cubin **cubin, const char *name, const void *data,
                                      size_t size) {
  if (!cubin || (!data && size != 0) || size > PTRDIFF_MAX)
    return CULINK_INVALID_ARGUMENT;
  return make_cubin(cubin, [&](culink_cubin &out) {
    open(out, {static_cast<const u8 *>(data), size}, name ? name : "");
  });
}

void culink_cubin_destroy(culink_cubin *cubin) {
  if (is_valid(cubin))
    const std::unique_ptr<culink_cubin> owned(cubin);
}

const char *culink_cubin_error(const culink_cubin *cubin) {
  return is_valid(cubin) ? cubin->error_text.c_str() : nullptr;
}

culink_status culink_cubin_get_error(const culink_cubin *cubin, culink_finding *error) {
  if (!is_valid(cubin) || !error)
    return CULINK_INVALID_ARGUMENT;
  const Error &from = cubin->error;
  return give(culink_finding{0, "", from.file.c_str(), from.place.c_str(), from.field.c_str(),
                             from.message.c_str()},
              error);
}

culink_status culink_cubin_get_info(const culink_cubin *cubin, culink_cubin_info *info) {
  return give_row(cubin, &culink_cubin::info, make_info, 0, info);
}

size_t culink_cubin_section_count(const culink_cubin *cubin) {
  return count_of(cubin, &culink_cubin::sections, make_sections);
}

culink_status culink_cubin_section(const culink_cubin *cubin, size_t index,
                                   culink_section *section) {
  return give_row(cubin, &culink_cubin::sections, make_sections, index, section);
}

size_t culink_cubin_symbol_count(const culink_cubin *cubin) {
  return count_of(cubin, &culink_cubin::symbols, make_symbols);
}

culink_status culink_cubin_symbol(const culink_cubin *cubin, size_t index, culink_symbol *symbol) {
  return give_row(cubin, &culink_cubin::symbols, make_symbols, index, symbol);
}

size_t culink_cubin_relocation_count(const culink_cubin *cubin) {
  return count_of(cubin, &culink_cubin::relocations, make_relocations);
}

culink_status culink_cubin_relocation(const culink_cubin *cubin, size_t index,
                                      culink_relocation *relocation) {
  return give_row(cubin, &culink_cubin::relocations, make_relocations, index, relocation);
}

size_t culink_cubin_function_count(const culink_cubin *cubin) {
  return count_of(cubin, &culink_cubin::functions, make_functions);
}

culink_status culink_cubin_function(const culink_cubin *cubin, size_t index,
                                    culink_function *function) {
  return give_row(cubin, &culink_cubin::functions, make_functions, index, function);
}

size_t culink_cubin_attribute_count(const culink_cubin *cubin) {
  return count_of(cubin, &culink_cubin::attributes, make_attributes);
}

culink_status culink_cubin_attribute(const culink_cubin *cubin, size_t index,
                                     culink_attribute *attribute) {
  return give_row(cubin, &culink_cubin::attributes, make_attributes, index, attribute);
}

culink_status culink_cubin_attribute_value(const culink_cubin *cubin, size_t attribute,
                                           size_t index, culink_value *value) {
  if (!is_valid(cubin) || !value)
    return CULINK_INVALID_ARGUMENT;
  return guarded([&] {
    const auto &attributes = rows_of(*cubin, &culink_cubin::attributes, make_attributes);
    const auto &values = rows_of(*cubin, &culink_cubin::values, make_values);
    if (attribute >= attributes.size() || index >= attributes[attribute].value_count)
      return CULINK_INVALID_ARGUMENT;
    return give(values[attributes[attribute].first_value + index], value);
  });
}

size_t culink_cubin_tool_count(const culink_cubin *cubin) {
  return count_of(cubin, &culink_cubin::tools, make_tools);
}

culink_status culink_cubin_tool(const culink_cubin *cubin, size_t index, culink_tool *tool) {
  return give_row(cubin, &culink_cubin::tools, make_tools, index, tool);
}

culink_status culink_cubin_list(const culink_cubin *cubin, const char *kind, culink_list *list) {
  if (!is_valid(cubin) || !kind || !list)
    return CULINK_INVALID_ARGUMENT;
  const auto found = std::ranges::find(kListKinds, std::string_view(kind), &ListKind::name);
  return found == kListKinds.end() ? CULINK_INVALID_ARGUMENT
                                   : guarded([&] { return found->give(*cubin, list); });
}
