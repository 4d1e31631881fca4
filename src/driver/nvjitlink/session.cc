// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One link through nvJitLink's functions. Inputs, also files, are copied when they are added:
// clients free their buffers, and files may change before the link. culink does the link, with the
// rules of nvJitLink: inputs keep the order in which they were added, unused code of libcudadevrt
// stays, and host code does not select kernels.
//
// Complete frees the inputs; only the result and the logs stay until Destroy. With LTO the inputs
// stay, too: the client may request LTO-IR, which only NVIDIA's library can write. Few clients do,
// so it is made on request: the library does the same link with the client's own words.
//
// nvJitLink reports errors of an input when it is added, so the input is read then, with the same
// code as in any other link, and PTX is compiled once. The results are device objects, which the
// link reads again; of inputs that are device objects, only headers and tables are checked first.
// Where nvJitLink is silent, this library acts: a linked cubin is refused, an object without device
// code gets a line in the info log, and a device object that is declared a host object is linked.
//
// Messages are as clients expect them: a code, and lines like "error   : ..." in words that
// nvJitLink and nvlink share. For errors that nvlink only calls internal, or does not report, the
// words are culink's.
#include "driver/nvjitlink/session.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "compilers/engine/worker.h"
#include "compilers/lto/optimize.h"
#include "compilers/toolkit/find_tools.h"
#include "driver/api/input_loader.h"
#include "driver/nvjitlink/compilers.h"
#include "driver/options/dialects.h"
#include "driver/options/messages.h"
#include "elf/elf_view.h"
#include "elf/target/arch.h"
#include "elf/wire.h"
#include "input/file_kind.h"
#include "input/load_object.h"
#include "inspect/report/nvlink_reports.h"
#include "link/model/diagnostics.h"
#include "support/bytes.h"
#include "support/mapped_file.h"

namespace culink::jit {

namespace {

struct CodeRow {
  std::string_view message; // its id
  Code code;
};

// An error that is not in the table means that the link as a whole failed.
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

// Returns nvlink's words without the name of the program and without the line that only ends its
// list; empty if nvlink has no useful words.
std::string nvlink_words(const Message &message) {
  constexpr std::string_view kProgram = "nvlink ";
  const DiagRow *row = find_diag_row(message.id);
  const NvlinkRow *words = row ? &nvlink_rows()[static_cast<size_t>(row->id)] : nullptr;
  if (!words || words->weight == NvlinkWeight::Silent || words->weight == NvlinkWeight::Fatal ||
      words->text.empty())
    return "";
  std::string out;
  for (const std::string &line : nvlink_report({message}).lines)
    if (line.starts_with(kProgram) && !line.starts_with("nvlink fatal"))
      out += line.substr(kProgram.size()) + "\n";
  return out;
}

// Returns a message as lines of a log: in the words that nvJitLink shares with nvlink if there are
// any, otherwise in culink's.
std::string log_lines(const Message &message) {
  std::string out = nvlink_words(message);
  if (out.empty()) {
    out = fmt::format("{:<8}: {}\n", severity_word(message.severity), message.text);
    for (const std::string &note : message.notes)
      out += note + "\n";
  }
  if (!message.hint.empty())
    out += "hint    : " + message.hint + "\n";
  return out;
}

// Returns the code for the first error of a link; Success if there is none.
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

// Appends a line about a link to the file that the variable CULINK_JIT_LOG names, so that users see
// whether and how their programs link. One call writes a line to a file opened for appending, so
// lines of threads and processes do not mix. Errors of this log do not affect the link.
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

// The result of adding an input.
struct TakenInput {
  Code code = Code::Success;
  std::string errors; // lines for the logs
  std::string infos;
  std::vector<Piece> pieces;
};

struct KindRow {
  InputKind kind;
  std::string_view name;
  std::array<FileKind, 4> files; // the kinds that it may have
};

constexpr FileKind kNothing = FileKind::Count_;
constexpr std::array<KindRow, 7> kKinds = {{
    {InputKind::Cubin,
     "CUBIN",
     {FileKind::DeviceObject, FileKind::DeviceImage, kNothing, kNothing}},
    {InputKind::Ptx, "PTX", {FileKind::Ptx, kNothing, kNothing, kNothing}},
    {InputKind::LtoIr, "LTOIR", {FileKind::LtoIr, kNothing, kNothing, kNothing}},
    {InputKind::Fatbin, "FATBIN", {FileKind::Fatbin, kNothing, kNothing, kNothing}},
    {InputKind::Object,
     "OBJECT",
     {FileKind::HostObject, FileKind::HostImage, FileKind::DeviceObject, FileKind::DeviceImage}},
    {InputKind::Library, "LIBRARY", {FileKind::Archive, kNothing, kNothing, kNothing}},
    {InputKind::Index, "INDEX", {kNothing, kNothing, kNothing, kNothing}},
}};

TakenInput refused(Code code, std::string line) {
  return {.code = code, .errors = std::move(line) + "\n", .infos = {}, .pieces = {}};
}

// Checks that an input has its declared kind; otherwise returns the refusal.
TakenInput check_kind(InputKind kind, const std::string &name, FileKind found) {
  if (kind == InputKind::Any)
    return found == FileKind::Unknown
               ? refused(Code::UnrecognizedInput, "unrecognized input type: " + name)
               : TakenInput{};
  for (const KindRow &row : kKinds) {
    if (row.kind != kind)
      continue;
    if (std::find(row.files.begin(), row.files.end(), found) != row.files.end())
      return {};
    return refused(Code::IncorrectInputType,
                   fmt::format("ERROR 1: bad input: does not match type NVJITLINK_INPUT_{}: {}, "
                               "which is {}",
                               row.name, name, describe_file_kind(found)));
  }
  return refused(Code::IncorrectInputType, "unsupported input type: " + name);
}

// The text of the compiler, unchanged.
std::string compiler_text(const std::vector<std::string> &arguments) {
  constexpr size_t kText = 2;
  return arguments.size() > kText ? arguments[kText] : "";
}

class InputTaker {
public:
  InputTaker(const JitOptions &options, const std::string &name) : options_(options), name_(name) {}

  TakenInput run(ByteSpan bytes);

private:
  [[nodiscard]] bool is_sound_object(ByteSpan bytes);
  void take_pieces(const InputLoader &loader, ByteSpan bytes);
  void take_messages();
  void refuse_if_empty(FileKind kind, bool lacks_target);

  const JitOptions &options_;
  const std::string &name_;
  Diagnostics diag_;
  TakenInput out_;
};

void InputTaker::take_pieces(const InputLoader &loader, ByteSpan bytes) {
  for (const LinkInput &code : loader.code()) {
    const bool inside = code.bytes->data() >= bytes.data() &&
                        code.bytes->data() + code.bytes->size() <= bytes.data() + bytes.size();
    Piece &piece = out_.pieces.emplace_back();
    piece.name = code.name;
    if (inside)
      piece.bytes = *code.bytes;
    else
      piece.made.assign(code.bytes->begin(), code.bytes->end());
  }
}

// Writes the messages to the logs, except warnings about objects, which the link repeats.
void InputTaker::take_messages() {
  std::vector<Message> errors;
  for (const Diagnostic &diagnostic : diag_.all()) {
    const Message message = to_message(diagnostic);
    if (diagnostic.id == DiagId::PtxRemarks)
      out_.infos += compiler_text(message.arguments);
    else if (diagnostic.id == DiagId::PtxRefused)
      out_.errors += compiler_text(message.arguments) +
                     fmt::format("ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX ({})\n{}",
                                 message.arguments.front(),
                                 message.hint.empty() ? "" : "hint    : " + message.hint + "\n");
    else if (diagnostic.id == DiagId::LtoCode)
      out_.errors += fmt::format("ERROR 1: LTO-IR input cannot be used without LTO enabled (-lto): "
                                 "{}\n",
                                 message.arguments.front());
    else if (message.severity >= Severity::Error)
      out_.errors += fmt::format("ERROR 4: bad input: {}\n{}", name_, log_lines(message));
    else if (diagnostic.id == DiagId::NothingToLink || diagnostic.id == DiagId::NoCodeForTarget)
      out_.infos += log_lines(message);
    if (message.severity >= Severity::Error)
      errors.push_back(message);
  }
  out_.code = code_of(errors);
}

void InputTaker::refuse_if_empty(FileKind kind, bool lacks_target) {
  if (!out_.pieces.empty() || out_.code != Code::Success)
    return;
  if (lacks_target) {
    out_.code = Code::InvalidInput;
    out_.errors += fmt::format("ERROR 3: bad input: {}\n{}", name_, std::exchange(out_.infos, {}));
  } else if (kind == FileKind::HostObject || kind == FileKind::HostImage ||
             kind == FileKind::Archive) {
    out_.infos += fmt::format("warning : {}: has no device code to link\n", name_);
  }
}

// The usual input: a device object for the target. The link will read all of it. Its headers and
// tables already show that it is valid and fits, which takes half the time.
bool InputTaker::is_sound_object(ByteSpan bytes) {
  if (file_kind(bytes) != FileKind::DeviceObject || !options_.request.emulate.empty())
    return false;
  const Result<elf::ElfView> view = elf::ElfView::open(bytes);
  Diagnostics diag;
  return view && accept_object(name_, *view, *arch::find_arch(options_.request.target),
                               own_dialect(), diag);
}

TakenInput InputTaker::run(ByteSpan bytes) {
  if (is_sound_object(bytes)) {
    out_.pieces.push_back({name_, bytes, {}});
    return std::move(out_);
  }
  LinkRequest request;
  request.target = options_.request.target;
  request.inputs = {LinkInput::memory(name_, bytes)};
  request.emulate = options_.request.emulate;
  request.options.threads = 1;
  request.ptxas_options = options_.request.ptxas_options;
  request.heeds_recorded_options = false;
  const Dialect *dialect = choose_dialect(request, diag_);
  if (!dialect)
    return refused(Code::UnrecognizedOption, "unknown value of -culink-emulate");
  Cache cache(options_.no_cache ? CacheOptions{} : find_cache());
  InputLoader loader(request, *arch::find_arch(options_.request.target), *dialect, diag_, &cache);
  WorkerPool pool(request.options.threads);
  loader.collect(pool);
  if (loader.has_ptx()) {
    Compilers compilers = find_compilers();
    request.ptxas = std::move(compilers.ptxas);
    request.finalizer = std::move(compilers.engine);
    if (request.ptxas.empty() && !request.finalizer.has_library())
      return refused(Code::PtxCompile,
                     fmt::format("ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX ({}): no ptxas "
                                 "or libnvJitLink was found; set CUDA_HOME, or put ptxas into PATH",
                                 name_));
  }
  static_cast<void>(loader.load(pool));
  const bool lacks_target =
      std::any_of(diag_.all().begin(), diag_.all().end(),
                  [](const Diagnostic &one) { return one.id == DiagId::NoCodeForTarget; });
  take_messages();
  if (out_.code == Code::Success)
    take_pieces(loader, bytes);
  refuse_if_empty(file_kind(bytes), lacks_target);
  return std::move(out_);
}

// Checks that an input has the kind that the client declares, and finds its code for the target:
// unpacks fatbins, opens archives, compiles PTX. The pieces refer to `bytes`. With LTO the whole
// input is one piece, and the link does most checks.
TakenInput take_input(const JitOptions &options, InputKind kind, const std::string &name,
                      ByteSpan bytes) {
  TakenInput out = check_kind(kind, name, file_kind(bytes));
  if (out.code != Code::Success)
    return out;
  if (!options.request.lto.enabled)
    return InputTaker(options, name).run(bytes);
  out.pieces.push_back({name, bytes, {}});
  return out;
}

double milliseconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

// True if the last byte is missing. Some clients, such as CuPy 14, treat the result of NVRTC as
// text and cut off its last byte. In a cubin this byte is in the last header; it is the highest
// byte of a small number: zero.
bool lacks_last_byte(ByteSpan bytes) {
  if (file_kind(bytes) != FileKind::DeviceObject || bytes.size() < sizeof(elf::wire::Ehdr64))
    return false;
  const auto header = load_le<elf::wire::Ehdr64>(bytes.data());
  const u64 sections = header.e_shoff + u64{header.e_shnum} * header.e_shentsize;
  const u64 segments = header.e_phoff + u64{header.e_phnum} * header.e_phentsize;
  return std::max(sections, segments) == bytes.size() + 1;
}

Answer text_answer(const std::string &text) {
  const ByteSpan bytes = as_bytes(text);
  return {.bytes = text.empty() ? bytes : ByteSpan(bytes.data(), bytes.size() + 1)};
}

} // namespace

Session::Session(const std::vector<std::string> &options) : words_(options) {
  ParsedOptions parsed = parse_options(options);
  created_ = parsed.code;
  infos_ = std::move(parsed.infos);
  options_ = std::move(parsed.options);
  if (!parsed.error.empty())
    errors_ = parsed.error + "\n";
}

// Returns the error for an input added at the wrong time; nothing if the time is right.
std::optional<Code> Session::refuse_input(const std::string &name) {
  if (created_ != Code::Success)
    return created_;
  if (!completed_)
    return std::nullopt;
  errors_ += fmt::format("ERROR 1: added after nvJitLinkComplete: {}\n", name);
  return Code::Internal;
}

Code Session::add(InputKind kind, const std::string &name, std::vector<u8> bytes) {
  const std::vector<u8> &kept = inputs_.emplace_back(std::move(bytes));
  TakenInput taken = take_input(options_, kind, name, kept);
  errors_ += taken.errors;
  infos_ += taken.infos;
  bool used = false;
  for (Piece &piece : taken.pieces) {
    used = used || piece.made.empty();
    pieces_.push_back(std::move(piece));
  }
  if (!used)
    inputs_.pop_back();
  return taken.code;
}

Code Session::add_data(InputKind kind, const std::string &name, ByteSpan bytes) {
  if (const std::optional<Code> refused = refuse_input(name))
    return *refused;
  if (bytes.empty()) {
    errors_ += fmt::format("bad input: {}\n", name);
    return Code::InvalidInput;
  }
  std::vector<u8> copy(bytes.begin(), bytes.end());
  if (lacks_last_byte(bytes)) {
    copy.push_back(0);
    infos_ += fmt::format("warning : {}: lacks its last byte, which is taken for 0\n", name);
  }
  return add(kind, name, std::move(copy));
}

// Links an archive once even if it is added twice, as nvlink does: a second copy of its functions
// would only conflict with the first.
Code Session::add_file(InputKind kind, const std::string &path) {
  if (const std::optional<Code> refused = refuse_input(path))
    return *refused;
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) {
    errors_ += fmt::format("no such file: {}\nerror   : {}\n", path, file.error().text());
    return Code::InvalidInput;
  }
  if (file->bytes().empty()) {
    errors_ += fmt::format("bad input: {}\n", path);
    return Code::InvalidInput;
  }
  if (file_kind(file->bytes()) == FileKind::Archive && !archives_.insert(file->identity()).second)
    return Code::Success;
  return add(kind, path, {file->bytes().begin(), file->bytes().end()});
}

LinkRequest Session::make_request() const {
  LinkRequest request = options_.request;
  for (const Piece &piece : pieces_)
    request.inputs.push_back(LinkInput::memory(piece.name, piece.contents()));
  request.heeds_recorded_options = false;
  if (!options_.no_cache)
    request.cache = find_cache();
  LinkOptions &options = request.options;
  // A list of variables alone means that all kernels are unused.
  if (!options.kernels_used && request.lto.variables_used)
    options.kernels_used.emplace();
  options.ignore_host_info = true;
  options.keep_system_libraries = true;
  const arch::ArchInfo *target = arch::find_arch(request.target);
  // Searches for compilers only on demand: it takes longer than a small link.
  if (wants_lto() || (target && target->has_mercury_plane && !pieces_.empty())) {
    const Compilers compilers = find_compilers();
    request.finalizer = compilers.engine;
    request.ptxas = compilers.ptxas;
    request.lto.library = compilers.engine.library;
    request.lto.worker = compilers.engine.worker;
  }
  if (!wants_lto())
    request.lto = {};
  return request;
}

// Writes nvlink's words for the errors and a line that the link has failed; warnings go to the info
// log.
Code Session::report(const LinkResult &result) {
  for (const Message &message : result.messages) {
    if (message.severity >= Severity::Error)
      errors_ += log_lines(message);
    else if (message.severity == Severity::Warning || options_.request.options.facts)
      infos_ += log_lines(message);
  }
  if (options_.request.options.facts && result.complete)
    for (const std::string &line : resource_lines(result.facts, Wording::Nvlink))
      infos_ += "info    : " + line + "\n";
  const Code code = code_of(result.messages);
  if (code == Code::Success && result.ok())
    return code;
  errors_ += "ERROR 9: finish\n";
  return code == Code::Success ? Code::Internal : code;
}

Code Session::complete() {
  if (created_ != Code::Success)
    return created_;
  if (completed_) {
    errors_ += "ERROR 1: nvJitLinkComplete was called before\n";
    return Code::Internal;
  }
  completed_ = true;
  const Clock::time_point begin = Clock::now();
  if (options_.time)
    infos_ += fmt::format("nvJitLink time until Complete: {:.6f}\n", milliseconds(begin - start_));
  if (wants_lto() && options_.ltoir) {
    if (ltoir().code == Code::Success)
      return Code::Success;
    errors_ += "error   : LTO-IR is made by libnvJitLink of CUDA 13.4 and later only\n";
    return Code::NvvmCompile;
  }
  const LinkRequest request = make_request();
  LinkResult result = link(request);
  const Code code = report(result);
  const double time = milliseconds(Clock::now() - begin);
  if (options_.time)
    infos_ += fmt::format("nvJitLinkComplete time to finish: {:.6f}\n", time);
  write_jit_log(request, result, code, time);
  if (code == Code::Success) {
    result_.bytes = std::move(result.bytes);
    result_.ptx = std::move(result.ptx);
  }
  if (!wants_lto()) {
    pieces_ = {};
    inputs_ = {};
  }
  return code;
}

std::vector<u8> Session::make_ltoir() const {
  const Compilers compilers = find_compilers();
  if (!compilers.engine.has_library())
    return {};
  EngineJob job;
  job.wanted = EngineOutput::LtoIr;
  for (const std::string &word : words_)
    if (!word.starts_with("-culink-"))
      job.options.push_back(word);
  u64 size = 0;
  for (const Piece &piece : pieces_) {
    job.inputs.push_back({EngineInputKind::Any, piece.name, piece.contents()});
    size += piece.contents().size();
  }
  Result<WorkerAnswer> answer =
      run_in_worker(compilers.engine.worker, compilers.engine.library, job, optimizer_time(size));
  return answer && answer->outcome == WorkerOutcome::Linked ? std::move(answer->image)
                                                            : std::vector<u8>();
}

Answer Session::cubin() {
  return result_.bytes.empty() ? Answer{Code::Internal} : Answer{.bytes = result_.bytes};
}

Answer Session::ptx() {
  if (!options_.request.lto.emit_ptx)
    return {Code::InvalidInput};
  return result_.ptx.empty() ? Answer{Code::Internal} : text_answer(result_.ptx);
}

Answer Session::ltoir() {
  if (!wants_lto())
    return {Code::InvalidInput};
  if (!ltoir_ && completed_) {
    ltoir_ = make_ltoir();
    pieces_ = {};
    inputs_ = {};
  }
  return !ltoir_ || ltoir_->empty() ? Answer{Code::Internal} : Answer{.bytes = *ltoir_};
}

Answer Session::errors() {
  return text_answer(errors_);
}

Answer Session::infos() {
  return text_answer(infos_);
}

} // namespace culink::jit
