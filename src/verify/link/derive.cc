// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places that no symbol of an executable shows: offsets of shared variables, of dynamic shared
// memory, of the compiler's constants in the banks of kernels, and slots of images. A linker may
// choose them freely, so the checker asks the code itself: the first field that refers to a
// variable says where that is. Then all other fields have to agree (contents.cc), and what is said
// has to be sound for every kernel (kernels.cc).
#include "support/bytes.h"
#include "verify/link/targets.h"

namespace culink::check {

namespace {

enum class DerivedKind : u8 { Shared, Dynamic, Constants, Image };

struct Derived {
  DerivedKind kind{};
  u32 entity = 0;
  u64 value = 0; // kUnknown: a use, of which the field does not show the value
};

// Bits of the value, from bit 0 or 2, that the field has; 0: it shows only a part.
u32 bits_shown(const arch::RelocInfo &row) {
  for (const arch::RelocPiece &piece : row.pieces)
    if (piece.source == arch::PieceSource::Value && piece.width >= 13 && piece.value_bit <= 2)
      return piece.value_bit + piece.width;
  return 0;
}

std::optional<DerivedKind> derived_kind(const Link &link, const Entity &entity) {
  if (entity.function())
    return std::nullopt;
  if (is_image(entity.type()))
    return DerivedKind::Image;
  if (in_shared_memory(entity.other))
    return entity.defined() && entity.size != 0 ? DerivedKind::Shared : DerivedKind::Dynamic;
  if (!entity.defined() || !in_constant_memory(entity.other))
    return std::nullopt;
  const Object &file = link.program.objects[entity.object];
  const u32 section = link.program.definition(entity).section;
  if (file.kinds[section].is_constant() && file.kinds[section].bank == link.arch.banks.compiler &&
      file.code_of[section] != 0)
    return DerivedKind::Constants;
  return std::nullopt;
}

u64 low_mask(u32 bits) {
  return bits >= 64 ? ~u64{0} : (u64{1} << bits) - 1;
}

// What a field says about its symbol.
u64 value_in_field(const Link &link, const CodePlace &code, const elf::Relocation &raw, bool rela,
                   const arch::RelocInfo &row) {
  const u32 bits = bits_shown(row);
  const auto found = arch::read_field(link.bytes_of(code), raw.offset, row);
  if (bits == 0 || row.resolver != arch::Resolver::Linker || !found)
    return kUnknown;
  u64 addend = static_cast<u64>(raw.addend);
  if (!rela) {
    const ByteSpan bytes = link.program.objects[code.object].section(code.section).data;
    const auto implicit = arch::implicit_addend(bytes, raw.offset, row);
    addend = implicit ? implicit->value : 0;
  }
  return (found->value - addend) & low_mask(bits);
}

void derive_from(const Link &link, const CodePlace &code, std::vector<Derived> &out) {
  const Object &object = link.program.objects[code.object];
  for (u32 t = object.first_table[code.section]; t != 0; t = object.next_table[t]) {
    const elf::RelocationTable entries = object.view.relocations(object.section(t));
    u32 last = kNone;
    std::optional<DerivedKind> kind;
    for (u32 i = 0; i < entries.size(); ++i) {
      const elf::Relocation raw = entries[i];
      const u32 id = link.program.entity_of[code.object][raw.symbol];
      if (id == kNone)
        continue;
      if (id != last)
        kind = derived_kind(link, link.program.entities[id]);
      last = id;
      const arch::RelocInfo *row = kind ? arch::find_reloc(raw.type) : nullptr;
      if (!row)
        continue;
      u64 value = value_in_field(link, code, raw, entries.has_addends(), *row);
      const ByteSpan bytes = link.bytes_of(code);
      if (const auto load = load_of_index(bytes, raw.offset, *row);
          load && *kind == DerivedKind::Image && value != kUnknown)
        value += begin_of_slots(bytes, *load);
      if (*kind == DerivedKind::Constants && value != kUnknown)
        value = (value - link.program.definition(link.program.entities[id]).value) &
                low_mask(bits_shown(*row));
      out.push_back({*kind, id, value});
    }
  }
}

void set_if_new(u64 &place, u64 value) {
  if (place == kUnknown)
    place = value;
}

void take_over(Link &link, const CodePlace &code, const std::vector<Derived> &found) {
  const u32 node = link.calls.node_of[code.entity];
  for (const Derived &one : found) {
    const Entity &entity = link.program.entities[one.entity];
    switch (one.kind) {
    case DerivedKind::Shared:
      link.shared_uses[node].push_back(one.entity);
      set_if_new(link.shared_offset[one.entity], one.value);
      break;
    case DerivedKind::Dynamic:
      link.shared_uses[node].push_back(one.entity);
      set_if_new(link.dynamic_start[node], one.value);
      break;
    case DerivedKind::Image:
      link.image_uses[node].push_back(one.entity);
      set_if_new(link.slot_of[one.entity], one.value);
      break;
    case DerivedKind::Constants: {
      std::vector<u64> &bases = link.constants_base[entity.object];
      if (bases.empty())
        bases.assign(link.program.objects[entity.object].view.sections().size(), kUnknown);
      set_if_new(bases[link.program.definition(entity).section], one.value);
      break;
    }
    }
  }
}

void make_room(Link &link) {
  link.shared_offset.assign(link.program.entities.size(), kUnknown);
  link.slot_of = link.shared_offset;
  link.dynamic_start.assign(link.calls.functions(), kUnknown);
  link.constants_base.resize(link.program.objects.size());
  link.shared_uses.resize(link.calls.functions());
  link.image_uses.resize(link.calls.functions());
}

} // namespace

void derive_places(Link &link, WorkerPool &pool) {
  make_room(link);
  if (link.has_mercury && link.options.finalized)
    pool.for_ranges(static_cast<u32>(link.code.size()), 64, [&](u32 begin, u32 end) {
      for (u32 i = begin; i < end; ++i) {
        link.code[i].restored = restore_code(link, link.code[i]);
        link.code[i].moved = link.code[i].restored.moved();
      }
    });
  if (!link.executable)
    return;
  std::vector<std::vector<Derived>> found(link.code.size());
  pool.for_ranges(static_cast<u32>(link.code.size()), 64, [&](u32 begin, u32 end) {
    for (u32 i = begin; i < end; ++i)
      derive_from(link, link.code[i], found[i]);
  });
  for (u32 i = 0; i < link.code.size(); ++i)
    take_over(link, link.code[i], found[i]);
}

// Symbols and sections have the same numbers in both forms.
void take_places(const Link &sass, Link &mercury) {
  make_room(mercury);
  mercury.constants_base = sass.constants_base;
  for (u32 id = 0; id < sass.program.entities.size(); ++id) {
    const Entity &entity = sass.program.entities[id];
    if (!entity.defined())
      continue;
    const u32 other = mercury.program.entity_of[entity.object][entity.symbol];
    if (other == kNone)
      continue;
    mercury.shared_offset[other] = sass.shared_offset[id];
    const u32 from = sass.calls.node_of[id], to = mercury.calls.node_of[other];
    if (from != kNone && to != kNone)
      mercury.dynamic_start[to] = sass.dynamic_start[from];
  }
}

} // namespace culink::check
