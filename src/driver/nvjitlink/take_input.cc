// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvJitLink reports what is wrong with an input when it is added, so it is read then, with the same
// code as in any other link, and PTX is compiled once. What is left are device objects, which the
// link reads again; of those that come as such only headers and tables are checked first.
//
// Where nvJitLink says nothing this does: a linked cubin is refused, an object without device code
// gets a line in the info log, and a device object that is called a host object is linked.
#include "driver/nvjitlink/take_input.h"

#include <array>

#include <fmt/format.h>

#include "compilers/toolkit/find_tools.h"
#include "driver/api/input_loader.h"
#include "driver/nvjitlink/compilers.h"
#include "driver/nvjitlink/jit_messages.h"
#include "driver/options/dialects.h"
#include "elf/elf_view.h"
#include "input/file_kind.h"
#include "input/load_object.h"

namespace culink::jit {

namespace {

struct KindRow {
  InputKind kind;
  std::string_view name;
  std::array<FileKind, 4> files; // what it may be
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

// Whether an input is of the kind that it is said to be; else the refusal.
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

// Text of the compiler, which is not a line of ours.
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

// Warnings about objects come again when they are linked, those about what is not linked do not.
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

// The usual input: a device object for the target. The link will read all of it; that it can be
// read and fits is known from its headers and tables, which takes half as long.
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

} // namespace

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

} // namespace culink::jit
