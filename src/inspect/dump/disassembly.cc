// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Annotates the output of nvdisasm with facts from the file. Lines are kept as they are; a comment
// after an instruction shows how a linker will change it, or has changed it and recorded that. A
// line of code begins with its offset in a comment, a section with its name between dashes; all
// other lines are only copied.
#include "inspect/dump/disassembly.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "elf/target/reloc.h"
#include "support/demangle.h"
#include "support/text_out.h"

namespace culink::text {

namespace {

constexpr std::string_view kCodePrefix = ".text.";
constexpr u64 kInstructionSize = 16; // on all supported targets
constexpr size_t kCommentColumn = 88;

// Returns ".text.k" for "//--------------------- .text.k      --------------------------".
std::optional<std::string_view> section_of_line(std::string_view line) {
  constexpr std::string_view kStart = "//---";
  if (!line.starts_with(kStart) || !line.ends_with("---"))
    return std::nullopt;
  line.remove_prefix(kStart.size());
  const size_t begin = line.find_first_not_of("- ");
  if (begin == std::string_view::npos)
    return std::nullopt;
  const size_t end = line.find(' ', begin);
  return line.substr(begin, end - begin);
}

// Returns the number in "        /*00d0*/    UMOV UR4 ...".
std::optional<u64> offset_of_line(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos || !line.substr(begin).starts_with("/*"))
    return std::nullopt;
  u64 offset = 0;
  const char *end = line.data() + line.size();
  const auto [stop, error] = std::from_chars(line.data() + begin + 2, end, offset, 16);
  if (error != std::errc() || !std::string_view(stop, end).starts_with("*/"))
    return std::nullopt;
  return offset;
}

// Returns "R_CUDA_ABS32_LO_20 samples_seen+0x8".
std::string describe(const elf::Relocation &relocation, const elf::SymbolTable &symbols) {
  const arch::RelocInfo *row = arch::find_reloc(relocation.type);
  std::string out = row ? std::string(row->name) : fmt::format("relocation {}", relocation.type);
  if (relocation.symbol < symbols.size())
    out += " " + visible(demangle(symbols[relocation.symbol].name));
  if (relocation.addend != 0)
    out += fmt::format("{}{:#x}", relocation.addend < 0 ? "-" : "+",
                       relocation.addend < 0 ? -static_cast<u64>(relocation.addend)
                                             : static_cast<u64>(relocation.addend));
  return out;
}

using Comments = std::multimap<u64, std::string>; // by offset of the instruction

Comments comments_of(const elf::ElfView &view, const elf::Section &code) {
  Comments out;
  for (const elf::Section &section : view.sections()) {
    if (section.info != code.index)
      continue;
    const elf::RelocationTable table = view.relocations(section);
    const elf::SymbolTable symbols = view.linked_symbols(section);
    for (u32 i = 0; i < table.size(); ++i)
      out.emplace(table[i].offset - table[i].offset % kInstructionSize,
                  describe(table[i], symbols));
  }
  return out;
}

std::string with_comment(std::string_view line, const std::string &comment) {
  const size_t blanks = line.size() < kCommentColumn ? kCommentColumn - line.size() : 1;
  return std::string(line) + std::string(blanks, ' ') + "// " + comment;
}

} // namespace

std::vector<u32> function_symbols(const elf::ElfView &view, const FunctionFilter &wanted) {
  std::vector<u32> out;
  const elf::SymbolTable symbols = view.symbols();
  for (u32 i = 0; i < symbols.size(); ++i) {
    const elf::Symbol symbol = symbols[i];
    if (symbol.section < view.sections().size() &&
        view.sections()[symbol.section].name ==
            std::string(kCodePrefix) + std::string(symbol.name) &&
        wanted(symbol.name))
      out.push_back(i);
  }
  return out;
}

std::string annotate_disassembly(const elf::ElfView &view, std::string_view listing,
                                 const FunctionFilter &wanted) {
  std::string out;
  Comments comments;
  bool shown = false;
  while (!listing.empty()) {
    const std::string_view line = listing.substr(0, listing.find('\n'));
    listing.remove_prefix(std::min(line.size() + 1, listing.size()));
    if (const std::optional<std::string_view> name = section_of_line(line)) {
      const elf::Section *section = view.find(*name);
      shown = section && name->starts_with(kCodePrefix) && wanted(name->substr(kCodePrefix.size()));
      if (shown) {
        comments = comments_of(view, *section);
        out += with_comment(line, visible(demangle(name->substr(kCodePrefix.size())))) + "\n";
        continue;
      }
    }
    if (!shown)
      continue;
    const std::optional<u64> offset = offset_of_line(line);
    const auto [first, last] =
        offset ? comments.equal_range(*offset) : std::pair(comments.cend(), comments.cend());
    std::string comment;
    for (auto one = first; one != last; ++one)
      comment += (comment.empty() ? "" : ", ") + one->second;
    out += (comment.empty() ? std::string(line) : with_comment(line, comment)) + "\n";
  }
  return out;
}

} // namespace culink::text
