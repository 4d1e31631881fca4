// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loading of one object: first whether it is one, then whether it fits the target, and only then
// its contents, so that the first message about a file is the one that helps.
//
// Objects may be of releases that are newer than this linker. What they have that is new is kept as
// it is and named in one warning of each kind, however often it occurs: each function of such an
// object may have it. That is sound as far as it can be known: a record that names a symbol by
// number would name another one afterwards, so the warning says what happened. What cannot be kept
// without being understood is refused elsewhere: relocations, ABI versions, targets, variables in
// sections of unknown types.
#include "input/load_object.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "elf/names.h"
#include "elf/records/nv_compat.h"
#include "elf/records/nv_notes.h"
#include "input/accept.h"
#include "input/mercury_plane.h"
#include "input/parse_object.h"

namespace culink {

using elf::SectionRole;

namespace {

// Records of whole modules, which no known object has: a link neither understands nor carries them.
bool is_left_out(const elf::Section &section, const elf::SectionKind &kind) {
  return !kind.mercury && section.size != 0 && kind.role == SectionRole::Metadata;
}

std::string type_text(elf::SectionType type) {
  if (const std::optional<std::string_view> name = elf::kSectionTypeNames.name_of(type))
    return std::string(*name);
  return fmt::format("{:#x}", static_cast<u32>(type));
}

void report_left_out(const InputObject &object, Diagnostics &diag) {
  for (const elf::Section &section : object.view.sections())
    if (is_left_out(section, object.kinds[section.index]))
      diag.report(DiagId::SectionLeftOut,
                  {object.name, std::string(section.name), type_text(section.type)});
}

// Whether .nv.compat lacks the attribute that every compiler writes.
bool lacks_isa_class(const InputObject &object) {
  for (const elf::Section &section : object.view.sections()) {
    const elf::SectionKind &kind = object.kinds[section.index];
    if (kind.role != SectionRole::Compat || kind.mercury)
      continue;
    const elf::CompatSection compat = elf::decode_compat(section.data);
    return std::none_of(compat.records.begin(), compat.records.end(), [](const auto &record) {
      return record.attribute == elf::CompatAttribute::IsaClass;
    });
  }
  return false;
}

template <typename T> void add_once(std::vector<T> &list, T item) {
  if (std::find(list.begin(), list.end(), item) == list.end())
    list.push_back(std::move(item));
}

bool is_known(elf::CompatAttribute attribute) {
  return attribute == elf::CompatAttribute::Unnamed13 ||
         elf::kCompatAttributeNames.name_of(static_cast<u32>(attribute)).has_value();
}

// The newest version in a section of notes that we do not know, or 0.
template <typename Version> u32 later_version(const elf::Section &section, u32 type) {
  u32 newest = 0;
  for (const elf::Note &note : elf::decode_notes(section.data).notes)
    if (note.type == type && elf::is_later_note(note))
      newest = std::max<u32>(newest, load_le<Version>(note.desc.data()));
  return newest;
}

// The first object that has something, what the objects have, and how many more there are.
class Finding {
public:
  template <typename Items> void add(const InputObject &object, const Items &items) {
    if (items.empty())
      return;
    if (first_)
      ++more_;
    else
      first_ = &object;
    for (const auto &item : items)
      add_once(items_, fmt::format("{}", item));
  }

  void report(DiagId id, std::string hint, Diagnostics &diag) const {
    if (!first_)
      return;
    constexpr size_t kMost = 8;
    std::string list;
    for (size_t i = 0; i < std::min(items_.size(), kMost); ++i)
      list += fmt::format("{}{}", i == 0 ? "" : ", ", items_[i]);
    if (items_.size() > kMost)
      list += fmt::format(" and {} more", items_.size() - kMost);
    std::vector<std::string> notes;
    if (more_ != 0)
      notes.push_back(fmt::format("and {} more files", more_));
    diag.report(id, {first_->name, std::move(list)}, std::move(notes), std::move(hint));
  }

private:
  const InputObject *first_ = nullptr;
  std::vector<std::string> items_; // in order of reading
  u32 more_ = 0;
};

std::vector<std::string> in_hexadecimal(const std::vector<u8> &codes) {
  std::vector<std::string> out;
  for (const u8 code : codes)
    out.push_back(fmt::format("{:#x}", code));
  return out;
}

// A function that stands for instructions of Mercury code, but not one of those that are known for
// the target. The Mercury plane has no symbol of it; only bank 0 is without one, too.
std::string_view callee_of_sass(const InputObject &object, const elf::Section &mercury_symtab) {
  for (u32 i = object.view.symbols(mercury_symtab).size(); i < object.symbols.size(); ++i)
    if (const elf::Symbol &symbol = object.symbols[i]; symbol.type() == elf::SymbolType::Function &&
                                                       symbol.undefined() &&
                                                       !is_image_function(object, symbol))
      return symbol.name;
  return {};
}

// What an object has that this linker does not know, attributes of .nv.info apart, which the parser
// finds.
Unfamiliar find_unfamiliar(const InputObject &object) {
  Unfamiliar out;
  for (const elf::Section &section : object.view.sections()) {
    const elf::SectionKind &kind = object.kinds[section.index];
    const std::string_view name = section.name;
    if (kind.mercury) {
      if (section.size != 0 && !elf::kSectionTypeNames.name_of(section.type))
        add_once(out.mercury,
                 fmt::format("'{}' ({:#x}), a section of a type that this linker does not know",
                             name, static_cast<u32>(section.type)));
      if (section.type == elf::SectionType::MercurySymtab)
        if (const std::string_view callee = callee_of_sass(object, section); !callee.empty())
          add_once(out.mercury,
                   fmt::format("no call of '{}', which the machine code calls", callee));
      continue;
    }
    switch (kind.role) {
    case SectionRole::Unknown:
      if (section.type != elf::SectionType::Progbits && section.size != 0)
        add_once(out.sections, fmt::format("'{}' ({:#x})", name, static_cast<u32>(section.type)));
      break;
    case SectionRole::Compat:
      for (const elf::CompatRecord &record : elf::decode_compat(section.data).records)
        if (!is_known(record.attribute))
          add_once(out.compat, static_cast<u8>(record.attribute));
      break;
    case SectionRole::NoteCuinfo:
      out.cuda_note = std::max(out.cuda_note, later_version<u16>(section, elf::kNoteCudaInfo));
      break;
    case SectionRole::NoteTkinfo:
      // Toolkits 12.8 and 12.9 have their own number there.
      if (const u32 version = later_version<u32>(section, elf::kNoteToolkitInfo);
          version != 128 && version != 129)
        out.tool_note = std::max(out.tool_note, version);
      break;
    default:
      break;
    }
  }
  return out;
}

} // namespace

std::optional<InputObject> load_object(const std::string &name, ByteSpan bytes,
                                       const arch::ArchInfo &target, const Dialect &dialect,
                                       Diagnostics &diag) {
  Result<elf::ElfView> view = elf::ElfView::open(bytes);
  if (!view) {
    diag.report(DiagId::BadInput, {name, view.error().text()});
    return std::nullopt;
  }
  if (!accept_object(name, *view, target, dialect, diag))
    return std::nullopt;
  const ObjectIdentity identity = identify_object(*view);
  Result<InputObject> object = parse_object(name, std::move(*view));
  if (!object) {
    diag.report(DiagId::BadInput, {name, object.error().text()});
    return std::nullopt;
  }
  object->sm = identity.sm;
  object->virtual_sm = identity.virtual_sm;
  object->toolkit = identity.toolkit;
  if (lacks_isa_class(*object))
    diag.report(DiagId::MissingIsaClass, {std::to_string(target.number), name});
  if (!dialect.defects.drops_unknown_sections) {
    report_left_out(*object, diag);
    std::vector<u8> attributes = std::move(object->unfamiliar.attributes);
    object->unfamiliar = find_unfamiliar(*object);
    object->unfamiliar.attributes = std::move(attributes);
  } else {
    object->unfamiliar = {};
  }
  object->capsule = identity.capsule;
  return std::move(*object);
}

void report_unfamiliar(const std::vector<InputObject> &objects, Diagnostics &diag) {
  Finding attributes, compat, notes, sections;
  for (const InputObject &object : objects) {
    const Unfamiliar &has = object.unfamiliar;
    attributes.add(object, in_hexadecimal(has.attributes));
    compat.add(object, in_hexadecimal(has.compat));
    sections.add(object, has.sections);
    std::vector<std::string> versions;
    if (has.cuda_note != 0)
      versions.push_back(fmt::format(".note.nv.cuinfo has version {}", has.cuda_note));
    if (has.tool_note != 0)
      versions.push_back(fmt::format(".note.nv.tkinfo has version {}", has.tool_note));
    notes.add(object, versions);
  }
  const std::string kept = "kept as they are; a newer culink may know more about them";
  attributes.report(DiagId::UnknownAttribute, kept, diag);
  compat.report(DiagId::UnknownCompat, kept, diag);
  notes.report(DiagId::NewerNote, "version 2 is known of either note", diag);
  sections.report(DiagId::UnknownSection, kept, diag);
}

} // namespace culink
