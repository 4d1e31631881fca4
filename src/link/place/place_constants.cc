// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant memory that belongs to single kernels.
//
// Bank 2 holds what the compiler wants to load: jump tables, literals. A device function's block is
// addressed at one offset from every kernel, so it goes to the same offset in the bank of each
// kernel that reaches the function: after the longest of those banks. Blocks are not shared, even
// if equal; the newest is placed first (Q015).
//
// Image references (PTX .texref, .samplerref, .surfref) get one 4-byte slot each after the
// parameters of every kernel that reaches any of them, at the same offset everywhere; the loader
// fills the slots through relocations that we add (Q016). That comes before shared memory is
// placed: new sections of both kinds come in this order.
#include "link/place/place_constants.h"

#include <algorithm>

#include "arch/reloc_roles.h"
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

// Kinds of images, one bit each.
using ImageKinds = u8;
constexpr ImageKinds kTextures = 1, kSamplers = 2, kSurfaces = 4;

class ConstantPlacer {
public:
  ConstantPlacer(const Program &program, const Reach &reach, Layout layout)
      : p_(program), reach_(reach), layout_(std::move(layout)) {}

  PlacedImages run_images();
  Layout run_blocks();

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
    return layout_.sections.find(".nv.constant0." + std::string(p_.entity_of(kernel).name));
  }
  [[nodiscard]] u32 slot_type(EntityId image) const;
  [[nodiscard]] bool mercury() const { return p_.arch.code_kind == arch::CodeKind::Capmerc; }
  [[nodiscard]] u64 parameter_size(FunctionId kernel) const;
  OutId extend_bank0(FunctionId kernel, u64 size);
  OutId add_image_headers(FunctionId kernel, u64 size);

  const Program &p_;
  const Reach &reach_;
  Layout layout_;
  std::vector<OutId> table_of_; // by section: its relocations
  ImagePlan plan_;
};

PlacedImages ConstantPlacer::run_images() {
  plan_.slot.assign(p_.symbols.entities.size(), ImagePlan::kNoSlot);
  place_slots();
  return {std::move(layout_), std::move(plan_)};
}

Layout ConstantPlacer::run_blocks() {
  if (layout_.placement.function_constants.empty())
    return std::move(layout_);
  table_of_.resize(layout_.sections.list.size());
  for (const RelocationGroup &group : layout_.relocs.groups)
    if (OutId &table = table_of_[group.target.value]; !table.valid())
      table = group.table;
  for (size_t i = layout_.placement.function_constants.size(); i-- > 0;)
    place_block(static_cast<u32>(i));
  return std::move(layout_);
}

void ConstantPlacer::place_block(u32 number) {
  FunctionConstants &block = layout_.placement.function_constants[number];
  const FunctionId one[] = {block.function};
  std::vector<FunctionId> kernels = reach_.kernels_reaching(one);
  std::reverse(kernels.begin(), kernels.end());
  std::vector<OutId> banks;
  u64 longest = 0, align = block.align; // the strictest of all these banks counts in each of them
  for (const FunctionId k : kernels) {
    const Entity &kernel = p_.entity_of(k);
    const std::string name = ".nv.constant2." + std::string(kernel.name);
    OutId id = layout_.sections.find(name);
    // An overriding definition without constants still takes its position in banks that exist.
    if (!id.valid() && block.size == 0)
      continue;
    if (!id.valid()) {
      id = layout_.sections.add(
          {.name = layout_.sections.keep_name(name, ""),
           .type = block.type,
           .flags = block.flags,
           .target = layout_.placement.address_of[p_.calls.functions[k.value].value].section,
           .has_symbol = true});
      layout_.sections.add_section_symbol(id);
    }
    align = std::max(align, layout_.sections[id].align);
    longest = std::max(longest, layout_.sections[id].size);
    banks.push_back(id);
  }
  block.offset = align_up(longest, align);
  for (const OutId id : banks) {
    layout_.sections[id].align = align;
    for (u32 i = 0; i < block.pieces.size(); ++i)
      layout_.sections[id].pieces.push_back(
          {block.offset + block.pieces[i].offset, block.pieces[i].bytes});
    layout_.sections[id].size = align_up(block.offset + block.size, align);
  }
  add_tails(number, banks);
  // Constants of a discarded definition have no symbol; nvlink writes their offset to the null
  // symbol (Q019, Q040).
  if (block.discarded_piece != FunctionConstants::kNone && !banks.empty())
    layout_.placement.null_symbol_value = block.offset + block.discarded_piece;
}

void ConstantPlacer::add_tails(u32 block, const std::vector<OutId> &banks) {
  if (layout_.placement.function_constants[block].relocations.empty())
    return;
  for (const OutId bank : banks) {
    if (bank.value >= table_of_.size()) // the bank is new
      table_of_.resize(layout_.sections.list.size());
    OutId &table = table_of_[bank.value];
    if (!table.valid()) {
      table = layout_.sections.add(
          relocations_for(bank, layout_.sections.keep_name(".rela", layout_.sections[bank].name)));
      layout_.sections.add_section_symbol(table);
      layout_.relocs.groups.push_back({table, bank, true});
      if (p_.policy.lists_resolved) // the list is only a name
        layout_.sections.add_section_symbol(layout_.sections.add(
            {.name = layout_.sections.keep_name(".nv.resolvedrela", layout_.sections[bank].name),
             .type = SectionType::Null,
             .emit = Emit::NameOnly}));
    }
    layout_.relocs.copied.push_back({table, bank, block});
  }
}

std::vector<EntityId> ConstantPlacer::images_in_slot_order() const {
  std::vector<EntityId> images;
  for (const SymbolType type :
       {SymbolType::CudaSurface, SymbolType::CudaSampler, SymbolType::CudaTexture})
    for (const EntityId id : layout_.sections.globals)
      if (p_.symbols[id].type() == type)
        images.push_back(id);
  std::reverse(images.begin(), images.end());
  return list_sort(images, [](EntityId, EntityId) { return true; });
}

u32 ConstantPlacer::slot_type(EntityId image) const {
  const arch::Plane plane = mercury() ? arch::Plane::Mercury : arch::Plane::Sass;
  switch (p_.symbols[image].type()) {
  case SymbolType::CudaTexture:
    return arch::image_slot_reloc(arch::ImageKind::Texture, plane).number;
  case SymbolType::CudaSampler:
    return arch::image_slot_reloc(arch::ImageKind::Sampler, plane).number;
  default:
    return arch::image_slot_reloc(arch::ImageKind::Surface, plane).number;
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
    if (!id.valid() || plan_.slot[id.value] == ImagePlan::kNoSlot)
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
  for (const RelocationGroup &group : layout_.relocs.groups) {
    const EntityId function = layout_.sections[group.target].function;
    if (!function.valid())
      continue;
    const SymbolRef prevailing = p_.symbols[function].prevailing;
    ImageKinds kinds = 0;
    for (u32 s = group.newest; s != RelocationSlice::kNoSlice;
         s = layout_.relocs.slices[s].previous)
      if (const RelocationSlice &slice = layout_.relocs.slices[s];
          slice.object == prevailing.object)
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
          object.kinds[table.info].role == elf::SectionRole::Text &&
          !layout_.placement.location_of[i][table.info].discarded)
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
  const SymbolRef prevailing = p_.entity_of(kernel).prevailing;
  if (mercury() && prevailing.valid()) {
    const InputObject &object = p_.objects[prevailing.object.value];
    return object.parameter_sizes[object.symbols[prevailing.symbol].section];
  }
  const OutId bank = bank0(kernel);
  return bank.valid() ? layout_.sections[bank].size : 0;
}

// The companion that was only a name becomes a real table.
OutId ConstantPlacer::extend_bank0(FunctionId kernel, u64 size) {
  const OutId bank = bank0(kernel);
  const OutId table = bank.valid()
                          ? layout_.sections.find(".rel" + std::string(layout_.sections[bank].name))
                          : OutId{};
  if (!table.valid())
    return {};
  layout_.sections[bank].size = size;
  OutSection &section = layout_.sections[table];
  section.emit = Emit::IfUsed;
  section.type = SectionType::Rel;
  section.links_symtab = true;
  section.target = bank;
  return table;
}

// Mercury code has no bank 0, but a list of the images that will be there.
OutId ConstantPlacer::add_image_headers(FunctionId kernel, u64 size) {
  const Entity &entity = p_.entity_of(kernel);
  const OutId text = layout_.placement.address_of[p_.calls.functions[kernel.value].value].section;
  const OutId bank =
      layout_.sections.add({.name = layout_.sections.keep_name(".nv.constant0.", entity.name),
                            .type = SectionType::MercuryConstantImgHdr,
                            .flags = elf::kFlagAlloc | elf::kFlagInfoLink,
                            .align = 4,
                            .size = size,
                            .target = text,
                            .emit = Emit::Always,
                            .has_symbol = true});
  const OutId table = layout_.sections.add(
      relocations_for(bank, layout_.sections.keep_name(".rela.nv.constant0.", entity.name)));
  layout_.sections.add_section_symbol(table);
  layout_.sections.add_section_symbol(bank);
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
  if (!p_.policy.places_memory)
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

PlacedImages place_images(const Program &program, const Reach &reach, Layout layout) {
  return ConstantPlacer(program, reach, std::move(layout)).run_images();
}

Layout place_constants(const Program &program, const Reach &reach, Layout layout) {
  return ConstantPlacer(program, reach, std::move(layout)).run_blocks();
}

} // namespace culink
