// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of a file. The file is divided twice: first into pieces of code, headers of fatbins and the
// rest, then each piece into functions and kinds of sections. The bytes of a packed piece are
// distributed in proportion to unpacked sizes and rounded without loss: the sum of a table is
// exactly the size of the file.
#include "inspect/size/size_table.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "support/demangle.h"

namespace culink {

namespace {

constexpr std::array<std::string_view, 8> kViewNames = {
    "kernel", "function", "template", "section", "input", "fatbin", "target", "packing"};

constexpr const char *kHost = "[host]";
constexpr std::string_view kHostSection = "host "; // followed by the section's name
constexpr const char *kFatbinHeaders = "[fatbin headers]";
constexpr const char *kNotChosen = "[not chosen]";
constexpr const char *kLeftovers = "[relocatable objects]";

bool names_functions(SizeView view) {
  return view == SizeView::Kernels || view == SizeView::Functions || view == SizeView::Templates;
}

bool divides_images(SizeView view) {
  return names_functions(view) || view == SizeView::Sections;
}

// Returns the owner of a part of an image.
std::string part_owner(const inspect::ImageParts &image, const inspect::ImagePart &part,
                       SizeView view, const CodeSelection &selection) {
  if (view == SizeView::Sections)
    return std::string(part.kind);
  if (part.function == inspect::kNoFunction)
    return "[tables and padding of images]";
  const inspect::SizedFunction &function = image.functions[part.function];
  if (!selection.takes_kernel(function.name))
    return kNotChosen;
  if (view == SizeView::Kernels && !function.kernel)
    return "[device functions]";
  return view == SizeView::Templates ? plain_name(function.name) : std::string(function.name);
}

// Returns the owner of a whole piece.
std::string piece_owner(const Image &image, SizeView view) {
  const FoundCode &code = image.code;
  switch (view) {
  case SizeView::Kernels:
  case SizeView::Functions:
  case SizeView::Templates:
  case SizeView::Sections:
    return fmt::format("[{}]", code.form == FoundCode::Form::Cubin ? "damaged" : code.form_name());
  case SizeView::Inputs:
    if (!code.member.empty())
      return code.member;
    return code.entry && !code.entry->identifier.empty() ? std::string(code.entry->identifier)
                                                         : "[no name]";
  case SizeView::Fatbins:
    return code.fatbin == 0 ? code.name() : fmt::format("fatbin {} in {}", code.fatbin, code.place);
  case SizeView::Targets:
    return code.target.empty() ? "[no target]" : code.target;
  case SizeView::Packing:
    return std::string(code.entry ? compression_name(code.entry->compression) : "raw");
  }
  return "";
}

// Returns the bytes before and after the payload of a fatbin's entry.
u64 header_bytes(const FoundCode &code) {
  return code.entry ? code.entry->whole.size() - code.bytes.size() : 0;
}

std::vector<SizeRow> divide_image(const Image &image, SizeView view,
                                  const CodeSelection &selection) {
  const inspect::ImageParts parts = inspect::measure_image(*image.view);
  const u64 stored = image.code.bytes.size(), unpacked = image.bytes.size();
  std::vector<SizeRow> out;
  u64 at = 0;
  u32 counted = inspect::kNoFunction;
  for (const inspect::ImagePart &part : parts.parts) {
    SizeRow row{part_owner(parts, part, view, selection), 0, part.size, 0, {}};
    row.stored = proportion(stored, at + part.size, unpacked) - proportion(stored, at, unpacked);
    at += part.size;
    if (part.function != inspect::kNoFunction && part.function != counted &&
        view != SizeView::Sections) {
      row.count = 1;
      counted = part.function;
      const inspect::SizedFunction &function = parts.functions[part.function];
      if (view == SizeView::Kernels && function.kernel && row.name != kNotChosen) {
        row.reached = function.reached;
        row.code = function.code.size();
      }
    }
    if (view == SizeView::Sections)
      row.count = 1;
    out.push_back(std::move(row));
  }
  return out;
}

using Ranges = std::vector<std::pair<const u8 *, const u8 *>>;

Ranges occupied(const CodeInFile &found) {
  Ranges out;
  for (const ByteSpan fatbin : found.fatbins)
    out.emplace_back(fatbin.data(), fatbin.data() + fatbin.size());
  for (const FoundCode &code : found.code)
    if (code.fatbin == 0)
      out.emplace_back(code.bytes.data(), code.bytes.data() + code.bytes.size());
  std::ranges::sort(out);
  return out;
}

// Appends the sections of a host file, without the code in them.
void divide_host(ByteSpan file, const Ranges &code, std::vector<SizeRow> &out) {
  const Result<elf::ElfView> view = elf::ElfView::open_sections(file);
  std::vector<inspect::OwnedRange> pieces;
  for (const auto &[begin, end] : code)
    pieces.push_back(
        {static_cast<u64>(begin - file.data()), static_cast<u64>(end - file.data()), "", 0});
  std::vector<inspect::OwnedRange> ranges = pieces;
  if (view)
    for (const elf::Section &section : view->sections()) {
      // Before, between and after pieces.
      u64 at = section.offset;
      const u64 stop = section.offset + section.data.size();
      auto piece = std::ranges::upper_bound(pieces, at, {}, &inspect::OwnedRange::end);
      for (; piece != pieces.end() && piece->begin < stop; ++piece) {
        if (piece->begin > at)
          ranges.push_back({at, piece->begin, section.name, inspect::kNoFunction});
        at = piece->end;
      }
      if (at < stop)
        ranges.push_back({at, stop, section.name, inspect::kNoFunction});
    }
  for (const inspect::ImagePart &part : inspect::divide(file.size(), std::move(ranges)))
    if (part.function == inspect::kNoFunction)
      out.push_back({fmt::format("{}{}", kHostSection, part.kind), part.size, part.size, 1, {}});
}

// Returns the rows of one piece. The bytes of packed code are distributed in proportion to unpacked
// sizes; the sum of `stored` is the size of the piece, including header and padding.
std::vector<SizeRow> rows_of_piece(const Image &image, SizeView view,
                                   const CodeSelection &selection) {
  std::vector<SizeRow> out;
  if (divides_images(view) && image.view && !image.bytes.empty())
    out = divide_image(image, view, selection);
  else
    out.push_back({piece_owner(image, view), image.code.bytes.size(), image.code.size(), 1, {}});
  if (const u64 headers = header_bytes(image.code); headers != 0)
    out.push_back({divides_images(view) ? kFatbinHeaders : piece_owner(image, view),
                   headers,
                   headers,
                   0,
                   {}});
  return out;
}

// Returns the rows of all other bytes: host code and data, headers of fatbins.
Result<std::vector<SizeRow>> rows_of_rest(const DeviceFile &file, SizeView view) {
  const CodeInFile &found = file.found();
  const Ranges code = occupied(found);
  u64 rest = file.bytes().size();
  for (const MappedFile &member : found.files)
    rest += member.bytes().size();
  for (size_t i = 0; i < code.size(); ++i) {
    if (i != 0 && code[i].first < code[i - 1].second)
      return Error{"", "", "pieces of code share bytes: their sizes cannot be told"};
    rest -= static_cast<u64>(code[i].second - code[i].first);
  }
  std::vector<SizeRow> out;
  u64 entries = 0, fatbins = 0; // their difference is the size of the containers' headers
  for (const FoundCode &piece : found.code)
    entries += piece.entry ? piece.entry->whole.size() : 0;
  for (const ByteSpan fatbin : found.fatbins)
    fatbins += fatbin.size();
  if (fatbins != entries)
    out.push_back({kFatbinHeaders, fatbins - entries, fatbins - entries, 0, {}});
  const bool host = found.kind == FileKind::HostObject || found.kind == FileKind::HostImage;
  if (host && view == SizeView::Sections)
    divide_host(file.bytes(), code, out);
  else if (rest != 0)
    out.push_back({host || found.kind == FileKind::Archive ? kHost : "[other]", rest, rest, 0, {}});
  return out;
}

} // namespace

std::span<const std::string_view> size_view_names() {
  return kViewNames;
}

u64 proportion(u64 whole, u64 part, u64 of) {
  __extension__ using Wide = unsigned __int128;
  return of == 0 ? 0 : static_cast<u64>(Wide{whole} * part / of);
}

void SizeTable::add(const SizeRow &row) {
  SizeRow &into = rows_.try_emplace(row.name, SizeRow{.name = row.name}).first->second;
  for (SizeRow *sum : {&into, &total_}) {
    sum->stored += row.stored;
    sum->unpacked += row.unpacked;
    sum->count += row.count;
  }
  into.reached = std::max(into.reached, row.reached); // nullopt is less than any number
  into.code = std::max(into.code, row.code);
}

SizeTable SizeTable::device_code() const {
  SizeTable out;
  for (const auto &[name, row] : rows_)
    if (name != kHost && !name.starts_with(kHostSection))
      out.add(row);
  return out;
}

std::vector<SizeRow> SizeTable::rows() const {
  std::vector<SizeRow> out;
  for (const auto &[_, row] : rows_)
    out.push_back(row);
  std::ranges::stable_sort(out, [](const SizeRow &a, const SizeRow &b) {
    return a.stored != b.stored ? a.stored > b.stored : a.unpacked > b.unpacked;
  });
  return out;
}

Result<SizeTable> measure_file(const DeviceFile &file, SizeView view,
                               const CodeSelection &selection, WorkerPool &pool,
                               const std::function<void(const Problem &)> &report) {
  Result<std::vector<const FoundCode *>> chosen = file.choose(selection);
  if (!chosen)
    return chosen.error();
  const Result<std::vector<SizeRow>> rest = rows_of_rest(file, view);
  if (!rest)
    return rest.error();
  SizeTable out;
  const auto add_rows = [&](const std::vector<SizeRow> &rows) {
    for (const SizeRow &row : rows)
      out.add(row);
  };
  const auto add_whole = [&](const char *name, const FoundCode &code) {
    out.add({name, code.bytes.size() + header_bytes(code), code.size() + header_bytes(code), 1});
  };
  add_rows(*rest);
  size_t next = 0; // index in the selected pieces
  for (const FoundCode &code : file.found().code) {
    if (next < chosen->size() && (*chosen)[next] == &code)
      ++next;
    else
      add_whole(kNotChosen, code);
  }
  if (names_functions(view) && !selection.leftovers)
    for (const FoundCode *code : take_leftovers(*chosen))
      add_whole(kLeftovers, *code);
  const auto look = [&](const Image &image) -> std::function<void()> {
    return [&, rows = rows_of_piece(image, view, selection)] { add_rows(rows); };
  };
  const auto damaged = [&](const Problem &problem) {
    report(problem);
    const std::string name = file.name_of(*problem.code);
    add_rows(
        rows_of_piece({file, name, *problem.code, problem.code->bytes, nullptr}, view, selection));
  };
  if (divides_images(view)) {
    (void)walk_code(file, *chosen, pool, {look, damaged});
    return out;
  }
  for (const FoundCode *code : *chosen)
    add_rows(rows_of_piece({file, file.name(), *code, code->bytes, nullptr}, view, selection));
  return out;
}

std::vector<SizeChange> compare_sizes(const SizeTable &before, const SizeTable &after) {
  std::map<std::string, SizeChange> changes;
  for (const SizeRow &row : before.rows())
    changes[row.name].before = row;
  for (const SizeRow &row : after.rows())
    changes[row.name].after = row;
  std::vector<SizeChange> out;
  for (auto &[name, change] : changes)
    if (change.stored() != 0 || change.unpacked() != 0)
      out.push_back({name, change.before, change.after});
  std::ranges::stable_sort(out, [](const SizeChange &a, const SizeChange &b) {
    return std::abs(a.stored()) > std::abs(b.stored());
  });
  return out;
}

} // namespace culink
