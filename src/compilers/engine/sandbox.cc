// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A filter of system calls (seccomp), which the kernel checks before each call. It allows the calls
// that libnvJitLink 13.0 to 13.4 makes for PTX, link-time optimisation and finalizing, and the
// equivalent calls of other C libraries. They only affect memory, threads of this process and open
// descriptors. All other calls fail with EPERM: the engine looks for the GPU driver and the number
// of processors in files, and continues without them.
//
// The filter is sufficient by itself. A session without a terminal and a Landlock domain without
// files are second layers of protection.
#include "compilers/engine/sandbox.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <sched.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "support/file_descriptor.h"
#include "support/types.h"

namespace culink {

namespace {

#if defined(__x86_64__)
constexpr u32 kMachine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr u32 kMachine = AUDIT_ARCH_AARCH64;
#else
constexpr u32 kMachine = 0;
#endif

constexpr auto kAllowed = std::to_array<u32>({
  // Memory.
  SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise,
      // Threads and time; SYS_clone for threads only.
      SYS_futex, SYS_set_robust_list, SYS_rseq, SYS_gettid, SYS_getpid, SYS_sched_yield,
      SYS_sched_getaffinity, SYS_clock_gettime, SYS_clock_nanosleep, SYS_nanosleep,
      SYS_restart_syscall, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack,
      SYS_getrandom, SYS_exit, SYS_exit_group,
      // Open descriptors: the socket to the linker, and files that the engine opened before.
      SYS_recvfrom, SYS_sendto, SYS_fstat, SYS_lseek, SYS_read, SYS_pread64, SYS_write,
      SYS_pwrite64, SYS_ftruncate, SYS_close,
      // Size and time of a source file, for line information.
      SYS_newfstatat,
#if defined(SYS_stat)
      SYS_stat,
#endif
});

// The flags of new namespaces, which a thread of root could create.
constexpr u32 kNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                            CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

// Requests all rights of Landlock's first version, which later versions also have, without a rule
// that grants one. On a kernel without Landlock the call fails.
void refuse_files() {
#if defined(SYS_landlock_create_ruleset)
  struct {
    u64 files = (u64{1} << 13) - 1;
  } const rules;
  const long fd = ::syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
  if (fd < 0)
    return;
  ::syscall(SYS_landlock_restrict_self, fd, 0);
  ::close(static_cast<int>(fd));
#endif
}

std::vector<sock_filter> make_filter() {
  constexpr u32 kRefused = SECCOMP_RET_ERRNO | EPERM, kAbsent = SECCOMP_RET_ERRNO | ENOSYS;
  std::vector<sock_filter> rows;
  const auto load = [&rows](size_t offset) {
    rows.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<u32>(offset)));
  };
  const auto answer = [&rows](u32 value) { rows.push_back(BPF_STMT(BPF_RET | BPF_K, value)); };
  // The next `count` rows are for this value only.
  const auto only_for = [&rows](u32 test, u32 value, u8 count) {
    rows.push_back(BPF_JUMP(BPF_JMP | BPF_K | test, value, 0, count));
  };
  load(offsetof(seccomp_data, arch));
  rows.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kMachine, 1, 0));
  answer(SECCOMP_RET_KILL_PROCESS);
  load(offsetof(seccomp_data, nr));
  for (const u32 call : kAllowed) {
    only_for(BPF_JEQ, call, 1);
    answer(SECCOMP_RET_ALLOW);
  }
  only_for(BPF_JEQ, SYS_clone3, 1); // its arguments are in memory; the C library then uses clone
  answer(kAbsent);
  only_for(BPF_JEQ, SYS_clone, 5);
  load(offsetof(seccomp_data, args));
  only_for(BPF_JSET, kNamespaces, 1);
  answer(kRefused);
  only_for(BPF_JSET, CLONE_THREAD, 1);
  answer(SECCOMP_RET_ALLOW);
  answer(kRefused);
  return rows;
}

} // namespace

bool wants_sandbox() {
  const char *wanted = std::getenv("CULINK_SANDBOX");
  return wanted && std::string_view(wanted) != "0";
}

std::optional<Error> enter_sandbox() {
  if (kMachine == 0)
    return Error{"", "", "there is no sandbox for this machine"};
  std::vector<sock_filter> rows = make_filter();
  const sock_fprog program{static_cast<unsigned short>(rows.size()), rows.data()};
  if (::setsid() < 0 || ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return system_error("cannot enter the sandbox");
  refuse_files();
  if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0)
    return system_error("cannot enter the sandbox");
  return std::nullopt;
}

} // namespace culink
