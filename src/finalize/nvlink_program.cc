// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvlink as an engine: slower to start than the library, but it takes objects that the library
// refuses (sm_100 for sm_103), and a statically linked culink can run it.
//
// It ignores inputs, without a word, whose names do not end as it expects, so files in memory will
// not do.
#include "finalize/nvlink_program.h"

#include "base/mapped_file.h"
#include "base/output_file.h"
#include "base/process.h"
#include "finalize/private_folder.h"

namespace culink {

Result<std::vector<u8>> link_with_nvlink(const std::string &program, const std::string &folder,
                                         const std::vector<std::string> &options,
                                         const std::vector<ByteSpan> &objects,
                                         std::chrono::seconds limit,
                                         const std::atomic<bool> *cancelled) {
  const Result<PrivateFolder> own = PrivateFolder::create(folder);
  if (!own)
    return own.error();
  const std::string output = own->path() + "/linked.cubin";
  std::vector<std::string> words = {program};
  words.insert(words.end(), options.begin(), options.end());
  for (const ByteSpan object : objects) {
    words.push_back(own->path() + "/object" + std::to_string(words.size()) + ".cubin");
    if (std::optional<Error> error = write_file(words.back(), object))
      return std::move(*error);
  }
  words.insert(words.end(), {"-o", output});
  const Result<ProcessResult> run = run_process(words, {}, limit, cancelled);
  if (!run)
    return Error{"", program, run.error().text()};
  if (run->late)
    return Error{"", "",
                 program + " did not finish within " + std::to_string(limit.count()) + " seconds"};
  if (run->status != 0 && run->status != kLostStatus)
    return Error{"", "", program + " " + describe_exit(run->status) + ": " + run->output};
  const Result<MappedFile> linked = MappedFile::open(output);
  if (!linked)
    return linked.error();
  return std::vector<u8>(linked->bytes().begin(), linked->bytes().end());
}

} // namespace culink
