// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// jit_campaign [options] FILE[,FILE...]...: damaged cubins through nvJitLink's functions. Each
// argument is a program: the device objects of one link. A mutant of one of them is added under
// some kind, from memory that is gone before the link, with the others before and behind it.
// Whatever comes of it, codes, logs and results have to agree with each other.
//
// Options are those of link_campaign: --count, --seed, --first, --save, --seconds, --megabytes.
#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "base/mapped_file.h"
#include "base/output_file.h"
#include "children.h"
#include "elf/elf_view.h"
#include "link_laws.h"
#include "mutator.h"
#include "nvjitlink/abi.h"
#include "structure.h"

namespace culink::robustness {
namespace {

using jit::Code;
using jit::InputKind;

struct Counts {
  u64 next; // number of the mutant being run
  u64 done, linked, refused, failed, broken_laws;
};

struct LinkedProgram {
  std::vector<std::string> names;
  std::vector<Original> files;
  std::string target;
};

// Ways to link that differ in the code they reach.
constexpr std::array<const char *, 6> kWays = {
    "-verbose", "-r", "-g", "-culink-emulate=nvlink-13.0.88", "-kernels-used=k", "-time"};
constexpr std::array<InputKind, 3> kKinds = {InputKind::Cubin, InputKind::Any, InputKind::Object};

struct Damage {
  const LinkedProgram *program = nullptr;
  u64 file = 0;
  Mutant mutant;
  const char *way = "";
  InputKind kind = InputKind::Any;
};

Damage damage(const std::vector<LinkedProgram> &programs, const CampaignOptions &options,
              u64 number) {
  Random random(options.seed * 0x100000001b3 + number);
  Damage out;
  out.program = &programs[random.below(programs.size())];
  out.file = random.below(out.program->files.size());
  out.way = kWays[random.below(kWays.size())];
  out.kind = kKinds[random.below(kKinds.size())];
  const auto make = options.structure ? make_structured_mutant : make_mutant;
  out.mutant = make(out.program->files, out.file, random);
  return out;
}

// Code of sm_100 and later would be finalized by another program.
bool load(const std::string &list, LinkedProgram &program) {
  if (!read_originals(list, program.names, program.files))
    return false;
  program.target = target_of(program.files.front().bytes);
  return !program.target.empty() && !program.target.starts_with("sm_1");
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

std::string link_all(const Damage &hit, Counts &counts) {
  const std::string arch = "-arch=" + hit.program->target;
  std::array<const char *, 2> options = {arch.c_str(), hit.way};
  nvJitLinkHandle handle = nullptr;
  if (nvJitLinkCreate(&handle, options.size(), options.data()) != 0)
    return "could not be created";
  for (u64 i = 0; i < hit.program->files.size(); ++i) {
    const bool damaged = i == hit.file;
    // A buffer of the exact size lets a sanitizer see any read past its end.
    std::vector<u8> bytes = damaged ? hit.mutant.bytes : hit.program->files[i].bytes;
    bytes.shrink_to_fit();
    const int code = nvJitLinkAddData(handle, static_cast<int>(damaged ? hit.kind : InputKind::Any),
                                      bytes.data(), bytes.size(), hit.program->names[i].c_str());
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
  const Damage hit = damage(programs, options, number);
  if (const std::string broken = link_all(hit, counts); !broken.empty()) {
    fmt::print("mutant {}, {}: {}\n", number, hit.way, broken);
    std::fflush(stdout);
    ++counts.broken_laws;
  }
  ++counts.done;
}

int save(const std::vector<LinkedProgram> &programs, const CampaignOptions &options) {
  const Damage hit = damage(programs, options, static_cast<u64>(options.save));
  fmt::print("mutant {} of {}, first damage in {}, {}\n", options.save,
             hit.program->names[hit.file], name_of_target(hit.mutant.target), hit.way);
  return write_file("mutant", hit.mutant.bytes) ? 1 : 0;
}

int run(int argc, char **argv) {
  const CampaignOptions options = parse_options(argc, argv);
  std::vector<LinkedProgram> programs;
  for (const std::string &list : options.arguments)
    if (!load(list, programs.emplace_back()))
      programs.pop_back();
  Counts *counts = shared_memory<Counts>();
  if (programs.empty() || !counts) {
    fmt::print(stderr, "usage: jit_campaign [--count=N] [--seed=N] CUBIN[,CUBIN...]...\n");
    return 2;
  }
  if (options.save >= 0)
    return save(programs, options);
  const Deaths deaths = run_campaign(
      options, counts->next, [&](u64 number) { run_mutant(programs, options, number, *counts); });
  fmt::print("mutants {} of {} programs, seed {}, first {}\n", counts->done, programs.size(),
             options.seed, options.first);
  fmt::print("linked {}, failed {}, inputs refused {}, peak memory {} MB\n", counts->linked,
             counts->failed, counts->refused, deaths.peak_kilobytes / 1024);
  fmt::print("crashes {}, hangs {}, broken laws {}\n", deaths.crashes, deaths.hangs,
             counts->broken_laws);
  return deaths.crashes + deaths.hangs + counts->broken_laws == 0 ? 0 : 1;
}

} // namespace
} // namespace culink::robustness

int main(int argc, char **argv) {
  return culink::robustness::run(argc, argv);
}
