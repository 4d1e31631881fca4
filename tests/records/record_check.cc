// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The codecs against real files: every section they understand, of every ELF file given, must
// decode without a violation and encode to the same bytes; so must every nv.info value, symbol and
// relocation. Prints what does not, and a summary; exit status 1 if anything did not, 2 when a file
// cannot be read.
//   record_check FILE...
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>

#include <fmt/format.h>

#include "elf/elf_view.h"
#include "elf/records/nv_callgraph.h"
#include "elf/records/nv_capmerc.h"
#include "elf/records/nv_compat.h"
#include "elf/records/nv_host_refs.h"
#include "elf/records/nv_info.h"
#include "elf/records/nv_metadata.h"
#include "elf/records/nv_notes.h"
#include "elf/records/nv_rel_action.h"
#include "elf/records/nv_unified.h"
#include "elf/section_kind.h"
#include "elf/symbol_codec.h"
#include "support/mapped_file.h"

namespace culink::elf {
namespace {

struct Tally {
  std::map<std::string_view, u64> sections; // by role
  u64 info_records = 0;
  u64 problems = 0;
};

class FileCheck {
public:
  FileCheck(std::string file, const ElfView &view, Tally &tally)
      : file_(std::move(file)), view_(view), tally_(tally) {}

  void run() {
    for (const Section &section : view_.sections()) {
      section_ = &section;
      if (check_section(section))
        ++tally_.sections[name_of_section_role(kind(section).role)];
    }
  }

private:
  static SectionKind kind(const Section &section) {
    return classify_section(section.name, section.type, section.flags);
  }

  void report(u64 offset, const std::string &what) {
    ++tally_.problems;
    fmt::print("{}: {} + {:#x}: {}\n", file_, describe_section(*section_), offset, what);
  }

  // The violations of a decoded section, and whether it encodes to what it was.
  void check_decoded(const std::vector<Violation> &violations, const std::vector<u8> &encoded) {
    for (const Violation &violation : violations)
      report(violation.offset, violation.message);
    if (!std::ranges::equal(encoded, section_->data))
      report(0, "does not encode to the same bytes");
  }

  // False for a section without records.
  bool check_section(const Section &section) {
    switch (kind(section).role) {
    case SectionRole::Info:
      check_info(section.data);
      return true;
    case SectionRole::Callgraph: {
      const CallGraph graph = decode_call_graph(section.data);
      check_decoded(graph.violations, encode_call_graph(graph));
      return true;
    }
    case SectionRole::Prototype: {
      const PrototypeSection prototypes = decode_prototypes(section.data);
      check_decoded(prototypes.violations, encode_rows(prototypes));
      return true;
    }
    case SectionRole::Compat:
      check_compat(section.data);
      return true;
    case SectionRole::RelAction: {
      const RelocationActions actions = decode_relocation_actions(section.data);
      check_decoded(actions.violations, encode_relocation_actions(actions));
      return true;
    }
    case SectionRole::Metadata: {
      const MetadataSection metadata = decode_metadata(section.data);
      check_decoded(metadata.violations, encode_rows(metadata));
      return true;
    }
    case SectionRole::UftEntry:
    case SectionRole::UdtEntry: {
      const UnifiedSection unified = decode_unified_entries(section.data);
      check_decoded(unified.violations, encode_rows(unified));
      return true;
    }
    case SectionRole::CapmercText: {
      const Capsule capsule = decode_capsule(section.data);
      check_decoded(capsule.violations, encode_capsule(capsule));
      return true;
    }
    case SectionRole::HostReferences:
    case SectionRole::ModuleId: {
      const NameList names = decode_names(section.data);
      check_decoded(names.violations, encode_names(names));
      return true;
    }
    case SectionRole::NoteTkinfo:
    case SectionRole::NoteCuinfo:
      check_notes(section.data);
      return true;
    case SectionRole::SymbolTable:
      check_symbols(section);
      return true;
    case SectionRole::Rel:
    case SectionRole::Rela:
    case SectionRole::ResolvedRela:
      check_relocations(section);
      return true;
    default:
      return false;
    }
  }

  void check_info(ByteSpan data) {
    const InfoSection info = decode_info(data);
    check_decoded(info.violations, encode_info(info));
    for (const InfoRecord &record : info.records) {
      ++tally_.info_records;
      if (const std::optional<Violation> violation = check_record(record))
        report(violation->offset, violation->message);
      if (!info_row(record.attribute))
        report(record.offset,
               fmt::format("attribute {:#04x} has no row", static_cast<u8>(record.attribute)));
      if (record.sized() &&
          !std::ranges::equal(encode_payload(decode_value(record)), record.payload))
        report(record.offset, "the value does not encode to the same payload");
    }
  }

  void check_compat(ByteSpan data) {
    const CompatSection compat = decode_compat(data);
    check_decoded(compat.violations, encode_compat(compat));
    for (const CompatRecord &record : compat.records)
      if (const std::optional<Violation> violation = check_compat_record(record))
        report(violation->offset, violation->message);
  }

  void check_notes(ByteSpan data) {
    const NoteSection notes = decode_notes(data);
    check_decoded(notes.violations, encode_notes(notes));
    for (const Note &note : notes.notes) {
      if (note.type == kNoteToolkitInfo) {
        const Result<ToolkitInfo> info = decode_toolkit_info(note.desc);
        if (!info)
          report(note.offset, info.error().text());
      } else if (note.type == kNoteCudaInfo) {
        const Result<CudaInfo> info = decode_cuda_info(note.desc);
        if (!info)
          report(note.offset, info.error().text());
      } else {
        report(note.offset, fmt::format("note type {} is not known", note.type));
      }
    }
  }

  void check_symbols(const Section &section) {
    const SymbolTable symbols = view_.symbols(section);
    std::vector<u8> encoded;
    for (u32 i = 0; i < symbols.size(); ++i)
      if (const std::optional<Error> error =
              append_symbol(encoded, symbols[i], view_.header().elf_class()))
        report(0, error->text());
    check_decoded({}, encoded);
  }

  void check_relocations(const Section &section) {
    const RelocationTable relocations = view_.relocations(section);
    std::vector<u8> encoded;
    for (u32 i = 0; i < relocations.size(); ++i)
      if (const std::optional<Error> error = append_relocation(
              encoded, relocations[i], view_.header().elf_class(), relocations.has_addends()))
        report(0, error->text());
    check_decoded({}, encoded);
  }

  std::string file_;
  const ElfView &view_;
  Tally &tally_;
  const Section *section_ = nullptr;
};

int check_files(int count, char **paths) {
  Tally tally;
  for (int i = 0; i < count; ++i) {
    const Result<MappedFile> file = MappedFile::open(paths[i]);
    if (!file) {
      fmt::print(stderr, "{}: {}\n", paths[i], file.error().text());
      return 2;
    }
    const Result<ElfView> view = ElfView::open(file->bytes());
    if (!view) {
      fmt::print(stderr, "{}: {}\n", paths[i], view.error().text());
      return 2;
    }
    FileCheck(paths[i], *view, tally).run();
  }
  for (const auto &[role, sections] : tally.sections)
    fmt::print("{:8} {}\n", sections, role);
  fmt::print("{:8} nv.info records\n{} problems in {} files\n", tally.info_records, tally.problems,
             count);
  return tally.problems == 0 ? 0 : 1;
}

} // namespace
} // namespace culink::elf

int main(int argc, char **argv) {
  return culink::elf::check_files(argc - 1, argv + 1);
}
