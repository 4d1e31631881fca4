// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that is not wanted is taken out of the containers of fatbins. A container stays where it is,
// since the record for the runtime library points to it; its entries move together and it becomes
// shorter. If something follows it in its section, zeros fill the gap, over which every reader of
// fatbins steps; the last container of a section takes the end of the section with it, where the
// file has no addresses yet.
//
// Removing bytes from the middle of a program would need new addresses for all that is behind them,
// and the relocations for that are gone. So a program keeps its size; zeros take no room on a disk
// that knows holes, nor in a package.
#include "edit/prune.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "culink/host_references.h"
#include "edit/rewrite_container.h"
#include "elf/constants.h"
#include "elf/elf_view.h"
#include "elf/replace_section.h"
#include "elf/section_kind.h"
#include "input/fatbin.h"
#include "input/file_kind.h"
#include "support/bytes.h"

namespace culink {

namespace {

constexpr std::string_view kRelocatable = "__nv_relfatbin", kLinked = ".nv_fatbin";

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

// An entry that stays.
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

// All containers in a row. `moves`: they have no addresses, and what is behind a container follows.
Result<std::vector<u8>> Pruner::in_containers(ByteSpan bytes, bool moves, bool leftover) {
  const Result<std::vector<FatbinContainer>> containers = read_fatbins(bytes);
  if (!containers)
    return containers.error();
  std::vector<u8> out;
  for (const FatbinContainer &container : *containers) {
    const std::vector<u8> pruned = write_container(kept_entries(container, leftover));
    if (!moves) {
      if (container.offset < out.size()) // unpacked, it became longer
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
  return resize_sections(file, changed);
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

// Containers stay where they are, and zeros are between them.
std::optional<Error> Pruner::in_section(const elf::Section &section) {
  const Result<std::vector<FatbinContainer>> containers = read_fatbins(section.data);
  if (!containers)
    return containers.error();
  u64 end = 0, zeros_after = 0; // of what has been written of the section
  for (const FatbinContainer &container : *containers) {
    if (container.offset < end) // unpacked, it became longer
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
  return rewrite_archive(file,
                         [this](const std::string &, ByteSpan member) -> Result<std::vector<u8>> {
                           const FileKind kind = file_kind(member);
                           if (kind == FileKind::HostObject || kind == FileKind::Fatbin)
                             return in_other_file(member);
                           return std::vector<u8>(member.begin(), member.end());
                         });
}

// A cubin can lose its debug information only.
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
  out_.owned.clear(); // they have been copied
  add_piece(out_.owned.emplace_back(std::move(*bytes)));
  return std::move(out_);
}

} // namespace

namespace {

// Nothing if code is left that can be run, or linked where nothing is.
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

Result<PrunedPieces> prune_in_place(ByteSpan file, const PruneRules &rules) {
  Result<PrunedPieces> out = Pruner(rules).run(file);
  if (!out)
    return out;
  if (std::optional<Error> error = refuse_empty(*out, rules))
    return *error;
  return out;
}

Result<PrunedFile> prune(ByteSpan file, const PruneRules &rules) {
  Result<PrunedPieces> pruned = prune_in_place(file, rules);
  if (!pruned)
    return pruned.error();
  PrunedFile out{std::move(static_cast<PruneTally &>(*pruned)), {}};
  for (const ByteSpan piece : pruned->pieces)
    out.bytes.insert(out.bytes.end(), piece.begin(), piece.end());
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
// Debug information without its bytes. Removing sections would give all others new numbers, which
// symbols, attributes and relocations have in them; an empty section costs its header only. The
// relocations of such a section are emptied with it. No loaded segment has debug information in it,
// so nothing that the driver loads changes.

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
