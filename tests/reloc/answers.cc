// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row of the matrix is a title, then groups of types with the same answer, then the hashes of the
// files in the order of the types, four hexadecimal digits each:
//
//   constant rela plain
//     1,70: dropped
//     2: bytes 78695a4b...
//     files 1a2b 3c4d ...
#include "answers.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include <fmt/format.h>

#include "elf/elf_view.h"
#include "support/mapped_file.h"

namespace culink::reloc_test {

namespace {

constexpr u64 kShownBytes = 16;
constexpr u32 kChecksPerLine = 18;

u16 hash_of(ByteSpan bytes) {
  u64 hash = 0xcbf29ce484222325; // FNV-1a
  for (const u8 byte : bytes)
    hash = (hash ^ byte) * 0x100000001b3;
  return static_cast<u16>(hash ^ hash >> 16 ^ hash >> 32 ^ hash >> 48);
}

std::string hex_bytes(ByteSpan bytes) {
  std::string out;
  for (const u8 byte : bytes)
    out += fmt::format("{:02x}", byte);
  return out;
}

// What the place held before; base-*.yaml has the same.
constexpr std::array<u8, kShownBytes> kBefore = {0x78, 0x69, 0x5a, 0x4b, 0x3c, 0x2d, 0x1e, 0x0f,
                                                 0xf0, 0xe1, 0xd2, 0xc3, 0xb4, 0xa5, 0x96, 0x87};

std::string symbol_name(const elf::ElfView &view, const elf::Section &table, u32 number) {
  const elf::Symbol symbol = view.linked_symbols(table)[number];
  return symbol.type() == elf::SymbolType::Section && symbol.in_section()
             ? std::string(view.sections()[symbol.section].name)
             : std::string(symbol.name);
}

// Only what differs from the input is told: "kept", "kept, type 56", "kept, addend 0x30".
std::string relocation_text(const elf::ElfView &view, const elf::Section &section,
                            const elf::Relocation &relocation, const SymbolCase &symbol,
                            Table table, u32 type) {
  const bool listed = section.type == elf::SectionType::CudaResolvedRela;
  std::string out = listed ? "listed" : "kept";
  const bool has_addends = section.type != elf::SectionType::Rel;
  if (!listed && has_addends != (table == Table::Rela))
    out += has_addends ? ", rela" : ", rel";
  if (relocation.type != type)
    out += fmt::format(", type {}", relocation.type);
  if (const std::string name = symbol_name(view, section, relocation.symbol); name != symbol.symbol)
    out += fmt::format(", symbol '{}'", name);
  if (const i64 before = table == Table::Rela ? kAddend : 0; relocation.addend != before)
    out += fmt::format(", addend {:#x}", static_cast<u64>(relocation.addend));
  return out;
}

std::string describe(const elf::ElfView &view, const SymbolCase &symbol, Table table, u32 type) {
  const elf::Section *target = view.find(kTarget);
  if (!target || target->data.size() < kPlace + kShownBytes)
    return "no code";
  std::string out;
  const auto add = [&](const std::string &part) { out += (out.empty() ? "" : "; ") + part; };
  if (const ByteSpan now = target->data.subspan(kPlace, kShownBytes);
      !std::ranges::equal(now, kBefore))
    add("bytes " + hex_bytes(now));
  for (const elf::Section &section : view.sections()) {
    const bool is_table = section.type == elf::SectionType::Rel ||
                          section.type == elf::SectionType::Rela ||
                          section.type == elf::SectionType::CudaResolvedRela;
    if (!is_table || section.info != target->index)
      continue;
    const elf::RelocationTable entries = view.relocations(section);
    for (u32 i = 0; i < entries.size(); ++i)
      if (entries[i].offset == kPlace)
        add(relocation_text(view, section, entries[i], symbol, table, type));
  }
  return out.empty() ? "dropped" : out;
}

// "1,3-5": the types with this answer.
std::string types_text(const Row &row, std::string_view text) {
  std::string out;
  for (u32 i = 0; i < row.size(); ++i) {
    if (row[i].text != text)
      continue;
    u32 last = i;
    while (last + 1 < row.size() && row[last + 1].text == text)
      ++last;
    out += fmt::format("{}{}", out.empty() ? "" : ",", i + 1);
    if (last != i)
      out += fmt::format("-{}", last + 1);
    i = last;
  }
  return out;
}

bool read_types(std::string_view list, const std::string &text, Row &row) {
  const auto number = [&](u32 &value) {
    const auto [end, error] = std::from_chars(list.data(), list.data() + list.size(), value);
    list.remove_prefix(static_cast<size_t>(end - list.data()));
    return error == std::errc() && value >= 1 && value <= row.size();
  };
  while (!list.empty()) {
    u32 first = 0, last = 0;
    if (!number(first))
      return false;
    last = first;
    if (list.starts_with('-')) {
      list.remove_prefix(1);
      if (!number(last))
        return false;
    }
    for (u32 type = first; type <= last; ++type)
      row[type - 1].text = text;
    if (list.starts_with(','))
      list.remove_prefix(1);
  }
  return true;
}

} // namespace

Answer answer_of_output(ByteSpan output, const SymbolCase &symbol, Table table, u32 type) {
  const Result<elf::ElfView> view = elf::ElfView::open_tolerant(output);
  return {view ? describe(*view, symbol, table, type) : "unreadable output", hash_of(output)};
}

Answer answer_of_refusal(std::string_view reason) {
  return {fmt::format("refused, {}", reason), 0};
}

std::string title_of(const SymbolCase &symbol, Table table, Mode mode) {
  return fmt::format("{} {} {}", symbol.name, kTableNames[static_cast<u32>(table)],
                     kModeNames[static_cast<u32>(mode)]);
}

std::string write_matrix(const Matrix &matrix, std::string_view target) {
  std::string out = fmt::format("# What nvlink 13.0.88 does with each relocation type on {}.\n"
                                "# Recorded by record.sh; answers.cc describes the form.\n",
                                target);
  for (const auto &[title, row] : matrix) {
    out += title + "\n";
    std::vector<std::string_view> told;
    for (const Answer &answer : row)
      if (std::ranges::find(told, answer.text) == told.end()) {
        told.push_back(answer.text);
        out += fmt::format("  {}: {}\n", types_text(row, answer.text), answer.text);
      }
    for (u32 i = 0; i < row.size(); ++i) {
      const std::string_view start = i == 0                    ? "  files"
                                     : i % kChecksPerLine == 0 ? "\n  files"
                                                               : "";
      out += fmt::format("{} {:04x}", start, row[i].check);
    }
    out += "\n";
  }
  return out;
}

Result<Matrix> read_matrix(const std::string &path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file)
    return file.error();
  std::istringstream lines(
      std::string(reinterpret_cast<const char *>(file->bytes().data()), file->bytes().size()));
  Matrix matrix;
  Row *row = nullptr;
  u32 checks = 0, number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with("#"))
      continue;
    bool good = true;
    if (!line.starts_with("  ")) {
      row = &matrix.emplace(line, Row(kTypeCount)).first->second;
      checks = 0;
    } else if (row && line.starts_with("  files")) {
      std::istringstream words(line.substr(7));
      for (u32 check = 0; words >> std::hex >> check && checks < kTypeCount; ++checks)
        (*row)[checks].check = static_cast<u16>(check);
    } else {
      const size_t colon = line.find(": ");
      good = row && colon != std::string::npos &&
             read_types(std::string_view(line).substr(2, colon - 2), line.substr(colon + 2), *row);
    }
    if (!good)
      return Error{path, fmt::format("line {}", number), "not a row of the matrix"};
  }
  return matrix;
}

} // namespace culink::reloc_test
