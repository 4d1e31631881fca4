// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a command line must have and may not have, before any file is opened. Options that change
// nothing are accepted, with a remark: the optimiser's without -dlto.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "driver/options/command_line.h"
#include "driver/options/dialects.h"
#include "support/option_text.h"
#include "support/output_file.h"

namespace culink {

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

// The first is an error without the second.
constexpr Pair kNeedsDebug = {OptionId::SuppressDebugInfo, OptionId::Debug};
constexpr std::array<Pair, 2> kNeedsLto = {{
    {OptionId::EmitPtx, OptionId::Dlto},
    {OptionId::FastCompile, OptionId::Dlto},
}};

// What only an optimiser would look at. nvcc passes -nvvmpath whether or not there is one.
constexpr std::array<OptionId, 3> kLtoOnly = {OptionId::Xnvvm, OptionId::SplitCompileExtended,
                                              OptionId::FastCompile};

bool wants_lto(const CommandLine &line) {
  return line.has(OptionId::Dlto) || line.has(OptionId::LinkTimeOpt);
}

// Asked for on the command line, but without meaning there.
void explain_idle_options(const CommandLine &line, Diagnostics &diag) {
  if (line.has(OptionId::UseHostInfo) &&
      (line.has(OptionId::KernelsUsed) || line.has(OptionId::VariablesUsed)))
    diag.report(DiagId::HostInfoIgnored, {});
  for (const OptionId id : kLtoOnly)
    if (line.has(id) && !wants_lto(line))
      diag.report(DiagId::NoEffect,
                  {spelled(id), "it concerns link-time optimisation, which is not asked for"});
}

// nvlink loads libnvvm from there even if there is nothing to optimise. We take libnvJitLink from
// whichever toolkit has it.
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
  if (line.has(kNeedsDebug.first) && !line.has(kNeedsDebug.second))
    diag.report(DiagId::OptionNeedsOption,
                {spelled(kNeedsDebug.first), spelled(kNeedsDebug.second)});
  for (const auto &[first, second] : kConflicts)
    if (line.has(first) && line.has(second))
      diag.report(DiagId::ConflictingOptions, {spelled(first), spelled(second)});
}

void check_lto(const CommandLine &line, Diagnostics &diag, const FileSource &files) {
  for (const auto &[first, second] : kNeedsLto)
    if (line.has(first) && !wants_lto(line))
      diag.report(DiagId::OptionNeedsOption, {spelled(first), spelled(second)});
  if (!wants_lto(line))
    return;
  const OptionRow &row = option_row(OptionId::FastCompile);
  const std::string speed = line.value(row.id);
  if (line.has(row.id) && std::ranges::find(row.choices, speed) == row.choices.end())
    diag.report(DiagId::BadOptionValue, {speed, std::string(row.name)}, {},
                "values: 0, min, mid, max");
  check_nvvm_path(line, diag, files);
}

// Nobody has seen such an index: neither compilers nor documents of CUDA 13 know one, and nvlink
// refuses whatever it is given.
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

// What the line makes culink read. Inputs are compared when they are opened.
std::vector<PlannedOutput> files_read(const CommandLine &line) {
  std::vector<PlannedOutput> out;
  for (const std::string &path : line.option_files)
    out.push_back({"the option file " + path, path});
  if (line.has(OptionId::Repro)) // which is written even if no input can be opened
    for (const std::string &path : line.inputs)
      out.push_back({"the input " + path, path});
  for (const OptionRow &row : option_rows())
    if (row.file == FileUse::Reads && !line.value(row.id).empty())
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

// In nvlink's order, because it stops at the first.
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

} // namespace culink
