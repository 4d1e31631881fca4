// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns the plan into a file: symbols and sections in order of creation, then contents, then all
// offsets. The plan is freed here, because a large link needs most memory when it writes the file.
//
// What may surprise: sections are those of the plan, with their names and most of their contents.
// Symbols come first, because headers and contents store their numbers.
#include "link/output/draft.h"

#include <algorithm>
#include <utility>

#include "elf/target/elf_flags.h"
#include "link/nvlink/section_owners.h"
#include "link/output/draft_sections.h"

namespace culink {

namespace {

// Up to toolkit 12, the file header holds the data that notes hold since then.
elf::FileOptions with_old_abi(const Program &program, elf::FileOptions options) {
  arch::ElfTarget target{.os_abi = elf::kOsAbiCudaOld,
                         .abi_version = arch::kAbiVersionOld,
                         .sm = static_cast<u8>(program.arch.number),
                         .virtual_sm = static_cast<u8>(program.arch.number),
                         .accelerated = program.arch.letter == 'a',
                         .address_64 = true,
                         .texture_unified = true};
  options.version = program.policy.toolkit;
  for (const InputObject &object : program.objects) {
    target.virtual_sm = std::min(target.virtual_sm, static_cast<u8>(object.virtual_sm));
    options.version = std::max(options.version, object.toolkit);
  }
  options.os_abi = target.os_abi;
  options.abi_version = target.abi_version;
  options.flags = arch::encode_elf_flags(target);
  return options;
}

elf::FileOptions file_options(const Program &program, elf::SegmentRule segments) {
  elf::FileOptions options{
      .type = program.policy.executable ? elf::FileType::Executable : elf::FileType::Relocatable,
      .flags = u32{program.arch.number} << 8 | static_cast<u32>(program.arch.code_kind),
      .segments = segments,
      .phentsize_without_segments =
          static_cast<u16>(segments == elf::SegmentRule::Mercury ? 0 : 56),
      .lose_section_fff2 = program.policy.loses_section_fff2};
  if (segments == elf::SegmentRule::Mercury && program.policy.compacts_planes) {
    options.compact = true;
    options.section_names_room = kIndexNamesRoom;
  }
  return program.policy.old_abi ? with_old_abi(program, options) : options;
}

} // namespace

OutputPlan decide_presence(OutputPlan plan) {
  const OutputSections &sections = plan.layout.sections;
  std::vector<u8> has_entries(sections.size()); // of relocation tables
  for (const KeptRelocation &kept : plan.relocations.kept)
    has_entries[kept.table.value] = 1;
  for (const SlotTable &slots : plan.images.tables)
    has_entries[slots.table.value] = 1;
  const auto is_part_of_file = [&](OutId id) -> bool {
    if (id == sections.info)
      return !plan.info.module.empty();
    if (id == sections.prototype)
      return !plan.synthetic.prototypes.empty();
    return elf::is_relocation_table(sections[id].type) ? has_entries[id.value]
                                                       : sections[id].emitted();
  };
  for (u32 i = elf::SectionTable::kOwnTables; i < sections.size(); ++i)
    if (Presence &presence = plan.layout.sections[OutId(i)].presence;
        presence == Presence::IfUsed || presence == Presence::Always)
      presence = is_part_of_file(OutId(i)) ? Presence::Always : Presence::NameOnly;
  return plan;
}

FileInProgress begin_file(const Program &program, const OutputPlan &plan,
                          elf::SectionTable sections, elf::SegmentRule segments) {
  FileInProgress file{.elf = elf::ElfFile(file_options(program, segments), std::move(sections)),
                      .symbols = {},
                      .numbers = {}};
  for (const std::string_view text : program.calls.prototypes)
    file.elf.add_string(text, text.empty()); // the empty prototype is a string of its own
  OutId rel_action;
  if (!plan.synthetic.rel_action.empty()) {
    rel_action = file.elf.sections.add(kRelAction, {.type = elf::SectionType::CudaRelocInfo,
                                                    .align = 8,
                                                    .entsize = 8,
                                                    .presence = elf::Presence::Always});
    file.elf.sections.append_copy(rel_action, plan.synthetic.rel_action);
  }
  file.symbols = add_output_symbols(program, plan.layout, plan.shared, rel_action, file.elf);
  file.numbers = file.elf.symbols.numbers();
  finish_headers(program, plan, file);
  if (auto uncounted = nvlink::uncounted_sections(program, plan.layout.sections, file.elf.sections))
    file.elf.number_sections_as_added(std::move(*uncounted));
  return file;
}

std::optional<FileDraft> finish_file(OutputPlan plan, elf::ElfFile file, elf::SymbolNumbers numbers,
                                     WorkerPool &pool, Diagnostics &diag) {
  Result<elf::ElfLayout> layout = file.lay_out(std::move(numbers), pool);
  if (!layout) {
    diag.report(DiagId::Contradiction, {"output", layout.error().text()});
    return {};
  }
  return FileDraft{.elf = std::move(file),
                   .layout = std::move(*layout),
                   .values = std::move(plan.relocations.folded),
                   .null_symbol_value = plan.layout.placement.null_symbol_value,
                   .patches = {},
                   .finalized = {},
                   .records = std::move(plan.info),
                   .contents = {}};
}

std::optional<FileDraft> draft_file(const Program &program, OutputPlan plan, WorkerPool &pool,
                                    Diagnostics &diag) {
  // Relocations were the last to ask where sections of objects went.
  plan.layout.placement.location_of = LocationOf();
  plan.layout.relocs.slices = {};
  FileInProgress file =
      begin_file(program, plan, std::move(plan.layout.sections.table), elf::SegmentRule::Classic);
  plan.info = store_numbers(std::move(plan.info), file, pool);
  fill_records(program, plan, file);
  fill_synthetic(plan, {}, plan.synthetic.compat, file);
  fill_calls(program, plan, {}, file);
  fill_unified(plan, {}, file);
  fill_relocations(program, plan, {}, file, diag);
  return finish_file(std::move(plan), std::move(file.elf), std::move(file.numbers), pool, diag);
}

} // namespace culink
