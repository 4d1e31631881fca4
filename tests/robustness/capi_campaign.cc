// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// capi_campaign [options] FILE[,FILE...]...: damaged cubins through the C interface. Each argument
// is a program: the device objects of one link. A mutant of one of them is opened and read to the
// last byte, then linked with the others, in one of several ways; whatever comes of it is read to
// the end, too. All in children of one process, so that tens of thousands take minutes.
//
// Options are those of link_campaign: --count, --seed, --first, --save, --seconds, --megabytes.
#include <array>

#include <fmt/format.h>

#include "c_interface.h"
#include "children.h"
#include "damaged_program.h"

namespace culink::robustness {
namespace {

struct Counts {
  u64 next; // number of the mutant being run
  u64 done, linked, refused, cancelled, broken_laws;
};

// Ways to link that differ in the code they reach.
constexpr std::array<const char *, 8> kWays = {"",
                                               "-r",
                                               "-g",
                                               "--preserve-relocs",
                                               "--emulate=nvlink-13.0.88",
                                               "-w",
                                               "--check",
                                               "--kernels-used=k"};

struct Damage {
  DamagedFile hit;
  const char *way = "";
  bool copies = false;
  u64 cancel_at = 0; // the number of the call at which it is cancelled; 0: never
};

Damage make_damage(const std::vector<LinkedProgram> &programs, const CampaignOptions &options,
                   u64 number) {
  Random random = numbers_of(options, number);
  Damage out;
  out.hit = choose_file(programs, random);
  out.way = kWays[random.below(kWays.size())];
  out.copies = random.one_in(2);
  out.cancel_at = random.one_in(16) ? 1 + random.below(20) : 0;
  out.hit.mutant = damage(out.hit, options, random);
  return out;
}

int count_down(void *user, const char *, uint32_t, uint32_t) {
  u64 &left = *static_cast<u64 *>(user);
  return left != 0 && --left == 0 ? 1 : 0;
}

// Links with the damaged file; what is broken, or nothing.
std::string link_all(const Damage &damage, ByteSpan bytes, Counts &counts) {
  const LinkedProgram &program = *damage.hit.program;
  culink_link *link = nullptr;
  culink_result *result = nullptr;
  u64 left = damage.cancel_at;
  bool ready = culink_link_create(&link) == CULINK_OK;
  const std::string arch = "-arch=" + program.target;
  const std::array<const char *, 3> words = {arch.c_str(), "--code=sass", damage.way};
  const size_t count = *damage.way == '\0' ? 2 : 3;
  ready = ready && culink_link_add_options(link, words.data(), count) == CULINK_OK &&
          culink_link_set_progress(link, count_down, &left) == CULINK_OK;
  const auto add = damage.copies ? culink_link_add_copy : culink_link_add_bytes;
  for (u64 i = 0; ready && i < program.files.size(); ++i) {
    const ByteSpan file = i == damage.hit.file ? bytes : ByteSpan(program.files[i].bytes);
    ready = add(link, program.names[i].c_str(), file.data(), file.size()) == CULINK_OK;
  }
  const culink_status status = culink_link_run(link, &result);
  culink_link_destroy(link);
  std::string broken = ready ? read_all(result, status) : "could not be prepared";
  culink_result_destroy(result);
  counts.linked += status == CULINK_OK;
  counts.refused += status == CULINK_LINK_FAILED;
  counts.cancelled += status == CULINK_CANCELLED;
  return broken;
}

void run_mutant(const std::vector<LinkedProgram> &programs, const CampaignOptions &options,
                u64 number, Counts &counts) {
  const Damage damage = make_damage(programs, options, number);
  const std::vector<u8> &bytes = damage.hit.mutant.bytes;
  // A buffer of the exact size lets a sanitizer see any read past its end.
  const std::vector<u8> exact(bytes.begin(), bytes.end());
  for (const std::string &broken : {open_and_read(exact), link_all(damage, exact, counts)})
    if (!broken.empty()) {
      print_broken_law(number, damage.way, broken);
      ++counts.broken_laws;
    }
  ++counts.done;
}

int run(int argc, char **argv) {
  const CampaignOptions options = parse_options(argc, argv);
  const std::vector<LinkedProgram> programs =
      load_programs(options, [](const LinkedProgram &) { return true; });
  Counts *counts = shared_memory<Counts>();
  if (programs.empty() || !counts) {
    fmt::print(stderr, "usage: capi_campaign [--count=N] [--seed=N] CUBIN[,CUBIN...]...\n");
    return 2;
  }
  if (options.save >= 0) {
    const Damage saved = make_damage(programs, options, static_cast<u64>(options.save));
    return save(options, saved.hit, saved.way);
  }
  const Deaths deaths = run_campaign(
      options, counts->next, [&](u64 number) { run_mutant(programs, options, number, *counts); });
  fmt::print("mutants {}, seed {}, first {}\n", counts->done, options.seed, options.first);
  fmt::print("linked {}, refused {}, cancelled {}, peak memory {} MB\n", counts->linked,
             counts->refused, counts->cancelled, deaths.peak_kilobytes / 1024);
  return print_verdict(deaths, counts->broken_laws);
}

} // namespace
} // namespace culink::robustness

int main(int argc, char **argv) {
  return culink::robustness::run(argc, argv);
}
