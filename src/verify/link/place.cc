// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The places of joined sections in the output, and offsets that no symbol shows.
#include <algorithm>
#include <tuple>

#include "support/bytes.h"
#include "verify/link/link.h"

namespace culink::check {

// The places of joined sections: global memory, __constant__ data, debug information and sections
// of unknown kind. Each input's section is a block. The symbols of a block determine its place; a
// block without symbols follows the previous one. Blocks must not overlap, must be aligned as in
// their file and must end inside the section; the same then holds for all variables in them.
//
// What may surprise: a bank of constants may have been packed variable by variable. The symbols of
// a block then disagree, and each variable is a block of its own.

using elf::SectionRole;

namespace {

// An occupied range of an output section.
struct Extent {
  u32 section = 0;
  u64 begin = 0, size = 0, align = 1;
  std::string_view name;
  bool packed = false; // of a bank; the driver guarantees its alignment
};

class BlockPlacer {
public:
  BlockPlacer(Link &link, Report &report) : l_(link), report_(report) {}

  void run() {
    for (const Object &object : l_.program.objects)
      known_.emplace_back(object.view.sections().size(), false);
    find_packed();
    ask_symbols();
    follow_order();
    list_extents();
    check_extents();
    check_ends();
    place_banks();
  }

private:
  void ask_symbols() {
    for (const Entity &entity : l_.program.entities) {
      if (entity.function() || !entity.defined() || entity.out == 0)
        continue;
      const elf::Symbol &in = l_.program.definition(entity);
      const elf::Symbol &out = l_.out.symbols[entity.out];
      const Object &object = l_.program.objects[entity.object];
      Place &place = l_.place_of[entity.object][in.section];
      if (!out.in_section() || place.scattered || !is_block(object, object.section(in.section)))
        continue;
      const u64 base = out.value - in.value; // wraps if the symbol is wrong
      if (!known_[entity.object][in.section])
        place = {out.section, base, false};
      else if (place.section != out.section || place.base != base)
        report_.add(FindingKind::Symbol, entity.name, l_.out.section(out.section).name, out.value,
                    hex(place.base + in.value) + ", where the rest of its section is",
                    hex(out.value));
      known_[entity.object][in.section] = true;
    }
  }

  void follow_order() {
    std::vector<u64> &end = end_;
    end.assign(l_.out.view.sections().size(), 0);
    for (u32 i = 0; i < l_.program.objects.size(); ++i)
      for (const elf::Section &section : l_.program.objects[i].view.sections()) {
        if (!is_block(l_.program.objects[i], section))
          continue;
        Place &place = l_.place_of[i][section.index];
        if (!known_[i][section.index] && !is_gone(i, section.index)) {
          const bool debug = l_.program.objects[i].kinds[section.index].is_debug();
          place.section = l_.out_section(section.name);
          place.base = debug ? end[place.section] : align_up(end[place.section], section.align);
          place.scattered = false;
        }
        if (place.section != 0 && !place.scattered)
          end[place.section] = place.base + section.size;
        l_.claimed[place.section] = true;
      }
  }

  // Finds banks that would be too large otherwise: they are packed, variable by variable.
  void find_packed() {
    if (!l_.executable)
      return;
    std::vector<u64> end(l_.out.view.sections().size() + 1, 0);
    const auto each_block = [this](const auto &visit) {
      for (u32 i = 0; i < l_.program.objects.size(); ++i)
        for (const elf::Section &section : l_.program.objects[i].view.sections())
          if (l_.program.objects[i].kinds[section.index].is_constant() &&
              is_block(l_.program.objects[i], section))
            visit(i, section, l_.out_section(section.name));
    };
    each_block([&](u32, const elf::Section &section, u32 out) {
      end[out] = align_up(end[out], section.align) + section.size;
    });
    each_block([&](u32 object, const elf::Section &section, u32 out) {
      if (end[out] <= l_.arch.limits.constant_bank)
        return;
      l_.place_of[object][section.index] = {out, 0, true};
      known_[object][section.index] = true;
    });
  }

  void list_extents() {
    for (u32 i = 0; i < l_.program.objects.size(); ++i)
      for (const elf::Section &section : l_.program.objects[i].view.sections()) {
        const Place &place = l_.place_of[i][section.index];
        const bool debug = l_.program.objects[i].kinds[section.index].is_debug();
        if (place.section != 0 && !place.scattered && section.size != 0 && !debug &&
            is_block(l_.program.objects[i], section))
          extents_.push_back({place.section, place.base, section.size,
                              std::max<u64>(section.align, 1), section.name});
      }
    for (const Entity &entity : l_.program.entities) {
      if (entity.function() || entity.out == 0 || entity.size == 0)
        continue;
      const elf::Symbol &out = l_.out.symbols[entity.out];
      if (!out.in_section())
        continue;
      if (!entity.defined() && entity.common_align != 0 && l_.executable) {
        extents_.push_back({out.section, out.value, entity.size, entity.common_align, entity.name});
        l_.claimed[out.section] = true;
      }
      if (!entity.defined())
        continue;
      const elf::Symbol &in = l_.program.definition(entity);
      // The value of a reserved variable in an object is its alignment.
      if (l_.program.kind_of(entity).role == SectionRole::ReservedShared && l_.executable)
        extents_.push_back(
            {out.section, out.value, entity.size, std::max<u64>(in.value, 1), entity.name});
      if (!l_.place_of[entity.object][in.section].scattered)
        continue;
      const u64 align =
          std::max<u64>(l_.program.objects[entity.object].section(in.section).align, 1);
      extents_.push_back({out.section, out.value, entity.size,
                          in.value == 0 ? align : std::min<u64>(align, in.value & -in.value),
                          entity.name, true});
    }
  }

  void check_extents() {
    std::sort(extents_.begin(), extents_.end(), [](const Extent &a, const Extent &b) {
      return std::tie(a.section, a.begin, a.size, a.name) <
             std::tie(b.section, b.begin, b.size, b.name);
    });
    const Extent *before = nullptr;
    for (const Extent &extent : extents_) {
      const elf::Section &section = l_.out.section(extent.section);
      const auto report = [&](FindingKind kind, std::string expected, std::string found) {
        report_.add(kind, extent.name, section.name, extent.begin, std::move(expected),
                    std::move(found));
      };
      if (extent.begin > section.size || extent.size > section.size - extent.begin)
        report(FindingKind::Memory, "an end inside the section, " + hex(section.size),
               hex(extent.begin + extent.size));
      if (extent.begin % extent.align != 0 || (section.align < extent.align && !extent.packed))
        report(FindingKind::Alignment, "alignment " + hex(extent.align),
               hex(extent.begin) + " in a section of alignment " + hex(section.align));
      if (before && before->section == extent.section &&
          before->begin + before->size > extent.begin)
        report(FindingKind::Overlap,
               "a begin behind " + std::string(before->name) + ", which ends at " +
                   hex(before->begin + before->size),
               hex(extent.begin));
      if (before && before->section == extent.section)
        check_gap(section, before->begin + before->size, extent.begin);
      if (!before || before->section != extent.section ||
          before->begin + before->size < extent.begin + extent.size)
        before = &extent;
    }
  }

  // Reports bytes after the last block.
  void check_ends() {
    for (const Extent &extent : extents_)
      end_[extent.section] = std::max(end_[extent.section], extent.begin + extent.size);
    for (const elf::Section &section : l_.out.view.sections())
      if (end_[section.index] != 0 && end_[section.index] < section.size &&
          l_.out.kinds[section.index].role != SectionRole::ReservedShared)
        report_.add(FindingKind::Unexplained, "", section.name, end_[section.index],
                    "the end of the section", hex(section.size - end_[section.index]) + " bytes");
  }

  // Bytes between two blocks must be zero.
  void check_gap(const elf::Section &section, u64 begin, u64 end) {
    if (begin >= end || end > section.data.size())
      return;
    const ByteSpan gap = section.data.subspan(begin, end - begin);
    const auto wrong = std::find_if(gap.begin(), gap.end(), [](u8 byte) { return byte != 0; });
    if (wrong != gap.end())
      report_.add(FindingKind::Unexplained, "", section.name,
                  begin + static_cast<u64>(wrong - gap.begin()), "zeros between blocks",
                  hex(*wrong));
  }

  // Places banks of one function. In an executable the compiler's constants move to kernels
  // (kernels.cc).
  void place_banks() {
    for (u32 i = 0; i < l_.program.objects.size(); ++i) {
      const Object &object = l_.program.objects[i];
      for (const elf::Section &section : object.view.sections()) {
        const elf::SectionKind &kind = object.kinds[section.index];
        const u32 code = object.code_of[section.index];
        const u32 out_code = code == 0 ? 0 : l_.place_of[i][code].section;
        if (out_code == 0 || !kind.is_constant() ||
            (l_.executable && kind.bank == l_.arch.banks.compiler))
          continue;
        const u32 out = l_.owned(out_code, kind.role, kind.bank);
        if (out == 0 && section.size != 0)
          report_.add(FindingKind::Missing, kind.owner, section.name, 0,
                      "the bank of " + object.name, "none");
        l_.place_of[i][section.index] = {out, 0, false};
        l_.claimed[out] = true;
      }
    }
  }

  [[nodiscard]] bool is_block(const Object &object, const elf::Section &section) const {
    const elf::SectionKind &kind = object.kinds[section.index];
    if (kind.mercury)
      return false;
    switch (kind.role) {
    case SectionRole::Constant:
    case SectionRole::ConstantNamed:
      return object.code_of[section.index] == 0;
    case SectionRole::Global:
    case SectionRole::GlobalInit:
    case SectionRole::Udt:
      return true;
    case SectionRole::Dwarf:
    case SectionRole::NvDebug:
      return !l_.has_mercury;  // beside Mercury code it is replaced, function by function
    case SectionRole::Unknown: // unknown kind: the linker may have kept it
      return section.type == elf::SectionType::Progbits ||
             ((section.flags & elf::kFlagInfoLink) == 0 && l_.out_section(section.name) != 0);
    case SectionRole::Host:
    case SectionRole::Uidx:
    case SectionRole::PtxConstSize:
    case SectionRole::DescriptorSize:
      return section.type == elf::SectionType::Progbits;
    default:
      return false;
    }
  }

  // True if memory without initial values is left out because all definitions in it are discarded.
  // Strong ones next to a common symbol keep it (Q057).
  [[nodiscard]] bool is_gone(u32 object, u32 section) const {
    const Object &file = l_.program.objects[object];
    if (file.kinds[section].role != SectionRole::Global)
      return false;
    for (u32 s = 1; s < file.symbols.size(); ++s)
      if (const elf::Symbol &symbol = file.symbols[s];
          symbol.section == section && symbol.type() != elf::SymbolType::Section &&
          (l_.program.outcome[object][s] != Outcome::Discarded ||
           (l_.entity(object, s)->common_align != 0 &&
            symbol.binding() != elf::SymbolBinding::Weak)))
        return false;
    return true;
  }

  Link &l_;
  Report &report_;
  std::vector<std::vector<bool>> known_; // by object and section: symbols show the place
  std::vector<Extent> extents_;
  std::vector<u64> end_; // by section of the output: end of the last block
};

} // namespace

void place_blocks(Link &link, Report &report) {
  BlockPlacer(link, report).run();
}

// Offsets that no symbol of an executable shows: shared variables, dynamic shared memory, the
// compiler's constants in the banks of kernels, and slots of images. A linker may choose them
// freely, so the checker reads them from the code: the first field that refers to a variable
// determines its offset. Then all other fields must agree (contents.cc), and the offsets must be
// valid for every kernel (kernels.cc).

namespace {

enum class DerivedKind : u8 { Shared, Dynamic, Constants, Image };

struct Derived {
  DerivedKind kind{};
  u32 entity = 0;
  u64 value = 0; // kUnknown: a use whose field does not show the value
};

// Returns the number of low bits of the value that the field shows (bits 0 and 1 may be missing);
// 0 if it shows too few.
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

// Returns the value of the symbol that a field shows.
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
  const ByteSpan bytes = link.bytes_of(code);
  link.program.objects[code.object].each_relocation(
      code.section, [&](const elf::Relocation &raw, bool rela) {
        const u32 id = link.program.entity_of[code.object][raw.symbol];
        if (id == kNone)
          return;
        const Entity &entity = link.program.entities[id];
        const std::optional<DerivedKind> kind = derived_kind(link, entity);
        const arch::RelocInfo *row = kind ? arch::find_reloc(raw.type) : nullptr;
        if (!row)
          return;
        u64 value = value_in_field(link, code, raw, rela, *row);
        if (const auto load = load_of_index(bytes, raw.offset, *row);
            load && *kind == DerivedKind::Image && value != kUnknown)
          value += begin_of_slots(bytes, *load);
        if (*kind == DerivedKind::Constants && value != kUnknown)
          value = (value - link.program.definition(entity).value) & low_mask(bits_shown(*row));
        out.push_back({*kind, id, value});
      });
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
