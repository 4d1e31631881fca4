// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the sections that the linker writes itself: the call graph and prototypes of live
// functions (CallRecords), the notes with the tools and the target of the file, and the merged
// .nv.compat. The records of the objects are merged in the order of the inputs; each attribute has
// its own rule, such as the newest value or the bits that all files have. A run of equal .nv.compat
// sections is merged only until nothing changes, because most objects have equal records.
#include "link/records/synthesize.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <ranges>
#include <utility>

#include "elf/codec.h"
#include "elf/records/nv_callgraph.h"
#include "elf/records/nv_compat.h"
#include "elf/records/nv_notes.h"
#include "elf/records/nv_rel_action.h"
#include "elf/target/reloc.h"
#include "support/bytes.h"

namespace culink {

// The call graph and the prototypes of live functions, as the output has them. Records of functions
// are in the order of the functions.

using Second = CallRecord::Second;

namespace {

// Each callee where it is referred to first.
std::vector<FunctionId> first_references(std::span<const FunctionId> callees) {
  std::vector<u32> order(callees.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto callee = [callees](u32 i) { return callees[i]; };
  std::ranges::stable_sort(order, {}, callee);
  const auto repeated = std::ranges::unique(order, {}, callee);
  order.erase(repeated.begin(), repeated.end());
  std::ranges::sort(order);
  std::vector<FunctionId> out;
  for (const u32 i : order)
    out.push_back(callees[i]);
  return out;
}

// Appends callees in reverse order of reading; with -r, each only at its first reference (Q027).
void append_calls(const Program &p, const NodeLists<FunctionId> &edges, CallRecords &out) {
  for (u32 f = 0; f < edges.size(); ++f) {
    if (edges[f].empty() || !p.live.live[f])
      continue;
    std::vector<FunctionId> first;
    std::span<const FunctionId> callees = edges[f];
    if (!p.policy.executable)
      callees = first = first_references(callees);
    for (const FunctionId callee : std::views::reverse(callees))
      if (p.live.is_live(callee))
        out.push_back({FunctionId(f), Second::Function, callee.value});
  }
}

// By function in order of creation, the newest first.
void append_pointers(const Program &p, std::vector<CallGraph::Taken> list, CallRecords &out) {
  std::reverse(list.begin(), list.end());
  std::stable_sort(list.begin(), list.end(),
                   [](const auto &a, const auto &b) { return a.function < b.function; });
  for (const auto &[f, prototype] : list)
    if (p.live.is_live(f))
      out.push_back(prototype.valid() ? CallRecord{f, Second::Prototype, prototype.value}
                                      : CallRecord{f, Second::Marker, 0});
}

} // namespace

CallRecords list_call_graph(const Program &p) {
  CallRecords out;
  constexpr size_t kMarkers = 4;
  out.reserve(p.calls.calls.all().size() + p.calls.taken.size() + p.calls.indirect.size() +
              p.calls.targets.all().size() + kMarkers);
  const auto open = [&out](elf::CallPart part) {
    out.push_back({{}, Second::Marker, 0u - static_cast<u32>(part)});
  };
  open(elf::CallPart::Calls);
  append_calls(p, p.calls.calls, out);
  open(elf::CallPart::AddressTaken);
  append_pointers(p, p.calls.taken, out);
  open(elf::CallPart::IndirectCalls);
  append_pointers(p, p.calls.indirect, out);
  open(elf::CallPart::IndirectTargets);
  append_calls(p, p.calls.targets, out);
  return out;
}

// Functions whose address is taken have their prototype in the call graph.
CallRecords list_prototypes(const Program &p) {
  std::vector<bool> taken(p.calls.functions.size(), false);
  for (const CallGraph::Taken &t : p.calls.taken)
    taken[t.function.value] = true;
  CallRecords out;
  for (u32 f = 0; f < p.calls.functions.size(); ++f)
    if (p.calls.prototype_of[f].valid() && p.live.live[f] && !taken[f])
      out.push_back({FunctionId(f), Second::Prototype, p.calls.prototype_of[f].value});
  return out;
}

using elf::CompatAttribute;
namespace {

// Consecutive sections with the same records of compatibility.
struct CompatRun {
  ByteSpan section;
  u32 count = 0;
};

// How the objects were made.
struct Origins {
  std::vector<u8> tools; // notes
  std::vector<CompatRun> compats;
  u16 oldest_arch = 0xffff; // virtual
  u32 toolkit = 0;          // the newest
  u32 version = 0;          // of the newest note, if it is newer than the known one
};

Origins read_origins(std::span<const InputObject> objects) {
  Origins out;
  for (const InputObject &object : objects) {
    for (const u32 section : object.tool_notes)
      elf::append_bytes(out.tools, object.section(section).data);
    for (const u32 section : object.compats) {
      const ByteSpan data = object.section(section).data;
      if (out.compats.empty() || !std::ranges::equal(out.compats.back().section, data))
        out.compats.push_back({data, 0});
      ++out.compats.back().count;
    }
    out.oldest_arch = std::min(out.oldest_arch, object.virtual_sm);
    out.toolkit = std::max(out.toolkit, object.toolkit);
    out.version = std::max(out.version, object.unfamiliar.cuda_note);
  }
  return out;
}

std::string or_else(std::string_view fixed, const std::string &given) {
  return fixed.empty() ? given : std::string(fixed);
}

std::vector<u8> build_tkinfo(const Program &p, const Origins &origins) {
  std::vector<u8> out;
  const std::vector<u8> desc = elf::encode_toolkit_info(
      {.object = or_else(p.dialect.tool_object, p.options.object_name),
       .tool = std::string(p.dialect.tool),
       .tool_version = std::string(p.dialect.tool_version),
       .build = std::string(p.dialect.tool_build),
       .options = or_else(p.dialect.tool_options, p.options.option_words)});
  elf::append_note(out, {elf::kNoteToolkitInfo, elf::kNoteOwner, desc});
  if (p.policy.resolves_early)
    return out; // nvlink -r drops the tools that made the inputs
  elf::append_bytes(out, origins.tools);
  return out;
}

// Unknown fields of the note: those of the first object with its newest version.
ByteSpan later_fields(const Program &p, u32 version) {
  constexpr u64 kKnown = 8;
  for (const InputObject &object : p.objects)
    for (u32 i = 0; i < object.kinds.size() && object.unfamiliar.cuda_note == version; ++i)
      if (object.kinds[i].role == elf::SectionRole::NoteCuinfo)
        for (const elf::Note &note : elf::decode_notes(object.section(i).data).notes)
          if (note.type == elf::kNoteCudaInfo && note.desc.size() > kKnown)
            return note.desc.subspan(kKnown);
  return {};
}

// Builds .note.nv.cuinfo: the oldest virtual architecture of the inputs, and the toolkit of the
// output's conventions.
std::vector<u8> build_cuinfo(const Program &p, const Origins &origins) {
  constexpr u32 kKnownVersion = 2;
  const u16 oldest = std::min(p.arch.number, origins.oldest_arch);
  const u32 toolkit =
      std::max(p.policy.toolkit, origins.toolkit); // so that an older driver refuses it
  const u32 version = std::max(kKnownVersion, origins.version);
  std::vector<u8> out;
  std::vector<u8> desc = elf::encode_cuda_info(
      {.version = static_cast<u16>(version), .virtual_arch = oldest, .toolkit = toolkit});
  if (version > kKnownVersion)
    elf::append_bytes(desc, later_fields(p, version));
  elf::append_note(out, {elf::kNoteCudaInfo, elf::kNoteOwner, desc});
  return out;
}

u16 merge_compat_value(CompatAttribute attribute, u16 a, u16 b) {
  switch (attribute) {
  case CompatAttribute::IsaClass:
    return a == 0 || b == 0 ? u16{0} : std::max(a, b);
  case CompatAttribute::InstTensormapV1:
    return a | b;
  case CompatAttribute::InstTcgen05Mma: { // 5 is neutral
    if (b == 5)
      return a;
    return a == 5 ? b : std::min(a, b);
  }
  case CompatAttribute::EnableOpportunisticFinalization:
    return a == b ? a : u16{1};
  case CompatAttribute::CudaInternalTarget:
  case CompatAttribute::Unnamed13:
  case CompatAttribute::FinalizerVersion:
    return std::max(a, b);
  case CompatAttribute::MercuryIsaMajorMinorVersion:
    return static_cast<u16>(std::max(a & 0xff, b & 0xff) | std::max(a >> 8, b >> 8) << 8);
  default:
    return a;
  }
}

bool is_dropped(const Program &p, CompatAttribute attribute) {
  const CompatRules &rules = p.policy.compat;
  const auto has = [attribute](std::span<const CompatAttribute> list) {
    return std::find(list.begin(), list.end(), attribute) != list.end();
  };
  return has(rules.drops) || (p.arch.code_kind == arch::CodeKind::Sass && has(rules.sass_drops));
}

using CompatRecords = std::vector<elf::CompatRecord>;

elf::CompatRecord *find_record(CompatRecords &records, CompatAttribute attribute) {
  const auto found = std::ranges::find(records, attribute, &elf::CompatRecord::attribute);
  return found == records.end() ? nullptr : &*found;
}

elf::CompatRecord accelerator_target(const Program &p) {
  return {.format = elf::RecordFormat::Byte,
          .attribute = CompatAttribute::CudaAcceleratorTarget,
          .value = p.arch.accelerator_target};
}

// Records that releases add follow the version of Mercury code, also in a section without the
// version, such as those of toolkit 12.9. There, this record marks the position.
constexpr elf::CompatRecord kPlaceOfVersion = {.format = elf::RecordFormat::Half,
                                               .attribute =
                                                   CompatAttribute::MercuryIsaMajorMinorVersion,
                                               .value = 0x100};

// The records of a section, and those that it implies (Q151).
CompatRecords read_compat(const Program &p, ByteSpan section) {
  CompatRecords out = elf::decode_compat(section).records;
  std::erase_if(out, [&p](const auto &record) { return is_dropped(p, record.attribute); });
  if (elf::CompatRecord *target = find_record(out, CompatAttribute::CudaAcceleratorTarget))
    target->value = p.arch.accelerator_target;
  else if (p.arch.has_compat) // toolkit 12.9 leaves it out
    out.insert(out.begin(), accelerator_target(p));
  const CompatRules &rules = p.policy.compat;
  const std::span<const elf::CompatRecord> places(&kPlaceOfVersion, rules.adds.empty() ? 0 : 1);
  if (p.arch.has_compat)
    for (const auto &list : {rules.assumes, places, rules.adds})
      for (const elf::CompatRecord &record : list)
        if (!find_record(out, record.attribute))
          out.push_back(record);
  return out;
}

// Records of several files as one.
class CompatMerger {
public:
  explicit CompatMerger(std::span<const CompatAttribute> unanimous) : unanimous_(unanimous) {}

  // Adds the records of a file; a shortcut stays only if every file allows it. Returns false if
  // nothing has changed; adding equal records again is then a no-op.
  bool add(CompatRecords records) {
    const u64 old_fastpath = fastpath_;
    for (const elf::CompatRecord &record : records)
      if (record.attribute == CompatAttribute::CanFastpathFinalize)
        fastpath_ &= elf::compat_number(record).value_or(0);
    if (!std::exchange(any_, true)) {
      all_ = std::move(records);
      return true;
    }
    bool changed = fastpath_ != old_fastpath;
    for (const elf::CompatRecord &record : records)
      if (elf::CompatRecord *same = find_record(all_, record.attribute)) {
        const u16 old = std::exchange(
            same->value, merge_compat_value(record.attribute, same->value, record.value));
        changed = changed || same->value != old;
      } else if (!is_unanimous(record.attribute)) {
        all_.push_back(record);
        changed = true;
      }
    const size_t dropped = std::erase_if(all_, [&](const elf::CompatRecord &record) {
      return is_unanimous(record.attribute) && !find_record(records, record.attribute);
    });
    return changed || dropped != 0;
  }

  [[nodiscard]] CompatRecords finish() {
    store_le<u64>(bytes_.data(), fastpath_);
    if (elf::CompatRecord *shortcuts = find_record(all_, CompatAttribute::CanFastpathFinalize);
        shortcuts && shortcuts->payload.size() == bytes_.size())
      shortcuts->payload = bytes_;
    return all_;
  }

private:
  [[nodiscard]] bool is_unanimous(CompatAttribute attribute) const {
    return std::ranges::find(unanimous_, attribute) != unanimous_.end();
  }

  std::span<const CompatAttribute> unanimous_;
  CompatRecords all_;
  u64 fastpath_ = ~u64{0};
  std::array<u8, 8> bytes_{};
  bool any_ = false;
};

// The first file's records, the values of later files merged in.
std::vector<u8> build_compat(const Program &p, const Origins &origins) {
  CompatMerger merger(p.policy.compat.unanimous);
  bool says_version = p.policy.compat.adds.empty(); // or it has been assumed
  for (const CompatRun &run : origins.compats) {
    for (u32 i = 0; i < run.count && merger.add(read_compat(p, run.section)); ++i) {
    }
    CompatRecords said = elf::decode_compat(run.section).records;
    says_version = says_version || find_record(said, kPlaceOfVersion.attribute);
  }
  elf::CompatSection out{.records = merger.finish()};
  if (!says_version)
    std::erase_if(out.records, [](const elf::CompatRecord &record) {
      return record.attribute == kPlaceOfVersion.attribute;
    });
  if (out.records.empty() && p.arch.has_compat) {
    out.records.push_back(accelerator_target(p));
    if (p.arch.code_kind != arch::CodeKind::Sass)
      for (const elf::CompatRecord &record : p.policy.compat.adds)
        out.records.push_back(record);
  }
  return elf::encode_compat(out);
}

// How a loader applies a relocation that it may not know: offset and bank of a constant.
std::vector<u8> build_rel_action() {
  const arch::RelocInfo &row = arch::reloc_for(arch::RelocRole::NewestField);
  elf::RelocationAction action;
  for (size_t i = 0; i < action.fields.size(); ++i)
    action.fields[i] = {row.pieces[i].value_bit, row.pieces[i].width, row.pieces[i].word_bit};
  return elf::encode_relocation_actions(
      {.has_header = true, .first_type = row.number, .actions = {action}});
}

} // namespace

Synthetic synthesize_sections(const Program &p) {
  const Origins origins = read_origins(p.objects);
  return {.callgraph = list_call_graph(p),
          .prototypes = list_prototypes(p),
          .tkinfo = build_tkinfo(p, origins),
          .cuinfo = build_cuinfo(p, origins),
          .compat = build_compat(p, origins),
          .rel_action = p.arch.has_rel_action && p.policy.executable ? build_rel_action()
                                                                     : std::vector<u8>{}};
}

} // namespace culink
