// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects the symbols of the output, and their types. Every section has an entry among the locals,
// so that its name is in .strtab, but only some are emitted. In an executable, data symbols become
// plain objects and shared variables vanish, names included, unless -g or --preserve-relocs keeps
// them.
#include "link/output/output_symbols.h"

#include "link/resolve/special_symbols.h"

namespace culink {

using elf::SectionType;
using elf::SymbolBinding;
using elf::SymbolType;

namespace {

// The value of a common symbol whose memory is lost (Q057).
constexpr u64 kNoPlace = ~u64{1};

// A bit of st_other: the variable is unified. Executables keep it beside common symbols only, since
// others need an index file (Q067).
constexpr u8 kOtherUnifiedData = 0x10;

class SymbolWriter {
public:
  SymbolWriter(const Program &program, const Layout &layout, const SharedPlan &shared,
               elf::ElfFile &elf)
      : p_(program), layout_(layout), shared_(shared), elf_(elf) {
    out_.of_entity.resize(program.symbols.entities.size());
    out_.of_section.resize(layout.sections.details.size());
    out_.of_instance.resize(layout.sections.instances.size());
    if (!layout.sections.with_blank_symbol.empty())
      out_.blank_of.resize(program.objects.size());
  }

  void convert_for_executable(EntityId id, elf::SymbolSpec &spec) const;
  void add_local(const LocalSymbol &symbol);
  void add_entity(EntityId id, elf::SymbolPart part);
  void add_instance(u32 number, elf::SymbolPart part);
  OutputSymbols take() { return std::move(out_); }

private:
  void add_section(OutId id);
  void add_blank(ObjectId object);
  [[nodiscard]] SymbolBinding binding_of_shared(EntityId id, SymbolBinding binding) const;
  // A variable that replaces a weak one.
  [[nodiscard]] bool is_listed_twice(const Entity &variable) const {
    return p_.policy.accepts_sized_dynamic && !p_.sass_plane && variable.defined() &&
           variable.first_definition.valid() && variable.first_definition != variable.prevailing;
  }
  [[nodiscard]] bool is_removed(EntityId id, elf::SymbolPart part) const;
  [[nodiscard]] bool is_dropped(EntityId id) const {
    return !layout_.placement.dropped.empty() && layout_.placement.dropped[id.value];
  }
  // True if a variable that is left out keeps its symbol.
  [[nodiscard]] bool marks_dropped(EntityId id) const {
    return p_.policy.keeps_dropped_symbols &&
           !elf_.sections[layout_.placement.address_of[id.value].section].discarded();
  }

  const Program &p_;
  const Layout &layout_;
  const SharedPlan &shared_;
  elf::ElfFile &elf_;
  OutputSymbols out_;
};

// A symbol of a section that is emitted. Empty sections of some types have none.
inline bool has_section_symbol(const OutSection &s) {
  const auto needs_size = [](SectionType type) {
    return type == SectionType::Progbits || type == SectionType::CudaShared ||
           type == SectionType::CudaGlobal;
  };
  return s.has_symbol && (s.size != 0 || !needs_size(s.type));
}

void SymbolWriter::add_local(const LocalSymbol &symbol) {
  switch (symbol.kind) {
  case LocalSymbol::Kind::Section:
    return add_section(OutId(symbol.id));
  case LocalSymbol::Kind::Entity:
    return add_entity(EntityId(symbol.id), elf::SymbolPart::Local);
  case LocalSymbol::Kind::Blank:
    return add_blank(ObjectId(symbol.id));
  case LocalSymbol::Kind::SharedInstance:
    if (p_.policy.weak_among_locals)
      add_instance(symbol.id, elf::SymbolPart::Local);
    return;
  }
}

void SymbolWriter::add_section(OutId id) {
  const OutSection &section = elf_.sections[id];
  if (!section.discarded())
    out_.of_section[id.value] =
        elf_.symbols.add_section(id, section.emitted() && has_section_symbol(section));
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
  return p_.policy.misplaces_locals && section != layout_.sections.debug_shared
             ? SymbolBinding::Local
             : binding;
}

void SymbolWriter::convert_for_executable(EntityId id, elf::SymbolSpec &spec) const {
  const Entity &entity = p_.symbols[id];
  // A weak reference without a memory space stays as objects have it: nvlink converts a symbol when
  // it knows where its variable is.
  if (spec.type == SymbolType::CudaObject && (entity.other & 0xe0) == 0 && !entity.defined() &&
      entity.weak())
    return;
  if (spec.type == SymbolType::CudaObject)
    spec.type = SymbolType::Object;
  if (entity.function)
    return;
  spec.other &= elf::kOtherManaged | kOtherUnifiedData;
  const bool preserve = p_.options.preserve_relocs;
  if (is_shared(entity.other)) {
    spec.other = preserve && !p_.options.keeps_debug_symbols() ? kOtherInternal
                                                               : entity.other & kOtherInternal;
    const u64 offset = static_cast<u64>(shared_.offset[id.value]);
    u64 value = offset + p_.arch.reserved_shared;
    if (entity.sized) // never placed
      value = shared_.has_slots ? offset + 2 * u64{p_.arch.reserved_shared} : offset;
    else if (shared_.dynamic(id) && shared_.one_dynamic_value && !shared_.has_slots)
      value -= p_.arch.reserved_shared;
    spec.value = is_listed_twice(entity) ? value + p_.arch.reserved_shared : value;
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
  if (address.section.valid() && !elf_.sections[address.section].discarded())
    spec.section = address.section;
  if (p_.policy.keeps_all_relocations && entity.common_align != 0 && !entity.defined()) {
    spec.special_section = elf::kSectionCommon; // the next link may still initialise it
    spec.value = entity.common_align;
  } else if (entity.weak_over_common) {
    spec.special_section = elf::kSectionCommon;
    spec.value = kNoPlace;
  }
  if (!p_.policy.executable && entity.name == kConstantBankSize)
    spec.type = SymbolType::CudaObject;
  // In Mercury code these have the type of other variables.
  if (p_.arch.code_kind == arch::CodeKind::Capmerc && is_declared_everywhere(entity.name))
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
  out_.of_entity[id.value] = elf_.symbols.add(spec);
}

void SymbolWriter::add_instance(u32 number, elf::SymbolPart part) {
  out_.of_instance[number] = elf_.symbols.add({.name = "externsharedinstance",
                                               .binding = SymbolBinding::Weak,
                                               .type = SymbolType::CudaObject,
                                               .other = elf::kOtherShared | kOtherInternal,
                                               .value = layout_.sections.instances[number].value,
                                               .part = part});
}

void SymbolWriter::add_blank(ObjectId object) {
  out_.blank_of[object.value] = elf_.symbols.add({.binding = SymbolBinding::Local,
                                                  .type = SymbolType::Function,
                                                  .part = elf::SymbolPart::Local,
                                                  .blank_name = true});
}

} // namespace

OutputSymbols add_output_symbols(const Program &program, const Layout &layout,
                                 const SharedPlan &shared, OutId rel_action, elf::ElfFile &elf) {
  SymbolWriter writer(program, layout, shared, elf);
  const OutputSections &sections = layout.sections;
  elf.symbols.reserve(sections.locals.size() + sections.globals.size() + 8,
                      sections.globals.size());
  for (const LocalSymbol &local : sections.locals)
    writer.add_local(local);
  if (rel_action.valid())
    elf.symbols.add({.name = kRelAction,
                     .binding = SymbolBinding::Local,
                     .type = SymbolType::Section,
                     .section = rel_action,
                     .part = elf::SymbolPart::Local});
  for (const EntityId id : sections.globals)
    writer.add_entity(id, elf::SymbolPart::Global);
  if (!program.policy.weak_among_locals)
    for (u32 i = 0; i < sections.instances.size(); ++i)
      writer.add_instance(i, elf::SymbolPart::Global);
  return writer.take();
}

void convert_to_sass_symbols(const Program &program, const Layout &layout, const SharedPlan &shared,
                             const OutputSymbols &symbols, elf::ElfFile &elf) {
  const SymbolWriter writer(program, layout, shared, elf);
  for (u32 i = 0; i < symbols.of_entity.size(); ++i) {
    if (!symbols.of_entity[i].valid())
      continue;
    elf::SymbolSpec &spec = elf.symbols.edit(symbols.of_entity[i], elf.sections);
    const elf::SymbolType type = spec.type;
    const u64 offset = spec.value;
    writer.convert_for_executable(EntityId(i), spec);
    if (is_shared(program.symbols[EntityId(i)].other) && !program.symbols[EntityId(i)].function)
      spec.value = offset + program.arch.reserved_shared;
    if (is_declared_everywhere(program.symbols[EntityId(i)].name))
      spec.type = type;
  }
}

} // namespace culink
