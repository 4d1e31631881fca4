// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library with the functions of libnvJitLink that does as CULINK_FAKE_ENGINE says: `crash`,
// `refuse`, `fail`, `escape`, or the name of a file that holds the answer to every object. It shows
// what the linker does with good and bad engines where there is none. As the real one it looks for
// the GPU driver first; it refuses to work where it finds it.
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <iterator>
#include <sched.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace {

std::vector<char> read_answer(const char *path) {
  std::vector<char> out;
  if (std::FILE *file = std::fopen(path, "rb")) {
    char buffer[4096];
    for (size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, file)) != 0;)
      out.insert(out.end(), buffer, buffer + n);
    std::fclose(file);
  }
  return out;
}

std::string wanted() {
  const char *value = std::getenv("CULINK_FAKE_ENGINE");
  return value ? value : "fail";
}

constexpr int kLeaked = 9; // a descriptor that the linker has inherited

const std::vector<char> kAnswer = read_answer(wanted().c_str()); // read when it is loaded

// Calls that reach beyond what the process has open: the terminal, other processes, files by name,
// networks, the system. Numbers from 424 on are those of all machines.
constexpr int kReaching[] = {
    SYS_ioctl,
    SYS_kill,
    SYS_tkill,
    SYS_tgkill,
    SYS_rt_sigqueueinfo,
    SYS_rt_tgsigqueueinfo,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_kcmp,
    SYS_setpgid,
    SYS_setsid,
    SYS_setpriority,
    SYS_sched_setaffinity,
    SYS_sched_setscheduler,
    SYS_prlimit64,
    SYS_prctl,
    SYS_fcntl,
    SYS_dup,
    SYS_pipe2,
    SYS_memfd_create,
    SYS_execve,
    SYS_execveat,
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    SYS_sendmsg,
    SYS_recvmsg,
    SYS_openat,
    SYS_open_by_handle_at,
    SYS_name_to_handle_at,
    SYS_unlinkat,
    SYS_renameat2,
    SYS_mkdirat,
    SYS_linkat,
    SYS_symlinkat,
    SYS_mknodat,
    SYS_fchmodat,
    SYS_fchownat,
    SYS_fchmod,
    SYS_fchown,
    SYS_truncate,
    SYS_utimensat,
    SYS_setxattr,
    SYS_fsetxattr,
    SYS_removexattr,
    SYS_readlinkat,
    SYS_getdents64,
    SYS_chdir,
    SYS_inotify_add_watch,
    SYS_mount,
    SYS_umount2,
    SYS_chroot,
    SYS_pivot_root,
    SYS_setns,
    SYS_unshare,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_keyctl,
    SYS_add_key,
    SYS_userfaultfd,
    SYS_init_module,
    SYS_kexec_load,
    SYS_finit_module,
    SYS_delete_module,
    SYS_reboot,
    SYS_swapon,
    SYS_sethostname,
    SYS_setuid,
    SYS_setgid,
    SYS_setresuid,
    SYS_setgroups,
    SYS_capset,
    SYS_personality,
    SYS_quotactl,
    SYS_acct,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_adjtimex,
    SYS_seccomp,
    SYS_inotify_init1,
    SYS_fanotify_init,
    SYS_timer_create,
    SYS_vmsplice,
    SYS_shmget,
    SYS_msgget,
    SYS_sendfile,
    SYS_splice,
    SYS_clone,          // without a flag: another process
#if defined(__x86_64__) // calls that other machines never had
    SYS_open,
    SYS_creat,
    SYS_chmod,
    SYS_chown,
    SYS_rename,
    SYS_renameat,
    SYS_link,
    SYS_symlink,
    SYS_unlink,
    SYS_rmdir,
    SYS_mkdir,
    SYS_mknod,
    SYS_utime,
    SYS_fork,
    SYS_vfork,
    SYS_inotify_init,
#endif
    424 /* pidfd_send_signal */,
    425 /* io_uring_setup */,
    426 /* io_uring_enter */,
    428 /* open_tree */,
    429 /* move_mount */,
    430 /* fsopen */,
    434 /* pidfd_open */,
    437 /* openat2 */,
    438 /* pidfd_getfd */,
    440 /* process_madvise */,
    442 /* mount_setattr */,
    444 /* landlock_create_ruleset */,
    445 /* landlock_add_rule */,
    446 /* landlock_restrict_self */,
    452 /* fchmodat2 */,
    4000 /* none yet */,
};
static_assert(std::size(kReaching) >= 100);

bool is_refused(int call, long first = 0, long second = 0) {
  return ::syscall(call, first, second, 0, 0, 0, 0) == -1 && errno == EPERM;
}

// True if one of them has an effect.
bool escapes() {
  if (::write(kLeaked, "escaped", 7) > 0)
    return true;
  for (const int call : kReaching)
    if (!is_refused(call))
      return true;
  // With the arguments that count: threads and processes with namespaces of their own, characters
  // for the terminal.
  for (const long thread : {0, CLONE_THREAD | CLONE_SIGHAND | CLONE_VM})
    for (const long space : {CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
                             CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET})
      if (!is_refused(SYS_clone, thread | space))
        return true;
  return !is_refused(SYS_ioctl, STDIN_FILENO, TIOCSTI);
}

constexpr int kInvalidInput = 3;
constexpr int kInternal = 6;
constexpr const char kLog[] = "it does not want to\nERROR 9\n";

} // namespace

extern "C" [[gnu::visibility("default")]] int nvJitLinkCreate(void **handle, std::uint32_t,
                                                              const char **) {
  *handle = new std::vector<char>();
  const char *devices = std::getenv("CUDA_VISIBLE_DEVICES");
  const bool hidden = devices && *devices == '\0' && !::dlopen("libcuda.so.1", RTLD_NOW);
  return hidden ? 0 : kInternal;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkDestroy(void **handle) {
  delete static_cast<std::vector<char> *>(*handle);
  *handle = nullptr;
  return 0;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkAddData(void *, int, const void *, size_t,
                                                               const char *) {
  if (wanted() == "crash")
    std::abort();
  return wanted() == "refuse" ? kInvalidInput : 0;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkComplete(void *handle) {
  if (wanted() == "fail")
    return kInternal;
  if (wanted() == "escape")
    return escapes() ? 0 : kInternal;
  *static_cast<std::vector<char> *>(handle) = kAnswer;
  return 0;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkGetLinkedCubinSize(void *handle,
                                                                          size_t *size) {
  *size = static_cast<std::vector<char> *>(handle)->size();
  return 0;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkGetLinkedCubin(void *handle, void *bytes) {
  const auto &answer = *static_cast<std::vector<char> *>(handle);
  if (!answer.empty())
    std::memcpy(bytes, answer.data(), answer.size());
  return 0;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkGetErrorLogSize(void *, size_t *size) {
  *size = sizeof kLog;
  return 0;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkGetErrorLog(void *, char *text) {
  std::memcpy(text, kLog, sizeof kLog);
  return 0;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkGetInfoLogSize(void *, size_t *size) {
  *size = 0;
  return 0;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkGetInfoLog(void *, char *) {
  return 0;
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkGetLinkedPtxSize(void *handle,
                                                                        size_t *size) {
  return nvJitLinkGetLinkedCubinSize(handle, size);
}

extern "C" [[gnu::visibility("default")]] int nvJitLinkGetLinkedPtx(void *handle, char *text) {
  return nvJitLinkGetLinkedCubin(handle, text);
}
