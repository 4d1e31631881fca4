// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// culink's C interface: links CUDA device code and reads cubins, from libculink.so or an archive.
// For C99 and later, C++, and every language that can call C. docs/library.md shows complete
// programs.
//
//   culink_link *link = NULL;
//   culink_result *result = NULL;
//   culink_link_create(&link);
//   culink_link_add_option(link, "-arch=sm_90");
//   culink_link_add_file(link, "a.cubin");
//   culink_link_add_bytes(link, "b", data, size);
//   if (culink_link_run(link, &result) == CULINK_OK)
//     use(culink_result_bytes(result, &size), size);
//   else
//     fputs(culink_result_log(result, CULINK_TEXT), stderr);
//   culink_result_destroy(result);
//   culink_link_destroy(link);
//
// These rules hold for every function:
//
// Errors. No function throws or aborts. A function that can fail returns a culink_status; a
// function that returns a value returns NULL or 0 if there is none. A failed call leaves all
// handles unchanged.
//
// Misuse. A handle that is NULL or of another kind, NULL for text or for a place to store to, or an
// index past the end: the function has no effect and returns CULINK_INVALID_ARGUMENT, NULL or 0.
// Exceptions are documented at the function. Freed handles and invalid pointers are not detected.
//
// Lifetime. A handle from `..._create`, `..._open` or `..._run`, and an answer, is freed once by
// the function `..._destroy` of its kind, in any order: a result does not need its link, nor an
// answer its cubin. Text, lists and bytes that a function returns belong to the handle that was
// passed to it and live as long as that handle. Text ends with a zero; it is UTF-8, or has the
// bytes of the inputs.
//
// Threads. Handles do not share anything, so any number of threads may use different ones, with no
// lock between them. Any number of threads may read one result, cubin or answer. Only one thread
// may use a link, except for culink_link_cancel. A second thread that calls into a link while it
// runs gets CULINK_BUSY.
//
// Versions. Functions and constants are never changed or removed while the number in the library's
// name (libculink.so.0) stays the same. The library fills structures, which may grow in later
// versions: their first member is the size of the caller's structure.
#ifndef CULINK_H
#define CULINK_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CULINK_API __attribute__((visibility("default")))
#else
#define CULINK_API
#endif

// In C++ an enumeration has a fixed type, so that numbers of later versions are valid values, too.
#ifdef __cplusplus
#define CULINK_ENUM : int32_t
extern "C" {
#else
#define CULINK_ENUM
#endif

// The version of the interface that this header describes: it grows with every function. A library
// serves programs that were compiled with an equal or lower number.
#define CULINK_ABI_VERSION 2

// The version of the library's interface, which may be higher than CULINK_ABI_VERSION.
CULINK_API uint32_t culink_abi_version(void);

// The library's version: "0.2.0". Lives as long as the library is loaded.
CULINK_API const char *culink_version(void);

// Demangles a symbol: "total(float const*, float*, int)". Stores as much of the name as fits into
// `size` bytes, always with a zero at the end, and returns the length of the whole name.
CULINK_API size_t culink_demangle(const char *name, char *buffer, size_t size);
// Returns 1 if `wanted` is a name of the symbol `name`: mangled, or as in the source, with or
// without parameters.
CULINK_API int32_t culink_is_called(const char *name, const char *wanted);

typedef enum culink_status CULINK_ENUM {
  CULINK_OK = 0,
  CULINK_INVALID_ARGUMENT = 1, // see Misuse above
  CULINK_OUT_OF_MEMORY = 2,
  CULINK_BUSY = 3, // the link is running: in another thread, or in the caller of this callback
  CULINK_BAD_OPTION = 4,     // culink_link_error has the reason
  CULINK_LINK_FAILED = 5,    // the messages of the result have the reason
  CULINK_CANCELLED = 6,      // culink_link_cancel, or a callback that asked for it
  CULINK_BAD_FILE = 7,       // culink_cubin_error has the reason
  CULINK_INTERNAL_ERROR = 8, // something failed below culink, such as the start of a thread
} culink_status;

// "ok", "invalid argument"; "unknown status" for a number that is not a status.
CULINK_API const char *culink_status_name(culink_status status);

// Lists of names, by index from 0; NULL after the last name, and for a list that does not exist.
// "target", "emulate" and "dialect": the values of -arch, --emulate and --dialect. "topic": the
// topics that culink_cubin_diff can ignore. "file-type", "binding" and "symbol-type": the names of
// these numbers of a cubin by their value, "" for a number without a name.
CULINK_API const char *culink_known_name(const char *list, size_t index);

// ---- Links

typedef struct culink_link culink_link;
typedef struct culink_result culink_result;
typedef struct culink_message culink_message;

// Creates a link without inputs. Only culink_link_run reads files.
CULINK_API culink_status culink_link_create(culink_link **link);
// Has no effect for NULL, and while the link runs.
CULINK_API void culink_link_destroy(culink_link *link);

// The options of the program `culink`, as words of its command line: "-arch=sm_90" (required),
// "-r", "-g", "--kernels-used=a,b", "--emulate=nvlink-13.0.88", "--ptxas=PATH"; docs/culink.md
// lists them. Their grammar is documented, known to users of nvlink and grows without a change of
// this interface; a wrong word gives CULINK_BAD_OPTION at once and leaves the link unchanged.
// Options for printing or for writing a file are refused, and so are words that are not options.
// "-o NAME" gives the output the name that -g records; no file is written.
CULINK_API culink_status culink_link_add_option(culink_link *link, const char *word);
// Adds several words, one of which may be the value of the one before: "-arch", "sm_90". 0 words
// have no effect, and `words` may be NULL.
CULINK_API culink_status culink_link_add_options(culink_link *link, const char *const *words,
                                                 size_t count);
// Adds an option by its long name ("kernels-used"). Commas in the values have no meaning, and the
// values are checked by the run, not by this call. An empty list is a value, too: for
// "kernels-used" it keeps no kernel.
CULINK_API culink_status culink_link_add_values(culink_link *link, const char *option,
                                                const char *const *values, size_t count);
// Sets the kernels that host code launches, as patterns of whole names with `*` for any text: one
// list for global and one for local symbols. Other kernels are discarded.
CULINK_API culink_status culink_link_set_host_kernels(culink_link *link, const char *const *global,
                                                      size_t global_count, const char *const *local,
                                                      size_t local_count);
// The reason of the last CULINK_BAD_OPTION; "" if there was none.
CULINK_API const char *culink_link_error(const culink_link *link);

// Adds an input, in the order of the link. Its content decides its kind: object, fatbin, host
// object, archive or PTX.
CULINK_API culink_status culink_link_add_file(culink_link *link, const char *path);
// Adds bytes that the caller keeps, unchanged, until the last run has ended. `name` is their name
// in messages. 0 bytes are a damaged input; `data` may be NULL then.
CULINK_API culink_status culink_link_add_bytes(culink_link *link, const char *name,
                                               const void *data, size_t size);
// Adds an input and copies its bytes.
CULINK_API culink_status culink_link_add_copy(culink_link *link, const char *name, const void *data,
                                              size_t size);
// Adds the archive lib<name>.a after all inputs, and a folder to search for archives, as -l and -L
// do, except that commas belong to the name.
CULINK_API culink_status culink_link_add_library(culink_link *link, const char *name);
CULINK_API culink_status culink_link_add_library_path(culink_link *link, const char *folder);

// Sets the path of an NVIDIA program or library that a link may use; NULL: none. `kind` is "ptxas":
// compiles PTX; without it, PTX is refused. "libnvJitLink": schedules code of sm_100 and later
// again, and compiles for -dlto. "nvlink": schedules code again where there is no libnvJitLink.
// "compiler": the libnvJitLink that compiles for -dlto, if it is a different one. "culink": the
// program that is run to load libnvJitLink; without it, libnvJitLink is not used. Another kind:
// CULINK_INVALID_ARGUMENT.
CULINK_API culink_status culink_link_set_tool(culink_link *link, const char *kind,
                                              const char *path);
// Looks for these in the toolkit in `folder`, or, with NULL, where the program `culink` does:
// CUDA_HOME, CUDA_PATH, beside the nvcc in PATH, /usr/local/cuda. The program itself is looked for
// beside this library (../bin) and in PATH. Tools that are not found keep their path;
// culink_link_tool returns the paths. No other function reads the environment.
CULINK_API culink_status culink_link_find_tools(culink_link *link, const char *folder);
// Adds a folder that culink_link_find_tools searches before the usual ones.
CULINK_API culink_status culink_link_add_tool_folder(culink_link *link, const char *folder);
// The path of a tool, or NULL.
CULINK_API const char *culink_link_tool(const culink_link *link, const char *kind);

// Called while the link runs, by threads of the link, one at a time: at the start of each step,
// with its name, and after each input, with how many of `total` have been read. It returns 0 to go
// on; any other value cancels the link. Calls into the running link return CULINK_BUSY there.
typedef int (*culink_progress)(void *user, const char *step, uint32_t done, uint32_t total);
// Sets the callback of the link; NULL: none.
CULINK_API culink_status culink_link_set_progress(culink_link *link, culink_progress callback,
                                                  void *user);

// Cancels the current run, or the next one if there is none. Any thread may call it. The run ends
// at the next step or input, NVIDIA's programs that it started end too, and it returns
// CULINK_CANCELLED.
CULINK_API culink_status culink_link_cancel(culink_link *link);

// Links. The same link may be run again: with the same inputs, it gives the same bytes. Stores a
// result with CULINK_OK, CULINK_LINK_FAILED and CULINK_CANCELLED, otherwise NULL.
CULINK_API culink_status culink_link_run(culink_link *link, culink_result **result);

// ---- Results

CULINK_API void culink_result_destroy(culink_result *result);
// The status that culink_link_run returned.
CULINK_API culink_status culink_result_status(const culink_result *result);
// The linked cubin. NULL, and 0 in `size`, if there is none. `size` may be NULL.
CULINK_API const void *culink_result_bytes(const culink_result *result, size_t *size);
// The PTX, with the option -emit-ptx; otherwise NULL.
CULINK_API const char *culink_result_ptx(const culink_result *result);

// The modules that host code registers: the inputs that were linked. The id is the one that nvcc
// gave the host object, or "" if there is none; the input is then known by its name.
CULINK_API size_t culink_result_module_count(const culink_result *result);
CULINK_API const char *culink_result_module_input(const culink_result *result, size_t index);
CULINK_API const char *culink_result_module_id(const culink_result *result, size_t index);

// All messages, in the order of the inputs. They live as long as the result.
CULINK_API size_t culink_result_message_count(const culink_result *result);
CULINK_API const culink_message *culink_result_message(const culink_result *result, size_t index);

typedef enum culink_format CULINK_ENUM {
  CULINK_TEXT = 0,   // as the program `culink` prints them
  CULINK_JSON = 1,   // an object per line (docs/culink.md)
  CULINK_NVLINK = 2, // nvlink's lines, up to the point at which nvlink would have stopped
} culink_format;

// All messages at once; "" if there are none. NULL if memory runs out, or for another format.
CULINK_API const char *culink_result_log(const culink_result *result, culink_format format);

typedef enum culink_severity CULINK_ENUM {
  CULINK_INFO = 0,
  CULINK_WARNING = 1,
  CULINK_ERROR = 2,
  CULINK_BUG = 3, // an internal error of the linker
} culink_severity;

// One message. `id` is the same in every release ("undefined-reference"); `text` is for people, one
// line, without the rest; `hint`, what to do about it, may be "". NULL gives CULINK_INFO.
CULINK_API culink_severity culink_message_severity(const culink_message *message);
CULINK_API const char *culink_message_id(const culink_message *message);
CULINK_API const char *culink_message_text(const culink_message *message);
CULINK_API const char *culink_message_hint(const culink_message *message);
// The whole message, as the program `culink` prints it, without a line feed at the end.
CULINK_API const char *culink_message_shown(const culink_message *message);
// The arguments of the text: names, sizes, files.
CULINK_API size_t culink_message_argument_count(const culink_message *message);
CULINK_API const char *culink_message_argument(const culink_message *message, size_t index);
// Further facts.
CULINK_API size_t culink_message_note_count(const culink_message *message);
CULINK_API const char *culink_message_note(const culink_message *message, size_t index);

// A place that a message refers to.
typedef struct culink_origin {
  size_t struct_size; // set by the caller: sizeof(culink_origin)
  const char *role;   // "referenced by"; each of these may be ""
  const char *file;   // as it was given
  const char *member; // of an archive
  const char *symbol; // mangled
  const char *detail; // the property of that place: "16 bytes"
} culink_origin;
CULINK_API size_t culink_message_origin_count(const culink_message *message);
CULINK_API culink_status culink_message_origin(const culink_message *message, size_t index,
                                               culink_origin *origin);

// ---- Cubins

typedef struct culink_cubin culink_cubin;

// Reads a cubin or a relocatable device object and checks all of it once. CULINK_BAD_FILE stores a
// handle, too, for culink_cubin_error, culink_cubin_get_error and culink_cubin_destroy; everything
// else in it is empty. Other errors store NULL.
CULINK_API culink_status culink_cubin_open_file(culink_cubin **cubin, const char *path);
// Reads bytes that the caller keeps, unchanged, until the cubin is destroyed. `name` is their name
// in errors, and may be NULL. `data` may be NULL if `size` is 0, which is CULINK_BAD_FILE.
CULINK_API culink_status culink_cubin_open_bytes(culink_cubin **cubin, const char *name,
                                                 const void *data, size_t size);
CULINK_API void culink_cubin_destroy(culink_cubin *cubin);
// The error of a file that could not be opened: file, part of the file, field and reason; else "".
CULINK_API const char *culink_cubin_error(const culink_cubin *cubin);

// Something that is wrong or different. Each of these may be "".
typedef struct culink_finding {
  size_t struct_size;
  const char *rule;  // the rule that is broken ("section-flags"), or the topic of a difference
  const char *file;  // as it was given
  const char *place; // a section, a symbol, a record
  const char *field; // of it
  const char *text;  // what is wrong
} culink_finding;
// An error of opening, in parts. All are "" if the file was opened.
CULINK_API culink_status culink_cubin_get_error(const culink_cubin *cubin, culink_finding *error);

// A value that the file does not record, in members of type int64_t.
#define CULINK_NOT_SAID (-1)

typedef struct culink_cubin_info {
  size_t struct_size;
  const char *target;    // "sm_90a"
  int32_t linked;        // 1: an executable image; 0: an object
  int32_t mercury;       // 1: carries Mercury code beside its machine code (sm_100 and later)
  uint32_t sm;           // 90
  uint32_t virtual_sm;   // 90 for compute_90; 0: not recorded
  uint32_t toolkit;      // 130 for CUDA 13.0; 0: not recorded
  uint32_t flags;        // e_flags
  uint64_t global_bytes; // variables in global memory
  uint64_t shared_bytes; // static shared memory of no particular kernel
  uint64_t reserved_shared_bytes; // taken by the system at the start of shared memory
  uint32_t type;                  // ET_...
  uint32_t bits;                  // 64; 32 in old files
  uint32_t abi_version;           // EI_ABIVERSION
} culink_cubin_info;
CULINK_API culink_status culink_cubin_get_info(const culink_cubin *cubin, culink_cubin_info *info);

typedef struct culink_section {
  size_t struct_size;
  const char *name;
  const char *type_name; // "CUDA_INFO"; "": not known
  const char *role;      // what it is for: "text", "constant", "info", "unknown"
  const char *function;  // the function that it belongs to, or ""
  const void *data;      // NULL if there are no bytes of it in the file
  uint64_t data_size;
  uint64_t flags;
  uint64_t offset;
  uint64_t size;
  uint64_t align;
  uint64_t entsize;
  uint32_t type;
  uint32_t link;
  uint32_t info;
} culink_section;
// By index; number 0 is the null section.
CULINK_API size_t culink_cubin_section_count(const culink_cubin *cubin);
CULINK_API culink_status culink_cubin_section(const culink_cubin *cubin, size_t index,
                                              culink_section *section);

typedef struct culink_symbol {
  size_t struct_size;
  const char *name; // mangled; the section's name for a section symbol without a name
  uint64_t value;
  uint64_t size;
  uint32_t section;         // index; 0: undefined or special
  uint32_t special_section; // SHN_ABS, SHN_COMMON; 0: neither
  uint8_t binding;          // STB_...
  uint8_t type;             // STT_...
  uint8_t other;            // st_other
  uint8_t kernel;           // 1: an entry point
  uint32_t table;           // index of the section with the symbol
} culink_symbol;
// The symbols of .symtab, by number; number 0 is the null symbol.
CULINK_API size_t culink_cubin_symbol_count(const culink_cubin *cubin);
CULINK_API culink_status culink_cubin_symbol(const culink_cubin *cubin, size_t index,
                                             culink_symbol *symbol);

typedef struct culink_relocation {
  size_t struct_size;
  const char *type_name; // "R_CUDA_ABS32_LO_20"; "": not known
  const char *symbol_name;
  uint64_t offset; // in `section`
  int64_t addend;
  uint32_t table;   // index of the section with the relocation
  uint32_t section; // index of the section that it is for
  uint32_t symbol;  // number in the symbol table of `table`
  uint32_t type;
} culink_relocation;
CULINK_API size_t culink_cubin_relocation_count(const culink_cubin *cubin);
CULINK_API culink_status culink_cubin_relocation(const culink_cubin *cubin, size_t index,
                                                 culink_relocation *relocation);

// The resources of one kernel or device function. CULINK_NOT_SAID: not recorded in the file.
typedef struct culink_function {
  size_t struct_size;
  const char *name; // mangled
  uint32_t symbol;  // its number in .symtab
  int32_t kernel;   // 1: an entry point
  uint64_t code_bytes;
  uint64_t shared_bytes; // static; for a linked kernel, the reserved area included
  uint64_t local_bytes;
  uint64_t constant_bytes; // in all banks
  int64_t registers;
  int64_t register_limit;  // given to the compiler; 255: none
  int64_t frame_bytes;     // stack, its own
  int64_t min_stack_bytes; // with all that it calls; 0xffffffff: without a limit
  int64_t max_stack_bytes; // the same
  int64_t barriers;
  int64_t parameter_bytes;
  int64_t max_threads[3];      // __launch_bounds__
  int64_t required_threads[3]; // .reqntid
  int64_t spills; // instructions that store or load spilled registers; CUDA 12.9 and later
} culink_function;
// In symbol order.
CULINK_API size_t culink_cubin_function_count(const culink_cubin *cubin);
CULINK_API culink_status culink_cubin_function(const culink_cubin *cubin, size_t index,
                                               culink_function *function);

// One record of .nv.info, .nv.info.<function> or .nv.compat.
typedef struct culink_attribute {
  size_t struct_size;
  const char *name;     // "EIATTR_REGCOUNT"; "": not known
  const char *function; // that it is about; "": the whole module
  const void *payload;  // of format 4, else NULL
  uint64_t payload_size;
  uint64_t offset;      // in its section
  uint64_t value_count; // of culink_cubin_attribute_value
  uint32_t section;     // index
  uint8_t code;
  uint8_t format;       // 1 no value, 2 byte, 3 half word, 4 payload
  uint64_t first_value; // index in the list "value" of culink_cubin_list
} culink_attribute;
CULINK_API size_t culink_cubin_attribute_count(const culink_cubin *cubin);
CULINK_API culink_status culink_cubin_attribute(const culink_cubin *cubin, size_t index,
                                                culink_attribute *attribute);

typedef enum culink_value_kind CULINK_ENUM {
  CULINK_NUMBER = 0,
  CULINK_SYMBOL = 1,      // `number` in the symbol table, its name in `text`
  CULINK_CODE_OFFSET = 2, // in the code of the function
  CULINK_STRING = 3,      // `text`
} culink_value_kind;
// A part of the value of a record, in the order of the file.
typedef struct culink_value {
  size_t struct_size;
  const char *key; // "value", "symbol", "offset": as in the JSON of `cubin dump`
  const char *text;
  uint64_t number;
  culink_value_kind kind;
} culink_value;
CULINK_API culink_status culink_cubin_attribute_value(const culink_cubin *cubin, size_t attribute,
                                                      size_t index, culink_value *value);

// A program that took part in making the file; older files do not record any.
typedef struct culink_tool {
  size_t struct_size;
  const char *name; // "ptxas"
  const char *version;
  const char *build;
  const char *options;
  const char *object; // the name of the file at that time, or ""
} culink_tool;
CULINK_API size_t culink_cubin_tool_count(const culink_cubin *cubin);
CULINK_API culink_status culink_cubin_tool(const culink_cubin *cubin, size_t index,
                                           culink_tool *tool);

// Bytes in a constant bank.
typedef struct culink_bank {
  size_t struct_size;
  uint64_t bytes;
  uint32_t function; // index; 0xffffffff: of the whole module
  uint32_t bank;
} culink_bank;

// An ELF note.
typedef struct culink_note {
  size_t struct_size;
  const char *owner; // "NVIDIA Corp"
  const void *desc;
  uint64_t desc_size;
  uint32_t section; // index
  uint32_t type;
} culink_note;

// ---- Whole lists

// A list as an array, for languages in which a call per row is slow. A row has the structure of the
// library's version, which may be larger than the header's.
typedef struct culink_list {
  size_t struct_size;
  const void *first; // NULL if there are none
  size_t count;
  size_t stride; // bytes from a row to the next
} culink_list;
// "section", "symbol", "relocation", "function", "attribute", "tool": as above. "value": of all
// attributes. "other-symbol": culink_symbol of other tables, which files with Mercury code have.
// "bank": culink_bank. "note": culink_note. Another kind: CULINK_INVALID_ARGUMENT.
CULINK_API culink_status culink_cubin_list(const culink_cubin *cubin, const char *kind,
                                           culink_list *list);

// The result of a query about files: lists, or bytes.
typedef struct culink_answer culink_answer;
CULINK_API void culink_answer_destroy(culink_answer *answer);
// Each function that makes an answer documents its lists; the lists of other functions are empty.
CULINK_API culink_status culink_answer_list(const culink_answer *answer, const char *kind,
                                            culink_list *list);
CULINK_API const void *culink_answer_bytes(const culink_answer *answer, size_t *size);

// Lists the rules of a well-formed file that a cubin breaks, as `cubin verify` does. "finding":
// culink_finding.
CULINK_API culink_status culink_cubin_verify(const culink_cubin *cubin, culink_answer **answer);

// Lists the differences of two cubins, as `cubin diff` does, except for the topics in `ignored`,
// with at most `limit` differences of each topic. "finding": culink_finding. "count": culink_count
// of every topic.
typedef struct culink_count {
  size_t struct_size;
  const char *name;
  uint64_t count; // differences beyond the limit included
} culink_count;
CULINK_API culink_status culink_cubin_diff(const culink_cubin *first, const culink_cubin *second,
                                           const char *const *ignored, size_t ignored_count,
                                           uint64_t limit, culink_answer **answer);

// A piece of device code in a file.
typedef struct culink_code {
  size_t struct_size;
  const char *kind;     // "cubin", "ptx", "lto", "other"
  const char *target;   // "sm_90a", "compute_80", "lto_90"; "": not known
  const char *member;   // of the archive, or ""
  const char *place;    // the section; "fatbin", or "file" if it is not in a section
  const char *packing;  // "raw", "lz4", "zstd", "unknown"
  const char *source;   // noted by the compiler, most often the source's name; or ""
  const char *name;     // "3.sm_90.cubin": unique in the file
  uint64_t size;        // in bytes, when unpacked
  uint64_t packed_size; // in the file
  uint32_t number;      // from 1
} culink_code;
// Lists all device code in a cubin, fatbin, host object, program, shared library or archive.
// "code": culink_code. "finding": culink_finding of parts that could not be read, with CULINK_OK;
// with CULINK_BAD_FILE, the reason. The caller keeps the bytes as for culink_cubin_open_bytes.
CULINK_API culink_status culink_find_code_in_file(const char *path, culink_answer **answer);
CULINK_API culink_status culink_find_code_in_bytes(const char *name, const void *data, size_t size,
                                                   culink_answer **answer);
// Unpacks a piece into the bytes of an answer. CULINK_BAD_FILE: it is damaged; "finding" has the
// reason.
CULINK_API culink_status culink_code_unpack(const culink_answer *code, size_t index,
                                            culink_answer **answer);

// Writes a file, which appears whole or not at all. CULINK_BAD_FILE: it could not be written;
// "finding" has the reason.
CULINK_API culink_status culink_write_file(const char *path, const void *data, size_t size,
                                           culink_answer **answer);

#ifdef __cplusplus
}
#endif

#endif
