// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "children.h"
#include "mutator.h"

namespace culink::robustness {

// The device objects of one link.
struct LinkedProgram {
  std::vector<std::string> names;
  std::vector<Original> files;
  std::string target;
  bool complete = true; // can be linked; otherwise only relocatable links make sense
};

// Those of the campaign's arguments, lists of files, that can be read and that `accepts` takes.
[[nodiscard]] std::vector<LinkedProgram>
load_programs(const CampaignOptions &options, const std::function<bool(LinkedProgram &)> &accepts);

// One damaged file of one program.
struct DamagedFile {
  const LinkedProgram *program = nullptr;
  u64 file = 0;
  Mutant mutant;

  [[nodiscard]] const std::string &name() const { return program->names[file]; }
  [[nodiscard]] const Original &original() const { return program->files[file]; }
};

// The numbers from which the mutant of that number is made. A campaign chooses the file first, then
// what it wants to choose itself, and has the file damaged at the end; old seeds give old mutants.
[[nodiscard]] Random numbers_of(const CampaignOptions &options, u64 number);
[[nodiscard]] DamagedFile choose_file(const std::vector<LinkedProgram> &programs, Random &random);
[[nodiscard]] Mutant damage(const DamagedFile &chosen, const CampaignOptions &options,
                            Random &random);

// Writes the mutant that --save asks for to a file, and says what it is and how it is linked.
// Returns the exit status.
[[nodiscard]] int save(const CampaignOptions &options, const DamagedFile &hit,
                       std::string_view way);

// Says that a mutant broke a law.
void print_broken_law(u64 number, std::string_view way, std::string_view law);

// The last line of a campaign. Returns the exit status.
[[nodiscard]] int print_verdict(const Deaths &deaths, u64 broken_laws);

} // namespace culink::robustness
