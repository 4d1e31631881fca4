// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A filter of system calls (seccomp) that the kernel runs before each of them. It sees numbers, not
// what pointers lead to, so a file may be opened by any name, but only to read it: the engine loads
// tables of its toolkit when it first needs them.
//
// What is refused is listed, not what is allowed: an engine of a later release may use calls that
// nobody has thought of here, and new C libraries use new ones. Calls that would do what a listed
// one does under another number do not exist for the process (ENOSYS), and the C library then uses
// the older one.
#include "engine/sandbox.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <fcntl.h>
#include <sched.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "base/system_error.h"
#include "base/types.h"

namespace culink {

namespace {

#if defined(__x86_64__)
constexpr u32 kMachine = AUDIT_ARCH_X86_64;
constexpr u32 kOtherNumbers = 0x40000000; // calls of x32, the same under other numbers
#elif defined(__aarch64__)
constexpr u32 kMachine = AUDIT_ARCH_AARCH64;
constexpr u32 kOtherNumbers = ~u32{0};
#else
constexpr u32 kMachine = 0;
constexpr u32 kOtherNumbers = 0;
#endif

constexpr auto kForbidden = std::to_array<u32>({
  // Networks and other processes.
  SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4,
      SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kill,
      // Names of files.
      SYS_unlinkat, SYS_renameat2, SYS_mkdirat, SYS_linkat, SYS_symlinkat, SYS_mknodat,
      SYS_fchmodat, SYS_fchownat, SYS_fchmod, SYS_fchown, SYS_truncate, SYS_utimensat, SYS_setxattr,
      SYS_lsetxattr, SYS_fsetxattr, SYS_removexattr, SYS_open_by_handle_at,
      // The system.
      SYS_mount, SYS_umount2, SYS_chroot, SYS_pivot_root, SYS_setns, SYS_unshare, SYS_bpf,
      SYS_perf_event_open, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_userfaultfd,
      SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot,
#if defined(__x86_64__)
      SYS_fork, SYS_vfork, SYS_unlink, SYS_rename, SYS_renameat, SYS_mkdir, SYS_rmdir, SYS_link,
      SYS_symlink, SYS_mknod, SYS_chmod, SYS_chown, SYS_lchown, SYS_creat, SYS_utime, SYS_utimes,
#endif
});

constexpr auto kMissing = std::to_array<u32>({SYS_clone3, SYS_openat2, SYS_io_uring_setup});

constexpr u32 kWrites = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;

class FilterBuilder {
public:
  void load(size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<u32>(offset)); }
  void answer(u32 value) { add(BPF_RET | BPF_K, value); }
  // The answer to one call.
  void answer_to(u32 call, u32 value) {
    add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
    answer(value);
  }
  // The answer to a call whose argument has one of the bits, or has none of them. Others go on,
  // with the number of the call loaded again.
  void answer_to_bits(u32 call, size_t argument, u32 bits, bool set, u32 value) {
    add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
    load(argument);
    add(BPF_JMP | BPF_JSET | BPF_K, bits, set ? 0 : 1, set ? 1 : 0);
    answer(value);
    load(offsetof(seccomp_data, nr));
  }
  // The answer to all from a number on.
  void answer_from(u32 first, u32 value) {
    add(BPF_JMP | BPF_JGE | BPF_K, first, 0, 1);
    answer(value);
  }
  void expect_machine(u32 machine, u32 otherwise) {
    load(offsetof(seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, machine, 1, 0);
    answer(otherwise);
    load(offsetof(seccomp_data, nr));
  }
  [[nodiscard]] std::vector<sock_filter> take() { return std::move(rows_); }

private:
  void add(u32 code, u32 value, u8 if_true = 0, u8 if_false = 0) {
    rows_.push_back({static_cast<u16>(code), if_true, if_false, value});
  }

  std::vector<sock_filter> rows_;
};

// The lower half of an argument.
constexpr size_t argument_offset(size_t number) {
  return offsetof(seccomp_data, args) + number * sizeof(u64);
}

std::vector<sock_filter> make_filter() {
  constexpr u32 kRefused = SECCOMP_RET_ERRNO | EPERM, kAbsent = SECCOMP_RET_ERRNO | ENOSYS;
  FilterBuilder filter;
  filter.expect_machine(kMachine, SECCOMP_RET_KILL_PROCESS);
  filter.answer_from(kOtherNumbers, kAbsent);
  for (const u32 call : kMissing)
    filter.answer_to(call, kAbsent);
  for (const u32 call : kForbidden)
    filter.answer_to(call, kRefused);
  filter.answer_to_bits(SYS_clone, argument_offset(0), CLONE_THREAD, false, kRefused);
  filter.answer_to_bits(SYS_openat, argument_offset(2), kWrites, true, kRefused);
#if defined(__x86_64__)
  filter.answer_to_bits(SYS_open, argument_offset(1), kWrites, true, kRefused);
#endif
  filter.answer(SECCOMP_RET_ALLOW);
  return filter.take();
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
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0)
    return system_error("cannot enter the sandbox");
  return std::nullopt;
}

} // namespace culink
