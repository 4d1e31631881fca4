// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between the words of a command line and the request of the library, in both directions, and the
// record of the options in the output. nvlink rebuilds that record from what it understood, in an
// order of its own, so the same rows that parse an option also write it down.
#include <array>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "compat/command_line.h"
#include "compat/dialects.h"
#include "support/option_text.h"

namespace culink {

namespace {

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string comma_joined(const std::vector<std::string> &items) {
  std::string out;
  for (size_t i = 0; i < items.size(); ++i)
    out += fmt::format("{}{}", i == 0 ? "" : ",", items[i]);
  return out;
}

} // namespace

namespace {

// The options that nvlink passes to its own compiler of PTX, in its order and spelling: of two
// values the last one counts, and messages repeat the word.
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

std::optional<u32> number_of(const CommandLine &line, OptionId id) {
  if (!line.has(id))
    return std::nullopt;
  return static_cast<u32>(std::stoi(line.value(id)));
}

LtoOptions lto_options(const CommandLine &line) {
  LtoOptions out;
  out.enabled = line.has(OptionId::Dlto) || line.has(OptionId::LinkTimeOpt);
  out.emit_ptx = line.has(OptionId::EmitPtx);
  if (!line.list(OptionId::VariablesUsed).empty())
    out.variables_used = line.list(OptionId::VariablesUsed);
  out.nvvm_options = line.list(OptionId::Xnvvm);
  out.max_registers = number_of(line, OptionId::MaxRegisters);
  out.split_compile = number_of(line, OptionId::SplitCompile);
  out.split_compile_extended = number_of(line, OptionId::SplitCompileExtended);
  out.fast_compile = line.value(OptionId::FastCompile);
  return out;
}

} // namespace

bool is_virtual_target(std::string_view target) {
  return target.starts_with("compute_");
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
    if (row.file != FileUse::Writes || path.empty())
      continue;
    // To nvlink a dash is a name like any other.
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
  request.target = line.value(OptionId::Arch);
  for (const std::string &input : line.inputs)
    request.inputs.push_back(LinkInput::file(input));
  request.memory_limit = parse_byte_size(line.value(OptionId::MemoryLimit)).value_or(0);
  request.outputs = planned_outputs(line);
  request.libraries = line.list(OptionId::Library);
  request.library_paths = line.list(OptionId::LibraryPath);
  request.needs_all_libraries = line.has(OptionId::FatalMissingLibrary);
  request.ptxas = line.value(OptionId::Ptxas);
  request.ptxas_options = ptxas_options(line);
  request.lto = lto_options(line);
  request.cache = cache_options(line, {});
  request.registers_modules = line.has(OptionId::RegisterLinkBinaries);
  request.emulate = line.value(OptionId::Emulate);
  request.dialect = line.value(OptionId::Dialect);
  LinkOptions &options = request.options;
  options.relocatable =
      line.has(OptionId::Relocatable) && !dialect_of(line).command.ignores_relocatable;
  options.debug = line.has(OptionId::Debug);
  options.suppress_debug_info = line.has(OptionId::SuppressDebugInfo);
  options.preserve_relocs = line.has(OptionId::PreserveRelocs);
  options.tools_patch = line.has(OptionId::LinkAsToolsPatch);
  options.keep_system_libraries = line.has(OptionId::KeepSystemLibraries);
  options.ignore_host_info = line.has(OptionId::IgnoreHostInfo);
  options.suppress_arch_warning = line.has(OptionId::SuppressArchWarning);
  options.suppress_stack_size_warning = line.has(OptionId::SuppressStackSizeWarning);
  options.extra_warnings = line.has(OptionId::ExtraWarnings);
  options.warnings_are_errors = line.has(OptionId::WarningAsError);
  // A list of variables alone means that no kernel is used (Q062); an empty text is part of every
  // name.
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
  options.trace_symbols = line.list(OptionId::TraceSymbol);
  options.all_references = line.has(OptionId::Cref);
  options.why_live = line.list(OptionId::WhyLive);
  options.facts = options.map;
  for (const OptionId id : kAskForFacts)
    options.facts = options.facts || line.has(id);
  options.check = line.has(OptionId::Check);
  options.fold_identical = line.value(OptionId::Icf) == "safe" && request.emulate.empty();
  options.option_words = note_options(line);
  options.times = (line.has(OptionId::Time) && dialect_of(line).command.measures_time) ||
                  line.has(OptionId::Stats);
  if (line.has(OptionId::Threads))
    options.threads = static_cast<u32>(std::stoi(line.value(OptionId::Threads)));
  options.code = output_code(line.value(OptionId::Code));
  return request;
}

CommandLine describe_request(const LinkRequest &request) {
  const LinkOptions &options = request.options;
  CommandLine line;
  const auto flag = [&line](OptionId id, bool given) {
    if (given)
      line.set(id);
  };
  for (const LinkInput &input : request.inputs)
    line.inputs.push_back(input.name);
  line.set(OptionId::Arch, {request.target});
  flag(OptionId::Relocatable, options.relocatable);
  flag(OptionId::Debug, options.debug);
  flag(OptionId::SuppressDebugInfo, options.suppress_debug_info);
  flag(OptionId::PreserveRelocs, options.preserve_relocs);
  flag(OptionId::LinkAsToolsPatch, options.tools_patch);
  flag(OptionId::KeepSystemLibraries, options.keep_system_libraries);
  flag(OptionId::SuppressStackSizeWarning, options.suppress_stack_size_warning);
  flag(OptionId::SuppressArchWarning, options.suppress_arch_warning);
  flag(OptionId::IgnoreHostInfo, options.ignore_host_info);
  if (!request.libraries.empty())
    line.set(OptionId::Library, request.libraries);
  if (!request.library_paths.empty())
    line.set(OptionId::LibraryPath, request.library_paths);
  flag(OptionId::WarningAsError, options.warnings_are_errors);
  flag(OptionId::LinkTimeOpt, request.lto.enabled);
  if (options.kernels_used)
    line.set(OptionId::KernelsUsed, *options.kernels_used);
  if (!options.object_name.empty())
    line.set(OptionId::Output, {options.object_name});
  return line;
}

namespace {

// nvlink records folders, and files that options of ptxas name.
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
    out += comma_joined(names) + " ";
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
    const std::string value = comma_joined(values);
    out += fmt::format("-{} {} ", row.brief,
                       row.recorded == Recorded::WithDebug ? base_name(value) : value);
  }
  return out;
}

} // namespace culink
