// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin prune leaves code out of any file with fatbins in it. What stays is carried over as it is,
// unless it is to be packed otherwise. The output may be the input: it appears whole or not at all,
// and what is read stays as it was until then.
#include "cmd_prune.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include "messages.h"
#include "pack/prune.h"
#include "support/mapped_file.h"
#include "support/output_file.h"

namespace culink::tools {

namespace {

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
  const Result<PrunedPieces> pruned =
      file ? prune_in_place(file->bytes(), rules) : Result<PrunedPieces>(file.error());
  if (!pruned) {
    print_error(arguments.file, pruned.error());
    return 1;
  }
  if (arguments.dry_run) {
    TextOut out(STDOUT_FILENO);
    out.put(visible(arguments.file) + ": " + describe_pruning(file->bytes().size(), *pruned));
    return finish_output(out) ? 0 : 1;
  }
  OutputFile output(arguments.output);
  output.write(pruned->pieces);
  if (const std::optional<Error> error = output.commit()) {
    print_error(arguments.output, *error);
    return 1;
  }
  copy_mode(arguments.file, arguments.output);
  return 0;
}

} // namespace

void add_prune_command(CLI::App &app, int &exit_code) {
  const auto arguments = std::make_shared<PruneArguments>(); // lives in the callback
  CLI::App *command = app.add_subcommand(
      "prune", "Leave device code out of a fatbin, object, archive, program or library");
  command->add_option("FILE", arguments->file, "The file")->required();
  command->add_option("-o,--output", arguments->output, "The new file, which may be FILE");
  command->add_option("--keep", arguments->keep, "Keep only this code, such as sm_90,compute_90")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--drop", arguments->drop, "Leave this code out, such as sm_5*,ptx")
      ->delimiter(',')
      ->allow_extra_args(false);
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
