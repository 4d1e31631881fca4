// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a command and prints its wait status, user, system and wall seconds, and peak resident
// bytes. The peak of a process begins with that of the one that started it, so a benchmark written
// in Python cannot see less than Python's own; this program is small.
//
//   run_measured COMMAND...
#include <chrono>
#include <cstdio>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

double seconds(const timeval &time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fputs("usage: run_measured COMMAND...\n", stderr);
    return 2;
  }
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    execvp(argv[1], argv + 1);
    _exit(127);
  }
  int status = 0;
  rusage used{};
  if (child < 0 || wait4(child, &status, 0, &used) != child) {
    std::perror("run_measured");
    return 2;
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  std::printf("%d %.6f %.6f %.6f %ld\n", status, seconds(used.ru_utime), seconds(used.ru_stime),
              wall.count(), used.ru_maxrss * 1024);
  return 0;
}
