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
#include "pack/prune.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "elf/constants.h"
#include "elf/elf_view.h"
#include "input/fatbin_wire.h"
#include "input/file_kind.h"
#include "model/host_references.h"
#include "pack/resize_sections.h"
#include "pack/rewrite_archive.h"
#include "pack/strip_debug.h"

namespace culink {

namespace {

constexpr std::string_view kRelocatable = "__nv_relfatbin", kLinked = ".nv_fatbin";

std::string_view form_name(FatbinKind kind) {
  return kind == FatbinKind::Ptx ? "ptx" : kind == FatbinKind::Lto ? "lto" : "cubin";
}

class Pruner {
public:
  explicit Pruner(const PruneRules &rules) : rules_(rules) {}

  // The bytes of the file; `counts` have the rest.
  [[nodiscard]] Result<std::vector<u8>> run(ByteSpan file);
  [[nodiscard]] PrunedFile take(std::vector<u8> bytes) {
    out_.bytes = std::move(bytes);
    return std::move(out_);
  }

private:
  [[nodiscard]] Result<std::vector<u8>> in_object(ByteSpan file);
  [[nodiscard]] Result<std::vector<u8>> in_image(ByteSpan file);
  [[nodiscard]] Result<std::vector<u8>> in_archive(ByteSpan file);
  [[nodiscard]] Result<std::vector<u8>> in_containers(ByteSpan bytes, bool moves, bool leftover);
  [[nodiscard]] std::vector<u8> in_container(const FatbinContainer &container, bool leftover);
  [[nodiscard]] Result<std::vector<u8>> in_cubin(ByteSpan file);
  [[nodiscard]] std::vector<u8> in_entry(const FatbinEntry &entry) const;
  [[nodiscard]] bool is_kept(const FatbinEntry &entry, bool leftover) const;
  [[nodiscard]] bool drops_debug() const {
    return std::find(rules_.drop.begin(), rules_.drop.end(), "debug") != rules_.drop.end();
  }

  const PruneRules &rules_;
  PrunedFile out_;
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
std::vector<u8> Pruner::in_entry(const FatbinEntry &entry) const {
  if (drops_debug() && entry.kind == FatbinKind::Elf) {
    const Result<std::vector<u8>> bytes = unpack(entry);
    const std::optional<std::vector<u8>> stripped = bytes ? strip_debug(*bytes) : std::nullopt;
    if (stripped)
      return replace_code(entry, *stripped, rules_.packing);
  }
  std::optional<std::vector<u8>> repacked =
      rules_.packing ? repack_entry(entry, *rules_.packing) : std::nullopt;
  return repacked ? std::move(*repacked) : std::vector<u8>(entry.whole.begin(), entry.whole.end());
}

std::vector<u8> Pruner::in_container(const FatbinContainer &container, bool leftover) {
  std::vector<std::vector<u8>> entries;
  for (const FatbinEntry &entry : container.entries) {
    PruneCount &count = out_.targets[target_name(entry)];
    ++count.pieces;
    count.bytes += entry.whole.size();
    if (!is_kept(entry, leftover)) {
      ++count.dropped;
      continue;
    }
    entries.push_back(in_entry(entry));
    count.bytes_after += entries.back().size();
  }
  return write_container({entries.begin(), entries.end()});
}

// All containers in a row. `moves`: they have no addresses, and what is behind a container follows.
Result<std::vector<u8>> Pruner::in_containers(ByteSpan bytes, bool moves, bool leftover) {
  const Result<std::vector<FatbinContainer>> containers = read_fatbins(bytes);
  if (!containers)
    return containers.error();
  std::vector<u8> out;
  for (const FatbinContainer &container : *containers) {
    const std::vector<u8> pruned = in_container(container, leftover);
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

Result<std::vector<u8>> Pruner::in_image(ByteSpan file) {
  const Result<elf::ElfView> view = elf::ElfView::open_sections(file);
  if (!view)
    return view.error();
  std::vector<u8> out(file.begin(), file.end());
  for (const elf::Section &section : view->sections()) {
    if (section.name != kRelocatable && section.name != kLinked)
      continue;
    const Result<std::vector<u8>> bytes =
        in_containers(section.data, false, section.name == kRelocatable);
    if (!bytes)
      return Error{std::string(section.name), bytes.error().field, bytes.error().text()};
    if (bytes->size() > section.data.size())
      return Error{std::string(section.name), "", "there is no room for code that is unpacked"};
    const auto begin = out.begin() + (section.data.data() - file.data());
    const u64 zeros = static_cast<u64>(std::count(section.data.begin(), section.data.end(), 0));
    std::fill(begin, begin + static_cast<std::ptrdiff_t>(section.data.size()), 0);
    std::copy(bytes->begin(), bytes->end(), begin);
    const u64 zeros_after = static_cast<u64>(
        std::count(begin, begin + static_cast<std::ptrdiff_t>(section.data.size()), 0));
    out_.zeroed += zeros_after - std::min(zeros, zeros_after);
  }
  return out;
}

Result<std::vector<u8>> Pruner::in_archive(ByteSpan file) {
  return rewrite_archive(file,
                         [this](const std::string &, ByteSpan member) -> Result<std::vector<u8>> {
                           const FileKind kind = file_kind(member);
                           if (kind == FileKind::HostObject || kind == FileKind::Fatbin)
                             return run(member);
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

Result<std::vector<u8>> Pruner::run(ByteSpan file) {
  switch (file_kind(file)) {
  case FileKind::Fatbin:
    return in_containers(file, true, false);
  case FileKind::HostObject:
    return in_object(file);
  case FileKind::HostImage:
    return in_image(file);
  case FileKind::Archive:
    return in_archive(file);
  case FileKind::DeviceObject:
  case FileKind::DeviceImage:
    return in_cubin(file);
  case FileKind::Ptx:
  case FileKind::LtoIr:
    return Error{"", "", "is code for one target, of which nothing can be left out"};
  case FileKind::Unknown:
  case FileKind::Count_:
    break;
  }
  return Error{"", "", "is no file with device code"};
}

} // namespace

PruneCount PrunedFile::total() const {
  PruneCount out;
  for (const auto &[target, count] : targets) {
    out.pieces += count.pieces;
    out.dropped += count.dropped;
    out.bytes += count.bytes;
    out.bytes_after += count.bytes_after;
  }
  return out;
}

Result<PrunedFile> prune(ByteSpan file, const PruneRules &rules) {
  Pruner pruner(rules);
  Result<std::vector<u8>> bytes = pruner.run(file);
  if (!bytes)
    return bytes.error();
  PrunedFile out = pruner.take(std::move(*bytes));
  const PruneCount total = out.total();
  if (total.pieces == 0)
    return Error{"", "", "has no device code in fatbins"};
  if (total.dropped == total.pieces)
    return Error{"", "", "no code at all would be left"};
  return out;
}

std::string describe_pruning(u64 size, const PrunedFile &pruned) {
  const u64 after = pruned.bytes.size();
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

} // namespace culink
