// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin pack makes a fatbin from cubins, PTX and other fatbins; 'cubin extract' is the inverse.
// Entries of fatbins are copied unchanged, except if options change their packing.
#include "command.h"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "edit/fatbin_writer.h"
#include "input/file_kind.h"
#include "support/mapped_file.h"

namespace culink::tools {

namespace {

struct PackArguments {
  std::vector<std::string> files;
  std::string output;
  std::string identifier;
  std::optional<int> level;
  bool raw = false;
};

// Collects the entries of a new fatbin.
class FatbinMaker {
public:
  explicit FatbinMaker(const PackArguments &arguments) : arguments_(arguments) {}

  [[nodiscard]] std::optional<Error> add(const std::string &path, ByteSpan bytes) {
    if (file_kind(bytes) == FileKind::Fatbin)
      return add_fatbin(path, bytes);
    Result<FatbinImage> image = describe_image(bytes);
    if (!image)
      return image.error();
    image->identifier = arguments_.identifier;
    return add_entry(path, write_entry(*image, packing_of(image->kind)));
  }

  [[nodiscard]] std::vector<u8> finish() const { return write_container(entries_); }

private:
  // Fails for a second entry of a target, because only one is used.
  [[nodiscard]] std::optional<Error> add_entry(const std::string &path, std::vector<u8> bytes) {
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

  [[nodiscard]] std::optional<Error> add_fatbin(const std::string &path, ByteSpan bytes) {
    const Result<std::vector<FatbinContainer>> containers = read_fatbins(bytes);
    if (!containers)
      return containers.error();
    const bool repacks = arguments_.level || arguments_.raw;
    for (const FatbinContainer &container : *containers)
      for (const FatbinEntry &entry : container.entries) {
        std::optional<std::vector<u8>> repacked =
            repacks ? repack_entry(entry, packing_of(entry.kind)) : std::nullopt;
        if (std::optional<Error> error =
                add_entry(path, repacked ? *repacked
                                         : std::vector<u8>(entry.whole.begin(), entry.whole.end())))
          return error;
      }
    return std::nullopt;
  }

  // Like fatbinary: packs PTX but not cubins.
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
  return write_output(arguments.output, maker.finish()) ? 0 : 1;
}

} // namespace

int pack_command(Command &command) {
  PackArguments arguments;
  command.add({
      required({"FILE", "", "Cubins, PTX files, fatbins", &arguments.files}),
      required({"output,o", "<file>", "The fatbin; - is standard output", &arguments.output}),
      {"ident", "<name>", "The name of the source, for each piece", &arguments.identifier},
      excludes({"raw"}, between(1, kMostZstdLevel,
                                {"compress", "<level>", "Pack all code with zstd, level 1 to 22",
                                 &arguments.level})),
      {"raw", "", "Pack nothing", &arguments.raw},
  });
  return command.parse() ? run_pack(arguments) : command.status();
}

} // namespace culink::tools
