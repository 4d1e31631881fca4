// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of the checks, and their parts. A large file has a hundred thousand sections and
// several megabytes of symbols and records, so each topic is divided, and the parts of all topics
// are checked by all threads. Each part has findings of its own, which are then put together in the
// order of the topics and of the file; the divisions do not depend on the number of threads either.
//
// There are two rounds. The first looks at every section once, with all that concerns it alone,
// while it is in the caches. The second has the tables that the first came across.
#include <algorithm>
#include <functional>

#include "verify/file/verify_findings.h"

namespace culink::verify {

using elf::ElfView;
using elf::Section;

namespace {

// Parts of about a hundred microseconds: enough of them for sixteen threads, and few enough that
// beginning one costs nothing.
constexpr u32 kSectionsPerPart = 512;
constexpr u32 kSymbolsPerPart = 2048;
constexpr u32 kRecordsPerPart = 2048;
constexpr u64 kLargeInfo = u64{16} << 10; // bytes of an .nv.info that is divided

// Records of a section from `begin` up to `end`, which are offsets of records or of its end.
struct InfoPart {
  const Section *section;
  u64 begin;
  u64 end;
};

// The findings of one range of sections, by topic.
struct RangeFindings {
  Survey survey;
  std::vector<InfoPart> large_infos; // which are still to be checked
  Findings sections, relocations, infos, cover;
};

[[nodiscard]] bool is_info(const Section &s) {
  return s.type == elf::SectionType::CudaInfo || s.type == elf::SectionType::MercuryInfo;
}

// Records have different sizes, so where the parts begin is found by going from one to the next.
void list_records(const Section &info, std::vector<InfoPart> &parts) {
  elf::RecordReader<elf::InfoAttribute> reader(info.data);
  for (bool more = true; more;) {
    const u64 begin = reader.offset();
    for (u32 i = 0; i < kRecordsPerPart && more; ++i)
      more = reader.next();
    parts.push_back({&info, begin, more ? reader.offset() : info.data.size()});
  }
}

void check_data(const Section &s, FileMemory &memory, RangeFindings &out) {
  if (elf::is_relocation_table(s.type))
    check_relocations(memory.view(), s, out.relocations);
  else if (is_info(s) && s.data.size() > kLargeInfo)
    list_records(s, out.large_infos);
  else if (is_info(s))
    check_info(s, 0, s.data.size(), memory, out.infos);
}

void check_range(const ElfView &view, SectionRange range, RangeFindings &out) {
  FileMemory memory(view);
  check_cover(view, range, out.cover);
  for (const Section &s : range) {
    check_section(s, memory, out.sections);
    survey_section(view, s, out.survey);
    check_data(s, memory, out);
  }
}

// The parts of a file in the order of their findings: checks that are still to be made, and
// findings of those that have been.
class PartList {
public:
  void add(std::function<void(Findings &)> check) { parts_.push_back({std::move(check), {}}); }
  void add(Findings found) {
    if (!found.empty())
      parts_.push_back({nullptr, std::move(found)});
  }

  // Begins at the end, where the call graph is, which cannot be divided.
  Findings run(WorkerPool &pool) && {
    pool.for_each(static_cast<u32>(parts_.size()), [&](u32 i) {
      Part &part = parts_[parts_.size() - 1 - i];
      if (part.check)
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
  std::vector<Part> parts_;
};

void list_symbols(const ElfView &view, const Section &table, PartList &parts) {
  const u32 count = view.symbols(table).size();
  for (u32 begin = 0; begin < count; begin += kSymbolsPerPart)
    parts.add([&view, &table, begin, count](Findings &findings) {
      check_symbols(view, table, begin, begin + std::min(kSymbolsPerPart, count - begin), findings);
    });
}

} // namespace

Findings check_contents(const ElfView &view, WorkerPool &pool) {
  const SectionRange sections(view.sections());
  const u32 count = static_cast<u32>(sections.size());
  std::vector<RangeFindings> ranges((count + kSectionsPerPart - 1) / kSectionsPerPart);
  Findings mirror; // takes longest, and so comes first
  pool.for_each(static_cast<u32>(ranges.size()) + 1, [&](u32 i) {
    if (i == 0) {
      check_mirror(view, mirror);
      return;
    }
    const u32 begin = (i - 1) * kSectionsPerPart;
    check_range(view, sections.subspan(begin, std::min(kSectionsPerPart, count - begin)),
                ranges[i - 1]);
  });
  Survey survey;
  for (const RangeFindings &range : ranges)
    append_survey(view, survey, range.survey);

  PartList parts;
  const auto add_all = [&](Findings RangeFindings::*topic) {
    for (RangeFindings &range : ranges)
      parts.add(std::move(range.*topic));
  };
  parts.add([&](Findings &findings) { check_names(view, survey, findings); });
  add_all(&RangeFindings::sections);
  parts.add([&](Findings &findings) { check_layout(view, survey, findings); });
  for (const Section *table : survey.symbol_tables)
    list_symbols(view, *table, parts);
  add_all(&RangeFindings::relocations);
  add_all(&RangeFindings::infos);
  for (const RangeFindings &range : ranges)
    for (const InfoPart &part : range.large_infos)
      parts.add([&view, &part](Findings &findings) {
        FileMemory memory(view);
        check_info(*part.section, part.begin, part.end, memory, findings);
      });
  parts.add(std::move(mirror));
  for (const Section *section : survey.calls)
    parts.add([&view, section](Findings &findings) { check_calls(view, *section, findings); });
  for (const Section *section : survey.notes)
    parts.add([section](Findings &findings) { check_note(*section, findings); });
  parts.add([&](Findings &findings) { check_segments(view, findings); });
  add_all(&RangeFindings::cover);
  parts.add([&](Findings &findings) { check_segment_sizes(view, survey, findings); });
  return std::move(parts).run(pool);
}

} // namespace culink::verify
