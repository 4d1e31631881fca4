// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the user's cache is: where CULINK_CACHE_DIR says, or where programs have such folders by
// the XDG rules. Relative paths in the latter are no paths, by the same rules.
#include "compilers/toolkit/find_cache.h"

#include "compilers/toolkit/places.h"
#include "support/option_text.h"

namespace culink {

namespace {

std::string cache_folder() {
  if (std::string own = environment("CULINK_CACHE_DIR"); !own.empty())
    return own;
  if (const std::string all = environment("XDG_CACHE_HOME"); all.starts_with('/'))
    return all + "/culink";
  const std::string home = environment("HOME");
  return home.starts_with('/') ? home + "/.cache/culink" : "";
}

bool is_set(const char *name) {
  const std::string value = environment(name);
  return !value.empty() && value != "0";
}

} // namespace

CacheOptions find_cache() {
  if (is_set("CULINK_NO_CACHE"))
    return {};
  CacheOptions out;
  out.folder = cache_folder();
  out.folder_is_guess = environment("CULINK_CACHE_DIR").empty();
  out.size = parse_byte_size(environment("CULINK_CACHE_SIZE")).value_or(out.size);
  out.remote = environment("CULINK_CACHE_REMOTE");
  out.remote_read_only = is_set("CULINK_CACHE_REMOTE_READ_ONLY");
  return out;
}

} // namespace culink
