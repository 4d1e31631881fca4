// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of messages and of their meanings, as a text for one message (culink --explain) and as
// a document of all. Who has a message before him need not know its id: he may give its words, or
// nvlink's, and then the blanks of the tables stand for anything.
#include "driver/options/message_list.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "culink/host_references.h"
#include "driver/options/nvlink_messages.h"
#include "link/model/diagnostics.h"
#include "support/text_out.h"

namespace culink {

// What goes wrong in a device link is often said by another program, and later: the host's linker,
// the loader, the CUDA runtime. culink is not there when they say it, but can be asked what it
// means (--explain).

namespace {

constexpr auto kForeignMessages = std::to_array<ForeignMessage>({
    {"*undefined*__cudaRegisterLinkedBinary*", "the host's linker",
     "Each object that was compiled with -rdc=true calls a function which only the device link "
     "defines. There was no device link, its result is not among the objects of the host link, or "
     "it was made without this object.",
     "Let nvcc link the program; or `nvcc -dlink *.o -o dlink.o` and dlink.o among the objects of "
     "the host link. CMake: CUDA_SEPARABLE_COMPILATION for the program, or "
     "CUDA_RESOLVE_DEVICE_SYMBOLS for a library that others link without nvcc."},
    {"*undefined*__fatbinwrap*", "the host's linker",
     "The result of a device link refers to every object that it took, and one of them is not "
     "among the objects of the host link.",
     "Give the same objects and libraries to both links."},
    {"*multiple definition*__cudaRegisterLinkedBinary*", "the host's linker",
     "Two device links took the same object: often one for a library and one for the program, "
     "which also links the library's objects.",
     "Link device code once, in the program. CMake: CUDA_RESOLVE_DEVICE_SYMBOLS OFF for static "
     "libraries that programs with device code use."},
    {"*invalid device function*", "the CUDA runtime",
     "A kernel was launched that the program's image for this GPU does not have: it was compiled "
     "for another target, no device link took its object, or a device link of its own took it.",
     "`cubin list PROGRAM` shows the targets, `cubin usage PROGRAM` the kernels; `culink ... "
     "--why-live=KERNEL` tells why one is there or not."},
    {"*no kernel image is available*", "the CUDA runtime",
     "The program has no code for this GPU, and no PTX that the driver could compile for it.",
     "`cubin list PROGRAM` shows what it has. Compile and link for the GPU: nvcc -arch=sm_NN, or "
     "one -gencode for each, in both commands."},
    {"*undefined symbol: __nvJitLink*", "the loader",
     "A program was built for a newer libnvJitLink than the one that the loader finds first.",
     "Put the folder of the newer one first in LD_LIBRARY_PATH; `culink --make-jit-folder DIR` "
     "makes one with culink's."},
    {"*relocation truncated to fit*", "the host's linker",
     "Device code makes the program so large that host code cannot reach across it.",
     "`cubin size PROGRAM` shows what fills it, `cubin prune` leaves targets out; `culink "
     "-ghls=lcs-aug` writes a script for the host's linker that puts device code at the end."},
    {"*Skipping incompatible*", "nvlink",
     "nvlink leaves out a library that is for another kind of host.",
     "culink has no such test: what a library has for the target is linked. `cubin list LIBRARY` "
     "shows it."},
});

} // namespace

std::span<const ForeignMessage> foreign_messages() {
  return kForeignMessages;
}

namespace {

constexpr size_t kIndent = 2;

using Rows = std::vector<const DiagRow *>;

// A text of a table with something else in its blanks.
std::string with_blanks(std::string_view text, std::string_view blank) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t end = text[i] == '{' ? text.find('}', i) : std::string_view::npos;
    out += end == std::string_view::npos ? text.substr(i, 1) : blank;
    i = end == std::string_view::npos ? i : end;
  }
  return out;
}

// For people. Some messages are nothing but a file and what somebody says about it.
std::string shown_text(const DiagRow &row) {
  return row.text == "{0}: {1}" ? "FILE: what is wrong with it" : with_blanks(row.text, "...");
}

// How much of a text is always the same.
size_t fixed_letters(std::string_view text) {
  const std::string fixed = with_blanks(text, "");
  return static_cast<size_t>(
      std::count_if(fixed.begin(), fixed.end(), [](char c) { return c >= 'a' && c <= 'z'; }));
}

// "culink: error: undefined symbol: f" without what is before the message, nvlink's likewise.
std::string_view without_prefix(std::string_view line) {
  for (const std::string_view severity : {"fatal", "error", "warning", "info"}) {
    const size_t at = line.find(severity);
    const size_t colon =
        at == std::string_view::npos ? at : line.find_first_not_of(' ', at + severity.size());
    if (colon == std::string_view::npos || line.substr(colon, 2) != ": ")
      continue;
    return line.substr(colon + 2);
  }
  return line;
}

// Keeps the best of all texts that a line may have been made of: those with the most words of their
// own.
class BestMessages {
public:
  explicit BestMessages(std::string_view line) : line_(line) {}

  // A file before it may have been left out.
  void consider(const DiagRow &row, std::string_view text) {
    constexpr std::string_view kFile = "{0}: ";
    match(row, text);
    if (text.starts_with(kFile))
      match(row, text.substr(kFile.size()));
  }
  [[nodiscard]] const Rows &rows() const { return rows_; }

private:
  void match(const DiagRow &row, std::string_view text) {
    constexpr size_t kFewLetters = 5; // less is "FILE: what is wrong with it"
    const size_t letters = fixed_letters(text);
    if (letters < std::max(kFewLetters, letters_) ||
        !matches_pattern(line_, with_blanks(text, "*") + "*"))
      return;
    if (letters > letters_)
      rows_.clear();
    letters_ = letters;
    if (std::find(rows_.begin(), rows_.end(), &row) == rows_.end())
      rows_.push_back(&row);
  }

  std::string_view line_;
  size_t letters_ = 0;
  Rows rows_;
};

Rows find_messages(std::string_view words) {
  if (const DiagRow *row = find_diag_row(words))
    return {row};
  BestMessages best(without_prefix(words));
  Rows parts;
  for (const NvlinkRow &nvlinks : nvlink_rows()) {
    const DiagRow &row = diag_row(nvlinks.id);
    best.consider(row, row.text);
    best.consider(row, nvlinks.text);
    if (row.key.find(words) != std::string_view::npos ||
        row.text.find(words) != std::string_view::npos)
      parts.push_back(&row);
  }
  return best.rows().empty() ? parts : best.rows();
}

std::string headline(const DiagRow &row) {
  return fmt::format("{} ({}): {}\n", row.key, severity_word(row.severity), shown_text(row));
}

std::string explained(std::string_view head, std::string_view meaning, std::string_view way_out) {
  return fmt::format("{}\n{}\n\nWhat to do:\n{}\n", head, wrapped(meaning, kIndent),
                     wrapped(way_out, kIndent));
}

// Stars and double underscores would change the type, except in code.
std::string in_markdown(std::string_view text) {
  std::string out;
  bool is_code = false;
  for (size_t i = 0; i < text.size(); ++i) {
    is_code = is_code != (text[i] == '`');
    const bool is_pair = text.substr(i, 2) == "__" || (i > 0 && text.substr(i - 1, 2) == "__");
    if (!is_code && (text[i] == '*' || is_pair))
      out += '\\';
    out += text[i];
  }
  return out;
}

struct Chapter {
  std::string_view title;
  DiagId first, end;
};

} // namespace

std::optional<std::string> explain_message(std::string_view words) {
  if (words.empty())
    return std::nullopt;
  for (const ForeignMessage &one : foreign_messages())
    if (matches_pattern(words, one.pattern))
      return explained(fmt::format("A message of {}\n", one.speaker), one.meaning, one.way_out);
  const Rows rows = find_messages(words);
  if (rows.empty())
    return std::nullopt;
  std::string heads;
  for (const DiagRow *row : rows)
    heads += headline(*row);
  return rows.size() > 1 ? heads : explained(heads, rows[0]->meaning, rows[0]->advice);
}

std::string message_list() {
  std::string out =
      "# All messages\n\n"
      "What each message of culink means and what to do about it; `...` stands for names and "
      "numbers. `culink --explain WORDS` prints it, too:\nthe words are an id, which "
      "`--error-format=json` shows, a message of culink or nvlink, or a part of one. `culink "
      "--print-docs messages`\nwrites this page.\n";
  for (const Chapter &chapter :
       {Chapter{"Inputs, targets, releases", DiagId{}, DiagId::UndefinedReference},
        Chapter{"The program: symbols, limits, relocations", DiagId::UndefinedReference,
                DiagId::UnknownTarget},
        Chapter{"The command, link-time optimisation, outputs", DiagId::UnknownTarget,
                DiagId::Count_}}) {
    out += fmt::format("\n## {}\n\n| Id | Message | Meaning | What to do |\n|---|---|---|---|\n",
                       chapter.title);
    for (const DiagRow &row : diag_rows())
      if (row.id >= chapter.first && row.id < chapter.end)
        out += fmt::format("| `{}` | {}: {} | {} | {} |\n", row.key, severity_word(row.severity),
                           in_markdown(shown_text(row)), in_markdown(row.meaning),
                           in_markdown(row.advice));
  }
  out += "\n## Messages of other programs about device links\n\n"
         "| Of | Message | Meaning | What to do |\n|---|---|---|---|\n";
  for (const ForeignMessage &one : foreign_messages())
    out += fmt::format("| {} | `{}` | {} | {} |\n", one.speaker,
                       one.pattern.substr(1, one.pattern.size() - 2), in_markdown(one.meaning),
                       in_markdown(one.way_out));
  return out;
}

} // namespace culink
