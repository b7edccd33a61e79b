#define _GNU_SOURCE
#include "refuse-calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the list of system calls was written for x86_64 and aarch64"
#endif
#define PR_SET_VMA_OPERATION 0x53564d41

/* Calls that are allowed whatever their arguments. They act on this process, on descriptors that it has, or on paths
   that Landlock guards. Some can name any path and only look at it (stat, readlink, access). */
static const int allowed[] = {
    /* memory */
    __NR_brk, __NR_mmap, __NR_munmap, __NR_mprotect, __NR_mremap, __NR_madvise, __NR_mincore, __NR_membarrier,
    __NR_msync, __NR_mlock, __NR_munlock,
    /* threads, time, signals of this process */
    __NR_futex, __NR_set_robust_list, __NR_set_tid_address, __NR_rseq, __NR_sched_yield, __NR_sched_getaffinity,
    __NR_sched_getparam, __NR_sched_getscheduler, __NR_sched_get_priority_max, __NR_sched_get_priority_min,
    __NR_getcpu, __NR_gettid, __NR_getpid, __NR_getppid, __NR_getpgid, __NR_exit, __NR_exit_group,
    __NR_restart_syscall, __NR_rt_sigaction, __NR_rt_sigprocmask, __NR_rt_sigreturn, __NR_rt_sigpending,
    __NR_rt_sigsuspend, __NR_rt_sigtimedwait, __NR_sigaltstack, __NR_nanosleep, __NR_clock_nanosleep,
    __NR_clock_gettime, __NR_clock_getres, __NR_gettimeofday, __NR_times, __NR_getrusage, __NR_getitimer,
    __NR_setitimer,
    /* what the process is */
    __NR_getuid, __NR_geteuid, __NR_getgid, __NR_getegid, __NR_getresuid, __NR_getresgid, __NR_getgroups, __NR_uname,
    __NR_sysinfo, __NR_getrandom, __NR_capget, __NR_umask, __NR_getcwd, __NR_getpriority,
    /* descriptors */
    __NR_read, __NR_write, __NR_readv, __NR_writev, __NR_pread64, __NR_pwrite64, __NR_preadv, __NR_pwritev, __NR_lseek,
    __NR_close, __NR_close_range, __NR_dup, __NR_dup3, __NR_pipe2, __NR_eventfd2, __NR_fstat, __NR_fsync,
    __NR_fdatasync, __NR_ftruncate, __NR_fallocate, __NR_fadvise64, __NR_flock, __NR_getdents64, __NR_epoll_create1,
    __NR_epoll_ctl, __NR_epoll_pwait, __NR_epoll_pwait2, __NR_ppoll, __NR_pselect6, __NR_shutdown, __NR_getsockopt,
    __NR_getsockname, __NR_getpeername,
    /* paths */
    __NR_newfstatat, __NR_statx, __NR_faccessat, __NR_faccessat2, __NR_readlinkat, __NR_mkdirat, __NR_unlinkat,
    __NR_renameat2, __NR_chdir,
#ifdef __x86_64__
    __NR_arch_prctl, __NR_time, __NR_dup2, __NR_pipe, __NR_eventfd, __NR_epoll_create, __NR_epoll_wait, __NR_poll,
    __NR_select, __NR_getpgrp, __NR_stat, __NR_lstat, __NR_access, __NR_readlink, __NR_mkdir, __NR_rmdir, __NR_unlink,
    __NR_rename, __NR_renameat,
#endif
};

enum { most_instructions = 400 };
static struct sock_filter filter[most_instructions];
static unsigned short length;

static void add(unsigned short code, unsigned k, unsigned char if_true, unsigned char if_false) {
  filter[length++] = (struct sock_filter){code, if_true, if_false, k};
}
static void load(size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0); }
static void load_argument(int index) { load(offsetof(struct seccomp_data, args) + 8 * (size_t)index); }
static void load_high_half(int index) { load(offsetof(struct seccomp_data, args) + 8 * (size_t)index + 4); }
static void allow(void) { add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0); }
static void refuse(void) { add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS, 0, 0); }

/* Begins the rules of one call; `end` completes them. Between the two, each `require` refuses the call unless it holds,
   and `allow_if` allows it if it holds. */
static unsigned short begin(int call) {
  load(offsetof(struct seccomp_data, nr));
  add(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 0);
  return length - 1;
}
static void end(unsigned short start) { filter[start].jf = (unsigned char)(length - start - 1); }
static void require(int index, unsigned mask, unsigned value) {
  load_argument(index);
  add(BPF_ALU | BPF_AND | BPF_K, mask, 0, 0);
  add(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0);
  refuse();
}
static void require_null(int index) {
  require(index, ~0u, 0);
  load_high_half(index);
  add(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
  refuse();
}
static void allow_values(int call, int index, const unsigned *values, size_t count) {
  unsigned short start = begin(call);
  load_argument(index);
  for (size_t i = 0; i < count; i++) {
    add(BPF_JMP | BPF_JEQ | BPF_K, values[i], 0, 1);
    allow();
  }
  refuse();
  end(start);
}
/* A file that may only be read must not be emptied: before its ABI 3, Landlock lets O_RDONLY | O_TRUNC pass. */
static void allow_open(int call, int flags_index) {
  unsigned short start = begin(call);
  load_argument(flags_index);
  add(BPF_ALU | BPF_AND | BPF_K, O_TRUNC | O_ACCMODE, 0, 0);
  add(BPF_JMP | BPF_JEQ | BPF_K, O_TRUNC, 0, 1);
  refuse();
  allow();
  end(start);
}
#define VALUES(...) (const unsigned[]){__VA_ARGS__}, sizeof((const unsigned[]){__VA_ARGS__}) / sizeof(unsigned)

int refuse_calls(void) {
  length = 0;
  unsigned own = (unsigned)getpid();
  load(offsetof(struct seccomp_data, arch));
  add(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
  refuse();
  load(offsetof(struct seccomp_data, nr));
  for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
    add(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed[i], 0, 1);
    allow();
  }

  allow_open(__NR_openat, 2);
#ifdef __x86_64__
  allow_open(__NR_open, 1);
#endif
  /* F_SETOWN and F_SETSIG would send signals to others. */
  allow_values(__NR_fcntl, 1, VALUES(F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW,
                                     F_DUPFD_CLOEXEC, 1032 /* F_GETPIPE_SZ */));
  allow_values(__NR_ioctl, 1, VALUES(TCGETS, TIOCGWINSZ, FIONBIO, FIONREAD, FIOCLEX, FIONCLEX));
  allow_values(__NR_prctl, 0, VALUES(PR_SET_NAME, PR_GET_NAME, PR_SET_VMA_OPERATION));
  allow_values(__NR_kill, 0, VALUES(own));
  allow_values(__NR_tgkill, 0, VALUES(own));
  /* The program itself, once: see program_descriptor. */
  allow_values(__NR_execveat, 0, VALUES(program_descriptor));

  /* Threads, but no processes. glibc falls back to clone if there is no clone3. */
  unsigned thread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;
  unsigned namespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS |
                        CLONE_NEWCGROUP | CLONE_PTRACE | CLONE_VFORK;
  unsigned short start = begin(__NR_clone);
  require(0, thread | namespaces, thread);
  allow();
  end(start);

  /* Only to read one's own limits. */
  start = begin(__NR_prlimit64);
  require_null(0);
  require_null(2);
  allow();
  end(start);

  refuse();
  struct sock_fprog program = {length, filter};
  return (int)syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}
