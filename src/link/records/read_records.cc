// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading the .nv.info records of the inputs: nearly all are taken over as they are, and most of
// the work of a large link with records is this. Ranges of consecutive objects are read by
// different threads. Each range has a chunk of the store for its lists; what is known of a function
// goes into tables by its number, which the object with the prevailing definition alone does; and
// the lists of the module are joined in the end.
//
// plan_info_records (info_records.cc) goes on with the result.
#include "link/records/read_records.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "base/bytes.h"

namespace culink {

using elf::InfoAttribute;

namespace {

// What a range of objects has beside what goes into tables by number.
struct RangeOfRecords {
  // As in FunctionRecords:
  std::vector<FunctionId> read_order;
  std::unordered_map<u32, std::vector<Inherited>> many_inherited;
  std::unordered_map<u32, std::vector<EntityId>> externs;
  std::unordered_map<u32, std::vector<std::vector<u32>>> fragments;
  u16 rules = 0;

  std::vector<OutId> lists_externs;
  InfoList module;
  u32 kernels = 0; // that have records of their own
};

// What the symbol of a module record stands for. Several records in a row name one function.
struct NamedSymbol {
  u32 symbol = 0; // none: the next record is about another one
  InfoWord word;
  bool dropped = false; // records about it are left out
};

// What is to be done with a record of a function.
enum class Treatment : u8 {
  Copied,    // and nothing else
  Named,     // copied; it may name a symbol
  Inherited, // copied, and kernels inherit the value in its first word
  Other,
};

Treatment treatment_of(InfoAttribute attribute) {
  const bool names = elf::kInfoSymbols[static_cast<u8>(attribute)] != elf::InfoSymbols::None;
  const bool inherited = kInheritRuleOf[static_cast<u8>(attribute)] != 0;
  if (attribute == InfoAttribute::Externs || attribute == InfoAttribute::AtEntryFragments ||
      (names && inherited))
    return Treatment::Other;
  return names ? Treatment::Named : inherited ? Treatment::Inherited : Treatment::Copied;
}

// By attribute.
std::array<Treatment, 256> all_treatments() {
  std::array<Treatment, 256> out;
  for (u32 code = 0; code < out.size(); ++code)
    out[code] = treatment_of(static_cast<InfoAttribute>(code));
  return out;
}

using Records = elf::RecordReader<InfoAttribute>;

class RecordReader {
public:
  RecordReader(const Program &program, const Layout &layout, const Resources &resources, u32 chunk,
               ReadRecords &tables)
      : p_(program), layout_(layout), resources_(resources), chunk_(chunk), tables_(tables),
        treatments_(all_treatments()) {}

  RangeOfRecords read(u32 begin, u32 end);

private:
  void reserve(u32 begin, u32 end);
  void inherit(FunctionId function, InfoAttribute attribute, u16 value) {
    InheritedList &list = tables_.functions.inherited[function.value];
    Inherited &record =
        list.count < InheritedList::kFew ? list.few[list.count++] : add_to_many(function);
    record.attribute = attribute;
    record.value = value;
    if (const u8 rule = kInheritRuleOf[static_cast<u8>(attribute)]; rule != 0)
      out_.rules |= static_cast<u16>(1u << (rule - 1));
  }
  [[gnu::noinline]] Inherited &add_to_many(FunctionId function);
  void note_fragments(FunctionId function, const elf::InfoRecord &record);
  // The function whose records are read.
  struct Reading {
    ObjectId object;
    FunctionId function;
    OutId text;
    bool blank; // the object has a symbol without a name
  };

  void read_function_records(ObjectId object, const InputObject::Info &info, bool blank);
  // `bytes` are those of the whole record.
  void read_function_record(const Reading &reading, const elf::InfoRecord &record, ByteSpan bytes,
                            InfoPrepender &list);
  void read_other_record(const Reading &reading, const elf::InfoRecord &record, ByteSpan bytes,
                         InfoPrepender &list);
  void read_externs(const Reading &reading, const elf::InfoRecord &record, ByteSpan bytes,
                    InfoPrepender &list);
  void join_repeated();
  [[nodiscard]] InfoList read_module_records(u32 begin, u32 end) const;
  void read_module_record(ObjectId object, const elf::InfoRecord &record, ByteSpan bytes,
                          NamedSymbol &named, InfoPrepender &list) const;
  [[nodiscard]] InfoWord named_by(ObjectId object, InfoAttribute attribute, u32 symbol) const;
  [[nodiscard]] bool is_dropped(ObjectId object, EntityId named) const;
  [[nodiscard]] std::vector<EntityId> still_undefined(ObjectId object,
                                                      const elf::InfoRecord &record) const;

  const Program &p_;
  const Layout &layout_;
  const Resources &resources_;
  const u32 chunk_;
  ReadRecords &tables_;
  const std::array<Treatment, 256> treatments_;
  std::map<FunctionId, std::vector<InfoList>> repeated_; // in order of reading
  RangeOfRecords out_;
};

RangeOfRecords RecordReader::read(u32 begin, u32 end) {
  reserve(begin, end);
  for (u32 i = begin; i < end; ++i) {
    const bool blank = std::ranges::binary_search(layout_.sections.with_blank_symbol, ObjectId(i));
    for (const InputObject::Info &info : p_.objects[i].infos)
      if (info.text != 0)
        read_function_records(ObjectId(i), info, blank);
  }
  join_repeated();
  out_.module = read_module_records(begin, end);
  return std::move(out_);
}

// Of several sections about the same code, the one that was read last comes first. They are joined
// at once: compilers write one, but a file may have any number.
void RecordReader::join_repeated() {
  for (auto &[function, lists] : repeated_) {
    InfoList joined{.chunk = chunk_};
    for (size_t i = lists.size(); i-- > 0;)
      tables_.plan.store.append_list(joined, lists[i]);
    tables_.plan.of_function[function.value] = joined;
  }
}

// Nearly all records are taken over as they are. A kernel gets one more in its own section as a
// rule, and one in that of the module.
void RecordReader::reserve(u32 begin, u32 end) {
  constexpr u64 kMore = InfoStore::kRecordSize + 12;
  constexpr u64 kModuleRecord = InfoStore::kRecordSize + 8; // a symbol and its value
  u64 bytes = 0, sections = 0, words = 0;
  for (u32 i = begin; i < end; ++i)
    for (const InputObject::Info &info : p_.objects[i].infos) {
      if (layout_.placement.location_of[i][info.text].discarded)
        continue;
      const u64 size = info.records.bytes().size();
      bytes += size;
      words += info.text == 0 ? size / kModuleRecord : 1;
      ++sections;
    }
  tables_.plan.store.reserve(bytes + sections * kMore, words, chunk_);
}

// The symbol in the first word of a record, or 0: KPARAM_INFO has a word for one and names none.
// EXTERNS may name several and is left to the caller.
u32 first_symbol(const elf::InfoRecord &record) {
  return elf::symbol_word_count(record) != 0 ? load_le<u32>(record.payload.data()) : 0;
}

// The entity or the bank that a symbol of a record names.
inline InfoWord RecordReader::named_by(ObjectId object, InfoAttribute attribute, u32 symbol) const {
  const elf::Symbol &first = p_.objects[object.value].symbols[symbol];
  // PARAM_CBANK names the bank's section symbol, or up to sm_89 a parameter symbol in it.
  if (first.type() == elf::SymbolType::Section || attribute == InfoAttribute::ParamCbank)
    return {.id = layout_.placement.location_of[object.value][first.section].section.value,
            .names = InfoWord::Names::Bank};
  return {.id = p_.symbols.of(object, symbol).value, .names = InfoWord::Names::Entity};
}

// Undefined callees of a function that are undefined in the output, too, or are kernels.
std::vector<EntityId> RecordReader::still_undefined(ObjectId object,
                                                    const elf::InfoRecord &record) const {
  std::vector<EntityId> out; // nearly always empty
  const u32 count = elf::symbol_word_count(record);
  for (u32 i = 0; i < count; ++i) {
    const EntityId id = p_.symbols.of(object, load_le<u32>(record.payload.data() + u64{i} * 4));
    if (id.valid() && p_.is_live(id) &&
        (!p_.symbols[id].defined() || is_kernel_mark(p_.symbols[id].other)))
      out.push_back(id);
  }
  return out;
}

// Whether module records about an entity are left out.
bool RecordReader::is_dropped(ObjectId object, EntityId named) const {
  if (!named.valid() || !p_.is_live(named))
    return true;
  // Records of a function come from its prevailing definition.
  const Entity &entity = p_.symbols[named];
  return entity.function && entity.defined() && entity.prevailing.object != object;
}

void RecordReader::read_module_record(ObjectId object, const elf::InfoRecord &record,
                                      ByteSpan bytes, NamedSymbol &named,
                                      InfoPrepender &list) const {
  const InfoAttribute attribute = record.attribute;
  if (attribute == InfoAttribute::Externs) {
    u8 *copy = list.add(bytes);
    const u32 count = elf::symbol_word_count(record);
    for (u32 i = 0; i < count; ++i) {
      u8 *word = copy + InfoStore::kRecordSize + u64{i} * 4;
      list.name(word, InfoWord::Names::Entity, p_.symbols.of(object, load_le<u32>(word)).value);
    }
    return;
  }
  const u32 symbol = first_symbol(record);
  if (symbol == 0) {
    list.add(bytes);
    return;
  }
  if (symbol != named.symbol || attribute == InfoAttribute::ParamCbank) {
    named.word = named_by(object, attribute, symbol);
    named.dropped =
        named.word.names == InfoWord::Names::Entity && is_dropped(object, EntityId(named.word.id));
    named.symbol = attribute == InfoAttribute::ParamCbank ? 0 : symbol;
  }
  const bool about_entity = named.word.names == InfoWord::Names::Entity;
  if (named.dropped ||
      (about_entity && attribute == InfoAttribute::MaxStackSize && p_.policy.completes_kernels))
    return;
  u8 *copy = list.add(bytes);
  list.name(copy + InfoStore::kRecordSize, named.word.names, named.word.id);
  // The register count of a kernel covers what it calls.
  if (!about_entity || attribute != InfoAttribute::Regcount || !p_.policy.completes_kernels ||
      bytes.size() < InfoStore::kRecordSize + 8)
    return;
  if (const FunctionId f = p_.function_of(EntityId(named.word.id));
      f.valid() && p_.live.kernel[f.value])
    store_le<u32>(copy + InfoStore::kRecordSize + 4, resources_.registers[f.value]);
}

InfoList RecordReader::read_module_records(u32 begin, u32 end) const {
  u64 most = 0;
  for (u32 i = begin; i < end; ++i)
    for (const InputObject::Info &info : p_.objects[i].infos)
      most += info.text == 0 ? info.records.bytes().size() : 0;
  InfoPrepender list(tables_.plan.store, most, chunk_);
  for (u32 i = begin; i < end; ++i)
    for (const InputObject::Info &info : p_.objects[i].infos) {
      if (info.text != 0)
        continue;
      NamedSymbol named;
      for (Records records(info.records.bytes()); records.next();)
        read_module_record(ObjectId(i), records.record(), records.bytes(), named, list);
    }
  return list.finish();
}

Inherited &RecordReader::add_to_many(FunctionId function) {
  InheritedList &list = tables_.functions.inherited[function.value];
  std::vector<Inherited> &all = out_.many_inherited[function.value];
  if (list.count == InheritedList::kFew)
    all.assign(list.few.begin(), list.few.end());
  ++list.count;
  return all.emplace_back();
}

void RecordReader::note_fragments(FunctionId function, const elf::InfoRecord &record) {
  std::vector<std::vector<u32>> &known = out_.fragments[function.value];
  inherit(function, record.attribute, static_cast<u16>(known.size()));
  known.push_back(elf::words_of(record));
}

// Numbers that have no bit are not known to any compiler.
u16 bits_of_words(const elf::InfoRecord &record) {
  u16 bits = 0;
  for (const u32 word : elf::words_of(record))
    if (word < 16)
      bits = static_cast<u16>(bits | 1u << word);
  return bits;
}

// Mercury code of toolkit 12 does not name the version of its instructions.
bool lacks_isa_version(const Program &p, const elf::InfoRecords &records) {
  if (p.arch.code_kind != arch::CodeKind::Capmerc)
    return false;
  for (const elf::InfoRecord &record : records)
    if (record.attribute == InfoAttribute::MercuryIsaVersion)
      return false;
  return true;
}

constexpr std::array<u8, InfoStore::kRecordSize> kFirstIsaVersion = {
    static_cast<u8>(elf::RecordFormat::Half), static_cast<u8>(InfoAttribute::MercuryIsaVersion), 0,
    1};

// The list is filled when all functions are read.
void RecordReader::read_externs(const Reading &reading, const elf::InfoRecord &record,
                                ByteSpan bytes, InfoPrepender &list) {
  const u32 function = reading.function.value;
  inherit(reading.function, InfoAttribute::Externs, record.value);
  if (std::vector<EntityId> externs = still_undefined(reading.object, record); !externs.empty())
    out_.externs[function] = std::move(externs);
  else if (!out_.externs.empty())
    out_.externs.erase(function);
  if (!p_.policy.completes_kernels || !p_.live.kernel[function])
    out_.lists_externs.push_back(reading.text);
  store_le<u16>(list.add(bytes.first(InfoStore::kRecordSize)) + 2, record.value);
}

void RecordReader::read_other_record(const Reading &reading, const elf::InfoRecord &record,
                                     ByteSpan bytes, InfoPrepender &list) {
  const InfoAttribute attribute = record.attribute;
  if (attribute == InfoAttribute::Externs)
    return read_externs(reading, record, bytes, list);
  if (kInheritRuleOf[static_cast<u8>(attribute)] != 0)
    inherit(reading.function, attribute, record.sized() ? bits_of_words(record) : record.value);
  if (attribute == InfoAttribute::AtEntryFragments && p_.policy.completes_kernels) {
    note_fragments(reading.function, record);
    if (!p_.live.kernel[reading.function.value])
      return; // inherited by the kernels that reach it
  }
  u8 *copy = list.add(bytes);
  if (const u32 symbol = first_symbol(record); symbol != 0) {
    const InfoWord named = named_by(reading.object, attribute, symbol);
    list.name(copy + InfoStore::kRecordSize, named.names, named.id);
  } else if (reading.blank && elf::symbol_word_count(record) != 0) {
    list.name(copy + InfoStore::kRecordSize, InfoWord::Names::Blank, reading.object.value);
  }
}

void RecordReader::read_function_record(const Reading &reading, const elf::InfoRecord &record,
                                        ByteSpan bytes, InfoPrepender &list) {
  const Treatment treatment = treatments_[static_cast<u8>(record.attribute)];
  if (treatment == Treatment::Inherited && !record.sized())
    inherit(reading.function, record.attribute, record.value);
  else if (treatment != Treatment::Copied &&
           !(treatment == Treatment::Named && !reading.blank && first_symbol(record) == 0))
    return read_other_record(reading, record, bytes, list);
  list.add(bytes);
}

void RecordReader::read_function_records(ObjectId object, const InputObject::Info &info,
                                         bool blank) {
  const SectionLocation &text = layout_.placement.location_of[object.value][info.text];
  if (!text.section.valid() || text.discarded)
    return;
  const EntityId entity = layout_.sections[text.section].function;
  if (p_.symbols[entity].prevailing.object != object)
    return;
  const FunctionId function = p_.function_of(entity);
  out_.read_order.push_back(function);
  const bool kernel = p_.live.is_kernel(function);
  out_.kernels += kernel ? 1 : 0;
  const ByteSpan section = info.records.bytes();
  const bool gets_version = lacks_isa_version(p_, info.records);
  InfoPrepender list(tables_.plan.store,
                     section.size() + (gets_version ? kFirstIsaVersion.size() : 0), chunk_,
                     kernel ? InfoStore::kRecordSize : 0);
  const Reading reading{object, function, text.section, blank};
  for (Records records(section); records.next();)
    read_function_record(reading, records.record(), records.bytes(), list);
  if (gets_version)
    list.add(kFirstIsaVersion);
  InfoList &records = tables_.plan.of_function[function.value];
  const InfoList made = list.finish();
  if (!records.empty()) { // a second section about the same code
    std::vector<InfoList> &all = repeated_[function];
    if (all.empty())
      all.push_back(records);
    all.push_back(made);
  }
  records = made;
}

// The records of the module's sections, those that were read last at the front.
InfoList join_module_lists(const std::vector<RangeOfRecords> &ranges, WorkerPool &pool,
                           InfoStore &store) {
  constexpr u64 kMinStackSize = InfoStore::kRecordSize + 8; // which every kernel gets
  std::vector<InfoList> lists;
  u64 kernels = 0;
  for (size_t i = ranges.size(); i-- > 0;) {
    lists.push_back(ranges[i].module);
    kernels += ranges[i].kernels;
  }
  return store.join_lists(lists, kernels * kMinStackSize, kernels, pool);
}

// Tables for as many functions.
void make_tables(u32 count, WorkerPool &pool, ReadRecords &out) {
  out.plan.of_function.resize(count);
  out.functions.read_position.resize(count);
  out.functions.inherited.resize(count);
  constexpr u32 kTogether = 8192;
  pool.for_ranges(count, kTogether, [&](u32 begin, u32 end) {
    std::fill(out.plan.of_function.begin() + begin, out.plan.of_function.begin() + end, InfoList{});
    for (u32 i = begin; i < end; ++i)
      out.functions.inherited[i].count = 0;
    std::fill(out.functions.read_position.begin() + begin,
              out.functions.read_position.begin() + end, FunctionRecords::kNotRead);
  });
}

// The order of reading of all ranges. A function is in one of them alone.
void join_orders(const std::vector<RangeOfRecords> &ranges, WorkerPool &pool,
                 FunctionRecords &out) {
  std::vector<u32> starts = {0};
  for (const RangeOfRecords &range : ranges)
    starts.push_back(starts.back() + static_cast<u32>(range.read_order.size()));
  out.read_order.resize(starts.back());
  pool.for_each(static_cast<u32>(ranges.size()), [&](u32 i) {
    u32 position = starts[i];
    for (const FunctionId function : ranges[i].read_order) {
      out.read_position[function.value] = position;
      out.read_order[position++] = function;
    }
  });
}

} // namespace

ReadRecords read_info_records(const Program &program, const Layout &layout,
                              const Resources &resources, WorkerPool &pool) {
  const u32 objects = static_cast<u32>(program.objects.size());
  constexpr u32 kObjectsOfRange = 16;
  const u32 grain = pool.threads() == 1 ? std::max(objects, 1u) : kObjectsOfRange;
  std::vector<RangeOfRecords> ranges(objects / grain + (objects % grain != 0));
  // The first chunk is for what belongs to no range.
  ReadRecords out{.plan = {.store = InfoStore(static_cast<u32>(ranges.size()) + 1)}};
  make_tables(static_cast<u32>(program.calls.functions.size()), pool, out);
  pool.for_ranges(objects, grain, [&](u32 begin, u32 end) {
    const u32 range = begin / grain;
    ranges[range] = RecordReader(program, layout, resources, range + 1, out).read(begin, end);
  });
  out.plan.module = join_module_lists(ranges, pool, out.plan.store);
  join_orders(ranges, pool, out.functions);
  for (RangeOfRecords &range : ranges) {
    out.lists_externs.insert(out.lists_externs.end(), range.lists_externs.begin(),
                             range.lists_externs.end());
    out.functions.rules |= range.rules;
    out.functions.many_inherited.merge(range.many_inherited);
    out.functions.externs.merge(range.externs);
    out.functions.fragments.merge(range.fragments);
  }
  if (!std::ranges::is_sorted(out.lists_externs))
    std::ranges::sort(out.lists_externs);
  const auto repeated = std::ranges::unique(out.lists_externs);
  out.lists_externs.erase(repeated.begin(), repeated.end());
  return out;
}

} // namespace culink
