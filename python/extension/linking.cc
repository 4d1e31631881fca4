// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// link() for Python. The options come as a dictionary with the names that the fields have in C++;
// tables say which field each name is.
//
// The link runs in a thread of its own and without the GIL. The thread that called waits for it,
// and looks up a few times a second to let Python answer signals, above all Ctrl-C, and to report
// progress. Both may raise an exception, which ends the link.
//
// What may surprise: only `bytes` are taken as input. Other buffers may be written to while the
// link reads them, so culink/_link.py copies those.
#include <array>
#include <chrono>
#include <future>
#include <utility>

#include "convert.h"
#include "culink/linker.h"

namespace culink::python {

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{40};

template <typename Struct, typename Field> struct FieldRow {
  std::string_view name;
  Field Struct::*field;
};

constexpr std::array kFlags = std::to_array<FieldRow<LinkOptions, bool>>({
    {"check", &LinkOptions::check},
    {"debug", &LinkOptions::debug},
    {"extra_warnings", &LinkOptions::extra_warnings},
    {"ignore_host_info", &LinkOptions::ignore_host_info},
    {"keep_system_libraries", &LinkOptions::keep_system_libraries},
    {"preserve_relocs", &LinkOptions::preserve_relocs},
    {"relocatable", &LinkOptions::relocatable},
    {"suppress_arch_warning", &LinkOptions::suppress_arch_warning},
    {"suppress_debug_info", &LinkOptions::suppress_debug_info},
    {"suppress_stack_size_warning", &LinkOptions::suppress_stack_size_warning},
    {"tools_patch", &LinkOptions::tools_patch},
    {"warnings_are_errors", &LinkOptions::warnings_are_errors},
});

constexpr std::array kTexts = std::to_array<FieldRow<LinkRequest, std::string>>({
    {"dialect", &LinkRequest::dialect},
    {"emulate", &LinkRequest::emulate},
    {"ptxas", &LinkRequest::ptxas},
    {"target", &LinkRequest::target},
});

constexpr std::array kLists = std::to_array<FieldRow<LinkRequest, std::vector<std::string>>>({
    {"libraries", &LinkRequest::libraries},
    {"library_paths", &LinkRequest::library_paths},
    {"ptxas_options", &LinkRequest::ptxas_options},
});

constexpr std::array kEngine = std::to_array<FieldRow<FinalizerEngine, std::string>>({
    {"engine_folder", &FinalizerEngine::folder},
    {"engine_library", &FinalizerEngine::library},
    {"engine_nvlink", &FinalizerEngine::nvlink},
    {"engine_worker", &FinalizerEngine::worker},
});

constexpr std::array kCompiler = std::to_array<FieldRow<LtoOptions, std::string>>({
    {"compiler_library", &LtoOptions::library},
    {"compiler_worker", &LtoOptions::worker},
});

template <typename Table>
[[nodiscard]] const auto *find_row(const Table &table, std::string_view name) {
  for (const auto &row : table)
    if (row.name == name)
      return &row;
  return static_cast<decltype(&table[0])>(nullptr);
}

struct CodeRow {
  std::string_view name;
  OutputCode code;
};
constexpr std::array<CodeRow, 4> kCodes = {{{"default", OutputCode::Default},
                                            {"sass", OutputCode::Sass},
                                            {"mercury", OutputCode::Mercury},
                                            {"exact", OutputCode::Exact}}};

void set_code(LinkRequest &request, const std::string &name) {
  const CodeRow *row = find_row(kCodes, name);
  if (row == nullptr)
    throw nb::value_error("code is one of default, sass, mercury and exact");
  request.options.code = row->code;
}

void set_option(LinkRequest &request, const std::string &name, nb::handle value) {
  if (const auto *flag = find_row(kFlags, name))
    request.options.*flag->field = nb::cast<bool>(value);
  else if (const auto *text = find_row(kTexts, name))
    request.*text->field = to_string(value);
  else if (const auto *list = find_row(kLists, name))
    request.*list->field = to_strings(value);
  else if (const auto *engine = find_row(kEngine, name))
    request.finalizer.*engine->field = to_string(value);
  else if (const auto *compiler = find_row(kCompiler, name))
    request.lto.*compiler->field = to_string(value);
  else if (name == "lto")
    request.lto.enabled = nb::cast<bool>(value);
  else if (name == "nvvm_options")
    request.lto.nvvm_options = to_strings(value);
  else if (name == "variables_used")
    request.lto.variables_used = to_strings(value);
  else if (name == "max_registers")
    request.lto.max_registers = nb::cast<u32>(value);
  else if (name == "code")
    set_code(request, to_string(value));
  else if (name == "kernels_used")
    request.options.kernels_used = to_strings(value);
  else if (name == "host_references")
    request.options.host_references = HostReferences{.external_kernels = to_strings(value[0]),
                                                     .internal_kernels = to_strings(value[1])};
  else if (name == "needs_all_libraries")
    request.needs_all_libraries = nb::cast<bool>(value);
  else if (name == "threads")
    request.options.threads = nb::cast<u32>(value);
  else
    throw nb::key_error(name.c_str());
}

nb::tuple origin_row(const Origin &origin) {
  return nb::make_tuple(text(origin.role), text(origin.file), text(origin.member),
                        text(origin.symbol), text(origin.detail));
}

std::string_view severity_name(Severity severity) {
  switch (severity) {
  case Severity::Info:
    return "info";
  case Severity::Warning:
    return "warning";
  case Severity::Error:
    return "error";
  case Severity::Bug:
    break;
  }
  return "bug";
}

nb::tuple message_row(const Message &message) {
  std::string shown = format_message(message, "culink");
  if (shown.ends_with('\n'))
    shown.pop_back();
  return nb::make_tuple(text(severity_name(message.severity)), text(message.id), text(message.text),
                        to_list(message.arguments, text), to_list(message.origins, origin_row),
                        to_list(message.notes, text), text(message.hint), text(shown));
}

// Waits for the link. An exception of Python is kept until the link has ended, because the link
// reads objects that the exception would free.
LinkResult wait_for(std::future<LinkResult> link, LinkProgress &progress, nb::handle report) {
  std::optional<nb::python_error> raised;
  u32 reported = ~u32{0};
  while (true) {
    {
      const nb::gil_scoped_release others_run;
      if (link.wait_for(kBetweenLooks) == std::future_status::ready)
        break;
    }
    if (raised)
      continue;
    try {
      if (PyErr_CheckSignals() != 0)
        throw nb::python_error();
      const u32 done = progress.done;
      if (!report.is_none() && std::exchange(reported, done) != done)
        report(text(progress.step.load()), done, progress.total.load());
    } catch (nb::python_error &error) {
      raised.emplace(std::move(error));
      progress.cancelled = true;
    }
  }
  if (raised)
    throw std::move(*raised);
  return link.get();
}

// The image, or None, and rows of messages.
nb::tuple link_for_python(const nb::list &inputs, const nb::dict &options, nb::handle report) {
  LinkRequest request;
  LinkProgress progress;
  request.progress = &progress;
  for (const auto [name, value] : options)
    set_option(request, to_string(name), value);
  std::vector<nb::bytes> kept;
  for (const nb::handle input : inputs) {
    const nb::object bytes = input[1];
    request.inputs.push_back(LinkInput::file(to_string(input[0])));
    if (!bytes.is_none())
      request.inputs.back().bytes = view_of(kept.emplace_back(nb::cast<nb::bytes>(bytes)));
  }
  const LinkResult result = wait_for(
      std::async(std::launch::async, [&request] { return link(request); }), progress, report);
  return nb::make_tuple(result.ok() ? nb::object(to_bytes(result.bytes)) : nb::none(),
                        to_list(result.messages, message_row));
}

} // namespace

void add_linking(nb::module_ &module) {
  module.def("link", link_for_python, nb::arg("inputs"), nb::arg("options"),
             nb::arg("report").none());
}

} // namespace culink::python
