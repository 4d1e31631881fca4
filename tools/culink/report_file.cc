// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page of a link: its image as any image, read back from the bytes that were written, and what
// only the link knows. No time reaches an output that did not ask for it, so that steps have theirs
// in the page only with --stats or -time, which measure them.
#include "report_file.h"

#include <array>

#include "inspect/page/page.h"

namespace culink {

namespace {

constexpr std::array<std::string_view, 4> kSeverities = {"info", "warning", "error", "error"};

// The words of the console without the severity, which the page shows in its own way.
page::MessageRow message_row(const Message &message, bool demangle) {
  const std::string_view severity = kSeverities[static_cast<size_t>(message.severity)];
  const std::string start = "culink: " + std::string(severity) + ": ";
  std::string text = format_message(message, "culink", {.demangle = demangle});
  if (text.starts_with(start))
    text.erase(0, start.size());
  return {severity, std::move(text)};
}

// What the page calls the output. nvcc gives its outputs passing names; then the page's own name,
// which the user chose, says more.
std::string shown_output(const CommandLine &line) {
  const std::string output = line.value(OptionId::Output);
  const auto base_of = [](const std::string &path) { return path.substr(path.rfind('/') + 1); };
  if (!base_of(output).starts_with("tmpxft_"))
    return output;
  const std::string page = base_of(line.value(OptionId::Report));
  return page.ends_with(".html") ? page.substr(0, page.size() - 5) : page;
}

} // namespace

std::string report_page(const CommandLine &line, const LinkResult &result) {
  page::ImageReport image;
  if (const Result<elf::ElfView> view = elf::ElfView::open_tolerant(result.bytes); view)
    image = page::read_image(*view);
  image.file = image.name = shown_output(line);
  page::Report report = page::with_link(std::move(image), result);
  for (const Message &message : result.messages)
    report.messages.push_back(message_row(message, !line.has(OptionId::NoDemangle)));
  return page::page_html(report);
}

} // namespace culink
