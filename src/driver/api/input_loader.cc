// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads the inputs of a link. All threads open the files if there are many. The search for code, in
// files and libraries, runs in order and touches headers only. All threads then unpack and read the
// code, since objects do not depend on each other yet. Messages are sorted into the order of the
// inputs.
#include "driver/api/input_loader.h"

#include <sys/stat.h>

#include <fmt/format.h>

#include "compilers/lto/optimize.h"
#include "elf/constants.h"
#include "elf/elf_view.h"
#include "input/file_kind.h"
#include "input/load_object.h"
#include "link/nvlink/objects.h"
#include "link/resolve/system_library.h"
#include "support/bytes.h"
#include "support/option_text.h"
#include "support/process.h"
#include "support/text_out.h"

namespace culink {

namespace {

bool is_elf64(ByteSpan bytes) {
  constexpr u8 kStart[] = {0x7f, 'E', 'L', 'F', static_cast<u8>(elf::ElfClass::Elf64)};
  return bytes.size() > sizeof kStart &&
         std::equal(std::begin(kStart), std::end(kStart), bytes.begin());
}

u64 size_when_unpacked(const DeviceCode &code) {
  return code.entry && code.entry->compression != Compression::None ? code.entry->size : 0;
}

// With -Werror nvlink raises only one kind of compiler warning, contradicting options, to an error.
// The compiler then stops before it reads the PTX.
bool raise_redefinitions(CompilerAnswer &compiled) {
  constexpr std::string_view kWarning = "ptxas warning : incompatible redefinition";
  constexpr std::string_view kError = "ptxas error   : incompatible redefinition";
  std::string &text = compiled.text;
  const size_t last = text.rfind(kWarning);
  if (last == std::string::npos)
    return false;
  if (compiled.status == 0) {
    text.resize(std::min(text.find('\n', last), text.size()));
    text += "\nptxas fatal   : Ptx assembly aborted due to errors\n";
  }
  replace_all(text, kWarning, kError);
  return true;
}

} // namespace

bool InputLoader::has_many_files() const {
  constexpr size_t kMany = 256;
  return request_.inputs.size() >= kMany;
}

// Also reads the headers, which takes longer than opening the file: their pages must be loaded.
InputLoader::OpenedFile InputLoader::open_file(const std::string &path) const {
  OpenedFile out{source_.open(path, FileType::Readable)};
  out.whole = out.file && file_kind(out.file->bytes()) == FileKind::DeviceObject &&
              dialect_.input.drops_cut_files && !is_cut(out.file->bytes());
  return out;
}

// The opened file of each input; nothing for inputs in memory.
std::vector<std::optional<InputLoader::OpenedFile>>
InputLoader::open_files(WorkerPool &pool) const {
  constexpr u32 kFilesAtOnce = 16;
  constexpr u32 kThreads = 8; // more contend, because a process maps one file at a time
  std::vector<std::optional<OpenedFile>> out(request_.inputs.size());
  const u32 count = static_cast<u32>(out.size());
  pool.for_ranges(count, std::max(kFilesAtOnce, count / kThreads + 1), [&](u32 begin, u32 end) {
    for (u32 i = begin; i < end && !is_cancelled(); ++i)
      if (!request_.inputs[i].bytes)
        out[i] = open_file(request_.inputs[i].name);
  });
  return out;
}

void InputLoader::add_file(InputCollector &collector, const std::string &path, OpenedFile opened) {
  if (!opened.file) {
    early_.report(DiagId::CannotOpenInput, {path, opened.file.error().text()});
    return;
  }
  keep_from_outputs(path, *opened.file);
  paths_.push_back(path);
  collector.add_file(path, files_.emplace_back(std::move(*opened.file)), opened.whole);
}

void InputLoader::report_changed() const {
  const auto look = [this](const std::string &path, const MappedFile &file) {
    struct stat now {};
    const bool same_file = ::stat(path.c_str(), &now) == 0 && S_ISREG(now.st_mode) &&
                           file.identity() == std::pair<u64, u64>(now.st_dev, now.st_ino);
    if (same_file && static_cast<u64>(now.st_size) != file.bytes().size())
      diag_.report(DiagId::BadInput, {path, "its size changed while it was read"});
  };
  for (size_t i = 0; i < files_.size(); ++i)
    look(paths_[i], files_[i]);
  for (const OpenMember &member : found_.members)
    look(member.path, member.file);
}

void InputLoader::keep_from_outputs(const std::string &path, const MappedFile &file) {
  const auto [device, number] = file.identity();
  for (const auto &[identity, output] : outputs_)
    if (identity.device == device && identity.number == number)
      early_.report(DiagId::OutputOverInput, {output->name, path});
}

void InputLoader::add_libraries(InputCollector &collector) {
  for (const std::string &name : request_.libraries) {
    if (const std::optional<std::string> path =
            find_library(name, request_.library_paths, source_)) {
      add_file(collector, *path, open_file(*path));
      continue;
    }
    const bool host_only =
        is_host_library(name) || has_shared_library(name, request_.library_paths, source_);
    if (!host_only && (!dialect_.input.silent || request_.needs_all_libraries)) {
      std::vector<std::string> notes;
      constexpr size_t kMostFolders = 8; // named
      for (const std::string &folder : request_.library_paths) {
        if (notes.size() == kMostFolders) {
          notes.push_back(
              fmt::format("nor in {} more folders", request_.library_paths.size() - kMostFolders));
          break;
        }
        notes.push_back(fmt::format("no lib{}.a in {}", name, folder));
      }
      early_.report(request_.needs_all_libraries ? DiagId::LibraryMissing : DiagId::LibraryNotFound,
                    {name}, std::move(notes),
                    name == "ineinfo" ? "-lineinfo is an option of nvcc and ptxas, for compiling"
                                      : "");
    }
  }
}

void InputLoader::collect(WorkerPool &pool) {
  for (const PlannedOutput &output : request_.outputs)
    if (std::optional<FileIdentity> file = identify_file(output.path); file && file->name.empty())
      outputs_.emplace_back(std::move(*file), &output);
  std::vector<std::optional<OpenedFile>> files = open_files(pool);
  InputCollector collector(
      target_, dialect_,
      {.warn_about_targets = !request_.options.suppress_arch_warning,
       .registers_modules = request_.registers_modules,
       .virtual_target = request_.target.starts_with("compute_") ? request_.target : "",
       .optimises = request_.lto.enabled,
       .files = &source_},
      early_);
  collector.expect(files.size());
  paths_.reserve(files.size());
  for (size_t i = 0; i < files.size() && !is_cancelled(); ++i) {
    const LinkInput &input = request_.inputs[i];
    if (input.bytes)
      collector.add(input.name, *input.bytes);
    else if (files[i])
      add_file(collector, input.name, std::move(*files[i]));
  }
  add_libraries(collector);
  found_ = collector.take();
  for (const OpenMember &member : found_.members)
    keep_from_outputs(member.path, member.file);
}

u64 InputLoader::code_size() const {
  u64 size = 0;
  for (const DeviceCode &code : found_.code)
    size += code.entry ? code.entry->size : code.bytes.size();
  return size;
}

u64 InputLoader::unpacked_size() const {
  u64 size = 0;
  for (const Slot &slot : slots_)
    size += slot.unpacked.size();
  return size;
}

// nvlink ignores code that LZ4 cannot unpack. Before 13.1 it stops at code that zstd cannot unpack.
// The number of its messages depends on whether zstd reports an error or only the size is wrong.
void InputLoader::report_damage(const DeviceCode &code, const Error &error,
                                Diagnostics &diag) const {
  constexpr u64 kNoMemory = u64{1} << 40;
  const FatbinEntry &entry = *code.entry;
  const bool tried = entry.compression != Compression::Unknown || !entry.has(FatbinFlags::kUnused);
  const bool dropped = dialect_.input.drops_unreadable
                           ? entry.size < kNoMemory
                           : tried && entry.compression != Compression::Zstd;
  if (dialect_.input.drops_cut_files && dropped) {
    diag.report(DiagId::NoCodeForTarget,
                {code.name, std::string(target_.name), error.text(), "damaged"});
    return;
  }
  const bool by_zstd = entry.compression == Compression::Zstd && error.field == "payload";
  diag.report(DiagId::BadPayload, {code.name, error.text(),
                                   entry.size >= kNoMemory ? "memory"
                                   : by_zstd               ? "twice"
                                                           : "once"});
}

// Limits memory: zstd can pack a megabyte into 32 bytes. Real code shrinks to a tenth at most.
size_t InputLoader::count_within_budget() const {
  constexpr u64 kForNothing = u64{1} << 30, kPerByte = 64;
  u64 budget = kForNothing;
  for (const DeviceCode &code : found_.code)
    budget += code.entry ? code.entry->payload.size() * kPerByte : 0;
  if (request_.memory_limit != 0)
    budget = std::min(budget, request_.memory_limit);
  size_t count = 0;
  for (; count < found_.code.size(); ++count) {
    const u64 size = size_when_unpacked(found_.code[count]);
    if (size > budget)
      break;
    budget -= size;
  }
  return count;
}

// Nothing is unpacked if the sum is too large. The message names the first piece over the budget.
void InputLoader::refuse_to_unpack(const DeviceCode &code, Diagnostics &diag) const {
  u64 size = 0;
  for (const DeviceCode &one : found_.code) {
    size += std::min(size_when_unpacked(one), ~size); // the file may record any size
    if (&one == &code)
      break;
  }
  if (request_.memory_limit != 0 && size > request_.memory_limit)
    diag.report(DiagId::OverMemoryLimit,
                {code.name, fmt::format("with it, code unpacks to {} bytes", size),
                 std::to_string(request_.memory_limit)});
  else
    report_damage(code,
                  Error{"", "unpacked size",
                        "with this one, the files of the link unpack to more than a gigabyte, and "
                        "to more than 64 times their size"},
                  diag);
}

std::optional<ByteSpan> InputLoader::unpack_code(const DeviceCode &code, Slot &slot) const {
  ByteSpan bytes = code.bytes;
  if (code.entry && code.entry->compression != Compression::None) {
    if (within_budget_ != found_.code.size()) {
      if (&code - found_.code.data() == static_cast<i64>(within_budget_))
        refuse_to_unpack(code, slot.diag);
      return std::nullopt;
    }
    Result<std::vector<u8>> unpacked = unpack(*code.entry);
    if (!unpacked) {
      report_damage(code, unpacked.error(), slot.diag);
      return std::nullopt;
    }
    slot.unpacked = std::move(*unpacked);
    bytes = slot.unpacked;
  }
  if (code.form == DeviceCode::Form::Cubin) {
    if (code.entry && !is_elf64(bytes)) {
      slot.diag.report(DiagId::NotAnObject,
                       {code.name, "the chosen member is not a 64-bit ELF file"});
      return std::nullopt;
    }
    return bytes;
  }
  while (!bytes.empty() && bytes.back() == 0) // padding in a fatbin
    bytes = bytes.first(bytes.size() - 1);
  std::optional<std::vector<u8>> cubin = compile(compiler_for(code), code.name, bytes, slot.diag);
  if (!cubin)
    return std::nullopt;
  slot.unpacked = std::move(*cubin);
  return slot.unpacked;
}

std::vector<std::string> InputLoader::ptx_names() const {
  std::vector<std::string> out;
  for (const DeviceCode &code : found_.code)
    if (code.form == DeviceCode::Form::Ptx && !code.optimised)
      out.push_back(code.name);
  return out;
}

PtxCompiler InputLoader::compiler_for(const DeviceCode &code) const {
  PtxCompiler out{.path = request_.ptxas, .options = request_.ptxas_options};
  const bool has_engine = request_.finalizer.has_library();
  out.library = has_engine ? request_.finalizer.library : request_.lto.library;
  out.worker = has_engine ? request_.finalizer.worker : request_.lto.worker;
  out.cache = cache_;
  out.cancelled = request_.progress ? &request_.progress->cancelled : nullptr;
  if (code.entry && request_.heeds_recorded_options)
    out.recorded = option_words(code.entry->options);
  if (code.split_compile) { // in nvlink it replaces the option of the link
    if (request_.lto.split_compile)
      std::erase(out.options, fmt::format("-split-compile={}", *request_.lto.split_compile));
    if (*code.split_compile != 1)
      out.options.push_back(fmt::format("-split-compile={}", *code.split_compile));
  }
  if (code.optimised)
    out.options.insert(out.options.end(), optimised_->ptxas_options.begin(),
                       optimised_->ptxas_options.end());
  return out;
}

std::optional<std::vector<u8>> InputLoader::compile(const PtxCompiler &compiler,
                                                    const std::string &name, ByteSpan text,
                                                    Diagnostics &diag) const {
  if (const auto word = std::ranges::find_if(compiler.recorded, names_file);
      word != compiler.recorded.end()) {
    diag.report(DiagId::BadInput, {name, "its fatbin records the compiler option '" + *word +
                                             "', which names a file"});
    return std::nullopt;
  }
  Result<CompilerAnswer> compiled =
      ptxas_.wait_for([&] { return compile_ptx(compiler, name, target_.name, text); });
  if (!compiled) {
    diag.report(DiagId::BadInput, {name, compiled.error().text()});
    return std::nullopt;
  }
  std::string why;
  if (compiled->status != 0)
    why = compiler.name() + " " + describe_exit(compiled->status);
  if (request_.options.warnings_are_errors && raise_redefinitions(*compiled))
    why = "of two values for an option of the compiler the last one would count";
  if (!why.empty()) {
    if (!compiler.recorded.empty())
      why +=
          fmt::format("; its fatbin records the options '{}'", fmt::join(compiler.recorded, " "));
    diag.report(DiagId::PtxRefused, {name, why, compiled->text}, remark_lines(compiled->text),
                hint_for_newer_ptx(compiled->text, compiler.name()));
    return std::nullopt;
  }
  if (!compiled->text.empty())
    diag.report(DiagId::PtxRemarks, {name, "", compiled->text}, remark_lines(compiled->text));
  return std::move(compiled->image);
}

// Runs after the messages of collect(). The compiler is not called if an input has an error.
void InputLoader::optimize() {
  if (!early_.failed())
    optimised_ = optimizer_.wait_for(
        [&] { return optimise_inputs(request_, target_, dialect_, found_, early_, cache_); });
  if (optimised_ && found_.host)
    found_.host->known_early = true;
  std::vector<DeviceCode> code;
  std::optional<u32> split_compile;
  for (size_t i = 0; i < found_.code.size(); ++i) {
    DeviceCode &one = found_.code[i];
    if (one.form == DeviceCode::Form::Lto && one.entry)
      if (const ModuleOptions recorded = parse_module_options(one.entry->options);
          recorded.split_compile)
        split_compile = recorded.split_compile;
    one.split_compile = split_compile;
    if (optimised_ && !optimised_->whole && i == optimised_->place)
      for (const std::string &part : optimised_->parts)
        code.push_back({.name = optimised_->name,
                        .form = DeviceCode::Form::Ptx,
                        .bytes = as_bytes(part),
                        .discarded = optimised_->lost,
                        .optimised = true,
                        .split_compile = optimised_->split_compile,
                        .messages_before = one.messages_before});
    if (one.form != DeviceCode::Form::Lto)
      code.push_back(std::move(one));
  }
  found_.code = std::move(code);
}

std::optional<std::vector<u8>> InputLoader::compile_whole() {
  report();
  if (!optimised_->image.empty())
    return std::vector<u8>(optimised_->image.begin(), optimised_->image.end());
  PtxCompiler compiler =
      compiler_for({.optimised = true, .split_compile = optimised_->split_compile});
  compiler.whole_program = true;
  return compile(compiler, optimised_->name, as_bytes(optimised_->parts.front()), diag_);
}

void InputLoader::say_until(size_t end, u32 step) {
  for (; said_ < end; ++said_) {
    early_.all()[said_].step = step;
    diag_.add(std::move(early_.all()[said_]));
  }
}

// nvlink ignores an image in a fatbin or host object like an image in a file of its own (Q066).
void InputLoader::skip_linked(const DeviceCode &code, std::string_view why) {
  found_.skipped.push_back({code.name, std::string(why), code.bytes, code.entry, true});
  if (!dialect_.input.silent)
    diag_.report(DiagId::NothingToLink, {code.name, std::string(why)});
}

// An error, because an output without any of the given code is useless.
void InputLoader::report_nothing_to_link() {
  const auto found = std::ranges::find_if(found_.skipped, &SkippedCode::by_mistake);
  if (found == found_.skipped.end())
    return;
  diag_.report(DiagId::OnlyLinkedCode, {found->name, found->why})
      .advise(found->why == kIsSource ? "compile it first, with nvcc -dc"
              : found->why == kWholeProgram
                  ? "compile it with -rdc=true or -dc"
                  : "link the objects that it was made of; -r makes files "
                    "that can be linked again");
}

// The system can reclaim pages of files at any time. Releasing them here and reading them again
// costs a tenth of the link time, which only pays off for links that would fill most of the memory.
void InputLoader::drop_pages() const {
  constexpr u64 kWorthDropping = u64{512} << 20;
  if (code_size() < kWorthDropping)
    return;
  for (const MappedFile &file : files_)
    file.drop_pages();
}

std::vector<InputObject> InputLoader::load(WorkerPool &pool) {
  slots_ = std::vector<Slot>(found_.code.size());
  within_budget_ = count_within_budget();
  if (request_.progress)
    request_.progress->total = static_cast<u32>(slots_.size());
  pool.for_each(static_cast<u32>(slots_.size()), [&](u32 i) {
    if (is_cancelled())
      return;
    const DeviceCode &code = found_.code[i];
    Slot &slot = slots_[i];
    slot.bytes = unpack_code(code, slot);
    if (slot.bytes && file_kind(*slot.bytes) == FileKind::DeviceImage)
      slot.not_relocatable = why_not_relocatable(*slot.bytes);
    if (code.discarded || !slot.not_relocatable.empty())
      slot.bytes.reset();
    if (slot.bytes)
      slot.object = load_object(code.name, *slot.bytes, target_, dialect_, slot.diag);
    if (request_.progress) {
      ++request_.progress->done;
      request_.progress->tell();
    }
    if (slot.object) {
      slot.object->system = code.system;
      slot.object->archive_length = code.archive_length;
      slot.object->step = 2 * i + 1;
    }
  });
  drop_pages(); // most of a file is code, which is not read again before it is copied to the output
  std::vector<InputObject> objects;
  objects.reserve(slots_.size());
  code_.reserve(slots_.size());
  for (u32 i = 0; i < slots_.size(); ++i) {
    Slot &slot = slots_[i];
    // Messages before a piece of code have even steps; messages about it have the next odd step.
    say_until(found_.code[i].messages_before, 2 * i);
    if (!slot.not_relocatable.empty())
      skip_linked(found_.code[i], slot.not_relocatable);
    for (Diagnostic &one : slot.diag.all())
      one.step = 2 * i + 1;
    if (slot.bytes)
      code_.push_back(LinkInput::memory(found_.code[i].name, *slot.bytes));
    if (!found_.code[i].optimised)
      diag_.append(std::move(slot.diag));
    if (slot.object)
      objects.push_back(std::move(*slot.object));
    slot.object.reset();
  }
  report();
  for (u32 i = 0; i < slots_.size(); ++i) // compiled after all inputs were read
    if (found_.code[i].optimised)
      diag_.append(std::move(slots_[i].diag));
  report_newer_toolkits(objects, dialect_, diag_);
  report_unfamiliar(objects, diag_);
  report_partial_programs(objects, diag_);
  if (objects.empty() && !dialect_.input.silent && !diag_.failed())
    report_nothing_to_link();
  return objects;
}

std::vector<InputObject> InputLoader::load_needed(WorkerPool &pool) {
  std::vector<InputObject> objects = load(pool);
  if (request_.options.keep_system_libraries)
    return objects;
  const std::vector<bool> needed = nvlink::find_needed_objects(objects, dialect_, diag_);
  return drop_unneeded(std::move(objects), needed);
}

LinkOptions InputLoader::options() const {
  LinkOptions out = request_.options;
  if (!out.ignore_host_info && !out.host_references)
    out.host_references = found_.host;
  return out;
}

} // namespace culink
