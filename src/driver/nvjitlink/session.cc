// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One link through nvJitLink's functions. Inputs are copied when they are added, files too: clients
// free their buffers, and files may change until the link. The link itself is culink's, with the
// rules of nvJitLink: inputs in the order in which they were added, nothing of libcudadevrt is left
// out for being unused, and host code does not decide which kernels stay.
//
// After Complete the inputs are freed; only the result and the logs stay until Destroy. With LTO
// the inputs stay, too: the client may ask for LTO-IR, which only NVIDIA's library can write.
// Hardly any does, so it is made then: the library does the same link, with the client's own words.
#include "driver/nvjitlink/session.h"

#include <algorithm>

#include <fmt/format.h>

#include "compilers/engine/worker.h"
#include "compilers/lto/optimize.h"
#include "compilers/toolkit/find_tools.h"
#include "driver/nvjitlink/compilers.h"
#include "driver/nvjitlink/jit_messages.h"
#include "elf/target/arch.h"
#include "elf/wire.h"
#include "input/file_kind.h"
#include "inspect/report/nvlink_reports.h"
#include "support/bytes.h"
#include "support/mapped_file.h"

namespace culink::jit {

namespace {

double milliseconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

// Some clients take what NVRTC gives them for text and cut off its last byte, as CuPy 14 does. That
// of a cubin belongs to the last of its headers, and is the highest of a small number: zero.
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

// The code for an input that comes at a wrong time.
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

// An archive that is added twice is linked once, as nvlink does: a second copy of its functions
// would only be in the way of the first.
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
  // Who names variables only wants no kernels.
  if (!options.kernels_used && request.lto.variables_used)
    options.kernels_used.emplace();
  options.ignore_host_info = true;
  options.keep_system_libraries = true;
  const arch::ArchInfo *target = arch::find_arch(request.target);
  // Looking for compilers would take longer than a small link does.
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

// nvlink's words for what is wrong, then that the link has failed; what is odd goes to the other
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
