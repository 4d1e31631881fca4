// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The meaning of relocations. The loader places functions and global memory, so relocations against
// them are kept; a linker places constants, shared memory and joined sections, so the code contains
// their values. An object (-r) keeps all relocations for the next link. Numbers and fields are rows
// of src/elf/target. The rules are in elf/target/reloc.h and docs/compat.md; they are implemented a
// second time here on purpose.
#include "verify/link/link.h"

#include <array>

#include "elf/target/instructions.h"
#include "elf/target/reloc.h"
#include "support/bytes.h"

namespace culink::check {

using arch::ImageAction;
using arch::Resolver;
using elf::SectionRole;
using elf::SymbolType;

namespace {

constexpr std::array<std::string_view, 8> kUnifiedTables = {
    "__UDT", "__UDT_CANONICAL", "__UDT_END", "__UDT_OFFSET",
    "__UFT", "__UFT_CANONICAL", "__UFT_END", "__UFT_OFFSET"};

bool is_unified_name(std::string_view name) {
  return name.starts_with("__U") &&
         std::find(kUnifiedTables.begin(), kUnifiedTables.end(), name) != kUnifiedTables.end();
}

Target section_target(const Link &link, u32 object, u32 section) {
  const Object &file = link.program.objects[object];
  const Place &place = link.place_of[object][section];
  const SectionRole role = file.kinds[section].role;
  Target out{.kind = TargetKind::Known,
             .bank = bank_of(file, section),
             .symbol = link.section_symbol[place.section]};
  if (!link.executable || role == SectionRole::Global || role == SectionRole::GlobalInit)
    out.kind = TargetKind::Memory;
  out.shift = place.base;
  out.unknown = place.scattered || role == SectionRole::Shared || role == SectionRole::DebugShared;
  if (place.section == 0 && out.kind == TargetKind::Memory)
    out.kind = TargetKind::GoneData;
  return out;
}

Target shared_target(const Link &link, u32 id, u32 node) {
  const Entity &entity = link.program.entities[id];
  if (!link.executable)
    return {.kind = TargetKind::Memory, .symbol = entity.out};
  const bool dynamic = !entity.defined() || entity.size == 0;
  Target out{.kind = TargetKind::Known,
             .bank = bank_of(dynamic ? elf::SectionType::Null : elf::SectionType::CudaShared)};
  out.value = !dynamic        ? link.shared_offset[id]
              : node == kNone ? kUnknown
                              : link.dynamic_start[node];
  out.unknown = out.value == kUnknown;
  return out;
}

Target constant_target(const Link &link, const Entity &entity, const elf::Symbol &definition) {
  const Object &file = link.program.objects[entity.object];
  Target out{
      .kind = TargetKind::Known, .bank = bank_of(file, definition.section), .symbol = entity.out};
  if (file.code_of[definition.section] == 0) {
    const Place &place = link.place_of[entity.object][definition.section];
    const bool nameless = (entity.other & 1) != 0 && place.section != 0 && !place.scattered;
    if (entity.out == 0 && !nameless)
      return {.kind = TargetKind::GoneData};
    out.value =
        entity.out == 0 ? place.base + definition.value : link.out.symbols[entity.out].value;
    return out;
  }
  out.value = definition.value;
  if (file.kinds[definition.section].bank != link.arch.banks.compiler)
    return out;
  const std::vector<u64> &bases = link.constants_base[entity.object];
  const u64 base = bases.empty() ? kUnknown : bases[definition.section];
  out.unknown = base == kUnknown;
  out.value += base;
  return out;
}

Target undefined_target(const Link &link, const Entity &entity) {
  Target out{.kind = TargetKind::Memory, .symbol = entity.out};
  if (!link.executable)
    return out;
  constexpr u64 kNoAddress = ~u64{0};
  if (entity.local) { // .nv.ptx.const0.size
    const u32 bank = link.out_section(".nv.constant" + std::to_string(link.arch.banks.user));
    return {.kind = TargetKind::Known, .value = bank ? link.out.section(bank).size : kNoAddress};
  }
  if (in_constant_memory(entity.other))
    return {
        .kind = TargetKind::Known, .bank = bank_of(elf::SectionType::Null), .value = kNoAddress};
  if (entity.type() == SymbolType::Object)
    out.kind = TargetKind::UndefinedObject;
  return out;
}

Target data_target(const Link &link, const Entity &entity) {
  if (!entity.defined() && entity.common_align == 0)
    return undefined_target(link, entity);
  const Target memory{.kind = entity.out == 0 ? TargetKind::GoneData : TargetKind::Memory,
                      .symbol = entity.out};
  if (!link.executable || !entity.defined())
    return memory;
  const elf::SectionKind &kind = link.program.kind_of(entity);
  if (kind.is_constant())
    return constant_target(link, entity, link.program.definition(entity));
  // Memory that the system reserves; in Mercury code the loader places it.
  if (kind.role == SectionRole::ReservedShared && entity.out != 0 && !link.mercury)
    return {.kind = TargetKind::Known,
            .bank = bank_of(elf::SectionType::CudaReservedShared),
            .value = link.out.symbols[entity.out].value};
  return memory;
}

Treatment image_treatment(const Link &link, const arch::RelocInfo &row) {
  if (!link.executable)
    return Treatment::Kept;
  if (row.resolver == Resolver::Nobody)
    return Treatment::Dropped;
  switch (row.image) {
  case ImageAction::Keep:
    return Treatment::Kept;
  case ImageAction::Slot:
    return Treatment::Folded;
  case ImageAction::NullSymbol:
    return Treatment::KeptAsNone;
  case ImageAction::ZeroValue:
  case ImageAction::Refuse:
    break;
  }
  return Treatment::Anything;
}

} // namespace

bool is_image(SymbolType type) {
  return type == SymbolType::CudaTexture || type == SymbolType::CudaSampler ||
         type == SymbolType::CudaSurface;
}

Target target_of(const Link &link, u32 object, u32 symbol, u32 node) {
  const elf::Symbol &named = link.program.objects[object].symbols[symbol];
  if (named.type() == SymbolType::Section && named.in_section())
    return section_target(link, object, named.section);
  const u32 id = link.program.entity_of[object][symbol];
  if (id == kNone)
    return {.kind = TargetKind::Nothing, .bank = bank_of(elf::SectionType::Null)};
  const Entity &entity = link.program.entities[id];
  if (entity.function()) {
    if (entity.out == 0)
      return {.kind = TargetKind::GoneFunction, .symbol = entity.out};
    return {.kind = TargetKind::Function, .symbol = link.canonical[entity.out]};
  }
  if (is_image(entity.type()))
    return {.kind = TargetKind::Image,
            .unknown = link.executable && link.slot_of[id] == kUnknown,
            .symbol = entity.out,
            .value = link.slot_of[id]};
  if (!entity.defined() && is_unified_name(entity.name))
    return {.kind = entity.name == "__UFT_OFFSET" && !link.has_unified ? TargetKind::Ignored
                                                                       : TargetKind::UnifiedTable,
            .symbol = entity.out};
  if (in_shared_memory(entity.other))
    return shared_target(link, id, node);
  return data_target(link, entity);
}

Treatment treatment_of(const Link &link, const Target &target, u32 type,
                       const arch::RelocInfo *row) {
  using enum TargetKind;
  if (target.kind == Ignored)
    return Treatment::Dropped;
  if (!link.executable)
    return target.kind == Nothing || target.kind == GoneData ? Treatment::Dropped : Treatment::Kept;
  if (!row)
    return type == arch::kRelocNone ? Treatment::Dropped : Treatment::Anything;
  if (target.kind == Image)
    return image_treatment(link, *row);
  if (target.kind == UnifiedTable)
    return Treatment::Dropped;
  const bool gone = target.kind == GoneFunction || target.kind == GoneData;
  const bool loaded =
      target.kind == Function || target.kind == Memory || target.kind == UndefinedObject;
  switch (row->resolver) {
  case Resolver::Linker:
    if (gone || loaded)
      return gone ? Treatment::Dropped : Treatment::Kept;
    return row->value == arch::ValueKind::AddendOnly ? Treatment::Anything : Treatment::Folded;
  case Resolver::Loader:
  case Resolver::LoaderOrError:
    return gone ? Treatment::Dropped : Treatment::Kept;
  case Resolver::LoaderFunction:
    return Treatment::Kept;
  case Resolver::Nobody:
    return loaded ? Treatment::Kept : Treatment::Dropped;
  case Resolver::Clear:
    if (gone)
      return Treatment::Cleared;
    return target.kind == Memory            ? Treatment::Kept
           : target.kind == UndefinedObject ? Treatment::KeptAsNone
           : target.kind == Known           ? Treatment::Anything
                                            : Treatment::Dropped;
  }
  return Treatment::Anything;
}

// Rows for parts of an address omit bits on purpose; operands must hold the whole value.
bool fits(const arch::RelocInfo &row, u64 value) {
  if (row.image != ImageAction::Slot && row.image != ImageAction::ZeroValue)
    return true;
  u32 low = 64, high = 0;
  for (const arch::RelocPiece &piece : row.pieces)
    if (piece.width != 0 && piece.source == arch::PieceSource::Value) {
      low = std::min<u32>(low, piece.value_bit);
      high = std::max<u32>(high, piece.value_bit + piece.width);
    }
  if (high == 0 || high >= 64)
    return true;
  const bool small = value >> high == 0;
  const bool negative = static_cast<i64>(value) >> (high - 1) == -1;
  return (small || negative) && (value & ((u64{1} << low) - 1)) == 0;
}

std::optional<u64> load_of_index(ByteSpan code, u64 offset, const arch::RelocInfo &row) {
  constexpr u64 kNear = 8; // instructions
  if (row.number != arch::reloc_for(arch::RelocRole::ImageIndex).number)
    return std::nullopt;
  const u64 move = offset / arch::kInstructionSize * arch::kInstructionSize;
  for (u64 at = move + arch::kInstructionSize; at <= move + kNear * arch::kInstructionSize;
       at += arch::kInstructionSize) {
    const std::optional<ByteSpan> next = slice(code, at, arch::kInstructionSize);
    if (!next)
      break;
    const arch::InstructionInfo *instruction = arch::find_instruction(*next);
    if (instruction && instruction->loads_from_bank_0 &&
        (*next)[arch::kSourceByte] == code[move + arch::kDestinationByte])
      return at;
  }
  return std::nullopt;
}

u64 begin_of_slots(ByteSpan code, u64 load) {
  const auto field = arch::read_field(code, load, arch::reloc_for(arch::RelocRole::ImageBase));
  return field ? field->value : 0;
}

bool is_filled_by_engine(const Link &link, Treatment treatment, bool rela) {
  return !link.executable && link.options.finalized && rela && treatment == Treatment::Kept;
}

} // namespace culink::check
