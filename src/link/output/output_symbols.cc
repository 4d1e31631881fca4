// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which symbols survive, and as what. Every section has an entry among the locals, so that its name
// is in .strtab, but only some are emitted. In an executable, data symbols become plain objects and
// shared variables vanish, names included, unless -g or --preserve-relocs keeps them.
#include "link/output/output_symbols.h"

#include "link/emulate/shared_memory.h"
#include "link/emulate/user_constants.h"
#include "link/resolve/special_symbols.h"

namespace culink {

using elf::SectionType;
using elf::SymbolBinding;
using elf::SymbolType;

namespace {

class SymbolWriter {
public:
  SymbolWriter(const Program &program, const Layout &layout, const SharedPlan &shared,
               const std::vector<elf::SectionId> &section_of, elf::ElfBuilder &elf)
      : p_(program), layout_(layout), shared_(shared), section_of_(section_of), elf_(elf) {
    out_.of_entity.resize(program.symbols.entities.size());
    out_.of_section.resize(layout.sections.list.size());
    out_.of_instance.resize(layout.sections.instances.size());
  }

  void convert_for_executable(EntityId id, elf::SymbolSpec &spec) const;
  void add_section(OutId id, bool emitted);
  void add_entity(EntityId id, elf::SymbolPart part);
  void add_instance(u32 number, elf::SymbolPart part);
  void add_blank(ObjectId object);
  OutputSymbols take() { return std::move(out_); }

private:
  [[nodiscard]] SymbolBinding binding_of_shared(EntityId id, SymbolBinding binding) const;
  [[nodiscard]] bool is_removed(EntityId id, elf::SymbolPart part) const;
  [[nodiscard]] bool is_dropped(EntityId id) const {
    return !layout_.placement.dropped.empty() && layout_.placement.dropped[id.value];
  }
  // Whether a variable that is left out keeps its symbol.
  [[nodiscard]] bool marks_dropped(EntityId id) const {
    return emulate::keeps_dropped_symbols(p_) &&
           !layout_.sections[layout_.placement.address_of[id.value].section].discarded();
  }

  const Program &p_;
  const Layout &layout_;
  const SharedPlan &shared_;
  const std::vector<elf::SectionId> &section_of_;
  elf::ElfBuilder &elf_;
  OutputSymbols out_;
};

void SymbolWriter::add_section(OutId id, bool emitted) {
  const OutSection &s = layout_.sections[id];
  if (s.discarded())
    return;
  // Empty sections of these types have no symbol even if they are emitted.
  const bool needs_size = s.type == SectionType::Progbits || s.type == SectionType::CudaShared ||
                          s.type == SectionType::CudaGlobal;
  out_.of_section[id.value] =
      elf_.add_symbol({.name = s.name,
                       .binding = SymbolBinding::Local,
                       .type = SymbolType::Section,
                       .section = section_of_[id.value],
                       .part = elf::SymbolPart::Local,
                       .emitted = emitted && s.has_symbol && (s.size != 0 || !needs_size),
                       .name_number = s.name_number});
}

bool SymbolWriter::is_removed(EntityId id, elf::SymbolPart part) const {
  if (shared_.deleted[id.value] || (is_dropped(id) && !marks_dropped(id)))
    return true;
  const u8 other = p_.symbols[id].other;
  // Constants that a compiler made for position-independent code: the addresses of variables.
  if (p_.policy.executable && !p_.options.preserve_relocs && !p_.symbols[id].function &&
      (other & 0xe1) == (elf::kOtherConstant | kOtherInternal))
    return true;
  const bool shared =
      part == elf::SymbolPart::Local ? (other & elf::kOtherShared) != 0 : is_shared(other);
  return !p_.policy.keeps_shared_symbols && shared && !p_.symbols[id].function;
}

SymbolBinding SymbolWriter::binding_of_shared(EntityId id, SymbolBinding binding) const {
  const OutId section = layout_.placement.address_of[id.value].section;
  return section == layout_.sections.debug_shared ? binding
                                                  : emulate::binding_of_shared(p_, binding);
}

void SymbolWriter::convert_for_executable(EntityId id, elf::SymbolSpec &spec) const {
  const Entity &entity = p_.symbols[id];
  if (spec.type == SymbolType::CudaObject)
    spec.type = SymbolType::Object;
  if (entity.function)
    return;
  spec.other &= elf::kOtherManaged;
  const bool preserve = p_.options.preserve_relocs;
  if (is_shared(entity.other)) {
    spec.other = preserve && !p_.options.keeps_debug_symbols() ? kOtherInternal
                                                               : entity.other & kOtherInternal;
    const u64 offset = static_cast<u64>(shared_.offset[id.value]);
    u64 value = offset + p_.arch.reserved_shared;
    if (emulate::is_never_placed(entity))
      value = emulate::value_of_unplaced(p_, offset, shared_.has_slots);
    else if (shared_.dynamic(id) && shared_.one_dynamic_value && !shared_.has_slots)
      value -= p_.arch.reserved_shared;
    spec.value = value;
    spec.binding = binding_of_shared(id, spec.binding);
  } else if (preserve && (entity.other & 0xe1) == (elf::kOtherConstant | kOtherInternal)) {
    spec.other = kOtherInternal;
  }
  if (is_dropped(id))
    spec.other |= kOtherInternal;
}

void SymbolWriter::add_entity(EntityId id, elf::SymbolPart part) {
  if (is_removed(id, part))
    return;
  const Entity &entity = p_.symbols[id];
  const SymbolAddress &address = layout_.placement.address_of[id.value];
  elf::SymbolSpec spec{.name = entity.name,
                       .binding = static_cast<SymbolBinding>(entity.info >> 4),
                       .type = entity.type(),
                       .other = entity.other,
                       .value = address.value,
                       .size = entity.size,
                       .part = part};
  if (address.section.valid())
    spec.section = section_of_[address.section.value];
  if (p_.policy.keeps_all_relocations && entity.common_align != 0 && !entity.defined()) {
    spec.special_section = elf::kSectionCommon; // the next link may still initialise it
    spec.value = entity.common_align;
  }
  if (!p_.policy.executable && entity.name == kConstantBankSize)
    spec.type = SymbolType::CudaObject;
  // In Mercury code these have the type of other variables.
  if (p_.arch.code_kind == arch::CodeKind::Capmerc &&
      (is_reserved_shared_mark(entity.name) || is_unified_table(entity.name)))
    spec.type = SymbolType::CudaObject;
  if (p_.policy.executable) {
    if (p_.arch.code_kind == arch::CodeKind::Sass)
      convert_for_executable(id, spec);
    else if (is_shared(entity.other)) {
      spec.value = static_cast<u64>(shared_.offset[id.value]);
      spec.binding = binding_of_shared(id, spec.binding);
      if (p_.options.preserve_relocs && !p_.options.keeps_debug_symbols())
        spec.other |= kOtherInternal;
    } else if (is_dropped(id)) {
      spec.other |= kOtherInternal;
    }
    spec.emitted = entity.defined() || !is_unified_table(entity.name);
  }
  out_.of_entity[id.value] = elf_.add_symbol(spec);
}

void SymbolWriter::add_instance(u32 number, elf::SymbolPart part) {
  out_.of_instance[number] = elf_.add_symbol({.name = "externsharedinstance",
                                              .binding = SymbolBinding::Weak,
                                              .type = SymbolType::CudaObject,
                                              .other = elf::kOtherShared | kOtherInternal,
                                              .value = layout_.sections.instances[number].value,
                                              .part = part});
}

void SymbolWriter::add_blank(ObjectId object) {
  out_.blank_of.resize(p_.objects.size());
  out_.blank_of[object.value] = elf_.add_symbol({.binding = SymbolBinding::Local,
                                                 .type = SymbolType::Function,
                                                 .part = elf::SymbolPart::Local,
                                                 .blank_name = true});
}

} // namespace

OutputSymbols add_output_symbols(const Program &program, const Layout &layout,
                                 const SharedPlan &shared,
                                 const std::vector<elf::SectionId> &section_of,
                                 elf::SectionId rel_action, const std::vector<bool> &is_emitted,
                                 elf::ElfBuilder &elf) {
  SymbolWriter writer(program, layout, shared, section_of, elf);
  for (const LocalSymbol &symbol : layout.sections.locals)
    switch (symbol.kind) {
    case LocalSymbol::Kind::Section:
      writer.add_section(OutId(symbol.id), is_emitted[symbol.id]);
      break;
    case LocalSymbol::Kind::Entity:
      writer.add_entity(EntityId(symbol.id), elf::SymbolPart::Local);
      break;
    case LocalSymbol::Kind::Blank:
      writer.add_blank(ObjectId(symbol.id));
      break;
    case LocalSymbol::Kind::SharedInstance:
      if (program.dialect.release.weak_among_locals)
        writer.add_instance(symbol.id, elf::SymbolPart::Local);
      break;
    }
  if (rel_action.valid())
    elf.add_symbol({.name = kRelAction,
                    .binding = SymbolBinding::Local,
                    .type = SymbolType::Section,
                    .section = rel_action,
                    .part = elf::SymbolPart::Local});
  for (const EntityId id : layout.sections.globals)
    writer.add_entity(id, elf::SymbolPart::Global);
  if (!program.dialect.release.weak_among_locals)
    for (u32 i = 0; i < layout.sections.instances.size(); ++i)
      writer.add_instance(i, elf::SymbolPart::Global);
  return writer.take();
}

void convert_to_sass_symbols(const Program &program, const Layout &layout, const SharedPlan &shared,
                             const OutputSymbols &symbols, elf::ElfBuilder &elf) {
  const std::vector<elf::SectionId> no_sections;
  const SymbolWriter writer(program, layout, shared, no_sections, elf);
  for (u32 i = 0; i < symbols.of_entity.size(); ++i) {
    if (!symbols.of_entity[i].valid())
      continue;
    elf::SymbolSpec &spec = elf.symbol(symbols.of_entity[i]);
    const elf::SymbolType type = spec.type;
    const u64 offset = spec.value;
    writer.convert_for_executable(EntityId(i), spec);
    if (is_shared(program.symbols[EntityId(i)].other) && !program.symbols[EntityId(i)].function)
      spec.value = offset + program.arch.reserved_shared;
    if (is_reserved_shared_mark(program.symbols[EntityId(i)].name))
      spec.type = type;
  }
}

} // namespace culink
