// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The linker program: words in, exit status out. It only prints and writes files; the library does
// the rest. Messages come first, then reports, then all files together. Exceptions come only from
// libraries and end in main().
#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "compilers/cache/folder.h"
#include "compilers/engine/worker.h"
#include "compilers/toolkit/find_tools.h"
#include "console.h"
#include "culink/linker.h"
#include "driver/api/link_job.h"
#include "driver/options/command_line.h"
#include "driver/options/dialects.h"
#include "driver/options/messages.h"
#include "driver/options/option_documents.h"
#include "elf/target/arch.h"
#include "inspect/report/link_reports.h"
#include "inspect/report/nvlink_reports.h"
#include "link_folders.h"
#include "link_watch.h"
#include "reports.h"
#include "repro.h"
#include "support/bytes.h"
#include "support/mapped_file.h"
#include "support/option_text.h"
#include "support/output_file.h"
#include "support/process.h"
#include "write_outputs.h"

namespace culink {

namespace {

constexpr int kExitOutOfMemory = 1;

// The places of files that a command line names. In a replayed link they are names of another
// machine: inputs come from the archive, and outputs go to the files of the replay's command line
// or are not written.
struct LinkPlaces {
  const FileSource *inputs = &system_files();
  const CommandLine *replay = nullptr; // the command line of a replay
  std::string folder;                  // in which a replayed link ran

  // The path of the output that an option names. `line` has the option.
  [[nodiscard]] std::string output(const CommandLine &line, OptionId id) const {
    if (replay && replay->has(id))
      return replay->value(id);
    return replay && line.value(id) != "-" ? "/dev/null" : line.value(id);
  }
};

int show_one(const Console &console, DiagId id, std::vector<std::string> arguments,
             std::string hint = {}) {
  Diagnostics diag;
  diag.report(id, std::move(arguments)).advise(std::move(hint));
  return console.show(messages_of(diag)).status;
}

// Returns 0, or the exit status after a message if output was lost. A reader that closes early is
// not an error.
int finish_printing(const Console &console) {
  errno = 0;
  const bool arrived = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (arrived || errno == EPIPE)
    return 0;
  std::clearerr(stdout);
  return show_one(console, DiagId::CannotWriteOutput,
                  {"<stdout>", std::string("cannot write") +
                                   (errno == 0 ? "" : std::string(": ") + std::strerror(errno))});
}

// The register file to write; nothing if the existing one is up to date.
std::optional<LinkOutputs::Text> registration(const CommandLine &line, const LinkPlaces &places,
                                              const LinkResult &result) {
  if (!line.has(OptionId::RegisterLinkBinaries))
    return std::nullopt;
  const std::string path = places.output(line, OptionId::RegisterLinkBinaries);
  const std::string folder =
      places.replay ? places.folder : std::filesystem::current_path().string();
  if (std::filesystem::is_regular_file(path)) {
    const Result<MappedFile> existing = MappedFile::open(path);
    if (existing && keeps_registration(result.modules, folder, as_text(existing->bytes()),
                                       dialect_of(line).defects.keeps_stale_list)) {
      remove_leftovers(path);
      return std::nullopt;
    }
  }
  return LinkOutputs::Text{path, registration_text(result.modules, folder)};
}

// nvlink treats a dash like any other name.
std::string output_path(const CommandLine &line, const LinkPlaces &places) {
  const std::string path = places.output(line, OptionId::Output);
  if (path != "-" || !dialect_of(line).command.dash_is_a_file)
    return path;
  return places.replay ? "/dev/null" : "./-";
}

// As in nvlink, the register file is written even if the program has errors and there is no image;
// an image may exist despite an error (Q171).
LinkOutputs outputs_of(const CommandLine &line, const LinkPlaces &places, const Console &console,
                       const LinkResult &result, const LinkOutcome &outcome, ByteSpan image) {
  const bool is_virtual = is_virtual_target(line.value(OptionId::Arch));
  LinkOutputs out{.image_first = !dialect_of(line).name.empty()};
  if (!is_virtual && (outcome.status == 0 || result.ok())) {
    out.image_path = output_path(line, places);
    out.image = image;
  }
  if (outcome.tells_about_program && (is_virtual || result.complete))
    if (std::optional<LinkOutputs::Text> file = registration(line, places, result))
      out.texts.push_back(std::move(*file));
  if (outcome.status != 0)
    return out;
  if (line.has(OptionId::Map))
    out.texts.push_back(
        {places.output(line, OptionId::Map), map_text(line, console, result.facts)});
  if (line.has(OptionId::Report))
    out.texts.push_back({places.output(line, OptionId::Report), report_page(line, result)});
  if (line.has(OptionId::Time))
    out.table.emplace(LinkOutputs::Text{
        places.output(line, OptionId::Time),
        time_table_rows(result.times, line.value(OptionId::Output), line.value(OptionId::Arch))});
  return out;
}

// True for standard output: text must not go to the same place as an image.
bool is_standard_output(const std::string &path) {
  return path == "-" || path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

// Returns "a.cubin (1234 bytes)", for a message that allocates little.
std::string largest_input(const std::vector<std::string> &paths) {
  std::string out = "unknown";
  i64 most = -1;
  for (const std::string &path : paths)
    if (struct stat info{}; ::stat(path.c_str(), &info) == 0 && info.st_size > most) {
      most = info.st_size;
      out = path + " (" + std::to_string(most) + " bytes)";
    }
  return out;
}

// Nothing after a message if memory runs out.
std::optional<LinkResult> link_watched(LinkRequest &request, const FileSource &files,
                                       const CommandLine &line, const Console &console) {
  LinkWatch watch(!request.finalizer.nvlink.empty());
  request.progress = watch.progress();
  try {
    return is_virtual_target(request.target) ? list_modules(request, files) : link(request, files);
  } catch (const std::bad_alloc &) {
    static_cast<void>(show_one(console, DiagId::OutOfMemory,
                               {watch.progress()->step.load(), largest_input(line.inputs)}));
    return std::nullopt;
  }
}

// Limits the memory of the link, in this process and in each compiler: allocations, not mapped
// files. The library checks its known large allocations in advance.
void limit_memory(const CommandLine &line) {
  const std::optional<u64> limit = parse_byte_size(line.value(OptionId::MemoryLimit));
  struct rlimit now {};
  if (!limit || ::getrlimit(RLIMIT_DATA, &now) != 0)
    return;
  now.rlim_cur = std::min<rlim_t>(now.rlim_max, *limit);
  static_cast<void>(::setrlimit(RLIMIT_DATA, &now) == 0);
}

// The finalizer library is also the compiler of link-time optimisation; -nvvmpath may name a
// toolkit with it.
void find_engines(const CommandLine &line, const LinkPlaces &places, LinkRequest &request) {
  const std::string given = line.value(OptionId::Finalizer), cuda = line.value(OptionId::Cuda);
  request.finalizer = find_finalizer(given, cuda);
  if (!request.lto.enabled)
    return;
  FinalizerEngine compiler = request.finalizer;
  const std::string nvvm = places.replay ? "" : line.value(OptionId::NvvmPath);
  for (const std::string &folder : {nvvm, nvvm + "/.."})
    if (given.empty() && cuda.empty() && !nvvm.empty() && !compiler.has_library())
      compiler = find_finalizer("", folder);
  request.lto.library = compiler.library;
  request.lto.worker = compiler.worker;
}

// Returns the request with the compilers and the cache that the program finds.
LinkRequest complete_request(const CommandLine &line, const LinkPlaces &places) {
  LinkRequest request = make_request(line);
  if (places.replay) // its outputs have other names, and its inputs are not files
    request.outputs.clear();
  request.cache = cache_options(line, find_cache());
  if (request.ptxas.empty())
    request.ptxas = find_ptxas(line.value(OptionId::Cuda));
  // Searches only on demand: it takes longer than a small link.
  const arch::ArchInfo *target = arch::find_arch(request.target);
  if ((target && target->has_mercury_plane) || request.lto.enabled || request.ptxas.empty())
    find_engines(line, places, request);
  return request;
}

int run_link(const CommandLine &line, const LinkPlaces &places, const Console &console,
             LinkRequest request) {
  if (line.has(OptionId::Time) && !can_append(places.output(line, OptionId::Time)))
    return show_one(console, DiagId::CannotWriteTimes, {line.value(OptionId::Time)});
  limit_memory(line);
  OutputFile output(output_path(line, places));
  if (output.is_temporary() && !line.has(OptionId::StripDebug)) // else the image is not the output
    request.place = [&output](u64 size) { return output.map(size); };
  std::optional<LinkResult> made = link_watched(request, *places.inputs, line, console);
  if (!made)
    return kExitOutOfMemory;
  advise_about_symbols(made->messages);
  const LinkResult &result = *made;
  const LinkOutcome outcome = console.show(result.messages);
  const bool is_virtual = is_virtual_target(line.value(OptionId::Arch));
  const bool tells = outcome.tells_about_program && (is_virtual || result.complete);
  const std::string report = tells ? own_reports(line, console, result) : "";
  if (tells && !is_virtual && !result.facts.sections.empty())
    print_nvlink_reports(line, console, result);
  if (!line.has(OptionId::ReportFile))
    print_to(is_standard_output(output_path(line, places)) ? stderr : stdout, report);
  if (const int status = finish_printing(console); status != 0)
    return status;
  Result<std::optional<std::vector<u8>>> stripped(std::nullopt);
  if (line.has(OptionId::StripDebug))
    stripped = strip_output(result.bytes);
  if (!stripped)
    return show_one(console, DiagId::Contradiction, {"--strip-debug", stripped.error().text()});
  LinkOutputs outputs = outputs_of(line, places, console, result, outcome,
                                   *stripped            ? ByteSpan(**stripped)
                                   : result.ptx.empty() ? ByteSpan(result.bytes)
                                                        : as_bytes(result.ptx));
  if (line.has(OptionId::ReportFile) && tells)
    outputs.texts.push_back({places.output(line, OptionId::ReportFile), report});
  if (const std::optional<OutputFailure> failed = write_outputs(outputs, output))
    return show_one(console, failed->id, failed->arguments);
  return outcome.status;
}

// Writes the archive before the link, so that it exists even if the link never ends. The search of
// the inputs for code finds all files that the link will read.
int store_and_link(const CommandLine &line, const std::vector<std::string> &words,
                   const RecordedFiles &files, const Console &console, bool goes_on) {
  LinkPlaces places{.inputs = &files};
  const LinkRequest request = complete_request(line, places);
  if (goes_on) {
    const LinkResult listed = list_modules(request, files);
    const auto destroys = [](const Message &message) {
      return message.id == diag_row(DiagId::OutputOverInput).key;
    };
    if (std::any_of(listed.messages.begin(), listed.messages.end(), destroys))
      return console.show(listed.messages).status;
  }
  if (const std::optional<Error> error = write_repro(line, words, tool_versions(request), files))
    return show_one(console, DiagId::CannotWriteOutput,
                    {line.value(OptionId::Repro), error->text()});
  return goes_on ? run_link(line, places, console, request) : 0;
}

// Returns 0, or the exit status after a message.
int keep_outputs_apart(const CommandLine &line, const Console &console) {
  Diagnostics diag;
  check_outputs(line, diag);
  return console.show(messages_of(diag)).status;
}

int run_replay(const CommandLine &replay, const Console &own_console) {
  const std::string path = replay.value(OptionId::Replay);
  if (!replay.inputs.empty())
    return show_one(own_console, DiagId::BadInput,
                    {replay.inputs.front(), "the inputs of a replay are those that were stored"});
  if (const int status = keep_outputs_apart(replay, own_console); status != 0)
    return status;
  const Result<MappedFile> file = MappedFile::open(path);
  const Result<StoredLink> stored =
      file ? read_stored_link(file->bytes()) : Result<StoredLink>(file.error());
  if (!stored)
    return show_one(own_console, DiagId::BadInput, {path, stored.error().text()});
  const LinkPlaces places{&stored->files, &replay, stored->record.folder};
  Diagnostics diag;
  const CommandLine line =
      replayed_line(parse_command_line(stored->record.words, diag, stored->files), replay);
  const Console console(line, !diag.failed());
  if (const std::string word = word_of_stranger(line, replay); !word.empty())
    diag.report(DiagId::BadInput, {path, "command.txt: '" + word + "' may write files"}, {},
                "-Xptxas or -Xnvvm of the replay takes its place; unpacked, the archive links as "
                "response.txt says");
  if (!diag.failed())
    check_command_line(line, diag, stored->files);
  if (const int status = console.show(messages_of(diag)).status; status != 0)
    return status;
  const LinkRequest request = complete_request(line, places);
  (void)console.show(compare_versions(stored->record.versions, tool_versions(request)));
  return run_link(line, places, console, request);
}

// --cache-clear and --cache-stats. Prints or clears the cache without a link. The folder is the one
// for a link with the same options. If such a link would run without a cache, the reason is an
// error here.
int run_cache_command(const CommandLine &line, const Console &console) {
  const CacheOptions options = cache_options(line, find_cache());
  if (options.folder.empty()) {
    print_to(stdout, "cache off\n");
    return 0;
  }
  const Result<CacheFolder> folder = CacheFolder::open(options.folder, options.size);
  if (!folder)
    return show_one(console, DiagId::BadInput, {options.folder, folder.error().text()});
  if (line.has(OptionId::CacheClear))
    folder->clear();
  const FolderUse use = folder->use();
  if (line.has(OptionId::CacheStats))
    print_to(stdout, fmt::format("folder   {}\nentries  {}\nbytes    {} of {}\n", options.folder,
                                 use.entries, use.bytes, options.size));
  return 0;
}

int run_make_toolchain(const CommandLine &line, const Console &console) {
  const std::string folder = line.value(OptionId::MakeToolchain);
  const std::string error = make_toolchain(folder, line.value(OptionId::Cuda));
  if (!error.empty())
    return show_one(console, DiagId::NoToolchain, {folder, error});
  const std::string full =
      std::filesystem::absolute(folder).lexically_normal().string(); // valid in any working folder
  print_to(stdout, "nvcc:  " + full + "/bin/nvcc -rdc=true ...\n" +
                       "CMake: cmake -DCMAKE_CUDA_COMPILER=" + full + "/bin/nvcc ...\n" +
                       "clang: PATH=" + full + "/bin:$PATH clang++ --cuda-path=" + full + " ...\n");
  return 0;
}

int run_make_jit_folder(const CommandLine &line, const Console &console) {
  const std::string folder = line.value(OptionId::MakeJitFolder);
  const std::string error = make_jit_folder(folder);
  if (!error.empty())
    return show_one(console, DiagId::NoJitFolder, {folder, error});
  const std::string full = std::filesystem::absolute(folder).string();
  print_to(stdout,
           "programs linked with -lnvJitLink:  LD_LIBRARY_PATH=" + full + " PROGRAM\n" +
               "programs that look for it (JAX, CuPy, Numba, cuda.core), CUDA 13:  LD_PRELOAD=" +
               full + "/libnvJitLink.so.13 PROGRAM\n" + "the same, CUDA 12:  LD_PRELOAD=" + full +
               "/libnvJitLink.so.12 PROGRAM\n" + "a line per link:  CULINK_JIT_LOG=FILE\n");
  return 0;
}

int run_explain(const CommandLine &line, const Console &console) {
  const std::string words = line.value(OptionId::Explain);
  const std::optional<std::string> text = explain_message(words);
  if (!text)
    return show_one(console, DiagId::BadOptionValue,
                    {words, std::string(option_row(OptionId::Explain).name)},
                    "no message is called so or has these words; --error-format=json shows ids, "
                    "docs/message-list.md has all of them");
  print_to(stdout, *text);
  return 0;
}

// A script for the host's linker, as nvlink writes it: ld's complete own script, which ld prints
// between two lines of equals signs, and the sections of device code. The blank after one of these
// lines is also in nvlink's script.

constexpr std::string_view kDeviceSections = "SECTIONS\n"
                                             "{\n"
                                             "\t.nvFatBinSegment : { *(.nvFatBinSegment) }\n"
                                             "\t__nv_relfatbin : { *(__nv_relfatbin) } \n"
                                             "\t.nv_fatbin : { *(.nv_fatbin) }\n"
                                             "}\n";

// On x86-64 nvlink requests the script for position-independent programs, on aarch64 ld's default.
#if defined(__aarch64__)
constexpr bool kAnywhere = false;
#else
constexpr bool kAnywhere = true;
#endif

Result<std::string> host_linker_script(std::string_view kind) {
  if (kind == "lcs-aug")
    return std::string(kDeviceSections);
  std::vector<std::string> command = {"/usr/bin/env", "ld", "--verbose"};
  if (kAnywhere)
    command.insert(command.end() - 1, "-pie");
  const Result<ProcessResult> run = run_process(command);
  if (!run)
    return run.error();
  const std::string_view text = run->output;
  constexpr std::string_view kRuler = "\n=====";
  const size_t first = text.find(kRuler);
  const size_t begin = first == std::string_view::npos ? first : text.find('\n', first + 1);
  const size_t end = begin == std::string_view::npos ? begin : text.find(kRuler, begin);
  if (run->status != 0 || end == std::string_view::npos)
    return Error{"", "ld --verbose", "gave no script"};
  return std::string(text.substr(begin + 1, end - begin)).append(kDeviceSections);
}

int run_host_script(const CommandLine &line, const Console &console) {
  if (!line.inputs.empty())
    return show_one(console, DiagId::InputsWithScript, {line.inputs.front()});
  if (const int status = keep_outputs_apart(line, console); status != 0)
    return status;
  const std::string kind = line.value(OptionId::HostLinkerScript);
  const Result<std::string> script = host_linker_script(kind);
  if (!script)
    return show_one(console, DiagId::NoHostScript, {kind, script.error().text()});
  const std::string path = line.has(OptionId::Output) ? line.value(OptionId::Output) : "-";
  const std::optional<Error> error = write_file(path, as_bytes(*script));
  return error ? show_one(console, DiagId::CannotWriteOutput, {path, error->text()}) : 0;
}

// A task of the program instead of a link.
struct Task {
  OptionId option;
  int (*run)(const CommandLine &line, const Console &console);
};

int print_help(const CommandLine &, const Console &) {
  print_to(stdout, help_text(culink_text()));
  return 0;
}

// In a toolchain folder the output ends like nvlink's: scripts parse the release there.
int print_version(const CommandLine &, const Console &) {
  const std::string toolkit = toolkit_of_caller();
  print_to(stdout, toolkit.empty() ? version_text("culink")
                                   : "culink " CULINK_VERSION ", in the place of nvlink\n" +
                                         release_lines(toolkit + "/ptxas"));
  return 0;
}

int print_document(const CommandLine &line, const Console &) {
  const std::string form = line.value(OptionId::PrintDocs);
  print_to(stdout, form == "messages" ? message_list() : option_document(culink_text(), form));
  return 0;
}

// In order of precedence.
constexpr auto kTasks = std::to_array<Task>({
    {OptionId::Help, print_help},
    {OptionId::Version, print_version},
    {OptionId::PrintDocs, print_document},
    {OptionId::Explain, run_explain},
    {OptionId::CacheStats, run_cache_command},
    {OptionId::CacheClear, run_cache_command},
    {OptionId::MakeToolchain, run_make_toolchain},
    {OptionId::MakeJitFolder, run_make_jit_folder},
    {OptionId::HostLinkerScript, run_host_script},
});

int run_line(const std::vector<std::string> &words, const CommandLine &line,
             const RecordedFiles &recorded, const Console &console, Diagnostics &diag) {
  const std::string instead = words.empty() ? "" : suggest_command(words.front());
  if (!instead.empty() && dialect_of(line).name.empty() && !std::filesystem::exists(words.front()))
    return show_one(console, DiagId::NoCommand, {words.front()}, "instead: " + instead);
  const bool stores = line.has(OptionId::Repro);
  if (!diag.failed()) {
    for (const Task &task : kTasks)
      if (line.has(task.option))
        return task.run(line, console);
    if (line.has(OptionId::Replay) && !stores)
      return run_replay(line, console);
    // Comes first, because --repro also stores a link that fails other checks.
    if (const int status = keep_outputs_apart(line, console); status != 0)
      return status;
    check_command_line(line, diag, recorded);
  }
  const int status = console.show(messages_of(diag)).status;
  if (stores) {
    const int linked = store_and_link(line, words, recorded, console, status == 0);
    return status != 0 ? status : linked;
  }
  const LinkPlaces places;
  return status != 0 ? status : run_link(line, places, console, complete_request(line, places));
}

// Runs the program with the words after its name. Returns the exit status.
int run_command(const std::vector<std::string> &words) {
  Diagnostics diag;
  const RecordedFiles recorded;
  const CommandLine line = parse_command_line(words, diag, recorded);
  const Console console(line, !diag.failed());
  const int status = run_line(words, line, recorded, console, diag);
  const int printed = finish_printing(console);
  return status != 0 ? status : printed;
}

// Page faults take a quarter of the time of a large link. glibc has a setting against this: a heap
// of huge pages that keeps freed memory. It is read from the environment when a program starts, so
// a large link restarts the program with it. A small link would lose: a restart takes half the time
// of the link, and clearing partly used huge pages takes longer than clearing small ones. Archives
// are ignored in the size, because a link uses few members of most large ones.
//
// What may surprise: the variable is removed after the restart, so compilers that the link runs do
// not inherit it. A user's own setting is left alone.

void restart_for_large_files([[maybe_unused]] int argc, [[maybe_unused]] char **argv) {
#ifdef __GLIBC__
  constexpr const char *kVariable = "GLIBC_TUNABLES";
  constexpr std::string_view kSetting = "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864:"
                                        "glibc.malloc.mmap_threshold=4294967296:"
                                        "glibc.malloc.trim_threshold=8589934592";
  constexpr off_t kLarge = off_t{32} << 20;
  if (const char *known = std::getenv(kVariable)) {
    if (known == kSetting)
      unsetenv(kVariable);
    return;
  }
  off_t size = 0;
  for (int i = 1; i < argc; ++i)
    if (struct stat file; !std::string_view(argv[i]).ends_with(".a") && stat(argv[i], &file) == 0 &&
                          S_ISREG(file.st_mode))
      size += file.st_size;
  char path[PATH_MAX + 1] = {};
  if (size < kLarge || readlink("/proc/self/exe", path, PATH_MAX) <= 0)
    return;
  setenv(kVariable, std::string(kSetting).c_str(), 1);
  execv(path, argv);
  unsetenv(kVariable); // without the program file, continue without the setting
#endif
}

} // namespace

} // namespace culink

int main(int argc, char **argv) {
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (!words.empty() && words.front() == culink::kWorkerWord)
      return culink::run_engine_worker(words);
    culink::restart_for_large_files(argc, argv);
    culink::end_when_files_shrink();
    std::signal(SIGXFSZ, SIG_IGN); // exceeding the size limit is a failed write, which is reported
    return culink::run_command(words);
  } catch (const std::exception &error) { // for example out of memory
    std::fprintf(stderr, "culink: error: %s\n", error.what());
  }
  return 1;
}
