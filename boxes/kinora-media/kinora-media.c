/* Starts every child of one role, so that the role itself, a large process with secrets, never forks.
 *
 * The parent talks to it through an abstract Unix socket whose name is in the line that it prints at start. Every child
 * has a control connection and one connection for each of its streams. A connection begins with the number of the child
 * and a role: 0 to 3 for the descriptor that the child gets, 4 for control. A control connection goes on with a request
 * (`struct request` and its strings), and gets messages (`struct message`) back. When the parent closes its side of it,
 * the child is killed. When the parent ends, which closes stdin, everything ends.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "confine.h"
#include "refuse-calls.h"

enum { control_role = 4, streams = 4, most_connections = 4096, most_request_bytes = 1 << 20 };
enum { report_descriptor = program_descriptor + 1 };
enum message_kind { started_message = 1, ended_message, failed_message };
/* Where a start failed; box.ts has the same list. */
enum step { in_fork = 1, in_folder, in_program, in_streams, in_limits, in_landlock, in_seccomp, in_exec };

struct request {
  uint32_t bytes;       /* of this struct and its strings */
  uint32_t connections; /* a bit for each stream that is a connection */
  uint32_t reads_from;  /* the number of the child whose stdout is this one's stdin, or 0 */
  uint32_t is_piped;    /* whether another child reads its stdout */
  uint64_t data_bytes, address_bytes, cpu_seconds, file_bytes;
  uint32_t arguments, variables, readable, unused;
  char strings[]; /* program, folder, arguments, variables, readable paths; each ends with NUL */
};
struct message {
  uint32_t kind, value;
};

struct job {
  struct job *next;
  uint32_t number;
  int control, stream[streams];
  bool is_cancelled;
  char *buffer; /* of the request, as far as it has arrived */
  size_t received;
  pid_t pid; /* 0: not started */
};
/* A pipe between two children, of which at least one has not started. */
struct link {
  struct link *next;
  uint32_t writer;
  int end[2];
};

static struct job *jobs;
static struct link *links;
static int pending[most_connections], pending_count;
static pid_t own_pid;
static bool is_confined;

static void send_message(int socket, uint32_t kind, uint32_t value) {
  struct message message = {kind, value};
  send(socket, &message, sizeof message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void close_if_open(int *descriptor) {
  if (*descriptor >= 0) close(*descriptor);
  *descriptor = -1;
}

static struct job *find_job(uint32_t number) {
  for (struct job *job = jobs; job; job = job->next)
    if (job->number == number) return job;
  struct job *job = calloc(1, sizeof *job);
  if (!job) exit(1);
  *job = (struct job){.next = jobs, .number = number, .control = -1, .stream = {-1, -1, -1, -1}};
  return jobs = job;
}

/* Returns one end of the pipe that the child `writer` writes to. Each end is taken once. */
static int take_link(uint32_t writer, int end) {
  struct link **place = &links;
  while (*place && (*place)->writer != writer) place = &(*place)->next;
  struct link *link = *place;
  if (!link) {
    link = malloc(sizeof *link);
    if (!link || pipe2(link->end, O_CLOEXEC)) exit(1);
    fcntl(link->end[0], F_SETPIPE_SZ, 1 << 20); /* a frame or two; a smaller pipe works too */
    link->writer = writer;
    link->next = links;
    place = &links;
    links = link;
  }
  int taken = link->end[end];
  link->end[end] = -1;
  if (link->end[0] < 0 && link->end[1] < 0) {
    *place = link->next;
    free(link);
  }
  return taken;
}

static void drop_job(struct job *job) {
  struct job **place = &jobs;
  while (*place != job) place = &(*place)->next;
  *place = job->next;
  for (int i = 0; i < streams; i++) close_if_open(&job->stream[i]);
  close_if_open(&job->control);
  free(job->buffer);
  free(job);
}

/* Splits the strings of a request; returns false if one is missing. */
static bool read_strings(const struct request *request, const char **strings, size_t count) {
  const char *next = request->strings, *end = (const char *)request + request->bytes;
  for (size_t i = 0; i < count; i++) {
    size_t length = strnlen(next, (size_t)(end - next));
    if (next + length >= end) return false;
    strings[i] = next;
    next += length + 1;
  }
  return next == end;
}

static _Noreturn void give_up(enum step step) {
  struct message message = {failed_message, (uint32_t)step << 16 | (uint32_t)errno};
  write(report_descriptor, &message, sizeof message); /* not `send`, which seccomp may already refuse */
  _exit(127);
}

/* In the child: takes its place behind the walls and becomes the program. */
static _Noreturn void become(struct job *job, const struct rights *rights, char **arguments, char **variables) {
  dup3(job->control, report_descriptor, O_CLOEXEC);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  /* In a PID namespace the parent is out of sight, and its end ends the namespace. */
  if (getppid() != own_pid && getppid() != 0) _exit(127);
  setsid();
  umask(077);
  const int ignored[] = {SIGPIPE, SIGTERM, SIGINT, SIGHUP};
  for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);

  if (chdir(rights->folder)) give_up(in_folder);
  int program = open(rights->program, O_PATH | O_CLOEXEC);
  if (program < 0 || dup3(program, program_descriptor, O_CLOEXEC) < 0) give_up(in_program);
  int empty = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int i = 0; i < streams; i++) {
    int source = job->stream[i] >= 0 ? job->stream[i] : i < 3 ? empty : -1;
    if (source < 0) close(i);
    else if (dup2(source, i) < 0) give_up(in_streams);
  }
  /* All others are closed by exec, but must not be open until then either. */
  syscall(__NR_close_range, streams, program_descriptor - 1, 0);
  syscall(__NR_close_range, report_descriptor + 1, ~0u, 0);
  if (limit_resources(rights)) give_up(in_limits);
  if (is_confined && restrict_files(rights)) give_up(in_landlock);
  if (is_confined && refuse_calls()) give_up(in_seccomp);
  syscall(__NR_execveat, program_descriptor, "", arguments, variables, AT_EMPTY_PATH);
  give_up(in_exec);
}

static void start(struct job *job) {
  const struct request *request = (const struct request *)job->buffer;
  size_t count = 2 + (size_t)request->arguments + request->variables + request->readable;
  const char **strings = request->bytes > count ? calloc(count + 3, sizeof *strings) : NULL;
  if (!strings || !read_strings(request, strings, count)) exit(1); /* only the parent writes here */
  /* Each list is moved up by the NULL that ends the list before it. */
  const char **arguments = strings + 2, **variables = arguments + request->arguments + 1;
  const char **readable = variables + request->variables + 1;
  memmove(readable, arguments + request->arguments + request->variables, request->readable * sizeof *strings);
  memmove(variables, arguments + request->arguments, request->variables * sizeof *strings);
  variables[-1] = readable[-1] = NULL;
  readable[request->readable] = NULL;
  struct rights rights = {request->data_bytes, request->address_bytes, request->cpu_seconds, request->file_bytes,
                          strings[0],          strings[1],             readable};

  if (request->reads_from) job->stream[0] = take_link(request->reads_from, 0);
  if (request->is_piped) job->stream[1] = take_link(job->number, 1);
  pid_t pid = job->is_cancelled ? -1 : fork();
  if (pid == 0) become(job, &rights, (char **)arguments, (char **)variables);
  for (int i = 0; i < streams; i++) close_if_open(&job->stream[i]);
  free(strings);
  if (pid > 0) {
    job->pid = pid;
    send_message(job->control, started_message, (uint32_t)pid);
  } else {
    if (job->is_cancelled) send_message(job->control, ended_message, SIGKILL);
    else send_message(job->control, failed_message, (uint32_t)in_fork << 16 | (uint32_t)errno);
    drop_job(job);
  }
}

/* Starts the job if its request and all its streams have arrived. */
static void start_if_complete(struct job *job) {
  const struct request *request = (const struct request *)job->buffer;
  if (job->pid || job->received < sizeof *request || job->received < request->bytes) return;
  for (int i = 0; i < streams; i++)
    if (request->connections & 1u << i && job->stream[i] < 0) return;
  start(job);
}

/* Reads what has arrived on a control connection. */
static void read_control(struct job *job) {
  char surplus[64];
  size_t wanted = sizeof(struct request);
  if (job->received >= wanted) wanted = ((const struct request *)job->buffer)->bytes;
  if (wanted < sizeof(struct request) || wanted > most_request_bytes) exit(1);
  bool is_whole = job->received == wanted && wanted > sizeof(struct request);
  if (!is_whole && !(job->buffer = realloc(job->buffer, wanted))) exit(1);
  char *place = is_whole ? surplus : job->buffer + job->received;
  ssize_t count = recv(job->control, place, is_whole ? sizeof surplus : wanted - job->received, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    job->is_cancelled = true;
    if (job->pid) {
      kill(-job->pid, SIGKILL);
      kill(job->pid, SIGKILL); /* before its setsid the child has no group */
    } else if (!is_whole) drop_job(job);
    return;
  }
  if (!is_whole) job->received += (size_t)count;
  start_if_complete(job);
}

/* Reads the first bytes of a connection; returns false if they have not arrived. */
static bool read_header(int connection) {
  uint32_t header[2];
  ssize_t count = recv(connection, header, sizeof header, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (count != sizeof header || header[1] > control_role) {
    close(connection);
    return true;
  }
  struct job *job = find_job(header[0]);
  if (header[1] == control_role) job->control = connection;
  else {
    job->stream[header[1]] = connection;
    start_if_complete(job);
  }
  return true;
}

/* Takes new connections; any process of the machine may try, but only the parent is let in. */
static void take_connections(int listener, pid_t parent) {
  int connection;
  while (pending_count < most_connections && (connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    bool is_parent = !getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) && peer.pid == parent;
    bool is_free = connection < program_descriptor; /* a child needs the descriptors from there on */
    if (!is_parent || peer.uid != getuid() || !is_free) close(connection);
    else pending[pending_count++] = connection;
  }
}

static void reap(pid_t init) {
  int status;
  pid_t pid;
  while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
    if (pid == init) exit(1); /* its PID namespace has ended, and every child with it */
    struct job *job = jobs;
    while (job && job->pid != pid) job = job->next;
    if (!job) continue;
    send_message(job->control, ended_message, (uint32_t)status);
    drop_job(job);
  }
}

/* Runs a step in a process of its own, to find out whether the kernel allows it; returns its errno. */
static int try(int (*step)(void)) {
  pid_t pid = fork();
  if (pid == 0) _exit(step() ? errno : 0);
  int status;
  if (pid < 0 || waitpid(pid, &status, 0) != pid) return errno;
  return WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
}
static int try_landlock(void) {
  const char *none[] = {NULL};
  struct rights rights = {.program = "/dev/null", .folder = "/dev", .readable = none};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return restrict_files(&rights);
}
static int try_seccomp(void) {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return refuse_calls();
}
static int try_namespaces(void) {
  if (enter_namespaces()) return -1;
  pid_t pid = fork();
  if (pid == 0) _exit(0);
  return pid > 0 ? 0 : -1;
}

/* The first process of the PID namespace: when it ends, the kernel kills all others there. */
static pid_t start_init(void) {
  pid_t pid = fork();
  if (pid < 0) exit(1);
  if (pid > 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  syscall(__NR_close_range, 0, ~0u, 0);
  for (;;) pause();
}

int main(void) {
  pid_t parent = getppid();
  own_pid = getpid();
  setsid(); /* Ctrl-C in a terminal is for the parent, which may still need its children */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  /* Keeps 0 to 3 taken, so that no stream of a child is in the way of another. */
  if (fcntl(3, F_GETFD) < 0 && dup2(0, 3) < 0) return 1;
  fcntl(3, F_SETFD, FD_CLOEXEC);

  int landlock_error = landlock_version() ? try(try_landlock) : errno;
  int seccomp_error = try(try_seccomp);
  is_confined = !landlock_error && !seccomp_error;
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  socklen_t size = sizeof address;
  /* A name of the kernel's choice, bound before the network namespace changes, so that the parent can reach it. */
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address.sun_family) ||
      listen(listener, most_connections) || getsockname(listener, (struct sockaddr *)&address, &size))
    return 1;
  int namespaces_error = try(try_namespaces);
  if (!namespaces_error && enter_namespaces()) return 1;
  drop_capabilities();
  pid_t init = namespaces_error ? 0 : start_init();
  sigset_t child_signal;
  sigemptyset(&child_signal);
  sigaddset(&child_signal, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child_signal, NULL);
  int signals = signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals < 0) return 1;
  printf("{\"socket\":\"%.*s\",\"landlock\":%d,\"landlockError\":%d,\"seccompError\":%d,\"namespacesError\":%d}\n",
         (int)(size - offsetof(struct sockaddr_un, sun_path) - 1), address.sun_path + 1, landlock_version(),
         landlock_error, seccomp_error, namespaces_error);
  fflush(stdout);

  static struct pollfd polled[3 + 2 * most_connections];
  for (;;) {
    polled[0] = (struct pollfd){0, POLLIN, 0};
    polled[1] = (struct pollfd){listener, POLLIN, 0};
    polled[2] = (struct pollfd){signals, POLLIN, 0};
    nfds_t count = 3;
    for (int i = 0; i < pending_count; i++) polled[count++] = (struct pollfd){pending[i], POLLIN, 0};
    for (struct job *job = jobs; job && count < sizeof polled / sizeof *polled; job = job->next)
      if (job->control >= 0 && !job->is_cancelled) polled[count++] = (struct pollfd){job->control, POLLIN, 0};
    if (poll(polled, count, -1) < 0 && errno != EINTR) return 1;

    char byte;
    if (polled[0].revents && read(0, &byte, 1) <= 0) return 0;
    struct signalfd_siginfo info;
    while (read(signals, &info, sizeof info) > 0) continue;
    reap(init);
    take_connections(listener, parent);
    int kept = 0;
    for (int i = 0; i < pending_count; i++)
      if (!read_header(pending[i])) pending[kept++] = pending[i];
    pending_count = kept;
    for (struct job *job = jobs, *next; job; job = next) {
      next = job->next;
      if (job->control >= 0 && !job->is_cancelled) read_control(job);
    }
  }
}
