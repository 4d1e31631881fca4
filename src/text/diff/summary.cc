// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What most people want to know of two files first: which kernels and functions became larger, or
// need more registers, stack or memory. The numbers are those of `cubin usage`.
#include "text/diff/summary.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/bytes.h"
#include "inspect/usage.h"

namespace culink::text {

namespace {

struct SummaryField {
  std::string_view key;
  std::optional<u64> (*value)(const FunctionUsage &use);
};

template <std::optional<u32> FunctionUsage::*field>
std::optional<u64> said(const FunctionUsage &use) {
  return use.*field ? std::optional<u64>(*(use.*field)) : std::nullopt;
}

template <u64 FunctionUsage::*field> std::optional<u64> counted(const FunctionUsage &use) {
  return use.*field;
}

std::optional<u64> all_constants(const FunctionUsage &use) {
  u64 sum = 0;
  for (const BankUse &bank : use.constants)
    sum += bank.size;
  return sum;
}

constexpr std::array<SummaryField, 10> kFields{{
    {"code", counted<&FunctionUsage::code>},
    {"registers", said<&FunctionUsage::registers>},
    {"stack", said<&FunctionUsage::min_stack>},
    {"frame", said<&FunctionUsage::frame>},
    {"spills", said<&FunctionUsage::spills>},
    {"shared", counted<&FunctionUsage::shared>},
    {"local", counted<&FunctionUsage::local>},
    {"barriers", said<&FunctionUsage::barriers>},
    {"parameters", said<&FunctionUsage::parameters>},
    {"constants", all_constants},
}};

ByteSpan code_of(const elf::ElfView &file, const FunctionUsage &use) {
  const elf::Symbol symbol = file.symbols()[use.symbol];
  if (!symbol.in_section())
    return {};
  return slice(file.sections()[symbol.section].data, symbol.value, symbol.size)
      .value_or(ByteSpan());
}

FunctionChange of_one_file(const FunctionUsage &use, FunctionChange::Kind kind) {
  FunctionChange out{std::string(use.name), use.kernel, kind, false, {}};
  for (const SummaryField &field : kFields)
    if (const std::optional<u64> value = field.value(use); value && *value != 0) {
      FieldChange &change = out.fields.emplace_back(FieldChange{field.key, {}, {}});
      (kind == FunctionChange::Kind::Added ? change.after : change.before) = value;
    }
  return out;
}

std::string shown(const FieldChange &field, const std::optional<u64> &value) {
  const bool stack = field.key == "stack";
  return !value                               ? "unknown"
         : stack && *value == kUnboundedStack ? "unbounded"
                                              : std::to_string(*value);
}

} // namespace

DiffSummary summarize_functions(const elf::ElfView &a, const elf::ElfView &b) {
  const ModuleUsage first = inspect::collect_usage(a), second = inspect::collect_usage(b);
  std::map<std::string_view, std::vector<const FunctionUsage *>> unmatched; // the first one last
  for (const FunctionUsage &use : second.functions)
    unmatched[use.name].push_back(&use);
  for (auto &[_, list] : unmatched)
    std::ranges::reverse(list);
  DiffSummary out;
  for (const FunctionUsage &use : first.functions) {
    const auto at = unmatched.find(use.name);
    if (at == unmatched.end() || at->second.empty()) {
      out.changes.push_back(of_one_file(use, FunctionChange::Kind::Removed));
      continue;
    }
    const FunctionUsage &other = *at->second.back();
    at->second.pop_back();
    FunctionChange change{
        std::string(use.name), other.kernel, FunctionChange::Kind::Changed, false, {}};
    for (const SummaryField &field : kFields)
      if (const std::optional<u64> before = field.value(use), after = field.value(other);
          before != after)
        change.fields.push_back({field.key, before, after});
    change.instructions =
        use.code == other.code && !std::ranges::equal(code_of(a, use), code_of(b, other));
    if (change.fields.empty() && !change.instructions)
      ++out.same;
    else
      out.changes.push_back(std::move(change));
  }
  for (const FunctionUsage &use : second.functions) {
    std::vector<const FunctionUsage *> &list = unmatched[use.name];
    if (std::ranges::find(list, &use) != list.end())
      out.changes.push_back(of_one_file(use, FunctionChange::Kind::Added));
  }
  return out;
}

std::string_view name_of_change(FunctionChange::Kind kind) {
  return kind == FunctionChange::Kind::Added     ? "added"
         : kind == FunctionChange::Kind::Removed ? "removed"
                                                 : "changed";
}

std::string describe_change(const FunctionChange &change) {
  const bool both = change.kind == FunctionChange::Kind::Changed;
  std::string out(both ? "" : name_of_change(change.kind));
  for (const FieldChange &field : change.fields) {
    out += (out.empty() ? "" : ", ") + std::string(field.key) + " ";
    if (both)
      out += shown(field, field.before) + " -> " + shown(field, field.after);
    else
      out += shown(field, field.before ? field.before : field.after);
  }
  if (change.instructions)
    out += std::string(out.empty() ? "" : ", ") + "other instructions";
  return out;
}

} // namespace culink::text
