// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// campaign [options] CUBIN...: runs every command of `cubin`, as library calls, over many damaged
// files, and counts what happens. Meant for a build with sanitizers. When a mutant kills its
// process (children.h), its number and how to get its bytes are printed.
//
//   --count=N      mutants (default 2000)        --seed=N   of the campaign (default 1)
//   --first=N      number of the first mutant    --save=N   write mutant N to the file `mutant`
//   --seconds=N    time limit of one mutant      --megabytes=N   address space of the child
//
// A sanitizer reserves terabytes of address space: give --megabytes=0 and let the sanitizer limit
// memory with ASAN_OPTIONS=hard_rss_limit_mb=N.
#include <array>
#include <cstdlib>
#include <sys/time.h>

#include <fmt/format.h>

#include "children.h"
#include "commands.h"
#include "elf/elf_view.h"
#include "mutator.h"
#include "structure.h"
#include "support/mapped_file.h"
#include "support/output_file.h"

namespace culink::robustness {
namespace {

// What the children count, in memory that outlives them.
struct Counts {
  u64 next; // number of the mutant being run
  u64 done;
  u64 bytes;
  std::array<u64, kTargetCount> by_target;
  u64 unreadable, refused, accepted, verified, same, described, broken_laws;
  u64 slowest_microseconds, slowest;
};

Mutant mutant_of(const std::vector<Original> &originals, const CampaignOptions &options, u64 number,
                 u64 &which) {
  Random random(options.seed * 0x100000001b3 + number);
  which = random.below(originals.size());
  return options.structure ? make_structured_mutant(originals, which, random)
                           : make_mutant(originals, which, random);
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

void run_mutant(const std::vector<Original> &originals, const CampaignOptions &options, u64 number,
                Counts &counts) {
  u64 which = 0;
  const Mutant mutant = mutant_of(originals, options, number, which);
  const u64 start = microseconds();
  // A buffer of the exact size lets a sanitizer see any read past its end.
  const std::vector<u8> exact(mutant.bytes.begin(), mutant.bytes.end());
  const Outcome outcome = run_commands(exact, originals[which].bytes);
  const u64 spent = microseconds() - start;
  if (outcome.broken_law) {
    fmt::print("mutant {}: two answers contradict each other\n", number);
    ++counts.broken_laws;
  }
  count(outcome, counts);
  if (spent > counts.slowest_microseconds) {
    counts.slowest_microseconds = spent;
    counts.slowest = number;
  }
  ++counts.by_target[static_cast<u32>(mutant.target)];
  counts.bytes += exact.size();
  ++counts.done;
}

void print_summary(const CampaignOptions &options, const Counts &counts, const Deaths &deaths) {
  fmt::print("mutants {}, seed {}, first {}, {:.1f} MB, from {} files\n", counts.done, options.seed,
             options.first, static_cast<double>(counts.bytes) / 1e6, options.arguments.size());
  fmt::print("first damage in:");
  for (u32 i = 0; i < kTargetCount; ++i)
    fmt::print(" {} {}{}", name_of_target(static_cast<Target>(i)), counts.by_target[i],
               i + 1 < kTargetCount ? "," : "\n");
  fmt::print("not readable {}, refused by the strict view {}, accepted with findings {}, "
             "verified {}\n",
             counts.unreadable, counts.refused, counts.accepted, counts.verified);
  fmt::print("same as the original {}, exact text reproduces {}\n", counts.same, counts.described);
  fmt::print("slowest mutant {} ({:.0f} ms), peak memory {} MB\n", counts.slowest,
             static_cast<double>(counts.slowest_microseconds) / 1e3, deaths.peak_kilobytes / 1024);
  fmt::print("crashes {}, hangs {}, contradictions {}\n", deaths.crashes, deaths.hangs,
             counts.broken_laws);
}

int save(const std::vector<Original> &originals, const CampaignOptions &options) {
  u64 which = 0;
  const Mutant mutant = mutant_of(originals, options, static_cast<u64>(options.save), which);
  fmt::print("mutant {} of {}, first damage in {}\n", options.save, options.arguments[which],
             name_of_target(mutant.target));
  const auto error = write_file("mutant", mutant.bytes);
  if (error)
    fmt::print(stderr, "{}\n", error->text());
  return error ? 1 : 0;
}

int run(int argc, char **argv) {
  const CampaignOptions options = parse_options(argc, argv);
  std::vector<Original> originals;
  for (const std::string &path : options.arguments) {
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

  Counts *counts = shared_memory<Counts>();
  if (!counts)
    return 2;
  const Deaths deaths = run_campaign(
      options, counts->next, [&](u64 number) { run_mutant(originals, options, number, *counts); });
  print_summary(options, *counts, deaths);
  return deaths.crashes + deaths.hangs + counts->broken_laws == 0 ? 0 : 1;
}

} // namespace
} // namespace culink::robustness

int main(int argc, char **argv) {
  return culink::robustness::run(argc, argv);
}
