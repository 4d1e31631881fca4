// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads an image for a page: inspect/reader/image_parts divides its bytes and finds calls,
// inspect/reader/usage finds resources. Both list the functions in the order of their symbols.
//
// Functions are sorted by name here: names of one template then follow each other, which makes the
// page a fraction of the size (see put_front_coded).
#include "inspect/page/page.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

#include "elf/target/elf_flags.h"
#include "elf/target/occupancy.h"
#include "inspect/reader/image_parts.h"
#include "inspect/reader/usage.h"
#include "support/bytes.h"
#include "support/demangle.h"
#include "support/json.h"
#include "support/string_index.h"
#include "support/text_out.h"

namespace culink::page {

namespace {

struct PartName {
  std::string_view kind;
  std::string_view shown;
};

// Names on the page for kinds of bytes that do not belong to a function; others keep their names.
constexpr PartName kPartNames[] = {
    {"string-table", "names"},
    {"symbol-table", "symbol table"},
    {"symbol-indices", "symbol table"},
    {"rel", "relocations"},
    {"rela", "relocations"},
    {"resolved-rela", "relocations"},
    {"text", "code without a symbol"},
    {"mercury", "Mercury code"},
    {"info", "records"},
    {"callgraph", "call graph"},
    {"prototype", "call graph"},
    {"constant", "constant variables"},
    {"constant-named", "constant variables"},
    {"global-init", "global variables"},
    {"dwarf", "debug information"},
    {"nv-debug", "debug information"},
    {"note-tkinfo", "notes"},
    {"note-cuinfo", "notes"},
    {"note-cuver", "notes"},
    {"note", "notes"},
    {"header", "file headers"},
    {"program-headers", "file headers"},
    {"section-headers", "section headers"},
};

std::string_view shown_part(std::string_view kind) {
  for (const PartName &row : kPartNames)
    if (row.kind == kind)
      return row.shown;
  return kind;
}

FunctionRow make_row(const FunctionUsage &use, bool linked, u64 reserved_shared) {
  FunctionRow row{std::string(use.name), use};
  if (!row.use.min_stack)
    row.use.min_stack = use.frame;
  if (!linked) // callees are not known yet, so the stack is not either
    row.use.min_stack.reset();
  row.use.shared -= std::min(use.shared, use.kernel ? reserved_shared : 0);
  return row;
}

void add_functions(const inspect::ImageParts &measured, const ModuleUsage &usage,
                   u64 reserved_shared, ImageReport &out) {
  std::vector<u32> order(usage.functions.size()), row_of(usage.functions.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](u32 a, u32 b) { return usage.functions[a].name < usage.functions[b].name; });
  for (u32 row = 0; row < order.size(); ++row)
    row_of[order[row]] = row;
  for (const u32 at : order) {
    FunctionRow &row =
        out.functions.emplace_back(make_row(usage.functions[at], out.linked, reserved_shared));
    row.bytes = measured.functions[at].own;
    row.digest = std::hash<std::string_view>()(as_text(measured.functions[at].code));
    for (const u32 callee : measured.functions[at].calls)
      row.calls.push_back(row_of[callee]);
  }
}

void add_parts(const inspect::ImageParts &measured, ImageReport &out) {
  std::map<std::string_view, u64> sums;
  for (const inspect::ImagePart &part : measured.parts)
    if (part.function == inspect::kNoFunction)
      sums[shown_part(part.kind)] += part.size;
  for (const auto &[kind, bytes] : sums)
    out.parts.push_back({std::string(kind), bytes});
  std::stable_sort(out.parts.begin(), out.parts.end(),
                   [](const FilePart &a, const FilePart &b) { return a.bytes > b.bytes; });
}

} // namespace

ImageReport read_image(const elf::ElfView &file) {
  ImageReport out;
  const arch::FileTarget target = arch::target_of(file);
  out.target = target.name;
  out.linked = file.header().type == elf::FileType::Executable;
  out.bytes = file.file().size();
  const ModuleUsage usage = inspect::collect_usage(file);
  out.toolkit = usage.toolkit;
  const inspect::ImageParts measured = inspect::measure_image(file);
  add_functions(measured, usage, out.linked && target.arch ? target.arch->reserved_shared : 0, out);
  add_parts(measured, out);
  return out;
}

// Facts of a link in addition to its image. Functions of the image and of the facts are matched by
// name; local functions of one name are matched in order.

namespace {

void add_inputs(ImageReport &image, const LinkFacts &facts) {
  NameMap<u32> inputs;
  NameMap<std::deque<u32>> input_of;
  for (const FunctionFacts &function : facts.functions) {
    if (!function.live || function.file.empty())
      continue;
    const auto [at, is_new] =
        inputs.try_emplace(function.file, static_cast<u32>(image.inputs.size()));
    if (is_new)
      image.inputs.push_back(function.file);
    input_of[function.name].push_back(at->second);
  }
  for (FunctionRow &function : image.functions) {
    const auto at = input_of.find(function.name);
    if (at == input_of.end() || at->second.empty())
      continue;
    function.input = at->second.front();
    if (at->second.size() > 1)
      at->second.pop_front();
  }
}

} // namespace

Report with_link(ImageReport image, const LinkResult &result) {
  Report out;
  out.of_link = true;
  add_inputs(image, result.facts);
  out.images.push_back(std::move(image));
  out.discarded = result.facts.discarded;
  out.steps.assign(result.times.begin(), result.times.end());
  return out;
}

// A page: its data as JSON between the parts of the web page. Functions that occur more than once
// get group numbers first, so that the page can show them together.
//
// Two functions are equal if their code has the same size and digest. Groups are numbered in the
// order in which they are found, so that a page does not depend on digests.

namespace {

using Key = std::tuple<std::string_view, bool, std::string_view, u64, u64>;

Key key_of(const ImageReport &image, const FunctionRow &function) {
  return {image.target, image.earlier,
          image.linked ? std::string_view() : std::string_view(function.name), function.use.code,
          function.digest};
}

// Returns by image and function the number of its group, from 1, if others have the same machine
// code for the same target; else 0. Unlinked code must also have the same name, because it does not
// contain the addresses of its callees yet. The sides of a comparison have separate groups.
std::vector<std::vector<u32>> number_duplicates(const Report &report) {
  std::map<Key, u32> seen; // number of occurrences
  for (const ImageReport &image : report.images)
    for (const FunctionRow &function : image.functions)
      if (function.use.code != 0)
        ++seen[key_of(image, function)];
  std::map<Key, u32> numbers;
  std::vector<std::vector<u32>> out;
  for (const ImageReport &image : report.images) {
    std::vector<u32> &of_image = out.emplace_back();
    for (const FunctionRow &function : image.functions) {
      const Key key = key_of(image, function);
      const auto count = seen.find(key);
      const bool several = count != seen.end() && count->second > 1;
      of_image.push_back(
          several ? numbers.try_emplace(key, static_cast<u32>(numbers.size() + 1)).first->second
                  : 0);
    }
  }
  return out;
}

// Returns by image and function a number for its machine code, the same for equal code on both
// sides.
std::vector<std::vector<u32>> number_code(const Report &report) {
  std::map<std::pair<u64, u64>, u32> numbers;
  std::vector<std::vector<u32>> out;
  for (const ImageReport &image : report.images) {
    std::vector<u32> &of_image = out.emplace_back();
    for (const FunctionRow &function : image.functions) {
      const auto next = static_cast<u32>(numbers.size());
      of_image.push_back(
          numbers.try_emplace({function.use.code, function.digest}, next).first->second);
    }
  }
  return out;
}

// The data of a page, small enough for 64,000 kernels with names of templates: a column is an
// array, calls are one array with a start for each function, and a name is stored as the number of
// characters it shares with its predecessor and the rest (front coding). data.js reads it.
//
// Names come from untrusted files. Bytes that are not text are shown as numbers, as in messages,
// and < > & are written as \u escapes, so that a name cannot end the element around the data.

// Returns the number of characters that two names share at their beginning. Only ASCII characters
// are shared: then one byte is one unit of a JavaScript string.
size_t shared_start(std::string_view a, std::string_view b) {
  const size_t most = std::min(a.size(), b.size());
  size_t at = 0;
  while (at < most && a[at] == b[at] && static_cast<unsigned char>(a[at]) < 0x80)
    ++at;
  return at;
}

// Writes two arrays: the lengths of the shared beginnings, and the remaining texts.
void put_front_coded(JsonWriter &out, std::string_view name,
                     const std::vector<std::string> &names) {
  std::vector<size_t> lengths;
  std::vector<std::string_view> rests;
  std::string_view before;
  for (const std::string &current : names) {
    lengths.push_back(shared_start(before, current));
    rests.push_back(std::string_view(current).substr(lengths.back()));
    before = current;
  }
  out.key(name);
  out.open('{');
  out.list("shared", lengths);
  out.list("rest", rests);
  out.close('}');
}

template <class T> i64 or_unknown(const std::optional<T> &value) {
  return value ? static_cast<i64>(*value) : -1;
}

void put_names(JsonWriter &out, const std::vector<FunctionRow> &functions) {
  std::vector<std::string> mangled, shown, families;
  std::vector<u32> family_of;
  OwnedNameMap<u32> known;
  for (const FunctionRow &function : functions) {
    mangled.push_back(visible(function.name));
    shown.push_back(visible(demangle(function.name)));
    std::string family = visible(plain_name(function.name));
    const auto [at, is_new] = known.try_emplace(family, static_cast<u32>(families.size()));
    if (is_new)
      families.push_back(std::move(family));
    family_of.push_back(at->second);
  }
  put_front_coded(out, "names", shown);
  put_front_coded(out, "mangled", mangled);
  put_front_coded(out, "families", families);
  out.list("family", family_of);
}

void put_calls(JsonWriter &out, const std::vector<FunctionRow> &functions) {
  std::vector<u32> starts, callees;
  for (const FunctionRow &function : functions) {
    starts.push_back(static_cast<u32>(callees.size()));
    callees.insert(callees.end(), function.calls.begin(), function.calls.end());
  }
  out.list("callStart", starts);
  out.list("callTo", callees);
}

// Returns the threads of a block that a function was compiled for; 0 if the file does not record
// them.
u32 block_threads(const FunctionUsage &use) {
  const auto &given = use.required_threads ? use.required_threads : use.max_threads;
  const u64 threads = given ? inspect::product_of(*given) : 0;
  return threads > 0xffffffff ? 0 : static_cast<u32>(threads);
}

void put_functions(JsonWriter &out, const std::vector<FunctionRow> &functions) {
  using Row = const FunctionRow &;
  put_names(out, functions);
  out.list("kernel", functions, [](Row row) { return row.use.kernel; });
  out.list("code", functions, [](Row row) { return row.use.code; });
  out.list("bytes", functions, &FunctionRow::bytes);
  out.list("registers", functions, [](Row row) { return or_unknown(row.use.registers); });
  out.list("stack", functions, [](Row row) { return or_unknown(row.use.min_stack); });
  out.list("spills", functions, [](Row row) { return or_unknown(row.use.spills); });
  out.list("barriers", functions, [](Row row) { return or_unknown(row.use.barriers); });
  out.list("local", functions, [](Row row) { return row.use.local; });
  out.list("shared", functions, [](Row row) { return row.use.shared; });
  out.list("constant", functions, [](Row row) { return inspect::sum_of_constants(row.use); });
  out.list("threads", functions, [](Row row) { return block_threads(row.use); });
  out.list("input", functions,
           [](Row row) { return row.input == kNoInput ? i64{-1} : i64{row.input}; });
  put_calls(out, functions);
}

// Writes the numbers that occupancy is computed from.
void put_multiprocessor(JsonWriter &out, std::string_view target) {
  const arch::ArchInfo *arch = arch::find_arch(target);
  const arch::MultiprocessorInfo *sm = arch ? arch::find_multiprocessor(*arch) : nullptr;
  if (!sm)
    return;
  out.key("sm");
  out.open('{');
  out.field("warps", sm->warps);
  out.field("blocks", sm->blocks);
  out.field("registers", sm->registers);
  out.field("shared", sm->shared);
  out.field("blockShared", sm->block_shared);
  out.field("reservedShared", sm->reserved_shared);
  out.field("sharedUnit", sm->shared_unit);
  out.close('}');
}

void put_image(JsonWriter &out, const ImageReport &image, const std::vector<u32> &duplicates,
               const std::vector<u32> *code) {
  out.open('{');
  out.field("file", visible(image.file));
  out.field("name", visible(image.name));
  out.field("target", visible(image.target));
  out.field("toolkit", image.toolkit);
  out.field("linked", image.linked);
  out.field("earlier", image.earlier);
  out.field("size", image.bytes);
  put_multiprocessor(out, image.target);
  out.list("inputs", image.inputs, visible);
  out.list("partKinds", image.parts, &FilePart::kind);
  out.list("partBytes", image.parts, &FilePart::bytes);
  put_functions(out, image.functions);
  out.list("duplicates", duplicates);
  if (code)
    out.list("instructions", *code);
  out.close('}');
}

void put_discarded(JsonWriter &out, const std::vector<DiscardedFacts> &rows) {
  std::vector<std::string> names;
  for (const DiscardedFacts &row : rows)
    names.push_back(visible(demangle(row.name)));
  out.key("discarded");
  out.open('{');
  put_front_coded(out, "names", names);
  using Row = const DiscardedFacts &;
  out.list("files", rows, [](Row row) { return visible(row.file); });
  out.list("bytes", rows, &DiscardedFacts::size);
  out.list("why", rows, [](Row row) { return visible(row.why); });
  out.close('}');
}

// Escapes characters of markup; they occur only in strings.
std::string without_markup(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char &c : json)
    out += c == '<'   ? "\\u003c"
           : c == '>' ? "\\u003e"
           : c == '&' ? "\\u0026"
                      : std::string_view(&c, 1);
  return out;
}

// Integers, so that the text does not depend on the locale's decimal point.
i64 microseconds(double seconds) {
  return static_cast<i64>(seconds * 1e6);
}

void put_link(JsonWriter &out, const Report &report) {
  put_discarded(out, report.discarded);
  using Step = const StepTime &;
  out.list("severities", report.messages, &MessageRow::severity);
  out.list("messages", report.messages, &MessageRow::text);
  out.list("steps", report.steps, &StepTime::name);
  out.list("stepWall", report.steps, [](Step row) { return microseconds(row.wall); });
  out.list("stepProcessor", report.steps, [](Step row) { return microseconds(row.processor); });
}

} // namespace

std::string report_json(const Report &report) {
  TextOut text;
  JsonWriter out(text);
  out.open('{');
  out.field("format", 1);
  out.field("version", CULINK_VERSION);
  out.field("compares", report.compares);
  out.field("ofLink", report.of_link);
  out.key("images");
  out.open('[');
  const std::vector<std::vector<u32>> duplicates = number_duplicates(report);
  const std::vector<std::vector<u32>> code =
      report.compares ? number_code(report) : std::vector<std::vector<u32>>();
  for (size_t i = 0; i < report.images.size(); ++i)
    put_image(out, report.images[i], duplicates[i], code.empty() ? nullptr : &code[i]);
  out.close(']');
  if (report.of_link)
    put_link(out, report);
  out.close('}');
  return without_markup(text.text());
}

// A page is a fixed text with the data in the middle. cmake/embed_page.py makes the text from
// src/inspect/page/web when culink is built. Its policy (Content-Security-Policy) allows only the
// script and the style sheet with the recorded hashes, and no network requests.

std::string page_html(const Report &report) {
  std::string out(before_data());
  out += report_json(report);
  out += after_data();
  return out;
}

} // namespace culink::page
