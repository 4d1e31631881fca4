// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of usage as data: values by the names of their columns, conditions, orders, and what a
// launch would be like.
//
// What may surprise: shared memory of a linked kernel has the area that the system reserves in it,
// which theoretical_occupancy adds itself. Launches with more threads than __launch_bounds__ allow
// fail, and so do those with others than .reqntid demands.
#include <algorithm>
#include <array>
#include <charconv>

#include "culink/host_references.h"
#include "elf/target/occupancy.h"
#include "support/demangle.h"
#include "support/option_text.h"
#include "text/dump/usage.h"
#include "text/dump/usage_columns.h"

namespace culink::text {

namespace {

u64 product(const std::array<u32, 3> &threads) {
  return u64{threads[0]} * threads[1] * threads[2];
}

std::optional<u64> wide(const std::optional<u32> &value) {
  return value ? std::optional<u64>(*value) : std::nullopt;
}

template <std::optional<u32> FunctionUsage::*field>
std::optional<u64> optional_of(const UsageRow &row) {
  return wide(row.use.*field);
}

template <u64 FunctionUsage::*field> std::optional<u64> number_of(const UsageRow &row) {
  return row.use.*field;
}

template <std::optional<std::array<u32, 3>> FunctionUsage::*field>
std::optional<u64> threads_of(const UsageRow &row) {
  return row.use.*field ? std::optional(product(*(row.use.*field))) : std::nullopt;
}

template <u32 LaunchResult::*field> std::optional<u64> launch_of(const UsageRow &row) {
  return row.launch ? std::optional<u64>((*row.launch).*field) : std::nullopt;
}

// 255 stands for no limit.
std::optional<u64> register_limit_of(const UsageRow &row) {
  return row.use.register_limit == 0xff ? std::nullopt : wide(row.use.register_limit);
}

using Shape = UsageColumn::Shape;

// Banks of constants come between parameters and code.
constexpr std::array<UsageColumn, 16> kColumns{{
    {"registers", Shape::Always, optional_of<&FunctionUsage::registers>},
    {"stack", Shape::Stack, optional_of<&FunctionUsage::min_stack>},
    {"frame", Shape::Always, optional_of<&FunctionUsage::frame>},
    {"max_stack", Shape::RareStack, optional_of<&FunctionUsage::max_stack>},
    {"spills", Shape::Always, optional_of<&FunctionUsage::spills>},
    {"shared", Shape::Always, number_of<&FunctionUsage::shared>},
    {"local", Shape::Always, number_of<&FunctionUsage::local>},
    {"barriers", Shape::Always, optional_of<&FunctionUsage::barriers>},
    {"parameters", Shape::Always, optional_of<&FunctionUsage::parameters>},
    {"code", Shape::Always, number_of<&FunctionUsage::code>},
    {"register_limit", Shape::Rare, register_limit_of},
    {"max_threads", Shape::Threads, threads_of<&FunctionUsage::max_threads>},
    {"required_threads", Shape::Threads, threads_of<&FunctionUsage::required_threads>},
    {"blocks", Shape::Rare, launch_of<&LaunchResult::blocks>},
    {"warps", Shape::Rare, launch_of<&LaunchResult::warps>},
    {"occupancy", Shape::Rare, launch_of<&LaunchResult::percent>},
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

// The number in "constant3".
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
    return constant_size(row, *bank);
  for (const UsageColumn &column : kColumns)
    if (column.key == key)
      return column.value(row);
  return std::nullopt;
}

LaunchResult launch(const FunctionUsage &use, const arch::MultiprocessorInfo &sm, u64 reserved,
                    const LaunchShape &shape) {
  if (shape.threads == 0 || shape.threads > arch::kMaxBlockThreads)
    return {0, 0, 0, "threads"};
  if ((use.required_threads && product(*use.required_threads) != shape.threads) ||
      (use.max_threads && product(*use.max_threads) < shape.threads))
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

struct RelationName {
  std::string_view text;
  UsageCondition::Relation relation;
};

// Longer ones first.
constexpr std::array<RelationName, 7> kRelations{{
    {">=", UsageCondition::Relation::GreaterOrEqual},
    {"<=", UsageCondition::Relation::LessOrEqual},
    {"!=", UsageCondition::Relation::Different},
    {"==", UsageCondition::Relation::Equal},
    {">", UsageCondition::Relation::Greater},
    {"<", UsageCondition::Relation::Less},
    {"=", UsageCondition::Relation::Equal},
}};

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

std::span<const UsageColumn> usage_columns() {
  return kColumns;
}

std::optional<u64> constant_size(const UsageRow &row, u32 bank) {
  for (const BankUse &use : row.use.constants)
    if (use.bank == bank)
      return use.size;
  return std::nullopt;
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
  return has_names(key) || bank_of(key) ||
         std::ranges::any_of(kColumns, [&](const UsageColumn &row) { return row.key == key; });
}

std::string usage_keys() {
  std::string out = "kind";
  for (const UsageColumn &column : kColumns) {
    if (column.key == "code")
      out += ", constantN";
    out += ", " + std::string(column.key);
  }
  return out + ", limited_by, target, image, name";
}

Result<UsageCondition> parse_condition(std::string_view text) {
  const size_t at = text.find_first_of("<>=!");
  if (at == std::string_view::npos)
    return wrong(text, "no condition, as 'registers>64' would be one");
  UsageCondition out;
  out.key = trimmed(text.substr(0, at));
  std::string_view value;
  for (const RelationName &row : kRelations)
    if (value.empty() && text.substr(at).starts_with(row.text)) {
      out.relation = row.relation;
      value = trimmed(text.substr(at + row.text.size()));
    }
  if (!is_usage_key(out.key))
    return wrong(text, "no column '" + out.key + "'; there are " + usage_keys());
  const bool equality = out.relation == UsageCondition::Relation::Equal ||
                        out.relation == UsageCondition::Relation::Different;
  if (has_names(out.key) && !equality)
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
    return matches_name(*this, row) == (relation == Relation::Equal);
  const std::optional<u64> value = value_of(row, key);
  if (!value)
    return false;
  switch (relation) {
  case Relation::Equal:
    return *value == number;
  case Relation::Different:
    return *value != number;
  case Relation::Less:
    return *value < number;
  case Relation::LessOrEqual:
    return *value <= number;
  case Relation::Greater:
    return *value > number;
  case Relation::GreaterOrEqual:
    return *value >= number;
  }
  return false;
}

void sort_rows(std::string_view key, std::vector<UsageRow> &rows) {
  if (has_names(key))
    std::ranges::stable_sort(rows, {}, [&](const UsageRow &row) { return name_of(row, key); });
  else // what the file does not say comes last
    std::ranges::stable_sort(rows, std::greater<>(),
                             [&](const UsageRow &row) { return value_of(row, key); });
}

} // namespace culink::text
