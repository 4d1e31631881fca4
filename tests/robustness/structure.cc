// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Damage (mutator.cc) mostly makes files that are refused. This makes files that no compiler would
// write and that can be read nevertheless, so that they get as far as the passes of the linker:
// tables keep their form, indices name something, and the two forms of a program for sm_100 agree.
//
// The idea for the latter: a change is an operation with numbers ("remove entry 3", "copy the type
// of entry 5 into entry 2") that means the same in both forms, although their bytes differ.
#include "structure.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string>

#include "elf/elf_view.h"
#include "elf/names.h"
#include "elf/records/nv_callgraph.h"
#include "elf/records/nv_info.h"
#include "elf/records/nv_notes.h"
#include "elf/replace_section.h"
#include "elf/section_kind.h"
#include "elf/wire.h"
#include "support/bytes.h"

namespace culink::robustness {

namespace {

using elf::ElfView;
using elf::Section;
using elf::SectionRole;
using elf::wire::Shdr64;

using Bytes = std::vector<u8>;

struct Field {
  u64 offset = 0, size = 0;
};
constexpr std::array<Field, 6> kSymbolFields{{{0, 4}, {4, 1}, {5, 1}, {6, 2}, {8, 8}, {16, 8}}};
constexpr std::array<Field, 4> kRelocationFields{{{0, 8}, {8, 4}, {12, 4}, {16, 8}}};
// Neither where a section lies nor how long it is.
constexpr std::array<Field, 6> kSectionFields{{{4, 4}, {8, 8}, {16, 8}, {40, 4}, {44, 4}, {48, 8}}};

// What becomes of one entry of a list, in every form of the list.
struct Operation {
  enum Kind : u8 { Remove, Repeat, Swap, Copy, Put } kind = Remove;
  u64 at = 0, from = 0; // entries
  u64 field = 0;        // for Copy and Put
  u64 value = 0;        // for Put
};

Operation choose_operation(u64 count, u64 fields, Random &random) {
  Operation out;
  out.kind = static_cast<Operation::Kind>(random.below(5));
  out.at = random.below(count);
  out.from = random.below(count);
  out.field = random.below(fields);
  constexpr std::array<u64, 13> kValues = {
      0, 1, 2, 3, 4, 8, 15, 16, 64, 255, elf::kSectionCommon, 0x10000, ~u64{0}};
  out.value = random.one_in(3) ? random.below(128) : kValues[random.below(kValues.size())];
  return out;
}

// Entries of one size.
void apply(const Operation &todo, Bytes &table, u64 stride, std::span<const Field> fields) {
  const u64 count = table.size() / stride;
  if (todo.at >= count || todo.from >= count)
    return;
  const auto entry = [&](u64 i) { return table.begin() + static_cast<i64>(i * stride); };
  const Field field = fields[todo.field];
  u8 *to = table.data() + todo.at * stride + field.offset;
  switch (todo.kind) {
  case Operation::Remove:
    table.erase(entry(todo.at), entry(todo.at + 1));
    break;
  case Operation::Repeat: {
    const Bytes copy(entry(todo.from), entry(todo.from + 1));
    table.insert(entry(todo.at), copy.begin(), copy.end());
    break;
  }
  case Operation::Swap:
    std::swap_ranges(entry(todo.at), entry(todo.at + 1), entry(todo.from));
    break;
  case Operation::Copy:
    std::memmove(to, table.data() + todo.from * stride + field.offset, field.size);
    break;
  case Operation::Put:
    for (u64 i = 0; i < field.size; ++i)
      to[i] = static_cast<u8>(todo.value >> (8 * i));
    break;
  }
}

// The same for a list of records; Copy and Put are for the caller.
template <typename T> bool apply_to_list(const Operation &todo, std::vector<T> &list) {
  if (todo.at >= list.size() || todo.from >= list.size())
    return false;
  const auto at = list.begin() + static_cast<i64>(todo.at);
  switch (todo.kind) {
  case Operation::Remove:
    list.erase(at);
    return true;
  case Operation::Repeat: {
    const T copy = list[todo.from];
    list.insert(at, copy);
    return true;
  }
  case Operation::Swap:
    std::swap(list[todo.at], list[todo.from]);
    return true;
  case Operation::Copy:
  case Operation::Put:
    break;
  }
  return false;
}

Bytes change_records(ByteSpan section, const Operation &todo) {
  elf::InfoSection info = elf::decode_info(section);
  if (todo.at >= info.records.size() || todo.from >= info.records.size())
    return {section.begin(), section.end()};
  Bytes payload;
  if (!apply_to_list(todo, info.records)) {
    elf::InfoRecord &record = info.records[todo.at];
    const elf::InfoRecord &from = info.records[todo.from];
    payload.assign(record.payload.begin(), record.payload.end());
    const u64 word = payload.size() < 4 ? 0 : todo.field % (payload.size() / 4) * 4;
    if (todo.kind == Operation::Copy && todo.field == 0)
      record.attribute = from.attribute;
    else if (!record.sized())
      record.value = static_cast<u16>(todo.value);
    else if (word + 4 <= payload.size())
      store_le<u32>(payload.data() + word, todo.kind == Operation::Copy && from.payload.size() >= 4
                                               ? load_le<u32>(from.payload.data())
                                               : static_cast<u32>(todo.value));
    if (record.sized())
      record.payload = payload;
  }
  return elf::encode_info(info);
}

Bytes change_calls(ByteSpan section, const Operation &todo) {
  constexpr std::array<Field, 2> kWords{{{0, 4}, {4, 4}}};
  Bytes out(section.begin(), section.end());
  Operation in_pairs = todo;
  in_pairs.field %= kWords.size();
  apply(in_pairs, out, sizeof(elf::CallPair), kWords);
  return out;
}

Bytes change_notes(ByteSpan section, const Operation &todo) {
  elf::NoteSection notes = elf::decode_notes(section);
  if (notes.notes.empty())
    return {section.begin(), section.end()};
  Operation in_notes = todo;
  in_notes.at %= notes.notes.size();
  in_notes.from %= notes.notes.size();
  Bytes desc;
  if (!apply_to_list(in_notes, notes.notes)) {
    elf::Note &note = notes.notes[in_notes.at];
    desc.assign(note.desc.begin(), note.desc.end());
    if (!desc.empty())
      desc[todo.value % desc.size()] = static_cast<u8>(todo.field * 16 + todo.from);
    note.desc = desc;
  }
  return elf::encode_notes(notes);
}

class StructureEditor {
public:
  StructureEditor(Bytes &bytes, const ElfView &view, Random &random)
      : bytes_(bytes), view_(view), random_(random) {}

  bool run() {
    switch (random_.below(8)) {
    case 0:
    case 1:
      return change_symbol();
    case 2:
    case 3:
      return change_relocation();
    case 4:
    case 5:
      return change_record();
    case 6:
      return change_header();
    default:
      return random_.one_in(2) ? rename() : change_contents();
    }
  }

private:
  // A section that `wanted` accepts.
  const Section *choose(const std::function<bool(const Section &)> &wanted) {
    std::vector<const Section *> found;
    for (const Section &s : view_.sections())
      if (wanted(s))
        found.push_back(&s);
    return found.empty() ? nullptr : found[random_.below(found.size())];
  }
  static SectionRole role_of(const Section &s) {
    return elf::classify_section(s.name, s.type, s.flags).role;
  }

  // The same part of the program in its other form.
  const Section *twin_of(const Section &s) const {
    const bool mercury = elf::classify_section(s.name, s.type, s.flags).mercury;
    for (const Section &other : view_.sections())
      if (other.index != s.index && (mercury ? elf::mercury_counterpart_name(other.name) == s.name
                                             : elf::mercury_counterpart_name(s.name) == other.name))
        return &other;
    return nullptr;
  }

  // Gives the section, and its other form, what `change` makes of their contents.
  bool replace(const Section &s, const std::function<Bytes(ByteSpan)> &change) {
    const u32 index = s.index;
    const Section *twin = twin_of(s);
    std::vector<std::pair<u32, Bytes>> todo{{index, change(s.data)}};
    if (twin)
      todo.emplace_back(twin->index, change(twin->data));
    bool changed = false; // the view is no longer to be used
    for (const auto &[number, contents] : todo)
      changed |= elf::replace_section(bytes_, number, contents);
    return changed;
  }

  bool change_table(const Section *s, u64 stride, std::span<const Field> fields) {
    if (!s || s->data.size() < stride)
      return false;
    const Operation todo = choose_operation(s->data.size() / stride, fields.size(), random_);
    return replace(*s, [&](ByteSpan old) {
      Bytes table(old.begin(), old.end());
      apply(todo, table, stride, fields);
      return table;
    });
  }
  bool change_symbol() {
    return change_table(
        choose([](const Section &s) { return role_of(s) == SectionRole::SymbolTable; }),
        sizeof(elf::wire::Sym64), kSymbolFields);
  }
  bool change_relocation() {
    const Section *s = choose([](const Section &candidate) {
      return elf::classify_section(candidate.name, candidate.type, candidate.flags)
          .is_relocations();
    });
    if (!s)
      return false;
    const bool addends = view_.relocations(*s).has_addends();
    const u64 stride = addends ? sizeof(elf::wire::Rela64) : sizeof(elf::wire::Rel64);
    return change_table(s, stride, std::span(kRelocationFields).first(addends ? 4 : 3));
  }

  bool change_record() {
    const Section *s = choose([](const Section &candidate) {
      const SectionRole role = role_of(candidate);
      return role == SectionRole::Info || role == SectionRole::Callgraph ||
             role == SectionRole::Prototype || role == SectionRole::NoteTkinfo ||
             role == SectionRole::NoteCuinfo || role == SectionRole::Compat;
    });
    if (!s)
      return false;
    const SectionRole role = role_of(*s);
    const u64 count = role == SectionRole::Info || role == SectionRole::Compat
                          ? elf::decode_info(s->data).records.size()
                          : std::max<u64>(s->data.size() / sizeof(elf::CallPair), 1);
    const Operation todo = choose_operation(count, 8, random_);
    return replace(*s, [&](ByteSpan old) {
      if (role == SectionRole::Callgraph || role == SectionRole::Prototype)
        return change_calls(old, todo);
      if (role == SectionRole::NoteTkinfo || role == SectionRole::NoteCuinfo)
        return change_notes(old, todo);
      return change_records(old, todo); // .nv.compat has the same framing
    });
  }

  // One field of a section header takes the value that another section has there.
  bool change_header() {
    const u64 count = view_.sections().size();
    const u64 table = view_.header().shoff;
    if (count < 2)
      return false;
    const Section &to = view_.sections()[1 + random_.below(count - 1)];
    const Section &from = view_.sections()[random_.below(count)];
    const Field field = kSectionFields[random_.below(kSectionFields.size())];
    const auto copy = [&](u32 a, u32 b) {
      const u64 end = table + u64{std::max(a, b) + 1} * sizeof(Shdr64);
      if (end <= bytes_.size() && end > table)
        std::memmove(bytes_.data() + table + a * sizeof(Shdr64) + field.offset,
                     bytes_.data() + table + b * sizeof(Shdr64) + field.offset, field.size);
    };
    const Section *twin = twin_of(to), *other = twin_of(from);
    copy(to.index, from.index);
    if (twin && other)
      copy(twin->index, other->index);
    return true;
  }

  // A name of a symbol changes wherever it occurs, in names of sections, too.
  bool rename() {
    const elf::SymbolTable symbols = view_.symbols();
    if (symbols.empty())
      return false;
    const std::string name(symbols[static_cast<u32>(random_.below(symbols.size()))].name);
    if (name.empty())
      return false;
    const u64 place = random_.below(name.size());
    const char letter = random_.one_in(2) ? name[random_.below(name.size())] : 'k';
    for (const Section &s : view_.sections()) {
      if (role_of(s) != SectionRole::StringTable)
        continue;
      const std::string_view all = as_text(s.data);
      for (u64 at = all.find(name); at != std::string_view::npos; at = all.find(name, at + 1))
        bytes_[s.offset + at + place] = static_cast<u8>(letter);
    }
    return true;
  }

  // Code or data becomes shorter or longer, by an instruction or so.
  bool change_contents() {
    const Section *s = choose([](const Section &candidate) {
      return !candidate.data.empty() && (candidate.flags & elf::kFlagAlloc) != 0;
    });
    if (!s)
      return false;
    const u64 step = u64{4} << random_.below(6);
    const bool grows = random_.one_in(2);
    return replace(*s, [&](ByteSpan old) {
      Bytes out(old.begin(), old.end());
      const u64 shorter = out.size() > step ? out.size() - step : 0;
      out.resize(grows ? out.size() + step : shorter);
      return out;
    });
  }

  Bytes &bytes_;
  const ElfView &view_;
  Random &random_;
};

// The view, if the file is one that replace_section could change.
Result<ElfView> open_for_change(ByteSpan bytes) {
  Result<ElfView> view = ElfView::open_tolerant(bytes);
  if (view && view->header().elf_class() != elf::ElfClass::Elf64)
    return Error{.message = "32 bits"};
  return view;
}

} // namespace

bool change_structure(Bytes &object, Random &random) {
  const Bytes before = object; // what the view refers to
  const Result<ElfView> view = open_for_change(before);
  return view && StructureEditor(object, *view, random).run();
}

bool transplant_section(Bytes &object, ByteSpan other, Random &random) {
  const Bytes before = object;
  const Result<ElfView> to = open_for_change(before);
  const Result<ElfView> from = ElfView::open_tolerant(other);
  if (!to || !from || to->sections().size() < 2)
    return false;
  const u64 count = to->sections().size();
  const Section &section = to->sections()[1 + random.below(count - 1)];
  const Section *source = from->find(section.name);
  return source && !source->data.empty() &&
         elf::replace_section(object, section.index, source->data);
}

Mutant make_structured_mutant(const std::vector<Original> &originals, u64 which, Random &random) {
  constexpr u64 kAttempts = 20;
  Mutant out{.bytes = originals[which].bytes, .target = Target::Anywhere};
  u64 todo = 1 + random.below(3);
  for (u64 i = 0; i < kAttempts && todo > 0; ++i) {
    const ByteSpan other = originals[random.below(originals.size())].bytes;
    todo -= random.one_in(8) ? transplant_section(out.bytes, other, random)
                             : change_structure(out.bytes, random);
  }
  return out;
}

} // namespace culink::robustness
