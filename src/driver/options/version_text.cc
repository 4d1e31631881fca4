// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first line is the version alone, which scripts read; the second is for people who want to
// know which nvlink they replace.
#include "driver/options/version_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "culink/linker.h"

namespace culink {

namespace {

// The numbers of "13.0.88".
std::array<u32, 3> numbers_of(std::string_view release) {
  std::array<u32, 3> out{};
  const char *at = release.data();
  const char *const end = at + release.size();
  for (u32 &number : out) {
    at = std::from_chars(at, end, number).ptr;
    if (at != end)
      ++at; // the dot
  }
  return out;
}

} // namespace

std::string version_text(std::string_view program) {
  constexpr std::string_view kPrefix = "nvlink-";
  std::vector<std::string_view> releases;
  for (const std::string_view name : emulated_linkers())
    if (name.starts_with(kPrefix))
      releases.push_back(name.substr(kPrefix.size()));
  std::ranges::sort(releases, {}, numbers_of);
  std::string out = std::string(program) + " " CULINK_VERSION "\nnvlink releases it stands for:";
  for (const std::string_view release : releases)
    out += (release == releases.front() ? " " : ", ") + std::string(release);
  return out + "\n";
}

} // namespace culink
