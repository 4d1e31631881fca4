// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A link depends only on its command line and on the answers of the file system, so the archive
// stores both (driver/repro/stored_link.h). It does not store compilers, which are large and
// NVIDIA's, only their versions, so that a replay can explain differences.
//
// The archive may be untrusted. A replay does not write files, start programs or ask servers that
// the archive names. It does not pass options to a compiler that might.
#include "repro.h"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "compilers/cache/remote_store.h"
#include "input/compile_ptx.h"
#include "support/output_file.h"
#include "support/process.h"

namespace culink {

namespace {

void remove(CommandLine &line, OptionId id) {
  line.given[static_cast<size_t>(id)] = false;
  line.values[static_cast<size_t>(id)].clear();
}

// Removes options that belong to the machine, not to the link.
void remove_options_of_machine(CommandLine &line) {
  for (const OptionRow &row : option_rows())
    if (is_of_machine(row.concerns))
      remove(line, row.id);
}

// The file name of a library with links resolved: "libnvJitLink.so.13.0.88".
std::string real_name(const std::string &library) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(library, error);
  return error ? base_name(library) : real.filename().string();
}

// Returns "ptxas: Cuda compilation tools, release 13.0, V13.0.88".
std::string program_version(const std::string &path) {
  const std::string lines = release_lines(path);
  return base_name(path) + ": " +
         (lines.empty() ? "unknown version" : lines.substr(0, lines.find('\n')));
}

// The folders of the libraries in the unpacked archive.
std::vector<std::string> stored_folders(const CommandLine &line, const RecordedFiles &files) {
  std::vector<std::string> out;
  for (const std::string &library : line.list(OptionId::Library))
    for (const std::string &folder : line.list(OptionId::LibraryPath))
      if (const std::optional<std::string> name = files.stored_name(
              folder + (folder.ends_with('/') ? "" : "/") + "lib" + library + ".a"))
        out.push_back(name->substr(0, name->rfind('/')));
  return out;
}

// The command line for the folder of the unpacked archive.
CommandLine unpacked_line(CommandLine line, const RecordedFiles &files) {
  for (std::string &input : line.inputs)
    input = files.stored_name(input).value_or(base_name(input));
  if (line.has(OptionId::LibraryPath))
    line.set(OptionId::LibraryPath, stored_folders(line, files));
  if (line.has(OptionId::UidxFile))
    line.set(OptionId::UidxFile, {files.stored_name(line.value(OptionId::UidxFile)).value_or("")});
  for (const OptionRow &row : option_rows())
    if (row.kind == ValueKind::WrittenFile && line.has(row.id))
      line.set(row.id, {base_name(line.value(row.id))});
  remove_options_of_machine(line);
  return line;
}

} // namespace

std::string release_lines(const std::string &program) {
  constexpr std::chrono::seconds kLimit{10};
  const Result<ProcessResult> run = run_process({program, "--version"}, {}, kLimit);
  const std::string text = run ? run->output : "";
  const size_t place = text.find(", release ");
  return place == std::string::npos ? "" : text.substr(text.rfind('\n', place) + 1);
}

std::vector<std::string> tool_versions(const LinkRequest &request) {
  std::vector<std::string> out = {"culink " CULINK_VERSION};
  if (!request.ptxas.empty())
    out.push_back(program_version(request.ptxas));
  for (const std::string &library : {request.finalizer.library, request.lto.library})
    if (!library.empty() && out.back() != real_name(library))
      out.push_back(real_name(library));
  return out;
}

std::optional<Error> write_repro(const CommandLine &line, const std::vector<std::string> &words,
                                 const std::vector<std::string> &versions,
                                 const RecordedFiles &files) {
  LinkRecord record{words, "", versions, response_text(unpacked_line(line, files))};
  const std::string store = line.value(OptionId::CacheRemote);
  for (std::string &word : record.words)
    if (const size_t at = word.rfind(store); !store.empty() && at != std::string::npos)
      word.replace(at, store.size(), without_password(store));
  std::error_code unused;
  if (line.has(OptionId::RegisterLinkBinaries))
    record.folder = std::filesystem::current_path(unused).string();
  TarWriter tar = store_link(record, files);
  OutputFile file(line.value(OptionId::Repro));
  file.write(tar.finish());
  return file.commit();
}

CommandLine replayed_line(CommandLine stored, const CommandLine &replay) {
  remove_options_of_machine(stored);
  for (const OptionRow &row : option_rows())
    if (replay.has(row.id) && row.id != OptionId::Replay && row.kind != ValueKind::WrittenFile)
      stored.set(row.id, replay.list(row.id));
  return stored;
}

std::string word_of_stranger(const CommandLine &stored, const CommandLine &replay) {
  for (const OptionId id : {OptionId::Xptxas, OptionId::Xnvvm})
    for (const std::string &word : stored.list(id))
      if (!replay.has(id) && !concerns_code_alone(word))
        return spelled(id) + "=" + word;
  return "";
}

std::vector<Message> compare_versions(const std::vector<std::string> &stored,
                                      const std::vector<std::string> &here) {
  std::vector<Message> out;
  for (const std::string &version : stored)
    if (std::find(here.begin(), here.end(), version) == here.end())
      out.push_back({.severity = Severity::Info,
                     .id = "replay-differs",
                     .text = "the link was stored with " + version + ", which is not used here"});
  return out;
}

} // namespace culink
