// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of usage: values by the names of their columns, conditions, orders, the result of a launch,
// and tables. The name, which may be long, comes last.
//
// What may surprise: the shared memory of a linked kernel includes the area that the system
// reserves, which theoretical_occupancy adds itself. Launches with more threads than
// __launch_bounds__ allows fail, and so do those whose number differs from .reqntid.
#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "culink/host_references.h"
#include "elf/target/occupancy.h"
#include "inspect/dump/usage.h"
#include "inspect/reader/usage.h"
#include "support/demangle.h"
#include "support/option_text.h"

namespace culink::text {

namespace {

// The columns that describe a launch.
struct LaunchFact {
  std::string_view key;
  u32 LaunchResult::*value;
};
constexpr std::array<LaunchFact, 3> kLaunchFacts{{
    {"blocks", &LaunchResult::blocks},
    {"warps", &LaunchResult::warps},
    {"occupancy", &LaunchResult::percent},
}};

constexpr std::array<std::string_view, 5> kNames = {"kind", "limited_by", "target", "image",
                                                    "name"};

bool has_names(std::string_view key) {
  return std::ranges::find(kNames, key) != kNames.end();
}

std::string_view name_of(const UsageRow &row, std::string_view key) {
  if (key == "kind")
    return row.use.kernel ? "kernel" : "function";
  if (key == "limited_by")
    return row.launch ? row.launch->limited_by : "";
  return key == "target" ? row.target : key == "image" ? row.image : row.name;
}

std::optional<u64> constant_size(const FunctionUsage &function, u32 bank) {
  for (const BankUse &use : function.constants)
    if (use.bank == bank)
      return use.size;
  return std::nullopt;
}

// Returns the number in "constant3".
std::optional<u32> bank_of(std::string_view key) {
  constexpr std::string_view kPrefix = "constant";
  if (!key.starts_with(kPrefix))
    return std::nullopt;
  u32 bank = 0;
  const char *const end = key.data() + key.size();
  const auto [at, error] = std::from_chars(key.data() + kPrefix.size(), end, bank);
  return error == std::errc() && at == end ? std::optional(bank) : std::nullopt;
}

std::optional<u64> value_of(const UsageRow &row, std::string_view key) {
  if (const std::optional<u32> bank = bank_of(key))
    return constant_size(row.use, *bank);
  for (const inspect::FunctionFact &fact : inspect::function_facts())
    if (fact.key == key)
      return fact.value(row.use);
  for (const LaunchFact &fact : kLaunchFacts)
    if (fact.key == key && row.launch)
      return (*row.launch).*fact.value;
  return std::nullopt;
}

LaunchResult launch(const FunctionUsage &use, const arch::MultiprocessorInfo &sm, u64 reserved,
                    const LaunchShape &shape) {
  if (shape.threads == 0 || shape.threads > arch::kMaxBlockThreads)
    return {0, 0, 0, "threads"};
  if ((use.required_threads && inspect::product_of(*use.required_threads) != shape.threads) ||
      (use.max_threads && inspect::product_of(*use.max_threads) < shape.threads))
    return {0, 0, 0, "launch_bounds"};
  const arch::LaunchNeeds needs{.registers = use.registers.value_or(0),
                                .shared = use.shared - std::min(use.shared, reserved) +
                                          shape.dynamic_shared,
                                .threads = shape.threads};
  const std::optional<arch::Occupancy> found = arch::theoretical_occupancy(sm, needs);
  return found ? LaunchResult{found->blocks, found->warps, found->percent,
                              arch::name_of(found->limit)}
               : LaunchResult{};
}

struct RelationRow {
  std::string_view text;
  bool (*holds)(u64 value, u64 number);
  bool of_names = false; // also applies to names
};

// An operator comes before its own prefixes.
constexpr std::array<RelationRow, 7> kRelations{{
    {">=", [](u64 a, u64 b) { return a >= b; }},
    {"<=", [](u64 a, u64 b) { return a <= b; }},
    {"!=", [](u64 a, u64 b) { return a != b; }, true},
    {"==", [](u64 a, u64 b) { return a == b; }, true},
    {">", [](u64 a, u64 b) { return a > b; }},
    {"<", [](u64 a, u64 b) { return a < b; }},
    {"=", [](u64 a, u64 b) { return a == b; }, true},
}};

// Returns a number of a function as a cell.
Value shown(const inspect::FunctionFact &fact, const FunctionUsage &use, std::string &scratch) {
  using Shape = inspect::FunctionFact::Shape;
  const std::optional<u64> value = fact.value(use);
  if (!value)
    return fact.rare ? absent() : missing();
  if (fact.shape == Shape::Stack && *value == kUnboundedStack)
    return label(*value, "unbounded");
  if (fact.shape != Shape::Threads)
    return number(*value);
  const auto &threads = fact.key == "max_threads" ? use.max_threads : use.required_threads;
  scratch = fmt::format("{} {} {}", (*threads)[0], (*threads)[1], (*threads)[2]);
  return {Value::Kind::List, 0, scratch};
}

std::set<u32> banks_of(std::span<const UsageRow> rows) {
  std::set<u32> banks;
  for (const UsageRow &row : rows)
    for (const BankUse &use : row.use.constants)
      banks.insert(use.bank);
  return banks;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

bool matches_name(const UsageCondition &condition, const UsageRow &row) {
  const std::string_view name = name_of(row, condition.key);
  if (matches_pattern(name, condition.text))
    return true;
  return condition.key == "name" && (matches_pattern(demangle(name), condition.text) ||
                                     matches_pattern(plain_name(name), condition.text));
}

Error wrong(std::string_view condition, std::string what) {
  return {"", "", "'" + std::string(condition) + "': " + std::move(what)};
}

} // namespace

std::vector<std::string_view> usage_numbers() {
  std::vector<std::string_view> out;
  for (const inspect::FunctionFact &fact : inspect::function_facts())
    out.push_back(fact.key);
  for (const LaunchFact &fact : kLaunchFacts)
    out.push_back(fact.key);
  return out;
}

std::vector<UsageRow> make_rows(const ModuleUsage &usage, std::string_view target,
                                const arch::ArchInfo *arch, bool linked,
                                const std::optional<LaunchShape> &shape) {
  const arch::MultiprocessorInfo *const sm = arch ? arch::find_multiprocessor(*arch) : nullptr;
  std::vector<UsageRow> rows;
  rows.reserve(usage.functions.size());
  for (const FunctionUsage &use : usage.functions) {
    UsageRow &row = rows.emplace_back(
        UsageRow{std::string(use.name), use, std::string(target), {}, std::nullopt});
    if (shape && sm && use.kernel)
      row.launch = launch(use, *sm, linked ? arch->reserved_shared : 0, *shape);
  }
  return rows;
}

bool is_usage_key(std::string_view key) {
  return has_names(key) || bank_of(key) || std::ranges::count(usage_numbers(), key) != 0;
}

std::string usage_keys() {
  std::string out = "kind";
  for (const std::string_view key : usage_numbers())
    out += (key == "code" ? ", constantN, " : ", ") + std::string(key);
  return out + ", limited_by, target, image, name";
}

Result<UsageCondition> parse_condition(std::string_view text) {
  const size_t at = text.find_first_of("<>=!");
  if (at == std::string_view::npos)
    return wrong(text, "no condition, as 'registers>64' would be one");
  UsageCondition out;
  out.key = trimmed(text.substr(0, at));
  std::string_view value;
  const RelationRow *relation = &kRelations.back();
  for (const RelationRow &row : kRelations)
    if (value.empty() && text.substr(at).starts_with(row.text)) {
      relation = &row;
      value = trimmed(text.substr(at + row.text.size()));
    }
  out.relation = relation->holds;
  if (!is_usage_key(out.key))
    return wrong(text, "no column '" + out.key + "'; there are " + usage_keys());
  if (has_names(out.key) && !relation->of_names)
    return wrong(text, "names are compared with = and !=");
  if (has_names(out.key)) {
    out.text = value;
    return out;
  }
  const std::optional<u64> number = value == "unbounded" ? kUnboundedStack
                                    : value == "0"       ? std::optional<u64>(0)
                                                         : parse_byte_size(value);
  if (!number)
    return wrong(text, "no number '" + std::string(value) + "'");
  out.number = *number;
  return out;
}

bool UsageCondition::holds(const UsageRow &row) const {
  if (has_names(key))
    return relation(matches_name(*this, row) ? 1 : 0, 1);
  const std::optional<u64> value = value_of(row, key);
  return value && relation(*value, number);
}

void sort_rows(std::string_view key, std::vector<UsageRow> &rows) {
  if (has_names(key))
    std::ranges::stable_sort(rows, {}, [&](const UsageRow &row) { return name_of(row, key); });
  else // unrecorded values come last
    std::ranges::stable_sort(rows, std::greater<>(),
                             [&](const UsageRow &row) { return value_of(row, key); });
}

void print_rows(std::span<const UsageRow> rows, const UsageOutput &output, Sink &sink) {
  using Row = const UsageRow &;
  using Scratch = std::string &;
  std::vector<TableColumn<UsageRow>> columns;
  columns.push_back({"kind",
                     [](Row row, Scratch) { return name(name_of(row, "kind")); },
                     {.left = true, .width = 8}});
  for (const inspect::FunctionFact &fact : inspect::function_facts()) {
    if (fact.key == "code")
      for (const u32 bank : banks_of(rows))
        columns.push_back({fmt::format("constant{}", bank), [bank](Row row, Scratch) {
                             const std::optional<u64> size = constant_size(row.use, bank);
                             return size ? number(*size) : absent();
                           }});
    columns.push_back({std::string(fact.key),
                       [&fact](Row row, Scratch scratch) { return shown(fact, row.use, scratch); },
                       {.rare = fact.rare}});
  }
  for (const LaunchFact &fact : kLaunchFacts)
    columns.push_back({std::string(fact.key),
                       [&fact](Row row, Scratch) {
                         return row.launch ? number((*row.launch).*fact.value) : absent();
                       },
                       {.rare = true}});
  columns.push_back(
      {"limited_by",
       [](Row row, Scratch) { return row.launch ? name(row.launch->limited_by) : absent(); },
       {.left = true, .rare = true}});
  if (output.images)
    for (const char *key : {"target", "image"})
      columns.push_back({key,
                         [key](Row row, Scratch) { return name_or_missing(name_of(row, key)); },
                         {.left = true}});
  columns.push_back({"name", [&](Row row, Scratch scratch) {
                       return name(scratch =
                                       shown_name(row.name, output.demangled ? demangle : nullptr));
                     }});
  write_table<UsageRow>(
      {.key = "functions",
       .title = "Functions",
       .columns = std::move(columns),
       .rows = rows,
       .more = output.left_out == 0 ? "" : fmt::format("... {} more", output.left_out)},
      sink);
}

void print_module(const ModuleUsage &usage, Sink &sink) {
  sink.open_record("module", "Module");
  const std::string release = inspect::release_name(usage.toolkit);
  sink.field({"release", "CUDA release"}, release.empty() ? missing() : name(release));
  sink.field({"global", "global"}, number(usage.global));
  sink.field({"shared", "shared"}, number(usage.shared));
  sink.field({"reserved_shared", "reserved shared"}, number(usage.reserved_shared));
  for (const BankUse &use : usage.constants)
    sink.field({fmt::format("constant{}", use.bank), ""}, number(use.size));
  sink.close_record();
}

void print_limits(const arch::ArchInfo *arch, Sink &sink) {
  sink.open_record("limits", "Limits of the target");
  const arch::MultiprocessorInfo *const sm = arch ? arch::find_multiprocessor(*arch) : nullptr;
  const auto put = [&](std::string_view key, std::string_view title, u64 value) {
    sink.field({key, title}, value == 0 ? missing() : number(value));
  };
  sink.field({"target", "target"}, arch ? name(arch->name) : missing());
  const arch::Limits limits = arch ? arch->limits : arch::Limits{};
  put("registers", "registers", limits.registers);
  put("threads", "threads", arch ? arch::kMaxBlockThreads : 0);
  put("static_shared", "static shared", limits.static_shared);
  put("block_shared", "block shared", sm ? sm->block_shared : limits.opt_in_shared);
  put("barriers", "barriers", limits.barriers);
  put("parameters", "parameters", limits.parameter_bytes);
  put("constant_bank", "constant bank", limits.constant_bank);
  put("sm_warps", "SM warps", sm ? sm->warps : 0);
  put("sm_blocks", "SM blocks", sm ? sm->blocks : 0);
  put("sm_registers", "SM registers", sm ? sm->registers : 0);
  put("sm_shared", "SM shared", sm ? sm->shared : 0);
  sink.close_record();
}

} // namespace culink::text
