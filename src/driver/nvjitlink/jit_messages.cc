// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of a link as clients of nvJitLink expect them: a code, and lines like "error   : ..." in
// which nvJitLink and nvlink use the same words. What nvlink only calls an internal error, or does
// not say at all, is in culink's words.
#include "driver/nvjitlink/jit_messages.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "compilers/toolkit/find_tools.h"
#include "driver/options/messages.h"
#include "link/model/diagnostics.h"

namespace culink::jit {

namespace {

constexpr std::array<std::string_view, 4> kWeights = {
    "info    : ", "warning : ", "error   : ", "error   : "};

struct CodeRow {
  std::string_view message; // its id
  Code code;
};

// What is not listed says that the link as a whole failed.
constexpr std::array<CodeRow, 19> kCodes = {{
    {"bad-archive", Code::InvalidInput},        {"bad-fatbin", Code::InvalidInput},
    {"bad-host-object", Code::InvalidInput},    {"bad-input", Code::InvalidInput},
    {"bad-payload", Code::InvalidInput},        {"cannot-open-input", Code::InvalidInput},
    {"cannot-open-member", Code::InvalidInput}, {"finalizer-failed", Code::Finalize},
    {"foreign-engine", Code::Finalize},         {"lto-code", Code::LtoNotEnabled},
    {"lto-failed", Code::NvvmCompile},          {"mixed-module-options", Code::NvvmCompile},
    {"no-lto-compiler", Code::NvvmCompile},     {"not-an-object", Code::InvalidInput},
    {"not-finalized", Code::Finalize},          {"nothing-to-emit", Code::NvvmCompile},
    {"only-linked-code", Code::InvalidInput},   {"ptx-refused", Code::PtxCompile},
    {"wrong-architecture", Code::InvalidInput},
}};

// Whether nvlink says something of use about it.
bool has_nvlink_words(const Message &message) {
  const DiagRow *row = find_diag_row(message.id);
  if (!row)
    return false;
  const NvlinkRow &words = nvlink_rows()[static_cast<size_t>(row->id)];
  return words.weight != NvlinkWeight::Silent && words.weight != NvlinkWeight::Fatal &&
         !words.text.empty();
}

// The same without the name of the program, and without the line that only ends nvlink's list.
std::string nvlink_words(const Message &message) {
  constexpr std::string_view kProgram = "nvlink ";
  std::string out;
  for (const std::string &line : nvlink_report({message}).lines)
    if (line.starts_with(kProgram) && !line.starts_with("nvlink fatal"))
      out += line.substr(kProgram.size()) + "\n";
  return out;
}

} // namespace

std::string log_lines(const Message &message) {
  std::string out = has_nvlink_words(message) ? nvlink_words(message) : "";
  if (out.empty()) {
    out = std::string(kWeights[static_cast<size_t>(message.severity)]) + message.text + "\n";
    for (const std::string &note : message.notes)
      out += note + "\n";
  }
  if (!message.hint.empty())
    out += "hint    : " + message.hint + "\n";
  return out;
}

Code code_of(const std::vector<Message> &messages) {
  for (const Message &message : messages) {
    if (message.severity < Severity::Error)
      continue;
    const auto *const known = std::find_if(kCodes.begin(), kCodes.end(), [&](const CodeRow &row) {
      return row.message == message.id;
    });
    return known == kCodes.end() ? Code::Internal : known->code;
  }
  return Code::Success;
}

// One line per link in the file that CULINK_JIT_LOG names. A line is written by one call to a file
// that is opened for appending, so lines of threads and processes do not mix.

void write_jit_log(const LinkRequest &request, const LinkResult &result, Code code,
                   double milliseconds) {
  const std::string path = environment("CULINK_JIT_LOG");
  if (path.empty())
    return;
  u64 bytes = 0;
  for (const LinkInput &input : request.inputs)
    bytes += input.bytes ? input.bytes->size() : 0;
  const Release release = release_of_library();
  const std::string line = fmt::format(
      "culink {} nvJitLink {}.{} pid={} arch={} inputs={} bytes={} output={} code={} ms={:.3f}\n",
      CULINK_VERSION, release.major, release.minor, ::getpid(), request.target,
      request.inputs.size(), bytes, result.bytes.size() + result.ptx.size(), static_cast<int>(code),
      milliseconds);
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0)
    return;
  [[maybe_unused]] const ssize_t written = ::write(file, line.data(), line.size());
  ::close(file);
}

} // namespace culink::jit
