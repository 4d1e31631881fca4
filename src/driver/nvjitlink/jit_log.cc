// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One line per link in the file that CULINK_JIT_LOG names. A line is written by one call to a file
// that is opened for appending, so lines of threads and processes do not mix.
#include "driver/nvjitlink/jit_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "compilers/toolkit/find_tools.h"
#include "driver/nvjitlink/release.h"

namespace culink::jit {

void write_jit_log(const LinkRequest &request, const LinkResult &result, Code code,
                   double milliseconds) {
  const std::string path = environment("CULINK_JIT_LOG");
  if (path.empty())
    return;
  u64 bytes = 0;
  for (const LinkInput &input : request.inputs)
    bytes += input.bytes ? input.bytes->size() : 0;
  const Release release = release_of_library();
  const std::string line = fmt::format(
      "culink {} nvJitLink {}.{} pid={} arch={} inputs={} bytes={} output={} code={} ms={:.3f}\n",
      CULINK_VERSION, release.major, release.minor, ::getpid(), request.target,
      request.inputs.size(), bytes, result.bytes.size() + result.ptx.size(), static_cast<int>(code),
      milliseconds);
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0)
    return;
  [[maybe_unused]] const ssize_t written = ::write(file, line.data(), line.size());
  ::close(file);
}

} // namespace culink::jit
