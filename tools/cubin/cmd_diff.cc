// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin diff: reads both files tolerantly and reports their differences: the changes of each
// function, the number of other differences and, on request, details, causes first. Functions are
// matched by name across all images of a target, because they move between images. Images are
// matched by the functions that they share. Exit status as in diff(1): 0 equal, 1 different, 2
// error.
#include "command.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "device_code.h"
#include "inspect/diff/diff.h"
#include "inspect/diff/summary.h"
#include "inspect/dump/sink.h"
#include "support/demangle.h"

namespace culink::tools {

namespace {

constexpr int kTrouble = 2;

struct DiffArguments {
  std::string first;
  std::string second;
  CodeSelection selection;
  std::vector<std::string> ignored;
  u64 limit = text::DiffOptions{}.limit;
  bool limited = false; // by --limit
  bool all = false;
  bool summary = false; // print only the summary
  bool details = false; // print only the details
  bool demangle = false;
  OutputFlags form;
  bool quiet = false;
};

std::string shown(const DiffArguments &arguments, const std::string &text) {
  return arguments.demangle ? text::demangle_within(text) : text;
}

// Prints the kept differences of each topic, and the number of omitted ones.
void print_details(const DiffArguments &arguments, const text::DiffResult &result, TextOut &out) {
  auto at = result.differences.begin();
  for (u32 i = 0; i < text::kDiffTopics; ++i) {
    const std::string_view topic = text::name_of_topic(static_cast<text::DiffTopic>(i));
    u64 left = result.counts[i];
    for (; at != result.differences.end() && static_cast<u32>(at->topic) == i; ++at, --left)
      out.put(fmt::format("{}: {}{}{}\n", topic, shown(arguments, at->place),
                          at->place.empty() ? "" : ": ", shown(arguments, at->text)));
    if (left != 0)
      out.put(fmt::format("  ... {} in {} (--all shows all)\n", counted(left, "more difference"),
                          topic));
  }
  out.put(counted(result.count(), "difference") + "\n");
}

// Prints a line like "5 differences: 1 in header, 4 in code (--details tells them)".
void print_counts(const text::DiffResult &result, TextOut &out) {
  out.put(counted(result.count(), "difference"));
  std::string_view separator = ": ";
  for (u32 i = 0; i < text::kDiffTopics; ++i)
    if (const u64 count = result.counts[i]; count != 0)
      out.put(fmt::format("{}{} in {}", std::exchange(separator, ", "), count,
                          text::name_of_topic(static_cast<text::DiffTopic>(i))));
  out.put(result.count() == 1 ? " (--details tells it)\n" : " (--details tells them)\n");
}

// Prints the changes of functions, a line for each, up to --limit.
void print_summary(const DiffArguments &arguments, const text::DiffSummary &summary, TextOut &out) {
  u64 counts[3] = {}, told = 0;
  for (const text::FunctionChange &change : summary.changes) {
    ++counts[static_cast<u32>(change.kind)];
    if (!arguments.all && told == arguments.limit)
      continue;
    ++told;
    out.put(change.kernel ? "kernel " : "function ");
    out.name(arguments.demangle ? demangle(change.name) : change.name);
    out.put(": " + text::describe_change(change) + "\n");
  }
  if (const u64 rest = summary.changes.size() - told; rest != 0)
    out.put(fmt::format("  ... {} (--all shows all)\n", counted(rest, "more function")));
  out.put(fmt::format("functions: {} changed, {} added, {} removed, {} the same\n", counts[0],
                      counts[1], counts[2], summary.same));
}

constexpr text::Column kFunctionColumns[] = {{"name", "name"},
                                             {"kind", "kind"},
                                             {"change", "change"},
                                             {"other_instructions", "other_instructions"},
                                             {"fields", "fields"}};
constexpr text::Column kFieldColumns[] = {
    {"field", "field"}, {"before", "before"}, {"after", "after"}};
constexpr text::Column kDifferenceColumns[] = {
    {"topic", "topic"}, {"place", "place"}, {"text", "text"}};

void put_summary(const DiffArguments &arguments, const text::DiffSummary &summary,
                 text::Sink &sink) {
  const auto number = [](const std::optional<u64> &value) {
    return value ? text::number(*value) : text::missing();
  };
  sink.fact("same_functions", text::number(summary.same));
  sink.open_list("functions", "Functions", kFunctionColumns);
  for (const text::FunctionChange &change : summary.changes) {
    const std::string name = arguments.demangle ? demangle(change.name) : change.name;
    sink.open_row();
    sink.cells(kFunctionColumns,
               {text::name(name), text::name(change.kernel ? "kernel" : "function"),
                text::name(text::name_of_change(change.kind)), text::flag(change.instructions)});
    sink.open_list("fields", "", kFieldColumns);
    for (const text::FieldChange &field : change.fields)
      sink.row(kFieldColumns, {text::name(field.key), number(field.before), number(field.after)});
    sink.close_list();
    sink.close_row();
  }
  sink.close_list();
}

void print_rows(const DiffArguments &arguments, const std::string &first, const std::string &second,
                const text::DiffResult &result, const text::DiffSummary &summary,
                text::Sink &sink) {
  sink.begin_file(first);
  sink.fact("other", text::name_or_missing(second));
  sink.fact("same", text::flag(result.same()));
  sink.fact("count", text::number(result.count()));
  put_summary(arguments, summary, sink);
  sink.open_list("differences", "Differences", kDifferenceColumns);
  for (const text::Difference &difference : result.differences)
    sink.row(kDifferenceColumns, {text::name(text::name_of_topic(difference.topic)),
                                  text::name(shown(arguments, difference.place)),
                                  text::name(shown(arguments, difference.text))});
  sink.close_list();
  sink.end_file();
}

constexpr u32 kNoImage = ~u32{0};

// The images of one target in both files, and their functions.
struct TargetImages {
  std::string target;
  std::vector<const FoundCode *> of[2];
  std::vector<text::FunctionFacts> functions[2];
};

// Groups images by target; all are one group if each file has only one target.
std::vector<TargetImages> group_images(const std::vector<const FoundCode *> (&images)[2]) {
  const auto has_one = [](const std::vector<const FoundCode *> &list) {
    return std::ranges::all_of(
        list, [&](const FoundCode *code) { return code->target == list.front()->target; });
  };
  const bool one_each = has_one(images[0]) && has_one(images[1]);
  std::vector<TargetImages> out;
  for (u32 side = 0; side < 2; ++side)
    for (const FoundCode *code : images[side]) {
      auto at =
          one_each ? out.begin() : std::ranges::find(out, code->target, &TargetImages::target);
      if (at == out.end())
        at = out.insert(at, TargetImages{.target = code->target});
      at->of[side].push_back(code);
    }
  return out;
}

// A pair of compared images, by index; one may be missing.
struct ImagePair {
  u32 of[2] = {kNoImage, kNoImage};
};

// Pairs each image of the first file with the image of the second file that shares the most
// functions, in the same archive member if there is one.
std::vector<ImagePair> match_images(const TargetImages &images) {
  std::map<std::string_view, std::vector<u32>> places; // of the second file
  for (const text::FunctionFacts &facts : images.functions[1])
    places[facts.name].push_back(facts.image);
  const size_t count = images.of[1].size();
  std::vector<bool> taken(count);
  std::vector<ImagePair> out;
  auto next = images.functions[0].begin();
  for (u32 first = 0; first < images.of[0].size(); ++first) {
    std::vector<u32> shared(count);
    for (; next != images.functions[0].end() && next->image == first; ++next)
      if (const auto at = places.find(next->name); at != places.end())
        for (const u32 second : at->second)
          ++shared[second];
    const auto rank = [&](u32 second) {
      const FoundCode &a = *images.of[0][first], &b = *images.of[1][second];
      return std::tuple(a.linkable == b.linkable && a.member == b.member, shared[second]);
    };
    ImagePair pair{{first, kNoImage}};
    for (u32 second = 0; second < count; ++second)
      if (!taken[second] && std::get<0>(rank(second)) &&
          (pair.of[1] == kNoImage || rank(second) > rank(pair.of[1])))
        pair.of[1] = second;
    if (pair.of[1] == kNoImage && images.of[0].size() == 1 && count == 1)
      pair.of[1] = 0;
    if (pair.of[1] != kNoImage)
      taken[pair.of[1]] = true;
    out.push_back(pair);
  }
  for (u32 second = 0; second < count; ++second)
    if (!taken[second])
      out.push_back({{kNoImage, second}});
  return out;
}

// Returns the part of a summary for two images.
text::DiffSummary part_of(const text::DiffSummary &summary, const TargetImages &images,
                          const ImagePair &pair) {
  using Kind = text::FunctionChange::Kind;
  text::DiffSummary out;
  out.same = static_cast<u64>(
      std::ranges::count(images.functions[0], pair.of[0], &text::FunctionFacts::image));
  for (const text::FunctionChange &change : summary.changes) {
    if (change.image != pair.of[change.kind == Kind::Added ? 1 : 0])
      continue;
    out.changes.push_back(change);
    out.same -= change.kind == Kind::Added ? 0 : 1;
  }
  return out;
}

// Prints the differences of two files and counts them.
class FileComparison {
public:
  FileComparison(const DiffArguments &arguments, const text::DiffOptions &options)
      : arguments_(arguments), options_(options),
        sink_(text::make_sink(arguments.form.format(), out_)) {}

  int run() {
    files_.reserve(2);
    const bool opened = open(arguments_.first, 0) && open(arguments_.second, 1);
    if (!opened)
      return kTrouble;
    single_ = images_[0].size() == 1 && images_[1].size() == 1;
    sink_->begin();
    for (TargetImages &images : group_images(images_))
      compare(images);
    sink_->end();
    if (!finish_output(out_) || trouble_)
      return kTrouble;
    return same_ ? 0 : 1;
  }

private:
  [[nodiscard]] bool open(const std::string &argument, u32 side) {
    Result<DeviceFile> file = DeviceFile::open(argument);
    if (!is_there(argument, file))
      return false;
    const DeviceFile &kept = files_.emplace_back(std::move(*file));
    const Result<DeviceFile::Shown> shown = kept.choose_shown(arguments_.selection);
    if (!is_there(kept.name(), shown))
      return false;
    const Result<const FoundCode *> one = kept.choose_one(arguments_.selection);
    images_[side] = one && !arguments_.selection.leftovers ? std::vector{*one} : shown->images;
    if (!shown->leftovers.empty() && !arguments_.quiet)
      print_left_out(kept.name(), shown->leftovers.size());
    return true;
  }

  // Calls `use` with the tolerantly read image. False after a message.
  [[nodiscard]] bool read(const FoundCode &code, u32 side,
                          const std::function<void(const elf::ElfView &)> &use) {
    const Result<std::vector<u8>> bytes = unpack(code);
    const Result<elf::ElfView> view =
        bytes ? elf::ElfView::open_tolerant(*bytes) : Result<elf::ElfView>(bytes.error());
    const bool was_read = is_there(files_[side].name_of(code), view);
    if (was_read)
      use(*view);
    trouble_ = trouble_ || !was_read;
    return was_read;
  }

  void compare(TargetImages &images) {
    for (u32 side = 0; side < 2; ++side)
      for (u32 i = 0; i < images.of[side].size(); ++i)
        if (!read(*images.of[side][i], side, [&](const elf::ElfView &view) {
              std::ranges::move(text::function_facts(view, i),
                                std::back_inserter(images.functions[side]));
            }))
          return;
    const text::DiffSummary summary =
        text::summarize_functions(images.functions[0], images.functions[1]);
    bool told = arguments_.details;
    for (const ImagePair &pair : match_images(images)) {
      const std::optional<text::DiffResult> result = diff(images, pair);
      if (!result)
        continue;
      same_ = same_ && result->same();
      const auto name_of = [&](u32 side) {
        const u32 image = pair.of[side];
        return image == kNoImage ? "" : files_[side].name_of(*images.of[side][image]);
      };
      if (!arguments_.form.is_text()) {
        const bool second = pair.of[0] == kNoImage;
        print_rows(arguments_, name_of(second ? 1 : 0), second ? "" : name_of(1), *result,
                   part_of(summary, images, pair), *sink_);
        continue;
      }
      if (arguments_.quiet || result->same())
        continue;
      if (!std::exchange(told, true)) {
        if (!single_)
          out_.put(images.target + ":\n");
        print_summary(arguments_, summary, out_);
      }
      if (!arguments_.summary)
        tell(images, pair, *result);
    }
  }

  // Nothing after a message.
  [[nodiscard]] std::optional<text::DiffResult> diff(const TargetImages &images,
                                                     const ImagePair &pair) {
    std::optional<text::DiffResult> out;
    if (pair.of[0] == kNoImage || pair.of[1] == kNoImage) {
      out.emplace();
      out->counts[static_cast<u32>(text::DiffTopic::Header)] = 1;
      out->differences.push_back(
          {text::DiffTopic::Header, "",
           pair.of[1] == kNoImage ? "only in the first file" : "only in the second file"});
      return out;
    }
    const bool was_read = read(*images.of[0][pair.of[0]], 0, [&](const elf::ElfView &a) {
      (void)read(*images.of[1][pair.of[1]], 1,
                 [&](const elf::ElfView &b) { out = text::diff_files(a, b, options_); });
    });
    return was_read ? out : std::nullopt;
  }

  // Prints the differences of two images outside functions, or the image without a partner.
  void tell(const TargetImages &images, const ImagePair &pair, const text::DiffResult &result) {
    if (pair.of[0] == kNoImage || pair.of[1] == kNoImage) {
      const u32 side = pair.of[0] == kNoImage ? 1 : 0;
      out_.put(result.differences.front().text + ": ");
      out_.name(files_[side].name_of(*images.of[side][pair.of[side]]));
      out_.put('\n');
      return;
    }
    if (!single_) {
      for (u32 side = 0; side < 2; ++side) {
        const FoundCode &code = *images.of[side][pair.of[side]];
        out_.put(side == 0 ? "" : " and ");
        out_.name(heading(files_[side].name_of(code), code));
      }
      out_.put(":\n");
    }
    if (arguments_.details || arguments_.all || arguments_.limited)
      print_details(arguments_, result, out_);
    else
      print_counts(result, out_);
  }

  const DiffArguments &arguments_;
  const text::DiffOptions &options_;
  TextOut out_{STDOUT_FILENO};
  std::unique_ptr<text::Sink> sink_;
  std::vector<DeviceFile> files_;
  std::vector<const FoundCode *> images_[2];
  bool single_ = false;
  bool same_ = true;
  bool trouble_ = false;
};

std::vector<std::string> topic_names() {
  std::vector<std::string> out;
  for (u32 i = 0; i < text::kDiffTopics; ++i)
    out.emplace_back(name_of_topic(static_cast<text::DiffTopic>(i)));
  return out;
}

} // namespace

int diff_command(Command &command) {
  DiffArguments arguments;
  std::optional<u64> limit;
  command.add({
      required({"FIRST", "", "A file with device code, or FILE:MEMBER", &arguments.first}),
      required({"SECOND", "", "A file with device code, or FILE:MEMBER", &arguments.second}),
  });
  add_code_selection(command, arguments.selection);
  add_leftovers_flag(command, arguments.selection);
  command.add({
      one_of(topic_names(), {"ignore", "<topic>,...", "Topics to leave out", &arguments.ignored}),
      excludes({"details"},
               {"summary", "", "Only what became of each kernel and function", &arguments.summary}),
      {"details", "", "Only the details, a few of each topic", &arguments.details},
      {"limit", "<n>", "Also the details, so many of each topic", &limit},
      {"all", "", "Also the details, all of them", &arguments.all},
      {"demangle", "", "Show C++ names as in the source", &arguments.demangle},
      {"quiet,q", "", "Only the exit code", &arguments.quiet},
  });
  add_output_flags(command, arguments.form);
  if (!command.parse())
    return command.status();
  text::DiffOptions options;
  arguments.limited = limit.has_value();
  arguments.limit = limit.value_or(arguments.limit);
  options.limit = arguments.all ? std::numeric_limits<u64>::max() : arguments.limit;
  for (const std::string &key : arguments.ignored)
    if (const auto topic = text::topic_from_name(key))
      options.ignored[static_cast<u32>(*topic)] = true;
  return FileComparison(arguments, options).run();
}

} // namespace culink::tools
