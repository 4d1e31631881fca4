// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutants are run in a child process, many in one, because a process for each would cost more than
// the work. A child that spends too long on one mutant is stopped by its own alarm; one that asks
// for too much memory by its limit.
#include "children.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

namespace culink::robustness {

namespace {

void limit_memory(u64 megabytes) {
  const rlimit limit{megabytes << 20, megabytes << 20};
  if (megabytes != 0)
    setrlimit(RLIMIT_AS, &limit);
}

[[noreturn]] void be_child(u64 &next, u64 end, const Limits &limits,
                           const std::function<void(u64)> &run) {
  limit_memory(limits.megabytes);
  for (; next < end; ++next) {
    alarm(static_cast<unsigned>(limits.seconds));
    run(next);
  }
  std::fflush(stdout);
  _exit(0);
}

} // namespace

Deaths run_in_children(u64 &next, u64 end, const Limits &limits,
                       const std::function<void(u64)> &run,
                       const std::function<void(u64, const char *)> &report) {
  Deaths deaths;
  for (;;) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
      be_child(next, end, limits, run);
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    deaths.peak_kilobytes = std::max<u64>(deaths.peak_kilobytes, static_cast<u64>(usage.ru_maxrss));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
      return deaths;
    const bool hang = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    ++(hang ? deaths.hangs : deaths.crashes);
    std::array<char, 64> text{};
    if (hang)
      std::snprintf(text.data(), text.size(), "took too long");
    else if (WIFSIGNALED(status))
      std::snprintf(text.data(), text.size(), "died of signal %d", WTERMSIG(status));
    else
      std::snprintf(text.data(), text.size(), "died with status %d", WEXITSTATUS(status));
    report(next, text.data());
    ++next;
  }
}

CampaignOptions parse_options(int argc, char **argv) {
  CampaignOptions options;
  const std::array<std::pair<std::string_view, u64 *>, 6> numbers{
      {{"--count=", &options.count},
       {"--first=", &options.first},
       {"--seed=", &options.seed},
       {"--threads=", &options.threads},
       {"--seconds=", &options.limits.seconds},
       {"--megabytes=", &options.limits.megabytes}}};
  const std::array<std::pair<std::string_view, std::string *>, 4> texts{
      {{"--code=", &options.code},
       {"--keep=", &options.keep},
       {"--finalizer=", &options.finalizer},
       {"--worker=", &options.worker}}};
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    options.structure |= argument == "--structure";
    options.strict |= argument == "--strict";
    bool known = argument == "--structure" || argument == "--strict";
    for (const auto &[name, value] : texts)
      if (argument.starts_with(name)) {
        *value = argument.substr(name.size());
        known = true;
      }
    for (const auto &[name, value] : numbers)
      if (argument.starts_with(name)) {
        *value = std::strtoull(argv[i] + name.size(), nullptr, 10);
        known = true;
      }
    if (argument.starts_with("--save=")) {
      options.save = std::strtoll(argv[i] + 7, nullptr, 10);
      known = true;
    }
    if (!known)
      options.arguments.emplace_back(argument);
  }
  return options;
}

Deaths run_campaign(const CampaignOptions &options, u64 &next,
                    const std::function<void(u64)> &run) {
  next = options.first;
  return run_in_children(next, options.first + options.count, options.limits, run,
                         [&](u64 number, const char *death) {
                           fmt::print("mutant {}: {} (--seed={} --save={} writes it)\n", number,
                                      death, options.seed, number);
                         });
}

} // namespace culink::robustness
