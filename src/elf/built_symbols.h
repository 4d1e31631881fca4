// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The symbols of a file that is being built. In a large file most are those of sections, which are
// known by their sections; only the others have a specification.
#pragma once

#include <optional>
#include <string_view>

#include "base/types.h"
#include "base/worker_pool.h"
#include "elf/built_sections.h"
#include "elf/constants.h"

namespace culink::elf {

// Which part of the symbol table holds a symbol. The binding decides for most; nvlink keeps weak
// definitions among the locals.
enum class SymbolPart : u8 { Local, Global };

struct SymbolSpec {
  std::string_view name;
  SymbolBinding binding = SymbolBinding::Global;
  SymbolType type = SymbolType::NoType;
  u8 other = 0;
  SectionId section = {};      // none: undefined, unless special_section says otherwise
  u16 special_section = 0;     // kSectionAbsolute, kSectionCommon
  u32 name_number = kNoNumber; // in BuilderOptions::numbered_names: saves looking for the name
  u64 value = 0;
  u64 size = 0;
  std::optional<SymbolPart> part = {}; // default: Local for Local, Global for all others
  bool emitted = true;                 // false: only the name appears, in .strtab
  bool named = true;                   // false: no name, as section symbols of other linkers
  bool blank_name = false;             // "" is a string of its own, for all such symbols
};

class BuiltSymbols {
public:
  struct State {
    enum class Kind : u8 {
      Specified, // see spec()
      Section,   // local, with the name of the section
      Nothing,   // leaves no trace in the file
    };
    u32 id = 0; // in the table of specifications, or a SectionId
    Kind kind = Kind::Nothing;
    bool emitted = false; // of a section's symbol
  };
  static_assert(sizeof(State) == 8);

  [[nodiscard]] u32 size() const { return static_cast<u32>(states_.size()); }
  [[nodiscard]] const State &operator[](u32 id) const { return states_[id]; }
  [[nodiscard]] const State *begin() const { return states_.data(); }
  void reserve(u64 count, u64 specs) {
    states_.reserve(count);
    specs_.reserve(specs);
  }
  // The first of `count` new symbols, or specifications.
  u32 extend(u32 count) {
    states_.resize(states_.size() + count);
    return size() - count;
  }
  u32 extend_specs(u32 count) {
    specs_.resize(specs_.size() + count);
    return static_cast<u32>(specs_.size()) - count;
  }
  u32 add(const SymbolSpec &spec) {
    const u32 number = static_cast<u32>(specs_.size());
    specs_.emplace_back(spec).part = part_of(spec);
    states_.push_back({number, State::Kind::Specified});
    return size() - 1;
  }
  u32 add_section(SectionId section, bool emitted) {
    states_.push_back({section.value, State::Kind::Section, emitted});
    return size() - 1;
  }
  // Threads may put different ones.
  void put(u32 id, const SymbolSpec &spec, u32 number) {
    states_[id] = {number, State::Kind::Specified};
    fill(specs_[number], spec);
  }
  void put_section(u32 id, SectionId section, bool emitted) {
    states_[id] = {section.value, State::Kind::Section, emitted};
  }
  void put_nothing(u32 id) { states_[id] = {}; }

  [[nodiscard]] const SymbolSpec &spec(const State &state) const { return specs_[state.id]; }
  [[nodiscard]] bool is_emitted(const State &state) const {
    return state.kind == State::Kind::Specified ? spec(state).emitted : state.emitted;
  }
  [[nodiscard]] bool is_local(const State &state) const {
    return state.kind != State::Kind::Specified || *spec(state).part == SymbolPart::Local;
  }
  // None: it names no section that has to be in the file.
  [[nodiscard]] SectionId section_of(const State &state) const {
    switch (state.kind) {
    case State::Kind::Specified:
      return spec(state).emitted ? spec(state).section : SectionId();
    case State::Kind::Section:
      return state.emitted ? SectionId(state.id) : SectionId();
    case State::Kind::Nothing:
      break;
    }
    return {};
  }
  // A symbol of either kind, but for the name of a section's.
  [[nodiscard]] SymbolSpec without_name(const State &state) const {
    SymbolSpec room;
    return without_name(state, room);
  }
  // The same for a loop. What has no specification gets one in `room`, which starts as an empty
  // one.
  [[nodiscard]] const SymbolSpec &without_name(const State &state, SymbolSpec &room) const {
    if (state.kind == State::Kind::Specified)
      return spec(state);
    const bool of_section = state.kind == State::Kind::Section;
    room.binding = SymbolBinding::Local;
    room.part = SymbolPart::Local;
    room.emitted = state.emitted;
    room.named = of_section;
    room.type = of_section ? SymbolType::Section : SymbolType::NoType;
    room.section = of_section ? SectionId(state.id) : SectionId{};
    return room;
  }
  [[nodiscard]] SymbolSpec whole(const State &state, const BuiltSections &sections) const {
    SymbolSpec out = without_name(state);
    if (state.kind == State::Kind::Section) {
      out.name = sections.name_of(sections[state.id]);
      out.name_number = sections.name_number_of(sections[state.id]);
    }
    return out;
  }
  // What is in .strtab for it, if anything is.
  [[nodiscard]] std::string_view text_of(const State &state, const BuiltSections &sections) const {
    if (state.kind == State::Kind::Section)
      return sections.name_of(sections[state.id]);
    return state.kind == State::Kind::Specified && !spec(state).blank_name ? spec(state).name
                                                                           : std::string_view();
  }
  // Gives a symbol a specification.
  [[nodiscard]] SymbolSpec &edit(u32 id, const BuiltSections &sections) {
    if (State &state = states_[id]; state.kind != State::Kind::Specified) {
      const SymbolSpec spec = whole(state, sections);
      state = {static_cast<u32>(specs_.size()), State::Kind::Specified};
      specs_.push_back(spec);
    }
    return specs_[states_[id].id];
  }

private:
  // Assigns fields one by one, which takes less time than copying a structure: see store_fields in
  // base/bytes.h. It names all fields, so that none is left out: with another one it does not
  // compile.
  static void fill(SymbolSpec &to, const SymbolSpec &from) {
    const auto &[name, binding, type, other, section, special_section, name_number, value, size,
                 part, emitted, named, blank_name] = from;
    to.name = {name.data(), name.size()};
    to.binding = binding;
    to.type = type;
    to.other = other;
    to.section = section;
    to.special_section = special_section;
    to.name_number = name_number;
    to.value = value;
    to.size = size;
    to.part = part_of(from);
    to.emitted = emitted;
    to.named = named;
    to.blank_name = blank_name;
  }
  static SymbolPart part_of(const SymbolSpec &spec) {
    if (spec.part)
      return *spec.part;
    return spec.binding == SymbolBinding::Local ? SymbolPart::Local : SymbolPart::Global;
  }

  RawVector<State> states_;
  RawVector<SymbolSpec> specs_;
};

} // namespace culink::elf
