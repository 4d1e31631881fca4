// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX is compiled by the installed ptxas as a child process. Text and result are files in memory,
// so that no file remains on disk in any case. ptxas records its options in the object. nvlink's
// order is "-arch -m -c", with the options that nvcc has recorded with the text before -c, and the
// options of the link after it (Q178). With -g, ptxas also records the names of the files: ours are
// numbers that differ from run to run, and nvlink, which compiles in its own process, only has
// "elf.o". So that note is rewritten. The cache keeps earlier results.
//
// libnvJitLink contains the same compiler. It links the code that it has compiled, so it makes an
// object by a relocatable link of a single text.
#include "input/compile_ptx.h"

#include <algorithm>
#include <chrono>
#include <string>

#include <fmt/format.h>

#include "compilers/engine/worker.h"
#include "elf/elf_view.h"
#include "elf/records/nv_notes.h"
#include "elf/replace_section.h"
#include "elf/target/elf_flags.h"
#include "support/bytes.h"
#include "support/process.h"
#include "support/text_out.h"

namespace culink {

namespace {

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// Returns the notes of a section without the names of files.
std::vector<u8> without_names(ByteSpan section, std::string_view source, std::string_view object) {
  std::vector<u8> out;
  for (elf::Note note : elf::decode_notes(section).notes) {
    std::vector<u8> desc;
    std::string options;
    if (Result<elf::ToolkitInfo> info = elf::decode_toolkit_info(note.desc);
        info && note.type == elf::kNoteToolkitInfo && info->object == object) {
      options = info->options;
      replace_all(options, fmt::format("-o {} ", object), "");
      if (options.starts_with(fmt::format("{} ", source)))
        options.erase(0, source.size() + 1);
      info->object = "elf.o";
      info->options = options;
      desc = elf::encode_toolkit_info(*info);
      note.desc = desc;
    }
    elf::append_note(out, note);
  }
  return out;
}

// Returns "13.4" for PTX version 9.4: each release has its own version, except two releases of CUDA
// 12.
std::string release_of_ptx(std::string_view version) {
  if (version.size() != 3 || version[1] != '.')
    return "?";
  const int major = version[0] - '0', minor = version[2] - '0';
  return fmt::format("{}.{}", major + 4, minor + (major == 8 && minor > 5 ? 1 : 0));
}

// Returns the text between a word and the next of the characters `ends`.
std::string_view text_after(std::string_view text, std::string_view word, std::string_view ends) {
  const size_t at = text.find(word);
  if (at == std::string_view::npos)
    return "";
  text.remove_prefix(at + word.size());
  return text.substr(0, text.find_first_of(ends));
}

} // namespace

std::string hint_for_newer_ptx(std::string_view remarks, std::string_view compiler) {
  const std::string_view version = text_after(remarks, "Unsupported .version ", "; \n");
  const std::string_view known = text_after(remarks, "current version is '", "'\n");
  if (version.empty() || known.empty())
    return "";
  return fmt::format("PTX {} is of CUDA {}, and {} of CUDA {}: name a newer toolkit with --cuda or "
                     "CUDA_HOME",
                     version, release_of_ptx(version), compiler, release_of_ptx(known));
}

std::vector<std::string> remark_lines(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (end != 0)
      out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

void remove_file_names(std::vector<u8> &cubin, std::string_view source, std::string_view object) {
  const Result<elf::ElfView> view = elf::ElfView::open(cubin);
  const elf::Section *section = view ? view->find(".note.nv.tkinfo") : nullptr;
  if (!section)
    return;
  const u32 index = section->index;
  const std::vector<u8> notes = without_names(section->data, last_part(source), last_part(object));
  if (!std::ranges::equal(notes, section->data) && !elf::replace_section(cubin, index, notes))
    elf::append_section(cubin, index, notes);
}

namespace {

// Replaces the name of the text in cached messages, which are valid for texts of any name.
constexpr std::string_view kNamePlace = "\x01";

std::vector<std::string> library_words(const PtxCompiler &compiler, std::string_view target) {
  std::vector<std::string> words = {fmt::format("-arch={}", target)};
  if (!compiler.whole_program)
    words.emplace_back("-r");
  for (const std::vector<std::string> *options : {&compiler.recorded, &compiler.options})
    for (const std::string &option : *options)
      words.push_back("-Xptxas=" + option);
  return words;
}

std::vector<std::string> compiler_words(const PtxCompiler &compiler, std::string_view target) {
  if (compiler.path.empty())
    return library_words(compiler, target);
  std::vector<std::string> words = {"-arch", std::string(target), "-m", "64"};
  words.insert(words.end(), compiler.recorded.begin(), compiler.recorded.end());
  if (!compiler.whole_program)
    words.emplace_back("-c");
  words.insert(words.end(), compiler.options.begin(), compiler.options.end());
  return words;
}

// Returns a limit that is far above any compiler's time for that many bytes. Only a hanging
// compiler exceeds it.
std::chrono::seconds time_limit(u64 bytes) {
  constexpr u64 kBytesPerSecond = 256;
  return std::chrono::seconds(3600 + bytes / kBytesPerSecond);
}

Result<CompilerAnswer> ask_library(const PtxCompiler &compiler,
                                   const std::vector<std::string> &options, ByteSpan text) {
  std::vector<u8> ended(text.begin(), text.end());
  ended.push_back(0); // the library reads up to a NUL
  const EngineJob job{options, {{EngineInputKind::Ptx, std::string(kNamePlace), ended}}};
  Result<WorkerAnswer> answer = run_in_worker(compiler.worker, compiler.library, job,
                                              time_limit(text.size()), compiler.cancelled);
  if (!answer)
    return Error{"", compiler.library, answer.error().text()};
  return CompilerAnswer{std::move(answer->image), std::move(answer->text),
                        answer->outcome == WorkerOutcome::Linked ? 0 : 1};
}

Result<CompilerAnswer> run_compiler(const PtxCompiler &compiler,
                                    const std::vector<std::string> &options, ByteSpan text) {
  const Result<MemoryFile> source = MemoryFile::create(text);
  const Result<MemoryFile> object = MemoryFile::create({});
  if (!source || !object)
    return source ? object.error() : source.error();
  std::vector<std::string> words = {compiler.path};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {source->path(), "-o", object->path()});
  const std::chrono::seconds limit = time_limit(text.size());
  Result<ProcessResult> run = run_process(words, {&*source, &*object}, limit, compiler.cancelled);
  if (!run)
    return Error{"", compiler.path, run.error().text()};
  if (run->late && !(compiler.cancelled && *compiler.cancelled))
    return Error{"", compiler.path,
                 "did not finish within " + std::to_string(limit.count()) + " seconds"};
  replace_all(run->output, source->path(), kNamePlace);
  Result<std::vector<u8>> cubin = object->read();
  if (!cubin)
    return cubin.error();
  if (run->status == kLostStatus)
    run->status = cubin->empty() ? 1 : 0;
  if (run->status != 0)
    return CompilerAnswer{{}, std::move(run->output), run->status};
  remove_file_names(*cubin, source->path(), object->path());
  return CompilerAnswer{std::move(*cubin), std::move(run->output), 0};
}

// Returns the answer of the cache, or else of the compiler.
Result<CompilerAnswer> find_or_compile(const PtxCompiler &compiler, std::string_view target,
                                       ByteSpan text) {
  const std::vector<std::string> words = compiler_words(compiler, target);
  const auto is_object = [target](const CompilerAnswer &answer) {
    return arch::is_code_for(target, answer.image);
  };
  return answer_once(compiler.cache, {"ptx", {compiler.name()}, words, {text}}, is_object, [&] {
    return compiler.path.empty() ? ask_library(compiler, words, text)
                                 : run_compiler(compiler, words, text);
  });
}

} // namespace

Result<CompilerAnswer> compile_ptx(const PtxCompiler &compiler, std::string_view name,
                                   std::string_view target, ByteSpan text) {
  if (compiler.name().empty())
    return Error{"", "", "is PTX, but no ptxas was found to compile it (--ptxas names one)"};
  Result<CompilerAnswer> out = find_or_compile(compiler, target, text);
  const bool too_new = out && !hint_for_newer_ptx(out->text, "").empty();
  if ((!out || too_new) && !compiler.path.empty() && !compiler.library.empty() &&
      !(compiler.cancelled && *compiler.cancelled)) {
    PtxCompiler other = compiler;
    other.path.clear();
    if (Result<CompilerAnswer> from_library = find_or_compile(other, target, text);
        from_library && (!out || from_library->status == 0))
      out = std::move(from_library);
  }
  if (out)
    replace_all(out->text, kNamePlace, name);
  return out;
}

// ---- Words from files
//
// Some options make compilers write files: ptxas --compiler-stats-file, -o, and possibly options of
// later releases. Options from untrusted files are therefore checked against a list: the options of
// ptxas 11.8 to 13.4 and of libNVVM that affect the generated code.

namespace {

// Each option is between blanks.
constexpr std::string_view kOptions =
    " O Ofast-compile Ofc Werror allow-expensive-optimizations annotate"
    " compiler-annotations def-load-cache def-store-cache device-debug"
    " device-function-maxrregcount device-stack-protector disable-optimizer-constants"
    " disable-optimizer-consts disable-warnings dlcm dont-merge-basicblocks dscm ewp"
    " extensible-whole-program flcm fma fmad force-load-cache force-store-cache fscm ftz"
    " func-maxrregcount g generate-line-info legacy-bar-warp-wide-behavior lineinfo"
    " make-errors-visible-at-exit maxntid maxrregcount minnctapersm no-bb-merge opt"
    " opt-fp-atomics opt-level optimize-float-atomics override-directive-values pic"
    " position-independent-code prec-div prec-sqrt preserve-relocs regUsageLevel"
    " register-usage-level ret-end return-at-end sp-bounds-check split-compile"
    " suppress-debug-info suppress-stack-size-warning v verbose w warn-double-usage"
    " warn-lmem-usage warn-on-double-precision-use warn-on-local-memory-usage"
    " warn-on-spills warn-spills warning-as-error ";

// True for letters and digits: the text cannot lead to another folder or begin another word.
bool is_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  });
}

// Returns the name of an option without its dashes, between blanks; empty if the word is not an
// option.
std::string option_in(std::string_view word) {
  const size_t dashes = word.starts_with("--") ? 2 : word.starts_with("-") ? 1 : 0;
  const std::string_view name = word.substr(dashes, word.find('=') - dashes);
  const bool is_name = dashes != 0 && !name.empty() && name.find(' ') == std::string_view::npos;
  return is_name ? " " + std::string(name) + " " : "";
}

} // namespace

bool concerns_code_alone(std::string_view word) {
  const std::string option = option_in(word);
  if (option.empty())
    return is_value(word);
  if (word.size() == 3 && word.starts_with("-O")) // -O3
    return is_value(word.substr(1));
  const size_t equals = std::min(word.find('='), word.size() - 1);
  return kOptions.find(option) != std::string_view::npos && is_value(word.substr(equals + 1));
}

bool names_file(std::string_view word) {
  constexpr std::string_view kOfFiles =
      " apply-controls compiler-stats-file ias input-as-string jobserver o optf options-file"
      " output-file ";
  const std::string option = option_in(word);
  return !option.empty() && kOfFiles.find(option) != std::string_view::npos;
}

} // namespace culink
