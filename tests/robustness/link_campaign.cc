// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// link_campaign [options] FILE[,FILE...]...: links programs of which one file is damaged, and
// counts what happens. Each argument is a program: the device objects of one link. A mutant is
// linked in the plain way and in one other; link_laws.h says what must hold. In addition no file
// may be left out in silence: a link without the damaged file gives another output, or there is a
// message. And what links without a warning has to link with --check as well.
//
//   --count=N      mutants (default 2000)        --seed=N   of the campaign (default 1)
//   --first=N      number of the first mutant    --save=N   write mutant N to the file `mutant`
//   --seconds=N    time limit of one mutant      --megabytes=N   address space of the child
//   --code=KIND    sass, mercury or exact: what links for sm_100 and later write (default sass)
//   --structure    mutants whose structure is changed, not their bytes (structure.h)
//   --strict       a link that the checker disputes breaks a law, also where a warning says so
//   --threads=N    of each link (default: as many as there are)
//   --keep=FOLDER  write there what links as nvlink would, for diff_fuzz.py
//   --finalizer=LIBRARY --worker=CULINK   for exact: libnvJitLink, and the program that loads it
//
// A sanitizer reserves terabytes of address space: give --megabytes=0 and let the sanitizer limit
// memory with ASAN_OPTIONS=hard_rss_limit_mb=N.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "children.h"
#include "damaged_program.h"
#include "link_laws.h"
#include "support/bytes.h"
#include "support/output_file.h"

namespace culink::robustness {
namespace {

struct Counts {
  u64 next; // number of the mutant being run
  u64 done, links;
  std::array<u64, kTargetCount> by_target;
  u64 refused, same, other, warned, disputed, broken_laws;
  u64 slowest_microseconds, slowest;
};

// One damaged file, and two ways to link its program.
struct Damage {
  DamagedFile hit;
  std::array<u32, 2> option_sets{};
};

Damage make_damage(const std::vector<LinkedProgram> &programs, const CampaignOptions &options,
                   u64 number) {
  Random random = numbers_of(options, number);
  Damage out;
  out.hit = choose_file(programs, random);
  const u32 other = 1 + static_cast<u32>(random.below(kOptionSetCount - 1));
  out.option_sets = out.hit.program->complete ? std::array<u32, 2>{0, other} : kRelocatableSets;
  out.hit.mutant = damage(out.hit, options, random);
  return out;
}

// The program as it is linked: with `bytes` in place of one file, or without that file.
LinkRequest request_of(const DamagedFile &hit, const CampaignOptions &options,
                       std::optional<ByteSpan> bytes, u32 option_set) {
  LinkRequest request;
  const LinkedProgram &program = *hit.program;
  request.target = program.target;
  for (u64 i = 0; i < program.files.size(); ++i)
    if (i != hit.file)
      request.inputs.push_back(LinkInput::memory(program.names[i], program.files[i].bytes));
    else if (bytes)
      request.inputs.push_back(LinkInput::memory(program.names[i], *bytes));
  choose_options(option_set, request);
  request.options.code = options.code == "mercury" ? OutputCode::Mercury
                         : options.code == "exact" ? OutputCode::Exact
                                                   : OutputCode::Sass;
  request.options.threads = static_cast<u32>(options.threads);
  request.finalizer.library = options.finalizer;
  request.finalizer.worker = options.worker;
  return request;
}

// Programs that can be linked as they are, if only with -r.
bool can_be_linked(LinkedProgram &program, const CampaignOptions &options) {
  const DamagedFile none{.program = &program, .file = program.files.size()};
  program.complete = link(request_of(none, options, std::nullopt, 0)).ok();
  return program.complete ||
         link(request_of(none, options, std::nullopt, kRelocatableSets[0])).ok();
}

// The inputs of a link as files, and how they are linked: FOLDER/<number>-<options>/.
void keep_for_comparison(const std::string &folder, u64 number, u32 option_set,
                         const LinkRequest &request) {
  const std::string name = fmt::format("{}/{}-{}", folder, number, option_set);
  std::filesystem::create_directories(name);
  const LinkOptions &options = request.options;
  std::string words = fmt::format("-arch={}\n", request.target);
  for (const auto &[given, word] :
       {std::pair{options.relocatable, "-r"}, std::pair{options.debug, "-g"},
        std::pair{options.preserve_relocs, "--preserve-relocs"},
        std::pair{options.fold_identical, "--icf=safe"},
        std::pair{options.kernels_used.has_value(), "-kernels-used=k"}})
    words += given ? std::string(word) + "\n" : "";
  for (u64 i = 0; i < request.inputs.size(); ++i) {
    const std::string file = fmt::format("{}.cubin", i);
    (void)write_file(name + "/" + file, *request.inputs[i].bytes);
    words += file + "\n";
  }
  (void)write_file(name + "/words", as_bytes(words));
}

// A link that succeeded without a warning also does so with --check. Not where nvlink is imitated:
// its defects would be found.
std::string disputed_in_silence(LinkRequest request, const LinkResult &result) {
  if (!request.emulate.empty() || is_explained(result))
    return "";
  request.options.check = true;
  const LinkResult checked = link(request);
  return checked.ok() ? "" : "linked without a warning: " + broken_law(request, checked);
}

// Links it; what is broken, or nothing.
std::string judge(const DamagedFile &hit, const CampaignOptions &options, ByteSpan bytes,
                  u32 option_set, Counts &counts) {
  const LinkRequest request = request_of(hit, options, bytes, option_set);
  const LinkResult result = link(request);
  ++counts.links;
  if (std::string law = broken_law(request, result); !law.empty())
    return law;
  if (!result.ok()) {
    ++counts.refused;
    return "";
  }
  if (is_disputed(result)) {
    ++counts.disputed;
    if (options.strict)
      return "disputed: " + dispute_of(result);
  }
  if (std::string law = disputed_in_silence(request, result); !law.empty())
    return law;
  counts.warned += !result.messages.empty();
  const bool same =
      result.bytes == link(request_of(hit, options, hit.original().bytes, option_set)).bytes;
  ++(same ? counts.same : counts.other);
  // Where nvlink is imitated, what it leaves out in silence is left out so.
  if (same || !result.messages.empty() || !request.emulate.empty())
    return "";
  const LinkResult without = link(request_of(hit, options, std::nullopt, option_set));
  return without.bytes == result.bytes ? "leaves the file out in silence" : "";
}

void run_mutant(const std::vector<LinkedProgram> &programs, const CampaignOptions &options,
                u64 number, Counts &counts) {
  const auto [hit, option_sets] = make_damage(programs, options, number);
  const auto start = std::chrono::steady_clock::now();
  // A buffer of the exact size lets a sanitizer see any read past its end.
  const std::vector<u8> exact(hit.mutant.bytes.begin(), hit.mutant.bytes.end());
  for (const u32 option_set : option_sets)
    if (const std::string law = judge(hit, options, exact, option_set, counts); !law.empty()) {
      print_broken_law(number, fmt::format("options {}", option_set), law);
      ++counts.broken_laws;
    }
  if (!options.keep.empty())
    for (const u32 option_set : option_sets)
      if (const LinkRequest request = request_of(hit, options, exact, option_set);
          !request.emulate.empty())
        if (link(request).ok())
          keep_for_comparison(options.keep, number, option_set, request);
  const auto spent = std::chrono::duration_cast<std::chrono::microseconds>(
      std::chrono::steady_clock::now() - start);
  if (const u64 time = static_cast<u64>(spent.count()); time > counts.slowest_microseconds) {
    counts.slowest_microseconds = time;
    counts.slowest = number;
  }
  ++counts.by_target[static_cast<u32>(hit.mutant.target)];
  ++counts.done;
}

int print_summary(const CampaignOptions &options, const Counts &counts, const Deaths &deaths) {
  fmt::print("mutants {}, seed {}, first {}, {} links\n", counts.done, options.seed, options.first,
             counts.links);
  fmt::print("first damage in:");
  for (u32 i = 0; i < kTargetCount; ++i)
    fmt::print(" {} {}{}", name_of_target(static_cast<Target>(i)), counts.by_target[i],
               i + 1 < kTargetCount ? "," : "\n");
  fmt::print(
      "refused {}, same output {}, other output {}, with a warning {}, of these disputed {}\n",
      counts.refused, counts.same, counts.other, counts.warned, counts.disputed);
  fmt::print("slowest mutant {} ({:.0f} ms), peak memory {} MB\n", counts.slowest,
             static_cast<double>(counts.slowest_microseconds) / 1e3, deaths.peak_kilobytes / 1024);
  return print_verdict(deaths, counts.broken_laws);
}

int run(int argc, char **argv) {
  const CampaignOptions options = parse_options(argc, argv);
  const std::vector<LinkedProgram> programs = load_programs(
      options, [&](LinkedProgram &program) { return can_be_linked(program, options); });
  Counts *counts = shared_memory<Counts>();
  if (programs.empty() || !counts) {
    fmt::print(stderr, "usage: link_campaign [--count=N] [--seed=N] CUBIN[,CUBIN...]...\n");
    return 2;
  }
  if (options.save >= 0) {
    const Damage saved = make_damage(programs, options, static_cast<u64>(options.save));
    return save(options, saved.hit, fmt::format("options {}", saved.option_sets[1]));
  }
  const Deaths deaths = run_campaign(
      options, counts->next, [&](u64 number) { run_mutant(programs, options, number, *counts); });
  return print_summary(options, *counts, deaths);
}

} // namespace
} // namespace culink::robustness

int main(int argc, char **argv) {
  return culink::robustness::run(argc, argv);
}
