// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// campaign [options] CUBIN...: runs every command of `cubin`, as library calls, over many damaged
// files, and counts what happens. Meant for a build with sanitizers. Mutants are run in a child
// process; when one dies, its number and how to get its bytes are printed, and a new child goes on
// behind it. A child that spends too long on one mutant is stopped by its own alarm; one that asks
// for too much memory by its limit.
//
//   --count=N      mutants (default 2000)        --seed=N   of the campaign (default 1)
//   --first=N      number of the first mutant    --save=N   write mutant N to the file `mutant`
//   --seconds=N    time limit of one mutant      --megabytes=N   address space of the child
//
// A sanitizer reserves terabytes of address space: give --megabytes=0 and let the sanitizer limit
// memory with ASAN_OPTIONS=hard_rss_limit_mb=N.
#include <array>
#include <csignal>
#include <cstdlib>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/mapped_file.h"
#include "base/output_file.h"
#include "commands.h"
#include "elf/elf_view.h"
#include "mutator.h"

namespace culink::robustness {
namespace {

struct Options {
  u64 count = 2000;
  u64 first = 0;
  u64 seed = 1;
  u64 seconds = 20;
  u64 megabytes = 1024;
  i64 save = -1;
  std::vector<std::string> files;
};

// What the children count, in memory that outlives them.
struct Counts {
  u64 next; // number of the mutant being run
  u64 done;
  u64 bytes;
  std::array<u64, kTargetCount> by_target;
  u64 unreadable, refused, accepted, verified, same, described, broken_laws;
  u64 slowest_microseconds, slowest;
  u64 peak_kilobytes;
};

Options parse(int argc, char **argv) {
  Options options;
  const std::array<std::pair<std::string_view, u64 *>, 5> numbers{
      {{"--count=", &options.count},
       {"--first=", &options.first},
       {"--seed=", &options.seed},
       {"--seconds=", &options.seconds},
       {"--megabytes=", &options.megabytes}}};
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    bool known = false;
    for (const auto &[name, value] : numbers)
      if (argument.starts_with(name)) {
        *value = std::strtoull(argv[i] + name.size(), nullptr, 10);
        known = true;
      }
    if (argument.starts_with("--save=")) {
      options.save = std::strtoll(argv[i] + 7, nullptr, 10);
      known = true;
    }
    if (!known)
      options.files.emplace_back(argument);
  }
  return options;
}

Mutant mutant_of(const std::vector<Original> &originals, const Options &options, u64 number,
                 u64 &which) {
  Random random(options.seed * 0x100000001b3 + number);
  which = random.below(originals.size());
  return make_mutant(originals, which, random);
}

u64 microseconds() {
  timeval now{};
  gettimeofday(&now, nullptr);
  return static_cast<u64>(now.tv_sec) * 1000000 + static_cast<u64>(now.tv_usec);
}

void count(const Outcome &outcome, Counts &counts) {
  counts.unreadable += !outcome.readable;
  counts.refused += outcome.readable && !outcome.accepted;
  counts.accepted += outcome.accepted && !outcome.verified;
  counts.verified += outcome.verified;
  counts.same += outcome.readable && !outcome.differs;
  counts.described += outcome.described;
}

// The child's work: all mutants from counts.next on.
void run_mutants(const std::vector<Original> &originals, const Options &options, Counts &counts) {
  const u64 end = options.first + options.count;
  for (; counts.next < end; ++counts.next) {
    u64 which = 0;
    const Mutant mutant = mutant_of(originals, options, counts.next, which);
    alarm(static_cast<unsigned>(options.seconds));
    const u64 start = microseconds();
    // A buffer of the exact size lets a sanitizer see any read past its end.
    const std::vector<u8> exact(mutant.bytes.begin(), mutant.bytes.end());
    const Outcome outcome = run_commands(exact, originals[which].bytes);
    const u64 spent = microseconds() - start;
    if (outcome.broken_law) {
      fmt::print("mutant {}: two answers contradict each other\n", counts.next);
      ++counts.broken_laws;
    }
    count(outcome, counts);
    if (spent > counts.slowest_microseconds) {
      counts.slowest_microseconds = spent;
      counts.slowest = counts.next;
    }
    ++counts.by_target[static_cast<u32>(mutant.target)];
    counts.bytes += exact.size();
    ++counts.done;
  }
  alarm(0);
}

void limit_memory(const Options &options) {
  const rlimit limit{options.megabytes << 20, options.megabytes << 20};
  if (options.megabytes != 0)
    setrlimit(RLIMIT_AS, &limit);
}

// Runs a child until it ends. True when it ran to the end of the campaign.
bool run_child(const std::vector<Original> &originals, const Options &options, Counts &counts,
               std::string &death) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    limit_memory(options);
    run_mutants(originals, options, counts);
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  counts.peak_kilobytes = std::max<u64>(counts.peak_kilobytes, static_cast<u64>(usage.ru_maxrss));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return true;
  death = WIFSIGNALED(status)
              ? (WTERMSIG(status) == SIGALRM ? fmt::format("took more than {} s", options.seconds)
                                             : fmt::format("died of signal {}", WTERMSIG(status)))
              : fmt::format("died with status {}", WEXITSTATUS(status));
  return false;
}

void print_summary(const Options &options, const Counts &counts, u64 deaths, u64 hangs) {
  fmt::print("mutants {}, seed {}, first {}, {:.1f} MB, from {} files\n", counts.done, options.seed,
             options.first, static_cast<double>(counts.bytes) / 1e6, options.files.size());
  fmt::print("first damage in:");
  for (u32 i = 0; i < kTargetCount; ++i)
    fmt::print(" {} {}{}", name_of_target(static_cast<Target>(i)), counts.by_target[i],
               i + 1 < kTargetCount ? "," : "\n");
  fmt::print("not readable {}, refused by the strict view {}, accepted with findings {}, "
             "verified {}\n",
             counts.unreadable, counts.refused, counts.accepted, counts.verified);
  fmt::print("same as the original {}, exact text reproduces {}\n", counts.same, counts.described);
  fmt::print("slowest mutant {} ({:.0f} ms), peak memory {} MB\n", counts.slowest,
             static_cast<double>(counts.slowest_microseconds) / 1e3, counts.peak_kilobytes / 1024);
  fmt::print("crashes {}, hangs {}, contradictions {}\n", deaths, hangs, counts.broken_laws);
}

int save(const std::vector<Original> &originals, const Options &options) {
  u64 which = 0;
  const Mutant mutant = mutant_of(originals, options, static_cast<u64>(options.save), which);
  fmt::print("mutant {} of {}, first damage in {}\n", options.save, options.files[which],
             name_of_target(mutant.target));
  const auto error = write_file("mutant", mutant.bytes);
  if (error)
    fmt::print(stderr, "{}\n", error->text());
  return error ? 1 : 0;
}

int run(int argc, char **argv) {
  const Options options = parse(argc, argv);
  std::vector<Original> originals;
  for (const std::string &path : options.files) {
    const Result<MappedFile> file = MappedFile::open(path);
    if (!file || !elf::ElfView::open(file->bytes())) {
      fmt::print(stderr, "campaign: {}: not a good cubin\n", path);
      return 2;
    }
    originals.push_back(map_parts({file->bytes().begin(), file->bytes().end()}));
  }
  if (originals.empty()) {
    fmt::print(stderr, "usage: campaign [--count=N] [--seed=N] CUBIN...\n");
    return 2;
  }
  if (options.save >= 0)
    return save(originals, options);

  void *shared =
      mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    return 2;
  Counts &counts = *static_cast<Counts *>(shared); // zero pages
  counts.next = options.first;
  u64 deaths = 0, hangs = 0;
  std::string death;
  while (!run_child(originals, options, counts, death)) {
    fmt::print("mutant {}: {} (--seed={} --save={} writes it)\n", counts.next, death, options.seed,
               counts.next);
    (death.starts_with("took") ? hangs : deaths) += 1;
    ++counts.next;
  }
  print_summary(options, counts, deaths, hangs);
  return deaths + hangs + counts.broken_laws == 0 ? 0 : 1;
}

} // namespace
} // namespace culink::robustness

int main(int argc, char **argv) {
  return culink::robustness::run(argc, argv);
}
