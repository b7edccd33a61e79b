/* A program that a hostile file has taken over: it tries what such a program would, and prints what came of it. It runs
 * in the place of ffmpeg and node, in a box. Its last arguments are "--", the pid of the service, that of
 * kinora-media, the path of a secret file and that of a file in the folder of another job. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

static pid_t service, media;
static const char *secret, *neighbour, *self;
static char path[4096];

static void tell(const char *name, long result) {
  printf("%s: %s\n", name, result < 0 ? strerrorname_np(errno) : "allowed");
  fflush(stdout);
}
#define TRY(name, call) (errno = 0, tell(name, (long)(call)))

static long try_open(const char *name, int flags) {
  int file = open(name, flags | O_CLOEXEC, 0600);
  if (file < 0) return -1;
  char byte;
  long result = (flags & O_ACCMODE) == O_WRONLY ? 0 : (flags & O_DIRECTORY) ? 0 : read(file, &byte, 1);
  close(file);
  return result;
}
static const char *of_process(pid_t pid, const char *file) {
  snprintf(path, sizeof path, "/proc/%d/%s", pid, file);
  return path;
}
/* A child that is started ends at once. */
static long try_fork(long pid) {
  if (pid == 0) _exit(0);
  if (pid > 0) waitpid((pid_t)pid, NULL, 0);
  return pid;
}
static void *run_thread(void *unused) { return unused; }
static long try_thread(void) {
  pthread_t thread;
  errno = pthread_create(&thread, NULL, run_thread, NULL);
  return errno ? -1 : pthread_join(thread, NULL);
}
/* The descriptor that kinora-media executed, made again. */
static long try_exec_again(void) {
  char *arguments[] = {(char *)self, NULL};
  int program = open(self, O_PATH);
  if (dup2(program, 900) < 0) return -1;
  return syscall(__NR_execveat, 900, "", arguments, NULL, AT_EMPTY_PATH);
}
static long try_connect_unix(const char *name) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path + 1, name, sizeof address.sun_path - 2);
  int socket_descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
  return socket_descriptor < 0 ? -1 : connect(socket_descriptor, (struct sockaddr *)&address, sizeof address);
}
static long try_send_descriptor(void) {
  char byte = 0, space[CMSG_SPACE(sizeof(int))] = {0};
  struct iovec part = {&byte, 1};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET, header->cmsg_type = SCM_RIGHTS, header->cmsg_len = CMSG_LEN(sizeof(int));
  memset(CMSG_DATA(header), 0, sizeof(int));
  return sendmsg(1, &message, 0);
}

int main(int count, char **arguments) {
  char *const none[] = {NULL};
  struct rlimit more = {RLIM_INFINITY, RLIM_INFINITY};
  struct utimbuf times = {0, 0};
  struct flock lock = {.l_type = F_RDLCK};
  char buffer[64];
  if (count < 6 || strcmp(arguments[count - 5], "--")) return 2;
  service = atoi(arguments[count - 4]), media = atoi(arguments[count - 3]);
  secret = arguments[count - 2], neighbour = arguments[count - 1], self = arguments[0];

  /* what a child needs */
  TRY("write a file in the job folder", try_open("own.txt", O_WRONLY | O_CREAT | O_TRUNC));
  TRY("read it", try_open("own.txt", O_RDONLY));
  TRY("rename it", rename("own.txt", "other.txt"));
  TRY("delete it", unlink("other.txt"));
  TRY("make a folder in the job folder", mkdir("folder", 0700) || rmdir("folder") ? -1 : 0);
  TRY("list the job folder", try_open(".", O_RDONLY | O_DIRECTORY));
  TRY("read its program", try_open(self, O_RDONLY));
  TRY("read a library", try_open("/lib64/ld-linux-x86-64.so.2", O_RDONLY));
  TRY("read /dev/null", try_open("/dev/null", O_RDONLY));
  TRY("write /dev/null", try_open("/dev/null", O_WRONLY));
  TRY("read /dev/urandom", try_open("/dev/urandom", O_RDONLY));
  TRY("start a thread", try_thread());
  TRY("signal itself", kill(getpid(), 0));
  TRY("look at the size of any file", access("/etc/passwd", F_OK));

  /* files */
  TRY("write its program", try_open(self, O_WRONLY));
  TRY("empty its program", try_open(self, O_RDONLY | O_TRUNC));
  TRY("truncate its program", truncate(self, 0));
  TRY("write a library", try_open("/lib64/ld-linux-x86-64.so.2", O_WRONLY));
  TRY("write /dev/urandom", try_open("/dev/urandom", O_WRONLY));
  TRY("read a secret file", try_open(secret, O_RDONLY));
  TRY("write a secret file", try_open(secret, O_WRONLY));
  TRY("truncate a secret file", truncate(secret, 0));
  TRY("delete a secret file", unlink(secret));
  TRY("read a file of another job", try_open(neighbour, O_RDONLY));
  TRY("write a file of another job", try_open(neighbour, O_WRONLY));
  TRY("rename a file of another job", rename(neighbour, "stolen"));
  TRY("hard link a file of another job", link(neighbour, "stolen"));
  TRY("list the folder above", try_open("..", O_RDONLY | O_DIRECTORY));
  TRY("make a file in the folder above", try_open("../made", O_WRONLY | O_CREAT));
  TRY("read /etc/passwd", try_open("/etc/passwd", O_RDONLY));
  TRY("list /", try_open("/", O_RDONLY | O_DIRECTORY));
  TRY("make a file in /tmp", try_open("/tmp/kinora-hostile", O_WRONLY | O_CREAT));
  TRY("make a file in /dev/shm", try_open("/dev/shm/kinora-hostile", O_WRONLY | O_CREAT));
  TRY("read /dev/zero", try_open("/dev/zero", O_RDONLY));
  TRY("open a terminal", try_open("/dev/ptmx", O_RDWR));
  TRY("make a symbolic link", symlink("/etc/passwd", "link"));
  TRY("make a named pipe", mkfifo("pipe", 0600));
  TRY("make a device", mknod("device", S_IFCHR | 0600, 0x103));
  TRY("chmod in the job folder", chmod(".", 0777));
  TRY("fchmod a stream", fchmod(1, 0777));
  TRY("chmod a secret file", chmod(secret, 0777));
  TRY("chown a secret file", chown(secret, getuid(), getgid()));
  TRY("set an extended attribute", setxattr(secret, "user.kinora", "1", 1, 0));
  TRY("read an extended attribute", getxattr(secret, "user.kinora", buffer, sizeof buffer));
  TRY("change the time of a secret file", utime(secret, &times));
  TRY("open by openat2", syscall(__NR_openat2, AT_FDCWD, "/etc/passwd", (uint64_t[3]){O_RDONLY}, 24));
  TRY("open by handle", syscall(__NR_open_by_handle_at, AT_FDCWD, buffer, O_RDONLY));
  TRY("watch a folder", syscall(__NR_inotify_init1, 0));
  TRY("make a file in memory", syscall(__NR_memfd_create, "hostile", 0));
  TRY("lock a stream for others", fcntl(1, F_OFD_SETLK, &lock));

  /* other processes */
  TRY("read the environment of the service", try_open(of_process(service, "environ"), O_RDONLY));
  TRY("read the memory of the service", try_open(of_process(service, "mem"), O_RDONLY));
  TRY("read the command line of the service", try_open(of_process(service, "cmdline"), O_RDONLY));
  TRY("open a descriptor of the service", try_open(of_process(service, "fd/1"), O_RDONLY));
  TRY("read the environment of kinora-media", try_open(of_process(media, "environ"), O_RDONLY));
  TRY("read its own environment by /proc", try_open("/proc/self/environ", O_RDONLY));
  TRY("read /proc/mounts", try_open("/proc/mounts", O_RDONLY));
  TRY("trace the service", ptrace(PTRACE_ATTACH, service, 0, 0));
  TRY("trace kinora-media", ptrace(PTRACE_SEIZE, media, 0, 0));
  TRY("read the memory of the service by a call", syscall(__NR_process_vm_readv, service, NULL, 0, NULL, 0, 0));
  TRY("kill the service", kill(service, 0));
  TRY("kill kinora-media", kill(media, 0));
  TRY("kill its group", kill(0, 0));
  TRY("kill everything", kill(-1, 0));
  TRY("signal a thread of the service", syscall(__NR_tgkill, service, service, 0));
  TRY("signal a thread by tkill", syscall(__NR_tkill, service, 0));
  TRY("queue a signal", syscall(__NR_rt_sigqueueinfo, service, 0, buffer));
  TRY("open a handle of the service", syscall(__NR_pidfd_open, service, 0));
  TRY("own the signals of a stream", fcntl(1, F_SETOWN, service));
  TRY("change the priority of the service", setpriority(PRIO_PROCESS, (unsigned)service, 19));
  TRY("change the limits of the service", prlimit(service, RLIMIT_CPU, &more, NULL));
  TRY("raise its own limits", setrlimit(RLIMIT_NOFILE, &more));
  TRY("compare descriptors with the service", syscall(__NR_kcmp, getpid(), service, 0, 0, 0));

  /* new processes and programs */
  TRY("fork", try_fork(syscall(__NR_clone, SIGCHLD, 0, 0, 0, 0)));
  TRY("fork by clone3", try_fork(syscall(__NR_clone3, (uint64_t[11]){[4] = SIGCHLD}, 88)));
  TRY("vfork", try_fork(syscall(__NR_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0, 0)));
#ifdef __NR_fork
  TRY("fork by fork", try_fork(syscall(__NR_fork)));
#endif
  TRY("execute a shell", execve("/bin/sh", none, none));
  TRY("execute its program", execve(self, none, none));
  TRY("execute its program by a descriptor", syscall(__NR_execveat, open(self, O_PATH), "", none, none, AT_EMPTY_PATH));
  TRY("execute its program as kinora-media did", try_exec_again());
  TRY("start a new session", setsid());

  /* sockets */
  const struct { const char *name; int family, type, protocol; } sockets[] = {
      {"a TCP socket", AF_INET, SOCK_STREAM, 0},      {"a UDP socket", AF_INET, SOCK_DGRAM, 0},
      {"an IPv6 socket", AF_INET6, SOCK_STREAM, 0},   {"a raw socket", AF_INET, SOCK_RAW, IPPROTO_ICMP},
      {"a Unix socket", AF_UNIX, SOCK_STREAM, 0},     {"a netlink socket", AF_NETLINK, SOCK_RAW, 0},
      {"a packet socket", AF_PACKET, SOCK_RAW, 0},    {"a vsock socket", AF_VSOCK, SOCK_STREAM, 0},
      {"a crypto socket", AF_ALG, SOCK_SEQPACKET, 0}, {"a Bluetooth socket", AF_BLUETOOTH, SOCK_RAW, 0},
  };
  for (size_t i = 0; i < sizeof sockets / sizeof *sockets; i++)
    TRY(sockets[i].name, socket(sockets[i].family, sockets[i].type, sockets[i].protocol));
  TRY("a pair of sockets", socketpair(AF_UNIX, SOCK_STREAM, 0, (int[2]){0}));
  TRY("connect to an abstract socket", try_connect_unix("kinora"));
  TRY("connect a stream elsewhere", connect(1, (struct sockaddr *)&(struct sockaddr_in){.sin_family = AF_INET}, 16));
  TRY("listen on a stream", listen(1, 1));
  TRY("send a descriptor to the service", try_send_descriptor());
  TRY("receive a descriptor", recvmsg(1, &(struct msghdr){0}, MSG_DONTWAIT));

  /* the kernel; without a box, these calls would fail for another reason, so that a missing wall does no harm */
  TRY("mount", mount("none", "none", "tmpfs", 0, NULL));
  TRY("unmount", umount2("none", MNT_DETACH));
  TRY("chroot", chroot("none"));
  TRY("pivot_root", syscall(__NR_pivot_root, "none", "none"));
  TRY("a user namespace", unshare(CLONE_NEWUSER));
  TRY("a network namespace", unshare(CLONE_NEWNET));
  TRY("enter a namespace", setns(1, 0));
  TRY("become root", setuid(0));
  TRY("set capabilities", syscall(__NR_capset, buffer, buffer));
  TRY("become dumpable", prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
  TRY("be traced by anyone", prctl(PR_SET_PTRACER, -1, 0, 0, 0));
  TRY("survive the service", prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0));
  TRY("load a BPF program", syscall(__NR_bpf, 0, buffer, sizeof buffer));
  TRY("another seccomp filter", syscall(__NR_seccomp, 0, 0, NULL));
  TRY("an io_uring", syscall(__NR_io_uring_setup, 1, buffer));
  TRY("perf events", syscall(__NR_perf_event_open, buffer, 0, -1, -1, 0));
  TRY("userfaultfd", syscall(__NR_userfaultfd, 0));
  TRY("the keyring", syscall(__NR_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_USER_KEYRING, 0));
  TRY("shared memory", syscall(__NR_shmget, 0x6b696e6f, 4096, 0600 | 01000));
  TRY("a message queue", syscall(__NR_msgget, 0x6b696e6f, 0600 | 01000));
  TRY("a POSIX message queue", syscall(__NR_mq_open, "hostile", O_CREAT | O_RDWR, 0600, NULL));
  TRY("type into a terminal", ioctl(1, TIOCSTI, "x"));
  TRY("set the clock", syscall(__NR_clock_settime, 0, (long[2]){0, -1}));
  TRY("set the host name", syscall(__NR_sethostname, "hostile", -1));
  TRY("reboot", syscall(__NR_reboot, 0, 0, 0, NULL));
  TRY("load a module", syscall(__NR_init_module, buffer, 0, ""));
  TRY("read the kernel's log", syscall(__NR_syslog, 3, buffer, sizeof buffer));
  _exit(0);
}
