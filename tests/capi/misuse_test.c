// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every function of the C interface called wrongly: without handles, with handles of another kind,
// without places to store to, with sizes that cannot be. Nothing may crash and nothing may change.
#include "check.h"

#define EXPECT(holds) expect((holds), #holds, __LINE__)
#define REFUSED(call) expect((call) == CULINK_INVALID_ARGUMENT, #call, __LINE__)

#define FOLDER CULINK_SOURCE_DIR "/examples/vector_math/sm_90/"

static int never_called(void *user, const char *step, uint32_t done, uint32_t total) {
  (void)user, (void)step, (void)done, (void)total;
  EXPECT(0);
  return 1;
}

static void links_are_refused(culink_link *link) {
  const char *words[] = {"-g"};
  culink_result *result = NULL;
  REFUSED(culink_link_add_option(link, "-g"));
  REFUSED(culink_link_add_options(link, words, 1));
  REFUSED(culink_link_add_options(link, NULL, 0));
  REFUSED(culink_link_add_file(link, "a"));
  REFUSED(culink_link_add_bytes(link, "a", "a", 1));
  REFUSED(culink_link_add_copy(link, "a", "a", 1));
  REFUSED(culink_link_add_library(link, "a"));
  REFUSED(culink_link_add_library_path(link, "a"));
  REFUSED(culink_link_set_tool(link, "ptxas", "a"));
  REFUSED(culink_link_find_tools(link, NULL));
  REFUSED(culink_link_set_progress(link, never_called, NULL));
  REFUSED(culink_link_cancel(link));
  REFUSED(culink_link_run(link, &result));
  EXPECT(result == NULL);
  EXPECT(culink_link_error(link) == NULL);
  EXPECT(culink_link_tool(link, "ptxas") == NULL);
  culink_link_destroy(link);
}

static void results_are_refused(culink_result *result) {
  size_t size = 7;
  EXPECT(culink_result_status(result) == CULINK_INVALID_ARGUMENT);
  EXPECT(culink_result_bytes(result, &size) == NULL);
  EXPECT(size == 0);
  EXPECT(culink_result_bytes(result, NULL) == NULL);
  EXPECT(culink_result_ptx(result) == NULL);
  EXPECT(culink_result_module_count(result) == 0);
  EXPECT(culink_result_module_input(result, 0) == NULL);
  EXPECT(culink_result_module_id(result, 0) == NULL);
  EXPECT(culink_result_message_count(result) == 0);
  EXPECT(culink_result_message(result, 0) == NULL);
  EXPECT(culink_result_log(result, CULINK_TEXT) == NULL);
  culink_result_destroy(result);
}

static void messages_are_refused(const culink_message *message) {
  culink_origin origin;
  origin.struct_size = sizeof origin;
  EXPECT(culink_message_severity(message) == CULINK_INFO);
  EXPECT(culink_message_id(message) == NULL);
  EXPECT(culink_message_text(message) == NULL);
  EXPECT(culink_message_hint(message) == NULL);
  EXPECT(culink_message_argument_count(message) == 0);
  EXPECT(culink_message_argument(message, 0) == NULL);
  EXPECT(culink_message_note_count(message) == 0);
  EXPECT(culink_message_note(message, 0) == NULL);
  EXPECT(culink_message_origin_count(message) == 0);
  REFUSED(culink_message_origin(message, 0, &origin));
}

static void cubins_are_refused(culink_cubin *cubin) {
  culink_cubin_info info = {.struct_size = sizeof info};
  culink_section section = {.struct_size = sizeof section};
  culink_symbol symbol = {.struct_size = sizeof symbol};
  culink_relocation relocation = {.struct_size = sizeof relocation};
  culink_function function = {.struct_size = sizeof function};
  culink_attribute attribute = {.struct_size = sizeof attribute};
  culink_value value = {.struct_size = sizeof value};
  culink_tool tool = {.struct_size = sizeof tool};
  REFUSED(culink_cubin_get_info(cubin, &info));
  REFUSED(culink_cubin_section(cubin, 0, &section));
  REFUSED(culink_cubin_symbol(cubin, 0, &symbol));
  REFUSED(culink_cubin_relocation(cubin, 0, &relocation));
  REFUSED(culink_cubin_function(cubin, 0, &function));
  REFUSED(culink_cubin_attribute(cubin, 0, &attribute));
  REFUSED(culink_cubin_attribute_value(cubin, 0, 0, &value));
  REFUSED(culink_cubin_tool(cubin, 0, &tool));
  EXPECT(culink_cubin_section_count(cubin) == 0);
  EXPECT(culink_cubin_symbol_count(cubin) == 0);
  EXPECT(culink_cubin_relocation_count(cubin) == 0);
  EXPECT(culink_cubin_function_count(cubin) == 0);
  EXPECT(culink_cubin_attribute_count(cubin) == 0);
  EXPECT(culink_cubin_tool_count(cubin) == 0);
}

static void wrong_arguments_change_nothing(culink_link *link) {
  const char *hole[] = {"-g", NULL};
  REFUSED(culink_link_create(NULL));
  REFUSED(culink_link_run(link, NULL));
  REFUSED(culink_link_add_option(link, NULL));
  REFUSED(culink_link_add_options(link, NULL, 1));
  REFUSED(culink_link_add_options(link, NULL, (size_t)-1));
  REFUSED(culink_link_add_options(link, hole, (size_t)-1));
  REFUSED(culink_link_add_options(link, hole, 2));
  REFUSED(culink_link_add_file(link, NULL));
  REFUSED(culink_link_add_bytes(link, NULL, "a", 1));
  REFUSED(culink_link_add_bytes(link, "a", NULL, 1));
  REFUSED(culink_link_add_bytes(link, "a", "a", (size_t)-1));
  REFUSED(culink_link_add_copy(link, NULL, "a", 1));
  REFUSED(culink_link_add_copy(link, "a", NULL, 1));
  REFUSED(culink_link_add_copy(link, "a", "a", (size_t)-1));
  REFUSED(culink_link_add_library(link, NULL));
  REFUSED(culink_link_add_library_path(link, NULL));
  REFUSED(culink_link_set_tool(link, NULL, "a"));
  REFUSED(culink_link_set_tool(link, "", "a"));
  EXPECT(culink_link_tool(link, NULL) == NULL);
  EXPECT(culink_known_name(NULL, 0) == NULL);
  // Nothing was added: a link of nothing, without a target.
  culink_result *result = NULL;
  EXPECT(culink_link_run(link, &result) == CULINK_LINK_FAILED);
  EXPECT(strcmp(culink_message_id(culink_result_message(result, 0)), "missing-target") == 0);
  EXPECT(culink_result_log(result, (culink_format)3) == NULL);
  EXPECT(culink_result_log(result, (culink_format)-1) == NULL);
  EXPECT(culink_result_message(result, culink_result_message_count(result)) == NULL);
  EXPECT(culink_result_message(result, (size_t)-1) == NULL);
  EXPECT(culink_message_argument(culink_result_message(result, 0), (size_t)-1) == NULL);
  REFUSED(culink_message_origin(culink_result_message(result, 0), 0, NULL));
  culink_result_destroy(result);
}

static void empty_and_missing_inputs_are_messages(void) {
  static const struct {
    const char *file;
    const char *data;
    size_t size;
  } rows[] = {{NULL, NULL, 0},
              {NULL, "", 0},
              {NULL, "x", 1},
              {"", NULL, 0},
              {"/no/such/file", NULL, 0},
              {"/", NULL, 0},
              {"/dev/null", NULL, 0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    culink_link *link = NULL;
    culink_result *result = NULL;
    EXPECT(culink_link_create(&link) == CULINK_OK);
    EXPECT(culink_link_add_option(link, "-arch=sm_90") == CULINK_OK);
    if (rows[i].file != NULL)
      EXPECT(culink_link_add_file(link, rows[i].file) == CULINK_OK);
    else
      EXPECT(culink_link_add_copy(link, "", rows[i].data, rows[i].size) == CULINK_OK);
    culink_link_run(link, &result);
    EXPECT(culink_result_message_count(result) >= 1);
    culink_result_destroy(result);
    culink_link_destroy(link);
  }
}

static void wrong_places_are_refused(const culink_cubin *cubin) {
  REFUSED(culink_cubin_open_file(NULL, "a"));
  REFUSED(culink_cubin_open_bytes(NULL, "a", "a", 1));
  culink_cubin *none = NULL;
  REFUSED(culink_cubin_open_file(&none, NULL));
  REFUSED(culink_cubin_open_bytes(&none, "a", NULL, 1));
  REFUSED(culink_cubin_open_bytes(&none, "a", "a", (size_t)-1));
  EXPECT(none == NULL);
  EXPECT(culink_cubin_open_bytes(&none, NULL, NULL, 0) == CULINK_BAD_FILE);
  cubins_are_refused(none);
  culink_cubin_destroy(none);
  REFUSED(culink_cubin_get_info(cubin, NULL));
  REFUSED(culink_cubin_section(cubin, 0, NULL));
  REFUSED(culink_cubin_symbol(cubin, 0, NULL));
  REFUSED(culink_cubin_relocation(cubin, 0, NULL));
  REFUSED(culink_cubin_function(cubin, 0, NULL));
  REFUSED(culink_cubin_attribute(cubin, 0, NULL));
  REFUSED(culink_cubin_attribute_value(cubin, 0, 0, NULL));
  REFUSED(culink_cubin_tool(cubin, 0, NULL));
  culink_section section = {.struct_size = sizeof section};
  culink_value value = {.struct_size = sizeof value};
  REFUSED(culink_cubin_section(cubin, (size_t)-1, &section));
  REFUSED(culink_cubin_section(cubin, culink_cubin_section_count(cubin), &section));
  REFUSED(culink_cubin_attribute_value(cubin, (size_t)-1, 0, &value));
  REFUSED(culink_cubin_attribute_value(cubin, 0, (size_t)-1, &value));
}

int main(void) {
  links_are_refused(NULL);
  results_are_refused(NULL);
  messages_are_refused(NULL);
  cubins_are_refused(NULL);
  EXPECT(culink_cubin_error(NULL) == NULL);
  culink_cubin_destroy(NULL);

  // One handle for another: languages that know pointers only can do that.
  culink_link *link = NULL;
  culink_cubin *cubin = NULL;
  culink_result *result = NULL;
  EXPECT(culink_link_create(&link) == CULINK_OK);
  EXPECT(culink_cubin_open_file(&cubin, FOLDER "linked.cubin") == CULINK_OK);
  EXPECT(culink_link_run(link, &result) == CULINK_LINK_FAILED);
  links_are_refused((culink_link *)cubin);
  links_are_refused((culink_link *)result);
  results_are_refused((culink_result *)link);
  results_are_refused((culink_result *)cubin);
  messages_are_refused((const culink_message *)result);
  cubins_are_refused((culink_cubin *)link);
  culink_cubin_destroy((culink_cubin *)link);
  culink_cubin_destroy((culink_cubin *)result);
  EXPECT(culink_cubin_error((culink_cubin *)link) == NULL);
  EXPECT(culink_cubin_section_count(cubin) > 0); // they are all still there
  EXPECT(culink_result_status(result) == CULINK_LINK_FAILED);

  wrong_arguments_change_nothing(link);
  wrong_places_are_refused(cubin);
  empty_and_missing_inputs_are_messages();
  culink_result_destroy(result);
  culink_cubin_destroy(cubin);
  culink_link_destroy(link);
  return finish("misuse");
}
