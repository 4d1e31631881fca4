// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the plan to a file, through the ELF builder: symbols and sections in order of creation, then
// contents, then the offset of everything. What has gone into the file is set free, because a large
// link needs most memory here.
//
// What may surprise: symbols come before sections. Both name each other; sections get their ids by
// counting, so that symbols can name them before they exist.
#include "link/output/draft.h"

#include <algorithm>

#include "arch/elf_flags.h"
#include "base/release_memory.h"
#include "link/emulate/section_numbers.h"
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
  options.version = program.dialect.release.toolkit;
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
      .lose_section_fff2 = emulate::loses_section_fff2(program)};
  if (program.dialect.release.old_abi)
    options = with_old_abi(program, std::move(options));
  FileInProgress file{elf::ElfBuilder(std::move(options)), find_emitted(plan), {}, {}, {}};
  const u64 planes = segments == elf::SegmentRule::Mercury ? 2 : 1;
  file.elf.reserve({.sections = planes * sections.list.size() + 8,
                    .symbols = sections.locals.size() + sections.globals.size() + 8,
                    .fixups = plan.info.module.word_count + 2 * plan.synthetic.callgraph.size(),
                    .relocations = planes * plan.relocations.kept.size()});
  for (const std::string_view text : program.calls.prototypes)
    file.elf.add_string(text, text.empty()); // the empty prototype is a string of its own
  u32 next = file.elf.section_count();
  file.section_of.reserve(sections.list.size());
  for (const OutSection &section : sections.list)
    file.section_of.push_back(section.discarded() ? elf::SectionId{} : elf::SectionId(next++));
  if (!plan.synthetic.rel_action.empty())
    file.rel_action = elf::SectionId(next);
  file.symbols = add_output_symbols(program, plan.layout, plan.shared, file.section_of,
                                    file.rel_action, file.is_emitted, pool, file.elf);
  return file;
}

// Where giving memory back is worth its time: the allocator looks at all the memory of the process
// for it, that of other threads, too, which wait meanwhile.
constexpr size_t kManySections = 4096;

std::optional<FileDraft> finish_file(const Program &program, OutputPlan &&plan, FileInProgress file,
                                     WorkerPool &pool, Diagnostics &diag) {
  const OutputSections &sections = plan.layout.sections;
  std::vector<std::vector<u8>> info_bytes = plan.info.store.take_bytes();
  plan.info = {};
  plan.relocations.kept = KeptRelocations();
  if (sections.cuinfo.valid())
    file.elf.set_flags_section(file.section_of[sections.cuinfo.value]);
  if (auto uncounted = emulate::uncounted_sections(program, sections, file.section_of))
    file.elf.number_sections_as_added(std::move(*uncounted));
  const bool large = sections.list.size() >= kManySections;
  plan.layout.sections.list = decltype(plan.layout.sections.list)();
  file.symbols = {};
  if (large) // the layout needs little, but looks at names all over the inputs
    release_free_memory();
  Result<elf::ElfLayout> layout = file.elf.lay_out(pool);
  if (!layout) {
    diag.report(DiagId::Contradiction, {"output", layout.error().text()});
    return {};
  }
  return FileDraft{.elf = std::move(file.elf),
                   .layout = std::move(*layout),
                   .values = std::move(plan.relocations.folded),
                   .section_of = std::move(file.section_of),
                   .null_symbol_value = plan.layout.placement.null_symbol_value,
                   .patches = {},
                   .finalized = {},
                   .records = std::move(info_bytes),
                   .contents = {},
                   .names = std::move(plan.layout.sections.name_storage)};
}

std::optional<FileDraft> draft_file(const Program &program, OutputPlan plan, WorkerPool &pool,
                                    Diagnostics &diag) {
  // Relocations were the last to ask where sections of objects went.
  plan.layout.placement.location_of = std::vector<std::vector<SectionLocation>>();
  plan.layout.relocs.slices = RelocationSlices();
  FileInProgress file = begin_file(program, plan, elf::SegmentRule::Classic, pool);
  RecordWriter records(file.elf, file.symbols);
  for (u32 i = 0; i < plan.layout.sections.size(); ++i) {
    if (plan.layout.sections.list[i].discarded())
      continue;
    elf::SectionSpec header = section_header(plan, file, OutId(i));
    if (program.policy.executable)
      header.type = type_in_executable(header.type);
    file.elf.add_section(header);
    fill_section(plan, OutId(i), file.section_of[i], records, file.elf);
  }
  finish_headers(plan, file);
  fill_synthetic(plan, file.section_of, plan.synthetic.compat, records, file);
  fill_calls(program, plan, file.section_of, file);
  fill_unified(plan, file.section_of, file);
  fill_relocations(program, plan, file.section_of, file, diag);
  return finish_file(program, std::move(plan), std::move(file), pool, diag);
}

} // namespace culink
