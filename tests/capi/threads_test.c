// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sixteen threads at once: each links the same bytes with a handle of its own, all read one result
// and one cubin, and all call into one link, of which one at a time is let in; some cancel it.
#include <pthread.h>

#include "check.h"

#define FOLDER "examples/vector_math/sm_90/"
enum { kThreads = 16, kLinks = 8 };

struct shared {
  struct file main_object, filter, linked;
  culink_link *link; // that all of them try to run
  culink_result *result;
  culink_cubin *cubin;
};

struct one {
  pthread_t thread;
  const struct shared *shared;
  int number, wrong;
};

static culink_link *new_link(const struct shared *shared) {
  culink_link *link = NULL;
  culink_link_create(&link);
  culink_link_add_option(link, "-arch=sm_90");
  culink_link_add_option(link, "--emulate=nvlink-13.0.88");
  culink_link_add_option(link, "--threads=2");
  culink_link_add_bytes(link, "main", shared->main_object.data, shared->main_object.size);
  culink_link_add_bytes(link, "filter", shared->filter.data, shared->filter.size);
  return link;
}

static int is_right(const struct shared *shared, const culink_result *result) {
  size_t size = 0;
  const void *bytes = culink_result_bytes(result, &size);
  return size == shared->linked.size && memcmp(bytes, shared->linked.data, size) == 0;
}

static void use_one_link(const struct shared *shared, struct one *one, int round) {
  culink_result *result = NULL;
  if (one->number == 0 && round % 2 == 1)
    culink_link_cancel(shared->link);
  const culink_status status = culink_link_run(shared->link, &result);
  if (status == CULINK_OK)
    one->wrong += !is_right(shared, result);
  else
    one->wrong += status != CULINK_BUSY && status != CULINK_CANCELLED;
  one->wrong += (result == NULL) != (status == CULINK_BUSY);
  culink_result_destroy(result);
}

static void *work(void *argument) {
  struct one *one = argument;
  const struct shared *shared = one->shared;
  for (int round = 0; round < kLinks; ++round) {
    culink_link *link = new_link(shared);
    culink_result *result = NULL;
    one->wrong += culink_link_run(link, &result) != CULINK_OK;
    culink_link_destroy(link);
    one->wrong += !is_right(shared, result);
    culink_result_destroy(result);
    use_one_link(shared, one, round);
    one->wrong += culink_result_log(shared->result, (culink_format)(round % 3)) == NULL;
    one->wrong += culink_cubin_section_count(shared->cubin) == 0;
    one->wrong += culink_cubin_function_count(shared->cubin) == 0;
    one->wrong += culink_cubin_attribute_count(shared->cubin) == 0;
    one->wrong += culink_known_name("target", 0) == NULL;
  }
  return NULL;
}

int main(void) {
  struct shared shared;
  shared.main_object = read_source(FOLDER "main.cubin");
  shared.filter = read_source(FOLDER "filter.cubin");
  shared.linked = read_source(FOLDER "linked.cubin");
  shared.link = new_link(&shared);
  shared.result = NULL;
  shared.cubin = NULL;
  expect(culink_cubin_open_bytes(&shared.cubin, NULL, shared.linked.data, shared.linked.size) ==
             CULINK_OK,
         "opened", __LINE__);
  culink_link *failing = NULL;
  culink_link_create(&failing);
  expect(culink_link_run(failing, &shared.result) == CULINK_LINK_FAILED, "has messages", __LINE__);
  culink_link_destroy(failing);

  struct one all[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    all[i].shared = &shared;
    all[i].number = i;
    all[i].wrong = 0;
    expect(pthread_create(&all[i].thread, NULL, work, &all[i]) == 0, "started", __LINE__);
  }
  for (int i = 0; i < kThreads; ++i) {
    pthread_join(all[i].thread, NULL);
    expect(all[i].wrong == 0, "every call of the thread did what it should", __LINE__);
  }
  culink_link_destroy(shared.link);
  culink_result_destroy(shared.result);
  culink_cubin_destroy(shared.cubin);
  free(shared.main_object.data);
  free(shared.filter.data);
  free(shared.linked.data);
  return finish("threads");
}
