// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin diff: reads both files tolerantly and reports how they differ: what became of each
// function, then how much differs beside that; the details, causes first, if asked for. Files with
// several images are compared image by image: those of one archive member and target are matched in
// their order. Exit codes as those of diff(1): 0 the same, 1 different, 2 trouble.
#include "cmd_diff.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/demangle.h"
#include "device_code.h"
#include "messages.h"
#include "text/diff/diff.h"
#include "text/diff/names_in_text.h"
#include "text/diff/summary.h"
#include "text/dump/dump_sink.h"

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
  bool summary = false; // alone
  bool details = false; // alone
  bool demangle = false;
  bool json = false;
  bool quiet = false;
};

std::string shown(const DiffArguments &arguments, const std::string &text) {
  return arguments.demangle ? text::demangle_within(text) : text;
}

// "12 more differences in code" for each topic with more than was reported.
void print_rest(const text::DiffResult &result, text::DiffTopic topic, u64 told, TextOut &out) {
  const u64 count = result.counts[static_cast<u32>(topic)];
  if (told == count)
    return;
  out.put("  ... ");
  out.decimal(count - told);
  out.put(count - told == 1 ? " more difference in " : " more differences in ");
  out.put(text::name_of_topic(topic));
  out.put(" (--all shows all)\n");
}

void print_details(const DiffArguments &arguments, const text::DiffResult &result, TextOut &out) {
  u64 at = 0;
  for (u32 i = 0; i < text::kDiffTopics; ++i) {
    const auto topic = static_cast<text::DiffTopic>(i);
    u64 told = 0;
    for (; at < result.differences.size() && result.differences[at].topic == topic; ++at, ++told) {
      const text::Difference &difference = result.differences[at];
      out.put(text::name_of_topic(topic));
      out.put(": ");
      if (!difference.place.empty()) {
        out.put(shown(arguments, difference.place));
        out.put(": ");
      }
      out.put(shown(arguments, difference.text));
      out.put('\n');
    }
    print_rest(result, topic, told, out);
  }
  out.decimal(result.count());
  out.put(result.count() == 1 ? " difference\n" : " differences\n");
}

// "5 differences: 1 in header, 4 in code (--details tells them)".
void print_counts(const text::DiffResult &result, TextOut &out) {
  out.decimal(result.count());
  out.put(result.count() == 1 ? " difference:" : " differences:");
  std::string_view separator = " ";
  for (u32 i = 0; i < text::kDiffTopics; ++i)
    if (const u64 count = result.counts[i]; count != 0) {
      out.put(std::exchange(separator, ", "));
      out.decimal(count);
      out.put(" in ");
      out.put(text::name_of_topic(static_cast<text::DiffTopic>(i)));
    }
  out.put(result.count() == 1 ? " (--details tells it)\n" : " (--details tells them)\n");
}

// What became of functions, a line for each, as many as --limit allows.
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
    out.put("  ... " + std::to_string(rest) + (rest == 1 ? " more function" : " more functions") +
            " (--all shows all)\n");
  out.put("functions: " + std::to_string(counts[0]) + " changed, " + std::to_string(counts[1]) +
          " added, " + std::to_string(counts[2]) + " removed, " + std::to_string(summary.same) +
          " the same\n");
}

void put_summary(const DiffArguments &arguments, const text::DiffSummary &summary,
                 text::DumpSink &sink) {
  sink.field({"same_functions", "", 0}, text::number(summary.same));
  sink.open_list("functions", "");
  for (const text::FunctionChange &change : summary.changes) {
    sink.open_row();
    sink.field({"name", "", 0},
               text::name(arguments.demangle ? demangle(change.name) : change.name));
    sink.field({"kind", "", 0}, text::name(change.kernel ? "kernel" : "function"));
    sink.field({"change", "", 0}, text::name(text::name_of_change(change.kind)));
    sink.field({"other_instructions", "", 0}, text::flag(change.instructions));
    sink.open_list("fields", "");
    for (const text::FieldChange &field : change.fields) {
      sink.open_row();
      sink.field({"field", "", 0}, text::name(field.key));
      sink.field({"before", "", 0}, field.before ? text::number(*field.before) : text::missing());
      sink.field({"after", "", 0}, field.after ? text::number(*field.after) : text::missing());
      sink.close_row();
    }
    sink.close_list();
    sink.close_row();
  }
  sink.close_list();
}

// Two images that were compared.
struct Comparison {
  text::DiffResult result;
  text::DiffSummary summary;
};

void print_json(const DiffArguments &arguments, const std::string &first, const std::string &second,
                const Comparison &compared, text::DumpSink &sink) {
  const text::DiffResult &result = compared.result;
  sink.begin_file(first);
  sink.field({"other", "", 0}, second.empty() ? text::missing() : text::name(second));
  sink.field({"same", "", 0}, text::flag(result.same()));
  sink.field({"count", "", 0}, text::number(result.count()));
  put_summary(arguments, compared.summary, sink);
  sink.open_list("differences", "");
  for (const text::Difference &difference : result.differences) {
    sink.open_row();
    sink.field({"topic", "", 0}, text::name(text::name_of_topic(difference.topic)));
    sink.field({"place", "", 0}, text::name(shown(arguments, difference.place)));
    sink.field({"text", "", 0}, text::name(shown(arguments, difference.text)));
    sink.close_row();
  }
  sink.close_list();
  sink.end_file();
}

// Images of the two files that are compared; one may be missing.
struct ImagePair {
  const FoundCode *of[2] = {nullptr, nullptr};
};

std::vector<ImagePair> match_images(const std::vector<const FoundCode *> &first,
                                    const std::vector<const FoundCode *> &second) {
  if (first.size() == 1 && second.size() == 1)
    return {{{first[0], second[0]}}};
  std::vector<ImagePair> out;
  std::map<std::tuple<std::string, std::string, bool>, std::vector<size_t>> unmatched;
  const auto key = [](const FoundCode &code) {
    return std::tuple(code.member, code.target, code.linkable);
  };
  for (const FoundCode *code : first) {
    unmatched[key(*code)].push_back(out.size());
    out.push_back({{code, nullptr}});
  }
  for (auto &[_, list] : unmatched)
    std::ranges::reverse(list);
  for (const FoundCode *code : second) {
    std::vector<size_t> &list = unmatched[key(*code)];
    if (list.empty()) {
      out.push_back({{nullptr, code}});
      continue;
    }
    out[list.back()].of[1] = code;
    list.pop_back();
  }
  return out;
}

// Prints how two files differ and keeps count.
class FileComparison {
public:
  FileComparison(const DiffArguments &arguments, const text::DiffOptions &options)
      : arguments_(arguments), options_(options), sink_(text::make_json_sink(out_)) {}

  int run();

private:
  [[nodiscard]] bool open(const std::string &argument, u32 side);
  void compare(const ImagePair &pair);
  void tell_missing(const ImagePair &pair);
  [[nodiscard]] Result<Comparison> diff(const ImagePair &pair) const;

  const DiffArguments &arguments_;
  const text::DiffOptions &options_;
  TextOut out_{STDOUT_FILENO};
  std::unique_ptr<text::DumpSink> sink_;
  std::vector<DeviceFile> files_;
  std::vector<const FoundCode *> images_[2];
  bool single_ = false;
  bool same_ = true;
  bool trouble_ = false;
};

bool FileComparison::open(const std::string &argument, u32 side) {
  Result<DeviceFile> file = DeviceFile::open(argument);
  if (!file) {
    print_error(argument, file.error());
    return false;
  }
  const DeviceFile &kept = files_.emplace_back(std::move(*file));
  const Result<DeviceFile::Shown> shown = kept.choose_shown(arguments_.selection);
  if (!shown) {
    print_error(kept.name(), shown.error());
    return false;
  }
  const Result<const FoundCode *> one = kept.choose_one(arguments_.selection);
  images_[side] = one && !arguments_.selection.leftovers ? std::vector{*one} : shown->images;
  if (!shown->leftovers.empty() && !arguments_.quiet)
    print_left_out(kept.name(), shown->leftovers.size());
  return true;
}

Result<Comparison> FileComparison::diff(const ImagePair &pair) const {
  std::vector<u8> unpacked[2];
  std::vector<elf::ElfView> views;
  for (u32 side = 0; side < 2; ++side) {
    const auto failed = [&](Error error) {
      error.file = files_[side].name_of(*pair.of[side]);
      return error;
    };
    Result<std::vector<u8>> bytes = unpack(*pair.of[side]);
    if (!bytes)
      return failed(bytes.error());
    unpacked[side] = std::move(*bytes);
    Result<elf::ElfView> view = elf::ElfView::open_tolerant(unpacked[side]);
    if (!view)
      return failed(view.error());
    views.push_back(std::move(*view));
  }
  return Comparison{text::diff_files(views[0], views[1], options_),
                    text::summarize_functions(views[0], views[1])};
}

void FileComparison::tell_missing(const ImagePair &pair) {
  const u32 side = pair.of[0] ? 0 : 1;
  const std::string name = files_[side].name_of(*pair.of[side]);
  same_ = false;
  if (arguments_.json) {
    Comparison compared;
    text::DiffResult &result = compared.result;
    result.counts[static_cast<u32>(text::DiffTopic::Header)] = 1;
    result.differences.push_back(
        {text::DiffTopic::Header, "",
         side == 0 ? "only in the first file" : "only in the second file"});
    print_json(arguments_, name, "", compared, *sink_);
  } else if (!arguments_.quiet) {
    out_.put(side == 0 ? "only in the first file: " : "only in the second file: ");
    out_.name(name);
    out_.put('\n');
  }
}

void FileComparison::compare(const ImagePair &pair) {
  if (!pair.of[0] || !pair.of[1])
    return tell_missing(pair);
  const Result<Comparison> compared = diff(pair);
  const std::string names[] = {files_[0].name_of(*pair.of[0]), files_[1].name_of(*pair.of[1])};
  if (!compared) {
    Error error = compared.error();
    const std::string name = std::exchange(error.file, "");
    print_error(name, error);
    trouble_ = true;
    return;
  }
  same_ = same_ && compared->result.same();
  if (arguments_.json)
    return print_json(arguments_, names[0], names[1], *compared, *sink_);
  if (arguments_.quiet || compared->result.same())
    return;
  if (!single_) {
    out_.name(heading(names[0], *pair.of[0]));
    out_.put(" and ");
    out_.name(heading(names[1], *pair.of[1]));
    out_.put(":\n");
  }
  if (!arguments_.details)
    print_summary(arguments_, compared->summary, out_);
  if (arguments_.details || arguments_.all || arguments_.limited)
    print_details(arguments_, compared->result, out_);
  else if (!arguments_.summary)
    print_counts(compared->result, out_);
}

int FileComparison::run() {
  files_.reserve(2);
  const bool opened = open(arguments_.first, 0) && open(arguments_.second, 1);
  if (!opened)
    return kTrouble;
  const std::vector<ImagePair> pairs = match_images(images_[0], images_[1]);
  single_ = pairs.size() == 1;
  if (arguments_.json)
    sink_->begin();
  for (const ImagePair &pair : pairs)
    compare(pair);
  if (arguments_.json)
    sink_->end();
  if (!finish_output(out_) || trouble_)
    return kTrouble;
  return same_ ? 0 : 1;
}

std::vector<std::string> topic_names() {
  std::vector<std::string> out;
  for (u32 i = 0; i < text::kDiffTopics; ++i)
    out.emplace_back(name_of_topic(static_cast<text::DiffTopic>(i)));
  return out;
}

} // namespace

void add_diff_command(CLI::App &app, int &exit_code) {
  const auto arguments = std::make_shared<DiffArguments>(); // lives in the callback
  CLI::App *command = app.add_subcommand("diff", "Explain how the code of two files differs");
  command->add_option("FIRST", arguments->first, "A file with device code, or FILE:MEMBER")
      ->required();
  command->add_option("SECOND", arguments->second, "A file with device code, or FILE:MEMBER")
      ->required();
  add_code_selection(*command, arguments->selection);
  add_leftovers_flag(*command, arguments->selection);
  command->add_option("--ignore", arguments->ignored, "Topics to leave out")
      ->delimiter(',')
      ->check(CLI::IsMember(topic_names()))
      ->allow_extra_args(false);
  CLI::Option *summary = command->add_flag("--summary", arguments->summary,
                                           "Only what became of each kernel and function");
  CLI::Option *details =
      command->add_flag("--details", arguments->details, "Only the details, a few of each topic");
  CLI::Option *limit =
      command->add_option("--limit", arguments->limit, "Also the details, so many of each topic");
  CLI::Option *all = command->add_flag("--all", arguments->all, "Also the details, all of them");
  for (CLI::Option *other : {details, limit, all})
    other->excludes(summary);
  command->add_flag("--demangle", arguments->demangle, "Show C++ names as in the source");
  command->add_flag("--json", arguments->json, "The differences as JSON");
  command->add_flag("-q,--quiet", arguments->quiet, "Only the exit code");
  command->callback([arguments, limit, &exit_code] {
    text::DiffOptions options;
    arguments->limited = limit->count() != 0;
    options.limit = arguments->all ? std::numeric_limits<u64>::max() : arguments->limit;
    for (const std::string &key : arguments->ignored)
      if (const auto topic = text::topic_from_name(key))
        options.ignored[static_cast<u32>(*topic)] = true;
    exit_code = FileComparison(*arguments, options).run();
  });
}

} // namespace culink::tools
