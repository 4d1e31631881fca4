// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading cubins through the C interface: every list of an object and of a linked file.
#include "check.h"

#define EXPECT(holds) expect((holds), #holds, __LINE__)
#define EXPECT_TEXT(is, should_be) expect_text((is), (should_be), __LINE__)

#define FOLDER "examples/vector_math/sm_90/"

static void sections_and_symbols_are_listed(const culink_cubin *cubin) {
  culink_section section;
  section.struct_size = sizeof section;
  size_t code = 0;
  for (size_t i = 0; i < culink_cubin_section_count(cubin); ++i) {
    EXPECT(culink_cubin_section(cubin, i, &section) == CULINK_OK);
    if (strcmp(section.role, "text") != 0)
      continue;
    ++code;
    EXPECT(strncmp(section.name, ".text.", 6) == 0);
    EXPECT_TEXT(section.function, section.name + 6);
    EXPECT(section.data != NULL && section.data_size == section.size);
  }
  EXPECT(code >= 1);
  EXPECT(culink_cubin_section(cubin, 0, &section) == CULINK_OK);
  EXPECT_TEXT(section.name, "");
  EXPECT(section.data == NULL);

  culink_symbol symbol;
  symbol.struct_size = sizeof symbol;
  size_t kernels = 0;
  for (size_t i = 0; i < culink_cubin_symbol_count(cubin); ++i) {
    EXPECT(culink_cubin_symbol(cubin, i, &symbol) == CULINK_OK);
    kernels += symbol.kernel;
    if (symbol.kernel)
      EXPECT(symbol.section != 0 && symbol.size != 0 && symbol.name[0] != '\0');
  }
  EXPECT(kernels >= 1);
}

static void relocations_and_attributes_are_listed(const culink_cubin *object) {
  culink_relocation relocation;
  relocation.struct_size = sizeof relocation;
  EXPECT(culink_cubin_relocation_count(object) >= 1);
  for (size_t i = 0; i < culink_cubin_relocation_count(object); ++i) {
    EXPECT(culink_cubin_relocation(object, i, &relocation) == CULINK_OK);
    EXPECT(strncmp(relocation.type_name, "R_CUDA_", 7) == 0);
    EXPECT(relocation.table != 0 && relocation.section != 0);
  }
  culink_attribute attribute;
  attribute.struct_size = sizeof attribute;
  culink_value value;
  value.struct_size = sizeof value;
  size_t registers = 0;
  for (size_t i = 0; i < culink_cubin_attribute_count(object); ++i) {
    EXPECT(culink_cubin_attribute(object, i, &attribute) == CULINK_OK);
    for (size_t j = 0; j < attribute.value_count; ++j)
      EXPECT(culink_cubin_attribute_value(object, i, j, &value) == CULINK_OK);
    EXPECT(culink_cubin_attribute_value(object, i, attribute.value_count, &value) ==
           CULINK_INVALID_ARGUMENT);
    if (strcmp(attribute.name, "EIATTR_REGCOUNT") != 0)
      continue;
    EXPECT(culink_cubin_attribute_value(object, i, 0, &value) == CULINK_OK);
    EXPECT(value.kind == CULINK_SYMBOL);
    EXPECT_TEXT(value.key, "symbol");
    EXPECT(value.text[0] != '\0');
    EXPECT(culink_cubin_attribute_value(object, i, 1, &value) == CULINK_OK);
    EXPECT(value.kind == CULINK_NUMBER && value.number >= 1 && value.number <= 255);
    ++registers;
  }
  EXPECT(registers >= 1);
}

static void usage_is_that_of_the_kernels(const culink_cubin *linked) {
  culink_function function;
  function.struct_size = sizeof function;
  int found = 0;
  for (size_t i = 0; i < culink_cubin_function_count(linked); ++i) {
    EXPECT(culink_cubin_function(linked, i, &function) == CULINK_OK);
    if (strcmp(function.name, "_Z6smoothPKfPfi") != 0)
      continue;
    found = 1;
    EXPECT(function.kernel == 1);
    EXPECT(function.registers == 36);
    EXPECT(function.shared_bytes == 1568);
    EXPECT(function.code_bytes == 1280);
    EXPECT(function.parameter_bytes == 20);
    EXPECT(function.spills == 0);
    EXPECT(function.required_threads[0] == CULINK_NOT_SAID);
  }
  EXPECT(found);
}

static void tools_are_listed(const culink_cubin *linked) {
  culink_tool tool;
  tool.struct_size = sizeof tool;
  EXPECT(culink_cubin_tool_count(linked) >= 1);
  EXPECT(culink_cubin_tool(linked, 0, &tool) == CULINK_OK);
  EXPECT_TEXT(tool.name, "nvlink");
  EXPECT(strstr(tool.options, "-arch sm_90") != NULL);
  EXPECT(tool.version[0] != '\0' && tool.build != NULL && tool.object != NULL);
}

// A list has the rows that are given one by one.
static void lists_are_given_whole(const culink_cubin *cubin) {
  culink_list list;
  list.struct_size = sizeof list;
  EXPECT(culink_cubin_list(cubin, "symbol", &list) == CULINK_OK);
  EXPECT(list.count == culink_cubin_symbol_count(cubin) && list.stride >= sizeof(culink_symbol));
  culink_symbol symbol;
  symbol.struct_size = sizeof symbol;
  for (size_t i = 0; i < list.count; ++i) {
    const culink_symbol *row =
        (const culink_symbol *)(const void *)((const char *)list.first + i * list.stride);
    EXPECT(culink_cubin_symbol(cubin, i, &symbol) == CULINK_OK);
    EXPECT(row->name == symbol.name && row->value == symbol.value && row->table == symbol.table);
  }
  EXPECT(culink_cubin_list(cubin, "bank", &list) == CULINK_OK);
  EXPECT(list.count >= 1 && ((const culink_bank *)list.first)->bytes >= 1);
  EXPECT(culink_cubin_list(cubin, "note", &list) == CULINK_OK);
  EXPECT(list.count >= 1);
  EXPECT_TEXT(((const culink_note *)list.first)->owner, "NVIDIA Corp");
  EXPECT(culink_cubin_list(cubin, "other-symbol", &list) == CULINK_OK);
  EXPECT(list.first == NULL && list.count == 0);
  EXPECT(culink_cubin_list(cubin, "no such list", &list) == CULINK_INVALID_ARGUMENT);
  EXPECT(culink_cubin_list(cubin, NULL, &list) == CULINK_INVALID_ARGUMENT);
  EXPECT(culink_cubin_list(NULL, "symbol", &list) == CULINK_INVALID_ARGUMENT);
}

static size_t rows_of(const culink_answer *answer, const char *kind, const void **first) {
  culink_list list;
  list.struct_size = sizeof list;
  EXPECT(culink_answer_list(answer, kind, &list) == CULINK_OK);
  *first = list.first;
  return list.count;
}

static void cubins_are_verified_and_compared(const culink_cubin *object,
                                             const culink_cubin *linked) {
  const void *first = NULL;
  culink_answer *answer = NULL;
  EXPECT(culink_cubin_verify(linked, &answer) == CULINK_OK);
  EXPECT(rows_of(answer, "finding", &first) == 0);
  culink_answer_destroy(answer);
  EXPECT(culink_cubin_diff(linked, linked, NULL, 0, 12, &answer) == CULINK_OK);
  EXPECT(rows_of(answer, "finding", &first) == 0);
  culink_answer_destroy(answer);
  const char *const ignored[] = {"header"};
  EXPECT(culink_cubin_diff(object, linked, ignored, 1, 1, &answer) == CULINK_OK);
  EXPECT(rows_of(answer, "count", &first) >= 2);
  EXPECT_TEXT(((const culink_count *)first)->name, culink_known_name("topic", 0));
  EXPECT(((const culink_count *)first)->count == 0); // of the header, which is ignored
  EXPECT(rows_of(answer, "finding", &first) >= 1);
  EXPECT(((const culink_finding *)first)->text[0] != '\0');
  EXPECT(culink_answer_bytes(answer, NULL) == NULL);
  culink_answer_destroy(answer);
  const char *const unknown[] = {"no such topic"};
  EXPECT(culink_cubin_diff(object, linked, unknown, 1, 1, &answer) == CULINK_INVALID_ARGUMENT);
  EXPECT(culink_cubin_diff(object, NULL, NULL, 0, 1, &answer) == CULINK_INVALID_ARGUMENT);
  EXPECT(culink_cubin_verify(NULL, &answer) == CULINK_INVALID_ARGUMENT && answer == NULL);
  EXPECT(culink_cubin_verify(linked, NULL) == CULINK_INVALID_ARGUMENT);
}

static void code_is_found_and_unpacked(void) {
  const void *first = NULL;
  culink_answer *code = NULL;
  culink_answer *bytes = NULL;
  EXPECT(culink_find_code_in_file(CULINK_SOURCE_DIR "/examples/vector_math/fat/main.o", &code) ==
         CULINK_OK);
  EXPECT(rows_of(code, "code", &first) == 3);
  const culink_code *piece = first;
  EXPECT_TEXT(piece->kind, "cubin");
  EXPECT_TEXT(piece->target, "sm_80");
  EXPECT(culink_code_unpack(code, 0, &bytes) == CULINK_OK);
  size_t size = 0;
  const void *data = culink_answer_bytes(bytes, &size);
  EXPECT(size == piece->size && memcmp(data, "\177ELF", 4) == 0);
  culink_answer_destroy(bytes);
  EXPECT(culink_code_unpack(code, 3, &bytes) == CULINK_INVALID_ARGUMENT && bytes == NULL);
  culink_answer_destroy(code);
  EXPECT(culink_find_code_in_bytes("text", "no code", 7, &code) == CULINK_OK);
  EXPECT(rows_of(code, "code", &first) == 0 && rows_of(code, "finding", &first) == 1);
  culink_answer_destroy(code);
  EXPECT(culink_find_code_in_file("no such file", &code) == CULINK_BAD_FILE);
  EXPECT(rows_of(code, "finding", &first) == 1);
  EXPECT_TEXT(((const culink_finding *)first)->file, "no such file");
  culink_answer_destroy(code);
  EXPECT(culink_find_code_in_file(NULL, &code) == CULINK_INVALID_ARGUMENT);
  culink_answer_destroy(NULL);
}

static void names_are_those_of_the_source(void) {
  char shown[8];
  EXPECT(culink_demangle("_Z5totalPKf", shown, sizeof shown) == strlen("total(float const*)"));
  EXPECT_TEXT(shown, "total(f");
  EXPECT(culink_demangle("_Z5totalPKf", NULL, 0) == strlen("total(float const*)"));
  EXPECT(culink_demangle(NULL, shown, sizeof shown) == 0);
  EXPECT(culink_is_called("_Z5totalPKf", "total") == 1);
  EXPECT(culink_is_called("_Z5totalPKf", "tot") == 0);
  EXPECT(culink_is_called(NULL, "tot") == 0);
  EXPECT_TEXT(culink_known_name("symbol-type", 2), "FUNC");
}

static void files_appear_whole_or_not_at_all(void) {
  culink_answer *answer = NULL;
  const void *first = NULL;
  EXPECT(culink_write_file("no such folder/a", "a", 1, &answer) == CULINK_BAD_FILE);
  EXPECT(rows_of(answer, "finding", &first) == 1);
  EXPECT(strstr(((const culink_finding *)first)->text, "cannot create") != NULL);
  culink_answer_destroy(answer);
  EXPECT(culink_write_file("/dev/null", "a", 1, &answer) == CULINK_OK);
  culink_answer_destroy(answer);
  EXPECT(culink_write_file(NULL, "a", 1, &answer) == CULINK_INVALID_ARGUMENT);
}

static void structures_may_be_of_another_header(const culink_cubin *linked) {
  // A caller with an older header gets the members that it knows and nothing behind them.
  struct {
    culink_cubin_info info;
    unsigned char behind[64];
  } large;
  memset(&large, 0xee, sizeof large);
  large.info.struct_size = offsetof(culink_cubin_info, sm);
  EXPECT(culink_cubin_get_info(linked, &large.info) == CULINK_OK);
  EXPECT_TEXT(large.info.target, "sm_90");
  EXPECT(large.info.sm == 0xeeeeeeee);
  // With a newer one, what this library does not know is 0.
  large.info.struct_size = sizeof large;
  EXPECT(culink_cubin_get_info(linked, &large.info) == CULINK_OK);
  EXPECT(large.info.sm == 90 && large.info.toolkit == 130 && large.info.linked == 1);
  EXPECT(large.info.struct_size == sizeof large);
  for (size_t i = 0; i < sizeof large.behind; ++i)
    EXPECT(large.behind[i] == 0);
  // A size that was not set.
  large.info.struct_size = 0;
  EXPECT(culink_cubin_get_info(linked, &large.info) == CULINK_INVALID_ARGUMENT);
  large.info.struct_size = (size_t)-1;
  EXPECT(culink_cubin_get_info(linked, &large.info) == CULINK_INVALID_ARGUMENT);
}

static void damaged_files_say_where(void) {
  struct file linked = read_source(FOLDER "linked.cubin");
  culink_cubin *cubin = NULL;
  EXPECT(culink_cubin_open_bytes(&cubin, "cut", linked.data, linked.size / 2) == CULINK_BAD_FILE);
  EXPECT(strncmp(culink_cubin_error(cubin), "cut: ", 5) == 0);
  culink_finding error;
  error.struct_size = sizeof error;
  EXPECT(culink_cubin_get_error(cubin, &error) == CULINK_OK);
  EXPECT_TEXT(error.file, "cut");
  EXPECT(error.text[0] != '\0');
  culink_answer *answer = NULL;
  EXPECT(culink_cubin_verify(cubin, &answer) == CULINK_INVALID_ARGUMENT);
  EXPECT(culink_cubin_section_count(cubin) == 0);
  culink_cubin_info info;
  info.struct_size = sizeof info;
  EXPECT(culink_cubin_get_info(cubin, &info) == CULINK_INVALID_ARGUMENT);
  culink_cubin_destroy(cubin);
  EXPECT(culink_cubin_open_file(&cubin, "no such file") == CULINK_BAD_FILE);
  EXPECT(strstr(culink_cubin_error(cubin), "no such file") != NULL);
  culink_cubin_destroy(cubin);
  free(linked.data);
}

int main(void) {
  culink_cubin *object = NULL;
  culink_cubin *linked = NULL;
  EXPECT(culink_cubin_open_file(&object, CULINK_SOURCE_DIR "/" FOLDER "main.cubin") == CULINK_OK);
  struct file file = read_source(FOLDER "linked.cubin");
  EXPECT(culink_cubin_open_bytes(&linked, "linked", file.data, file.size) == CULINK_OK);
  EXPECT_TEXT(culink_cubin_error(linked), "");
  sections_and_symbols_are_listed(object);
  sections_and_symbols_are_listed(linked);
  relocations_and_attributes_are_listed(object);
  usage_is_that_of_the_kernels(linked);
  tools_are_listed(linked);
  lists_are_given_whole(linked);
  cubins_are_verified_and_compared(object, linked);
  code_is_found_and_unpacked();
  names_are_those_of_the_source();
  files_appear_whole_or_not_at_all();
  structures_may_be_of_another_header(linked);
  damaged_files_say_where();
  culink_cubin_destroy(object);
  culink_cubin_destroy(linked);
  free(file.data);
  return finish("cubins");
}
