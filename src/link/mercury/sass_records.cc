// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of the SASS plane. They equal the linked records of the Mercury plane, except for offsets
// in the code, and for additional records about properties that Mercury code does not have, such as
// parameters. Each offset comes from the next record of the same attribute in the object or in the
// finalizer's output.
#include "link/mercury/sass_records.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "elf/records/nv_compat.h"
#include "elf/target/instructions.h"
#include "support/bytes.h"
#include "support/string_index.h"

namespace culink {

using elf::InfoAttribute;

namespace {

// The bit of the shortcuts that code for one chip of a family does not allow.
constexpr u64 kOtherChips = 8;
// The bit of sm_121 for code of sm_120.
constexpr u64 kSm121 = 0x40;
// The value of INST_TCGEN05_MMA if integers are multiplied; 5 if not, or if there are none.
constexpr u16 kTensorIntegers = 6;

// True for code that clears a bit on sm_100: arithmetic in double precision, products of integer
// matrices, and comparing with a constant in single precision.
bool limits_fastpath(ByteSpan code) {
  for (; code.size() >= arch::kInstructionSize; code = code.subspan(arch::kInstructionSize))
    if (const arch::InstructionInfo *row = arch::find_instruction(code);
        row && row->limits_fastpath)
      return true;
  return false;
}

// True if an object lacks kOtherChips because of known instructions; functions without them then
// allow it.
bool explains_limit(const InputObject &object) {
  for (const elf::Section &section : object.view.sections())
    if (const elf::SectionKind &kind = object.kinds[section.index];
        kind.is_code() && !kind.mercury && limits_fastpath(section.data))
      return true;
  return false;
}

// True if code comes from the engine or equals its output, or was finalized by nvlink -r, which
// rarely changes code (Q104).
bool is_finalized(const SassContext &c, const SassCode &code) {
  return code.finalized || c.mercury.policy.resolves_early ||
         (c.finalizes && c.mercury.policy.executable);
}

std::optional<u64> fastpath_mask_of(const InputObject &object) {
  for (const u32 section : object.compats)
    for (const elf::CompatRecord &record : elf::decode_compat(object.section(section).data).records)
      if (record.attribute == elf::CompatAttribute::CanFastpathFinalize)
        return elf::compat_number(record).value_or(0);
  return std::nullopt;
}

// Since 13.3 instructions take nothing away from finalized code.
u64 mask_of_compilers(const SassContext &c, const SassCodeList &code) {
  u64 mask = c.inputs.arch.fastpath_mask;
  for (const OutId id : c.shape.order) {
    if (!c.function(id).valid())
      continue;
    const InputObject &object = c.sass.objects[code[id].definition.object.value];
    mask &= is_finalized(c, code[id]) ? fastpath_mask_of(object).value_or(mask) | kOtherChips
                                      : fastpath_mask_of(object).value_or(0);
  }
  return mask;
}

// Returns the shortcuts that the driver's finalizer may take: the ones that every function allows.
// An object records them for all its functions together; for objects of toolkit 12 that do not, the
// instructions decide.
u64 fastpath_mask(const SassContext &c, const SassCodeList &code) {
  if (c.mercury.policy.finalizes_any_code)
    return mask_of_compilers(c, code);
  enum class Code : u8 { None, Free, Limited };
  bool any = false;
  std::vector<Code> of_object(c.sass.objects.size(), Code::None);
  for (const OutId id : c.shape.order) {
    if (!c.function(id).valid())
      continue;
    any = true;
    if (Code &known = of_object[code[id].definition.object.value]; known != Code::Limited)
      known = limits_fastpath(code[id].compiled) ? Code::Limited : Code::Free;
  }
  u64 mask = any ? c.inputs.arch.fastpath_mask : 0;
  for (u32 i = 0; i < c.sass.objects.size(); ++i) {
    const InputObject &object = c.sass.objects[i];
    if (object.sm < c.inputs.arch.number)
      return 0;
    const u64 by_code = of_object[i] == Code::Limited ? ~kOtherChips : ~u64{0};
    const u64 allowed =
        of_object[i] == Code::None ? mask : fastpath_mask_of(object).value_or(by_code) & mask;
    const bool by_others =
        of_object[i] != Code::Limited && allowed != mask && explains_limit(object);
    mask &= by_others ? allowed | kOtherChips : allowed;
  }
  return mask;
}

// True if tcgen05.mma multiplies integers somewhere, dead functions included; of the chips with
// these instructions only some can.
bool multiplies_integers(const elf::CompatSection &compat) {
  return std::any_of(compat.records.begin(), compat.records.end(), [](const auto &record) {
    return record.attribute == elf::CompatAttribute::InstTcgen05Mma &&
           record.value == kTensorIntegers;
  });
}

// True if a link for sm_100a or sm_120a clears the shortcut of the other chip of the family: unless
// all objects list their instructions of tcgen05.mma, and since 13.3 only if some object has a
// version of attribute 13.
bool excludes_other_chip(const CompatRules &rules, const elf::CompatSection &compat) {
  const auto has = [&](elf::CompatAttribute attribute, u64 least) {
    return std::any_of(compat.records.begin(), compat.records.end(), [&](const auto &record) {
      return record.attribute == attribute && !record.sized() && record.value >= least;
    });
  };
  return has(elf::CompatAttribute::CudaAcceleratorTarget, 1) &&
         (rules.excluding_version == 0 ||
          has(elf::CompatAttribute::Unnamed13, rules.excluding_version)) &&
         !has(elf::CompatAttribute::InstTcgen05Mma, 0);
}

// Records of a function as the compiler has made them.
std::vector<elf::InfoRecord> compiled_records(const SassContext &c, const SassCode &code) {
  const InputObject::Info *own = nullptr;
  for (const InputObject::Info &info : c.sass.objects[code.definition.object.value].infos)
    if (info.text == code.section)
      own = &info;
  std::vector<elf::InfoRecord> out;
  if (own)
    for (const elf::InfoRecord record : own->records)
      out.push_back(record);
  return out;
}

// The records whose payloads have offsets in the code, in reverse order.
std::vector<elf::InfoRecord> records_with_offsets(const SassCode &code,
                                                  const std::vector<elf::InfoRecord> &compiled) {
  if (!code.finalized)
    return compiled;
  std::vector<elf::InfoRecord> out;
  for (const elf::InfoRecord record : elf::InfoRecords(code.finalized->info))
    out.push_back(record);
  std::reverse(out.begin(), out.end());
  return out;
}

// The linked records of the code of a function.
const RecordList &linked_records(const SassContext &c, OutId text) {
  return c.plan.info.of_function[c.mercury.function_of(c.function(text)).value];
}

// Adds the records that the Mercury plane has, too. `callees`: functions of the driver that EXTERNS
// lists beside those that Mercury code calls.
void add_linked_records(const SassContext &c, OutId text, std::vector<elf::InfoRecord> pool,
                        std::vector<u32> callees, SassRecords::List &out) {
  const RecordList &list = linked_records(c, text);
  std::vector<u8> longer(callees.size() * sizeof(u32)); // EXTERNS with them
  // Callees are in the last words of the record.
  const auto name_callees = [&out](std::span<const u32> names) {
    u64 word = out.records.bytes().size() - names.size() * sizeof(u32);
    for (const u32 callee : names) {
      out.callees.push_back({word, callee});
      word += sizeof(u32);
    }
  };
  for (elf::InfoRecord record : list.records()) {
    if (record.attribute == InfoAttribute::MercuryFinalizerOptions)
      continue;
    const u64 begin = record.offset, end = begin + record.encoded_size();
    const auto is_inside = [&](const InfoWord &word) {
      return word.offset >= begin && word.offset < end;
    };
    const bool has_offsets = record.sized() && record.attribute != InfoAttribute::CrsStackSize &&
                             record.attribute != InfoAttribute::AtEntryFragments &&
                             record.attribute != InfoAttribute::Language &&
                             elf::symbol_word_count(record) == 0;
    if (has_offsets) {
      const auto same =
          std::find_if(pool.rbegin(), pool.rend(), [&record](const elf::InfoRecord &other) {
            return other.attribute == record.attribute && other.sized();
          });
      if (same != pool.rend()) {
        record.payload = same->payload;
        pool.erase(std::next(same).base());
      }
    }
    const bool adds = record.attribute == InfoAttribute::Externs && !callees.empty();
    if (adds) {
      longer.insert(longer.begin(), record.payload.begin(), record.payload.end());
      record.payload = longer;
    }
    out.records.add(record);
    for (const InfoWord &word : list.words())
      if (is_inside(word))
        out.records.name_word(word.offset - begin, word.names, word.id);
    if (adds)
      name_callees(std::exchange(callees, {}));
  }
  if (callees.empty())
    return;
  out.records.add(
      {.format = elf::RecordFormat::Sized, .attribute = InfoAttribute::Externs, .payload = longer});
  name_callees(callees);
}

// Facts about machine code that a finalizer makes. The last one is on sm_107 alone, and after all
// others.
constexpr InfoAttribute kLastFact{0x67};
constexpr std::array kFactsOfCode = {InfoAttribute::SwWar, InfoAttribute::NvsalSwWar,
                                     InfoAttribute::PreexitUsed, kLastFact};

// Mercury code may have annotations, too. Then they are among the linked records.
bool is_on_sass_plane_only(InfoAttribute attribute, bool has_annotations) {
  return (attribute == InfoAttribute::Annotations && !has_annotations) ||
         attribute == InfoAttribute::ParamCbank || attribute == InfoAttribute::CbankParamSize ||
         std::ranges::find(kFactsOfCode, attribute) != kFactsOfCode.end();
}

// Returns the compiler's records, replaced by the finalizer's where it has them, then the records
// that finalizing adds. A record about a workaround comes from the compiler or engine that made the
// code; only for -r it is added as the emulated linker adds it.
std::vector<elf::InfoRecord> complete_records(const SassContext &c, const SassCode &code,
                                              std::vector<elf::InfoRecord> records) {
  if (code.finalized) {
    const elf::InfoRecords answer(code.finalized->info);
    bool works_around = false;
    for (const elf::InfoRecord record : answer) {
      const bool annotations = record.attribute == InfoAttribute::Annotations;
      works_around = works_around || record.attribute == InfoAttribute::NvsalSwWar;
      if (!annotations && std::ranges::find(kFactsOfCode, record.attribute) == kFactsOfCode.end())
        continue;
      const auto same = std::ranges::find(records, record.attribute, &elf::InfoRecord::attribute);
      if (same != records.end())
        *same = record;
      else
        records.insert(annotations ? records.begin() : records.end(), record);
    }
    if (!works_around)
      std::erase_if(records, [](const elf::InfoRecord &record) {
        return record.attribute == InfoAttribute::NvsalSwWar;
      });
  }
  for (const elf::InfoRecord &record : c.mercury.policy.finalizer_records)
    if (std::ranges::find(records, record.attribute, &elf::InfoRecord::attribute) ==
            records.end() &&
        ((!code.finalized && c.mercury.policy.resolves_early) ||
         record.attribute != InfoAttribute::NvsalSwWar))
      records.push_back(record);
  return records;
}

// Records that only the SASS plane has.
void add_own_records(const SassContext &c, OutId text, const std::vector<elf::InfoRecord> &compiled,
                     bool preexit, bool has_images, RecordList &out) {
  const bool has_annotations =
      linked_records(c, text).find(InfoAttribute::Annotations) != RecordList::kNone;
  const auto last = std::ranges::find(compiled, kLastFact, &elf::InfoRecord::attribute);
  for (elf::InfoRecord record : compiled) {
    if (!is_on_sass_plane_only(record.attribute, has_annotations) || record.attribute == kLastFact)
      continue;
    if (record.attribute == InfoAttribute::PreexitUsed)
      record.value = preexit ? 1 : 0;
    out.add(record);
    if (record.attribute == InfoAttribute::ParamCbank && record.payload.size() >= 8)
      out.name_word(elf::kRecordHeaderSize, InfoWord::Names::Bank, text.value);
  }
  if (has_images)
    for (const InfoAttribute attribute :
         {InfoAttribute::BindlessTextureBank, InfoAttribute::BindlessSurfaceBank})
      out.add({.format = elf::RecordFormat::Byte, .attribute = attribute});
  if (last != compiled.end())
    out.add(*last);
}

} // namespace

SassRecords make_sass_records(const SassContext &c, const SassCodeList &code,
                              const DriverCalls &calls, WorkerPool &pool) {
  const OutputSections &sections = c.layout().sections;
  std::vector<bool> has_images(sections.size(), false);
  for (const SlotTable &slots : c.plan.images.tables)
    has_images[sections[sections[slots.table].target()].target().value] = true;
  const std::vector<bool> preexits = find_preexits(c, code);
  SassRecords out;
  for (const OutId text : c.shape.order) {
    if (!sections.function(text).valid())
      continue;
    const OutId info = sections.records(text);
    if (!info.valid() || !c.section(info).emitted())
      continue;
    const std::vector<elf::InfoRecord> compiled = compiled_records(c, code[text]);
    SassRecords::List &list = out.lists.emplace_back();
    list.section = info;
    add_linked_records(c, text, records_with_offsets(code[text], compiled),
                       calls.empty() ? std::vector<u32>{} : calls.listed[text.value], list);
    add_own_records(c, text, complete_records(c, code[text], compiled), preexits[text.value],
                    has_images[text.value], list.records);
  }
  out.module = make_module_records(c, calls, pool);
  return out;
}

namespace {

// The last object's record about the finalizer prevails, and follows all other records.
void set_compat(elf::CompatSection &compat, const elf::CompatRecord &record) {
  std::erase_if(compat.records, [&record](const elf::CompatRecord &known) {
    return known.attribute == record.attribute;
  });
  compat.records.push_back(record);
}

} // namespace

std::vector<u8> make_compat(const SassContext &c, const SassCodeList &code) {
  if (!c.layout().sections.compat.valid() || c.plan.synthetic.compat.empty())
    return {};
  elf::CompatSection compat = elf::decode_compat(c.plan.synthetic.compat);
  u64 mask = fastpath_mask(c, code);
  const bool has_code =
      std::ranges::any_of(c.shape.order, [&](OutId id) { return c.function(id).valid(); });
  if (multiplies_integers(compat))
    mask &= ~kOtherChips;
  if (has_code && excludes_other_chip(c.mercury.policy.compat, compat))
    mask &= ~(kOtherChips | kSm121);
  std::vector<u8> payload(8);
  store_le<u64>(payload.data(), mask);
  const auto known = std::find_if(
      compat.records.begin(), compat.records.end(), [](const elf::CompatRecord &record) {
        return record.attribute == elf::CompatAttribute::CanFastpathFinalize && record.sized();
      });
  if (known != compat.records.end())
    known->payload = payload;
  else // a link without objects has it, too
    compat.records.push_back({.format = elf::RecordFormat::Sized,
                              .attribute = elf::CompatAttribute::CanFastpathFinalize,
                              .payload = payload});
  for (const elf::CompatRecord &record : c.mercury.policy.compat.finalizer)
    set_compat(compat, record);
  return elf::encode_compat(compat);
}

} // namespace culink
