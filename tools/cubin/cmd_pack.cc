// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin pack makes a fatbin of cubins, PTX and other fatbins; 'cubin extract' is the way back.
// cubin prune leaves code out of any file with fatbins in it. What stays is carried over as it is,
// unless it is to be packed otherwise. The output of prune may be its input: it appears whole or
// not at all, and what is read stays as it was until then.
#include "cmd_pack.h"

#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include "base/mapped_file.h"
#include "base/output_file.h"
#include "input/file_kind.h"
#include "messages.h"
#include "pack/fatbin_writer.h"
#include "pack/prune.h"

namespace culink::tools {

namespace {

struct PackArguments {
  std::vector<std::string> files;
  std::string output;
  std::string identifier;
  std::optional<int> level;
  bool raw = false;
};

// The entries of a fatbin that is being made.
class FatbinMaker {
public:
  explicit FatbinMaker(const PackArguments &arguments) : arguments_(arguments) {}

  [[nodiscard]] std::optional<Error> add(const std::string &path, ByteSpan bytes);
  [[nodiscard]] std::vector<u8> finish() const { return write_container(entries_); }

private:
  [[nodiscard]] std::optional<Error> add_entry(const std::string &path, std::vector<u8> bytes);
  [[nodiscard]] std::optional<Error> add_fatbin(const std::string &path, ByteSpan bytes);
  // As fatbinary does: PTX is packed, cubins are not.
  [[nodiscard]] Packing packing_of(FatbinKind kind) const {
    constexpr int kUsualLevel = 3;
    if (arguments_.level || arguments_.raw)
      return {arguments_.level};
    return {kind == FatbinKind::Ptx ? std::optional(kUsualLevel) : std::nullopt};
  }

  const PackArguments &arguments_;
  std::deque<std::vector<u8>> bytes_;
  std::vector<ByteSpan> entries_;
  std::map<std::string, std::string> origins_; // by target
};

// Only one entry for a target would ever be used.
std::optional<Error> FatbinMaker::add_entry(const std::string &path, std::vector<u8> bytes) {
  const std::vector<u8> alone = write_container({bytes});
  const Result<std::vector<FatbinContainer>> made = read_fatbins(alone);
  if (!made)
    return made.error();
  const std::string target = target_name(made->front().entries.front());
  const auto [other, is_new] = origins_.emplace(target, path);
  if (!is_new)
    return Error{"", "", "there is code for " + target + " already, from " + other->second};
  entries_.emplace_back(bytes_.emplace_back(std::move(bytes)));
  return std::nullopt;
}

std::optional<Error> FatbinMaker::add_fatbin(const std::string &path, ByteSpan bytes) {
  const Result<std::vector<FatbinContainer>> containers = read_fatbins(bytes);
  if (!containers)
    return containers.error();
  const bool repacks = arguments_.level || arguments_.raw;
  for (const FatbinContainer &container : *containers)
    for (const FatbinEntry &entry : container.entries) {
      std::optional<std::vector<u8>> repacked =
          repacks ? repack_entry(entry, packing_of(entry.kind)) : std::nullopt;
      if (std::optional<Error> error = add_entry(
              path, repacked ? *repacked : std::vector<u8>(entry.whole.begin(), entry.whole.end())))
        return error;
    }
  return std::nullopt;
}

std::optional<Error> FatbinMaker::add(const std::string &path, ByteSpan bytes) {
  if (file_kind(bytes) == FileKind::Fatbin)
    return add_fatbin(path, bytes);
  Result<FatbinImage> image = describe_image(bytes);
  if (!image)
    return image.error();
  image->identifier = arguments_.identifier;
  return add_entry(path, write_entry(*image, packing_of(image->kind)));
}

int run_pack(const PackArguments &arguments) {
  FatbinMaker maker(arguments);
  for (const std::string &path : arguments.files) {
    if (overwrites(arguments.output, path))
      return 1;
    const Result<MappedFile> file = MappedFile::open(path);
    const std::optional<Error> error =
        file ? maker.add(path, file->bytes()) : std::optional(file.error());
    if (error) {
      print_error(path, *error);
      return 1;
    }
  }
  if (const std::optional<Error> error = write_file(arguments.output, maker.finish())) {
    print_error(arguments.output, *error);
    return 1;
  }
  return 0;
}

struct PruneArguments {
  std::string file;
  std::string output;
  std::vector<std::string> keep, drop;
  std::optional<int> level;
  bool dry_run = false;
};

// A program stays one.
void copy_mode(const std::string &from, const std::string &to) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(from, error);
  if (!error && std::filesystem::is_regular_file(to, error))
    std::filesystem::permissions(to, status.permissions(), error);
}

int run_prune(const PruneArguments &arguments) {
  if (arguments.output.empty() && !arguments.dry_run) {
    print_error("prune", Error{"", "", "-o or --dry-run is required"});
    return kExitUsage;
  }
  if (arguments.keep.empty() && arguments.drop.empty() && !arguments.level) {
    print_error("prune", Error{"", "", "--keep, --drop or --compress is required"});
    return kExitUsage;
  }
  const Result<MappedFile> file = MappedFile::open(arguments.file);
  PruneRules rules{.keep = arguments.keep, .drop = arguments.drop, .packing = {}};
  if (arguments.level)
    rules.packing = Packing{arguments.level};
  const Result<PrunedFile> pruned =
      file ? prune(file->bytes(), rules) : Result<PrunedFile>(file.error());
  if (!pruned) {
    print_error(arguments.file, pruned.error());
    return 1;
  }
  if (arguments.dry_run) {
    TextOut out(STDOUT_FILENO);
    out.put(visible(arguments.file) + ": " + describe_pruning(file->bytes().size(), *pruned));
    return finish_output(out) ? 0 : 1;
  }
  if (const std::optional<Error> error = write_file(arguments.output, pruned->bytes)) {
    print_error(arguments.output, *error);
    return 1;
  }
  copy_mode(arguments.file, arguments.output);
  return 0;
}

} // namespace

void add_pack_command(CLI::App &app, int &exit_code) {
  const auto arguments = std::make_shared<PackArguments>(); // lives in the callback
  CLI::App *command = app.add_subcommand("pack", "Make a fatbin of cubins, PTX and other fatbins");
  command->add_option("FILE", arguments->files, "Cubins, PTX files, fatbins")->required();
  command->add_option("-o,--output", arguments->output, "The fatbin; - is standard output")
      ->required();
  command->add_option("--ident", arguments->identifier, "The name of the source, for each piece");
  CLI::Option *level =
      command->add_option("--compress", arguments->level, "Pack all code with zstd, level 1 to 22")
          ->check(CLI::Range(1, kMostZstdLevel));
  command->add_flag("--raw", arguments->raw, "Pack nothing")->excludes(level);
  command->footer("Without --compress and --raw, PTX is packed, cubins are not, and what is in a\n"
                  "fatbin stays as it is. 'cubin extract' takes a fatbin apart.\n"
                  "Exit status: 0 it was made, 1 not, 2 usage.");
  command->callback([arguments, &exit_code] { exit_code = run_pack(*arguments); });
}

void add_prune_command(CLI::App &app, int &exit_code) {
  const auto arguments = std::make_shared<PruneArguments>(); // lives in the callback
  CLI::App *command = app.add_subcommand(
      "prune", "Leave device code out of a fatbin, object, archive, program or library");
  command->add_option("FILE", arguments->file, "The file")->required();
  command->add_option("-o,--output", arguments->output, "The new file, which may be FILE");
  command->add_option("--keep", arguments->keep, "Keep only this code, such as sm_90,compute_90")
      ->delimiter(',');
  command->add_option("--drop", arguments->drop, "Leave this code out, such as sm_5*,ptx")
      ->delimiter(',');
  command->add_option("--compress", arguments->level, "Pack what stays with zstd, level 1 to 22")
      ->check(CLI::Range(1, kMostZstdLevel));
  command->add_flag("-n,--dry-run", arguments->dry_run, "Only say what would be saved");
  command->footer(
      "Code is named by its target (sm_90, compute_90 for PTX, lto_90; a star stands for\n"
      "any characters), by its form (cubin, ptx, lto), or as 'relocatable': what a program\n"
      "still has of the objects of its device link. --drop=debug empties the debug\n"
      "information of what stays.\n"
      "Exit status: 0 done, 1 not, 2 usage.");
  command->callback([arguments, &exit_code] { exit_code = run_prune(*arguments); });
}

} // namespace culink::tools
