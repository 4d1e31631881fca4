// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the plan to a file, through the ELF builder: symbols and sections in order of creation, then
// contents, then the offset of everything. The plan ends here: a large link needs most memory when
// it writes the file.
//
// What may surprise: symbols come before sections. Both name each other; sections get their ids by
// counting, so that symbols can name them before they exist. Symbols then have numbers before there
// are contents, which store them.
#include "link/output/draft.h"

#include <algorithm>
#include <utility>

#include "arch/elf_flags.h"
#include "link/nvlink/uncounted_sections.h"
#include "link/output/draft_sections.h"

namespace culink {

namespace {

// Until toolkit 12 the header says what notes say since.
elf::BuilderOptions with_old_abi(const Program &program, elf::BuilderOptions options) {
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

} // namespace

FileInProgress begin_file(const Program &program, const OutputPlan &plan, elf::SegmentRule segments,
                          WorkerPool &pool) {
  const OutputSections &sections = plan.layout.sections;
  elf::BuilderOptions options{
      .type = program.policy.executable ? elf::FileType::Executable : elf::FileType::Relocatable,
      .flags = u32{program.arch.number} << 8 | static_cast<u32>(program.arch.code_kind),
      .segments = segments,
      .phentsize_without_segments =
          static_cast<u16>(segments == elf::SegmentRule::Mercury ? 0 : 56),
      .borrow_names = true,
      .numbered_names = &sections.names,
      .lose_section_fff2 = program.policy.loses_section_fff2};
  if (segments == elf::SegmentRule::Mercury && program.policy.compacts_planes) {
    options.compact = true;
    options.section_names_room = kIndexNamesRoom;
  }
  if (program.policy.old_abi)
    options = with_old_abi(program, std::move(options));
  elf::ElfBuilder elf(std::move(options));
  EmittedSections emitted = find_emitted(plan, elf::SectionId(elf.section_count()), pool);
  FileInProgress file{.elf = std::move(elf),
                      .is_emitted = std::move(emitted.is_emitted),
                      .section_of = std::move(emitted.section_of),
                      .next_section = emitted.next,
                      .rel_action = {},
                      .symbols = {},
                      .numbers = {},
                      .relocations_grouped = emitted.relocations_grouped};
  const u64 planes = segments == elf::SegmentRule::Mercury ? 2 : 1;
  file.elf.reserve({.sections = planes * sections.list.size() + 8,
                    .symbols = sections.locals.size() + sections.globals.size() + 8});
  for (const std::string_view text : program.calls.prototypes)
    file.elf.add_string(text, text.empty()); // the empty prototype is a string of its own
  if (!plan.synthetic.rel_action.empty())
    file.rel_action = file.next_section;
  file.symbols = add_output_symbols(program, plan.layout, plan.shared, file.section_of,
                                    file.rel_action, file.is_emitted, pool, file.elf);
  return file;
}

std::optional<FileDraft> finish_file(const Program &program, OutputPlan &&plan, FileInProgress file,
                                     WorkerPool &pool, Diagnostics &diag) {
  const OutputSections &sections = plan.layout.sections;
  if (sections.cuinfo.valid())
    file.elf.set_flags_section(file.section_of[sections.cuinfo.value]);
  if (auto uncounted = nvlink::uncounted_sections(program, sections, file.section_of))
    file.elf.number_sections_as_added(std::move(*uncounted));
  // Of a file whose symbols have numbers, sections borrow them.
  KeptRelocations borrowed;
  if (file.numbers)
    borrowed = std::move(plan.relocations.kept);
  Result<elf::ElfLayout> layout =
      file.numbers ? file.elf.lay_out(pool, std::move(*file.numbers)) : file.elf.lay_out(pool);
  if (!layout) {
    diag.report(DiagId::Contradiction, {"output", layout.error().text()});
    return {};
  }
  file.elf.keep_names(std::make_unique<StringIndex>(std::move(plan.layout.sections.names)));
  return FileDraft{.elf = std::move(file.elf),
                   .layout = std::move(*layout),
                   .values = std::move(plan.relocations.folded),
                   .section_of = std::move(file.section_of),
                   .null_symbol_value = plan.layout.placement.null_symbol_value,
                   .patches = {},
                   .finalized = {},
                   .records = std::move(plan.info),
                   .relocations = std::move(borrowed),
                   .contents = {},
                   .names = std::move(plan.layout.sections.name_storage)};
}

std::optional<FileDraft> draft_file(const Program &program, OutputPlan plan, WorkerPool &pool,
                                    Diagnostics &diag) {
  // Relocations were the last to ask where sections of objects went.
  plan.layout.placement.location_of = LocationOf();
  plan.layout.relocs.slices = {};
  FileInProgress file = begin_file(program, plan, elf::SegmentRule::Classic, pool);
  file.numbers = file.elf.number_symbols();
  RecordWriter records(file.elf, file.symbols);
  plan.info = store_numbers(std::move(plan.info), file.symbols, *file.numbers, pool);
  add_sections(program, plan, records, pool, file);
  finish_headers(plan, file);
  fill_synthetic(plan, file.section_of, plan.synthetic.compat, records, file);
  fill_calls(program, plan, file.section_of, pool, file);
  fill_unified(plan, file.section_of, file);
  plan.relocations.kept =
      encode_relocations(program, plan, std::move(plan.relocations.kept), pool, file, diag);
  return finish_file(program, std::move(plan), std::move(file), pool, diag);
}

} // namespace culink
