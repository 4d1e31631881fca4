// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin size: what fills a file, what changed between two, and what is stored more than once. All
// tables are made of the same columns, as text, JSON or CSV.
#include "commands.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include "device_code.h"
#include "messages.h"
#include "support/demangle.h"
#include "survey/duplicates.h"
#include "survey/size_table.h"

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
  bool json = false;
  bool csv = false;
};

// A value of a table: a number, a text, or nothing.
struct Cell {
  std::optional<i64> number;
  std::string text;
};
Cell cell(u64 number) {
  return {static_cast<i64>(number), {}};
}
Cell cell(std::string text) {
  return {std::nullopt, std::move(text)};
}

struct Table {
  std::string key;   // in JSON
  std::string title; // in text
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
  std::optional<std::vector<Cell>> total;
  u64 left_out = 0;
};

// "12.3", the part of a whole in per cent, rounded.
std::string per_cent(u64 part, u64 whole) {
  const u64 tenths = (proportion(2000, part, whole) + 1) / 2;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

std::string text_of(const Cell &value) {
  return value.number ? std::to_string(*value.number) : value.text;
}

void print_text(const Table &table, TextOut &out) {
  std::vector<size_t> widths;
  for (size_t i = 0; i + 1 < table.columns.size(); ++i) {
    size_t width = table.columns[i].size();
    for (const std::vector<Cell> &row : table.rows)
      width = std::max(width, text_of(row[i]).size());
    if (table.total)
      width = std::max(width, text_of((*table.total)[i]).size());
    widths.push_back(width);
  }
  const auto put_line = [&](const auto &text_at) {
    for (size_t i = 0; i < widths.size(); ++i) {
      const std::string text = text_at(i);
      out.fill(' ', widths[i] - text.size() + 2);
      out.put(text);
    }
    out.put("  ");
    out.name(text_at(widths.size()));
    out.put('\n');
  };
  out.put('\n');
  out.put(table.title);
  out.put('\n');
  put_line([&](size_t i) { return table.columns[i]; });
  for (const std::vector<Cell> &row : table.rows)
    put_line([&](size_t i) { return text_of(row[i]); });
  if (table.left_out != 0)
    out.put("  ... " + std::to_string(table.left_out) + " more (-n 0 shows all)\n");
  if (table.total)
    put_line([&](size_t i) { return text_of((*table.total)[i]); });
}

void print_csv(const Table &table, TextOut &out) {
  for (size_t i = 0; i < table.columns.size(); ++i)
    out.put((i == 0 ? "" : ",") + text::csv_field(table.columns[i]));
  out.put('\n');
  for (const std::vector<Cell> &row : table.rows) {
    for (size_t i = 0; i < row.size(); ++i)
      out.put((i == 0 ? "" : ",") +
              text::csv_field(row[i].number ? text_of(row[i]) : text::csv_name(row[i].text)));
    out.put('\n');
  }
}

void print_json(const Table &table, text::DumpSink &sink) {
  const auto put_fields = [&](const std::vector<Cell> &row) {
    for (size_t i = 0; i < row.size(); ++i)
      sink.field({table.columns[i], "", 0}, row[i].number         ? text::signed_hex(*row[i].number)
                                            : row[i].text.empty() ? text::missing()
                                                                  : text::name(row[i].text));
  };
  sink.open_list(table.key, "");
  for (const std::vector<Cell> &row : table.rows) {
    sink.open_row();
    put_fields(row);
    sink.close_row();
  }
  sink.close_list();
  if (!table.total)
    return;
  // One file may have several tables.
  sink.open_record(table.key == "sizes" || table.key == "changes" ? "total" : table.key + "_total",
                   "");
  put_fields(*table.total);
  sink.close_record();
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
      if (!file) {
        print_error(argument, file.error());
        return 1;
      }
      files_.push_back(std::move(*file));
      for (const Error &problem : files_.back().found().problems)
        report({files_.back().name(), problem, true});
    }
    const std::optional<std::vector<Table>> tables = arguments_.duplicates ? duplicates()
                                                     : files_.size() == 2  ? changes()
                                                                           : sizes();
    if (!tables)
      return 1;
    print(*tables);
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
    if (table)
      return arguments_.device ? table->device_code() : std::move(*table);
    print_error(file.name(), table.error());
    return std::nullopt;
  }

  [[nodiscard]] std::string shown(const std::string &name) const {
    return arguments_.demangle && view_ != SizeView::Templates ? demangle(name) : name;
  }

  // Keeps as many rows as are wanted.
  template <typename Row> u64 cut(std::vector<Row> &rows) const {
    const u64 all = rows.size();
    if (arguments_.rows != 0 && all > arguments_.rows)
      rows.resize(arguments_.rows);
    return all - rows.size();
  }

  std::optional<std::vector<Table>> sizes() {
    const std::optional<SizeTable> table = measure(files_.front());
    if (!table)
      return std::nullopt;
    const SizeRow &total = table->total();
    const bool kernels = view_ == SizeView::Kernels;
    Table out{
        "sizes", "Size by " + arguments_.view, {"stored", "share", "unpacked", "count"}, {}, {}, 0};
    if (kernels)
      out.columns.insert(out.columns.end(), {"code", "with_calls"});
    out.columns.emplace_back("name");
    const auto cells = [&](const SizeRow &row, std::string name) {
      std::vector<Cell> values = {cell(row.stored), cell(per_cent(row.stored, total.stored)),
                                  cell(row.unpacked), cell(row.count)};
      if (kernels)
        for (const std::optional<u64> &value : {row.code, row.reached})
          values.push_back(value ? cell(*value) : cell(""));
      values.push_back(cell(std::move(name)));
      return values;
    };
    std::vector<SizeRow> rows = table->rows();
    out.left_out = cut(rows);
    for (const SizeRow &row : rows)
      out.rows.push_back(cells(row, shown(row.name)));
    out.total = cells(total, "total");
    return std::vector{std::move(out)};
  }

  std::optional<std::vector<Table>> changes() {
    const std::optional<SizeTable> before = measure(files_[0]), after = measure(files_[1]);
    if (!before || !after)
      return std::nullopt;
    Table out{"changes",
              "Change by " + arguments_.view,
              {"before", "after", "change", "unpacked_change", "name"},
              {},
              {},
              0};
    const auto cells = [&](const SizeChange &change, std::string name) {
      return std::vector<Cell>{change.before ? cell(change.before->stored) : cell(""),
                               change.after ? cell(change.after->stored) : cell(""),
                               {change.stored(), {}},
                               {change.unpacked(), {}},
                               cell(std::move(name))};
    };
    std::vector<SizeChange> rows = compare_sizes(*before, *after);
    out.left_out = cut(rows);
    for (const SizeChange &change : rows)
      out.rows.push_back(cells(change, shown(change.name)));
    out.total = cells({"", before->total(), after->total()}, "total");
    return std::vector{std::move(out)};
  }

  std::optional<std::vector<Table>> duplicates() {
    const DeviceFile &file = files_.front();
    const Result<DeviceFile::Shown> shown = file.choose_shown(arguments_.selection);
    if (!shown) {
      print_error(file.name(), shown.error());
      return std::nullopt;
    }
    std::vector<FunctionCode> code;
    const auto look = [&](const Image &image) -> std::function<void()> {
      return
          [&, found = functions_in(image)] { code.insert(code.end(), found.begin(), found.end()); };
    };
    (void)walk_code(file, shown->images, pool_,
                    {look, [this](const Problem &problem) { report(problem); }});
    const Duplicates found = find_duplicates(std::move(code));
    std::vector<Table> out;
    if (!arguments_.csv) // whose tables have the same columns
      out.push_back(causes(found, bytes_of(shown->leftovers)));
    out.push_back(table_of("equal_code", "Equal code", found.equal_code, found.equal_code_cost));
    out.push_back(table_of("same_kernels", "Kernels in several images", found.same_kernels,
                           found.same_kernels_cost));
    return out;
  }

  // What duplicates come from, and what helps.
  static Table causes(const Duplicates &found, u64 leftovers) {
    const std::pair<u64, const char *> rows[] = {
        {leftovers, "relocatable objects of the device link beside the linked code "
                    "(cubin prune --drop=relocatable)"},
        {found.for_targets,
         "kernels for several targets (cubin prune --keep=TARGET; fewer -gencode)"},
        {found.in_images,
         "kernels of one name in several images for one target (-rdc=true; extern template)"},
        {found.equal_functions, "equal device functions in one linked image (culink --icf=safe)"},
    };
    Table out{"causes", "What it comes from", {"cost", "cause"}, {}, {}, 0};
    for (const auto &[cost, cause] : rows)
      if (cost != 0)
        out.rows.push_back({cell(cost), cell(std::string(cause))});
    std::ranges::stable_sort(
        out.rows, [](const auto &a, const auto &b) { return *a[0].number > *b[0].number; });
    return out;
  }

  Table table_of(std::string key, std::string title, std::vector<Duplicate> rows, u64 cost) const {
    Table out{std::move(key),
              std::move(title),
              {"cost", "size", "copies", "names", "targets", "fatbins", "name"},
              {},
              {},
              0};
    out.left_out = cut(rows);
    for (const Duplicate &row : rows)
      out.rows.push_back({cell(row.cost), cell(row.size), cell(row.instances), cell(row.names),
                          cell(row.targets), cell(row.fatbins), cell(shown(row.name))});
    out.total = {cell(cost), cell(""), cell(""), cell(""), cell(""), cell(""), cell("total")};
    return out;
  }

  void print(const std::vector<Table> &tables) {
    if (arguments_.csv) {
      for (const Table &table : tables)
        print_csv(table, out_);
      return;
    }
    if (!arguments_.json) {
      out_.name(files_.front().name());
      if (files_.size() == 2) {
        out_.put(" and ");
        out_.name(files_[1].name());
      }
      out_.put(":\n");
      for (const Table &table : tables)
        print_text(table, out_);
      return;
    }
    const std::unique_ptr<text::DumpSink> sink = text::make_json_sink(out_);
    sink->begin();
    sink->begin_file(files_.back().name());
    if (files_.size() == 2)
      sink->field({"before", "", 0}, text::name(files_.front().name()));
    for (const Table &table : tables)
      print_json(table, *sink);
    sink->end_file();
    sink->end();
  }

  const SizeArguments &arguments_;
  SizeView view_;
  WorkerPool pool_{0};
  std::vector<DeviceFile> files_;
  TextOut out_{STDOUT_FILENO};
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
      excludes("csv", {"json", "", "The same facts as JSON", &arguments.json}),
      {"csv", "", "The same facts as comma-separated values", &arguments.csv},
  });
  if (!command.parse())
    return command.status();
  if (const size_t count = arguments.files.size(); count > 2)
    return command.refuse("FILE: At Most 2 required but received " + std::to_string(count));
  if (arguments.duplicates && arguments.files.size() == 2)
    return command.refuse("--duplicates is for one file");
  return SizeCommand(arguments).run();
}

} // namespace culink::tools
