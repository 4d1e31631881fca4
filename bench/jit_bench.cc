// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long links through nvJitLink's functions take: with culink's library and with NVIDIA's, in
// one run. jit_bench [--check] CULINK'S NVIDIA'S CUBIN CUBIN
//
// Every number comes from a process of its own, which loads the one library: the first link of a
// process, its loading included; later links; links by 16 threads at once; memory that is still
// taken after the last handle was destroyed. The child processes are this program again.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Handle = void *;

constexpr unsigned kThreads = 16;
constexpr int kFirstLinks = 15;  // processes
constexpr int kLaterLinks = 400; // in one process
constexpr int kLinksOfThread = 100;

double milliseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

[[noreturn]] void give_up(const std::string &why) {
  std::fprintf(stderr, "jit_bench: %s\n", why.c_str());
  std::exit(2);
}

std::vector<char> read_file(const char *path) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    give_up(std::string("cannot read ") + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Library {
  int (*create)(Handle *, unsigned, const char **);
  int (*add)(Handle, int, const void *, size_t, const char *);
  int (*complete)(Handle);
  int (*size)(Handle, size_t *);
  int (*cubin)(Handle, void *);
  int (*destroy)(Handle *);
};

template <typename Function> void look_up(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (!function)
    give_up(std::string("no function ") + name);
}

Library load(const char *path) {
  void *library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    give_up(::dlerror());
  Library out{};
  look_up(library, "nvJitLinkCreate", out.create);
  look_up(library, "nvJitLinkAddData", out.add);
  look_up(library, "nvJitLinkComplete", out.complete);
  look_up(library, "nvJitLinkGetLinkedCubinSize", out.size);
  look_up(library, "nvJitLinkGetLinkedCubin", out.cubin);
  look_up(library, "nvJitLinkDestroy", out.destroy);
  return out;
}

struct Inputs {
  std::vector<char> first, second;
};

void link_once(const Library &library, const Inputs &inputs) {
  const char *options[] = {"-arch=sm_90"};
  Handle handle = nullptr;
  size_t size = 0;
  bool ok = library.create(&handle, 1, options) == 0 &&
            library.add(handle, 1, inputs.first.data(), inputs.first.size(), "first") == 0 &&
            library.add(handle, 1, inputs.second.data(), inputs.second.size(), "second") == 0 &&
            library.complete(handle) == 0 && library.size(handle, &size) == 0;
  std::vector<char> cubin(size);
  ok = ok && library.cubin(handle, cubin.data()) == 0;
  if (library.destroy(&handle) != 0 || !ok)
    give_up("a link failed");
}

// The process's memory in KiB, without what files back.
double memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "RssAnon:") {
      double value = 0;
      status >> value;
      return value;
    }
  return 0;
}

double first_link(const char *path, const Inputs &inputs) {
  const Clock::time_point begin = Clock::now();
  link_once(load(path), inputs);
  return milliseconds_since(begin);
}

double later_links(const char *path, const Inputs &inputs) {
  const Library library = load(path);
  for (int i = 0; i < 5; ++i)
    link_once(library, inputs);
  std::vector<double> times;
  for (int i = 0; i < kLaterLinks; ++i) {
    const Clock::time_point begin = Clock::now();
    link_once(library, inputs);
    times.push_back(milliseconds_since(begin));
  }
  return median(times);
}

// Milliseconds per link, of all threads together.
double links_of_threads(const char *path, const Inputs &inputs) {
  const Library library = load(path);
  link_once(library, inputs);
  const Clock::time_point begin = Clock::now();
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < kLinksOfThread; ++i)
        link_once(library, inputs);
    });
  for (std::thread &thread : threads)
    thread.join();
  return milliseconds_since(begin) / (kThreads * kLinksOfThread);
}

// KiB that links leave behind, after the handles of several threads were destroyed.
double memory_left(const char *path, const Inputs &inputs) {
  const Library library = load(path);
  link_once(library, inputs);
  const double before = memory();
  for (int i = 0; i < kLaterLinks; ++i)
    link_once(library, inputs);
  return memory() - before;
}

struct Measure {
  const char *name;
  const char *unit;
  double (*run)(const char *, const Inputs &);
  int processes;
  double goal; // times better than NVIDIA's; 0: none
};

constexpr std::array<Measure, 4> kMeasures = {{
    {"first link of a process, loading included", "ms", first_link, kFirstLinks, 20},
    {"later links", "ms", later_links, 3, 2},
    {"16 threads, per link", "ms", links_of_threads, 3, 10},
    {"memory left after 400 links", "KiB", memory_left, 1, 0},
}};

// What a process of its own measures.
double measure(size_t number, char **argv, const char *library) {
  int ends[2];
  if (::pipe(ends) != 0)
    give_up("cannot create a pipe");
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], 1);
    const std::string which = "--child=" + std::to_string(number);
    ::execl("/proc/self/exe", argv[0], which.c_str(), library, argv[3], argv[4], nullptr);
    ::_exit(2);
  }
  ::close(ends[1]);
  std::string text;
  char buffer[64];
  for (ssize_t n; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(n));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (status != 0)
    give_up(std::string("failed with ") + library);
  return std::atof(text.c_str());
}

double median_of_processes(size_t number, char **argv, const char *library) {
  std::vector<double> values;
  for (int i = 0; i < kMeasures[number].processes; ++i)
    values.push_back(measure(number, argv, library));
  return median(values);
}

} // namespace

int main(int argc, char **argv) {
  if (argc == 5 && std::strncmp(argv[1], "--child=", 8) == 0) {
    const Inputs inputs{read_file(argv[3]), read_file(argv[4])};
    const size_t number = std::strtoul(argv[1] + 8, nullptr, 10);
    std::printf("%.6f\n", kMeasures.at(number).run(argv[2], inputs));
    return 0;
  }
  const bool check = argc > 1 && std::strcmp(argv[1], "--check") == 0;
  if (check)
    ++argv, --argc;
  if (argc != 5)
    give_up("usage: jit_bench [--check] CULINK'S NVIDIA'S CUBIN CUBIN");
  bool reached = true;
  std::printf("%-44s %12s %12s %8s\n", "", "culink", "NVIDIA", "times");
  for (size_t number = 0; number < kMeasures.size(); ++number) {
    const Measure &row = kMeasures[number];
    const double ours = median_of_processes(number, argv, argv[1]);
    const double theirs = median_of_processes(number, argv, argv[2]);
    std::printf("%-44s %9.3f %-2s %9.3f %-2s %8.1f\n", row.name, ours, row.unit, theirs, row.unit,
                theirs / ours);
    std::fflush(stdout);
    reached = reached && (row.goal == 0 || theirs / ours >= row.goal);
  }
  return check && !reached ? 1 : 0;
}
