// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The linker program: words in, exit code out. All it does itself is to print messages and to write
// the file; the rest is the library's.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <vector>

#include "base/bytes.h"
#include "base/output_file.h"
#include "compat/command_line.h"
#include "compat/exit_status.h"
#include "culink/linker.h"
#include "find_ptxas.h"
#include "large_heap.h"
#include "report/call_graph_text.h"
#include "report/registration.h"
#include "report/resource_table.h"
#include "report/time_table.h"

namespace {

using namespace culink;

constexpr int kExitFailed = 1;

void print(FILE *to, const std::string &text) {
  std::fwrite(text.data(), 1, text.size(), to);
}

// How messages leave the program.
class Printer {
public:
  explicit Printer(const CommandLine &line)
      : hide_warnings_(line.has(OptionId::DisableWarnings)),
        suffix_(line.has(OptionId::ReportArch) ? " (target: " + line.value(OptionId::Arch) + ")"
                                               : "") {}

  void show(Message message) const {
    if (hide_warnings_ && message.severity == Severity::Warning)
      return;
    message.text += suffix_;
    print(stderr, format_message(message, "culink"));
  }
  void show(const Diagnostics &diag) const {
    for (const Diagnostic &diagnostic : diag.all())
      show(to_message(diagnostic));
  }

private:
  bool hide_warnings_;
  std::string suffix_;
};

// nvlink demangles even if it is asked not to (Q067), and shows no call graph of an object.
void print_reports(const CommandLine &line, const LinkFacts &facts) {
  const bool emulate = line.has(OptionId::Emulate);
  const bool mangled = line.has(OptionId::DumpCallgraphNoDemangle);
  if ((line.has(OptionId::DumpCallgraph) || mangled) && !line.has(OptionId::Relocatable))
    for (const std::string &text : call_graph_lines(
             facts, mangled && !emulate ? FunctionNames::Mangled : FunctionNames::Demangled))
      print(stderr, text + "\n");
  const char *prefix = emulate ? "nvlink info    : " : "culink: info: ";
  if (line.has(OptionId::Verbose))
    for (const std::string &text : resource_lines(facts))
      print(stderr, prefix + text + "\n");
}

// False after a message.
bool write(const Printer &printer, const std::string &path, ByteSpan bytes) {
  const std::optional<Error> error = write_file(path, bytes);
  if (error)
    printer.show({Severity::Error, "output", path + ": " + error->text(), {}, {}, {}});
  return !error;
}

// Standard output for `-`. The head goes into an empty file only.
bool append_times(const std::string &path, const std::string &rows) {
  FILE *file = path == "-" ? stdout : std::fopen(path.c_str(), "a");
  if (!file)
    return false;
  if (path == "-" || std::ftell(file) == 0)
    print(file, time_table_head());
  print(file, rows);
  return path == "-" || std::fclose(file) == 0;
}

int run(const std::vector<std::string> &words) {
  Diagnostics diag;
  const CommandLine line = parse_command_line(words, diag);
  const Printer printer(line);
  if (!diag.failed() && line.has(OptionId::Help)) {
    print(stdout, help_text());
    return 0;
  }
  if (!diag.failed() && line.has(OptionId::Version)) {
    print(stdout, "culink " CULINK_VERSION "\n");
    return 0;
  }
  if (!diag.failed())
    check_command_line(line, diag);
  printer.show(diag);
  if (diag.failed())
    return kExitFailed;

  u64 input_bytes = 0;
  for (const std::string &input : line.inputs)
    if (struct stat info{}; ::stat(input.c_str(), &info) == 0)
      input_bytes += static_cast<u64>(info.st_size);
  prepare_heap(input_bytes);
  const bool is_virtual = is_virtual_target(line.value(OptionId::Arch));
  LinkRequest request = make_request(line);
  if (request.ptxas.empty())
    request.ptxas = find_ptxas();
  const LinkResult result = is_virtual ? list_modules(request) : link(request);
  for (const Message &message : result.messages)
    printer.show(message);
  if (!result.ok() && !is_virtual)
    return exit_status(result.messages, line.has(OptionId::Emulate));
  print_reports(line, result.facts);
  if (line.has(OptionId::RegisterLinkBinaries)) {
    const std::string text =
        registration_text(result.modules, std::filesystem::current_path().string());
    if (!write(printer, line.value(OptionId::RegisterLinkBinaries), as_bytes(text)))
      return kExitFailed;
  }
  if (!is_virtual && !write(printer, line.value(OptionId::Output), result.bytes))
    return kExitFailed;
  if (const std::string table = line.value(OptionId::Time);
      line.has(OptionId::Time) &&
      !append_times(table, time_table_rows(result.times, line.value(OptionId::Output),
                                           line.value(OptionId::Arch)))) {
    printer.show({Severity::Error, "time", table + ": cannot write", {}, {}, {}});
    return kExitFailed;
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception &error) { // out of memory and the like, from libraries below us
    std::fprintf(stderr, "culink: error: %s\n", error.what());
  }
  return kExitFailed;
}
