// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvlink's grammar for words of a command line. It differs from the grammars of getopt and ld: long
// names have two dashes and short names one, at any length; a value follows after `=` or as the
// next word, even if that begins with a dash; only -l, -L and -m may have it attached. So -lineinfo
// is the library "ineinfo", and --verb is unknown.
//
// Lists are split at commas. Double quotes protect a comma and are removed; empty items are
// removed. In an option file a backslash makes the next character an ordinary one, except that an
// escaped quote is lost (Q061).
//
// Releases have added options. If a release is emulated, only its options are known. culink itself
// knows all options.
#include "driver/options/command_line.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "culink/host_references.h"
#include "driver/options/dialects.h"
#include "elf/target/arch.h"
#include "link/model/name_pattern.h"
#include "support/option_text.h"
#include "support/output_file.h"
#include "support/text_out.h"

namespace culink {

namespace {

// Deeper than any intended nesting of option files; stops a file that includes itself.
constexpr u32 kMaxFileDepth = 64;
// A file may name itself twice, so the depth alone does not bound the work.
constexpr u64 kMaxFiles = 10'000, kMaxFileBytes = u64{256} << 20;

// True for sm_90, compute_90 or lto_90 if a release knows the target.
bool is_target(std::string_view value, u32 release) {
  for (const std::string_view prefix : {"sm_", "compute_", "lto_"})
    if (value.starts_with(prefix)) {
      const arch::ArchInfo *found =
          arch::find_arch(fmt::format("sm_{}", value.substr(prefix.size())));
      return found && found->toolkit <= release;
    }
  return false;
}

constexpr u32 kAll = ~u32{0}; // no release is emulated

// The release of the emulated linker, at any position in the line; it decides which options exist.
u32 release_of_options(const std::vector<std::string> &words) {
  constexpr std::string_view kOption = "--emulate";
  u32 release = kAll;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    std::string_view name;
    if (word == kOption && i + 1 < words.size())
      name = words[i + 1];
    else if (word.starts_with(kOption) && word.substr(kOption.size()).starts_with('='))
      name = word.substr(kOption.size() + 1);
    if (const Dialect *found = name.empty() ? nullptr : find_dialect(name))
      release = found->release.toolkit;
  }
  return release;
}

// nvlink's option files, and the response files of other tools.
enum class FileGrammar : u8 { Options, Response };

// True for @file, except if a file with exactly that name exists. nvlink treats @file as an input,
// so a missing one is a missing input.
bool is_response_file(const std::string &word, const FileSource &files, u32 release) {
  return word.size() > 1 && word[0] == '@' && !files.ask(FileQuestion::Exists, word) &&
         (release == kAll || files.ask(FileQuestion::IsReadable, word.substr(1)));
}

std::string without_blanks(const std::string &text) {
  const size_t begin = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

// True if each bracket has a partner; the brackets of an operator may have none.
bool is_balanced(std::string_view text) {
  const auto count = [text](char c) { return std::count(text.begin(), text.end(), c); };
  return count('(') == count(')') && count('<') == count('>');
}

// Splits a text at commas. `of_names`: commas between brackets are part of a name, blanks around it
// are not. Nothing if a quote is not closed.
std::optional<std::vector<std::string>> split_list(const std::string &value, bool of_names) {
  constexpr std::string_view kOpening = "(<", kClosing = ")>";
  std::vector<std::string> items;
  std::string item;
  bool quoted = false;
  int depth = 0;
  const bool nests = of_names && is_balanced(value);
  const auto finish = [&] {
    if (of_names)
      item = without_blanks(item);
    if (!item.empty())
      items.push_back(std::move(item));
    item.clear();
  };
  for (const char c : value) {
    depth += kOpening.find(c) != std::string_view::npos ? 1 : 0;
    depth -= kClosing.find(c) != std::string_view::npos ? 1 : 0;
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted && !(nests && depth > 0))
      finish();
    else
      item += c;
  }
  finish();
  if (quoted)
    return std::nullopt;
  return items;
}

class CommandLineParser {
public:
  CommandLineParser(u32 release, Diagnostics &diag, const FileSource &source)
      : release_(release), diag_(diag), source_(source) {}

  void parse(const std::vector<std::string> &words);
  CommandLine take() { return std::move(line_); }

private:
  struct Match {
    const OptionRow *row = nullptr;
    std::optional<std::string> value; // after `=`, or attached
  };

  [[nodiscard]] Match match(std::string_view word) const;
  [[nodiscard]] std::optional<std::string> checked(const OptionRow &row, const std::string &value);
  [[nodiscard]] std::optional<std::string> checked_number(const OptionRow &row,
                                                          const std::string &value);
  void accept(const OptionRow &row, const std::string &value);
  void append_list(const OptionRow &row, const std::string &value);
  void read_options_file(const std::string &path, FileGrammar grammar);
  [[nodiscard]] std::vector<std::string> file_words(std::string_view text, FileGrammar grammar);

  u32 release_; // the release that defines the known options, times ten
  Diagnostics &diag_;
  const FileSource &source_; // of option files
  CommandLine line_;
  u32 file_depth_ = 0;
  u64 files_ = 0, file_bytes_ = 0; // read so far
  bool too_many_files_ = false;
};

// `word` begins with a dash and is longer than one character.
CommandLineParser::Match CommandLineParser::match(std::string_view word) const {
  const bool is_long = word.starts_with("--");
  const std::string_view body = word.substr(is_long ? 2 : 1);
  const size_t equals = body.find('=');
  const std::string_view name = body.substr(0, equals);
  Match out{is_long ? find_option(name) : find_brief_option(name), std::nullopt};
  if (out.row && !has_option(*out.row, !is_long, release_))
    return {};
  if (out.row && equals != std::string_view::npos)
    out.value = std::string(body.substr(equals + 1));
  if (out.row || is_long)
    return out;
  const OptionRow *row = find_brief_option(body.substr(0, 1));
  if (row && row->attached)
    return {row, std::string(body.substr(1))};
  return {};
}

void CommandLineParser::parse(const std::vector<std::string> &words) {
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string &word = words[i];
    if (is_response_file(word, source_, release_)) {
      read_options_file(word.substr(1), FileGrammar::Response);
      continue;
    }
    if (word.size() < 2 || word[0] != '-') {
      line_.inputs.push_back(word);
      continue;
    }
    Match found = match(word);
    if (!found.row) {
      diag_
          .report(DiagId::UnknownOption,
                  {word.substr(1), word.substr(1, word.find('=') - 1)}) // as nvlink names it
          .advise(suggest_option(word));
      continue;
    }
    const OptionRow &row = *found.row;
    if (row.kind == ValueKind::Flag) {
      if (found.value)
        diag_.report(DiagId::NoArgumentExpected, {word.substr(0, word.find('='))});
      line_.set(row.id);
      continue;
    }
    if (!found.value && i + 1 == words.size()) {
      diag_.report(DiagId::ArgumentExpected, {word});
      continue;
    }
    accept(row, found.value ? *found.value : words[++i]);
  }
}

void CommandLineParser::accept(const OptionRow &row, const std::string &value) {
  if (is_list(row.kind)) {
    append_list(row, value);
    return;
  }
  const std::optional<std::string> text = checked(row, value);
  if (!text)
    return;
  if (line_.has(row.id) && line_.value(row.id) != *text)
    diag_.report(DiagId::OptionRedefined, {std::string(row.name)});
  line_.set(row.id, {*text});
}

// The value in its stored form, or nothing after a message.
std::optional<std::string> CommandLineParser::checked(const OptionRow &row,
                                                      const std::string &value) {
  const auto refuse = [&]() -> std::optional<std::string> {
    diag_.report(DiagId::BadOptionValue, {value, std::string(row.name)})
        .advise(suggest_value(row, value));
    return std::nullopt;
  };
  switch (row.kind) {
  case ValueKind::Flag:
  case ValueKind::List:
  case ValueKind::Names:
  case ValueKind::Text:
  case ValueKind::ReadFile:
  case ValueKind::WrittenFile:
    return value;
  case ValueKind::Number:
    return checked_number(row, value);
  case ValueKind::Boolean:
    if (value == "true" || value == "false")
      return value;
    diag_.report(DiagId::NotABoolean, {value});
    return std::nullopt;
  case ValueKind::Choice:
    return has_choice(row, value, release_) ? std::optional(value) : refuse();
  case ValueKind::Target:
    return is_target(value, release_) ? std::optional(value) : refuse();
  }
  return std::nullopt;
}

// Parses a number like strtol with base 0: leading blanks and a sign, 0x for hexadecimal, 0 for
// octal. The empty text is 0.
std::optional<std::string> CommandLineParser::checked_number(const OptionRow &row,
                                                             const std::string &value) {
  std::string_view digits = value;
  digits.remove_prefix(std::min(digits.find_first_not_of(" \t\n\v\f\r"), digits.size()));
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+'))
    digits.remove_prefix(1);
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    base = 16;
    digits.remove_prefix(2);
  } else if (digits.starts_with('0') && digits.size() > 1) {
    base = 8;
  }
  u64 magnitude = 0;
  const char *end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, magnitude, base);
  if (error == std::errc::invalid_argument ? !value.empty() : stop != end) {
    diag_.report(DiagId::NotANumber, {value});
    return std::nullopt;
  }
  constexpr u64 kLimit = u64{1} << 31;
  if (error == std::errc::result_out_of_range || magnitude > kLimit - (negative ? 0 : 1)) {
    diag_.report(DiagId::NumberOutOfRange, {value});
    return std::nullopt;
  }
  std::string text = fmt::format("{}{}", negative && magnitude != 0 ? "-" : "", magnitude);
  if (row.choices.empty() ||
      std::find(row.choices.begin(), row.choices.end(), text) != row.choices.end())
    return text;
  diag_.report(DiagId::BadOptionValue, {text, std::string(row.name)})
      .advise(suggest_value(row, text));
  return std::nullopt;
}

void CommandLineParser::append_list(const OptionRow &row, const std::string &value) {
  // Options that nvlink has follow nvlink's rules for lists if nvlink is emulated.
  const bool of_names =
      row.kind == ValueKind::Names && (release_ == kAll || row.recorded == Recorded::Never);
  const std::optional<std::vector<std::string>> items = split_list(value, of_names);
  if (!items) {
    diag_.report(DiagId::StrayQuote, {value});
    return;
  }
  if (row.id == OptionId::OptionsFile) {
    line_.set(row.id);
    for (const std::string &path : *items)
      read_options_file(path, FileGrammar::Options);
    return;
  }
  line_.append(row.id, *items);
}

void CommandLineParser::read_options_file(const std::string &path, FileGrammar grammar) {
  if (too_many_files_)
    return;
  const Result<MappedFile> file = source_.open(path, FileType::Readable);
  if (!file) {
    diag_.report(DiagId::CannotOpenOptionFile, {path, file.error().text()});
    return;
  }
  const ByteSpan bytes = file->bytes();
  file_bytes_ += bytes.size();
  too_many_files_ =
      file_depth_ == kMaxFileDepth || ++files_ > kMaxFiles || file_bytes_ > kMaxFileBytes;
  if (too_many_files_) {
    diag_.report(DiagId::TooManyOptionFiles, {path});
    return;
  }
  line_.option_files.push_back(path);
  ++file_depth_;
  const std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  parse(file_words(text, grammar));
  --file_depth_;
}

// Quotes group words, and a backslash makes the next character an ordinary one. Response files
// follow GNU tools: single quotes also group and keep backslashes; a backslash at the end stays.
std::vector<std::string> CommandLineParser::file_words(std::string_view text, FileGrammar grammar) {
  const bool gnu = grammar == FileGrammar::Response;
  std::vector<std::string> words;
  std::optional<std::string> word;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool blank = std::string_view(" \t\n\v\f\r").find(c) != std::string_view::npos;
    if (blank && quote == 0) {
      if (word)
        words.push_back(std::move(*word));
      word.reset();
      continue;
    }
    if (!word)
      word.emplace();
    if (c == '\\' && quote != '\'' && (!gnu || i + 1 < text.size())) {
      if (++i < text.size() && (gnu || text[i] != '"'))
        *word += text[i];
    } else if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '"' || (gnu && c == '\''))) {
      quote = c;
    } else {
      *word += c;
    }
  }
  if (quote != 0)
    diag_.report(DiagId::StrayQuote, {*word});
  else if (word)
    words.push_back(std::move(*word));
  return words;
}

// Expands %a in the names of files that only culink writes: nvcc passes one command line to the
// links of all targets.
void name_target_in_outputs(CommandLine &line) {
  const std::string target = line.value(OptionId::Arch);
  for (const OptionRow &row : option_rows()) {
    if (row.kind != ValueKind::WrittenFile || row.recorded != Recorded::Never || !line.has(row.id))
      continue;
    std::string path = line.value(row.id);
    replace_all(path, "%a", target);
    line.set(row.id, {path});
  }
}

} // namespace

std::vector<std::string> split_names(const std::string &list) {
  return split_list(list, true).value_or(std::vector{list});
}

CommandLine parse_command_line(const std::vector<std::string> &words, Diagnostics &diag,
                               const FileSource &files) {
  CommandLineParser parser(release_of_options(words), diag, files);
  parser.parse(words);
  CommandLine line = parser.take();
  if (line.has(OptionId::Arch))
    name_target_in_outputs(line);
  return line;
}

// Checks that required options are present and options do not conflict, before any file is opened.
// Options without effect are accepted with a remark, for example the optimiser's without -dlto.

namespace {

struct Pair {
  OptionId first;
  OptionId second;
};

constexpr std::array<Pair, 4> kConflicts = {{
    {OptionId::DumpCallgraph, OptionId::DumpCallgraphNoDemangle},
    {OptionId::UseHostInfo, OptionId::IgnoreHostInfo},
    {OptionId::Emulate, OptionId::Dialect},
    {OptionId::Repro, OptionId::Replay},
}};

// Options for the optimiser only. nvcc passes -nvvmpath in any case.
constexpr std::array<OptionId, 3> kLtoOnly = {OptionId::Xnvvm, OptionId::SplitCompileExtended,
                                              OptionId::FastCompile};

bool wants_lto(const CommandLine &line) {
  return line.has(OptionId::Dlto) || line.has(OptionId::LinkTimeOpt);
}

// Reports options that have no effect on this command line.
void explain_idle_options(const CommandLine &line, Diagnostics &diag) {
  if (line.has(OptionId::UseHostInfo) &&
      (line.has(OptionId::KernelsUsed) || line.has(OptionId::VariablesUsed)))
    diag.report(DiagId::HostInfoIgnored, {});
  for (const OptionId id : kLtoOnly)
    if (line.has(id) && !wants_lto(line))
      diag.report(DiagId::NoEffect,
                  {spelled(id), "it concerns link-time optimisation, which is not asked for"});
}

// nvlink loads libnvvm from this path even if there is nothing to optimise. culink takes
// libnvJitLink from any toolkit that has it.
void check_nvvm_path(const CommandLine &line, Diagnostics &diag, const FileSource &files) {
  if (!dialect_of(line).command.needs_nvvm)
    return;
  if (!line.has(OptionId::NvvmPath))
    diag.report(DiagId::NvvmPathMissing, {});
  const std::string folder = line.value(OptionId::NvvmPath);
  if (!files.ask(FileQuestion::IsReadable, folder + "/lib64/libnvvm.so"))
    diag.report(DiagId::NvvmNotThere, {folder});
}

void check_conflicts(const CommandLine &line, Diagnostics &diag) {
  if (line.has(OptionId::SuppressDebugInfo) && !line.has(OptionId::Debug))
    diag.report(DiagId::OptionNeedsOption,
                {spelled(OptionId::SuppressDebugInfo), spelled(OptionId::Debug)});
  for (const auto &[first, second] : kConflicts)
    if (line.has(first) && line.has(second))
      diag.report(DiagId::ConflictingOptions, {spelled(first), spelled(second)});
}

void check_lto(const CommandLine &line, Diagnostics &diag, const FileSource &files) {
  for (const OptionId id : {OptionId::EmitPtx, OptionId::FastCompile})
    if (line.has(id) && !wants_lto(line))
      diag.report(DiagId::OptionNeedsOption, {spelled(id), spelled(OptionId::Dlto)});
  if (!wants_lto(line))
    return;
  const OptionRow &row = option_row(OptionId::FastCompile);
  const std::string speed = line.value(row.id);
  if (line.has(row.id) && std::ranges::find(row.choices, speed) == row.choices.end())
    diag.report(DiagId::BadOptionValue, {speed, std::string(row.name)}, {},
                "values: 0, min, mid, max");
  check_nvvm_path(line, diag, files);
}

// The format of such an index is unknown: neither the compilers nor the documents of CUDA 13 have
// one, and nvlink refuses every file.
void check_index(const CommandLine &line, Diagnostics &diag, const FileSource &files) {
  if (!line.has(OptionId::UidxFile))
    return;
  const std::string path = line.value(OptionId::UidxFile);
  const Result<MappedFile> file = files.open(path, FileType::Readable);
  if (!file)
    diag.report(DiagId::CannotOpenInput, {path, file.error().text()});
  else
    diag.report(file->bytes().empty() ? DiagId::EmptyIndex : DiagId::NotAnIndex, {path});
}

// The files that the command line makes culink read. Inputs are compared when they are opened.
std::vector<PlannedOutput> files_read(const CommandLine &line) {
  std::vector<PlannedOutput> out;
  for (const std::string &path : line.option_files)
    out.push_back({"the option file " + path, path});
  if (line.has(OptionId::Repro)) // written even if inputs cannot be opened
    for (const std::string &path : line.inputs)
      out.push_back({"the input " + path, path});
  for (const OptionRow &row : option_rows())
    if (row.kind == ValueKind::ReadFile && !line.value(row.id).empty())
      out.push_back({spelled(row.id) + " " + line.value(row.id), line.value(row.id)});
  return out;
}

} // namespace

void check_outputs(const CommandLine &line, Diagnostics &diag) {
  const std::vector<PlannedOutput> outputs = planned_outputs(line), read = files_read(line);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::optional<FileIdentity> file = identify_file(outputs[i].path);
    if (!file)
      continue;
    for (size_t j = 0; j < i; ++j)
      if (identify_file(outputs[j].path) == file)
        diag.report(DiagId::OutputsCollide, {outputs[j].name, outputs[i].name});
    for (const PlannedOutput &other : read)
      if (identify_file(other.path) == file)
        diag.report(DiagId::OutputOverFile, {outputs[i].name, other.name});
  }
}

// Checks in nvlink's order, because nvlink stops at the first error.
void check_command_line(const CommandLine &line, Diagnostics &diag, const FileSource &files) {
  const std::string target = line.value(OptionId::Arch);
  if (!line.has(OptionId::Arch))
    diag.report(DiagId::MissingTarget, {});
  if (dialect_of(line).command.conflicts_first)
    check_conflicts(line, diag);
  if (line.value(OptionId::Output).empty() && !is_virtual_target(target))
    diag.report(DiagId::MissingOutput, {})
        .advise(line.inputs.empty() ? "culink --help lists all options" : "");
  if (line.inputs.empty() && line.list(OptionId::Library).empty() &&
      dialect_of(line).command.refuses_empty_link)
    diag.report(DiagId::NoInput, {});
  if (!dialect_of(line).command.conflicts_first)
    check_conflicts(line, diag);
  check_lto(line, diag, files);
  check_index(line, diag, files);
  if (target.starts_with("lto_"))
    diag.report(DiagId::VirtualLtoTarget, {target}, {},
                fmt::format("-arch=sm_{} links machine code", target.substr(4)));
  for (const OptionId id : {OptionId::Threads, OptionId::ErrorLimit})
    if (line.value(id).starts_with('-'))
      diag.report(DiagId::BadOptionValue, {line.value(id), std::string(option_row(id).name)});
  for (const OptionId id : {OptionId::CacheSize, OptionId::MemoryLimit})
    if (line.has(id) && !parse_byte_size(line.value(id)))
      diag.report(DiagId::BadOptionValue, {line.value(id), std::string(option_row(id).name)});
  explain_idle_options(line, diag);
}

// The inverse of parse_command_line: words that give the same command line again. Options come in
// the order of the table and inputs last. This is equivalent: only the order of the inputs and of
// the values of a list matters.

namespace {

// Returns a word in the syntax of a response file.
std::string escaped(std::string_view word) {
  constexpr std::string_view kPlain = "-_=+,.:/@%";
  std::string out;
  for (const char c : word) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       kPlain.find(c) != std::string_view::npos ||
                       static_cast<unsigned char>(c) >= 0x80;
    if (!plain)
      out += '\\';
    out += c;
  }
  return out.empty() ? "''" : out;
}

std::string list_item(const std::string &item) {
  return item.find(',') == std::string::npos ? item : fmt::format("\"{}\"", item);
}

} // namespace

std::string response_text(const CommandLine &line) {
  std::string out;
  for (const OptionRow &row : option_rows()) {
    if (!line.has(row.id) || row.id == OptionId::OptionsFile) // its options are listed directly
      continue;
    std::string word = fmt::format("--{}", row.name);
    for (size_t i = 0; i < line.list(row.id).size(); ++i)
      word += (i == 0 ? "=" : ",") +
              (is_list(row.kind) ? list_item(line.list(row.id)[i]) : line.list(row.id)[i]);
    if (is_list(row.kind) && line.list(row.id).empty())
      word += "=";
    out += escaped(word) + "\n";
  }
  for (const std::string &input : line.inputs)
    out += escaped(input) + "\n";
  return out;
}

namespace {

// A beginning of a name needs more letters than this for a fuzzy match.
constexpr size_t kLettersOfBeginning = 4;

// An option of another tool.
struct ForeignOption {
  std::string_view word; // a star matches any text
  std::string_view hint;
};
constexpr std::array<ForeignOption, 11> kForeignOptions = {{
    {"--gc-sections", "unused code is always left out; -g keeps it"},
    {"--no-gc-sections", "-g keeps unused code"},
    {"-G", "objects that were compiled with -G are linked with -g"},
    {"-I*", "culink compiles nothing that includes files; -L is for libraries"},
    {"-O*", "optimisation is asked of nvcc and ptxas; with -dlto, -Xptxas passes it on"},
    {"-Wl,*", "options need no prefix here; under nvcc it is -Xnvlink"},
    {"-Xnvlink*", "options need no prefix here; it is nvcc's"},
    {"-dc", "nvcc compiles; culink links what it made"},
    {"-gencode*", "one link makes code for one target: -arch=sm_NN"},
    {"-rdc*", "it is an option of nvcc, for compiling"},
    {"-s", "--strip-debug leaves debug information out"},
}};

std::string with_value(std::string_view option, std::string_view rest) {
  return fmt::format("did you mean '{}{}'?", option, rest);
}

// Suggests a blank for words like -oout.cubin: an option with its value attached.
std::string suggest_blank(std::string_view body) {
  for (size_t length = body.size() - 1; length > 0; --length)
    if (const OptionRow *row = find_brief_option(body.substr(0, length));
        row && row->kind != ValueKind::Flag && !row->help.empty() && (length > 1 || body[0] == 'o'))
      return with_value(fmt::format("-{}", row->brief), fmt::format(" {}", body.substr(length)));
  return "";
}

} // namespace

std::string suggest_option(std::string_view word) {
  for (const ForeignOption &row : kForeignOptions)
    if (matches_pattern(word, row.word))
      return std::string(row.hint);
  const size_t dashes = word.starts_with("--") ? 2 : 1;
  const size_t equals = std::min(word.find('='), word.size());
  const std::string_view name = word.substr(dashes, equals - dashes), rest = word.substr(equals);
  const OptionRow *swapped = dashes == 2 ? find_brief_option(name) : find_option(name);
  if (swapped && !swapped->help.empty())
    return with_value(fmt::format("{}{}", dashes == 2 ? "-" : "--", name), rest);
  std::vector<std::string> spellings;
  for (const OptionRow *row : documented_rows()) {
    spellings.push_back(fmt::format("--{}", row->name));
    if (row->brief.size() > 1)
      spellings.push_back(fmt::format("-{}", row->brief));
  }
  const std::string given(word.substr(0, equals));
  // Beginnings come first: nvlink does not accept abbreviations, but people type them.
  for (const std::string &spelling : spellings)
    if (name.size() > 2 && spelling.starts_with(given))
      return with_value(spelling, rest);
  const std::vector<std::string_view> near =
      similar_names(given, {spellings.begin(), spellings.end()}, 1);
  if (!near.empty())
    return with_value(near.front(), rest);
  for (const std::string &spelling : spellings)
    if (name.size() > kLettersOfBeginning &&
        !similar_names(given, {std::string_view(spelling).substr(0, given.size())}, 1).empty())
      return with_value(spelling, rest);
  if (std::string hint = dashes == 1 && !name.empty() ? suggest_blank(word.substr(1)) : "";
      !hint.empty())
    return hint;
  return "culink --help lists all options";
}

namespace {

std::string letters_and_digits(std::string_view word) {
  std::string out;
  for (const char c : word)
    if (std::isalnum(static_cast<unsigned char>(c)))
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// Known values similar to a misspelt one. For targets the number must match.
std::vector<std::string_view> meant_values(const OptionRow &row, std::string_view value,
                                           const std::vector<std::string_view> &known) {
  if (row.kind != ValueKind::Target)
    return similar_names(value, known, 1);
  std::vector<std::string_view> out;
  for (const std::string_view one : known)
    if (const std::string given = letters_and_digits(value);
        letters_and_digits(one) == given || letters_and_digits(one) == "sm" + given)
      out.push_back(one);
  return out;
}

} // namespace

std::string suggest_value(const OptionRow &row, std::string_view value) {
  const std::vector<std::string> values = option_values(row);
  if (values.empty())
    return "";
  const std::vector<std::string_view> near =
      meant_values(row, value, {values.begin(), values.end()});
  const std::string guess = near.empty() ? "" : fmt::format("did you mean '{}'? ", near.front());
  return fmt::format("{}values: {}", guess, fmt::join(values, ", "));
}

std::string suggest_command(std::string_view word) {
  constexpr std::array<std::string_view, 12> kOfCubin = {"assemble", "diff", "disasm", "dump",
                                                         "extract",  "list", "pack",   "prune",
                                                         "size",     "text", "usage",  "verify"};
  if (word == "help" || word == "version")
    return fmt::format("culink --{}", word);
  if (word == "link")
    return "culink -arch=sm_NN a.o b.o -o linked.cubin";
  return std::ranges::find(kOfCubin, word) == kOfCubin.end() ? "" : fmt::format("cubin {}", word);
}

} // namespace culink
