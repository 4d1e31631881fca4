// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes the size of one section of a file. The layout of ptxas is simple: sections in the order
// of their numbers, each after the previous one and aligned, then the section table, then the
// program headers. Sections of Mercury files may share the bytes of an earlier one. If the input
// has this layout, the result is the file that ptxas would have written; otherwise it is not
// changed.
#include "elf/replace_section.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "elf/constants.h"
#include "elf/wire.h"
#include "support/bytes.h"

namespace culink::elf {

namespace {

using wire::Ehdr64;
using wire::Phdr64;
using wire::Shdr64;

constexpr u64 kTableAlignment = 8;

class SectionMover {
public:
  SectionMover(const std::vector<u8> &file, u32 index, u64 size)
      : file_(file), changed_(index), size_(size) {}

  [[nodiscard]] std::optional<std::vector<u8>> run(ByteSpan contents);

private:
  [[nodiscard]] bool read_tables();
  [[nodiscard]] bool is_plausible(const Shdr64 &row) const;
  [[nodiscard]] bool plan();
  [[nodiscard]] std::optional<size_t> section_with_bytes_of(size_t i) const;
  [[nodiscard]] u64 size_in_file(size_t i) const {
    return has_no_file_data(static_cast<SectionType>(old_[i].sh_type)) ? 0 : old_[i].sh_size;
  }
  [[nodiscard]] bool move_segment(Phdr64 &segment) const;

  const std::vector<u8> &file_;
  size_t changed_;
  u64 size_;
  Ehdr64 header_{};
  std::vector<Shdr64> old_, new_;
  std::vector<Phdr64> segments_;
  u64 new_table_ = 0, new_segments_ = 0;
};

bool SectionMover::read_tables() {
  const std::optional<Ehdr64> header = load_at<Ehdr64>(file_, 0);
  if (!header || header->e_shentsize != sizeof(Shdr64) ||
      (header->e_phnum != 0 && header->e_phentsize != sizeof(Phdr64)))
    return false;
  header_ = *header;
  for (u64 i = 0; i < header_.e_shnum; ++i) {
    const std::optional<Shdr64> row = load_at<Shdr64>(file_, header_.e_shoff + i * sizeof(Shdr64));
    if (!row || !is_plausible(*row))
      return false;
    old_.push_back(*row);
  }
  for (u64 i = 0; i < header_.e_phnum; ++i) {
    const std::optional<Phdr64> row = load_at<Phdr64>(file_, header_.e_phoff + i * sizeof(Phdr64));
    if (!row)
      return false;
    segments_.push_back(*row);
  }
  return changed_ < old_.size() && size_in_file(changed_) == old_[changed_].sh_size;
}

// True if the section lies in the file, so that the sums below cannot overflow.
bool SectionMover::is_plausible(const Shdr64 &row) const {
  const bool stored = !has_no_file_data(static_cast<SectionType>(row.sh_type));
  return row.sh_addralign <= file_.size() && row.sh_offset <= file_.size() &&
         (!stored || row.sh_size <= file_.size() - row.sh_offset);
}

// Returns an earlier section with the same bytes in the file, which exists in Mercury files.
std::optional<size_t> SectionMover::section_with_bytes_of(size_t i) const {
  for (size_t k = 1; k < i; ++k)
    if (k != changed_ && old_[k].sh_offset == old_[i].sh_offset &&
        size_in_file(k) == size_in_file(i))
      return k;
  return std::nullopt;
}

// Computes new offsets after the section. Each old offset must match the layout rule.
bool SectionMover::plan() {
  new_ = old_;
  new_[changed_].sh_size = size_;
  u64 old_end = old_[changed_].sh_offset + old_[changed_].sh_size;
  u64 new_end = new_[changed_].sh_offset + size_;
  for (size_t i = changed_ + 1; i < old_.size(); ++i) {
    const u64 alignment = std::max<u64>(old_[i].sh_addralign, 1);
    if (old_[i].sh_offset != align_up(old_end, alignment)) {
      const std::optional<size_t> other = section_with_bytes_of(i);
      if (!other)
        return false;
      new_[i].sh_offset = new_[*other].sh_offset;
      continue;
    }
    new_[i].sh_offset = align_up(new_end, alignment);
    old_end = old_[i].sh_offset + size_in_file(i);
    new_end = new_[i].sh_offset + size_in_file(i);
  }
  new_table_ = align_up(new_end, kTableAlignment);
  new_segments_ = header_.e_phnum == 0 ? 0 : new_table_ + old_.size() * sizeof(Shdr64);
  const bool table_fits = header_.e_shoff == align_up(old_end, kTableAlignment);
  const u64 after = header_.e_shoff + old_.size() * sizeof(Shdr64);
  const u64 end = after + segments_.size() * sizeof(Phdr64);
  return table_fits && end == file_.size() && (header_.e_phnum == 0 || header_.e_phoff == after);
}

// A segment starts at a section, or at the program headers, and ends at the end of one.
bool SectionMover::move_segment(Phdr64 &segment) const {
  if (segment.p_offset == header_.e_phoff) {
    segment.p_offset = new_segments_;
    return true;
  }
  const u64 start = segment.p_offset, end = segment.p_offset + segment.p_filesz;
  std::optional<u64> new_start, new_end;
  for (size_t i = 1; i < old_.size(); ++i) {
    const bool inside = (old_[i].sh_flags & kFlagAlloc) != 0 && old_[i].sh_offset >= start &&
                        old_[i].sh_offset + size_in_file(i) <= end;
    if (!inside)
      continue;
    if (!new_start && old_[i].sh_offset == start)
      new_start = new_[i].sh_offset;
    if (old_[i].sh_offset + size_in_file(i) == end)
      new_end = new_[i].sh_offset + size_in_file(i);
  }
  if (!new_start || !new_end || *new_end < *new_start)
    return false;
  segment.p_offset = *new_start;
  segment.p_memsz += (*new_end - *new_start) - segment.p_filesz;
  segment.p_filesz = *new_end - *new_start;
  return true;
}

std::optional<std::vector<u8>> SectionMover::run(ByteSpan contents) {
  if (!read_tables() || !plan())
    return std::nullopt;
  for (Phdr64 &segment : segments_)
    if (!move_segment(segment))
      return std::nullopt;
  std::vector<u8> out(new_table_ + old_.size() * sizeof(Shdr64) +
                      segments_.size() * sizeof(Phdr64));
  std::copy_n(file_.begin(), old_[changed_].sh_offset, out.begin());
  std::copy(contents.begin(), contents.end(),
            out.begin() + static_cast<i64>(new_[changed_].sh_offset));
  for (size_t i = changed_ + 1; i < old_.size(); ++i)
    std::copy_n(file_.begin() + static_cast<i64>(old_[i].sh_offset), size_in_file(i),
                out.begin() + static_cast<i64>(new_[i].sh_offset));
  header_.e_shoff = new_table_;
  header_.e_phoff = new_segments_;
  store_le(out.data(), header_);
  for (size_t i = 0; i < new_.size(); ++i)
    store_le(out.data() + new_table_ + i * sizeof(Shdr64), new_[i]);
  for (size_t i = 0; i < segments_.size(); ++i)
    store_le(out.data() + new_segments_ + i * sizeof(Phdr64), segments_[i]);
  return out;
}

} // namespace

bool replace_section(std::vector<u8> &file, u32 index, ByteSpan contents) {
  std::optional<std::vector<u8>> out = SectionMover(file, index, contents.size()).run(contents);
  if (!out)
    return false;
  file = std::move(*out);
  return true;
}

void append_section(std::vector<u8> &file, u32 index, ByteSpan contents) {
  file.resize(align_up(file.size(), kTableAlignment));
  u8 *row = file.data() + load_le<Ehdr64>(file.data()).e_shoff + u64{index} * sizeof(Shdr64);
  store_le(row + offsetof(Shdr64, sh_offset), u64{file.size()});
  store_le(row + offsetof(Shdr64, sh_size), u64{contents.size()});
  file.insert(file.end(), contents.begin(), contents.end());
}

} // namespace culink::elf
