/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A client of nvJitLink's functions in plain C, for any library that has them: it is loaded by its
 * path. The first words are options of nvJitLinkCreate, the words behind `--` steps:
 *
 *   client LIBRARY [-suffix=_13_0] OPTION... -- STEP...
 *
 *   file:KIND:PATH   AddFile        data:KIND:PATH   AddData with the bytes of a file, named PATH
 *   copy:KIND:PATH   AddData, from memory that is overwritten and freed before the next step
 *   complete         Complete       cubin:OUT, ptx:OUT, ltoir:OUT   size and contents, to a file
 *   version          Version        destroy          Destroy
 *   bad:NAME         a wrong call, by its name in kWrongCalls
 *
 * Each step prints one line with the code it got; at the end come both logs, line by line. Paths are
 * printed without their folders, so that two libraries can be compared by what they print.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *Handle;

static struct {
  int (*create)(Handle *, unsigned, const char **);
  int (*destroy)(Handle *);
  int (*add_data)(Handle, int, const void *, size_t, const char *);
  int (*add_file)(Handle, int, const char *);
  int (*complete)(Handle);
  int (*cubin_size)(Handle, size_t *);
  int (*cubin)(Handle, void *);
  int (*ptx_size)(Handle, size_t *);
  int (*ptx)(Handle, void *); /* of char; the same to callers */
  int (*ltoir_size)(Handle, size_t *);
  int (*ltoir)(Handle, void *);
  int (*error_size)(Handle, size_t *);
  int (*error)(Handle, char *);
  int (*info_size)(Handle, size_t *);
  int (*info)(Handle, char *);
  int (*version)(unsigned *, unsigned *);
} call;

static void *library;
static const char *suffix = "";
static Handle handle;

static void *find(const char *name, int versioned) {
  char full[128];
  snprintf(full, sizeof full, versioned && *suffix ? "__nvJitLink%s%s" : "nvJitLink%s", name,
           versioned ? suffix : "");
  return dlsym(library, full);
}

static int load(const char *path) {
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    printf("cannot load: %s\n", dlerror());
    return 0;
  }
  *(void **)&call.create = find("Create", 1);
  *(void **)&call.destroy = find("Destroy", 1);
  *(void **)&call.add_data = find("AddData", 1);
  *(void **)&call.add_file = find("AddFile", 1);
  *(void **)&call.complete = find("Complete", 1);
  *(void **)&call.cubin_size = find("GetLinkedCubinSize", 1);
  *(void **)&call.cubin = find("GetLinkedCubin", 1);
  *(void **)&call.ptx_size = find("GetLinkedPtxSize", 1);
  *(void **)&call.ptx = find("GetLinkedPtx", 1);
  *(void **)&call.ltoir_size = find("GetLinkedLTOIRSize", 1);
  *(void **)&call.ltoir = find("GetLinkedLTOIR", 1);
  *(void **)&call.error_size = find("GetErrorLogSize", 1);
  *(void **)&call.error = find("GetErrorLog", 1);
  *(void **)&call.info_size = find("GetInfoLogSize", 1);
  *(void **)&call.info = find("GetInfoLog", 1);
  *(void **)&call.version = find("Version", 0);
  if (!call.create || !call.destroy || !call.add_data || !call.add_file || !call.complete ||
      !call.cubin_size || !call.cubin || !call.ptx_size || !call.ptx || !call.error_size ||
      !call.error || !call.info_size || !call.info || !call.version) {
    printf("a function is missing\n");
    return 0;
  }
  return 1;
}

static const struct {
  const char *name;
  int number;
} kKinds[] = {{"none", 0},   {"cubin", 1},   {"ptx", 2},   {"ltoir", 3}, {"fatbin", 4},
              {"object", 5}, {"library", 6}, {"index", 7}, {"any", 10},  {"wild", 77}};

static int kind_number(const char *text, size_t length) {
  for (size_t i = 0; i < sizeof kKinds / sizeof *kKinds; ++i)
    if (strlen(kKinds[i].name) == length && strncmp(kKinds[i].name, text, length) == 0)
      return kKinds[i].number;
  printf("no such kind: %s\n", text);
  exit(2);
}

static char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    printf("cannot read %s\n", path);
    exit(2);
  }
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(*size + 1);
  if (fread(bytes, 1, *size, file) != *size)
    exit(2);
  fclose(file);
  return bytes;
}

/* One wrong call; the result is the code, or -1 for an unknown name. */
static int wrong_call(const char *name) {
  static const char *options[] = {"-arch=sm_90", NULL};
  char text[1];
  size_t size = 0;
  unsigned number = 0;
  Handle other = NULL;
  if (!strcmp(name, "create-null-result"))
    return call.create(NULL, 1, options);
  if (!strcmp(name, "create-without-options"))
    return call.create(&other, 0, NULL) * 10 + (other != NULL);
  if (!strcmp(name, "create-null-options"))
    return call.create(&other, 1, NULL) * 10 + (other != NULL);
  if (!strcmp(name, "create-null-word"))
    return call.create(&other, 2, options);
  if (!strcmp(name, "version-null"))
    return call.version(NULL, &number);
  if (!strcmp(name, "version-null-2"))
    return call.version(&number, NULL);
  if (!strcmp(name, "data-null"))
    return call.add_data(handle, 1, NULL, 10, "x");
  if (!strcmp(name, "data-null-empty"))
    return call.add_data(handle, 1, NULL, 0, "x");
  if (!strcmp(name, "data-empty"))
    return call.add_data(handle, 1, "x", 0, "x");
  if (!strcmp(name, "data-without-name"))
    return call.add_data(handle, 1, "xxxxxxxx", 8, NULL);
  if (!strcmp(name, "data-null-handle"))
    return call.add_data(NULL, 1, "x", 1, "x");
  if (!strcmp(name, "file-null"))
    return call.add_file(handle, 1, NULL);
  if (!strcmp(name, "file-null-handle"))
    return call.add_file(NULL, 1, "x");
  if (!strcmp(name, "complete-null-handle"))
    return call.complete(NULL);
  if (!strcmp(name, "cubin-size-null"))
    return call.cubin_size(handle, NULL);
  if (!strcmp(name, "cubin-size-null-handle"))
    return call.cubin_size(NULL, &size);
  if (!strcmp(name, "cubin-null"))
    return call.cubin(handle, NULL);
  if (!strcmp(name, "cubin-null-handle"))
    return call.cubin(NULL, text);
  if (!strcmp(name, "ptx-size-null"))
    return call.ptx_size(handle, NULL);
  if (!strcmp(name, "ptx-null"))
    return call.ptx(handle, NULL);
  if (!strcmp(name, "error-size-null"))
    return call.error_size(handle, NULL);
  if (!strcmp(name, "error-size-null-handle"))
    return call.error_size(NULL, &size);
  if (!strcmp(name, "error-null"))
    return call.error(handle, NULL);
  if (!strcmp(name, "info-size-null"))
    return call.info_size(handle, NULL);
  if (!strcmp(name, "info-size-null-handle"))
    return call.info_size(NULL, &size);
  if (!strcmp(name, "info-null"))
    return call.info(handle, NULL);
  if (!strcmp(name, "destroy-null"))
    return call.destroy(NULL);
  if (!strcmp(name, "destroy-null-handle"))
    return call.destroy(&other);
  return -1;
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static int add(const char *step, const char *kind, int by_data, int freed) {
  const char *path = strchr(kind, ':') + 1;
  const int number = kind_number(kind, (size_t)(path - 1 - kind));
  if (!by_data) {
    /* A name of its own, which is gone afterwards. */
    char *copy = malloc(strlen(path) + 1);
    strcpy(copy, path);
    const int code = call.add_file(handle, number, copy);
    if (freed)
      memset(copy, '#', strlen(copy));
    free(copy);
    return code;
  }
  size_t size = 0;
  char *bytes = read_file(path, &size);
  const int code = call.add_data(handle, number, bytes, size, base_name(path));
  if (freed) {
    memset(bytes, '#', size);
    free(bytes);
  }
  (void)step;
  return code;
}

static void save(const char *what, const char *path, int (*size_of)(Handle, size_t *),
                 int (*get)(Handle, void *), int text) {
  if (!size_of || !get) {
    printf("%s -> no such function\n", what);
    return;
  }
  size_t size = 0;
  const int code = size_of(handle, &size);
  if (code != 0) {
    printf("%s size -> %d\n", what, code);
    return;
  }
  char *bytes = malloc(size + 1);
  printf("%s -> %d%s\n", what, get(handle, bytes), size == 0 ? " empty" : "");
  if (text && size > 0 && bytes[size - 1] == 0)
    --size;
  FILE *file = *path ? fopen(path, "wb") : NULL;
  if (file) {
    fwrite(bytes, 1, size, file);
    fclose(file);
  }
  free(bytes);
}

static void print_log(const char *name, int (*size_of)(Handle, size_t *),
                      int (*get)(Handle, char *)) {
  size_t size = 0;
  const int code = size_of(handle, &size);
  if (code != 0 || size == 0) {
    printf("%s: %s\n", name, code == 0 ? "empty" : "no size");
    return;
  }
  char *text = calloc(size + 1, 1);
  const int got = get(handle, text);
  printf("%s: code %d, %s\n", name, got,
         strlen(text) == size      ? "without end"
         : strlen(text) + 1 == size ? "ends"
                                    : "shorter");
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
    printf("| %s\n", line);
  free(text);
}

static void run_step(const char *step) {
  if (!strncmp(step, "file:", 5))
    printf("%.9s %s -> %d\n", "file", base_name(step + 5), add(step, step + 5, 0, 1));
  else if (!strncmp(step, "data:", 5))
    printf("data %s -> %d\n", base_name(step + 5), add(step, step + 5, 1, 0));
  else if (!strncmp(step, "copy:", 5))
    printf("data %s -> %d\n", base_name(step + 5), add(step, step + 5, 1, 1));
  else if (!strcmp(step, "complete"))
    printf("complete -> %d\n", call.complete(handle));
  else if (!strncmp(step, "cubin:", 6))
    save("cubin", step + 6, call.cubin_size, call.cubin, 0);
  else if (!strncmp(step, "ptx:", 4))
    save("ptx", step + 4, call.ptx_size, call.ptx, 1);
  else if (!strncmp(step, "ltoir:", 6))
    save("ltoir", step + 6, call.ltoir_size, call.ltoir, 0);
  else if (!strcmp(step, "version")) {
    unsigned major = 0, minor = 0;
    const int code = call.version(&major, &minor);
    printf("version -> %d %u.%u\n", code, major, minor);
  } else if (!strcmp(step, "destroy")) {
    const int code = call.destroy(&handle);
    printf("destroy -> %d, %s\n", code, handle ? "still set" : "null");
  } else if (!strncmp(step, "bad:", 4))
    printf("%s -> %d\n", step + 4, wrong_call(step + 4));
  else {
    printf("no such step: %s\n", step);
    exit(2);
  }
}

int main(int argc, char **argv) {
  setvbuf(stdout, NULL, _IONBF, 0);
  int at = 2;
  if (argc > 2 && !strncmp(argv[2], "-suffix=", 8)) {
    suffix = argv[2] + 8;
    ++at;
  }
  if (argc < 3 || !load(argv[1]))
    return 2;
  const char **options = (const char **)argv + at;
  unsigned count = 0;
  while (at < argc && strcmp(argv[at], "--") != 0)
    ++at, ++count;
  if (count > 0) {
    const int code = call.create(&handle, count, options);
    printf("create -> %d%s\n", code, handle ? "" : ", null");
  }
  for (++at; at < argc; ++at)
    run_step(argv[at]);
  if (handle) {
    print_log("error log", call.error_size, call.error);
    print_log("info log", call.info_size, call.info);
    call.destroy(&handle);
  }
  return 0;
}
