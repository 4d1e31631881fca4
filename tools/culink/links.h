// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace culink {

// What went wrong with a path, or nothing.
[[nodiscard]] std::string failure(const std::filesystem::path &path, const std::error_code &error);

// Makes a symbolic link, in place of one that is there. Anything but a link in the way is an error:
// it is not ours. The result is empty, or says what went wrong.
[[nodiscard]] std::string renew_link(const std::filesystem::path &target,
                                     const std::filesystem::path &link);

} // namespace culink
