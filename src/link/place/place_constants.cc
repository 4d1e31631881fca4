// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant memory that is per kernel.
//
// Bank 2 holds what the compiler wants to load: jump tables, literals. A device function's block is
// addressed at one offset from every kernel, so it goes to the same offset in the bank of each
// kernel that reaches the function: behind the longest of those banks. Blocks are not shared, even
// if equal; the newest is placed first (Q015).
//
// Image references (PTX .texref, .samplerref, .surfref) get one 4-byte slot each behind the
// parameters of every kernel that reaches any of them, at the same offset everywhere; the loader
// fills the slots through relocations that we add (Q016). That comes before shared memory is
// placed: new sections of both kinds come in this order.
#include "link/place/place_constants.h"

#include <algorithm>

#include "arch/reloc.h"
#include "base/bytes.h"
#include "link/place/list_sort.h"

namespace culink {

using elf::SectionType;
using elf::SymbolType;

namespace {

OutSection relocations_for(OutId bank, std::string_view name) {
  return {.name = name,
          .type = SectionType::Rela,
          .flags = elf::kFlagInfoLink,
          .align = 8,
          .entsize = 24,
          .target = bank,
          .links_symtab = true};
}

// Relocation types of the slots.
constexpr u32 kTextureHeaderIndex = 6;
constexpr u32 kSamplerHeaderIndex = 7;
constexpr u32 kSurfaceHeaderIndex = 52;
constexpr u32 kMercuryTextureIndex = 0x1000b;
constexpr u32 kMercurySamplerIndex = 0x1000c;
constexpr u32 kMercurySurfaceIndex = 0x1000d;

// Kinds of images, one bit each.
using ImageKinds = u8;
constexpr ImageKinds kTextures = 1, kSamplers = 2, kSurfaces = 4;

class ConstantPlacer {
public:
  ConstantPlacer(const Program &program, const Reach &reach, Merged &merged)
      : p_(program), reach_(reach), m_(merged) {}

  ConstantPlan run_images();
  void run_blocks();

private:
  void place_block(u32 number);
  void add_tails(u32 block, const std::vector<OutId> &banks);
  void place_slots();
  [[nodiscard]] std::vector<EntityId> images_in_slot_order() const;
  [[nodiscard]] ImageKinds kind_of(EntityId image) const;
  [[nodiscard]] ImageKinds kinds_in(ObjectId object, const elf::Section &table) const;
  [[nodiscard]] std::vector<std::pair<FunctionId, ImageKinds>> image_users() const;
  [[nodiscard]] ImageKinds kinds_in_any_code() const;
  [[nodiscard]] std::vector<ImageKinds> kinds_of_kernels() const;
  [[nodiscard]] OutId bank0(FunctionId kernel) const {
    return m_.find(".nv.constant0." + std::string(p_.entity_of(kernel).name));
  }
  [[nodiscard]] u32 slot_type(EntityId image) const;
  [[nodiscard]] bool mercury() const { return p_.arch.code_kind == arch::CodeKind::Capmerc; }
  [[nodiscard]] u64 parameter_size(FunctionId kernel) const;
  OutId extend_bank0(FunctionId kernel, u64 size);
  OutId add_image_headers(FunctionId kernel, u64 size);

  const Program &p_;
  const Reach &reach_;
  Merged &m_;
  std::vector<OutId> table_of_; // by section: its relocations
  ConstantPlan plan_;
};

ConstantPlan ConstantPlacer::run_images() {
  plan_.slot.assign(p_.symbols.entities.size(), ConstantPlan::kNoSlot);
  place_slots();
  return std::move(plan_);
}

void ConstantPlacer::run_blocks() {
  if (m_.bank2_blocks.empty())
    return;
  table_of_.resize(m_.sections.size());
  for (const RelocationGroup &group : m_.relocations)
    if (OutId &table = table_of_[group.target.value]; !table.valid())
      table = group.table;
  for (size_t i = m_.bank2_blocks.size(); i-- > 0;)
    place_block(static_cast<u32>(i));
}

void ConstantPlacer::place_block(u32 number) {
  Bank2Block &block = m_.bank2_blocks[number];
  const FunctionId one[] = {block.function};
  std::vector<FunctionId> kernels = reach_.kernels_reaching(one);
  std::reverse(kernels.begin(), kernels.end());
  std::vector<OutId> banks;
  u64 longest = 0, align = block.align; // the strictest of all these banks counts in each of them
  for (const FunctionId k : kernels) {
    const Entity &kernel = p_.entity_of(k);
    const std::string name = ".nv.constant2." + std::string(kernel.name);
    OutId id = m_.find(name);
    // A copy without constants may have replaced the one that had them. The place is still taken.
    if (!id.valid() && block.size == 0)
      continue;
    if (!id.valid()) {
      id = m_.add({.name = m_.keep_name(name, ""),
                   .type = block.type,
                   .flags = block.flags,
                   .target = m_.place_of[p_.calls.functions[k.value].value].section,
                   .has_symbol = true});
      m_.add_section_symbol(id);
    }
    align = std::max(align, m_[id].align);
    longest = std::max(longest, m_[id].size);
    banks.push_back(id);
  }
  block.offset = align_up(longest, align);
  for (const OutId id : banks) {
    m_[id].align = align;
    for (u32 i = 0; i < block.pieces.size(); ++i)
      m_[id].pieces.push_back({block.offset + block.pieces[i].offset, block.pieces[i].bytes});
    m_[id].size = align_up(block.offset + block.size, align);
  }
  add_tails(number, banks);
  // Constants of a copy that lost belong to no symbol: where they went shows in the null symbol
  // (Q019, Q040).
  if (block.lost_piece != Bank2Block::kNone && !banks.empty())
    m_.null_symbol_value = block.offset + block.lost_piece;
}

void ConstantPlacer::add_tails(u32 block, const std::vector<OutId> &banks) {
  if (m_.bank2_blocks[block].relocations.empty())
    return;
  for (const OutId bank : banks) {
    if (bank.value >= table_of_.size()) // the bank is new
      table_of_.resize(m_.sections.size());
    OutId &table = table_of_[bank.value];
    if (!table.valid()) {
      table = m_.add(relocations_for(bank, m_.keep_name(".rela", m_[bank].name)));
      m_.add_section_symbol(table);
      m_.relocations.push_back({table, bank, true});
      if (p_.options.preserve_relocs) // the list is only a name
        m_.add_section_symbol(m_.add({.name = m_.keep_name(".nv.resolvedrela", m_[bank].name),
                                      .type = SectionType::Null,
                                      .name_only = true}));
    }
    m_.bank2_tails.push_back({table, bank, block});
  }
}

std::vector<EntityId> ConstantPlacer::images_in_slot_order() const {
  std::vector<EntityId> images;
  for (const SymbolType type :
       {SymbolType::CudaSurface, SymbolType::CudaSampler, SymbolType::CudaTexture})
    for (const EntityId id : m_.globals)
      if (p_.symbols[id].type() == type)
        images.push_back(id);
  std::reverse(images.begin(), images.end());
  return list_sort(images, [](EntityId, EntityId) { return true; });
}

u32 ConstantPlacer::slot_type(EntityId image) const {
  switch (p_.symbols[image].type()) {
  case SymbolType::CudaTexture:
    return mercury() ? kMercuryTextureIndex : kTextureHeaderIndex;
  case SymbolType::CudaSampler:
    return mercury() ? kMercurySamplerIndex : kSamplerHeaderIndex;
  default:
    return mercury() ? kMercurySurfaceIndex : kSurfaceHeaderIndex;
  }
}

ImageKinds ConstantPlacer::kind_of(EntityId image) const {
  switch (p_.symbols[image].type()) {
  case SymbolType::CudaTexture:
    return kTextures;
  case SymbolType::CudaSampler:
    return kSamplers;
  default:
    return kSurfaces;
  }
}

// What a table of relocations asks slots for.
ImageKinds ConstantPlacer::kinds_in(ObjectId object, const elf::Section &table) const {
  ImageKinds kinds = 0;
  const elf::RelocationTable entries = p_.objects[object.value].view.relocations(table);
  for (u32 i = 0; i < entries.size(); ++i) {
    const elf::Relocation entry = entries[i];
    const EntityId id = p_.symbols.of(object, entry.symbol);
    if (!id.valid() || plan_.slot[id.value] == ConstantPlan::kNoSlot)
      continue;
    const arch::RelocInfo *row = arch::find_reloc(entry.type);
    if (row && row->image == arch::ImageAction::Slot)
      kinds |= kind_of(id);
  }
  return kinds;
}

// Functions whose code refers to an image.
std::vector<std::pair<FunctionId, ImageKinds>> ConstantPlacer::image_users() const {
  std::vector<std::pair<FunctionId, ImageKinds>> out;
  for (const RelocationGroup &group : m_.relocations) {
    const EntityId function = m_[group.target].function;
    if (!function.valid())
      continue;
    const SymbolRef winner = p_.symbols[function].winner;
    ImageKinds kinds = 0;
    for (u32 s = group.newest; s != RelocationSlice::kNoSlice; s = m_.slices[s].previous)
      if (const RelocationSlice &slice = m_.slices[s]; slice.object == winner.object)
        kinds |= kinds_in(slice.object, p_.objects[slice.object.value].section(slice.section));
    if (kinds != 0)
      out.emplace_back(p_.function_of(function), kinds);
  }
  return out;
}

// Also code that was removed.
ImageKinds ConstantPlacer::kinds_in_any_code() const {
  ImageKinds kinds = 0;
  for (u32 i = 0; i < p_.objects.size(); ++i) {
    const InputObject &object = p_.objects[i];
    for (const elf::Section &table : object.view.sections())
      if (elf::is_relocation_table(table.type) &&
          object.kinds[table.info].role == elf::SectionRole::Text && !m_.where[i][table.info].lost)
        kinds |= kinds_in(ObjectId(i), table);
  }
  return kinds;
}

// By FunctionId. The only kernel of a program gets slots as soon as any code names an image.
std::vector<ImageKinds> ConstantPlacer::kinds_of_kernels() const {
  const auto users = image_users();
  std::vector<ImageKinds> kinds(p_.calls.functions.size(), 0);
  if (p_.live.only.valid()) {
    kinds[p_.live.only.value] = kinds_in_any_code();
  } else {
    for (const ImageKinds kind : {kTextures, kSamplers, kSurfaces}) {
      std::vector<FunctionId> of_kind;
      for (const auto &[function, used] : users)
        if ((used & kind) != 0)
          of_kind.push_back(function);
      for (const FunctionId kernel : reach_.kernels_reaching(of_kind))
        kinds[kernel.value] |= kind;
    }
  }
  if (mercury() && p_.live.only.valid())
    return kinds;
  for (const auto &[f, used] : users) // a kernel that was not selected needs what it names itself
    if (p_.live.demoted[f.value] && !p_.live.kernel[f.value])
      kinds[f.value] |= used;
  return kinds;
}

u64 ConstantPlacer::parameter_size(FunctionId kernel) const {
  const SymbolRef winner = p_.entity_of(kernel).winner;
  if (mercury() && winner.valid()) {
    const InputObject &object = p_.objects[winner.object.value];
    return object.parameter_sizes[object.symbols[winner.symbol].section];
  }
  const OutId bank = bank0(kernel);
  return bank.valid() ? m_[bank].size : 0;
}

// The companion that was only a name becomes a real table.
OutId ConstantPlacer::extend_bank0(FunctionId kernel, u64 size) {
  const OutId bank = bank0(kernel);
  const OutId table = bank.valid() ? m_.find(".rel" + std::string(m_[bank].name)) : OutId{};
  if (!table.valid())
    return {};
  m_[bank].size = size;
  OutSection &section = m_[table];
  section.name_only = false;
  section.type = SectionType::Rel;
  section.links_symtab = true;
  section.target = bank;
  return table;
}

// Mercury code has no bank 0, but a list of the images that will be there.
OutId ConstantPlacer::add_image_headers(FunctionId kernel, u64 size) {
  const Entity &entity = p_.entity_of(kernel);
  const OutId text = m_.place_of[p_.calls.functions[kernel.value].value].section;
  const OutId bank = m_.add({.name = m_.keep_name(".nv.constant0.", entity.name),
                             .type = SectionType::MercuryConstantImgHdr,
                             .flags = elf::kFlagAlloc | elf::kFlagInfoLink,
                             .align = 4,
                             .size = size,
                             .target = text,
                             .keep = true,
                             .has_symbol = true});
  const OutId table =
      m_.add(relocations_for(bank, m_.keep_name(".rela.nv.constant0.", entity.name)));
  m_.add_section_symbol(table);
  m_.add_section_symbol(bank);
  return table;
}

void ConstantPlacer::place_slots() {
  const std::vector<EntityId> images = images_in_slot_order();
  if (images.empty())
    return;
  u64 base = 0;
  for (u32 f = 0; f < p_.calls.functions.size(); ++f)
    if (p_.live.kernel[f] || (p_.live.demoted[f] && p_.live.live[f]))
      base = std::max(base, parameter_size(FunctionId(f)));
  base = align_up(base, p_.arch.image_slot_align);
  plan_.slot_base = base;
  if (p_.options.relocatable)
    return;
  for (size_t i = 0; i < images.size(); ++i)
    plan_.slot[images[i].value] = base + 4 * i;

  const std::vector<ImageKinds> kinds = kinds_of_kernels();
  for (u32 k = 0; k < kinds.size(); ++k) {
    if (kinds[k] == 0)
      continue;
    const OutId table = mercury() ? add_image_headers(FunctionId(k), 4 * images.size())
                                  : extend_bank0(FunctionId(k), base + 4 * images.size());
    if (!table.valid())
      continue;
    // Slots of a kind that the kernel does not use have no relocation, unless they are surfaces or
    // the kernel uses a surface (Q070).
    const ImageKinds listed = (kinds[k] & kSurfaces) != 0 ? 0xff : kinds[k] | kSurfaces;
    SlotTable slots{table, {}};
    for (size_t i = images.size(); i-- > 0;)
      if ((kind_of(images[i]) & listed) != 0)
        slots.entries.push_back({plan_.slot[images[i].value] - (mercury() ? base : 0),
                                 slot_type(images[i]), images[i]});
    plan_.tables.push_back(std::move(slots));
  }
}

} // namespace

ConstantPlan place_images(const Program &program, const Reach &reach, Merged &merged) {
  return ConstantPlacer(program, reach, merged).run_images();
}

void place_constants(const Program &program, const Reach &reach, Merged &merged) {
  ConstantPlacer(program, reach, merged).run_blocks();
}

} // namespace culink
