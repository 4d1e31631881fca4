// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What campaigns over whole programs have in common: the programs, the file of one of them that is
// damaged, and the lines that they print. What a mutant is put through is each campaign's own.
#include "damaged_program.h"

#include <cstdio>

#include <fmt/format.h>

#include "link_laws.h"
#include "structure.h"
#include "support/output_file.h"

namespace culink::robustness {

std::vector<LinkedProgram> load_programs(const CampaignOptions &options,
                                         const std::function<bool(LinkedProgram &)> &accepts) {
  std::vector<LinkedProgram> programs;
  for (const std::string &list : options.arguments) {
    LinkedProgram program;
    bool taken = read_originals(list, program.names, program.files);
    if (taken) {
      program.target = target_of(program.files.front().bytes);
      taken = !program.target.empty() && accepts(program);
    }
    if (taken)
      programs.push_back(std::move(program));
    else
      fmt::print("left out, because it is not for this campaign even undamaged: {}\n", list);
  }
  return programs;
}

Random numbers_of(const CampaignOptions &options, u64 number) {
  return Random(options.seed * 0x100000001b3 + number);
}

DamagedFile choose_file(const std::vector<LinkedProgram> &programs, Random &random) {
  DamagedFile out;
  out.program = &programs[random.below(programs.size())];
  out.file = random.below(out.program->files.size());
  return out;
}

Mutant damage(const DamagedFile &chosen, const CampaignOptions &options, Random &random) {
  const auto make = options.structure ? make_structured_mutant : make_mutant;
  return make(chosen.program->files, chosen.file, random);
}

int save(const CampaignOptions &options, const DamagedFile &hit, std::string_view way) {
  fmt::print("mutant {} of {}, first damage in {}, {}\n", options.save, hit.name(),
             name_of_target(hit.mutant.target), way);
  const auto error = write_file("mutant", hit.mutant.bytes);
  if (error)
    fmt::print(stderr, "{}\n", error->text());
  return error ? 1 : 0;
}

void print_broken_law(u64 number, std::string_view way, std::string_view law) {
  fmt::print("mutant {}, {}: {}\n", number, way, law);
  std::fflush(stdout);
}

int print_verdict(const Deaths &deaths, u64 broken_laws) {
  fmt::print("crashes {}, hangs {}, broken laws {}\n", deaths.crashes, deaths.hangs, broken_laws);
  return deaths.crashes + deaths.hangs + broken_laws == 0 ? 0 : 1;
}

} // namespace culink::robustness
