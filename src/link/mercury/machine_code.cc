// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine code in a file with both forms: the bytes, the capsule beside them, and the records that
// name places in them. The code is what was compiled, or what a finalizer has made of it. Then some
// instructions may have moved, and relocations move with them.
//
// A capsule is Mercury code as a difference to the machine code. Where it holds a whole
// instruction, a value that the linker stores into the machine code is stored there, too: in the
// last word of the instruction's record.
#include <algorithm>
#include <array>

#include "arch/instructions.h"
#include "arch/reloc_roles.h"
#include "base/bytes.h"
#include "elf/records/nv_capmerc.h"
#include "elf/records/nv_compat.h"
#include "elf/records/nv_notes.h"
#include "link/mercury/machine_writer.h"

namespace culink {

using arch::kInstructionSize;
using elf::InfoAttribute;

namespace {

// What takes a bit away on sm_100: arithmetic in double precision, and comparing with a constant in
// single precision.
bool limits_fastpath(ByteSpan code) {
  for (; code.size() >= kInstructionSize; code = code.subspan(kInstructionSize))
    if (const arch::InstructionInfo *row = arch::find_instruction(code);
        row && row->limits_fastpath)
      return true;
  return false;
}

// Where the load is in `MOV R, index; LDC R, c[0][R + base]`.
std::optional<u64> find_indexed_load(ByteSpan code, u64 index_offset) {
  constexpr u64 kFarthest = 8;
  const u64 first = index_offset / kInstructionSize * kInstructionSize;
  for (u64 i = 1; i <= kFarthest; ++i) {
    const u64 at = first + i * kInstructionSize;
    const std::optional<ByteSpan> load = slice(code, at, kInstructionSize);
    if (!load)
      break;
    if (const arch::InstructionInfo *row = arch::find_instruction(*load);
        row && row->loads_from_bank_0 &&
        (*load)[arch::kSourceByte] == code[first + arch::kDestinationByte])
      return at;
  }
  return std::nullopt;
}

u64 fastpath_mask_of(const InputObject &object) {
  for (const elf::Section &section : object.view.sections())
    if (object.kinds[section.index].role == elf::SectionRole::Compat)
      for (const elf::CompatRecord &record : elf::decode_compat(section.data).records)
        if (record.attribute == elf::CompatAttribute::CanFastpathFinalize)
          return elf::compat_number(record).value_or(0);
  return 0;
}

// Code that was compiled with -G.
bool has_debug_code(const InputObject &plane) {
  bool functions = false, marked = false;
  for (const elf::Section &section : plane.view.sections())
    functions = functions || plane.kinds[section.index].role == elf::SectionRole::Text;
  for (const InputObject::Info &info : plane.infos)
    for (const elf::InfoRecord record : info.records)
      marked = marked || (info.text == 0 && record.attribute == InfoAttribute::GenErrbarAtExit);
  return functions && marked;
}

// A link with -r has left a call frame as it is in Mercury code, where code has no alignment (Q106,
// Q107). The next link makes it anew.
bool has_unfinished_frames(const InputObject &object) {
  constexpr std::array<u8, 3> kVersionAndAlignment = {3, 0, 1};
  constexpr u64 kLength = 4, kMark = 12, kVersion = 20;
  for (const elf::Section &section : object.view.sections()) {
    if (section.name != ".debug_frame")
      continue;
    for (u64 at = 0; section.data.size() - at >= kVersion + kVersionAndAlignment.size();) {
      const u8 *record = section.data.data() + at;
      if (load_le<u64>(record + kMark) == ~u64{0} &&
          std::equal(kVersionAndAlignment.begin(), kVersionAndAlignment.end(), record + kVersion))
        return true;
      const u64 left = section.data.size() - at - kMark;
      at += kMark + std::min<u64>(load_le<u64>(record + kLength), left);
    }
  }
  return false;
}

// Made by a link with -r -g, whose code is for a debugger. The next link without -g makes it anew.
bool is_linked_for_debugger(const InputObject &object) {
  for (const elf::Section &section : object.view.sections()) {
    if (object.kinds[section.index].role != elf::SectionRole::NoteTkinfo)
      continue;
    for (const elf::Note &note : elf::decode_notes(section.data).notes)
      if (const auto info = elf::decode_toolkit_info(note.desc); info && !info->object.empty())
        return true;
  }
  return false;
}

} // namespace

// Each object with code in the output is finalized for itself, once. nvlink -r does so too, but
// that changes nothing unless code is made for another target or for a debugger (Q104). Objects
// with copies of one function are finalized together, too, for the sake of debug information.
void MachineWriter::finalize() {
  find_first_of_names();
  if (!inputs_.finalizer)
    return;
  std::vector<std::vector<u32>> needed(inputs_.objects.size()); // sections
  for (const OutId id : order_)
    if (const EntityId function = layout_.sections[id].function; function.valid()) {
      const SymbolRef prevailing = p_.symbols[function].prevailing;
      const u32 object = prevailing.object.value;
      needed[object].push_back(inputs_.objects[object].symbols[prevailing.symbol].section);
    }
  FinalizeRequest request{.target = std::string(inputs_.arch.name),
                          .debug = p_.options.debug,
                          .relocatable = !executable(),
                          .distinct_names = !p_.dialect.has(Defect::FirstOfName)};
  for (const InputObject &plane : p_.objects)
    request.debug_code = request.debug_code || has_debug_code(plane);
  const bool changes =
      executable() || (p_.policy.resolves_early && (request.debug || request.debug_code));
  std::vector<u32> numbers;
  for (u32 i = 0; i < inputs_.objects.size(); ++i) {
    const InputObject &object = inputs_.objects[i];
    const bool unfinished = p_.dialect.has(Defect::MixedDebugInfo) &&
                            (has_unfinished_frames(object) || is_linked_for_debugger(object));
    if (needed[i].empty() || !(changes || object.sm != inputs_.arch.number || unfinished))
      continue;
    request.objects.push_back({object.name, object.view.file(), std::move(needed[i])});
    numbers.push_back(i);
  }
  const std::vector<JointCopies> joint = joint_copies();
  const std::vector<ForeignRegisters> foreign = foreign_registers();
  const size_t count = numbers.size();
  for (const JointCopies &copies : joint) {
    request.objects.push_back({});
    for (const u32 object : copies.objects)
      request.objects.back().together.push_back(inputs_.objects[object].view.file());
  }
  for (const ForeignRegisters &one : foreign)
    request.objects.push_back({.together = {inputs_.objects[one.owner].view.file(),
                                            inputs_.objects[one.object].view.file()},
                               .hidden = one.functions});
  if (request.objects.empty())
    return;
  std::vector<FinalizedObject> results = inputs_.finalizer(request, diag_);
  if (results.size() != request.objects.size())
    return; // and the finalizer has said why
  out_.finalized.resize(inputs_.objects.size());
  for (size_t i = 0; i < count; ++i)
    out_.finalized[numbers[i]] = std::move(results[i]);
  joined_objects_.assign(std::make_move_iterator(results.begin() + static_cast<i64>(count)),
                         std::make_move_iterator(results.end()));
  for (size_t i = 0; i < joint.size(); ++i)
    note_joint_debug(joint[i], joined_objects_[i]);
  for (size_t i = 0; i < foreign.size(); ++i)
    note_foreign_registers(foreign[i], joined_objects_[joint.size() + i]);
}

void MachineWriter::read_code() {
  code_.resize(count_);
  std::vector<std::unordered_map<u32, const FinalizedFunction *>> finalized(
      out_.finalized.size()); // by object, and section of the code
  for (u32 i = 0; i < out_.finalized.size(); ++i)
    for (const FinalizedFunction &function : out_.finalized[i].functions)
      finalized[i].emplace(function.section, &function);
  for (const OutId id : order_) {
    const EntityId function = layout_.sections[id].function;
    if (!function.valid())
      continue;
    const SymbolRef prevailing = p_.symbols[function].prevailing;
    const InputObject &object = inputs_.objects[prevailing.object.value];
    Code &code = code_[id.value];
    code.object = prevailing.object;
    code.symbol = prevailing.symbol;
    code.section = object.symbols[prevailing.symbol].section;
    code.compiled = code.text = object.section(code.section).data;
    code.capsule = p_.objects[prevailing.object.value].section(code.section).data;
    if (prevailing.object.value >= finalized.size())
      continue;
    const auto found = finalized[prevailing.object.value].find(code.section);
    if (found == finalized[prevailing.object.value].end()) {
      // Stubs of unified functions stay as they are.
      const bool stub = object.kinds[code.section].role != elf::SectionRole::Text;
      if (!stub && !out_.finalized[prevailing.object.value].empty())
        diag_.report(DiagId::NotFinalized, {object.name, std::string(p_.symbols[function].name)});
      continue;
    }
    code.finalized = found->second;
    code.text = code.finalized->text;
    code.capsule = code.finalized->capsule;
  }
}

const MachineWriter::Code *MachineWriter::code_of(EntityId function) const {
  const OutId text = layout_.placement.address_of[function.value].section;
  return text.valid() && layout_.sections[text].function.valid() ? &code_[text.value] : nullptr;
}

void MachineWriter::move_relocations(RelocationPlan &machine) const {
  const auto code_at = [this](OutId section) {
    const EntityId function = layout_.sections[section].function;
    return function.valid() && code_[section.value].moves() ? &code_[section.value] : nullptr;
  };
  for (FoldedRelocation &value : machine.folded)
    if (const Code *code = code_at(value.section))
      value.offset = code->moved(value.offset);
  for (KeptRelocation &kept : machine.kept) {
    const OutId target = layout_.sections[kept.table].target;
    if (const Code *code = code_at(target))
      kept.offset = code->moved(kept.offset);
    if (kept.against != KeptRelocation::Against::Entity)
      continue;
    const EntityId named(kept.id);
    const Code *named_code = p_.symbols[named].function ? code_of(named) : nullptr;
    if (!named_code || !named_code->moves())
      continue;
    // Return addresses, and ends of functions in debug information.
    const bool own = layout_.sections[target].function == named;
    const bool debug = !layout_.sections[target].function.valid() &&
                       (layout_.sections[target].flags & elf::kFlagAlloc) == 0;
    if (own || debug)
      kept.addend = kept.addend == static_cast<i64>(named_code->compiled.size())
                        ? static_cast<i64>(named_code->text.size())
                        : static_cast<i64>(named_code->moved_label(static_cast<u64>(kept.addend)));
  }
  move_joined_places(machine);
}

void MachineWriter::fill_code(const RelocationPlan &machine) {
  auto first = machine.folded.begin();
  for (u32 i = 0; i < count_; ++i) {
    const OutId id(i);
    while (first != machine.folded.end() && first->section < id)
      ++first;
    auto last = first;
    while (last != machine.folded.end() && last->section == id)
      ++last;
    if (!layout_.sections[id].function.valid() || !is_emitted_[i])
      continue;
    elf_.append(section(id), code_[i].text);
    fill_capsule(id, code_[i], {first, last});
  }
}

void MachineWriter::fill_capsule(OutId id, const Code &code,
                                 std::span<const FoldedRelocation> values) {
  const elf::SectionId out = twin(id);
  elf_.clear_content(out);
  std::vector<u8> bytes(code.capsule.begin(), code.capsule.end());
  if (bytes.size() < 4) {
    diag_.report(DiagId::BadInput,
                 {inputs_.objects[code.object.value].name,
                  "the capsule of '" + std::string(p_.symbols[layout_.sections[id].function].name) +
                      "' has no header"});
    return;
  }
  if (!values.empty()) {
    std::unordered_map<u64, const elf::CapsuleRecord *> whole; // by number in the machine code
    const elf::Capsule capsule = elf::decode_capsule(code.capsule);
    u64 extra = 0;
    for (const elf::CapsuleRecord &record : capsule.records) {
      if (record.kind == elf::CapsuleRecordKind::SassOnly)
        extra += record.sass_count();
      else if (record.kind == elf::CapsuleRecordKind::Instruction)
        whole.emplace(record.instruction + extra, &record);
    }
    for (const FoldedRelocation &value : values) {
      const auto found = whole.find(value.offset / kInstructionSize);
      if (found == whole.end())
        continue;
      u8 *word = bytes.data() + found->second->offset + found->second->bytes.size() - 4;
      const u64 stored = value.value.value - (value.image_slot ? plan_.images.slot_base : 0);
      if (arch::is_short_in_capsule(*value.row))
        store_le<u16>(word, static_cast<u16>(stored));
      else
        store_le<u32>(word, static_cast<u32>(stored));
    }
  }
  elf_.append_copy(out, bytes);
  elf_.add_fixup(out, {0, elf::Fixup::Kind::SectionIndex, section(id).value});
}

// Code that was compiled with -G may load the number of an image by an index (Q112): the linker
// stores the index, and where slots begin, for which there is no relocation, into the load.
void MachineWriter::index_images(RelocationPlan &machine) const {
  const u64 base = plan_.images.slot_base;
  const arch::RelocInfo &index = arch::reloc_for(arch::RelocRole::ImageIndex);
  const arch::RelocInfo &first = arch::reloc_for(arch::RelocRole::ImageBase);
  std::vector<FoldedRelocation> loads;
  for (FoldedRelocation &value : machine.folded) {
    if (!value.image_slot || value.row != &index ||
        !layout_.sections[value.section].function.valid())
      continue;
    const auto load = find_indexed_load(code_[value.section.value].text, value.offset);
    if (!load)
      continue;
    value.value.value -= base;
    loads.push_back({.section = value.section, .offset = *load, .row = &first, .value = {base, 0}});
  }
  if (loads.empty())
    return;
  machine.folded.insert(machine.folded.end(), loads.begin(), loads.end());
  std::stable_sort(
      machine.folded.begin(), machine.folded.end(),
      [](const FoldedRelocation &a, const FoldedRelocation &b) { return a.section < b.section; });
}

// The records of a text section one by one, with their symbols.
std::vector<OutInfo> MachineWriter::linked_records(OutId text) const {
  const InfoStore &store = plan_.info.store;
  const InfoList &list = plan_.info.of_text[text.value];
  std::vector<OutInfo> out;
  for (const elf::InfoRecord &record : store.records(list)) {
    OutInfo &added = out.emplace_back(OutInfo{record, {}});
    for (const InfoWord &word : store.words(list))
      if (word.offset >= record.offset && word.offset < record.offset + record.encoded_size())
        added.words.push_back({word.offset - record.offset, word.id, word.names});
  }
  return out;
}

// The records of the Mercury half, with places in the machine code, and what only that has.
std::vector<OutInfo> MachineWriter::machine_records(OutId text) const {
  const Code &code = code_[text.value];
  const InputObject &object = inputs_.objects[code.object.value];
  const InputObject::Info *own = nullptr;
  for (const InputObject::Info &info : object.infos)
    if (info.text == code.section)
      own = &info;
  std::vector<elf::InfoRecord> compiled;
  if (own)
    for (const elf::InfoRecord record : own->records)
      compiled.push_back(record);
  std::vector<elf::InfoRecord> pool = compiled; // to be taken from its end
  if (code.finalized) {
    pool.clear();
    for (const elf::InfoRecord record : elf::InfoRecords(code.finalized->info))
      pool.push_back(record);
    std::reverse(pool.begin(), pool.end());
  }
  std::vector<OutInfo> out;
  for (OutInfo &linked : linked_records(text)) {
    elf::InfoRecord &record = linked.record;
    if (record.attribute == InfoAttribute::MercuryFinalizerOptions)
      continue;
    const bool places = linked.words.empty() && record.sized() &&
                        record.attribute != InfoAttribute::CrsStackSize &&
                        record.attribute != InfoAttribute::AtEntryFragments;
    const auto same = std::find_if(pool.rbegin(), pool.rend(), [&record](const elf::InfoRecord &r) {
      return r.attribute == record.attribute && r.sized();
    });
    if (places && same != pool.rend()) {
      record.payload = same->payload;
      pool.erase(std::next(same).base());
    }
    out.push_back(std::move(linked));
  }
  for (const elf::InfoRecord &record : compiled) {
    if (record.attribute != InfoAttribute::CbankParamSize &&
        record.attribute != InfoAttribute::SwWar && record.attribute != InfoAttribute::ParamCbank)
      continue;
    OutInfo &added = out.emplace_back(OutInfo{record, {}});
    if (record.attribute == InfoAttribute::ParamCbank && record.payload.size() >= 8)
      added.words = {{InfoStore::kRecordSize, text.value, InfoWord::Names::Bank}}; // whose it is
  }
  if (has_images_[text.value]) // the banks of textures and surfaces
    for (const InfoAttribute attribute :
         {InfoAttribute::BindlessTextureBank, InfoAttribute::BindlessSurfaceBank})
      out.push_back({{.format = elf::RecordFormat::Byte, .attribute = attribute}, {}});
  return out;
}

void MachineWriter::fill_records() {
  // Records name a bank by the code it belongs to.
  OutputSymbols symbols{symbols_.of_entity, symbols_.of_section, {}};
  for (u32 i = 0; i < count_; ++i)
    if (parameter_symbol_[i].valid())
      symbols.of_section[i] = parameter_symbol_[i];
  RecordWriter records(elf_, symbols);
  if (layout_.sections.info.valid() && is_emitted_[layout_.sections.info.value])
    records.fill(section(layout_.sections.info), plan_.info.store, plan_.info.module);
  for (const OutId id : order_)
    if (layout_.sections[id].function.valid())
      if (const OutId info = layout_.sections.info_of[id.value];
          info.valid() && is_emitted_[info.value])
        records.fill(section(info), machine_records(id));
}

// Which shortcuts the driver's finalizer may take: those that every function allows. An object says
// it for all its functions together.
void MachineWriter::store_fastpath_mask() {
  u64 mask = 0;
  bool any = false;
  std::vector<bool> counted(inputs_.objects.size(), false);
  for (const OutId id : order_) {
    if (!layout_.sections[id].function.valid())
      continue;
    mask = any ? mask : inputs_.arch.fastpath_mask;
    any = true;
    const Code &code = code_[id.value];
    if (!counted[code.object.value])
      counted[code.object.value] = limits_fastpath(code.compiled);
  }
  u16 lowest = inputs_.arch.number;
  for (u32 i = 0; i < inputs_.objects.size(); ++i) {
    lowest = std::min(lowest, inputs_.objects[i].sm);
    if (counted[i])
      mask &= fastpath_mask_of(inputs_.objects[i]);
  }
  if (lowest != inputs_.arch.number)
    mask = 0;
  if (!layout_.sections.compat.valid() || elf_.size(section(layout_.sections.compat)) == 0)
    return;
  elf::CompatSection compat = elf::decode_compat(plan_.synthetic.compat);
  std::vector<u8> payload(8);
  store_le<u64>(payload.data(), mask);
  const auto says = std::find_if(
      compat.records.begin(), compat.records.end(), [](const elf::CompatRecord &record) {
        return record.attribute == elf::CompatAttribute::CanFastpathFinalize && record.sized();
      });
  if (says != compat.records.end())
    says->payload = payload;
  else // a link of nothing has it, too
    compat.records.push_back({.format = elf::RecordFormat::Sized,
                              .attribute = elf::CompatAttribute::CanFastpathFinalize,
                              .payload = payload});
  elf_.clear_content(section(layout_.sections.compat));
  elf_.append_copy(section(layout_.sections.compat), elf::encode_compat(compat));
}

} // namespace culink
