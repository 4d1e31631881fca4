// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links of culink.h: the inputs and options collected before the run, and the run. A run does not
// change its link, so the link can run again. A result owns its data, so either may be freed first.
//
// What may surprise: a handle in use is refused instead of waited for, because the waiting caller
// could be the callback that the run waits for.
#include <cstdint>
#include <dlfcn.h>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "compilers/toolkit/find_tools.h"
#include "driver/c/handles.h"
#include "support/mapped_file.h"

using namespace culink;
using namespace culink::capi;

namespace {

// Options of a link are words of the program's command line, parsed by the same code: one grammar,
// one list, one set of messages. Each call is checked at once together with the words before it, so
// that the caller knows which of its words is wrong.
//
// Only the caller gives options. With response files, an option from an untrusted source could name
// any file.
//
// What may surprise: the program also has options about its own messages and files. The library
// refuses them, because it would accept them without effect.

// Words parsed as options of a link; or, in `error`, why they are invalid.
struct ParsedOptions {
  CommandLine line;
  std::vector<Message> messages; // warnings
  std::string error;
};

// The request of a link, with messages about it; `request` is valid unless one of them is an error.
struct PreparedLink {
  LinkRequest request;
  LogStyle style;
  std::vector<Message> messages;
  bool failed = false;
};

class NoFiles final : public FileSource {
public:
  [[nodiscard]] Result<MappedFile> open(const std::string &, FileType) const override {
    return Error{"", "", "the library reads no option files"};
  }
  [[nodiscard]] bool ask(FileQuestion, const std::string &) const override { return false; }
};

void set_tools(const culink_link &link, LinkRequest &request) {
  const auto path_of = [&link](Tool tool) {
    return link.tools[static_cast<size_t>(tool)].value_or("");
  };
  if (request.ptxas.empty()) // the option --ptxas takes precedence
    request.ptxas = path_of(Tool::Ptxas);
  request.finalizer.library = path_of(Tool::NvJitLink);
  request.lto.library =
      link.tools[static_cast<size_t>(Tool::Compiler)].value_or(request.finalizer.library);
  request.finalizer.worker = request.lto.worker = path_of(Tool::Culink);
  request.finalizer.nvlink = path_of(Tool::Nvlink);
  if (!link.engine_folder.empty())
    request.finalizer.folder = link.engine_folder;
}

// The program requires an output file; here its name is used only for -g.
CommandLine with_output(CommandLine line) {
  if (!line.has(OptionId::Output))
    line.set(OptionId::Output, {"output"});
  return line;
}

ParsedOptions parse_options(const std::vector<std::string> &words) {
  ParsedOptions out;
  Diagnostics diag;
  out.line = parse_command_line(words, diag, NoFiles());
  out.messages = messages_of(diag);
  for (const Message &message : out.messages)
    if (message.severity >= Severity::Error && out.error.empty())
      out.error = message.text;
  for (const OptionRow &row : option_rows())
    if (is_of_program(row.concerns) && out.line.has(row.id) && out.error.empty())
      out.error = fmt::format("--{} is an option of the program, not of the library", row.name);
  if (!out.line.inputs.empty() && out.error.empty())
    out.error = fmt::format("'{}' is no option", out.line.inputs.front());
  return out;
}

PreparedLink prepare(const culink_link &link) {
  ParsedOptions options = parse_options(link.words);
  CommandLine &line = options.line;
  if (!link.libraries.empty())
    line.append(OptionId::Library, link.libraries);
  if (!link.library_paths.empty())
    line.append(OptionId::LibraryPath, link.library_paths);
  for (const AddedValues &added : link.values)
    line.append(added.option, added.values);
  for (const AddedInput &input : link.inputs)
    line.inputs.push_back(input.name);
  PreparedLink out;
  out.messages = std::move(options.messages);
  Diagnostics diag;
  check_command_line(with_output(line), diag);
  std::ranges::move(messages_of(diag), std::back_inserter(out.messages));
  out.failed = diag.failed();
  out.request = make_request(line);
  out.request.inputs.clear();
  for (const AddedInput &input : link.inputs)
    out.request.inputs.push_back({input.name, input.bytes});
  for (const AddedValues &added : link.values) // unlike nvlink, no name keeps no kernel
    if (added.option == OptionId::KernelsUsed && added.values.empty())
      out.request.options.kernels_used = line.list(OptionId::KernelsUsed);
  out.request.options.host_references = link.host_kernels;
  set_tools(link, out.request);
  out.style = log_style(line);
  return out;
}

constexpr size_t kLargest = PTRDIFF_MAX; // no object has more bytes

culink_status add_words(culink_link &link, const char *const *words, size_t count) {
  std::vector<std::string> all = link.words;
  all.insert(all.end(), words, words + count);
  ParsedOptions parsed = parse_options(all);
  if (!parsed.error.empty()) {
    link.error = std::move(parsed.error);
    return CULINK_BAD_OPTION;
  }
  link.words = std::move(all);
  return CULINK_OK;
}

std::unique_ptr<culink_result> make_result(PreparedLink prepared, LinkResult linked) {
  auto out = std::make_unique<culink_result>();
  for (std::vector<Message> *list : {&prepared.messages, &linked.messages})
    for (Message &message : *list) {
      const bool is_cancelled = message.id == diag_row(DiagId::Cancelled).key;
      out->status = is_cancelled ? CULINK_CANCELLED : out->status;
      std::string shown = format_message(message, "culink", prepared.style.text);
      shown.erase(shown.find_last_not_of('\n') + 1);
      out->messages.emplace_back(
          culink_message{.message = std::move(message), .shown = std::move(shown)});
    }
  if (out->status == CULINK_OK && !linked.ok())
    out->status = CULINK_LINK_FAILED;
  out->bytes = std::move(linked.bytes);
  out->ptx = std::move(linked.ptx);
  out->modules = std::move(linked.modules);
  out->style = std::move(prepared.style);
  return out;
}

// Calls the callback of the caller, in one thread at a time.
void tell_caller(culink_link &link) {
  const std::lock_guard<std::mutex> lock(link.callback_mutex);
  LinkProgress &progress = link.progress;
  if (link.callback(link.user, progress.step, progress.done, progress.total) != 0)
    progress.cancelled = true;
}

// Resets the state of a link when its run ends.
class Run {
public:
  explicit Run(culink_link &link) : link_(link) {
    link.progress.step = "open";
    link.progress.done = 0;
    link.progress.total = 0;
    if (link.callback)
      link.progress.changed = [&link] { tell_caller(link); };
  }
  ~Run() {
    link_.progress.changed = nullptr;
    link_.progress.cancelled = false;
  }
  Run(const Run &) = delete;
  Run &operator=(const Run &) = delete;

private:
  culink_link &link_;
};

culink_status add_input(culink_link &link, const char *name, const void *data, size_t size,
                        bool copies) {
  const ByteSpan bytes(static_cast<const u8 *>(data), size);
  AddedInput input{name, bytes, {}};
  if (copies) {
    input.copy.assign(bytes.begin(), bytes.end());
    input.bytes = input.copy; // stays where it is when the list is moved
  }
  link.inputs.push_back(std::move(input));
  return CULINK_OK;
}

culink_status add_text(culink_link *link, std::vector<std::string> culink_link::*list,
                       const char *text) {
  if (!text)
    return CULINK_INVALID_ARGUMENT;
  return change_link(link, [&] {
    (link->*list).emplace_back(text);
    return CULINK_OK;
  });
}

} // namespace

culink_status culink_link_create(culink_link **link) {
  if (!link)
    return CULINK_INVALID_ARGUMENT;
  *link = nullptr;
  return guarded([&] {
    *link = std::make_unique<culink_link>().release();
    return CULINK_OK;
  });
}

void culink_link_destroy(culink_link *link) {
  if (!is_valid(link) || link->busy.exchange(true))
    return;
  const std::unique_ptr<culink_link> owned(link);
}

culink_status culink_link_add_option(culink_link *link, const char *word) {
  return culink_link_add_options(link, &word, 1);
}

culink_status culink_link_add_options(culink_link *link, const char *const *words, size_t count) {
  if (!are_texts(words, count))
    return CULINK_INVALID_ARGUMENT;
  return change_link(link, [&] { return add_words(*link, words, count); });
}

culink_status culink_link_add_values(culink_link *link, const char *option,
                                     const char *const *values, size_t count) {
  if (!option || !are_texts(values, count))
    return CULINK_INVALID_ARGUMENT;
  return change_link(link, [&] {
    const OptionRow *row = find_option(option);
    if (!row || row->kind == ValueKind::Flag || is_of_program(row->concerns)) {
      link->error = fmt::format("--{} is no option of a link with values", option);
      return CULINK_BAD_OPTION;
    }
    link->values.push_back({row->id, strings_of(values, count)});
    return CULINK_OK;
  });
}

culink_status culink_link_set_host_kernels(culink_link *link, const char *const *global,
                                           size_t global_count, const char *const *local,
                                           size_t local_count) {
  if (!are_texts(global, global_count) || !are_texts(local, local_count))
    return CULINK_INVALID_ARGUMENT;
  return change_link(link, [&] {
    link->host_kernels = HostReferences{.external_kernels = strings_of(global, global_count),
                                        .internal_kernels = strings_of(local, local_count)};
    return CULINK_OK;
  });
}

const char *culink_link_error(const culink_link *link) {
  return is_valid(link) ? link->error.c_str() : nullptr;
}

culink_status culink_link_add_file(culink_link *link, const char *path) {
  if (!path)
    return CULINK_INVALID_ARGUMENT;
  return change_link(link, [&] {
    link->inputs.push_back({path, std::nullopt, {}});
    return CULINK_OK;
  });
}

culink_status culink_link_add_bytes(culink_link *link, const char *name, const void *data,
                                    size_t size) {
  if (!name || (!data && size != 0) || size > kLargest)
    return CULINK_INVALID_ARGUMENT;
  return change_link(link, [&] { return add_input(*link, name, data, size, false); });
}

culink_status culink_link_add_copy(culink_link *link, const char *name, const void *data,
                                   size_t size) {
  if (!name || (!data && size != 0) || size > kLargest)
    return CULINK_INVALID_ARGUMENT;
  return change_link(link, [&] { return add_input(*link, name, data, size, true); });
}

culink_status culink_link_add_library(culink_link *link, const char *name) {
  return add_text(link, &culink_link::libraries, name);
}

culink_status culink_link_add_library_path(culink_link *link, const char *folder) {
  return add_text(link, &culink_link::library_paths, folder);
}

culink_status culink_link_add_tool_folder(culink_link *link, const char *folder) {
  return add_text(link, &culink_link::tool_folders, folder);
}

culink_status culink_link_set_progress(culink_link *link, culink_progress callback, void *user) {
  return change_link(link, [&] {
    link->callback = callback;
    link->user = user;
    return CULINK_OK;
  });
}

culink_status culink_link_cancel(culink_link *link) {
  if (!is_valid(link))
    return CULINK_INVALID_ARGUMENT;
  link->progress.cancelled = true;
  return CULINK_OK;
}

culink_status culink_link_run(culink_link *link, culink_result **result) {
  if (!result)
    return CULINK_INVALID_ARGUMENT;
  *result = nullptr;
  return change_link(link, [&] {
    const Run run(*link);
    PreparedLink prepared = prepare(*link);
    prepared.request.progress = &link->progress;
    LinkResult linked;
    if (!prepared.failed)
      linked = culink::link(prepared.request);
    *result = make_result(std::move(prepared), std::move(linked)).release();
    return (*result)->status;
  });
}

// NVIDIA's programs and libraries that a link may use. The linker itself does not search for them:
// a library that runs programs from PATH would surprise programs that embed it. Callers that want
// this request it by name.

namespace {

constexpr std::array<std::string_view, kToolCount> kToolNames = {"ptxas", "libnvJitLink", "nvlink",
                                                                 "compiler", "culink"};

// Returns the number of a tool, or kToolCount.
size_t find_tool(const char *kind) {
  const auto found = std::find(kToolNames.begin(), kToolNames.end(), kind ? kind : "");
  return static_cast<size_t>(found - kToolNames.begin());
}

// The program next to the library of this code, as installed, or from PATH.
std::string find_program() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void *>(&culink_version), &info) != 0 && info.dli_fname) {
    std::error_code error;
    const std::filesystem::path library = std::filesystem::canonical(info.dli_fname, error);
    const std::filesystem::path folder = library.parent_path().parent_path() / "bin";
    if (std::string found = program_in(folder.string(), "culink"); !error && !found.empty())
      return found;
  }
  return program_in_path("culink");
}

} // namespace

culink_status culink_link_set_tool(culink_link *link, const char *kind, const char *path) {
  const size_t tool = find_tool(kind);
  if (tool == kToolCount)
    return CULINK_INVALID_ARGUMENT;
  return change_link(link, [&] {
    if (path)
      link->tools[tool] = path;
    else
      link->tools[tool].reset();
    return CULINK_OK;
  });
}

culink_status culink_link_find_tools(culink_link *link, const char *folder) {
  return change_link(link, [&] {
    const std::string cuda = folder ? folder : "";
    FinalizerEngine engine = find_finalizer("", cuda, "/proc/self/exe", link->tool_folders);
    link->engine_folder = std::move(engine.folder);
    std::array<std::string, kToolCount> found = {find_ptxas(cuda, link->tool_folders),
                                                 std::move(engine.library),
                                                 std::move(engine.nvlink), "", find_program()};
    for (size_t i = 0; i < kToolCount; ++i)
      if (!found[i].empty())
        link->tools[i] = std::move(found[i]);
    return CULINK_OK;
  });
}

const char *culink_link_tool(const culink_link *link, const char *kind) {
  const size_t tool = find_tool(kind);
  if (!is_valid(link) || tool == kToolCount || !link->tools[tool])
    return nullptr;
  return link->tools[tool]->c_str();
}
