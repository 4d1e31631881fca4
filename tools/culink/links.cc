// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links in folders that culink makes for other programs. They are renewed when a folder is made
// again; what somebody else has put there stays.
#include "links.h"

namespace culink {

namespace fs = std::filesystem;

std::string failure(const fs::path &path, const std::error_code &error) {
  return error ? path.string() + ": " + error.message() : "";
}

std::string renew_link(const fs::path &target, const fs::path &link) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(link, error);
  if (fs::exists(status) && !fs::is_symlink(status))
    return link.string() + ": is in the way, and no link";
  if (fs::exists(status))
    fs::remove(link, error);
  fs::create_symlink(target, link, error);
  return failure(link, error);
}

} // namespace culink
