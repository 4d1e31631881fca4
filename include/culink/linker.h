// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linking CUDA device code from a program of your own. A link is a function of its request: it
// reads no environment, keeps no state and writes no file but those of a cache that it names, so
// any number of them may run at once in one process, and the same request gives the same bytes
// every time.
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
  std::string name;              // a path, or what messages call the bytes
  std::optional<ByteSpan> bytes; // nothing: read the file `name`

  [[nodiscard]] static LinkInput file(std::string path) { return {std::move(path), {}}; }
  [[nodiscard]] static LinkInput memory(std::string name, ByteSpan bytes) {
    return {std::move(name), bytes};
  }
};

// A file that somebody will write after the link.
struct PlannedOutput {
  std::string name; // what messages call it: "-o a.cubin"
  std::string path;
};

struct LinkRequest {
  std::string target; // "sm_90"
  // Objects, fatbins, host objects, archives and PTX, by their content. The order decides the order
  // of the output.
  std::vector<LinkInput> inputs;
  // Archives lib<name>.a behind the inputs, from the first of the folders that has them.
  std::vector<std::string> libraries;
  std::vector<std::string> library_paths;
  // An input, library or member of a thin archive that is one of these files is an error: writing
  // them would destroy it.
  std::vector<PlannedOutput> outputs;
  bool needs_all_libraries = false; // one that is not found is an error and not a warning
  LinkOptions options;
  // The compiler for PTX among the inputs, by its path, and further options for it. Empty: PTX is
  // refused.
  std::string ptxas;
  std::vector<std::string> ptxas_options;
  // PTX of a fatbin is compiled with the options that the fatbin has beside it, too, before those
  // above. nvlink does so, nvJitLink does not.
  bool heeds_recorded_options = true;
  // Code for link-time optimisation among the inputs.
  LtoOptions lto;
  // The host program will register the modules of the result.
  bool registers_modules = false;
  // What schedules code of sm_100 and later again. None: see OutputCode.
  FinalizerEngine finalizer;
  // Answers of these compilers from earlier links. Empty: they are asked every time.
  CacheOptions cache;
  // Empty: culink's own output. "nvlink-13.0.88": the bytes that version of nvlink would write,
  // its known defects included.
  std::string emulate;
  // Empty: the output has the conventions of the newest release of CUDA that made an input. "13.2":
  // those of that release. Not together with `emulate`.
  std::string dialect;
  // Bytes that packed code may unpack to, and that the image may have together with it; 0: no
  // limit. A program that wants a limit for all that a link takes sets one for its process, as
  // culink does.
  u64 memory_limit = 0;
  // If not null: filled while the link runs, for another thread to look at.
  LinkProgress *progress = nullptr;
  // Where a large image is made, which saves a copy: returns memory of just that size, all zero,
  // that outlives the result. Empty memory: the image is made elsewhere. The bytes are complete
  // only if the link passes.
  std::function<MutableByteSpan(u64 size)> place;
};

// Something that was linked, as the host program registers it: by the id that nvcc gave its host
// object, or, where there was no host object, by the path of the input.
struct LinkedModule {
  std::string input;
  std::string id;     // empty: by path
  bool linked = true; // else a part of the device runtime library that no object needed
};

struct LinkResult {
  ByteBuffer bytes; // the linked cubin; empty if the link failed
  std::string ptx;  // instead of it, if LtoOptions::emit_ptx asked for the optimised program
  // All inputs were read and do not contradict each other. If the link failed nevertheless, the
  // errors are about the program as a whole: what is undefined, or too large.
  bool complete = false;
  std::vector<Message> messages;     // in the order of the inputs, all of them
  LinkFacts facts;                   // if LinkOptions::facts asked for them, of a complete link
  std::vector<std::string> compiled; // names of inputs that were PTX
  std::vector<LinkedModule> modules; // in the order of the inputs, unused ones too
  std::vector<StepTime> times;       // of the steps, if LinkOptions::times asked for them
  std::vector<StepTime> compilers;   // and within them: of waiting for ptxas and other compilers
  CacheUse cache;                    // how often a compiler was not asked

  [[nodiscard]] bool ok() const { return !bytes.empty() || !ptx.empty(); }
};

// Links, and checks the result against the rules of the format before it is given out. Throws
// nothing but what the standard library throws when memory runs out.
[[nodiscard]] LinkResult link(const LinkRequest &request);

// The modules that a link would register, without linking them: only `modules` and `messages` of
// the result are filled. The target may be a virtual one (compute_90).
[[nodiscard]] LinkResult list_modules(const LinkRequest &request);

// The values that LinkRequest::emulate may have besides the empty one.
[[nodiscard]] std::vector<std::string_view> emulated_linkers();

// The values that LinkRequest::dialect may have besides the empty one, oldest first.
[[nodiscard]] std::vector<std::string> known_dialects();

} // namespace culink
