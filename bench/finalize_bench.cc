// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long does it take to finalize objects, apart from linking them?
//
//   finalize_bench CULINK LIBRARY TARGET THREADS OBJECT...
//
// LIBRARY is libnvJitLink, which CULINK loads in worker processes, or the program nvlink. Prints
// wall time, the processor time of this process and that of its workers, and how many functions
// have other code than before.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <sys/resource.h>

#include "compilers/finalize/finalize.h"
#include "support/mapped_file.h"

namespace {

using namespace culink;

double processor_seconds(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  const auto seconds = [](const timeval &t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

int measure(const std::vector<std::string> &words) {
  FinalizerEngine engine;
  engine.worker = words[0];
  const bool library = words[1].find(".so") != std::string::npos;
  (library ? engine.library : engine.nvlink) = words[1];
  FinalizeRequest request;
  request.target = words[2];
  std::deque<MappedFile> files;
  for (size_t i = 4; i < words.size(); ++i) {
    Result<MappedFile> file = MappedFile::open(words[i]);
    if (!file) {
      std::fprintf(stderr, "%s: %s\n", words[i].c_str(), file.error().text().c_str());
      return 1;
    }
    files.push_back(std::move(*file));
    request.objects.push_back({words[i], files.back().bytes()});
  }
  const u32 threads = static_cast<u32>(std::atoi(words[3].c_str()));
  Diagnostics diag;
  const auto start = std::chrono::steady_clock::now();
  const std::vector<FinalizedObject> objects = Finalizer(engine, threads)(request, diag);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  for (const Diagnostic &diagnostic : diag.all())
    std::fputs(format_message(to_message(diagnostic), "finalize_bench").c_str(), stderr);
  size_t functions = 0, moved = 0;
  for (const FinalizedObject &object : objects)
    for (const FinalizedFunction &function : object.functions) {
      ++functions;
      moved += function.moved.is_identity() ? 0 : 1;
    }
  std::printf("%zu objects, %zu functions, %zu with instructions that moved; wall %.3f s, linker "
              "%.3f s, workers %.3f s\n",
              objects.size(), functions, moved, wall.count(), processor_seconds(RUSAGE_SELF),
              processor_seconds(RUSAGE_CHILDREN));
  return diag.failed() ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 6) {
    std::fputs("usage: finalize_bench CULINK LIBRARY TARGET THREADS OBJECT...\n", stderr);
    return 2;
  }
  return measure(std::vector<std::string>(argv + 1, argv + argc));
}
