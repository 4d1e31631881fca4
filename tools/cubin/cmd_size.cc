// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin size: the sizes of the parts of a file, the changes between two files, and duplicates. All
// tables have the same columns, as text, JSON or CSV.
#include "command.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include "device_code.h"
#include "inspect/dump/sink.h"
#include "inspect/size/duplicates.h"
#include "inspect/size/size_table.h"
#include "support/demangle.h"

namespace culink::tools {

namespace {

struct SizeArguments {
  std::vector<std::string> files;
  CodeSelection selection;
  std::string view = "kernel";
  u64 rows = 20;
  bool duplicates = false;
  bool device = false;
  bool demangle = false;
  OutputFlags form;
};

// Returns "12.3", the share in per cent, rounded.
std::string per_cent(u64 part, u64 whole) {
  const u64 tenths = (proportion(2000, part, whole) + 1) / 2;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

using Scratch = std::string &;

constexpr text::Value kBlank{text::Value::Kind::Blank, 0, {}};

text::Value number_or_blank(const std::optional<u64> &value) {
  return value ? text::number(*value) : kBlank;
}

class SizeCommand {
public:
  explicit SizeCommand(const SizeArguments &arguments) : arguments_(arguments) {
    const auto names = size_view_names();
    view_ = static_cast<SizeView>(std::ranges::find(names, arguments.view) - names.begin());
  }

  int run() {
    for (const std::string &argument : arguments_.files) {
      Result<DeviceFile> file = DeviceFile::open(argument);
      if (!is_there(argument, file))
        return 1;
      files_.push_back(std::move(*file));
      for (const Error &problem : files_.back().found().problems)
        report({files_.back().name(), problem, true});
    }
    const bool shown = arguments_.duplicates ? print_duplicates()
                       : files_.size() == 2  ? print_changes()
                                             : print_sizes();
    if (!shown)
      return 1;
    sink_->end_file();
    sink_->end();
    return finish_output(out_) && clean_ ? 0 : 1;
  }

private:
  void report(const Problem &problem) {
    print_warning(problem.name, problem.error);
    clean_ = false;
  }

  std::optional<SizeTable> measure(const DeviceFile &file) {
    Result<SizeTable> table = measure_file(file, view_, arguments_.selection, pool_,
                                           [this](const Problem &problem) { report(problem); });
    if (!is_there(file.name(), table))
      return std::nullopt;
    return arguments_.device ? table->device_code() : std::move(*table);
  }

  [[nodiscard]] std::string shown(const std::string &name) const {
    return arguments_.demangle && view_ != SizeView::Templates ? demangle(name) : name;
  }

  // Called after all results are known, so that a failure prints nothing.
  void begin() {
    const std::string &name = files_.back().name();
    const bool two = files_.size() == 2;
    sink_->begin();
    sink_->begin_file(arguments_.form.csv ? "" : name,
                      two ? files_.front().name() + " and " + name : name);
    if (two)
      sink_->fact("before", text::name(files_.front().name()));
  }

  // Prints at most as many rows as requested.
  template <typename Row> void print(text::Table<Row> table, std::vector<Row> rows) {
    const u64 all = rows.size();
    if (arguments_.rows != 0 && all > arguments_.rows)
      rows.resize(arguments_.rows);
    if (all != rows.size())
      table.more = "... " + std::to_string(all - rows.size()) + " more (-n 0 shows all)";
    table.rows = rows;
    table.always = true;
    text::write_table(table, *sink_);
  }

  // The last column of a table.
  template <typename Row> text::TableColumn<Row> name_column() {
    return {"name", [this](const Row &row, Scratch scratch) {
              scratch = shown(row.name);
              return scratch.empty() ? kBlank : text::name(scratch);
            }};
  }

  bool print_sizes() {
    using Row = const SizeRow &;
    const std::optional<SizeTable> table = measure(files_.front());
    if (!table)
      return false;
    SizeRow total = table->total();
    total.name = "total";
    std::vector<text::TableColumn<SizeRow>> columns = {
        {"stored", [](Row row, Scratch) { return text::number(row.stored); }},
        {"share",
         [&](Row row, Scratch scratch) {
           return text::name(scratch = per_cent(row.stored, total.stored));
         }},
        {"unpacked", [](Row row, Scratch) { return text::number(row.unpacked); }},
        {"count", [](Row row, Scratch) { return text::number(row.count); }}};
    if (view_ == SizeView::Kernels) {
      columns.push_back({"code", [](Row row, Scratch) { return number_or_blank(row.code); }});
      columns.push_back(
          {"with_calls", [](Row row, Scratch) { return number_or_blank(row.reached); }});
    }
    columns.push_back(name_column<SizeRow>());
    begin();
    print<SizeRow>({.key = "sizes",
                    .title = "Size by " + arguments_.view,
                    .columns = std::move(columns),
                    .total = &total,
                    .total_key = "total"},
                   table->rows());
    return true;
  }

  bool print_changes() {
    using Row = const SizeChange &;
    const std::optional<SizeTable> before = measure(files_[0]), after = measure(files_[1]);
    if (!before || !after)
      return false;
    const auto stored = [](const std::optional<SizeRow> &row) {
      return row ? text::number(row->stored) : kBlank;
    };
    const SizeChange total{"total", before->total(), after->total()};
    begin();
    print<SizeChange>(
        {.key = "changes",
         .title = "Change by " + arguments_.view,
         .columns = {{"before", [&](Row row, Scratch) { return stored(row.before); }},
                     {"after", [&](Row row, Scratch) { return stored(row.after); }},
                     {"change", [](Row row, Scratch) { return text::signed_number(row.stored()); }},
                     {"unpacked_change",
                      [](Row row, Scratch) { return text::signed_number(row.unpacked()); }},
                     name_column<SizeChange>()},
         .total = &total,
         .total_key = "total"},
        compare_sizes(*before, *after));
    return true;
  }

  bool print_duplicates() {
    const DeviceFile &file = files_.front();
    const Result<DeviceFile::Shown> shown = file.choose_shown(arguments_.selection);
    if (!is_there(file.name(), shown))
      return false;
    std::vector<FunctionCode> code;
    const auto look = [&](const Image &image) -> std::function<void()> {
      return
          [&, found = functions_in(image)] { code.insert(code.end(), found.begin(), found.end()); };
    };
    (void)walk_code(file, shown->images, pool_,
                    {look, [this](const Problem &problem) { report(problem); }});
    Duplicates found = find_duplicates(std::move(code));
    begin();
    if (!arguments_.form.csv) // all tables of a CSV file need the same columns
      print_causes(found, bytes_of(shown->leftovers));
    print_copies("equal_code", "Equal code", std::move(found.equal_code), found.equal_code_cost);
    print_copies("same_kernels", "Kernels in several images", std::move(found.same_kernels),
                 found.same_kernels_cost);
    return true;
  }

  // Prints the causes of duplicates, with remedies.
  void print_causes(const Duplicates &found, u64 leftovers) {
    struct Cause {
      u64 cost;
      const char *text;
    };
    std::vector<Cause> rows = {
        {leftovers, "relocatable objects of the device link beside the linked code "
                    "(cubin prune --drop=relocatable)"},
        {found.for_targets,
         "kernels for several targets (cubin prune --keep=TARGET; fewer -gencode)"},
        {found.in_images,
         "kernels of one name in several images for one target (-rdc=true; extern template)"},
        {found.equal_functions, "equal device functions in one linked image (culink --icf=safe)"},
    };
    std::erase_if(rows, [](const Cause &row) { return row.cost == 0; });
    std::ranges::stable_sort(rows, std::greater<>(), &Cause::cost);
    text::write_table<Cause>(
        {.key = "causes",
         .title = "What it comes from",
         .columns = {{"cost", [](const Cause &row, Scratch) { return text::number(row.cost); }},
                     {"cause", [](const Cause &row, Scratch) { return text::name(row.text); }}},
         .rows = rows,
         .always = true},
        *sink_);
  }

  void print_copies(const std::string &key, std::string title, std::vector<Duplicate> rows,
                    u64 cost) {
    const auto column = [](const char *name, u64 Duplicate::*field) {
      return text::TableColumn<Duplicate>{name, [field](const Duplicate &row, Scratch) {
                                            const bool is_total = row.instances == 0;
                                            return is_total && field != &Duplicate::cost
                                                       ? kBlank
                                                       : text::number(row.*field);
                                          }};
    };
    const Duplicate total{.name = "total", .cost = cost};
    print<Duplicate>(
        {.key = key,
         .title = std::move(title),
         .columns = {column("cost", &Duplicate::cost), column("size", &Duplicate::size),
                     column("copies", &Duplicate::instances), column("names", &Duplicate::names),
                     column("targets", &Duplicate::targets), column("fatbins", &Duplicate::fatbins),
                     name_column<Duplicate>()},
         .total = &total,
         .total_key = key + "_total"},
        std::move(rows));
  }

  const SizeArguments &arguments_;
  SizeView view_;
  WorkerPool pool_{0};
  std::vector<DeviceFile> files_;
  TextOut out_{STDOUT_FILENO};
  std::unique_ptr<text::Sink> sink_ = text::make_sink(arguments_.form.format(), out_);
  bool clean_ = true;
};

} // namespace

int size_command(Command &command) {
  SizeArguments arguments;
  command.add(
      {required({"FILE", "", "A file with device code; or OLD and NEW", &arguments.files})});
  add_code_selection(command, arguments.selection);
  add_leftovers_flag(command, arguments.selection);
  command.add({
      one_of({size_view_names().begin(), size_view_names().end()},
             {"by", "<what>",
              "kernel (default), function, template, section, input, fatbin, target or packing",
              &arguments.view}),
      {"rows,n", "<n>", "Rows to show (20); 0: all", &arguments.rows},
      {"duplicates", "", "What is stored more than once, and what it costs", &arguments.duplicates},
      {"device", "", "Without host code and data", &arguments.device},
      {"demangle", "", "Show C++ names as in the source", &arguments.demangle},
  });
  add_output_flags(command, arguments.form);
  if (!command.parse())
    return command.status();
  if (const size_t count = arguments.files.size(); count > 2)
    return command.refuse("FILE: At Most 2 required but received " + std::to_string(count));
  if (arguments.duplicates && arguments.files.size() == 2)
    return command.refuse("--duplicates is for one file");
  return SizeCommand(arguments).run();
}

} // namespace culink::tools
