// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which symbols survive, and as what. Every section has an entry among the locals, so that its name
// is in .strtab, but only some are emitted. In an executable, data symbols become plain objects and
// shared variables vanish, names included, unless -g or --preserve-relocs keeps them.
#include "link/output/output_symbols.h"

#include <numeric>

#include "link/resolve/special_symbols.h"

namespace culink {

using elf::SectionType;
using elf::SymbolBinding;
using elf::SymbolType;

namespace {

// A bit of st_other: the variable is unified. Executables keep it beside common symbols only, since
// others need an index file (Q067).
constexpr u8 kOtherUnifiedData = 0x10;

class SymbolWriter {
public:
  SymbolWriter(const Program &program, const Layout &layout, const SharedPlan &shared,
               std::span<const elf::SectionId> section_of, elf::ElfBuilder &elf)
      : p_(program), layout_(layout), shared_(shared), section_of_(section_of), elf_(elf) {}

  // Before the first symbol is put.
  void make_tables();
  void convert_for_executable(EntityId id, elf::SymbolSpec &spec) const;
  // Symbols under ids that they have already. Threads may do so for different ones.
  // `spec`: the number of its specification, or the first one of several symbols.
  // Those of OutputSections::locals [begin, end).
  void put_locals(elf::SymbolId first, u32 begin, u32 end, std::span<const u8> is_emitted,
                  u32 spec);
  void put_entity(elf::SymbolId to, EntityId id, elf::SymbolPart part, u32 spec);
  void put_instance(elf::SymbolId to, u32 number, elf::SymbolPart part, u32 spec);
  OutputSymbols take() { return std::move(out_); }

private:
  void put_other_local(elf::SymbolId to, const LocalSymbol &symbol, u32 spec);
  void put_blank(elf::SymbolId to, ObjectId object, u32 spec);
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
  // Whether a variable that is left out keeps its symbol.
  [[nodiscard]] bool marks_dropped(EntityId id) const {
    return p_.policy.keeps_dropped_symbols &&
           !layout_.sections[layout_.placement.address_of[id.value].section].discarded();
  }

  const Program &p_;
  const Layout &layout_;
  const SharedPlan &shared_;
  std::span<const elf::SectionId> section_of_;
  elf::ElfBuilder &elf_;
  OutputSymbols out_;
};

void SymbolWriter::make_tables() {
  out_.of_entity.assign(p_.symbols.entities.size(), elf::SymbolId());
  out_.of_section.assign(layout_.sections.list.size(), elf::SymbolId());
  out_.of_instance.resize(layout_.sections.instances.size());
  if (!layout_.sections.with_blank_symbol.empty())
    out_.blank_of.resize(p_.objects.size());
}

// A symbol of a section that is emitted. Empty sections of some types have none.
inline bool has_section_symbol(const OutSection &s) {
  const auto needs_size = [](SectionType type) {
    return type == SectionType::Progbits || type == SectionType::CudaShared ||
           type == SectionType::CudaGlobal;
  };
  return s.has_symbol && (s.size != 0 || !needs_size(s.type()));
}

// Most are those of sections.
void SymbolWriter::put_locals(elf::SymbolId first, u32 begin, u32 end,
                              std::span<const u8> is_emitted, u32 spec) {
  const std::span<const LocalSymbol> locals = layout_.sections.locals;
  const std::span<const OutSection> list = layout_.sections.list;
  const std::span<const elf::SectionId> section_of = section_of_;
  elf::SymbolId *of_section = out_.of_section.data();
  for (u32 i = begin; i < end; ++i) {
    const elf::SymbolId to(first.value + i);
    const u32 id = locals[i].id;
    if (locals[i].kind != LocalSymbol::Kind::Section) {
      put_other_local(to, locals[i], spec++);
      continue;
    }
    if (list[id].discarded()) [[unlikely]] {
      elf_.put_nothing(to);
      continue;
    }
    elf_.put_section_symbol(to, section_of[id],
                            is_emitted[id] != 0 && has_section_symbol(list[id]));
    of_section[id] = to;
  }
}

void SymbolWriter::put_other_local(elf::SymbolId to, const LocalSymbol &symbol, u32 spec) {
  switch (symbol.kind) {
  case LocalSymbol::Kind::Entity:
    return put_entity(to, EntityId(symbol.id), elf::SymbolPart::Local, spec);
  case LocalSymbol::Kind::Blank:
    return put_blank(to, ObjectId(symbol.id), spec);
  case LocalSymbol::Kind::SharedInstance:
    if (p_.policy.weak_among_locals)
      return put_instance(to, symbol.id, elf::SymbolPart::Local, spec);
    return elf_.put_nothing(to);
  case LocalSymbol::Kind::Section: // see put_locals
    return;
  }
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

// Inlined: a specification whose address is not taken is never in memory.
[[gnu::always_inline]] inline void
SymbolWriter::convert_for_executable(EntityId id, elf::SymbolSpec &spec) const {
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

void SymbolWriter::put_entity(elf::SymbolId to, EntityId id, elf::SymbolPart part,
                              u32 spec_number) {
  if (is_removed(id, part))
    return elf_.put_nothing(to);
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
  elf_.put_symbol(to, spec, spec_number);
  out_.of_entity[id.value] = to;
}

void SymbolWriter::put_instance(elf::SymbolId to, u32 number, elf::SymbolPart part, u32 spec) {
  elf_.put_symbol(to,
                  {.name = "externsharedinstance",
                   .binding = SymbolBinding::Weak,
                   .type = SymbolType::CudaObject,
                   .other = elf::kOtherShared | kOtherInternal,
                   .value = layout_.sections.instances[number].value,
                   .part = part},
                  spec);
  out_.of_instance[number] = to;
}

void SymbolWriter::put_blank(elf::SymbolId to, ObjectId object, u32 spec) {
  elf_.put_symbol(to,
                  {.binding = SymbolBinding::Local,
                   .type = SymbolType::Function,
                   .part = elf::SymbolPart::Local,
                   .blank_name = true},
                  spec);
  out_.blank_of[object.value] = to;
}

constexpr u32 kSymbolsPut = 4096; // symbols, by one thread

// How many local symbols that are not those of sections come before each range, and in the end.
std::vector<u32> count_local_specs(const OutputSections &sections, WorkerPool &pool) {
  const u32 count = static_cast<u32>(sections.locals.size());
  std::vector<u32> out(count / kSymbolsPut + 2);
  pool.for_ranges(count, kSymbolsPut, [&](u32 begin, u32 end) {
    u32 specs = 0;
    for (u32 i = begin; i < end; ++i)
      specs += sections.locals[i].kind != LocalSymbol::Kind::Section ? 1 : 0;
    out[begin / kSymbolsPut + 1] = specs;
  });
  std::partial_sum(out.begin(), out.end(), out.begin());
  return out;
}

} // namespace

OutputSymbols add_output_symbols(const Program &program, const Layout &layout,
                                 const SharedPlan &shared,
                                 std::span<const elf::SectionId> section_of,
                                 elf::SectionId rel_action, std::span<const u8> is_emitted,
                                 WorkerPool &pool, elf::ElfBuilder &elf) {
  SymbolWriter writer(program, layout, shared, section_of, elf);
  writer.make_tables();
  const OutputSections &sections = layout.sections;
  const std::vector<u32> local_specs = count_local_specs(sections, pool);
  const u32 globals = static_cast<u32>(sections.globals.size());
  const u32 instances =
      static_cast<u32>(program.policy.weak_among_locals ? 0 : sections.instances.size());
  constexpr u64 kMore = 8; // that are added later
  elf.reserve({.symbol_specs = u64{local_specs.back()} + globals + instances + kMore});
  const auto put_all = [&](u32 count, auto put) {
    const u32 first = elf.add_symbols(count).value;
    pool.for_ranges(count, kSymbolsPut, [&](u32 begin, u32 end) { put(first, begin, end); });
  };
  u32 spec = elf.make_room_for_specs(local_specs.back());
  put_all(static_cast<u32>(sections.locals.size()), [&](u32 first, u32 begin, u32 end) {
    writer.put_locals(elf::SymbolId(first), begin, end, is_emitted,
                      spec + local_specs[begin / kSymbolsPut]);
  });
  if (rel_action.valid())
    elf.add_symbol({.name = kRelAction,
                    .binding = SymbolBinding::Local,
                    .type = SymbolType::Section,
                    .section = rel_action,
                    .part = elf::SymbolPart::Local});
  spec = elf.make_room_for_specs(globals + instances);
  put_all(globals, [&](u32 first, u32 begin, u32 end) {
    for (u32 i = begin; i < end; ++i)
      writer.put_entity(elf::SymbolId(first + i), sections.globals[i], elf::SymbolPart::Global,
                        spec + i);
  });
  put_all(instances, [&](u32 first, u32 begin, u32 end) {
    for (u32 i = begin; i < end; ++i)
      writer.put_instance(elf::SymbolId(first + i), i, elf::SymbolPart::Global, spec + globals + i);
  });
  return writer.take();
}

void convert_to_sass_symbols(const Program &program, const Layout &layout, const SharedPlan &shared,
                             const OutputSymbols &symbols, elf::ElfBuilder &elf) {
  const SymbolWriter writer(program, layout, shared, {}, elf);
  for (u32 i = 0; i < symbols.of_entity.size(); ++i) {
    if (!symbols.of_entity[i].valid())
      continue;
    elf::SymbolSpec &spec = elf.edit_symbol(symbols.of_entity[i]);
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
