// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links device objects through the C interface, shows how far it is, and lists the kernels of the
// result.
//
//   link_in_c OUTPUT OPTION|FILE...      link_in_c linked.cubin -arch=sm_90 a.cubin b.cubin
#include <stdio.h>

#include "culink.h"

// Called at each step of the link. Returning 1 would cancel it.
static int show_step(void *user, const char *step, uint32_t done, uint32_t total) {
  fprintf((FILE *)user, "%s, %u of %u files read\n", step, (unsigned)done, (unsigned)total);
  return 0;
}

static void list_kernels(const void *bytes, size_t size) {
  culink_cubin *cubin = NULL;
  culink_function function;
  function.struct_size = sizeof function; // so that later versions may have more members
  culink_cubin_open_bytes(&cubin, "output", bytes, size);
  for (size_t i = 0; culink_cubin_function(cubin, i, &function) == CULINK_OK; ++i)
    if (function.kernel)
      printf("%s: %d registers, %d bytes of shared memory\n", function.name,
             (int)function.registers, (int)function.shared_bytes);
  culink_cubin_destroy(cubin);
}

static int write_file(const char *path, const void *bytes, size_t size) {
  FILE *out = fopen(path, "wb");
  const int written = out != NULL && fwrite(bytes, 1, size, out) == size;
  return out != NULL && fclose(out) == 0 && written ? 0 : 1;
}

// 0, or 1 if an option was refused.
static int add_arguments(culink_link *link, int argc, char **argv) {
  for (int i = 2; i < argc; ++i) {
    const culink_status status = argv[i][0] == '-' ? culink_link_add_option(link, argv[i])
                                                   : culink_link_add_file(link, argv[i]);
    if (status != CULINK_OK) {
      fprintf(stderr, "link_in_c: %s: %s\n", argv[i],
              status == CULINK_BAD_OPTION ? culink_link_error(link) : culink_status_name(status));
      return 1;
    }
  }
  return 0;
}

int main(int argc, char **argv) {
  culink_link *link = NULL;
  culink_result *result = NULL;
  int status = 1;
  if (argc > 2 && culink_link_create(&link) == CULINK_OK && add_arguments(link, argc, argv) == 0) {
    culink_link_set_progress(link, show_step, stderr);
    if (culink_link_run(link, &result) == CULINK_OK) {
      size_t size = 0;
      const void *bytes = culink_result_bytes(result, &size);
      list_kernels(bytes, size);
      status = write_file(argv[1], bytes, size);
    }
    const char *log = culink_result_log(result, CULINK_TEXT);
    fputs(log != NULL ? log : "link_in_c: out of memory\n", stderr);
  }
  culink_result_destroy(result); // NULL is no mistake
  culink_link_destroy(link);
  return status;
}
