// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// jit_campaign [options] FILE[,FILE...]...: damaged cubins through nvJitLink's functions. Each
// argument is a program: the device objects of one link. A mutant of one of them is added under
// some kind, from memory that is gone before the link, with the others before and behind it.
// Whatever comes of it, codes, logs and results have to agree with each other.
//
// Options are those of link_campaign: --count, --seed, --first, --save, --seconds, --megabytes.
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "children.h"
#include "damaged_program.h"
#include "driver/nvjitlink/abi.h"
#include "elf/elf_view.h"

namespace culink::robustness {
namespace {

using jit::Code;
using jit::InputKind;

struct Counts {
  u64 next; // number of the mutant being run
  u64 done, linked, refused, failed, broken_laws;
};

// Ways to link that differ in the code they reach.
constexpr std::array<const char *, 6> kWays = {
    "-verbose", "-r", "-g", "-culink-emulate=nvlink-13.0.88", "-kernels-used=k", "-time"};
constexpr std::array<InputKind, 3> kKinds = {InputKind::Cubin, InputKind::Any, InputKind::Object};

struct Damage {
  DamagedFile hit;
  const char *way = "";
  InputKind kind = InputKind::Any;
};

Damage make_damage(const std::vector<LinkedProgram> &programs, const CampaignOptions &options,
                   u64 number) {
  Random random = numbers_of(options, number);
  Damage out;
  out.hit = choose_file(programs, random);
  out.way = kWays[random.below(kWays.size())];
  out.kind = kKinds[random.below(kKinds.size())];
  out.hit.mutant = damage(out.hit, options, random);
  return out;
}

// A log whose size and text agree.
bool is_log(int code, size_t size, const std::string &text) {
  return code == 0 && (size == 0 || (text.size() == size && std::strlen(text.c_str()) + 1 == size));
}

std::string broken_result(nvJitLinkHandle handle, int completed) {
  size_t errors = 0, infos = 0, size = 0;
  const int error_code = nvJitLinkGetErrorLogSize(handle, &errors);
  const int info_code = nvJitLinkGetInfoLogSize(handle, &infos);
  std::string error(errors, 'x'), info(infos, 'x');
  nvJitLinkGetErrorLog(handle, error.data());
  nvJitLinkGetInfoLog(handle, info.data());
  if (!is_log(error_code, errors, error) || !is_log(info_code, infos, info))
    return "a log is not as long as it says";
  const int sized = nvJitLinkGetLinkedCubinSize(handle, &size);
  if (completed != 0)
    return errors != 0 && sized != 0 ? "" : "a failed link has a cubin, or says nothing";
  std::vector<u8> cubin(size);
  if (sized != 0 || nvJitLinkGetLinkedCubin(handle, cubin.data()) != 0)
    return "a link that succeeded has no cubin";
  return elf::ElfView::open(cubin) ? "" : "the cubin cannot be read";
}

std::string link_all(const Damage &damage, Counts &counts) {
  const LinkedProgram &program = *damage.hit.program;
  const std::string arch = "-arch=" + program.target;
  std::array<const char *, 2> options = {arch.c_str(), damage.way};
  nvJitLinkHandle handle = nullptr;
  if (nvJitLinkCreate(&handle, options.size(), options.data()) != 0)
    return "could not be created";
  for (u64 i = 0; i < program.files.size(); ++i) {
    const bool damaged = i == damage.hit.file;
    // A buffer of the exact size lets a sanitizer see any read past its end.
    std::vector<u8> bytes = damaged ? damage.hit.mutant.bytes : program.files[i].bytes;
    bytes.shrink_to_fit();
    const InputKind kind = damaged ? damage.kind : InputKind::Any;
    const int code = nvJitLinkAddData(handle, static_cast<int>(kind), bytes.data(), bytes.size(),
                                      program.names[i].c_str());
    counts.refused += code != 0;
  }
  const int completed = nvJitLinkComplete(handle);
  ++(completed == 0 ? counts.linked : counts.failed);
  std::string broken = broken_result(handle, completed);
  if (nvJitLinkDestroy(&handle) != 0 || handle)
    broken = "could not be destroyed";
  return broken;
}

void run_mutant(const std::vector<LinkedProgram> &programs, const CampaignOptions &options,
                u64 number, Counts &counts) {
  const Damage damage = make_damage(programs, options, number);
  if (const std::string broken = link_all(damage, counts); !broken.empty()) {
    print_broken_law(number, damage.way, broken);
    ++counts.broken_laws;
  }
  ++counts.done;
}

int run(int argc, char **argv) {
  const CampaignOptions options = parse_options(argc, argv);
  // Code of sm_100 and later would be finalized by another program.
  const std::vector<LinkedProgram> programs = load_programs(
      options, [](const LinkedProgram &program) { return !program.target.starts_with("sm_1"); });
  Counts *counts = shared_memory<Counts>();
  if (programs.empty() || !counts) {
    fmt::print(stderr, "usage: jit_campaign [--count=N] [--seed=N] CUBIN[,CUBIN...]...\n");
    return 2;
  }
  if (options.save >= 0) {
    const Damage saved = make_damage(programs, options, static_cast<u64>(options.save));
    return save(options, saved.hit, saved.way);
  }
  const Deaths deaths = run_campaign(
      options, counts->next, [&](u64 number) { run_mutant(programs, options, number, *counts); });
  fmt::print("mutants {} of {} programs, seed {}, first {}\n", counts->done, programs.size(),
             options.seed, options.first);
  fmt::print("linked {}, failed {}, inputs refused {}, peak memory {} MB\n", counts->linked,
             counts->failed, counts->refused, deaths.peak_kilobytes / 1024);
  return print_verdict(deaths, counts->broken_laws);
}

} // namespace
} // namespace culink::robustness

int main(int argc, char **argv) {
  return culink::robustness::run(argc, argv);
}
