// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resolves arguments to images. The unpacked code of a library may be many times as large as the
// file, which may be large itself. So pieces are unpacked in batches of limited size, and the
// file's pages are released after each batch.
//
// What may surprise: a file name may contain a colon, so FILE:MEMBER is split only if there is no
// file of that name.
#include "input/device_file.h"

#include <algorithm>
#include <optional>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "culink/host_references.h"
#include "input/file_kind.h"
#include "link/model/name_pattern.h"

namespace culink {

namespace {

constexpr u64 kBatchBytes = u64{32} << 20;
constexpr u32 kBatchPieces = 4096;

// Returns the targets of the pieces, each once: "sm_80, sm_90".
std::string list_of(const std::vector<const FoundCode *> &pieces,
                    const std::function<std::string(const FoundCode &)> &text_of) {
  std::vector<std::string> seen;
  for (const FoundCode *piece : pieces)
    if (std::string text = text_of(*piece); std::ranges::find(seen, text) == seen.end())
      seen.push_back(std::move(text));
  constexpr size_t kMost = 12;
  std::string out;
  for (size_t i = 0; i < std::min(seen.size(), kMost); ++i)
    out += (i == 0 ? "" : ", ") + (seen[i].empty() ? "unknown" : seen[i]);
  return seen.size() > kMost ? out + ", ..." : out;
}

Error lacks(std::string what) {
  return {"", "", std::move(what)};
}

// A piece of a batch, from reading to the call of the function that `look` returned.
struct Loaded {
  std::string name;
  std::vector<u8> unpacked;
  std::optional<elf::ElfView> view;
  std::optional<Error> error;
  std::function<void()> finish;
};

void load(const DeviceFile &file, const FoundCode &code, const ImageVisitor &visitor, Loaded &out) {
  ByteSpan bytes = code.bytes;
  if (code.form == FoundCode::Form::Cubin) {
    if (code.is_packed()) {
      Result<std::vector<u8>> unpacked = unpack(code);
      if (!unpacked) {
        out.error = unpacked.error();
        return;
      }
      out.unpacked = std::move(*unpacked);
      bytes = out.unpacked;
    }
    Result<elf::ElfView> view = elf::ElfView::open_tolerant(bytes);
    if (!view) {
      out.error = view.error();
      return;
    }
    out.view = std::move(*view);
  }
  out.finish = visitor.look({file, out.name, code, bytes, out.view ? &*out.view : nullptr});
}

size_t end_of_batch(std::span<const FoundCode *const> pieces, size_t begin) {
  u64 bytes = 0;
  size_t end = begin;
  while (end < pieces.size() && end - begin < kBatchPieces &&
         (end == begin || bytes + pieces[end]->size() <= kBatchBytes))
    bytes += pieces[end++]->size();
  return end;
}

} // namespace

Result<DeviceFile> DeviceFile::open(const std::string &argument) {
  DeviceFile out;
  out.path_ = argument == "-" ? "/dev/stdin" : argument;
  while (::access(out.path_.c_str(), F_OK) != 0) {
    const size_t colon = out.path_.rfind(':');
    if (colon == std::string::npos || colon == 0) {
      out.path_ = argument; // for the message if the file cannot be opened
      out.member_.clear();
      break;
    }
    out.member_ = argument.substr(colon + 1);
    out.path_.resize(colon);
  }
  Result<MappedFile> file = MappedFile::open(out.path_);
  if (!file)
    return file.error();
  out.name_ = argument == "-" ? "<stdin>" : argument;
  out.file_ = std::make_unique<MappedFile>(std::move(*file));
  out.found_ = find_code(out.path_, out.bytes(), [&](ByteSpan bytes) { out.release(bytes); });
  return out;
}

Result<std::vector<const FoundCode *>> DeviceFile::choose(const CodeSelection &selection) const {
  std::vector<const FoundCode *> called, out;
  for (const FoundCode &code : found_.code)
    if (member_.empty() || code.is_called(member_))
      called.push_back(&code);
  for (const FoundCode *code : called)
    if (selection.takes_target(code->target))
      out.push_back(code);
  if (!out.empty())
    return out;
  if (!called.empty())
    return lacks(fmt::format("has no code for {}, only for {}", fmt::join(selection.targets, ", "),
                             list_of(called, [](const FoundCode &code) { return code.target; })));
  if (found_.code.empty() && !found_.problems.empty())
    return found_.problems.front();
  if (!found_.code.empty())
    return lacks("no such member; 'cubin list " + path_ + "' has them");
  return lacks("has no device code; it is " + std::string(describe_file_kind(found_.kind)));
}

Result<std::vector<const FoundCode *>>
DeviceFile::choose_images(const CodeSelection &selection) const {
  Result<std::vector<const FoundCode *>> pieces = choose(selection);
  if (!pieces)
    return pieces;
  const std::string forms = list_of(*pieces, [](const FoundCode &code) {
    return std::string(code.form_name()) + " for " + code.target;
  });
  std::erase_if(*pieces,
                [](const FoundCode *code) { return code->form != FoundCode::Form::Cubin; });
  if (pieces->empty())
    return lacks("has no machine code, only " + forms);
  return pieces;
}

Result<DeviceFile::Shown> DeviceFile::choose_shown(const CodeSelection &selection) const {
  Result<std::vector<const FoundCode *>> images = choose_images(selection);
  if (!images)
    return images.error();
  Shown out{std::move(*images), {}};
  if (!selection.leftovers)
    out.leftovers = take_leftovers(out.images);
  return out;
}

Result<const FoundCode *> DeviceFile::choose_one(const CodeSelection &selection) const {
  const Result<std::vector<const FoundCode *>> images = choose_images(selection);
  if (!images)
    return images.error();
  std::vector<const FoundCode *> linked;
  for (const FoundCode *code : *images)
    if (!code->linkable)
      linked.push_back(code);
  const std::vector<const FoundCode *> &meant = linked.empty() ? *images : linked;
  if (meant.size() == 1)
    return meant.front();
  return lacks("has several images, of which one is to be named as FILE:NAME: " +
               list_of(meant, [](const FoundCode &code) { return code.name(); }));
}

std::string DeviceFile::name_of(const FoundCode &code) const {
  const bool whole = code.bytes.size() == bytes().size();
  if (whole ||
      (!member_.empty() && (member_ == code.name() || member_ == code.member + ":" + code.name())))
    return name_;
  return (name_ == "<stdin>" ? name_ : path_) + ":" +
         (code.member.empty() ? "" : code.member + ":") + code.name();
}

void DeviceFile::release(ByteSpan bytes) const {
  const auto drop_in = [&](const MappedFile &file) {
    const ByteSpan all = file.bytes();
    if (bytes.data() < all.data() || bytes.data() + bytes.size() > all.data() + all.size())
      return;
    const auto begin = static_cast<u64>(bytes.data() - all.data());
    file.drop_pages(begin, begin + bytes.size());
  };
  drop_in(*file_);
  for (const MappedFile &file : found_.files)
    drop_in(file);
}

std::vector<const FoundCode *> take_leftovers(std::vector<const FoundCode *> &pieces) {
  const auto is_leftover = [](const FoundCode *code) { return code->leftover; };
  std::vector<const FoundCode *> out;
  if (std::ranges::all_of(pieces, is_leftover)) // the user selected them by name
    return out;
  std::ranges::copy_if(pieces, std::back_inserter(out), is_leftover);
  std::erase_if(pieces, is_leftover);
  return out;
}

bool walk_code(const DeviceFile &file, std::span<const FoundCode *const> pieces, WorkerPool &pool,
               const ImageVisitor &visitor) {
  bool clean = true;
  for (size_t begin = 0; begin < pieces.size();) {
    const size_t end = end_of_batch(pieces, begin);
    std::vector<Loaded> batch(end - begin);
    pool.for_each(static_cast<u32>(batch.size()), [&](u32 i) {
      batch[i].name = file.name_of(*pieces[begin + i]);
      load(file, *pieces[begin + i], visitor, batch[i]);
    });
    for (size_t i = 0; i < batch.size(); ++i) {
      if (batch[i].error) {
        visitor.report({batch[i].name, *batch[i].error, false, pieces[begin + i]});
        clean = false;
      } else if (batch[i].finish) {
        batch[i].finish();
      }
      file.release(pieces[begin + i]->bytes);
    }
    begin = end;
  }
  return clean;
}

bool walk_images(const std::string &argument, const CodeSelection &selection, WorkerPool &pool,
                 const ImageVisitor &visitor) {
  const Result<DeviceFile> file = DeviceFile::open(argument);
  if (!file) {
    visitor.report({argument, file.error()});
    return false;
  }
  const Result<DeviceFile::Shown> shown = file->choose_shown(selection);
  if (!shown) {
    visitor.report({file->name(), shown.error()});
    return false;
  }
  for (const Error &problem : file->found().problems)
    visitor.report({file->name(), problem, true});
  bool seen = false;
  ImageVisitor chosen = visitor;
  chosen.look = [&](const Image &image) -> std::function<void()> {
    if (!selection.takes_image(*image.view))
      return {};
    return [&seen, finish = visitor.look(image)] {
      seen = true;
      if (finish)
        finish();
    };
  };
  const bool clean = walk_code(*file, shown->images, pool, chosen);
  if (!seen && clean)
    visitor.report({file->name(), lacks(fmt::format("has no kernel like {}",
                                                    fmt::join(selection.kernels, ", ")))});
  if (visitor.left_out && !shown->leftovers.empty())
    visitor.left_out(file->name(), shown->leftovers.size());
  return clean && seen && file->found().problems.empty();
}

// ---- Selection by a user
//
// Only the star is special in a pattern, because names of C++ contain brackets.

bool CodeSelection::takes_target(std::string_view target) const {
  return targets.empty() || std::ranges::any_of(targets, [&](const std::string &pattern) {
           return matches_pattern(target, pattern);
         });
}

bool CodeSelection::takes_kernel(std::string_view name) const {
  return kernels.empty() || std::ranges::any_of(kernels, [&](const std::string &pattern) {
           return is_meant(name, pattern);
         });
}

bool CodeSelection::takes_image(const elf::ElfView &image) const {
  if (kernels.empty())
    return true;
  const elf::SymbolTable symbols = image.symbols();
  for (u32 i = 0; i < symbols.size(); ++i) {
    const elf::Symbol symbol = symbols[i];
    if (symbol.type() == elf::SymbolType::Function && symbol.in_section() &&
        (symbol.other & elf::kOtherKernel) != 0 && takes_kernel(symbol.name))
      return true;
  }
  return false;
}

} // namespace culink
