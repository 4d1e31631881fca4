// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a user may want to know of the cache, or do with it, without a link. The folder is the one
// that a link with the same options would use; where such a link would do without a cache, the
// reason is an error here.
#include "cache_command.h"

#include <cstdio>

#include <fmt/format.h>

#include "compilers/cache/folder.h"
#include "compilers/toolkit/find_tools.h"

namespace culink {

int run_cache_command(const CommandLine &line, const Console &console) {
  const CacheOptions options = cache_options(line, find_cache());
  if (options.folder.empty()) {
    print_to(stdout, "cache off\n");
    return 0;
  }
  const Result<CacheFolder> folder = CacheFolder::open(options.folder, options.size);
  if (!folder) {
    Diagnostics diag;
    diag.report(DiagId::BadInput, {options.folder, folder.error().text()});
    return console.show({to_message(diag.all().front())}).status;
  }
  if (line.has(OptionId::CacheClear))
    folder->clear();
  const FolderUse use = folder->use();
  if (line.has(OptionId::CacheStats))
    print_to(stdout, fmt::format("folder   {}\nentries  {}\nbytes    {} of {}\n", options.folder,
                                 use.entries, use.bytes, options.size));
  return 0;
}

} // namespace culink
