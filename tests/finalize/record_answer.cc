// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records what an engine makes of an object, for the unit tests, which run without one.
//
//   record_answer CULINK ENGINE TARGET OBJECT OUTPUT [HOW [CACHE]]
//
// HOW, with commas: debug-code, relocatable, debug; or -.
#include <cstdio>
#include <string>
#include <vector>

#include "compilers/finalize/finalize.h"
#include "support/mapped_file.h"
#include "support/output_file.h"

namespace {

using namespace culink;

int record(const std::vector<std::string> &words) {
  const Result<MappedFile> file = MappedFile::open(words[3]);
  if (!file)
    return 1;
  FinalizerEngine engine;
  engine.worker = words[0];
  const bool library = words[1].find(".so") != std::string::npos;
  (library ? engine.library : engine.nvlink) = words[1];
  FinalizeRequest request;
  request.target = words[2];
  const auto has = [&words](const std::string &word) {
    return words.size() > 5 && ("," + words[5] + ",").find("," + word + ",") != std::string::npos;
  };
  request.debug_code = has("debug-code");
  request.relocatable = has("relocatable");
  request.debug = has("debug");
  Cache cache({.folder = words.size() > 6 ? words[6] : ""});
  request.objects.push_back({words[3], file->bytes()});
  Diagnostics diag;
  const std::vector<FinalizedObject> objects = Finalizer(engine, 1, &cache)(request, diag);
  for (const Diagnostic &diagnostic : diag.all())
    std::fputs(format_message(to_message(diagnostic), "record_answer").c_str(), stderr);
  if (words.size() > 6)
    std::printf("hits %u, misses %u\n", cache.use().local_hits, cache.use().misses);
  return objects.empty() || write_file(words[4], objects[0].image) ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 6) {
    std::fputs("usage: record_answer CULINK ENGINE TARGET OBJECT OUTPUT [HOW [CACHE]]\n", stderr);
    return 2;
  }
  return record(std::vector<std::string>(argv + 1, argv + argc));
}
