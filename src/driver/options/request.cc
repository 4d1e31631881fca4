// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion between the words of a command line and the request of the library, in both
// directions, and the record of the options in the output. nvlink rebuilds that record from the
// parsed options in a fixed order, so the rows that parse an option also write it.
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <type_traits>

#include <fmt/format.h>

#include "driver/options/command_line.h"
#include "driver/options/dialects.h"
#include "support/option_text.h"

namespace culink {

namespace {

// The options that nvlink passes to its own compiler of PTX, in its order and spelling: the last of
// two values takes effect, and messages repeat the word.
std::vector<std::string> ptxas_options(const CommandLine &line) {
  std::vector<std::string> out;
  if (line.has(OptionId::Debug))
    out.emplace_back("-g");
  for (const std::string &text : line.list(OptionId::Xptxas))
    for (std::string &word : option_words(text))
      out.push_back(std::move(word));
  if (line.has(OptionId::MaxRegisters))
    out.push_back("-maxrregcount=" + line.value(OptionId::MaxRegisters));
  if (const std::string speed = line.value(OptionId::FastCompile); !speed.empty() && speed != "0")
    out.push_back("--Ofast-compile=" + speed);
  if (line.has(OptionId::DeviceStackProtector))
    out.push_back("--device-stack-protector=" + line.value(OptionId::DeviceStackProtector));
  if (const std::string threads = line.value(OptionId::SplitCompile);
      !threads.empty() && threads != "1")
    out.push_back("-split-compile=" + threads);
  if (line.has(OptionId::Verbose2))
    out.emplace_back("-v2");
  return out;
}

// Returns the field for a member pointer; request, link options and LTO options are nested.
template <class Owner, class Value> Value &field_of(LinkRequest &request, Value Owner::*field) {
  if constexpr (std::is_same_v<Owner, LinkOptions>)
    return request.options.*field;
  else if constexpr (std::is_same_v<Owner, LtoOptions>)
    return request.lto.*field;
  else
    return request.*field;
}

template <class Value> void assign(Value &value, const std::vector<std::string> &words) {
  const std::string word = words.empty() ? "" : words.front();
  if constexpr (std::is_same_v<Value, bool>) {
    value = true;
  } else if constexpr (std::is_same_v<Value, std::string>) {
    value = word;
  } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
    value.insert(value.end(), words.begin(), words.end());
  } else if constexpr (std::is_same_v<Value, std::optional<std::vector<std::string>>>) {
    if (!words.empty()) {
      if (!value)
        value.emplace();
      value->insert(value->end(), words.begin(), words.end());
    }
  } else {
    i64 number = 0;
    const char *const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, number);
    if (error == std::errc() && stop == end)
      value = static_cast<u32>(number);
  }
}

} // namespace

void set_field(const OptionField &field, const std::vector<std::string> &words,
               LinkRequest &request) {
  std::visit(
      [&](auto member) {
        if constexpr (!std::is_same_v<decltype(member), std::monostate>)
          assign(field_of(request, member), words);
      },
      field);
}

bool is_virtual_target(std::string_view target) {
  return target.starts_with("compute_");
}

LogStyle log_style(const CommandLine &line) {
  return {{.demangle = !line.has(OptionId::NoDemangle),
           .target = line.has(OptionId::ReportArch) ? line.value(OptionId::Arch) : ""},
          line.has(OptionId::DisableWarnings),
          line.has(OptionId::DisableInfos)};
}

CacheOptions cache_options(const CommandLine &line, const CacheOptions &usual) {
  if (line.has(OptionId::NoCache))
    return {};
  CacheOptions out = usual;
  if (line.has(OptionId::CacheDir)) {
    out.folder = line.value(OptionId::CacheDir);
    out.folder_is_guess = false;
  }
  if (line.has(OptionId::CacheRemote))
    out.remote = line.value(OptionId::CacheRemote);
  out.size = parse_byte_size(line.value(OptionId::CacheSize)).value_or(out.size);
  out.remote_read_only = out.remote_read_only || line.has(OptionId::CacheRemoteReadOnly);
  return out;
}

namespace {

OutputCode output_code(std::string_view name) {
  return name == "sass"      ? OutputCode::Sass
         : name == "mercury" ? OutputCode::Mercury
         : name == "exact"   ? OutputCode::Exact
                             : OutputCode::Default;
}

} // namespace

std::vector<PlannedOutput> planned_outputs(const CommandLine &line) {
  std::vector<PlannedOutput> out;
  for (const OptionRow &row : option_rows()) {
    const std::string path = line.value(row.id);
    if (row.kind != ValueKind::WrittenFile || path.empty())
      continue;
    // nvlink treats a dash like any other name.
    const bool is_file =
        path != "-" || (row.id == OptionId::Output && dialect_of(line).command.dash_is_a_file);
    if (is_file)
      out.push_back({spelled(row.id) + " " + path, path == "-" ? "./-" : path});
  }
  return out;
}

namespace {

constexpr std::array kAskForFacts = {OptionId::Verbose,     OptionId::DumpCallgraph,
                                     OptionId::WhyLive,     OptionId::DumpCallgraphNoDemangle,
                                     OptionId::TraceSymbol, OptionId::Stats,
                                     OptionId::Trace,       OptionId::Cref};

} // namespace

LinkRequest make_request(const CommandLine &line) {
  LinkRequest request;
  for (const OptionRow &row : option_rows())
    if (line.has(row.id))
      set_field(row.field, line.list(row.id), request);
  for (const std::string &input : line.inputs)
    request.inputs.push_back(LinkInput::file(input));
  request.memory_limit = parse_byte_size(line.value(OptionId::MemoryLimit)).value_or(0);
  request.outputs = planned_outputs(line);
  request.ptxas_options = ptxas_options(line);
  request.cache = cache_options(line, {});
  LinkOptions &options = request.options;
  if (dialect_of(line).command.ignores_relocatable)
    options.relocatable = false;
  // A list of variables alone means that no kernel is used (Q062); an empty text is part of every
  // name, so it keeps all kernels.
  if (line.has(OptionId::KernelsUsed) && line.list(OptionId::KernelsUsed).empty())
    options.kernels_used = {""};
  else if (line.has(OptionId::KernelsUsed) ||
           (line.has(OptionId::VariablesUsed) &&
            !(request.lto.enabled && !request.lto.variables_used)))
    options.kernels_used = line.list(OptionId::KernelsUsed);
  if (options.debug)
    options.object_name = base_name(line.value(OptionId::Output));
  options.source_names = dialect_of(line).name.empty();
  options.map = line.has(OptionId::Map) || line.has(OptionId::PrintMap) ||
                line.has(OptionId::PrintGcSections) || line.has(OptionId::Report) ||
                line.has(OptionId::WhyLive);
  options.facts = options.map;
  for (const OptionId id : kAskForFacts)
    options.facts = options.facts || line.has(id);
  options.fold_identical = line.value(OptionId::Icf) == "safe" && request.emulate.empty();
  options.option_words = note_options(line);
  options.times = (line.has(OptionId::Time) && dialect_of(line).command.measures_time) ||
                  line.has(OptionId::Stats);
  options.code = output_code(line.value(OptionId::Code));
  return request;
}

// Lists the options that the note of the output records: the target, flags of the link, and
// libraries.
CommandLine describe_request(const LinkRequest &request) {
  CommandLine line;
  for (const LinkInput &input : request.inputs)
    line.inputs.push_back(input.name);
  for (const OptionRow &row : option_rows()) {
    if (row.recorded != Recorded::Always)
      continue;
    if (const auto *flag = std::get_if<bool LinkOptions::*>(&row.field))
      if (request.options.**flag)
        line.set(row.id);
    if (const auto *text = std::get_if<std::string LinkRequest::*>(&row.field))
      line.set(row.id, {request.**text});
    if (const auto *list = std::get_if<std::vector<std::string> LinkRequest::*>(&row.field))
      if (!(request.**list).empty())
        line.set(row.id, request.**list);
  }
  if (request.lto.enabled)
    line.set(OptionId::LinkTimeOpt);
  if (request.options.kernels_used)
    line.set(OptionId::KernelsUsed, *request.options.kernels_used);
  if (!request.options.object_name.empty())
    line.set(OptionId::Output, {request.options.object_name});
  return line;
}

namespace {

// Removes folders, and paths in options of ptxas. nvlink records both.
void remove_paths(OptionId id, std::vector<std::string> &values) {
  const bool folders = id == OptionId::LibraryPath || id == OptionId::NvvmPath;
  std::erase_if(values, [folders](const std::string &value) {
    return folders || value.find('/') != std::string::npos;
  });
}

} // namespace

std::string note_options(const CommandLine &line) {
  const bool debug = line.has(OptionId::Debug), emulates = !dialect_of(line).name.empty();
  std::string out;
  if (debug) {
    std::vector<std::string> names;
    for (const std::string &input : line.inputs)
      names.emplace_back(base_name(input));
    out += fmt::format("{} ", fmt::join(names, ","));
  }
  for (const OptionRow &row : option_rows()) {
    if (!line.has(row.id) || row.recorded == Recorded::Never ||
        (row.recorded == Recorded::WithDebug && !debug))
      continue;
    std::vector<std::string> values = line.list(row.id);
    if (!emulates && row.recorded == Recorded::Always)
      remove_paths(row.id, values);
    if (values.empty() && !line.list(row.id).empty())
      continue;
    const std::string value = fmt::format("{}", fmt::join(values, ","));
    out += fmt::format("-{} {} ", row.brief,
                       row.recorded == Recorded::WithDebug ? base_name(value) : value);
  }
  return out;
}

namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> out;
  for (size_t begin = 0, end = 0; begin <= text.size(); begin = end + 1) {
    end = std::min(text.find(separator, begin), text.size());
    out.emplace_back(text.substr(begin, end - begin));
  }
  return out;
}

} // namespace

// A name of the source may have blanks, so a value ends at the next option.
CommandLine parse_note(std::string_view options) {
  CommandLine line;
  const std::vector<std::string> words = split(options, ' ');
  for (size_t i = 0; i < words.size(); ++i) {
    const OptionRow *row =
        words[i].starts_with('-') ? find_brief_option(words[i].substr(1)) : nullptr;
    if (!row || row->recorded == Recorded::Never)
      continue;
    std::string value = i + 1 < words.size() ? words[i + 1] : "";
    for (size_t more = i + 2;
         row->kind == ValueKind::Names && !value.empty() && more < words.size() &&
         !words[more].empty() && !words[more].starts_with('-');
         ++more)
      value += " " + words[more];
    line.append(row->id, row->kind == ValueKind::Flag    ? std::vector<std::string>()
                         : row->kind == ValueKind::Names ? split_names(value)
                         : row->kind == ValueKind::List  ? split(value, ',')
                                                         : std::vector{value});
  }
  return line;
}

} // namespace culink
