// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Image references (PTX .texref, .samplerref, .surfref). Each gets a 4-byte slot in constant bank
// 0, after the parameters of every kernel that reaches any of them, at one offset in all kernels.
// The loader fills the slots through relocations that this pass adds; code that loads a slot is
// resolved with its offset (Q016).
//
// What may surprise: every kernel that needs a slot gets all of them, but relocations only for the
// kinds that it uses, and for surfaces (Q070). Parameters that are images are filled only for
// kernels that have them; ptxas writes one symbol for those of one name, in the code of one kernel,
// so that a reference counts as much as the symbol's place.
#include "link/place/place_images.h"

#include <algorithm>

#include "elf/target/reloc.h"
#include "link/nvlink/section_owners.h"
#include "link/place/list_sort.h"
#include "support/bytes.h"

namespace culink {

using elf::SectionType;
using elf::SymbolType;

namespace {

// Kinds of images, one bit each.
using ImageKinds = u8;
constexpr ImageKinds kTextures = 1, kSamplers = 2, kSurfaces = 4;

// The code of a function refers to an image.
using ImageUse = std::pair<FunctionId, EntityId>;

class ImagePlacer {
public:
  ImagePlacer(const Program &program, const Reach &reach, Layout layout)
      : p_(program), reach_(reach), layout_(std::move(layout)) {}

  PlacedImages run();

private:
  void place_slots();
  [[nodiscard]] std::vector<EntityId> images_in_slot_order() const;
  [[nodiscard]] ImageKinds kind_of(EntityId image) const;
  [[nodiscard]] std::vector<EntityId> images_in(ObjectId object, const elf::Section &table) const;
  [[nodiscard]] std::vector<ImageUse> image_uses() const;
  [[nodiscard]] ImageKinds kinds_in_any_code() const;
  [[nodiscard]] std::vector<ImageKinds> kinds_of_kernels() const;
  [[nodiscard]] OutId parameter_bank(FunctionId kernel) const {
    return nvlink::section_of_kernel(
        p_, layout_.sections,
        layout_.sections.find(".nv.constant0." + std::string(p_.entity_of(kernel).name)),
        layout_.placement.address_of[p_.calls.functions[kernel.value].value].section);
  }
  [[nodiscard]] u32 slot_type(EntityId image) const;
  [[nodiscard]] bool may_use(FunctionId kernel, EntityId image) const {
    return !p_.symbols[image].opaque || owns(kernel, image) ||
           (!p_.policy.joins_opaque_by_name &&
            std::ranges::binary_search(uses_, ImageUse(kernel, image)));
  }
  [[nodiscard]] bool owns(FunctionId kernel, EntityId opaque) const {
    return layout_.placement.address_of[opaque.value].section == text_of(kernel) &&
           !(p_.policy.joins_opaque_by_name && has_namesake(opaque));
  }
  [[nodiscard]] bool has_namesake(EntityId opaque) const {
    return std::ranges::any_of(p_.symbols.entities, [&](const Entity &other) {
      return !other.local && other.name == p_.symbols[opaque].name;
    });
  }
  [[nodiscard]] OutId text_of(FunctionId kernel) const {
    return layout_.placement.address_of[p_.calls.functions[kernel.value].value].section;
  }
  [[nodiscard]] bool mercury() const { return p_.arch.code_kind == arch::CodeKind::Capmerc; }
  [[nodiscard]] u64 parameter_size(FunctionId kernel) const;
  OutId extend_parameter_bank(FunctionId kernel, u64 size);
  OutId add_image_headers(FunctionId kernel, u64 size);

  const Program &p_;
  const Reach &reach_;
  Layout layout_;
  ImagePlan plan_;
  std::vector<ImageUse> uses_; // sorted
};

PlacedImages ImagePlacer::run() {
  place_slots();
  return {std::move(layout_), std::move(plan_)};
}

// Images of one kind in the order of reading, be they the module's or parameters of kernels.
std::vector<EntityId> ImagePlacer::images_in_slot_order() const {
  if (!layout_.sections.has_images)
    return {};
  std::vector<EntityId> all = layout_.sections.globals, images;
  std::erase_if(all, [this](EntityId id) { return !is_image(p_.symbols[id].type()); });
  for (const LocalSymbol &local : layout_.sections.locals)
    if (local.kind == LocalSymbol::Kind::Entity && p_.symbols[EntityId(local.id)].opaque)
      all.push_back(EntityId(local.id));
  std::ranges::stable_sort(all, {}, [this](EntityId id) {
    const SymbolRef first = p_.symbols[id].first;
    return std::pair(first.object.value, first.symbol);
  });
  for (const SymbolType type :
       {SymbolType::CudaSurface, SymbolType::CudaSampler, SymbolType::CudaTexture})
    std::ranges::copy_if(all, std::back_inserter(images),
                         [&](EntityId id) { return p_.symbols[id].type() == type; });
  std::reverse(images.begin(), images.end());
  return list_sort(images, [](EntityId, EntityId) { return true; });
}

u32 ImagePlacer::slot_type(EntityId image) const {
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

ImageKinds ImagePlacer::kind_of(EntityId image) const {
  switch (p_.symbols[image].type()) {
  case SymbolType::CudaTexture:
    return kTextures;
  case SymbolType::CudaSampler:
    return kSamplers;
  default:
    return kSurfaces;
  }
}

// The images that a relocation table refers to by slot.
std::vector<EntityId> ImagePlacer::images_in(ObjectId object, const elf::Section &table) const {
  std::vector<EntityId> images;
  for (const elf::Relocation entry : p_.objects[object.value].view.relocations(table)) {
    const EntityId id = p_.symbols.of(object, entry.symbol);
    if (!id.valid() || plan_.slot_of(id) == ImagePlan::kNoSlot)
      continue;
    const arch::RelocInfo *row = arch::find_reloc(entry.type);
    if (row && row->image == arch::ImageAction::Slot)
      images.push_back(id);
  }
  return images;
}

std::vector<ImageUse> ImagePlacer::image_uses() const {
  std::vector<ImageUse> out;
  for (const RelocationSlice &slice : layout_.relocs.slices) {
    const OutId target = layout_.relocs.groups[slice.group].target;
    const EntityId function = layout_.sections.function(target);
    if (!function.valid() || p_.symbols[function].prevailing.object != slice.object)
      continue;
    for (const EntityId image :
         images_in(slice.object, p_.objects[slice.object.value].section(slice.section)))
      out.emplace_back(p_.function_of(function), image);
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// Kinds that any code refers to, also that of discarded functions.
ImageKinds ImagePlacer::kinds_in_any_code() const {
  ImageKinds kinds = 0;
  for (u32 i = 0; i < p_.objects.size(); ++i) {
    const InputObject &object = p_.objects[i];
    for (const elf::Section &table : object.view.sections())
      if (elf::is_relocation_table(table.type) &&
          object.kinds[table.info].role == elf::SectionRole::Text &&
          !layout_.placement.location_of[i][table.info].discarded)
        for (const EntityId image : images_in(ObjectId(i), table))
          kinds |= kind_of(image);
  }
  return kinds;
}

// By FunctionId. The only kernel of a program gets slots as soon as any code refers to an image.
std::vector<ImageKinds> ImagePlacer::kinds_of_kernels() const {
  std::vector<ImageKinds> kinds(p_.calls.functions.size(), 0);
  if (p_.live.only.valid()) {
    kinds[p_.live.only.value] = kinds_in_any_code();
  } else {
    for (const ImageKinds kind : {kTextures, kSamplers, kSurfaces}) {
      std::vector<FunctionId> of_kind;
      for (const auto &[function, image] : uses_)
        if (kind_of(image) == kind)
          of_kind.push_back(function);
      for (const FunctionId kernel : reach_.kernels_reaching(of_kind))
        kinds[kernel.value] |= kind;
    }
  }
  if (mercury() && p_.live.only.valid())
    return kinds;
  // A kernel that is not selected needs what its own code refers to.
  for (const auto &[f, image] : uses_)
    if (p_.live.demoted[f.value] && !p_.live.kernel[f.value])
      kinds[f.value] |= kind_of(image);
  return kinds;
}

u64 ImagePlacer::parameter_size(FunctionId kernel) const {
  const SymbolRef prevailing = p_.entity_of(kernel).prevailing;
  if (mercury() && prevailing.valid()) {
    const InputObject &object = p_.objects[prevailing.object.value];
    return object.parameter_sizes[object.symbols[prevailing.symbol].section];
  }
  const OutId bank = parameter_bank(kernel);
  return bank.valid() ? layout_.sections[bank].size : 0;
}

// The .rel table that was only a name becomes a real one (Q003).
OutId ImagePlacer::extend_parameter_bank(FunctionId kernel, u64 size) {
  const OutId bank = parameter_bank(kernel);
  const OutId table =
      bank.valid()
          ? layout_.sections.find_for(".rel" + std::string(layout_.sections.name(bank)), bank)
          : OutId{};
  if (!table.valid())
    return {};
  OutSection &section = layout_.sections[table];
  if (section.presence != Presence::NameOnly) // another kernel has the same bank
    return {};
  layout_.sections[bank].size = size;
  section.presence = Presence::IfUsed;
  section.type = SectionType::Rel;
  section.link = elf::SectionTable::kSymtab;
  section.info = bank;
  return table;
}

// Mercury code has no bank 0, but a list of the images that will be there.
OutId ImagePlacer::add_image_headers(FunctionId kernel, u64 size) {
  if (parameter_bank(kernel).valid()) // another kernel has it
    return {};
  const Entity &entity = p_.entity_of(kernel);
  const OutId text = layout_.placement.address_of[p_.calls.functions[kernel.value].value].section;
  const OutId bank = layout_.sections.add(layout_.sections.keep_name(".nv.constant0.", entity.name),
                                          {.type = SectionType::MercuryConstantImgHdr,
                                           .flags = elf::kFlagAlloc | elf::kFlagInfoLink,
                                           .align = 4,
                                           .size = size,
                                           .info = text,
                                           .presence = Presence::Always,
                                           .has_symbol = true});
  const OutId table =
      layout_.sections.add(layout_.sections.keep_name(".rela.nv.constant0.", entity.name),
                           elf::relocation_table(bank, true));
  layout_.sections.add_section_symbol(table);
  layout_.sections.add_section_symbol(bank);
  return table;
}

void ImagePlacer::place_slots() {
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
  plan_.slots.assign(p_.symbols.entities.size(), ImagePlan::kNoSlot);
  for (size_t i = 0; i < images.size(); ++i)
    plan_.slots[images[i].value] = base + 4 * i;

  uses_ = image_uses();
  const std::vector<ImageKinds> kinds = kinds_of_kernels();
  for (u32 k = 0; k < kinds.size(); ++k) {
    if (kinds[k] == 0)
      continue;
    const OutId table = mercury() ? add_image_headers(FunctionId(k), 4 * images.size())
                                  : extend_parameter_bank(FunctionId(k), base + 4 * images.size());
    if (!table.valid())
      continue;
    // Slots of a kind that the kernel does not use have no relocation, unless they are surfaces or
    // the kernel uses a surface (Q070).
    const ImageKinds listed = (kinds[k] & kSurfaces) != 0 ? 0xff : kinds[k] | kSurfaces;
    SlotTable slots{table, {}};
    for (size_t i = images.size(); i-- > 0;)
      if ((kind_of(images[i]) & listed) != 0 && may_use(FunctionId(k), images[i]))
        slots.entries.push_back(
            {plan_.slot_of(images[i]) - (mercury() ? base : 0), slot_type(images[i]), images[i]});
    if (!slots.entries.empty()) // parameters of another kernel may be all there is
      plan_.tables.push_back(std::move(slots));
  }
}

} // namespace

PlacedImages place_images(const Program &program, const Reach &reach, Layout layout) {
  return ImagePlacer(program, reach, std::move(layout)).run();
}

} // namespace culink
