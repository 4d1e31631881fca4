// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that runs out at any moment: the first request for memory fails, then the second, and so
// on, until a link, its messages and the reading of its result get by without the failed one. Each
// time the functions must say so, or do without, and leave all handles usable.
//
// What may surprise: this program's malloc takes the place of the C library's, also for the shared
// library, whose C++ runtime asks it for memory.
#include "check.h"

#define EXPECT(holds) expect((holds), #holds, __LINE__)
#define FOLDER "examples/vector_math/sm_90/"

extern void *__libc_malloc(size_t size); // of glibc
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static long requests = 0;   // since they are counted
static long first_bad = -1; // number of the first request that fails; -1: none
static long last_bad = -1;

static int is_refused(void) {
  const long number = requests++;
  return first_bad >= 0 && number >= first_bad && number <= last_bad;
}

void *malloc(size_t size) {
  return is_refused() ? NULL : __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  return is_refused() ? NULL : __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) {
  return is_refused() ? NULL : __libc_realloc(old, size);
}

static void begin(long first, long last) {
  requests = 0;
  first_bad = first;
  last_bad = last;
}

static struct file main_object, filter, linked;

static unsigned told; // how often a function said that memory had run out

static int may_be(culink_status status, culink_status expected) {
  told += status == CULINK_OUT_OF_MEMORY;
  return status == expected || status == CULINK_OUT_OF_MEMORY;
}

// All that a caller does, with and without an error in the program.
static void link_and_read(int with_error) {
  culink_link *link = NULL;
  culink_result *result = NULL;
  culink_cubin *cubin = NULL;
  int ready = culink_link_create(&link) == CULINK_OK;
  ready = ready && culink_link_add_option(link, "-arch=sm_90") == CULINK_OK;
  ready = ready && culink_link_add_option(link, "--emulate=nvlink-13.0.88") == CULINK_OK;
  ready = ready && culink_link_add_copy(link, "a", main_object.data, main_object.size) == CULINK_OK;
  if (!with_error)
    ready = ready && culink_link_add_bytes(link, "b", filter.data, filter.size) == CULINK_OK;
  if (ready) {
    const culink_status status = culink_link_run(link, &result);
    EXPECT(may_be(status, with_error ? CULINK_LINK_FAILED : CULINK_OK));
    EXPECT((result != NULL) == (status != CULINK_OUT_OF_MEMORY));
    size_t size = 0;
    const void *bytes = culink_result_bytes(result, &size);
    if (status == CULINK_OK) {
      EXPECT(size == linked.size && memcmp(bytes, linked.data, size) == 0);
      EXPECT(may_be(culink_cubin_open_bytes(&cubin, "c", bytes, size), CULINK_OK));
      culink_cubin_section_count(cubin);
      culink_cubin_attribute_count(cubin);
      culink_cubin_function_count(cubin);
    }
    culink_result_log(result, CULINK_TEXT);
  }
  culink_cubin_destroy(cubin);
  culink_result_destroy(result);
  // The link has not suffered.
  first_bad = -1;
  if (ready) {
    EXPECT(culink_link_run(link, &result) == (with_error ? CULINK_LINK_FAILED : CULINK_OK));
    culink_result_destroy(result);
  }
  culink_link_destroy(link);
}

int main(void) {
  main_object = read_source(FOLDER "main.cubin");
  filter = read_source(FOLDER "filter.cubin");
  linked = read_source(FOLDER "linked.cubin");
  for (int with_error = 0; with_error < 2; ++with_error) {
    begin(-1, -1);
    link_and_read(with_error);
    const long needed = requests; // of two links, one of which matters
    EXPECT(needed > 100);
    told = 0;
    for (long first = 0; first < needed / 2 + 200; first += 1 + first / 100) {
      begin(first, first);
      link_and_read(with_error);
      begin(first, 1L << 40);
      link_and_read(with_error);
    }
    EXPECT(told > 100);
  }
  begin(-1, -1);
  free(main_object.data);
  free(filter.data);
  free(linked.data);
  return finish("memory");
}
