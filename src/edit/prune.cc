// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Removes unwanted code from the containers of fatbins. A container stays where it is, since the
// record for the runtime library points to it; its entries move together and it becomes shorter. If
// other data follows in its section, zeros fill the gap: every reader of fatbins skips them. If the
// container is the last one of a section and the file has no addresses yet, the section becomes
// shorter too.
//
// Removing bytes from the middle of a program would require new addresses for all following data,
// and the relocations for that no longer exist. So a program keeps its size; zeros take no room on
// a file system with sparse files, and hardly any in a package.
#include "edit/prune.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "culink/host_references.h"
#include "elf/codec.h"
#include "elf/constants.h"
#include "elf/elf_view.h"
#include "elf/replace_section.h"
#include "elf/section_kind.h"
#include "elf/wire.h"
#include "input/archive.h"
#include "input/fatbin.h"
#include "input/file_kind.h"
#include "support/bytes.h"

namespace culink {

// ---- Host objects
//
// Makes a host object with shorter sections. A relocatable file has no addresses yet, so only the
// file offsets of sections change: sections follow each other in their old order, aligned, and the
// section table follows them.
//
// What may surprise: a relocation in a changed section would no longer fit, and such files are
// refused; compilers do not write them.

namespace {

using elf::wire::Ehdr64;
using elf::wire::Shdr64;
using elf::wire::Sym64;

constexpr u64 kTableAlignment = 8;

// Returns the symbols of a table, with sizes that fit into the changed sections.
std::vector<u8> fit_symbols(ByteSpan table, const std::map<u32, std::vector<u8>> &changed) {
  std::vector<u8> out(table.begin(), table.end());
  for (u64 at = 0; at + sizeof(Sym64) <= out.size(); at += sizeof(Sym64)) {
    Sym64 symbol = load_le<Sym64>(out.data() + at);
    const auto section = changed.find(symbol.st_shndx);
    if (section == changed.end() || symbol.st_size == 0)
      continue;
    const u64 size = section->second.size();
    symbol.st_size = std::min<u64>(symbol.st_size, size - std::min<u64>(symbol.st_value, size));
    store_le(out.data() + at, symbol);
  }
  return out;
}

// Returns a relocatable 64-bit ELF file with other contents for some sections. The other sections
// keep their contents and order. A symbol with the size of its section gets the new size of the
// section.
Result<std::vector<u8>> resize_sections(const elf::ElfView &view,
                                        const std::map<u32, std::vector<u8>> &changed) {
  const elf::FileHeader &header = view.header();
  if (header.elf_class() != elf::ElfClass::Elf64 || header.phnum != 0)
    return Error{"header", "", "is not that of a relocatable 64-bit file"};
  std::vector<const elf::Section *> order;
  u64 limit = view.file().size(); // largest size of the new file, without the section table
  for (const auto &[index, bytes] : changed)
    limit += bytes.size();
  for (const elf::Section &section : view.sections()) {
    if (elf::is_relocation_table(section.type) && changed.contains(section.info) &&
        section.size != 0)
      return Error{fmt::format("section {}", section.info), "", "has relocations"};
    if (section.index != 0 && section.type != elf::SectionType::Null)
      order.push_back(&section);
  }
  std::ranges::stable_sort(order, {}, &elf::Section::offset);
  const ByteSpan old_table =
      view.file().subspan(header.shoff, view.sections().size() * sizeof(Shdr64));
  std::vector<u8> table(old_table.begin(), old_table.end());
  std::vector<u8> out(sizeof(Ehdr64));
  u64 old_end = out.size();
  for (const elf::Section *section : order) {
    if (!section->data.empty()) {
      if (section->offset < old_end)
        return Error{fmt::format("section {}", section->index), "sh_offset",
                     "lies in another section"};
      old_end = section->offset + section->size;
    }
    const u64 alignment = std::max<u64>(section->align, 1);
    if (!std::has_single_bit(alignment) || alignment > limit ||
        align_up(out.size(), alignment) > limit)
      return Error{fmt::format("section {}", section->index), "sh_addralign",
                   "is not that of a host object"};
    out.resize(align_up(out.size(), alignment));
    u8 *row = table.data() + u64{section->index} * sizeof(Shdr64);
    store_le(row + offsetof(Shdr64, sh_offset), u64{out.size()});
    if (const auto contents = changed.find(section->index); contents != changed.end()) {
      store_le(row + offsetof(Shdr64, sh_size), u64{contents->second.size()});
      elf::append_bytes(out, contents->second);
    } else if (section->type == elf::SectionType::Symtab) {
      elf::append_bytes(out, fit_symbols(section->data, changed));
    } else {
      elf::append_bytes(out, section->data);
    }
  }
  out.resize(align_up(out.size(), kTableAlignment));
  Ehdr64 new_header = load_le<Ehdr64>(view.file().data());
  new_header.e_shoff = out.size();
  store_le(out.data(), new_header);
  elf::append_bytes(out, table);
  return out;
}

// ---- Archives
//
// Members of an archive become shorter or longer; everything else stays unchanged. Headers are text
// and are kept, except for the size. The symbol index, the first member, has the offsets of
// members, big-endian, of 4 or 8 bytes. At the end these are updated by a map from old offsets to
// new ones. BSD's index has another format, and is refused.

constexpr u64 kHeaderSize = 60, kSizeAt = 48, kSizeLength = 10, kNameLength = 16;
constexpr std::string_view kArchiveStart = "!<arch>\n";

Error refuse(std::string message) {
  return {"archive", "", std::move(message)};
}

u64 load_big(const u8 *bytes, size_t width) {
  u64 value = 0;
  for (size_t i = 0; i < width; ++i)
    value = value << 8 | bytes[i];
  return value;
}

void store_big(u8 *bytes, size_t width, u64 value) {
  for (size_t i = width; i-- > 0; value >>= 8)
    bytes[i] = static_cast<u8>(value);
}

// Puts new offsets into the index: a count, that many offsets, then names.
bool move_index(std::vector<u8> &archive, u64 begin, u64 size, size_t width,
                const std::map<u64, u64> &places) {
  if (size < width)
    return size == 0;
  const u64 count = load_big(archive.data() + begin, width);
  if (count > size / width - 1)
    return false;
  for (u64 i = 1; i <= count; ++i) {
    u8 *field = archive.data() + begin + i * width;
    const auto found = places.find(load_big(field, width));
    if (found == places.end() || (width == 4 && found->second > ~u32{0}))
      return false;
    store_big(field, width, found->second);
  }
  return true;
}

// A part of the archive before a member that is copied: an index or a table of names.
struct Copied {
  std::string_view name;
  u64 size;
};

Copied header_at(ByteSpan archive, u64 offset) {
  const std::string_view text = as_text(archive.subspan(offset, kHeaderSize));
  const std::string_view name = text.substr(0, kNameLength);
  const std::string size(text.substr(kSizeAt, kSizeLength));
  return {name.substr(0, name.find(' ')), std::strtoull(size.c_str(), nullptr, 10)};
}

// Returns the archive with each member replaced by the result of `rewrite`. Names, order and symbol
// index are preserved; the offsets in the index are updated. Thin archives are refused.
Result<std::vector<u8>>
rewrite_archive(ByteSpan archive,
                const std::function<Result<std::vector<u8>>(ByteSpan member)> &rewrite) {
  const Result<std::vector<ArchiveMember>> members = read_archive(archive);
  if (!members)
    return members.error();
  std::vector<u8> out(kArchiveStart.begin(), kArchiveStart.end());
  std::map<u64, u64> places;
  u64 index = 0, index_size = 0;
  size_t width = 0;
  u64 offset = kArchiveStart.size();
  const auto append = [&out](ByteSpan bytes) { out.insert(out.end(), bytes.begin(), bytes.end()); };
  const auto copy_until = [&](u64 end) { // copies everything that is not a member
    while (offset < end) {
      const Copied header = header_at(archive, offset);
      if (header.name == "/" || header.name == "/SYM64/") {
        index = out.size() + kHeaderSize;
        index_size = header.size;
        width = header.name == "/" ? 4 : 8;
      } else if (header.name.starts_with("__.SYMDEF") || header.name.starts_with("#1/")) {
        return false;
      }
      const u64 next =
          std::min<u64>(align_up(offset + kHeaderSize + header.size, 2), archive.size());
      append(archive.subspan(offset, next - offset));
      out.resize(align_up(out.size(), 2), '\n');
      offset = next;
    }
    return true;
  };
  for (const ArchiveMember &member : *members) {
    if (member.thin)
      return refuse("is thin; its members are files of their own");
    if (!copy_until(member.offset))
      return refuse("has an index in BSD's form");
    Result<std::vector<u8>> bytes = rewrite(member.data);
    if (!bytes)
      return Error{member.name, bytes.error().field, bytes.error().text()};
    places[member.offset] = out.size();
    append(archive.subspan(offset, kHeaderSize));
    // BSD's long names are a part of the data.
    const u64 start = static_cast<u64>(member.data.data() - archive.data());
    const ByteSpan name = archive.subspan(offset + kHeaderSize, start - offset - kHeaderSize);
    const std::string size = fmt::format("{:<10}", name.size() + bytes->size());
    if (size.size() > kSizeLength)
      return refuse("a member is too large");
    std::memcpy(out.data() + out.size() - kHeaderSize + kSizeAt, size.data(), kSizeLength);
    append(name);
    append(*bytes);
    out.resize(align_up(out.size(), 2), '\n');
    offset = std::min<u64>(align_up(start + member.data.size(), 2), archive.size());
  }
  if (!copy_until(archive.size()))
    return refuse("has an index in BSD's form");
  if (width != 0 && !move_index(out, index, index_size, width, places))
    return refuse("has an index that does not fit its members");
  return out;
}

// ---- Fatbins

constexpr std::string_view kRelocatable = "__nv_relfatbin", kLinked = ".nv_fatbin";

// Treats code of an unknown form as machine code.
std::string_view form_name(FatbinKind kind) {
  return kind == FatbinKind::Ptx ? "ptx" : kind == FatbinKind::Lto ? "lto" : "cubin";
}

class Pruner {
public:
  explicit Pruner(const PruneRules &rules) : rules_(rules) {}

  [[nodiscard]] Result<PrunedPieces> run(ByteSpan file);

private:
  [[nodiscard]] Result<std::vector<u8>> in_object(ByteSpan file);
  [[nodiscard]] Result<std::vector<u8>> in_other_file(ByteSpan file);
  [[nodiscard]] std::optional<Error> in_image(ByteSpan file);
  [[nodiscard]] std::optional<Error> in_section(const elf::Section &section);
  [[nodiscard]] Result<std::vector<u8>> in_archive(ByteSpan file);
  [[nodiscard]] Result<std::vector<u8>> in_containers(ByteSpan bytes, bool moves, bool leftover);
  [[nodiscard]] std::vector<ByteSpan> kept_entries(const FatbinContainer &container, bool leftover);
  [[nodiscard]] Result<std::vector<u8>> in_cubin(ByteSpan file);
  [[nodiscard]] ByteSpan in_entry(const FatbinEntry &entry);
  void add_piece(ByteSpan bytes);
  void add_zeros(u64 count);
  [[nodiscard]] bool is_kept(const FatbinEntry &entry, bool leftover) const;
  [[nodiscard]] bool drops_debug() const {
    return std::find(rules_.drop.begin(), rules_.drop.end(), "debug") != rules_.drop.end();
  }

  const PruneRules &rules_;
  PrunedPieces out_;
};

bool Pruner::is_kept(const FatbinEntry &entry, bool leftover) const {
  const auto is_in = [&](const std::vector<std::string> &patterns) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string &pattern) {
      return matches_pattern(target_name(entry), pattern) || pattern == form_name(entry.kind) ||
             (leftover && pattern == "relocatable");
    });
  };
  return (rules_.keep.empty() || is_in(rules_.keep)) && !is_in(rules_.drop);
}

// Rewrites an entry that stays.
ByteSpan Pruner::in_entry(const FatbinEntry &entry) {
  if (drops_debug() && entry.kind == FatbinKind::Elf) {
    const Result<std::vector<u8>> bytes = unpack(entry);
    const std::optional<std::vector<u8>> stripped = bytes ? strip_debug(*bytes) : std::nullopt;
    if (stripped)
      return out_.owned.emplace_back(replace_code(entry, *stripped, rules_.packing));
  }
  std::optional<std::vector<u8>> repacked =
      rules_.packing ? repack_entry(entry, *rules_.packing) : std::nullopt;
  return repacked ? ByteSpan(out_.owned.emplace_back(std::move(*repacked))) : entry.whole;
}

std::vector<ByteSpan> Pruner::kept_entries(const FatbinContainer &container, bool leftover) {
  std::vector<ByteSpan> entries;
  for (const FatbinEntry &entry : container.entries) {
    PruneCount &count = out_.targets[target_name(entry)];
    ++count.pieces;
    count.bytes += entry.whole.size();
    const bool kept = is_kept(entry, leftover);
    if (!leftover)
      out_.linked_kept[target_name(entry)] |= kept;
    if (!kept) {
      ++count.dropped;
      continue;
    }
    entries.push_back(in_entry(entry));
    count.bytes_after += entries.back().size();
  }
  return entries;
}

// Prunes consecutive containers. `moves`: they have no addresses, so the data after a container
// moves.
Result<std::vector<u8>> Pruner::in_containers(ByteSpan bytes, bool moves, bool leftover) {
  const Result<std::vector<FatbinContainer>> containers = read_fatbins(bytes);
  if (!containers)
    return containers.error();
  std::vector<u8> out;
  for (const FatbinContainer &container : *containers) {
    const std::vector<u8> pruned = write_container(kept_entries(container, leftover));
    if (!moves) {
      if (container.offset < out.size()) // the container became longer by unpacking
        return Error{fmt::format("fatbin container at {:#x}", container.offset), "",
                     "there is no room for the code in front of it"};
      out.resize(container.offset);
    }
    out.insert(out.end(), pruned.begin(), pruned.end());
  }
  return out;
}

Result<std::vector<u8>> Pruner::in_object(ByteSpan file) {
  const Result<elf::ElfView> view = elf::ElfView::open_sections(file);
  if (!view)
    return view.error();
  std::map<u32, std::vector<u8>> changed;
  for (const elf::Section &section : view->sections()) {
    if (section.name != kRelocatable && section.name != kLinked)
      continue;
    Result<std::vector<u8>> bytes = in_containers(section.data, false, false);
    if (!bytes)
      return Error{std::string(section.name), bytes.error().field, bytes.error().text()};
    changed[section.index] = std::move(*bytes);
  }
  if (changed.empty())
    return std::vector<u8>(file.begin(), file.end());
  return resize_sections(*view, changed);
}

u64 zeros_in(ByteSpan bytes) {
  return static_cast<u64>(std::count(bytes.begin(), bytes.end(), 0));
}

void Pruner::add_piece(ByteSpan bytes) {
  if (!bytes.empty())
    out_.pieces.push_back(bytes);
  out_.size += bytes.size();
}

void Pruner::add_zeros(u64 count) {
  static constexpr std::array<u8, 65536> kZeros{};
  while (count != 0) {
    const u64 part = std::min<u64>(count, kZeros.size());
    add_piece(ByteSpan(kZeros).first(part));
    count -= part;
  }
}

// Prunes the containers of a section in place, with zeros between them.
std::optional<Error> Pruner::in_section(const elf::Section &section) {
  const Result<std::vector<FatbinContainer>> containers = read_fatbins(section.data);
  if (!containers)
    return containers.error();
  u64 end = 0, zeros_after = 0; // of the written part of the section
  for (const FatbinContainer &container : *containers) {
    if (container.offset < end) // the container became longer by unpacking
      return Error{fmt::format("fatbin container at {:#x}", container.offset), "",
                   "there is no room for the code in front of it"};
    zeros_after += container.offset - end;
    add_zeros(container.offset - end);
    std::vector<ByteSpan> pieces = kept_entries(container, section.name == kRelocatable);
    u64 size = 0;
    for (const ByteSpan piece : pieces)
      size += piece.size();
    pieces.insert(pieces.begin(), out_.owned.emplace_back(container_header(size)));
    end = container.offset;
    for (const ByteSpan piece : pieces) {
      zeros_after += zeros_in(piece);
      add_piece(piece);
      end += piece.size();
    }
  }
  if (end > section.data.size())
    return Error{"", "", "there is no room for code that is unpacked"};
  zeros_after += section.data.size() - end;
  add_zeros(section.data.size() - end);
  out_.zeroed += zeros_after - std::min(zeros_in(section.data), zeros_after);
  return std::nullopt;
}

std::optional<Error> Pruner::in_image(ByteSpan file) {
  const Result<elf::ElfView> view = elf::ElfView::open_sections(file);
  if (!view)
    return view.error();
  std::vector<const elf::Section *> sections;
  for (const elf::Section &section : view->sections())
    if ((section.name == kRelocatable || section.name == kLinked) && !section.data.empty())
      sections.push_back(&section);
  std::ranges::stable_sort(sections, {},
                           [](const elf::Section *section) { return section->offset; });
  for (const elf::Section *section : sections) {
    const auto begin = static_cast<u64>(section->data.data() - file.data());
    if (begin < out_.size)
      return Error{std::string(section->name), "", "shares bytes with another section"};
    add_piece(file.subspan(out_.size, begin - out_.size));
    if (const std::optional<Error> error = in_section(*section))
      return Error{std::string(section->name), error->field, error->text()};
  }
  add_piece(file.subspan(out_.size));
  return std::nullopt;
}

Result<std::vector<u8>> Pruner::in_archive(ByteSpan file) {
  return rewrite_archive(file, [this](ByteSpan member) -> Result<std::vector<u8>> {
    const FileKind kind = file_kind(member);
    if (kind == FileKind::HostObject || kind == FileKind::Fatbin)
      return in_other_file(member);
    return std::vector<u8>(member.begin(), member.end());
  });
}

// Only debug information can be removed from a cubin.
Result<std::vector<u8>> Pruner::in_cubin(ByteSpan file) {
  if (!drops_debug())
    return Error{"", "", "is code for one target, of which nothing can be left out"};
  const std::optional<std::vector<u8>> stripped = strip_debug(file);
  std::vector<u8> out = stripped ? *stripped : std::vector<u8>(file.begin(), file.end());
  out_.targets["cubin"] = {1, 0, file.size(), out.size()};
  return out;
}

Result<std::vector<u8>> Pruner::in_other_file(ByteSpan file) {
  switch (file_kind(file)) {
  case FileKind::Fatbin:
    return in_containers(file, true, false);
  case FileKind::HostObject:
    return in_object(file);
  case FileKind::Archive:
    return in_archive(file);
  case FileKind::DeviceObject:
  case FileKind::DeviceImage:
    return in_cubin(file);
  case FileKind::Ptx:
  case FileKind::LtoIr:
    return Error{"", "", "is code for one target, of which nothing can be left out"};
  case FileKind::HostImage:
  case FileKind::Unknown:
  case FileKind::Count_:
    break;
  }
  return Error{"", "", "is no file with device code"};
}

Result<PrunedPieces> Pruner::run(ByteSpan file) {
  if (file_kind(file) == FileKind::HostImage) {
    if (std::optional<Error> error = in_image(file))
      return *error;
    return std::move(out_);
  }
  Result<std::vector<u8>> bytes = in_other_file(file);
  if (!bytes)
    return bytes.error();
  out_.owned.clear(); // the pieces have been copied
  add_piece(out_.owned.emplace_back(std::move(*bytes)));
  return std::move(out_);
}

} // namespace

namespace {

// Returns nullopt if the rest has code that can be run; or code that can be linked, if the file had
// no other.
std::optional<Error> refuse_empty(const PruneTally &pruned, const PruneRules &rules) {
  const PruneCount total = pruned.total();
  if (total.pieces == 0)
    return Error{"", "", "has no device code in fatbins"};
  if (total.dropped == total.pieces)
    return Error{"", "", "no code at all would be left"};
  const auto is_kept = [](const auto &target) { return target.second; };
  if (pruned.linked_kept.empty() || std::ranges::any_of(pruned.linked_kept, is_kept))
    return std::nullopt;
  std::vector<std::string_view> targets;
  for (const auto &[target, _] : pruned.linked_kept)
    targets.push_back(target);
  if (!rules.drop.empty())
    return Error{"", "",
                 fmt::format("no linked code would be left of that for {}, only "
                             "relocatable objects",
                             fmt::join(targets, ", "))};
  return Error{"", "",
               fmt::format("no linked code for {}, only {}", fmt::join(rules.keep, ", "),
                           fmt::join(targets, ", "))};
}

} // namespace

PruneCount PruneTally::total() const {
  PruneCount out;
  for (const auto &[target, count] : targets) {
    out.pieces += count.pieces;
    out.dropped += count.dropped;
    out.bytes += count.bytes;
    out.bytes_after += count.bytes_after;
  }
  return out;
}

Result<PrunedPieces> prune(ByteSpan file, const PruneRules &rules) {
  Result<PrunedPieces> out = Pruner(rules).run(file);
  if (!out)
    return out;
  if (std::optional<Error> error = refuse_empty(*out, rules))
    return *error;
  return out;
}

std::string describe_pruning(u64 size, const PruneTally &pruned) {
  const u64 after = pruned.size;
  std::string out = fmt::format("{} -> {} bytes ({}% less)", size, after,
                                size == 0 ? 0 : (size - std::min(size, after)) * 100 / size);
  if (pruned.zeroed != 0)
    out += fmt::format(", of which {} more are zero", pruned.zeroed);
  out += "\n";
  for (const auto &[target, count] : pruned.targets)
    out += fmt::format("{:>12}  {} -> {} pieces, {} -> {} bytes\n", target, count.pieces,
                       count.pieces - count.dropped, count.bytes, count.bytes_after);
  return out;
}

// ---- Debug information
//
// Empties debug information. Removing sections would renumber all others, and symbols, attributes
// and relocations hold these numbers; an empty section costs its header only. The relocations of
// such a section are emptied too. Loaded segments have no debug information, so nothing that the
// driver loads changes.

namespace {

bool is_debug_section(const elf::Section &section) {
  return elf::classify_section(section.name, section.type, section.flags).is_debug() &&
         !section.is_mercury() && section.name != ".debug_frame";
}

bool is_of_debug(const elf::ElfView &view, const elf::Section &section) {
  if (is_debug_section(section))
    return true;
  const elf::SectionKind kind = elf::classify_section(section.name, section.type, section.flags);
  return (kind.role == elf::SectionRole::Rel || kind.role == elf::SectionRole::Rela) &&
         section.info < view.sections().size() && is_debug_section(view.sections()[section.info]);
}

} // namespace

std::optional<std::vector<u8>> strip_debug(ByteSpan cubin) {
  const Result<elf::ElfView> view = elf::ElfView::open(cubin);
  if (!view)
    return std::nullopt;
  std::vector<u8> out(cubin.begin(), cubin.end());
  bool changed = false;
  for (const elf::Section &section : view->sections()) {
    if (section.size == 0 || section.no_data() || !is_of_debug(*view, section))
      continue;
    if (!elf::replace_section(out, section.index, {}))
      return std::nullopt;
    changed = true;
  }
  return changed ? std::optional(std::move(out)) : std::nullopt;
}

} // namespace culink
