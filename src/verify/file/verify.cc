// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks whether a file is a device ELF as NVIDIA's tools write it. The view has already checked
// that the file can be read safely; the rules here are about meaning: names, types, links and
// records must agree with each other. Each topic has its own file (verify_*.cc); this one has the
// list of rules and the order of the topics.
//
// The rules come from runs over thousands of files of ptxas and nvlink 13.0. The actual output of
// those tools has priority over a specification: locals may follow globals if sh_info agrees, a
// Mercury section may share the bytes of its counterpart, the value of a shared variable may be its
// alignment.
#include "verify/file/verify.h"

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

#include "elf/target/elf_flags.h"
#include "verify/file/verify_findings.h"

namespace culink {

namespace {

constexpr std::array kRules = std::to_array<RuleRow>({
    {Rule::Structure, "structure",
     "every offset, size, count, index and string of the file is valid"},
    {Rule::HeaderMachine, "header-machine", "e_machine is EM_CUDA (190)"},
    {Rule::HeaderIdent, "header-ident", "versions are 1, padding bytes and e_entry are 0"},
    {Rule::HeaderAbi, "header-abi", "OSABI and ABI version are a pair that a toolkit writes"},
    {Rule::HeaderType, "header-type", "the file is relocatable or executable"},
    {Rule::HeaderFlags, "header-flags", "e_flags name a known architecture and code kind"},
    {Rule::HeaderCuinfo, "header-cuinfo",
     "the top byte of e_flags is the index of .note.nv.cuinfo"},
    {Rule::HeaderSizes, "header-sizes", "the sizes in the header are those of its class"},
    {Rule::HeaderTables, "header-tables",
     "the section table follows the section data, aligned; e_shstrndx names strings"},
    {Rule::SectionNull, "section-null", "section 0 holds nothing but an escaped section count"},
    {Rule::SectionMissing, "section-missing", "the sections every device ELF has are there"},
    {Rule::SectionUnique, "section-unique", "sections that describe the whole file appear once"},
    {Rule::SectionType, "section-type", "a section's type is the one its name calls for"},
    {Rule::SectionFlags, "section-flags", "a section's flags are those of its kind"},
    {Rule::SectionLink, "section-link", "sh_link names the table that the kind needs"},
    {Rule::SectionInfo, "section-info", "sh_info names the section or symbol that the kind needs"},
    {Rule::SectionEntry, "section-entry", "sh_entsize is the size of the kind's entries"},
    {Rule::SectionAlign, "section-align", "sh_offset and sh_size keep the alignment of the kind"},
    {Rule::SectionAddress, "section-address", "sh_addr is 0"},
    {Rule::SectionOverlap, "section-overlap",
     "no two sections share bytes, except a Mercury section and its counterpart"},
    {Rule::SectionGap, "section-gap", "bytes that belong to no section are 0"},
    {Rule::FileTrailing, "file-trailing", "nothing follows the last table"},
    {Rule::TextSize, "text-size", "code is a whole number of instructions"},
    {Rule::TextSymbol, "text-symbol", "sh_info of code names a function symbol in it"},
    {Rule::SymbolNull, "symbol-null", "symbol 0 is unnamed, and all its fields are 0"},
    {Rule::SymbolOrder, "symbol-order", "no local symbol is at or after sh_info"},
    {Rule::SymbolKind, "symbol-kind", "symbols have a known binding and type"},
    {Rule::SymbolOther, "symbol-other", "st_other has a meaning for the symbol's type"},
    {Rule::SymbolValue, "symbol-value", "a symbol lies inside its section"},
    {Rule::SymbolSection, "symbol-section",
     "a section symbol is local, names its section and has value and size 0"},
    {Rule::SymbolFunction, "symbol-function", "a defined function lies in code"},
    {Rule::RelocationType, "reloc-type", "a relocation's type is known and of the table's kind"},
    {Rule::RelocationOffset, "reloc-offset", "the field of a relocation lies inside its section"},
    {Rule::RelocationAlign, "reloc-align", "relocations of code are at instructions"},
    {Rule::InfoFraming, "info-framing", "nv.info records follow each other to the last byte"},
    {Rule::InfoRecord, "info-record", "a record has the format and size of its attribute"},
    {Rule::InfoSymbol, "info-symbol", "symbols in nv.info exist and are of the right type"},
    {Rule::InfoOffset, "info-offset", "code offsets in nv.info are instructions of the function"},
    {Rule::CapsuleText, "capsule-text", "a Mercury capsule names the section of its code"},
    {Rule::CapsuleFraming, "capsule-framing", "a capsule has a record where its mask says so"},
    {Rule::CapsuleSize, "capsule-size", "a capsule speaks of every instruction of its code"},
    {Rule::MirrorSection, "mirror-section",
     "sections beside Mercury code have a Mercury counterpart, and every Mercury section is one"},
    {Rule::MirrorSymbol, "mirror-symbol", "both symbol tables list the same symbols"},
    {Rule::MirrorBytes, "mirror-bytes",
     "counterparts of data that Mercury does not change are equal"},
    {Rule::CallGraphFraming, "callgraph-framing",
     "the call graph has its four parts, -1 to -4, in order"},
    {Rule::CallGraphSymbol, "callgraph-symbol", "symbols in the call graph are functions"},
    {Rule::CallGraphString, "callgraph-string", "prototypes in the call graph are strings"},
    {Rule::PrototypeSymbol, "prototype-symbol", "symbols in .nv.prototype are functions"},
    {Rule::PrototypeString, "prototype-string", "offsets in .nv.prototype are strings"},
    {Rule::NoteFraming, "note-framing", "notes follow each other to the last byte"},
    {Rule::NoteName, "note-name", "a note has the owner and type of its section"},
    {Rule::NoteToolkit, "note-tkinfo", "the strings of a toolkit note lie inside it"},
    {Rule::NoteCuda, "note-cuinfo", "the CUDA note has its version and a known architecture"},
    {Rule::CompatFraming, "compat-framing", ".nv.compat records end at the last byte"},
    {Rule::CompatRecord, "compat-record",
     "a .nv.compat record has the format and size of its attribute"},
    {Rule::ActionType, "action-type", ".nv.rel.action describes known relocation types"},
    {Rule::SegmentPresence, "segment-presence",
     "an executable has program headers, a relocatable file has none"},
    {Rule::SegmentTable, "segment-table",
     "program headers follow the section table; PT_PHDR and a PT_LOAD cover them"},
    {Rule::SegmentFields, "segment-fields", "p_vaddr, p_paddr are 0 and p_align is 8"},
    {Rule::SegmentCover, "segment-cover",
     "every allocated section lies in the one segment that has its permissions"},
});

constexpr bool rules_are_in_order() {
  for (u32 i = 0; i < kRules.size(); ++i)
    if (static_cast<u32>(kRules[i].rule) != i)
      return false;
  return kRules.size() == static_cast<u32>(Rule::SegmentCover) + 1;
}
static_assert(rules_are_in_order());

} // namespace

std::span<const RuleRow> verify_rules() {
  return kRules;
}

std::string_view rule_id(Rule rule) {
  return kRules[static_cast<u32>(rule)].id;
}

void verify::Findings::append(Findings &&later) {
  for (Entry &entry : later.entries_) {
    if (entry.key != kNoSection) {
      const auto [known, is_new] = first_.try_emplace(entry.key, static_cast<u32>(entries_.size()));
      if (!is_new) {
        entries_[known->second].repeats += entry.repeats + 1;
        continue;
      }
    }
    entries_.push_back(std::move(entry));
  }
}

std::vector<Finding> verify::Findings::take() && {
  std::vector<Finding> out;
  for (Entry &entry : entries_) {
    if (entry.repeats > 0)
      entry.finding.what.message += fmt::format(" (and {} more in this section)", entry.repeats);
    out.push_back(std::move(entry.finding));
  }
  return out;
}

// The order of the topics, and their parts. A large file has a hundred thousand sections and
// several megabytes of symbols and records, so each topic is divided, and all threads check the
// parts of all topics. Each part has its own findings, which are joined in the order of the topics
// and of the file. The division does not depend on the number of threads.

namespace verify {

using elf::ElfView;
using elf::Section;

namespace {

// A part takes about a hundred microseconds: there are enough parts for sixteen threads, and the
// cost of starting one is negligible.
constexpr u32 kSectionsPerPart = 512;
constexpr u32 kSymbolsPerPart = 2048;
constexpr u32 kRecordsPerPart = 2048;
constexpr u64 kLargeInfo = u64{16} << 10; // bytes of an .nv.info section that is divided

[[nodiscard]] bool is_info(const Section &s) {
  return s.type == elf::SectionType::CudaInfo || s.type == elf::SectionType::MercuryInfo;
}

void check_small_info(const ElfView &view, const Section &s, Findings &findings) {
  if (is_info(s) && s.data.size() <= kLargeInfo)
    check_info(view, s, 0, s.data.size(), findings);
}

// The parts of a file in the order of their findings.
class PartList {
public:
  explicit PartList(const ElfView &view) : view_(view) {}

  void add(std::function<void(Findings &)> check) { parts_.push_back({std::move(check), {}}); }
  void add(void (*check)(const ElfView &, Findings &)) {
    add([this, check](Findings &findings) { check(view_, findings); });
  }
  void add_ranges(void (*check)(const ElfView &, SectionRange, Findings &)) {
    const SectionRange all(view_.sections());
    for (size_t begin = 0; begin < all.size(); begin += kSectionsPerPart)
      add([this, check,
           range = all.subspan(begin, std::min<size_t>(kSectionsPerPart, all.size() - begin))](
              Findings &findings) { check(view_, range, findings); });
  }
  template <void (*check)(const ElfView &, const Section &, Findings &)> void add_sections() {
    add_ranges([](const ElfView &view, SectionRange range, Findings &findings) {
      for (const Section &section : range)
        check(view, section, findings);
    });
  }

  void add_symbols(const Section &table) {
    const u32 count = view_.symbols(table).size();
    for (u32 begin = 0; begin < count; begin += kSymbolsPerPart)
      add([this, &table, begin, count](Findings &findings) {
        check_symbols(view_, table, begin, begin + std::min(kSymbolsPerPart, count - begin),
                      findings);
      });
  }

  // Records have different sizes, so this walks over them to find where the parts begin.
  void add_large_info(const Section &info) {
    elf::RecordReader<elf::InfoAttribute> reader(info.data);
    for (bool more = true; more;) {
      const u64 begin = reader.offset();
      for (u32 i = 0; i < kRecordsPerPart && more; ++i)
        more = reader.next();
      const u64 end = more ? reader.offset() : info.data.size();
      add([this, &info, begin, end](Findings &findings) {
        check_info(view_, info, begin, end, findings);
      });
    }
  }

  // Starts with the last parts: the call graph is there, and it cannot be divided.
  Findings run(WorkerPool &pool) && {
    pool.for_each(static_cast<u32>(parts_.size()), [&](u32 i) {
      Part &part = parts_[parts_.size() - 1 - i];
      part.check(part.found);
    });
    Findings out;
    for (Part &part : parts_)
      out.append(std::move(part.found));
    return out;
  }

private:
  struct Part {
    std::function<void(Findings &)> check;
    Findings found;
  };
  const ElfView &view_;
  std::vector<Part> parts_;
};

// Checks all topics except the header of a device file.
Findings check_contents(const ElfView &view, WorkerPool &pool) {
  PartList parts(view);
  parts.add(check_names);
  parts.add_sections<check_section>();
  parts.add(check_layout);
  for (const Section &section : view.sections())
    if (elf::is_symbol_table(section.type))
      parts.add_symbols(section);
  parts.add_sections<check_relocations>();
  parts.add_sections<check_small_info>();
  for (const Section &section : view.sections())
    if (is_info(section) && section.data.size() > kLargeInfo)
      parts.add_large_info(section);
  parts.add(check_mirror);
  parts.add_sections<check_calls>();
  parts.add_sections<check_note>();
  parts.add(check_segments);
  parts.add_ranges(check_cover);
  parts.add(check_segment_sizes);
  return std::move(parts).run(pool);
}

} // namespace

} // namespace verify

std::optional<std::string> target_without_rules(const elf::ElfView &view) {
  constexpr u32 kFirst = 20, kFirstWithRules = 75;
  const elf::FileHeader &h = view.header();
  const arch::ElfTarget target = arch::decode_elf_target(h);
  if (!h.is_cuda() || !verify::has_old_abi(view) || target.sm < kFirst ||
      target.sm >= kFirstWithRules)
    return std::nullopt;
  return fmt::format("sm_{}", target.sm);
}

std::vector<Finding> verify_device_elf(const elf::ElfView &view, WorkerPool &pool) {
  verify::Findings findings;
  for (const Error &violation : view.violations())
    findings.push(Rule::Structure, violation.place, violation.field, violation.message);
  if (target_without_rules(view))
    return std::move(findings).take();
  verify::check_header(view, findings);
  // Sections and symbols of a file for another machine have other meanings.
  if (view.header().is_cuda())
    findings.append(verify::check_contents(view, pool));
  return std::move(findings).take();
}

std::vector<Finding> verify_device_elf(const elf::ElfView &view) {
  WorkerPool alone(1);
  return verify_device_elf(view, alone);
}

std::vector<Finding> verify_mercury_mirror(const elf::ElfView &view) {
  verify::Findings findings;
  verify::check_mirror(view, findings);
  return std::move(findings).take();
}

} // namespace culink
