// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which definition of a name is the one that the program has. One walk over all symbols, in the
// order of the inputs; the state of a name is its entity. The rules are those of docs/compat.md
// (Q029, Q055, Q057), written down a second time on purpose: if the linker takes the wrong weak
// function, this says so.
#include "elf/section_kind.h"
#include "support/string_index.h"
#include "verify/program/program.h"

namespace culink::check {

using elf::SymbolBinding;
using elf::SymbolType;

namespace {

constexpr u32 kZeroedDataPrevails = 133; // since that toolkit, over common symbols (Q057)

class NameTable {
public:
  NameTable(std::vector<Object> objects, u32 toolkit, Report &report)
      : zeroed_data_prevails_(toolkit >= kZeroedDataPrevails), report_(report) {
    program_.objects = std::move(objects);
  }
  Program run();

private:
  void read(u32 object, u32 symbol);
  void define(Entity &entity, u32 object, u32 symbol);
  void meet_common(Entity &entity, u32 object, u32 symbol);
  [[nodiscard]] bool wins(const Entity &entity, u32 object, u32 symbol) const;
  [[nodiscard]] u32 registers(u32 object, u32 symbol) const;
  [[nodiscard]] u64 align_of_instance(u32 object, const elf::Symbol &instance) const;
  [[nodiscard]] bool prevails_over_common(u32 object, u32 symbol) const;

  const bool zeroed_data_prevails_;
  Report &report_;
  Program program_;
  StringIndex names_;
  std::vector<u32> entity_of_name_;
};

// Labels, section symbols and unnamed symbols stand for nothing that could be referred to by name.
bool is_entity(const elf::Symbol &symbol) {
  return !symbol.name.empty() && symbol.type() != SymbolType::Section &&
         symbol.type() != SymbolType::NoType && symbol.type() != SymbolType::File;
}

// Dynamic shared memory is declared, never defined, even where a linker has put a symbol for it
// into a section.
bool is_dynamic_shared(const elf::Symbol &symbol) {
  return in_shared_memory(symbol.other) && symbol.size == 0 &&
         symbol.type() != SymbolType::Function;
}

Program NameTable::run() {
  size_t symbols = 0;
  for (const Object &object : program_.objects)
    symbols += object.symbols.size();
  program_.entities.reserve(symbols);
  for (u32 i = 0; i < program_.objects.size(); ++i) {
    const size_t count = program_.objects[i].symbols.size();
    program_.entity_of.emplace_back(count, kNone);
    program_.outcome.emplace_back(count, Outcome::None);
    for (u32 s = 1; s < count; ++s)
      if (is_entity(program_.objects[i].symbols[s]))
        read(i, s);
  }
  return std::move(program_);
}

void NameTable::read(u32 object, u32 index) {
  const elf::Symbol &symbol = program_.objects[object].symbols[index];
  const bool local = symbol.binding() == SymbolBinding::Local;
  u32 id = static_cast<u32>(program_.entities.size());
  bool is_new = true;
  if (!local) {
    const auto [number, inserted] = names_.insert(symbol.name);
    if (inserted)
      entity_of_name_.push_back(id);
    id = entity_of_name_[number];
    is_new = inserted;
  }
  if (is_new) {
    Entity &made = program_.entities.emplace_back();
    made.name = symbol.name;
    made.info = symbol.info;
    made.other = symbol.other;
    made.size = symbol.size;
    made.local = local;
  }
  program_.entity_of[object][index] = id;
  Entity &entity = program_.entities[id];
  entity.weak_reference &= symbol.binding() == SymbolBinding::Weak;
  if (symbol.undefined() && is_dynamic_shared(symbol))
    entity.dynamic_align = std::max(entity.dynamic_align, symbol.binding() == SymbolBinding::Weak
                                                              ? align_of_instance(object, symbol)
                                                              : symbol.value);
  if (symbol.common())
    meet_common(entity, object, index);
  else if (symbol.in_section() && !is_dynamic_shared(symbol))
    define(entity, object, index);
}

// In place of dynamic memory nvlink -r puts a symbol whose value is the offset of the memory there:
// a multiple of the alignment, which is at most the largest of other symbols for such memory.
u64 NameTable::align_of_instance(u32 object, const elf::Symbol &instance) const {
  const Object &file = program_.objects[object];
  u64 largest = 1;
  for (const elf::Symbol &symbol : file.symbols)
    if (is_dynamic_shared(symbol) && symbol.binding() != SymbolBinding::Weak)
      largest = std::max(largest, symbol.value);
  while (instance.value % largest != 0)
    largest /= 2;
  return largest;
}

bool NameTable::prevails_over_common(u32 object, u32 symbol) const {
  const Object &file = program_.objects[object];
  const elf::SectionRole role = file.kinds[file.symbols[symbol].section].role;
  return role != elf::SectionRole::Udt &&
         (zeroed_data_prevails_ || role != elf::SectionRole::Global);
}

// Common symbols give way to data with initial values, and since 13.3 to any; of several the
// largest counts.
void NameTable::meet_common(Entity &entity, u32 object, u32 index) {
  const elf::Symbol &symbol = program_.objects[object].symbols[index];
  if (entity.defined() && prevails_over_common(entity.object, entity.symbol))
    return;
  if (entity.defined())
    program_.outcome[entity.object][entity.symbol] = Outcome::Discarded;
  entity.object = kNone;
  if (entity.common_align == 0)
    entity.common_align = std::max<u64>(symbol.value, 1);
  entity.size = std::max(entity.size, symbol.size);
}

// Up to sm_89 the header of the code counts registers, too, and is asked first (Q029).
u32 NameTable::registers(u32 object, u32 symbol) const {
  const Object &file = program_.objects[object];
  const u32 in_header = file.section(file.symbols[symbol].section).info >> 24;
  return in_header != 0 ? in_header : file.registers[symbol];
}

// Whether a weak definition prevails over the weak one before it. Newer PTX has to be newer than
// that of the very first definition (Q055).
bool NameTable::wins(const Entity &entity, u32 object, u32 symbol) const {
  if (!entity.function())
    return false;
  const u32 now = registers(entity.object, entity.symbol), next = registers(object, symbol);
  if (now != next)
    return next < now;
  return program_.objects[object].virtual_sm > program_.objects[entity.first_definition].virtual_sm;
}

void NameTable::define(Entity &entity, u32 object, u32 index) {
  const elf::Symbol &symbol = program_.objects[object].symbols[index];
  const bool strong = symbol.binding() != SymbolBinding::Weak;
  Outcome &outcome = program_.outcome[object][index];
  outcome = Outcome::Discarded;
  if (!entity.function() && entity.common_align != 0 && !prevails_over_common(object, index))
    return; // one more common symbol
  if (entity.defined()) {
    if (!entity.function() && entity.size != symbol.size)
      report_.add({FindingKind::Symbol, std::string(entity.name), "", 0,
                   hex(entity.size) + " bytes, as in " + program_.objects[entity.object].name,
                   hex(symbol.size) + " in " + program_.objects[object].name});
    if (strong && !entity.weak()) {
      report_.add({FindingKind::Symbol, std::string(entity.name), "", 0, "one strong definition",
                   "two, in " + program_.objects[entity.object].name + " and " +
                       program_.objects[object].name});
      return;
    }
    if (!entity.weak() || (!strong && !wins(entity, object, index)))
      return;
    program_.outcome[entity.object][entity.symbol] = Outcome::Overridden;
  } else {
    entity.first_definition = object;
  }
  outcome = Outcome::Prevails;
  entity.object = object;
  entity.symbol = index;
  entity.info = symbol.info;
  entity.other = symbol.other;
  entity.size = symbol.size;
  entity.common_align = 0;
}

} // namespace

Program resolve(std::vector<Object> objects, u32 toolkit, Report &report) {
  return NameTable(std::move(objects), toolkit, report).run();
}

} // namespace culink::check
