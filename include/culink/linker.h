// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links CUDA device code from within a program. The result of a link depends on its request only: a
// link does not read the environment or keep state, and writes no files except in the cache of the
// request. So any number of links may run at once in one process, and equal requests give equal
// bytes.
//
//   culink::LinkRequest request;
//   request.target = "sm_90";
//   request.inputs = {culink::LinkInput::file("a.cubin"),
//                     culink::LinkInput::memory("b", bytes_of_b)};
//   culink::LinkResult result = culink::link(request);
//   for (const culink::Message &message : result.messages)
//     std::cerr << culink::format_message(message, "my program");
//   if (result.ok())
//     load_module(result.bytes);
//
// CMake: find_package(culink) and target_link_libraries(... culink::api).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "culink/byte_buffer.h"
#include "culink/cache_options.h"
#include "culink/diagnostics.h"
#include "culink/finalizer_engine.h"
#include "culink/link_facts.h"
#include "culink/link_options.h"
#include "culink/link_progress.h"
#include "culink/lto_options.h"
#include "culink/step_time.h"
#include "culink/types.h"

namespace culink {

// One file to link. Bytes in memory are borrowed until link() returns.
struct LinkInput {
  std::string name;              // a path, or the name of the bytes in messages
  std::optional<ByteSpan> bytes; // nothing: read the file `name`

  [[nodiscard]] static LinkInput file(std::string path) { return {std::move(path), {}}; }
  [[nodiscard]] static LinkInput memory(std::string name, ByteSpan bytes) {
    return {std::move(name), bytes};
  }
};

// A file that the caller will write after the link.
struct PlannedOutput {
  std::string name; // in messages: "-o a.cubin"
  std::string path;
};

struct LinkRequest {
  std::string target; // "sm_90"
  // Objects, fatbins, host objects, archives and PTX, by their content. The order decides the order
  // of the output.
  std::vector<LinkInput> inputs;
  // Archives lib<name>.a after the inputs, each from the first of the folders that has it.
  std::vector<std::string> libraries;
  std::vector<std::string> library_paths;
  // An input, library or member of a thin archive that is one of these files is an error: writing
  // them would destroy it.
  std::vector<PlannedOutput> outputs;
  bool needs_all_libraries = false; // a missing one is an error, not a warning
  LinkOptions options;
  // The compiler for PTX among the inputs, by its path, and further options for it. Empty: PTX is
  // refused.
  std::string ptxas;
  std::vector<std::string> ptxas_options;
  // PTX of a fatbin is compiled with the options recorded in the fatbin, followed by ptxas_options.
  // nvlink does so, nvJitLink does not.
  bool heeds_recorded_options = true;
  // Code for link-time optimisation among the inputs.
  LtoOptions lto;
  // The host program will register the modules of the result.
  bool registers_modules = false;
  // The tools that schedule code of sm_100 and later again. None: see OutputCode.
  FinalizerEngine finalizer;
  // The cache for outputs of these compilers. Empty: they run for every link.
  CacheOptions cache;
  // Empty: culink's own output. "nvlink-13.0.88": the bytes that version of nvlink would write,
  // its known defects included.
  std::string emulate;
  // Empty: the output has the conventions of the newest release of CUDA that made an input. "13.2":
  // the conventions of this release. Cannot be combined with `emulate`.
  std::string dialect;
  // The limit in bytes for unpacked code together with the image; 0: no limit. To limit all memory
  // of a link, a program limits its process, as culink does.
  u64 memory_limit = 0;
  // If not null: updated while the link runs, for other threads.
  LinkProgress *progress = nullptr;
  // Provides the memory for a large image, which saves a copy: returns zeroed memory of exactly
  // this size that outlives the result, or empty memory to decline. The bytes are complete only if
  // the link succeeds.
  std::function<MutableByteSpan(u64 size)> place;
};

// A linked module, as the host program registers it: by the id that nvcc gave its host object or,
// without a host object, by the path of the input.
struct LinkedModule {
  std::string input;
  std::string id;     // empty: registered by path
  bool linked = true; // false: a part of the device runtime library that no object needs
};

struct LinkResult {
  ByteBuffer bytes; // the linked cubin; empty if the link failed
  std::string ptx;  // the optimised program instead of `bytes`, with LtoOptions::emit_ptx
  // All inputs were read and do not conflict. If the link failed, the errors are about the program
  // as a whole, such as undefined symbols or exceeded limits.
  bool complete = false;
  std::vector<Message> messages;     // in the order of the inputs, all of them
  LinkFacts facts;                   // with LinkOptions::facts, of a complete link
  std::vector<std::string> compiled; // names of inputs that were PTX
  std::vector<LinkedModule> modules; // in the order of the inputs, unused ones too
  std::vector<StepTime> times;       // of the steps, with LinkOptions::times
  std::vector<StepTime> compilers;   // part of these: waiting for ptxas and other compilers
  CacheUse cache;                    // compiler runs that the cache saved

  [[nodiscard]] bool ok() const { return !bytes.empty() || !ptx.empty(); }
};

// Links, and checks the result against the rules of the format before it is returned. The only
// exception is std::bad_alloc.
[[nodiscard]] LinkResult link(const LinkRequest &request);

// Lists the modules that a link would register, without linking them: fills only `modules` and
// `messages` of the result. The target may be a virtual one (compute_90).
[[nodiscard]] LinkResult list_modules(const LinkRequest &request);

// Returns the non-empty values of LinkRequest::emulate.
[[nodiscard]] std::vector<std::string_view> emulated_linkers();

// Returns the non-empty values of LinkRequest::dialect, oldest first.
[[nodiscard]] std::vector<std::string> known_dialects();

} // namespace culink
