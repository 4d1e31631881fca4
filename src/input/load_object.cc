// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loading of one object: first whether it is one, then whether it fits the target, and only then
// its contents, so that the first message about a file is the one that helps.
#include "input/load_object.h"

#include <algorithm>

#include <fmt/format.h>

#include "elf/names.h"
#include "elf/records/nv_compat.h"
#include "input/accept.h"
#include "input/parse_object.h"

namespace culink {

namespace {

// Sections that a link neither understands nor carries: those of unknown types (PROGBITS and notes
// of any name are carried), and records of whole modules, which no known object has.
bool is_left_out(const elf::Section &section, const elf::SectionKind &kind) {
  if (kind.mercury || section.size == 0)
    return false;
  return kind.role == elf::SectionRole::Metadata ||
         (kind.role == elf::SectionRole::Unknown && section.type != elf::SectionType::Null &&
          section.type != elf::SectionType::Progbits);
}

std::string type_text(elf::SectionType type) {
  if (const std::optional<std::string_view> name = elf::name_of_section_type(type))
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
    if (kind.role != elf::SectionRole::Compat || kind.mercury)
      continue;
    const elf::CompatSection compat = elf::decode_compat(section.data);
    return std::none_of(compat.records.begin(), compat.records.end(), [](const auto &record) {
      return record.attribute == elf::CompatAttribute::IsaClass;
    });
  }
  return false;
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
  if (!dialect.has(Defect::SilentlyDropped))
    report_left_out(*object, diag);
  object->capsule = identity.capsule;
  return std::move(*object);
}

} // namespace culink
