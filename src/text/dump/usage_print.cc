// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resource usage as a table: one line per function, kernels and device functions alike.
#include <array>
#include <string>

#include <fmt/format.h>

#include "base/demangle.h"
#include "inspect/toolkit.h"
#include "text/dump/dump_parts.h"
#include "text/dump/usage.h"

namespace culink::text {

namespace {

constexpr std::array<Column, 11> kColumns{{{"kind", "kind", -8},
                                           {"registers", "regs", 4},
                                           {"min_stack", "stack", 9},
                                           {"frame", "frame", 5},
                                           {"max_stack", "maxstack", 8},
                                           {"shared", "shared", 6},
                                           {"local", "local", 5},
                                           {"barriers", "barriers", 8},
                                           {"parameters", "params", 6},
                                           {"code", "code", 6},
                                           {"name", "name"}}};

Value known(const std::optional<u32> &value) {
  return value ? number(*value) : missing();
}

Value stack(const std::optional<u32> &bytes) {
  return bytes == kUnboundedStack ? label(*bytes, "unbounded") : known(bytes);
}

void put_banks(DumpSink &sink, const std::vector<BankUse> &banks) {
  for (const BankUse &use : banks) {
    const std::string key = fmt::format("constant{}", use.bank);
    sink.field({key, ""}, number(use.size));
  }
}

void put_threads(DumpSink &sink, std::string_view key,
                 const std::optional<std::array<u32, 3>> &threads) {
  if (!threads)
    return;
  const std::array<Value, 3> values{number((*threads)[0]), number((*threads)[1]),
                                    number((*threads)[2])};
  sink.values({key, ""}, values);
}

void put_function(DumpSink &sink, const FunctionUsage &use, bool demangled) {
  const std::string shown = shown_name(use.name, demangled ? demangle : nullptr);
  const std::array<Value, kColumns.size()> values{name(use.kernel ? "kernel" : "function"),
                                                  known(use.registers),
                                                  stack(use.min_stack),
                                                  known(use.frame),
                                                  stack(use.max_stack),
                                                  number(use.shared),
                                                  number(use.local),
                                                  known(use.barriers),
                                                  known(use.parameters),
                                                  number(use.code),
                                                  name(shown)};
  sink.open_row();
  for (size_t i = 0; i < kColumns.size(); ++i)
    sink.field(kColumns[i], values[i]);
  put_banks(sink, use.constants);
  put_threads(sink, "max_threads", use.max_threads);
  put_threads(sink, "required_threads", use.required_threads);
  if (use.register_limit && *use.register_limit != 0xff) // 255: none was asked for
    sink.field({"register_limit", ""}, number(*use.register_limit));
  sink.close_row();
}

} // namespace

void print_usage(std::string_view file, const ModuleUsage &usage, bool demangled, DumpSink &sink) {
  sink.begin_file(file);
  sink.open_record("module", "Module");
  const std::string release = inspect::release_name(usage.toolkit);
  sink.field({"release", "CUDA release"}, release.empty() ? missing() : name(release));
  sink.field({"global", "global"}, number(usage.global));
  sink.field({"shared", "shared"}, number(usage.shared));
  sink.field({"reserved_shared", "reserved shared"}, number(usage.reserved_shared));
  put_banks(sink, usage.constants);
  sink.close_record();
  sink.open_list("functions", "Functions");
  sink.headings(kColumns);
  for (const FunctionUsage &use : usage.functions)
    put_function(sink, use, demangled);
  sink.close_list();
  sink.end_file();
}

} // namespace culink::text
