// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin prune leaves code out of any file with fatbins in it. What stays is carried over as it is,
// unless it is to be packed otherwise. The output may be the input: it appears whole or not at all,
// and what is read stays as it was until then.
#include "command.h"

#include <filesystem>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include "device_code.h"
#include "edit/prune.h"
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

int prune_command(Command &command) {
  PruneArguments arguments;
  std::vector<std::string> kept = target_names();
  kept.insert(kept.end(), {"cubin", "ptx", "lto", "relocatable"});
  std::vector<std::string> dropped = kept;
  dropped.emplace_back("debug");
  command.add({
      required({"FILE", "", "The file", &arguments.file}),
      {"output,o", "<file>", "The new file, which may be FILE", &arguments.output},
      suggests(kept, {"keep", "<code>,...", "Keep only this code, such as sm_90,compute_90",
                      &arguments.keep}),
      suggests(dropped,
               {"drop", "<code>,...", "Leave this code out, such as sm_5*,ptx", &arguments.drop}),
      between(
          1, kMostZstdLevel,
          {"compress", "<level>", "Pack what stays with zstd, level 1 to 22", &arguments.level}),
      {"dry-run,n", "", "Only say what would be saved", &arguments.dry_run},
  });
  return command.parse() ? run_prune(arguments) : command.status();
}

} // namespace culink::tools
