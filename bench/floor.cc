// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// floor OUTPUT SIZE INPUT...: what no linker can avoid. Reads every input to its end and writes
// SIZE bytes, with the fewest system calls.
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>
#include <vector>

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  std::vector<char> buffer(1 << 20);
  for (int i = 3; i < argc; ++i) {
    const int input = ::open(argv[i], O_RDONLY);
    if (input < 0)
      return 1;
    while (::read(input, buffer.data(), buffer.size()) > 0) {
    }
    ::close(input);
  }
  const int output = ::open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0666);
  for (unsigned long long left = std::strtoull(argv[2], nullptr, 10); left != 0;) {
    const ssize_t n = ::write(output, buffer.data(), left < buffer.size() ? left : buffer.size());
    if (n <= 0)
      return 1;
    left -= static_cast<unsigned long long>(n);
  }
  return ::close(output) == 0 ? 0 : 1;
}
