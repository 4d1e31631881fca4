// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin diff: reads both files tolerantly and reports how they differ, causes first. Exit codes as
// those of diff(1): 0 the same, 1 different, 2 trouble.
#include "cmd_diff.h"

#include <limits>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include "open_input.h"
#include "text/diff/diff.h"
#include "text/dump/dump_sink.h"

namespace culink::tools {

namespace {

constexpr int kTrouble = 2;

struct DiffArguments {
  std::string first;
  std::string second;
  std::vector<std::string> ignored;
  u64 limit = text::DiffOptions{}.limit;
  bool all = false;
  bool json = false;
  bool quiet = false;
};

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

void print_text(const text::DiffResult &result, TextOut &out) {
  u64 at = 0;
  for (u32 i = 0; i < text::kDiffTopics; ++i) {
    const auto topic = static_cast<text::DiffTopic>(i);
    u64 told = 0;
    for (; at < result.differences.size() && result.differences[at].topic == topic; ++at, ++told) {
      const text::Difference &difference = result.differences[at];
      out.put(text::name_of_topic(topic));
      out.put(": ");
      if (!difference.place.empty()) {
        out.put(difference.place);
        out.put(": ");
      }
      out.put(difference.text);
      out.put('\n');
    }
    print_rest(result, topic, told, out);
  }
  if (result.same())
    return;
  out.decimal(result.count());
  out.put(result.count() == 1 ? " difference\n" : " differences\n");
}

void print_json(const DiffArguments &arguments, const text::DiffResult &result, TextOut &out) {
  const std::unique_ptr<text::DumpSink> sink = text::make_json_sink(out);
  sink->begin();
  sink->begin_file(arguments.first);
  sink->field({"other", "", 0}, text::name(arguments.second));
  sink->field({"same", "", 0}, text::flag(result.same()));
  sink->field({"count", "", 0}, text::number(result.count()));
  sink->open_list("differences", "");
  for (const text::Difference &difference : result.differences) {
    sink->open_row();
    sink->field({"topic", "", 0}, text::name(text::name_of_topic(difference.topic)));
    sink->field({"place", "", 0}, text::name(difference.place));
    sink->field({"text", "", 0}, text::name(difference.text));
    sink->close_row();
  }
  sink->close_list();
  sink->end_file();
  sink->end();
}

int run_diff(const DiffArguments &arguments, const text::DiffOptions &options) {
  const std::string *names[] = {&arguments.first, &arguments.second};
  std::vector<Input> inputs;
  std::vector<elf::ElfView> views;
  inputs.reserve(2);
  for (const std::string *name : names) {
    Result<Input> input = open_input(*name);
    if (!input) {
      print_error(*name, input.error());
      return kTrouble;
    }
    inputs.push_back(std::move(input).value());
    Result<elf::ElfView> view = elf::ElfView::open_tolerant(inputs.back().bytes());
    if (!view) {
      print_error(*name, view.error());
      return kTrouble;
    }
    views.push_back(std::move(view).value());
  }
  const text::DiffResult result = text::diff_files(views[0], views[1], options);
  TextOut out(STDOUT_FILENO);
  if (arguments.json)
    print_json(arguments, result, out);
  else if (!arguments.quiet)
    print_text(result, out);
  if (!finish_output(out))
    return kTrouble;
  return result.same() ? 0 : 1;
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
  CLI::App *command = app.add_subcommand("diff", "Explain how two cubins differ");
  command->add_option("FIRST", arguments->first, "Device ELF file")->required();
  command->add_option("SECOND", arguments->second, "Device ELF file")->required();
  command->add_option("--ignore", arguments->ignored, "Topics to leave out")
      ->delimiter(',')
      ->check(CLI::IsMember(topic_names()));
  command->add_option("--limit", arguments->limit, "Differences told per topic");
  command->add_flag("--all", arguments->all, "Tell all differences");
  command->add_flag("--json", arguments->json, "The differences as JSON");
  command->add_flag("-q,--quiet", arguments->quiet, "Only the exit code");
  command->callback([arguments, &exit_code] {
    text::DiffOptions options;
    options.limit = arguments->all ? std::numeric_limits<u64>::max() : arguments->limit;
    for (const std::string &key : arguments->ignored)
      if (const auto topic = text::topic_from_name(key))
        options.ignored[static_cast<u32>(*topic)] = true;
    exit_code = run_diff(*arguments, options);
  });
}

} // namespace culink::tools
