// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Damages cubins the way disks, careless tools and attackers do: flipped bits, fields set to the
// values that break arithmetic, tables cut short, blocks copied to where they do not belong,
// section headers mixed up. Uniformly random bytes would mostly hit code, which no reader
// interprets.
#include "mutator.h"

#include <algorithm>
#include <array>

#include "elf/elf_view.h"
#include "elf/section_kind.h"
#include "support/bytes.h"
#include "support/mapped_file.h"

namespace culink::robustness {

namespace {

using elf::SectionRole;

constexpr std::array<std::string_view, kTargetCount> kTargetNames{
    "header", "section table", "program headers", "symbols", "relocations", "info",  "call graph",
    "notes",  "strings",       "mercury",         "code",    "data",        "debug", "anywhere"};

constexpr u64 kHeaderSize = 64;
constexpr u64 kSectionHeader = 64;

Target target_of(const elf::Section &s) {
  const elf::SectionKind kind = elf::classify_section(s.name, s.type, s.flags);
  if (kind.mercury)
    return Target::Mercury;
  switch (kind.role) {
  case SectionRole::SymbolTable:
    return Target::Symbols;
  case SectionRole::Rel:
  case SectionRole::Rela:
  case SectionRole::ResolvedRela:
    return Target::Relocations;
  case SectionRole::Info:
    return Target::Info;
  case SectionRole::Callgraph:
  case SectionRole::Prototype:
    return Target::CallGraph;
  case SectionRole::NoteTkinfo:
  case SectionRole::NoteCuinfo:
  case SectionRole::Compat:
  case SectionRole::RelAction:
    return Target::Notes;
  case SectionRole::StringTable:
    return Target::Strings;
  case SectionRole::Text:
    return Target::Code;
  case SectionRole::Dwarf:
  case SectionRole::NvDebug:
    return Target::Debug;
  default:
    return Target::Data;
  }
}

// Numbers at which sizes, counts and indices go wrong.
u64 boundary_value(const std::vector<u8> &bytes, Random &random) {
  switch (random.below(13)) {
  case 0:
    return 0;
  case 1:
    return 1;
  case 2:
    return ~u64{0};
  case 3:
    return u64{1} << random.below(64);
  case 4:
    return (u64{1} << random.below(64)) - 1;
  case 5:
    return bytes.size();
  case 6:
    return bytes.size() - random.below(64);
  case 7:
    return random.below(bytes.size() + 1);
  case 8:
    return ~random.below(64);
  case 9:
    return random.below(256);
  case 10:
    return u64{0x70000000} + random.below(0x90);
  case 11:
    return 0xff00 + random.below(256); // section numbers with a meaning of their own
  default:
    return random.next();
  }
}

class Editor {
public:
  Editor(const std::vector<Original> &originals, u64 which, Random &random)
      : originals_(originals), original_(originals[which]), random_(random),
        bytes_(originals[which].bytes) {}

  Mutant run() {
    const u64 edits = 1 + random_.below(4);
    Target first = Target::Anywhere;
    for (u64 i = 0; i < edits && !bytes_.empty(); ++i) {
      const Target target = choose_target();
      if (i == 0)
        first = target;
      edit(target);
    }
    return {std::move(bytes_), first};
  }

private:
  Target choose_target() {
    for (;;) {
      const auto target = static_cast<Target>(random_.below(kTargetCount));
      if (target == Target::Anywhere || !parts(target).empty())
        return target;
    }
  }
  const std::vector<Original::Range> &parts(Target target) const {
    return original_.parts[static_cast<u32>(target)];
  }

  // A place in a part of that kind. Earlier edits may have cut the file.
  u64 choose_place(Target target) {
    if (target == Target::Anywhere)
      return random_.below(bytes_.size());
    const auto &ranges = parts(target);
    const Original::Range &range = ranges[random_.below(ranges.size())];
    u64 place = range.begin + random_.below(range.size);
    if (random_.one_in(2)) // most fields are words
      place = range.begin + (place - range.begin) / 4 * 4;
    return std::min<u64>(place, bytes_.size() - 1);
  }

  void edit(Target target) {
    const u64 place = choose_place(target);
    switch (random_.below(16)) {
    case 0:
    case 1:
    case 2:
      bytes_[place] ^= static_cast<u8>(1u << random_.below(8));
      break;
    case 3:
    case 4:
      bytes_[place] = static_cast<u8>(random_.next());
      break;
    case 5:
      put<u16>(place);
      break;
    case 6:
    case 7:
    case 8:
      put<u32>(place);
      break;
    case 9:
    case 10:
      put<u64>(place);
      break;
    case 11:
      edit_section_header();
      break;
    case 12:
      fill_block(place);
      break;
    case 13:
      copy_block(bytes_, place);
      break;
    case 14:
      copy_block(originals_[random_.below(originals_.size())].bytes, place);
      break;
    default:
      resize(place);
      break;
    }
  }

  template <typename T> void put(u64 place) {
    if (bytes_.size() - place >= sizeof(T))
      store_le<T>(bytes_.data() + place, static_cast<T>(boundary_value(bytes_, random_)));
  }

  u64 block_size(u64 place) {
    return std::min<u64>(1 + random_.below(random_.one_in(4) ? 1024 : 64), bytes_.size() - place);
  }
  void fill_block(u64 place) {
    const u8 value = random_.one_in(2) ? 0 : 0xff;
    std::fill_n(bytes_.begin() + static_cast<i64>(place), block_size(place), value);
  }
  void copy_block(const std::vector<u8> &from, u64 place) {
    const u64 size = std::min<u64>(block_size(place), from.size());
    const u64 source = random_.below(from.size() - size + 1);
    std::memmove(bytes_.data() + place, from.data() + source, size);
  }
  void resize(u64 place) {
    if (random_.one_in(3)) {
      const u64 size = 1 + random_.below(64);
      bytes_.insert(bytes_.begin() + static_cast<i64>(place), size,
                    static_cast<u8>(random_.next()));
    } else if (random_.one_in(2)) {
      bytes_.resize(place);
    } else {
      bytes_.resize(random_.below(bytes_.size()));
    }
  }

  // Mixes up two headers, or takes one field of another header.
  void edit_section_header() {
    const auto header = [&] {
      return original_.section_table + random_.below(original_.section_count) * kSectionHeader;
    };
    if (original_.section_count == 0)
      return;
    const u64 a = header(), b = header();
    if (std::max(a, b) + kSectionHeader > bytes_.size())
      return;
    const auto at = [&](u64 offset) { return bytes_.begin() + static_cast<i64>(offset); };
    switch (random_.below(3)) {
    case 0:
      std::swap_ranges(at(a), at(a + kSectionHeader), at(b));
      break;
    case 1:
      std::copy_n(std::vector<u8>(at(b), at(b + kSectionHeader)).begin(), kSectionHeader, at(a));
      break;
    default: {
      constexpr std::array<std::pair<u64, u64>, 10> kFields{
          {{0, 4}, {4, 4}, {8, 8}, {16, 8}, {24, 8}, {32, 8}, {40, 4}, {44, 4}, {48, 8}, {56, 8}}};
      const auto [offset, size] = kFields[random_.below(kFields.size())];
      std::memmove(bytes_.data() + a + offset, bytes_.data() + b + offset, size);
      break;
    }
    }
  }

  const std::vector<Original> &originals_;
  const Original &original_;
  Random &random_;
  std::vector<u8> bytes_;
};

} // namespace

std::string_view name_of_target(Target target) {
  return kTargetNames[static_cast<u32>(target)];
}

// SplitMix64.
u64 Random::next() {
  u64 z = state_ += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

Original map_parts(std::vector<u8> bytes) {
  Original out;
  const Result<elf::ElfView> view = elf::ElfView::open_tolerant(bytes);
  const auto add = [&](Target target, u64 begin, u64 size) {
    if (size != 0)
      out.parts[static_cast<u32>(target)].push_back({begin, size});
  };
  if (view) {
    const elf::FileHeader &h = view->header();
    if (h.shoff <= bytes.size()) {
      out.section_table = h.shoff;
      out.section_count = h.section_count;
    }
    add(Target::Header, 0, kHeaderSize);
    add(Target::SectionTable, h.shoff, u64{h.section_count} * kSectionHeader);
    add(Target::Segments, h.phoff, u64{h.phnum} * h.phentsize);
    for (const elf::Section &s : view->sections())
      add(target_of(s), s.offset, s.data.size());
  }
  out.bytes = std::move(bytes);
  return out;
}

bool read_originals(const std::string &list, std::vector<std::string> &names,
                    std::vector<Original> &files) {
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    const std::string path = list.substr(begin, end - begin);
    const Result<MappedFile> file = MappedFile::open(path);
    if (!file || !elf::ElfView::open(file->bytes()))
      return false;
    names.push_back(path);
    files.push_back(map_parts({file->bytes().begin(), file->bytes().end()}));
    begin = end + 1;
  }
  return true;
}

Mutant make_mutant(const std::vector<Original> &originals, u64 which, Random &random) {
  return Editor(originals, which, random).run();
}

} // namespace culink::robustness
