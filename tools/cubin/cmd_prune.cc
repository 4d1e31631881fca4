// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin prune removes code from any file with fatbins. The rest is copied unchanged, except if
// options change its packing. The output may be the input: it is written completely or not at all,
// and the input does not change until then.
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

// Copies the mode, so that a program stays executable.
void copy_mode(const std::string &from, const std::string &to) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(from, error);
  if (!error && std::filesystem::is_regular_file(to, error))
    std::filesystem::permissions(to, status.permissions(), error);
}

} // namespace

int prune_command(Command &command) {
  std::string path, output_path;
  PruneRules rules{};
  std::optional<int> level;
  bool dry_run = false;
  std::vector<std::string> kept = target_names();
  kept.insert(kept.end(), {"cubin", "ptx", "lto", "relocatable"});
  std::vector<std::string> dropped = kept;
  dropped.emplace_back("debug");
  command.add({
      required({"FILE", "", "The file", &path}),
      {"output,o", "<file>", "The new file, which may be FILE", &output_path},
      suggests(kept, {"keep", "<code>,...", "Keep only this code, such as sm_90,compute_90",
                      &rules.keep}),
      suggests(dropped,
               {"drop", "<code>,...", "Leave this code out, such as sm_5*,ptx", &rules.drop}),
      between(1, kMostZstdLevel,
              {"compress", "<level>", "Pack what stays with zstd, level 1 to 22", &level}),
      {"dry-run,n", "", "Only say what would be saved", &dry_run},
  });
  if (!command.parse())
    return command.status();
  if (output_path.empty() && !dry_run) {
    print_error("prune", "-o or --dry-run is required");
    return kExitUsage;
  }
  if (rules.keep.empty() && rules.drop.empty() && !level) {
    print_error("prune", "--keep, --drop or --compress is required");
    return kExitUsage;
  }
  if (level)
    rules.packing = Packing{level};
  const Result<MappedFile> file = MappedFile::open(path);
  const Result<PrunedPieces> pruned =
      file ? prune(file->bytes(), rules) : Result<PrunedPieces>(file.error());
  if (!is_there(path, pruned))
    return 1;
  if (dry_run) {
    TextOut out(STDOUT_FILENO);
    out.put(visible(path) + ": " + describe_pruning(file->bytes().size(), *pruned));
    return finish_output(out) ? 0 : 1;
  }
  OutputFile output(output_path);
  output.write(pruned->pieces);
  if (const std::optional<Error> error = output.commit()) {
    print_error(output_path, *error);
    return 1;
  }
  copy_mode(path, output_path);
  return 0;
}

} // namespace culink::tools
