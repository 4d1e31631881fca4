// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the .nv.info records of the inputs. Nearly all are copied unchanged, and this is most of
// the work that a large link has with records. Objects are read in parallel. The object with the
// prevailing definition of a function is the only one that fills the tables of that function.
//
// plan_info_records (info_records.cc) goes on with the result.
#include "link/records/read_records.h"

#include <algorithm>
#include <optional>
#include <ranges>
#include <utility>

#include "support/bytes.h"

namespace culink {

using elf::InfoAttribute;
using elf::kRecordHeaderSize;

namespace {

// Results of one object besides the tables by function.
struct ObjectRecords {
  std::vector<FunctionId> read_order; // as in ProgramRecords
  std::vector<OutId> lists_externs;
  RecordList module;
  u16 rules = 0;
};

// The symbol of a module record. Several records in a row name one function.
struct NamedSymbol {
  u32 symbol = 0; // none: the next record is about another one
  InfoWord word;
  bool dropped = false; // records about it are left out
};

class ObjectReader {
public:
  ObjectReader(const Program &program, const Layout &layout, const Resources &resources,
               ObjectId object, ReadRecords &tables)
      : p_(program), layout_(layout), resources_(resources), object_(object), tables_(tables),
        has_blank_(std::ranges::binary_search(layout.sections.with_blank_symbol, object)) {}

  ObjectRecords read();

private:
  // The function of the records that are read.
  struct Reading {
    FunctionId function;
    OutId text;
  };

  [[nodiscard]] const InputObject &object() const { return p_.objects[object_.value]; }
  [[nodiscard]] FunctionRecords &of(FunctionId function) const {
    return tables_.functions.of[function.value];
  }
  void inherit(FunctionId function, InfoAttribute attribute, u16 value);
  void note_fragments(FunctionId function, const elf::InfoRecord &record);
  void decode(const InputObject::Info &info);
  [[nodiscard]] std::optional<Reading> function_of(const InputObject::Info &info) const;
  void copy_function_records(const InputObject::Info &info);
  void inherit_from(const Reading &reading, const elf::InfoRecord &record);
  void copy_record(const Reading &reading, const elf::InfoRecord &record, RecordList &list) const;
  void copy_module_records(const InputObject::Info &info);
  void read_module_record(const elf::InfoRecord &record, NamedSymbol &named,
                          RecordList &list) const;
  [[nodiscard]] InfoWord named_by(InfoAttribute attribute, u32 symbol) const;
  [[nodiscard]] bool is_dropped(EntityId named) const;
  [[nodiscard]] std::vector<EntityId> still_undefined(const elf::InfoRecord &record) const;

  const Program &p_;
  const Layout &layout_;
  const Resources &resources_;
  const ObjectId object_;
  ReadRecords &tables_;
  const bool has_blank_; // the object has a symbol without a name
  ObjectRecords out_;
  std::vector<elf::InfoRecord> records_; // of the section that is read
};

ObjectRecords ObjectReader::read() {
  for (const InputObject::Info &info : object().infos)
    if (const auto reading = info.text != 0 ? function_of(info) : std::nullopt) {
      out_.read_order.push_back(reading->function);
      for (const elf::InfoRecord &record : info.records)
        inherit_from(*reading, record);
    }
  for (const InputObject::Info &info : std::views::reverse(object().infos))
    if (info.text != 0)
      copy_function_records(info);
    else
      copy_module_records(info);
  return std::move(out_);
}

void ObjectReader::inherit(FunctionId function, InfoAttribute attribute, u16 value) {
  of(function).inherited.push_back({attribute, value});
  if (const u8 rule = kInheritRuleOf[static_cast<u8>(attribute)]; rule != 0)
    out_.rules |= static_cast<u16>(1u << (rule - 1));
}

void ObjectReader::decode(const InputObject::Info &info) {
  records_.clear();
  for (const elf::InfoRecord &record : info.records)
    records_.push_back(record);
}

// The symbol in the first word of a record, or 0: KPARAM_INFO has a word for one and names none.
// EXTERNS may name several and is left to the caller.
u32 first_symbol(const elf::InfoRecord &record) {
  return elf::symbol_word_count(record) != 0 ? load_le<u32>(record.payload.data()) : 0;
}

// The entity or the bank that a symbol of a record names.
InfoWord ObjectReader::named_by(InfoAttribute attribute, u32 symbol) const {
  const elf::Symbol &first = object().symbols[symbol];
  // PARAM_CBANK names the bank's section symbol, or up to sm_89 a parameter symbol in it.
  if (first.type() == elf::SymbolType::Section || attribute == InfoAttribute::ParamCbank)
    return {.id = layout_.placement.location_of[object_.value][first.section].section.value,
            .names = InfoWord::Names::Bank};
  return {.id = p_.symbols.of(object_, symbol).value, .names = InfoWord::Names::Entity};
}

// Undefined callees of a function that are undefined in the output, too, or are kernels.
std::vector<EntityId> ObjectReader::still_undefined(const elf::InfoRecord &record) const {
  std::vector<EntityId> out; // nearly always empty
  const u32 count = elf::symbol_word_count(record);
  for (u32 i = 0; i < count; ++i) {
    const EntityId id = p_.symbols.of(object_, load_le<u32>(record.payload.data() + u64{i} * 4));
    if (id.valid() && p_.is_live(id) &&
        (!p_.symbols[id].defined() || is_kernel_mark(p_.symbols[id].other)))
      out.push_back(id);
  }
  return out;
}

// True if module records about an entity are left out.
bool ObjectReader::is_dropped(EntityId named) const {
  if (!named.valid() || !p_.is_live(named))
    return true;
  // Records of a function come from its prevailing definition.
  const Entity &entity = p_.symbols[named];
  return entity.function && entity.defined() && entity.prevailing.object != object_;
}

void ObjectReader::copy_module_records(const InputObject::Info &info) {
  out_.module.reserve(out_.module.bytes().size() + info.records.bytes().size());
  decode(info);
  NamedSymbol named;
  for (const elf::InfoRecord &record : std::views::reverse(records_))
    read_module_record(record, named, out_.module);
}

void ObjectReader::read_module_record(const elf::InfoRecord &record, NamedSymbol &named,
                                      RecordList &list) const {
  const InfoAttribute attribute = record.attribute;
  if (attribute == InfoAttribute::Externs) {
    list.add(record);
    const u32 count = elf::symbol_word_count(record);
    for (u64 at = 0; at < u64{count} * 4; at += 4)
      list.name_word(kRecordHeaderSize + at, InfoWord::Names::Entity,
                     p_.symbols.of(object_, load_le<u32>(record.payload.data() + at)).value);
    return;
  }
  const u32 symbol = first_symbol(record);
  if (symbol == 0)
    return list.add(record);
  if (symbol != named.symbol || attribute == InfoAttribute::ParamCbank) {
    named.word = named_by(attribute, symbol);
    named.dropped =
        named.word.names == InfoWord::Names::Entity && is_dropped(EntityId(named.word.id));
    named.symbol = attribute == InfoAttribute::ParamCbank ? 0 : symbol;
  }
  const bool about_entity = named.word.names == InfoWord::Names::Entity;
  if (named.dropped ||
      (about_entity && attribute == InfoAttribute::MaxStackSize && p_.policy.completes_kernels))
    return;
  list.add(record);
  list.name_word(kRecordHeaderSize, named.word.names, named.word.id);
  // The register count of a kernel covers what it calls.
  if (!about_entity || attribute != InfoAttribute::Regcount || !p_.policy.completes_kernels ||
      record.payload.size() < 8)
    return;
  if (const FunctionId f = p_.function_of(EntityId(named.word.id));
      f.valid() && p_.live.kernel[f.value])
    list.set_word(kRecordHeaderSize + 4, resources_.registers[f.value]);
}

void ObjectReader::note_fragments(FunctionId function, const elf::InfoRecord &record) {
  std::vector<std::vector<u32>> &known = of(function).fragments;
  inherit(function, record.attribute, static_cast<u16>(known.size()));
  known.push_back(elf::words_of(record));
}

// No known compiler writes a number without a bit.
u16 bits_of_words(const elf::InfoRecord &record) {
  u16 bits = 0;
  for (const u32 word : elf::words_of(record))
    if (word < 16)
      bits = static_cast<u16>(bits | 1u << word);
  return bits;
}

// Mercury code of toolkit 12 does not name the version of its instructions.
bool lacks_isa_version(const Program &p, const std::vector<elf::InfoRecord> &records) {
  if (p.arch.code_kind != arch::CodeKind::Capmerc)
    return false;
  for (const elf::InfoRecord &record : records)
    if (record.attribute == InfoAttribute::MercuryIsaVersion)
      return false;
  return true;
}

constexpr elf::InfoRecord kFirstIsaVersion = {.format = elf::RecordFormat::Half,
                                              .attribute = InfoAttribute::MercuryIsaVersion,
                                              .value = 0x100};

// Notes the facts that kernels inherit, and undefined callees.
void ObjectReader::inherit_from(const Reading &reading, const elf::InfoRecord &record) {
  const InfoAttribute attribute = record.attribute;
  if (attribute == InfoAttribute::Externs) {
    inherit(reading.function, attribute, record.value);
    of(reading.function).externs = still_undefined(record);
    if (!p_.policy.completes_kernels || !p_.live.kernel[reading.function.value])
      out_.lists_externs.push_back(reading.text);
    return;
  }
  if (kInheritRuleOf[static_cast<u8>(attribute)] != 0)
    inherit(reading.function, attribute, record.sized() ? bits_of_words(record) : record.value);
  if (attribute == InfoAttribute::AtEntryFragments && p_.policy.completes_kernels)
    note_fragments(reading.function, record);
}

void ObjectReader::copy_record(const Reading &reading, const elf::InfoRecord &record,
                               RecordList &list) const {
  const InfoAttribute attribute = record.attribute;
  if (attribute == InfoAttribute::Externs) {
    // Filled when all functions are read.
    list.add({.format = record.format, .attribute = attribute, .value = record.value});
    return;
  }
  if (attribute == InfoAttribute::AtEntryFragments && p_.policy.completes_kernels &&
      !p_.live.kernel[reading.function.value])
    return; // inherited by the kernels that reach it
  list.add(record);
  if (const u32 symbol = first_symbol(record); symbol != 0) {
    const InfoWord named = named_by(attribute, symbol);
    list.name_word(kRecordHeaderSize, named.names, named.id);
  } else if (has_blank_ && elf::symbol_word_count(record) != 0) {
    list.name_word(kRecordHeaderSize, InfoWord::Names::Blank, object_.value);
  }
}

// The function of a section of records; none if another definition prevails.
std::optional<ObjectReader::Reading>
ObjectReader::function_of(const InputObject::Info &info) const {
  const SectionLocation &text = layout_.placement.location_of[object_.value][info.text];
  if (!text.section.valid() || text.discarded)
    return std::nullopt;
  const EntityId entity = layout_.sections.function(text.section);
  if (p_.symbols[entity].prevailing.object != object_)
    return std::nullopt;
  return Reading{p_.function_of(entity), text.section};
}

// There may be several sections about the same code.
void ObjectReader::copy_function_records(const InputObject::Info &info) {
  const std::optional<Reading> reading = function_of(info);
  if (!reading)
    return;
  decode(info);
  RecordList &list = tables_.plan.of_function[reading->function.value];
  if (list.empty())
    list.reserve(info.records.bytes().size() + kRecordHeaderSize); // kernels get one more
  if (lacks_isa_version(p_, records_))
    list.add(kFirstIsaVersion);
  for (const elf::InfoRecord &record : std::views::reverse(records_))
    copy_record(*reading, record, list);
}

} // namespace

ReadRecords read_info_records(const Program &program, const Layout &layout,
                              const Resources &resources, WorkerPool &pool) {
  const u32 objects = static_cast<u32>(program.objects.size());
  ReadRecords out;
  out.plan.of_function.resize(program.calls.functions.size());
  out.functions.of.resize(program.calls.functions.size());
  std::vector<ObjectRecords> read(objects);
  pool.for_each(objects, [&](u32 i) {
    read[i] = ObjectReader(program, layout, resources, ObjectId(i), out).read();
  });
  for (const ObjectRecords &object : read) {
    for (const FunctionId function : object.read_order) {
      out.functions.of[function.value].read_position =
          static_cast<u32>(out.functions.read_order.size());
      out.functions.read_order.push_back(function);
    }
    out.lists_externs.insert(out.lists_externs.end(), object.lists_externs.begin(),
                             object.lists_externs.end());
    out.functions.rules |= object.rules;
  }
  u64 module_size = 0;
  for (const ObjectRecords &object : read)
    module_size += object.module.bytes().size();
  out.plan.module.reserve(module_size);
  for (const ObjectRecords &object : std::views::reverse(read))
    out.plan.module.append(object.module);
  std::ranges::sort(out.lists_externs);
  const auto repeated = std::ranges::unique(out.lists_externs);
  out.lists_externs.erase(repeated.begin(), repeated.end());
  return out;
}

} // namespace culink
