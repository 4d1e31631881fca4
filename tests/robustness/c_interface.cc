// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A caller of the C interface who looks at everything. Every byte and every text is read, so that a
// sanitizer sees a pointer that leads nowhere.
#include "c_interface.h"

#include <cstring>

namespace culink::robustness {

namespace {

// Reads; the sum keeps a compiler from leaving that out.
class Reader {
public:
  void text(const char *text) {
    missing_ = missing_ || !text;
    if (text)
      sum_ += std::strlen(text);
  }
  void bytes(const void *data, u64 size) {
    missing_ = missing_ || (!data && size != 0);
    for (u64 i = 0; data && i < size; ++i)
      sum_ += static_cast<const u8 *>(data)[i];
  }
  void status(culink_status status) { failed_ = failed_ || status != CULINK_OK; }

  [[nodiscard]] std::string verdict() const {
    return missing_ ? "text or bytes are missing" : failed_ ? "an item of a list is missing" : "";
  }
  [[nodiscard]] u64 sum() const { return sum_; }

private:
  bool missing_ = false;
  bool failed_ = false;
  u64 sum_ = 0;
};

template <typename Row> Row empty_row() {
  Row row{};
  row.struct_size = sizeof row;
  return row;
}

void read_tables(const culink_cubin *cubin, Reader &reader) {
  auto section = empty_row<culink_section>();
  for (size_t i = 0; i < culink_cubin_section_count(cubin); ++i) {
    reader.status(culink_cubin_section(cubin, i, &section));
    for (const char *text : {section.name, section.type_name, section.role, section.function})
      reader.text(text);
    reader.bytes(section.data, section.data_size);
  }
  auto symbol = empty_row<culink_symbol>();
  for (size_t i = 0; i < culink_cubin_symbol_count(cubin); ++i) {
    reader.status(culink_cubin_symbol(cubin, i, &symbol));
    reader.text(symbol.name);
  }
  auto relocation = empty_row<culink_relocation>();
  for (size_t i = 0; i < culink_cubin_relocation_count(cubin); ++i) {
    reader.status(culink_cubin_relocation(cubin, i, &relocation));
    reader.text(relocation.type_name);
    reader.text(relocation.symbol_name);
  }
}

void read_records(const culink_cubin *cubin, Reader &reader) {
  auto function = empty_row<culink_function>();
  for (size_t i = 0; i < culink_cubin_function_count(cubin); ++i) {
    reader.status(culink_cubin_function(cubin, i, &function));
    reader.text(function.name);
  }
  auto attribute = empty_row<culink_attribute>();
  auto value = empty_row<culink_value>();
  for (size_t i = 0; i < culink_cubin_attribute_count(cubin); ++i) {
    reader.status(culink_cubin_attribute(cubin, i, &attribute));
    reader.text(attribute.name);
    reader.text(attribute.function);
    reader.bytes(attribute.payload, attribute.payload_size);
    for (size_t j = 0; j < attribute.value_count; ++j) {
      reader.status(culink_cubin_attribute_value(cubin, i, j, &value));
      reader.text(value.key);
      reader.text(value.text);
    }
  }
  auto tool = empty_row<culink_tool>();
  for (size_t i = 0; i < culink_cubin_tool_count(cubin); ++i) {
    reader.status(culink_cubin_tool(cubin, i, &tool));
    for (const char *text : {tool.name, tool.version, tool.build, tool.options, tool.object})
      reader.text(text);
  }
}

// Returns whether it is an error.
bool read_message(const culink_message *message, Reader &reader) {
  for (const char *text :
       {culink_message_id(message), culink_message_text(message), culink_message_hint(message)})
    reader.text(text);
  for (size_t i = 0; i < culink_message_argument_count(message); ++i)
    reader.text(culink_message_argument(message, i));
  for (size_t i = 0; i < culink_message_note_count(message); ++i)
    reader.text(culink_message_note(message, i));
  auto origin = empty_row<culink_origin>();
  for (size_t i = 0; i < culink_message_origin_count(message); ++i) {
    reader.status(culink_message_origin(message, i, &origin));
    for (const char *text : {origin.role, origin.file, origin.member, origin.symbol, origin.detail})
      reader.text(text);
  }
  return culink_message_severity(message) >= CULINK_ERROR;
}

} // namespace

std::string read_all(const culink_cubin *cubin) {
  Reader reader;
  auto info = empty_row<culink_cubin_info>();
  reader.status(culink_cubin_get_info(cubin, &info));
  reader.text(info.target);
  read_tables(cubin, reader);
  read_records(cubin, reader);
  return reader.verdict();
}

std::string read_all(const culink_result *result, culink_status status) {
  const bool has_result =
      status == CULINK_OK || status == CULINK_LINK_FAILED || status == CULINK_CANCELLED;
  if (!has_result)
    return std::string("ended with: ") + culink_status_name(status);
  if (!result || culink_result_status(result) != status)
    return "the result is missing, or has another status";
  Reader reader;
  size_t size = 0;
  const void *bytes = culink_result_bytes(result, &size);
  reader.bytes(bytes, size);
  if ((bytes != nullptr) != (status == CULINK_OK))
    return "bytes of a failed link, or none of a sound one";
  bool has_error = false;
  for (size_t i = 0; i < culink_result_message_count(result); ++i)
    has_error = read_message(culink_result_message(result, i), reader) || has_error;
  if (has_error != (status != CULINK_OK))
    return "the status contradicts the messages";
  for (const culink_format format : {CULINK_TEXT, CULINK_JSON, CULINK_NVLINK})
    reader.text(culink_result_log(result, format));
  for (size_t i = 0; i < culink_result_module_count(result); ++i) {
    reader.text(culink_result_module_input(result, i));
    reader.text(culink_result_module_id(result, i));
  }
  if (std::string broken = reader.verdict(); !broken.empty() || status != CULINK_OK)
    return broken;
  return open_and_read({static_cast<const u8 *>(bytes), size});
}

std::string open_and_read(ByteSpan bytes) {
  culink_cubin *cubin = nullptr;
  const culink_status status = culink_cubin_open_bytes(&cubin, "file", bytes.data(), bytes.size());
  std::string broken;
  if (status == CULINK_OK)
    broken = read_all(cubin);
  else if (status != CULINK_BAD_FILE || std::strlen(culink_cubin_error(cubin)) == 0)
    broken = std::string("opening ended with: ") + culink_status_name(status);
  culink_cubin_destroy(cubin);
  return broken;
}

} // namespace culink::robustness
