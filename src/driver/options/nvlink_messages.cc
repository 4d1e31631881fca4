// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvlink's wording, spelling mistakes included, for build scripts that read its lines. culink finds
// all that is wrong in one run; nvlink gives up earlier, and this is where its shorter list is made
// of ours. It opens every input and stops at the first that it cannot read; it then merges file
// after file and stops after the first that contradicts an earlier one; what is wrong with the
// program as a whole it lists completely (Q068).
#include "driver/options/nvlink_messages.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "driver/options/nvlink_name.h"

namespace culink {

namespace {

using Stage = NvlinkStage;
using Weight = NvlinkWeight;

constexpr int kStatusFatal = 1;
constexpr int kStatusErrors = 255;

// The order in which nvlink finds out what is wrong with a program; the rest comes behind. Sizes of
// sections are one step.
struct ProgramStep {
  DiagId id;
  u32 step;
};
constexpr u32 kLastStep = 5;
constexpr std::array<ProgramStep, 10> kProgramOrder = {{
    {DiagId::UnknownStackSize, 0},
    {DiagId::TooManyImages, 1},
    {DiagId::TooMuchConstant, 2},
    {DiagId::TooMuchBankOfFunction, 2},
    {DiagId::TooManyCompilerConstants, 2},
    {DiagId::TooMuchShared, 2},
    {DiagId::TooMuchDebugShared, 2},
    {DiagId::UndefinedReference, 3},
    {DiagId::StackLimit, 4},
    {DiagId::RegisterLimit, kLastStep},
}};

u32 program_step(DiagId id) {
  const auto *const found = std::find_if(kProgramOrder.begin(), kProgramOrder.end(),
                                         [id](const ProgramStep &row) { return row.id == id; });
  return found == kProgramOrder.end() ? kLastStep + 1 : found->step;
}

std::string origin_file(const Message &message, size_t number) {
  if (number >= message.origins.size())
    return "";
  const Origin &origin = message.origins[number];
  return origin.member.empty() ? origin.file : fmt::format("{}:{}", origin.file, origin.member);
}

std::string as_hexadecimal(const std::string &number) {
  u64 value = 0;
  std::from_chars(number.data(), number.data() + number.size(), value);
  return fmt::format("{:#x}", value);
}

// `blank` is the text between the braces.
std::string nvlink_blank(const Message &message, std::string_view blank) {
  if (blank == "a" || blank == "b")
    return origin_file(message, blank == "a" ? 0 : 1);
  const size_t number = static_cast<size_t>(blank[0] - '0');
  if (number >= message.arguments.size())
    return "";
  const std::string &argument = message.arguments[number];
  if (blank.ends_with('x'))
    return as_hexadecimal(argument);
  return blank.ends_with('d') ? nvlink_name(argument) : argument;
}

std::string fill_nvlink_text(const Message &message, std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t brace = std::min(text.find('{'), text.size());
    out += text.substr(0, brace);
    text.remove_prefix(brace);
    if (text.empty())
      break;
    const size_t end = text.find('}');
    out += nvlink_blank(message, text.substr(1, end - 1));
    text.remove_prefix(end + 1);
  }
  return out;
}

// Words that a later release has changed.
struct NewerWords {
  DiagId id;
  u32 since; // times ten
  std::string_view text;
};
constexpr std::array<NewerWords, 1> kNewerWords = {
    {{DiagId::TwoKindsOfCode, 131, "elfLink error finalization failed"}}};

std::string_view words_of(const NvlinkRow &row, u32 toolkit) {
  for (const NewerWords &newer : kNewerWords)
    if (newer.id == row.id && newer.since <= toolkit)
      return newer.text;
  return row.text;
}

std::string_view unknown_binary(u32 toolkit) {
  return toolkit >= 131 ? "nvlink error   : Can't load this binary kind, as it's not recognized"
                        : "nvlink error   : Binary format for key='0', ident='' is not recognized";
}

// A file whose name promises something else, by the name's ending. `lines` may get one in front.
std::string wrong_kind_text(const Message &message, u32 toolkit, std::vector<std::string> &lines) {
  const std::string &kind = message.arguments[1];
  const std::string &ending = message.arguments[2];
  const bool host =
      kind.find("host") != std::string::npos || kind.find("program") != std::string::npos;
  if (ending == "cubin")
    return host ? "cubin not a device elf?" : "cubin not an elf?";
  if (ending == "fatbin")
    return "fatbin wrong format?";
  if (ending == "bc")
    return "should never see bc files";
  if (ending == "ltoir" || ending == "nvvm")
    return message.arguments.back() == "lto" ? "elfLink nvvm error"
                                             : "should only see nvvm files when -lto";
  lines.emplace_back(unknown_binary(toolkit));
  return "elfLink fatbinary error";
}

// One line of a text after the other, without those that are empty.
void append_lines(std::vector<std::string> &lines, std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (end != 0)
      lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// nvlink's compiler does not know what its text is called.
std::string without_name(std::string text, const std::string &name) {
  const std::string from = fmt::format("ptxas {}, line ", name);
  constexpr std::string_view kTo = "ptxas application ptx input, line ";
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + kTo.size()))
    text.replace(at, from.size(), kTo);
  return text;
}

// Whether a memory space is one: functions and images have none.
bool is_variable(std::string_view space) {
  return space.starts_with("__");
}

// How often nvlink prints a line. It warns of each call of a kernel that leads to recursion.
u32 repetitions(const Message &message, DiagId id) {
  u32 count = 1;
  if (id == DiagId::UnknownStackSize && message.arguments.size() > 1)
    (void)std::from_chars(message.arguments[1].data(),
                          message.arguments[1].data() + message.arguments[1].size(), count);
  return std::max(count, 1u);
}

// libnvJitLink names the error and then gives the optimiser's text; nvlink has it the other way
// round, without a line break between them.
std::string optimizer_text(std::string_view log) {
  constexpr std::string_view kHead = "ERROR in nvvmCompileProgram: ";
  const size_t at = log.find(kHead);
  if (at == std::string_view::npos)
    return std::string(log);
  log.remove_prefix(at + kHead.size());
  const size_t end = std::min(log.find('\n'), log.size());
  const std::string_view name = log.substr(0, end);
  return fmt::format("{}{}", log.substr(std::min(end + 1, log.size())), name);
}

// The layers of nvlink each have their say: what it prints before the line of the table.
void say_before(const Message &message, DiagId id, u32 toolkit, std::vector<std::string> &lines) {
  const auto argument = [&](size_t number) {
    return number < message.arguments.size() ? message.arguments[number] : std::string();
  };
  const std::string name = argument(0);
  if (id == DiagId::BadHostObject)
    lines.push_back(fmt::format("nvlink fatal   : Could not find fatbin in '{}'", name));
  else if (id == DiagId::BadFatbin)
    lines.emplace_back(unknown_binary(toolkit));
  else if (id == DiagId::BadPayload && argument(2) == "memory")
    lines.emplace_back("nvlink fatal   : Memory allocation failure");
  else if (id == DiagId::BadPayload)
    lines.insert(lines.end(), argument(2) == "twice" ? 2 : 1, "nvlink error   : Uncompress failed");
  else if (id == DiagId::NoCodeForTarget && argument(3) == "damaged")
    lines.emplace_back("nvlink error   : Uncompress failed");
  else if (id == DiagId::BadArchive)
    lines.emplace_back(argument(2) == "cut"
                           ? "nvlink fatal   : archive member size exceeds library bounds"
                           : "nvlink fatal   : unexpected archive format");
  else if (id == DiagId::CannotOpenMember && argument(3) == "folder")
    lines.emplace_back("nvlink fatal   : Memory allocation failure");
  else if (id == DiagId::CannotOpenMember)
    lines.push_back(fmt::format("nvlink fatal   : Could not open input file '{}'", argument(2)));
  else if (id == DiagId::PtxRefused || id == DiagId::PtxRemarks)
    append_lines(lines, without_name(argument(2), name));
  else if (id == DiagId::LtoFailed)
    lines.push_back(fmt::format("nvlink info    : {}", optimizer_text(argument(2))));
  else if ((id == DiagId::WrongArchitecture || id == DiagId::AcceleratedObject) &&
           !argument(3).empty())
    lines.push_back(fmt::format("nvlink warning : Output is limited to run on SM Arch '{}' only "
                                "due to limitations in input file {}",
                                argument(3), name));
}

class NvlinkReporter {
public:
  explicit NvlinkReporter(u32 toolkit) : toolkit_(toolkit) {}
  NvlinkReport run(const std::vector<Message> &messages);

private:
  struct Item {
    const Message *message;
    const NvlinkRow *row;
  };

  // False: nvlink has given up.
  [[nodiscard]] bool report(const Item &item);
  [[nodiscard]] bool end_stage();
  void say(std::string_view weight, const std::string &text) {
    out_.lines.push_back(fmt::format("nvlink {:<8}: {}", weight, text));
  }

  u32 toolkit_; // whose words, times ten
  NvlinkReport out_;
  NvlinkStage stage_ = Stage::Options;
  u32 step_ = 0; // of the file whose errors are listed
  bool errors_ = false;
  bool no_node_ = false; // a variable turned out to be a function
};

// After an error in a file that is merged, no other file is.
bool NvlinkReporter::end_stage() {
  if (!errors_)
    return true;
  out_.status = kStatusErrors;
  out_.tells_about_program = stage_ == Stage::Program;
  if (stage_ == Stage::Merge) {
    say("fatal", no_node_ ? "Internal error: no callgraph node" : "merge_elf failed");
    out_.status = kStatusFatal;
  }
  return false;
}

bool NvlinkReporter::report(const Item &item) {
  const auto &[message, row] = item;
  if (row->stage != stage_ || (stage_ == Stage::Merge && message->step != step_)) {
    if (!end_stage())
      return false;
    stage_ = row->stage;
  }
  step_ = message->step;
  say_before(*message, row->id, toolkit_, out_.lines);
  if (row->id == DiagId::PtxRemarks)
    return true;
  // Of all values nvlink checks this one elsewhere.
  const bool speed = row->id == DiagId::BadOptionValue && message->arguments[1] == "Ofast-compile";
  const std::string text = speed ? "Invalid argument for option '--Ofast-compile'"
                           : row->id == DiagId::WrongKind
                               ? wrong_kind_text(*message, toolkit_, out_.lines)
                               : fill_nvlink_text(*message, words_of(*row, toolkit_));
  // The way options were given is never an error by -Werror.
  const bool raised = row->weight == Weight::Warning && message->severity == Severity::Error &&
                      row->id != DiagId::OptionRedefined;
  if (row->weight == Weight::Fatal) {
    say("fatal", text);
    out_.status = kStatusFatal;
    out_.tells_about_program = false;
    return false;
  }
  for (u32 i = repetitions(*message, row->id); i-- > 0;)
    say(row->weight == Weight::Info              ? "info"
        : row->weight == Weight::Error || raised ? "error"
                                                 : "warning",
        text);
  errors_ = errors_ || row->weight == Weight::Error || raised;
  no_node_ = no_node_ || (row->id == DiagId::SpaceMismatch && is_variable(message->arguments[1]) &&
                          message->arguments[2] == "a function");
  return true;
}

NvlinkReport NvlinkReporter::run(const std::vector<Message> &messages) {
  std::vector<Item> items;
  for (const Message &message : messages) {
    const DiagRow *row = find_diag_row(message.id);
    const NvlinkRow &words = nvlink_rows()[static_cast<size_t>(row ? row->id : DiagId::BadInput)];
    if (words.weight != Weight::Silent)
      items.push_back({&message, &words});
  }
  const auto rank = [](const Item &item) {
    return std::pair(item.row->stage, program_step(item.row->id));
  };
  std::stable_sort(items.begin(), items.end(),
                   [&](const Item &a, const Item &b) { return rank(a) < rank(b); });
  for (const Item &item : items)
    if (!report(item))
      return std::move(out_);
  (void)end_stage();
  return std::move(out_);
}

} // namespace

NvlinkReport nvlink_report(const std::vector<Message> &messages, u32 toolkit) {
  return NvlinkReporter(toolkit).run(messages);
}

} // namespace culink
