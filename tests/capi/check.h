// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests in C share: expectations that go on after a failure, and files as bytes.
#ifndef CULINK_TESTS_CHECK_H
#define CULINK_TESTS_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "culink.h"

static int failures = 0;

static void expect(int holds, const char *what, int line) {
  if (holds)
    return;
  fprintf(stderr, "line %d: not so: %s\n", line, what);
  ++failures;
}

static void expect_text(const char *is, const char *should_be, int line) {
  if (is != NULL && strcmp(is, should_be) == 0)
    return;
  fprintf(stderr, "line %d: '%s' instead of '%s'\n", line, is ? is : "(null)", should_be);
  ++failures;
}

struct file {
  unsigned char *data;
  size_t size;
};

// A file of the source tree; ends the program if there is none.
static struct file read_source(const char *path) {
  struct file out = {NULL, 0};
  char whole[4096];
  snprintf(whole, sizeof whole, "%s/%s", CULINK_SOURCE_DIR, path);
  FILE *in = fopen(whole, "rb");
  if (in != NULL && fseek(in, 0, SEEK_END) == 0) {
    const long size = ftell(in);
    rewind(in);
    out.data = malloc((size_t)size); // of the exact size, for sanitizers
    out.size = fread(out.data, 1, (size_t)size, in);
  }
  if (in == NULL || out.size == 0) {
    fprintf(stderr, "cannot read %s\n", whole);
    exit(2);
  }
  fclose(in);
  return out;
}

static int finish(const char *name) {
  printf("%s: %d failures\n", name, failures);
  return failures == 0 ? 0 : 1;
}

#endif
