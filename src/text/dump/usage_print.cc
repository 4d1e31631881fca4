// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resource usage as a table: one line per function, kernels and device functions alike. Columns are
// as wide as their values and called as in JSON; the name, which may be long, comes last.
#include <algorithm>
#include <array>
#include <deque>
#include <set>
#include <string>

#include <fmt/format.h>

#include "elf/target/occupancy.h"
#include "inspect/toolkit.h"
#include "support/demangle.h"
#include "text/dump/dump_parts.h"
#include "text/dump/usage.h"
#include "text/dump/usage_columns.h"

namespace culink::text {

namespace {

// Writes rows; first it finds out which columns they need, and how wide.
class UsageTable {
public:
  UsageTable(std::span<const UsageRow> rows, bool demangled, bool images, DumpSink &sink)
      : rows_(rows), demangled_(demangled), images_(images), sink_(sink) {}

  void print() {
    choose_columns();
    sink_.open_list("functions", "Functions");
    sink_.headings(columns_);
    for (const UsageRow &row : rows_)
      put_row(row);
    sink_.close_list();
  }

private:
  using Shape = UsageColumn::Shape;

  static size_t digits(u64 value) { return std::to_string(value).size(); }

  void add_column(std::string_view key, size_t width, bool left = false) {
    const auto most = static_cast<i32>(std::max(width, key.size()));
    columns_.push_back({key, key, left ? -most : most});
  }

  // The width of a column's widest value; nothing if no row has one.
  template <typename WidthOf> std::optional<size_t> widest(const WidthOf &width_of) const {
    std::optional<size_t> most;
    for (const UsageRow &row : rows_)
      if (const std::optional<size_t> width = width_of(row))
        most = std::max(most.value_or(0), *width);
    return most;
  }

  static std::optional<size_t> width_of(const UsageRow &row, const UsageColumn &column) {
    const std::optional<u64> value = column.value(row);
    if (!value)
      return std::nullopt;
    if (column.shape == Shape::Threads) {
      const std::array<u32, 3> &of = threads(row, column);
      return digits(of[0]) + digits(of[1]) + digits(of[2]) + 2;
    }
    return is_unbounded(column, *value) ? kUnbounded.size() : digits(*value);
  }

  void choose_columns() {
    add_column("kind", std::string_view("function").size(), true);
    for (const UsageColumn &column : usage_columns()) {
      if (column.key == "code")
        add_banks();
      const std::optional<size_t> width =
          widest([&](const UsageRow &row) { return width_of(row, column); });
      if (!width && column.is_rare())
        continue;
      add_column(column.key, width.value_or(1));
      chosen_.push_back(&column);
    }
    const auto add_names = [&](std::string_view key, const auto &name_in) {
      const auto width = widest(
          [&](const UsageRow &row) { return std::optional(printable(name_in(row)).size()); });
      add_column(key, width.value_or(0), true);
    };
    launches_ =
        std::ranges::any_of(rows_, [](const UsageRow &row) { return row.launch.has_value(); });
    if (launches_)
      add_names("limited_by", [](const UsageRow &row) {
        return row.launch ? row.launch->limited_by : std::string_view();
      });
    if (images_) {
      add_names("target", [](const UsageRow &row) -> std::string_view { return row.target; });
      add_names("image", [](const UsageRow &row) -> std::string_view { return row.image; });
    }
    columns_.push_back({"name", "name"});
  }

  void add_banks() {
    std::set<u32> banks;
    for (const UsageRow &row : rows_)
      for (const BankUse &use : row.use.constants)
        banks.insert(use.bank);
    for (const u32 bank : banks) {
      const auto width = widest([&](const UsageRow &row) -> std::optional<size_t> {
        const std::optional<u64> size = constant_size(row, bank);
        return size ? std::optional(digits(*size)) : std::nullopt;
      });
      add_column(bank_keys_.emplace_back(fmt::format("constant{}", bank)), width.value_or(1));
      banks_.push_back(bank);
    }
  }

  static const std::array<u32, 3> &threads(const UsageRow &row, const UsageColumn &column) {
    return column.key == "max_threads" ? *row.use.max_threads : *row.use.required_threads;
  }

  static bool is_unbounded(const UsageColumn &column, u64 value) {
    return (column.shape == Shape::Stack || column.shape == Shape::RareStack) &&
           value == kUnboundedStack;
  }

  void put_row(const UsageRow &row) {
    sink_.open_row();
    auto place = columns_.begin();
    sink_.field(*place++, name(row.use.kernel ? "kernel" : "function"));
    for (const UsageColumn *column : chosen_) {
      if (column->key == "code")
        for (const u32 bank : banks_) {
          const std::optional<u64> size = constant_size(row, bank);
          sink_.field(*place++, size ? number(*size) : absent());
        }
      put_number(*place++, *column, row);
    }
    if (launches_)
      sink_.field(*place++, row.launch ? name(row.launch->limited_by) : absent());
    if (images_) {
      sink_.field(*place++, row.target.empty() ? missing() : name(row.target));
      sink_.field(*place++, row.image.empty() ? missing() : name(row.image));
    }
    sink_.field(*place, name(shown_name(row.name, demangled_ ? demangle : nullptr)));
    sink_.close_row();
  }

  void put_number(const Column &place, const UsageColumn &column, const UsageRow &row) {
    const std::optional<u64> value = column.value(row);
    if (!value)
      return sink_.field(place, column.is_rare() ? absent() : missing());
    if (column.shape != Shape::Threads)
      return sink_.field(place,
                         is_unbounded(column, *value) ? label(*value, kUnbounded) : number(*value));
    const std::array<u32, 3> &of = threads(row, column);
    const std::array<Value, 3> values{number(of[0]), number(of[1]), number(of[2])};
    sink_.values(place, values);
  }

  static constexpr std::string_view kUnbounded = "unbounded";

  std::span<const UsageRow> rows_;
  bool demangled_;
  bool images_;
  bool launches_ = false;
  DumpSink &sink_;
  std::vector<Column> columns_;
  std::vector<const UsageColumn *> chosen_;
  std::vector<u32> banks_;
  std::deque<std::string> bank_keys_; // columns refer to them
};

} // namespace

void print_rows(std::span<const UsageRow> rows, bool demangled, bool images, DumpSink &sink) {
  UsageTable(rows, demangled, images, sink).print();
}

void print_module(const ModuleUsage &usage, DumpSink &sink) {
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

void print_limits(const arch::ArchInfo *arch, DumpSink &sink) {
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

void print_usage(std::string_view file, const ModuleUsage &usage, bool demangled, DumpSink &sink) {
  sink.begin_file(file);
  print_module(usage, sink);
  print_rows(make_rows(usage, "", nullptr, false, std::nullopt), demangled, false, sink);
  sink.end_file();
}

} // namespace culink::text
