#define _GNU_SOURCE
#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <linux/securebits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Newer than the headers of Debian 12. */
enum { truncate_right = 1 << 14, ioctl_right = 1 << 15 };
struct ruleset {
  uint64_t files, network, scopes;
};

int landlock_version(void) {
  long version = syscall(__NR_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version > 0 ? (int)version : 0;
}

static int write_file(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return -1;
  ssize_t written = write(file, text, strlen(text));
  close(file);
  return written < 0 ? -1 : 0;
}

static int map_ids(unsigned uid, unsigned gid) {
  char uid_map[64], gid_map[64];
  snprintf(uid_map, sizeof uid_map, "%u %u 1", uid, uid);
  snprintf(gid_map, sizeof gid_map, "%u %u 1", gid, gid);
  if (write_file("/proc/self/setgroups", "deny") || write_file("/proc/self/uid_map", uid_map)) return -1;
  return write_file("/proc/self/gid_map", gid_map);
}

int enter_namespaces(void) {
  unsigned uid = geteuid(), gid = getegid();
  int others = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC;
  if (unshare(CLONE_NEWUSER | others) == 0) {
    if (map_ids(uid, gid)) return -1;
  } else {
    int error = errno;
    /* Root needs no user namespace. Anyone else gets the first error, which is the reason. */
    if (unshare(others)) {
      errno = error;
      return -1;
    }
  }
  if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL)) return -1;
  /* No child can look at a process, whatever Landlock forgets. */
  return mount("none", "/proc", "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4k");
}

void drop_capabilities(void) {
  /* Without CAP_SETPCAP the first calls fail; then there is nothing that an exec could give back. */
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; capability++) prctl(PR_CAPBSET_DROP, capability);
  prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
                               SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED);
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[2] = {{0}};
  syscall(__NR_capset, &header, none);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

static int limit(int resource, uint64_t soft, uint64_t hard) {
  struct rlimit current, wanted = {soft, hard};
  if (getrlimit(resource, &current)) return -1;
  if (wanted.rlim_max > current.rlim_max) wanted.rlim_max = current.rlim_max; /* a stricter limit of the operator */
  if (wanted.rlim_cur > wanted.rlim_max) wanted.rlim_cur = wanted.rlim_max;
  return setrlimit(resource, &wanted);
}

int limit_resources(const struct rights *rights) {
  /* The soft limit of CPU time sends SIGXCPU, which tells it from a kill; the hard one ends a child that ignores it. */
  return limit(RLIMIT_CPU, rights->cpu_seconds, rights->cpu_seconds + 5) ||
                 limit(RLIMIT_FSIZE, rights->file_bytes, rights->file_bytes) || limit(RLIMIT_CORE, 0, 0) ||
                 limit(RLIMIT_NOFILE, 256, 256) || limit(RLIMIT_DATA, rights->data_bytes, rights->data_bytes) ||
                 (rights->address_bytes && limit(RLIMIT_AS, rights->address_bytes, rights->address_bytes))
             ? -1
             : 0;
}

/* Paths that do not exist are left out: not every machine has every folder of libraries. */
static int allow_path(int ruleset, const char *path, uint64_t rights) {
  int file = open(path, O_PATH | O_CLOEXEC);
  if (file < 0) return 0;
  struct stat found;
  if (fstat(file, &found)) return -1;
  if (!S_ISDIR(found.st_mode))
    rights &= LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | truncate_right;
  struct landlock_path_beneath_attr rule = {.allowed_access = rights, .parent_fd = file};
  long failed = syscall(__NR_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  close(file);
  return failed ? -1 : 0;
}

int restrict_files(const struct rights *rights) {
  static const char *const loaders[] = {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1",
                                        "/lib/ld-musl-x86_64.so.1", "/lib/ld-musl-aarch64.so.1"};
  static const char *const libraries[] = {"/lib",           "/lib64",          "/usr/lib",         "/usr/lib64",
                                          "/usr/local/lib", "/etc/ld.so.cache", "/etc/ld.so.preload"};
  const uint64_t read = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
  /* No links, sockets, pipes or devices: the service opens what a child has left there. */
  uint64_t write = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                   LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG;
  int version = landlock_version();
  struct ruleset handled = {.files = (1 << 13) - 1};
  if (version >= 2) handled.files |= LANDLOCK_ACCESS_FS_REFER;
  if (version >= 3) handled.files |= truncate_right, write |= truncate_right;
  if (version >= 4) handled.network = 3; /* bind and connect with TCP */
  if (version >= 5) handled.files |= ioctl_right;
  if (version >= 6) handled.scopes = 3; /* abstract Unix sockets and signals */
  size_t size = version >= 6 ? sizeof handled : version >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
  int ruleset = (int)syscall(__NR_landlock_create_ruleset, &handled, size, 0);
  if (ruleset < 0) return -1;
  if (allow_path(ruleset, rights->program, LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE)) return -1;
  for (size_t i = 0; i < sizeof loaders / sizeof *loaders; i++)
    if (allow_path(ruleset, loaders[i], LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE)) return -1;
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
    if (allow_path(ruleset, libraries[i], read)) return -1;
  for (const char *const *path = rights->readable; *path; path++)
    if (allow_path(ruleset, *path, read)) return -1;
  if (allow_path(ruleset, "/dev/null", LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE)) return -1;
  if (allow_path(ruleset, "/dev/urandom", LANDLOCK_ACCESS_FS_READ_FILE)) return -1;
  if (allow_path(ruleset, rights->folder, read | write)) return -1;
  int failed = (int)syscall(__NR_landlock_restrict_self, ruleset, 0);
  close(ruleset);
  return failed;
}
