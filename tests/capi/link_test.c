// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links through the C interface: from files and bytes, with options, libraries, progress,
// cancelling and messages, as a program in C sees them.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#define EXPECT(holds) expect((holds), #holds, __LINE__)
#define EXPECT_TEXT(is, should_be) expect_text((is), (should_be), __LINE__)

#define FOLDER "examples/vector_math/sm_90/"

static culink_link *new_link(const char *arch) {
  culink_link *link = NULL;
  EXPECT(culink_link_create(&link) == CULINK_OK);
  EXPECT(link != NULL);
  if (arch != NULL)
    EXPECT(culink_link_add_option(link, arch) == CULINK_OK);
  return link;
}

static void expect_bytes(const culink_result *result, struct file expected, int line) {
  size_t size = 0;
  const void *bytes = culink_result_bytes(result, &size);
  expect(size == expected.size && bytes != NULL && memcmp(bytes, expected.data, size) == 0,
         "the bytes are those of nvlink", line);
}

// The same bytes from files, borrowed bytes and copies; twice from one link; and after it is gone.
static void links_what_nvlink_links(void) {
  const struct file main_object = read_source(FOLDER "main.cubin");
  const struct file filter = read_source(FOLDER "filter.cubin");
  const struct file linked = read_source(FOLDER "linked.cubin");
  for (int way = 0; way < 3; ++way) {
    culink_link *link = new_link("-arch=sm_90");
    EXPECT(culink_link_add_option(link, "--emulate=nvlink-13.0.88") == CULINK_OK);
    if (way == 0) {
      EXPECT(culink_link_add_file(link, CULINK_SOURCE_DIR "/" FOLDER "main.cubin") == CULINK_OK);
      EXPECT(culink_link_add_file(link, CULINK_SOURCE_DIR "/" FOLDER "filter.cubin") == CULINK_OK);
    } else if (way == 1) {
      EXPECT(culink_link_add_bytes(link, "a", main_object.data, main_object.size) == CULINK_OK);
      EXPECT(culink_link_add_bytes(link, "b", filter.data, filter.size) == CULINK_OK);
    } else {
      struct file copy = read_source(FOLDER "main.cubin");
      EXPECT(culink_link_add_copy(link, "a", copy.data, copy.size) == CULINK_OK);
      memset(copy.data, 0, copy.size);
      free(copy.data);
      EXPECT(culink_link_add_copy(link, "b", filter.data, filter.size) == CULINK_OK);
    }
    culink_result *first = NULL;
    culink_result *second = NULL;
    EXPECT(culink_link_run(link, &first) == CULINK_OK);
    EXPECT(culink_link_run(link, &second) == CULINK_OK);
    EXPECT(first != second);
    culink_link_destroy(link);
    expect_bytes(first, linked, __LINE__);
    culink_result_destroy(first);
    expect_bytes(second, linked, __LINE__);
    EXPECT(culink_result_status(second) == CULINK_OK);
    EXPECT(culink_result_ptx(second) == NULL);
    EXPECT(culink_result_message_count(second) == 0);
    EXPECT_TEXT(culink_result_log(second, CULINK_TEXT), "");
    culink_result_destroy(second);
  }
  free(main_object.data);
  free(filter.data);
  free(linked.data);
}

static void options_are_those_of_the_command_line(void) {
  culink_link *link = new_link(NULL);
  EXPECT_TEXT(culink_link_error(link), "");
  const char *const two_words[] = {"-arch", "sm_90", "-r"};
  EXPECT(culink_link_add_options(link, two_words, 3) == CULINK_OK);
  EXPECT(culink_link_add_options(link, NULL, 0) == CULINK_OK);
  EXPECT(culink_link_add_option(link, "-arch") == CULINK_BAD_OPTION); // without its value
  EXPECT(culink_link_add_option(link, "--cache-dir=cache") == CULINK_OK);
  EXPECT(strstr(culink_link_error(link), "arch") != NULL);
  EXPECT(culink_link_add_option(link, "--no-such-option") == CULINK_BAD_OPTION);
  EXPECT(strstr(culink_link_error(link), "no-such-option") != NULL);
  EXPECT(culink_link_add_option(link, "a.cubin") == CULINK_BAD_OPTION);
  EXPECT_TEXT(culink_link_error(link), "'a.cubin' is no option");
  EXPECT(culink_link_add_option(link, "") == CULINK_BAD_OPTION);
  static const char *const for_programs[] = {"--help",
                                             "-V",
                                             "-v",
                                             "--stats",
                                             "-Map=x",
                                             "--color=always",
                                             "-time=x",
                                             "--make-jit-folder=x",
                                             "--make-toolchain=x",
                                             "--cache-stats",
                                             "--cache-clear"};
  for (size_t i = 0; i < sizeof for_programs / sizeof *for_programs; ++i) {
    EXPECT(culink_link_add_option(link, for_programs[i]) == CULINK_BAD_OPTION);
    EXPECT(strstr(culink_link_error(link), "option of the program") != NULL);
  }
  FILE *words = fopen("words.rsp", "w");
  fputs("-r\n", words);
  fclose(words);
  EXPECT(culink_link_add_option(link, "@words.rsp") == CULINK_BAD_OPTION);
  EXPECT(strstr(culink_link_error(link), "the library reads no option files") != NULL);
  remove("words.rsp");
  // What was refused has left nothing behind.
  EXPECT(culink_link_add_file(link, CULINK_SOURCE_DIR "/" FOLDER "main.cubin") == CULINK_OK);
  culink_result *result = NULL;
  EXPECT(culink_link_run(link, &result) == CULINK_OK);
  size_t size = 0;
  culink_cubin *cubin = NULL;
  const void *bytes = culink_result_bytes(result, &size);
  EXPECT(culink_cubin_open_bytes(&cubin, NULL, bytes, size) == CULINK_OK);
  culink_cubin_info info;
  info.struct_size = sizeof info;
  EXPECT(culink_cubin_get_info(cubin, &info) == CULINK_OK);
  EXPECT(info.linked == 0); // -r was heard
  EXPECT_TEXT(info.target, "sm_90");
  culink_cubin_destroy(cubin);
  culink_result_destroy(result);
  culink_link_destroy(link);
}

static void messages_are_data(void) {
  culink_link *link = new_link("-arch=sm_90");
  EXPECT(culink_link_add_file(link, CULINK_SOURCE_DIR "/" FOLDER "main.cubin") == CULINK_OK);
  EXPECT(culink_link_add_library(link, "with,comma") == CULINK_OK);
  EXPECT(culink_link_add_library_path(link, "/nowhere") == CULINK_OK);
  culink_result *result = NULL;
  EXPECT(culink_link_run(link, &result) == CULINK_LINK_FAILED);
  culink_link_destroy(link);
  EXPECT(culink_result_status(result) == CULINK_LINK_FAILED);
  size_t size = 1;
  EXPECT(culink_result_bytes(result, &size) == NULL);
  EXPECT(size == 0);
  EXPECT(culink_result_message_count(result) >= 2);
  const culink_message *missing = culink_result_message(result, 0);
  EXPECT(culink_message_severity(missing) == CULINK_WARNING);
  EXPECT_TEXT(culink_message_id(missing), "library-not-found");
  EXPECT_TEXT(culink_message_argument(missing, 0), "with,comma");
  EXPECT(culink_message_note_count(missing) == 1);
  EXPECT_TEXT(culink_message_note(missing, 0), "no libwith,comma.a in /nowhere");
  EXPECT(culink_message_note(missing, 1) == NULL);
  const culink_message *undefined = culink_result_message(result, 1);
  EXPECT(culink_message_severity(undefined) == CULINK_ERROR);
  EXPECT_TEXT(culink_message_id(undefined), "undefined-reference");
  EXPECT(strstr(culink_message_text(undefined), "undefined symbol") != NULL);
  EXPECT(culink_message_hint(undefined) != NULL);
  EXPECT(culink_message_argument_count(undefined) >= 1);
  EXPECT(culink_message_origin_count(undefined) >= 1);
  culink_origin origin;
  origin.struct_size = sizeof origin;
  EXPECT(culink_message_origin(undefined, 0, &origin) == CULINK_OK);
  EXPECT(origin.struct_size == sizeof origin);
  EXPECT_TEXT(origin.role, "referenced by");
  EXPECT(strstr(origin.file, "main.cubin") != NULL);
  EXPECT_TEXT(origin.member, "");
  EXPECT(origin.symbol != NULL && origin.detail != NULL);
  const char *text = culink_result_log(result, CULINK_TEXT);
  EXPECT(text != NULL && strstr(text, "culink: error: undefined symbol: ") != NULL);
  EXPECT(culink_result_log(result, CULINK_TEXT) == text); // made once
  EXPECT(strstr(culink_result_log(result, CULINK_JSON), "\"undefined-reference\"") != NULL);
  EXPECT(strstr(culink_result_log(result, CULINK_NVLINK), "nvlink error   : Undefined reference") !=
         NULL);
  culink_result_destroy(result);
}

static void quiet_links_have_short_logs(void) {
  culink_link *link = new_link("-arch=sm_90");
  EXPECT(culink_link_add_option(link, "-w") == CULINK_OK);
  EXPECT(culink_link_add_option(link, "-report-arch") == CULINK_OK);
  EXPECT(culink_link_add_option(link, "--no-demangle") == CULINK_OK);
  EXPECT(culink_link_add_option(link, "-lmissing") == CULINK_OK);
  EXPECT(culink_link_add_file(link, CULINK_SOURCE_DIR "/" FOLDER "main.cubin") == CULINK_OK);
  culink_result *result = NULL;
  EXPECT(culink_link_run(link, &result) == CULINK_LINK_FAILED);
  const char *log = culink_result_log(result, CULINK_TEXT);
  EXPECT(strstr(log, "missing") == NULL);
  EXPECT(strstr(log, "sm_90") != NULL);
  EXPECT(strstr(log, "_Z") != NULL);
  EXPECT(strstr(culink_result_log(result, CULINK_NVLINK), "(target: sm_90)") != NULL);
  EXPECT_TEXT(culink_message_id(culink_result_message(result, 0)), "library-not-found");
  culink_result_destroy(result);
  culink_link_destroy(link);
}

struct watcher {
  culink_link *link;
  unsigned calls, stop_at;
  uint32_t most_done;
};

static int watch(void *user, const char *step, uint32_t done, uint32_t total) {
  struct watcher *watcher = user;
  ++watcher->calls;
  EXPECT(step != NULL && done <= total + 1);
  watcher->most_done = done > watcher->most_done ? done : watcher->most_done;
  // The link is busy with us.
  EXPECT(culink_link_add_option(watcher->link, "-g") == CULINK_BUSY);
  culink_result *inner = (culink_result *)watcher;
  EXPECT(culink_link_run(watcher->link, &inner) == CULINK_BUSY);
  EXPECT(inner == NULL);
  culink_link_destroy(watcher->link);
  return watcher->stop_at != 0 && watcher->calls >= watcher->stop_at;
}

static void links_are_watched_and_cancelled(void) {
  struct watcher watcher = {NULL, 0, 0, 0};
  watcher.link = new_link("-arch=sm_90");
  EXPECT(culink_link_add_file(watcher.link, CULINK_SOURCE_DIR "/" FOLDER "main.cubin") ==
         CULINK_OK);
  EXPECT(culink_link_add_file(watcher.link, CULINK_SOURCE_DIR "/" FOLDER "filter.cubin") ==
         CULINK_OK);
  EXPECT(culink_link_set_progress(watcher.link, watch, &watcher) == CULINK_OK);
  culink_result *result = NULL;
  EXPECT(culink_link_run(watcher.link, &result) == CULINK_OK);
  culink_result_destroy(result);
  EXPECT(watcher.calls > 10);
  EXPECT(watcher.most_done == 2);
  const unsigned whole = watcher.calls;
  for (watcher.stop_at = 1; watcher.stop_at <= whole; ++watcher.stop_at) {
    watcher.calls = 0;
    EXPECT(culink_link_run(watcher.link, &result) == CULINK_CANCELLED);
    EXPECT(culink_result_bytes(result, NULL) == NULL);
    EXPECT(culink_result_message_count(result) == 1);
    EXPECT_TEXT(culink_message_id(culink_result_message(result, 0)), "cancelled");
    culink_result_destroy(result);
  }
  // Before the run, for one run, and without a callback.
  EXPECT(culink_link_set_progress(watcher.link, NULL, NULL) == CULINK_OK);
  EXPECT(culink_link_cancel(watcher.link) == CULINK_OK);
  EXPECT(culink_link_run(watcher.link, &result) == CULINK_CANCELLED);
  EXPECT(culink_result_status(result) == CULINK_CANCELLED);
  culink_result_destroy(result);
  EXPECT(culink_link_run(watcher.link, &result) == CULINK_OK);
  culink_result_destroy(result);
  culink_link_destroy(watcher.link);
}

static void *cancel_soon(void *link) {
  const struct timespec pause = {0, 200000000};
  nanosleep(&pause, NULL);
  culink_link_cancel(link);
  return NULL;
}

// Programs that never end, in the place of NVIDIA's, are ended with the link, whatever they do in
// it.
static void cancelling_ends_programs(void) {
  char script[] = "./culink_hangs_XXXXXX";
  FILE *out = fdopen(mkstemp(script), "w");
  fputs("#!/bin/sh\nexec sleep 600\n", out);
  fchmod(fileno(out), 0700);
  fclose(out);
  static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n";
  static const char *const rows[][6] = {
      // target, option, two tools that are the script, inputs
      {"-arch=sm_90", "-r", "ptxas", "nvlink", NULL, NULL},
      {"-arch=sm_90", "-dlto", "culink", "libnvJitLink",
       CULINK_SOURCE_DIR "/tests/lto/recorded/math.fatbin", NULL},
      {"-arch=sm_100", "--code=exact", "culink", "libnvJitLink",
       CULINK_SOURCE_DIR "/examples/vector_math/sm_100/filter.cubin",
       CULINK_SOURCE_DIR "/examples/vector_math/sm_100/main.cubin"},
      {"-arch=sm_100", "--code=exact", "nvlink", "ptxas",
       CULINK_SOURCE_DIR "/examples/vector_math/sm_100/filter.cubin",
       CULINK_SOURCE_DIR "/examples/vector_math/sm_100/main.cubin"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    culink_link *link = new_link(rows[i][0]);
    EXPECT(culink_link_add_option(link, rows[i][1]) == CULINK_OK);
    EXPECT(culink_link_set_tool(link, rows[i][2], script) == CULINK_OK);
    EXPECT(culink_link_set_tool(link, rows[i][3], script) == CULINK_OK);
    if (rows[i][4] == NULL)
      EXPECT(culink_link_add_bytes(link, "x.ptx", ptx, sizeof ptx - 1) == CULINK_OK);
    for (int k = 4; k < 6 && rows[i][k] != NULL; ++k)
      EXPECT(culink_link_add_file(link, rows[i][k]) == CULINK_OK);
    pthread_t other;
    const time_t before = time(NULL);
    EXPECT(pthread_create(&other, NULL, cancel_soon, link) == 0);
    culink_result *result = NULL;
    EXPECT(culink_link_run(link, &result) == CULINK_CANCELLED);
    EXPECT(time(NULL) - before < 30);
    pthread_join(other, NULL);
    culink_result_destroy(result);
    culink_link_destroy(link);
  }
  remove(script);
}

static void tools_are_set_and_found(void) {
  culink_link *link = new_link("-arch=sm_90");
  EXPECT(culink_link_tool(link, "ptxas") == NULL);
  EXPECT(culink_link_set_tool(link, "ptxas", "/no/ptxas") == CULINK_OK);
  EXPECT_TEXT(culink_link_tool(link, "ptxas"), "/no/ptxas");
  EXPECT(culink_link_find_tools(link, "/no/such/toolkit") == CULINK_OK);
  EXPECT_TEXT(culink_link_tool(link, "ptxas"), "/no/ptxas"); // nothing found, nothing changed
  EXPECT(culink_link_tool(link, "nvlink") == NULL);
  EXPECT(culink_link_set_tool(link, "ptxas", NULL) == CULINK_OK);
  EXPECT(culink_link_tool(link, "ptxas") == NULL);
  EXPECT(culink_link_set_tool(link, "gcc", "/usr/bin/gcc") == CULINK_INVALID_ARGUMENT);
  EXPECT(culink_link_find_tools(link, NULL) == CULINK_OK);
  culink_link_destroy(link);
}

static void modules_are_listed(void) {
  culink_link *link = new_link("-arch=sm_90");
  EXPECT(culink_link_add_file(link, CULINK_SOURCE_DIR "/" FOLDER "main.cubin") == CULINK_OK);
  EXPECT(culink_link_add_file(link, CULINK_SOURCE_DIR "/" FOLDER "filter.cubin") == CULINK_OK);
  culink_result *result = NULL;
  EXPECT(culink_link_run(link, &result) == CULINK_OK);
  EXPECT(culink_result_module_count(result) == 2);
  EXPECT(strstr(culink_result_module_input(result, 1), "filter.cubin") != NULL);
  EXPECT_TEXT(culink_result_module_id(result, 1), "");
  EXPECT(culink_result_module_input(result, 2) == NULL);
  EXPECT(culink_result_module_id(result, 2) == NULL);
  culink_result_destroy(result);
  culink_link_destroy(link);
}

static void names_are_known(void) {
  EXPECT(culink_abi_version() == CULINK_ABI_VERSION);
  EXPECT(strchr(culink_version(), '.') != NULL);
  EXPECT_TEXT(culink_status_name(CULINK_OK), "ok");
  EXPECT_TEXT(culink_status_name(CULINK_INTERNAL_ERROR), "internal error");
  EXPECT_TEXT(culink_status_name((culink_status)1000), "unknown status");
  int found = 0;
  for (size_t i = 0; culink_known_name("target", i) != NULL; ++i)
    found += strcmp(culink_known_name("target", i), "sm_90") == 0;
  EXPECT(found == 1);
  EXPECT(culink_known_name("emulate", 0) != NULL);
  EXPECT(culink_known_name("dialect", 0) != NULL);
  EXPECT(culink_known_name("colour", 0) == NULL);
  EXPECT(culink_known_name("target", (size_t)-1) == NULL);
}

// Links both objects after `change` and expects as many kernels.
static void expect_kernels(void (*change)(culink_link *), size_t count, int line) {
  culink_link *link = new_link("-arch=sm_90");
  culink_result *result = NULL;
  culink_cubin *cubin = NULL;
  change(link);
  EXPECT(culink_link_add_file(link, CULINK_SOURCE_DIR "/" FOLDER "main.cubin") == CULINK_OK);
  EXPECT(culink_link_add_file(link, CULINK_SOURCE_DIR "/" FOLDER "filter.cubin") == CULINK_OK);
  EXPECT(culink_link_run(link, &result) == CULINK_OK);
  size_t size = 0;
  const void *bytes = culink_result_bytes(result, &size);
  EXPECT(culink_cubin_open_bytes(&cubin, NULL, bytes, size) == CULINK_OK);
  culink_function function = {.struct_size = sizeof function};
  size_t kernels = 0;
  for (size_t i = 0; culink_cubin_function(cubin, i, &function) == CULINK_OK; ++i)
    kernels += function.kernel == 1;
  expect(kernels == count, "kernels are kept", line);
  culink_cubin_destroy(cubin);
  culink_result_destroy(result);
  culink_link_destroy(link);
}

static void keep_total(culink_link *link) {
  const char *const names[] = {"total(float const*, float*, int)"};
  EXPECT(culink_link_add_values(link, "kernels-used", names, 1) == CULINK_OK);
}
static void keep_none(culink_link *link) {
  EXPECT(culink_link_add_values(link, "kernels-used", NULL, 0) == CULINK_OK);
}
static void launch_smooth(culink_link *link) {
  const char *const patterns[] = {"_Z6smooth*"};
  EXPECT(culink_link_set_host_kernels(link, patterns, 1, NULL, 0) == CULINK_OK);
}
static void misuse_lists(culink_link *link) {
  EXPECT(culink_link_add_values(link, "debug", NULL, 0) == CULINK_BAD_OPTION);
  EXPECT_TEXT(culink_link_error(link), "--debug is no option of a link with values");
  EXPECT(culink_link_add_values(link, "no-such", NULL, 0) == CULINK_BAD_OPTION);
  EXPECT(culink_link_add_values(link, NULL, NULL, 0) == CULINK_INVALID_ARGUMENT);
  EXPECT(culink_link_add_values(link, "kernels-used", NULL, 1) == CULINK_INVALID_ARGUMENT);
  EXPECT(culink_link_set_host_kernels(link, NULL, 0, NULL, 1) == CULINK_INVALID_ARGUMENT);
  EXPECT(culink_link_add_tool_folder(link, NULL) == CULINK_INVALID_ARGUMENT);
  EXPECT(culink_link_add_tool_folder(link, "/no/such/folder") == CULINK_OK);
}

static void lists_keep_kernels(void) {
  expect_kernels(keep_total, 1, __LINE__);
  expect_kernels(keep_none, 0, __LINE__);
  expect_kernels(launch_smooth, 1, __LINE__);
  expect_kernels(misuse_lists, 2, __LINE__);
}

int main(void) {
  links_what_nvlink_links();
  options_are_those_of_the_command_line();
  messages_are_data();
  quiet_links_have_short_logs();
  links_are_watched_and_cancelled();
  cancelling_ends_programs();
  tools_are_set_and_found();
  modules_are_listed();
  lists_keep_kernels();
  names_are_known();
  return finish("links");
}
