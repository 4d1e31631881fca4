// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin usage: the resources of each kernel and function. Results come image by image. With
// sorting, a limit or CSV, all functions of a file are in one table, because the user then looks
// for functions and not for images.
#include "command.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "device_code.h"
#include "elf/target/elf_flags.h"
#include "inspect/dump/usage.h"
#include "inspect/reader/usage.h"

namespace culink::tools {

namespace {

struct UsageArguments {
  CodeArguments code;
  std::vector<std::string> where;
  std::string sort;
  u64 rows = 0;
  std::optional<u64> block_size;
  u64 dynamic_shared = 0;
  bool limits = false;
  bool demangle = false;
  OutputFlags form;
};

// The results of one image.
struct ImageUsage {
  ModuleUsage module; // without its functions
  const arch::ArchInfo *arch = nullptr;
  bool linked = false;
  std::vector<text::UsageRow> rows;
};

class UsageCommand {
public:
  UsageCommand(const UsageArguments &arguments, std::vector<text::UsageCondition> conditions,
               text::Sink &sink)
      : arguments_(arguments), conditions_(std::move(conditions)),
        one_table_(arguments.form.csv || !arguments.sort.empty() || arguments.rows != 0),
        sink_(sink) {}

  bool run() {
    for (const std::string &file : arguments_.code.files) {
      const CodeArguments alone{{file}, arguments_.code.selection};
      const auto look = [this](const Image &image) -> std::function<void()> {
        return [this, image, usage = usage_of(image)]() mutable { show(image, usage); };
      };
      clean_ = for_each_image(alone, look) && clean_;
      if (one_table_ && !arguments_.form.csv)
        show_table(file);
    }
    if (arguments_.form.csv)
      show_table("");
    return clean_;
  }

private:
  // Returns the rows of an image that match --kernel and --where. Called by several threads.
  [[nodiscard]] ImageUsage usage_of(const Image &image) const {
    ImageUsage out;
    out.module = inspect::collect_usage(*image.view);
    const arch::FileTarget target = arch::target_of(*image.view);
    out.arch = target.arch;
    std::optional<text::LaunchShape> shape;
    if (arguments_.block_size)
      shape = {static_cast<u32>(*arguments_.block_size), arguments_.dynamic_shared};
    out.linked = image.view->header().type == elf::FileType::Executable;
    out.rows = text::make_rows(out.module, target.name, target.arch, out.linked, shape);
    out.module.functions.clear();
    std::string piece = image.name;
    if (!arguments_.form.csv) // one CSV table has several files, so image names are complete
      piece = image.code.bytes.size() == image.file.bytes().size()
                  ? ""
                  : (image.code.member.empty() ? "" : image.code.member + ":") + image.code.name();
    for (text::UsageRow &row : out.rows)
      row.image = piece;
    std::erase_if(out.rows, [&](const text::UsageRow &row) {
      return !arguments_.code.selection.takes_kernel(row.name) ||
             !std::ranges::all_of(conditions_, [&](const text::UsageCondition &condition) {
               return condition.holds(row);
             });
    });
    return out;
  }

  void show(const Image &image, ImageUsage &usage) {
    clean_ = print_violations(image) && clean_;
    if (one_table_) {
      std::ranges::move(usage.rows, std::back_inserter(rows_));
      constexpr size_t kMany = 100'000; // bounds the memory for rows of large libraries
      if (arguments_.rows != 0 && rows_.size() > kMany + arguments_.rows)
        cut();
      return;
    }
    if (usage.rows.empty() && !conditions_.empty())
      return; // without a matching row
    sink_.begin_file(image.name, heading(image.name, image.code));
    sink_.fact("linked", text::flag(usage.linked));
    text::print_module(usage.module, sink_);
    if (arguments_.limits)
      text::print_limits(usage.arch, sink_);
    text::print_rows(usage.rows, {.demangled = arguments_.demangle}, sink_);
    sink_.end_file();
  }

  void show_table(const std::string &file) {
    cut();
    sink_.begin_file(file);
    text::print_rows(
        rows_, {.demangled = arguments_.demangle, .images = true, .left_out = left_out_}, sink_);
    sink_.fact("left_out", text::number(left_out_));
    sink_.end_file();
    rows_.clear();
    left_out_ = 0;
  }

  void cut() {
    if (!arguments_.sort.empty())
      text::sort_rows(arguments_.sort, rows_);
    if (arguments_.rows == 0 || rows_.size() <= arguments_.rows)
      return;
    left_out_ += rows_.size() - arguments_.rows;
    rows_.resize(arguments_.rows);
  }

  const UsageArguments &arguments_;
  std::vector<text::UsageCondition> conditions_;
  bool one_table_;
  text::Sink &sink_;
  std::vector<text::UsageRow> rows_; // of the single table
  u64 left_out_ = 0;
  bool clean_ = true;
};

int run_usage(const UsageArguments &arguments) {
  std::vector<text::UsageCondition> conditions;
  for (const std::string &text : arguments.where) {
    const Result<text::UsageCondition> condition = text::parse_condition(text);
    if (!is_there("--where", condition))
      return kExitUsage;
    conditions.push_back(*condition);
  }
  if (!arguments.sort.empty() && !text::is_usage_key(arguments.sort)) {
    print_error("--sort", "no column '" + arguments.sort + "'; there are " + text::usage_keys());
    return kExitUsage;
  }
  return show(arguments.form, [&](text::Sink &sink, TextOut &) {
    return UsageCommand(arguments, conditions, sink).run();
  });
}

} // namespace

int usage_command(Command &command) {
  UsageArguments arguments;
  std::vector<std::string> columns, conditions;
  for (const std::string_view key : text::usage_numbers()) {
    columns.emplace_back(key);
    conditions.push_back(columns.back() + "=");
  }
  conditions.insert(conditions.end(), {"kind=kernel", "kind=function", "name="});
  add_code_arguments(command, arguments.code);
  add_leftovers_flag(command, arguments.code.selection);
  command.add({
      suggests(conditions,
               {"where", "<condition>",
                "Only functions that meet a condition, as in 'registers>64', 'shared>=48k', "
                "kind=kernel or 'name=gemm*'; may be repeated",
                &arguments.where}),
      suggests(columns, {"sort", "<column>",
                         "All functions of a file in one table, largest first, by a column of it",
                         &arguments.sort}),
      {"rows,n", "<n>", "The first of that table only; 0: all", &arguments.rows},
      between(1, 1024,
              {"block-size", "<threads>", "Theoretical occupancy for blocks of so many threads",
               &arguments.block_size}),
      needs("block-size", {"dynamic-shared", "<bytes>", "Dynamic shared memory of these blocks",
                           &arguments.dynamic_shared}),
      {"limits", "", "Also what the target allows", &arguments.limits},
      {"demangle", "", "Show C++ names as in the source", &arguments.demangle},
  });
  add_output_flags(command, arguments.form);
  return command.parse() ? run_usage(arguments) : command.status();
}

} // namespace culink::tools
