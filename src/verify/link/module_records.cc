// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of the module: registers, frame and stack of each function. What they have to be is
// compared in records.cc; readers of the file do not agree on which of two counts.
#include <map>

#include <fmt/format.h>

#include "elf/records/nv_info.h"
#include "verify/link/link.h"

namespace culink::check {

namespace {

// Attributes of the module that are a number of a function.
bool is_number_of_function(elf::InfoAttribute attribute) {
  return attribute == elf::InfoAttribute::Regcount || attribute == elf::InfoAttribute::FrameSize ||
         attribute == elf::InfoAttribute::MinStackSize ||
         attribute == elf::InfoAttribute::MaxStackSize;
}

} // namespace

// Of a function the module says each number once; of functions that were folded it may repeat it.
void check_module_records(const Link &link, Report &report) {
  std::map<std::pair<elf::InfoAttribute, u32>, u32> seen;
  for (const elf::Section &section : link.out.view.sections()) {
    const elf::SectionKind &kind = link.out.kinds[section.index];
    if (kind.mercury || kind.role != elf::SectionRole::Info || link.out.code_of[section.index] != 0)
      continue;
    for (const elf::InfoRecord &record : elf::InfoRecords(section.data)) {
      const std::vector<u32> words = elf::words_of(record);
      if (!is_number_of_function(record.attribute) || words.size() != 2)
        continue;
      const auto [first, is_new] = seen.emplace(std::pair(record.attribute, words[0]), words[1]);
      if (!is_new && first->second != words[1])
        report.add(
            {FindingKind::Records,
             words[0] < link.out.symbols.size() ? std::string(link.out.symbols[words[0]].name) : "",
             ".nv.info", record.offset,
             fmt::format("{} in record {:#x}, as in the first one", first->second,
                         static_cast<u32>(record.attribute)),
             std::to_string(words[1])});
    }
  }
}

} // namespace culink::check
