// Processes that take task after task. They are made by fork from a process with one thread: they
// have the scene and the plan of the study at once, nothing is read again, and a task is a number.
// One that ends is replaced by another; what it worked on is told as lost.
#include "study_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { QUIT = -1, LOOK = 100 }; // ms between looks at the clock

typedef struct process {
  pid_t pid; // 0: there is none
  int fd;
  int task;     // -1: idle
  double since; // it has the task
  pl_text text; // of its answer, which may come in pieces
} process;

typedef struct crew {
  const pool *p;
  int n, next; // tasks, and those that were handed out
  const int *task;
  int nprocess, busy;
  process *process;
  struct pollfd *poll;
} crew;

// what goes before an answer
typedef struct header {
  int64_t size, last; // last: the process ends after it
} header;

// ---- in the process
// -------------------------------------------------------------------------------

static int send_all(int fd, const void *data, size_t n) {
  for (const char *at = data; n > 0;) {
    ssize_t k = send(fd, at, n, MSG_NOSIGNAL);
    if (k < 0 && errno == EINTR) continue;
    if (k <= 0) return 0;
    at += k;
    n -= (size_t)k;
  }
  return 1;
}

static int receive(int fd, void *data, size_t n) {
  for (char *at = data; n > 0;) {
    ssize_t k = read(fd, at, n);
    if (k < 0 && errno == EINTR) continue;
    if (k <= 0) return 0;
    at += k;
    n -= (size_t)k;
  }
  return 1;
}

// It ends with its parent, leaves Ctrl-C to it, holds none of its files, and is the first to go
// where memory runs out.
static void settle(int fd, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_DFL);
  if (fd > 3) close_range(3, (unsigned)fd - 1, 0);
  close_range((unsigned)fd + 1, ~0U, 0);
  int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score < 0) return;
  (void)!write(score, "800", 3);
  close(score);
}

static _Noreturn void serve(const pool *p, int fd) {
  pl_text out;
  pl_env env = *p->env;
  int task;
  pl_text_init(&out, &env);
  while (receive(fd, &task, sizeof task) && task != QUIT) {
    out.n = 0;
    pl_status s = p->work(p->ctx, task, &out);
    header h = {(int64_t)out.n, s != PL_OK};
    // without an answer it is told as lost
    if (out.failed || out.n == 0) break;
    if (!send_all(fd, &h, sizeof h) || !send_all(fd, out.s, out.n) || s != PL_OK) break;
  }
  // nothing of the parent's is flushed twice
  _exit(0);
}

// ---- processes
// ------------------------------------------------------------------------------------

// 0: the system has none to give
static int start(const pool *p, process *w) {
  int pair[2];
  pid_t parent = getpid();
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return 0;
  pid_t pid = fork();
  if (pid == 0) {
    settle(pair[1], parent);
    serve(p, pair[1]);
  }
  close(pair[1]);
  if (pid < 0) {
    close(pair[0]);
    return 0;
  }
  w->pid = pid;
  w->fd = pair[0];
  w->task = -1;
  w->text.n = 0;
  return 1;
}

// waits for its end; how it came
static void reap(process *w, pool_end *how, int *code) {
  int status = 0;
  close(w->fd);
  while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
    ;
  w->pid = 0;
  *how = WIFSIGNALED(status) ? POOL_SIGNAL : POOL_EXIT;
  *code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

static void stop(process *w) {
  pool_end how;
  int code;
  if (w->pid == 0) return;
  kill(w->pid, SIGKILL);
  reap(w, &how, &code);
}

// ---- tasks
// ----------------------------------------------------------------------------------------

static pl_status hand_out(crew *c, process *w) {
  if (c->next == c->n) return PL_OK;
  if (w->pid == 0 && !start(c->p, w)) {
    // those that there are must do
    if (c->busy > 0) return PL_OK;
    return pl_fail(c->p->env, PL_E_NOMEM, "no process could be made: %s", strerror(errno));
  }
  w->task = c->task[c->next++];
  w->since = pl_wall_time();
  c->busy++;
  // a process that has ended shows at its socket
  send_all(w->fd, &w->task, sizeof w->task);
  return PL_OK;
}

static pl_status lose(crew *c, process *w, pool_end how, int code) {
  int task = w->task;
  w->task = -1;
  w->text.n = 0;
  if (task < 0) return PL_OK;
  c->busy--;
  return c->p->lost(c->p->ctx, task, how, code, pl_wall_time() - w->since);
}

// a whole answer, if it has come
static pl_status take(crew *c, process *w) {
  header h;
  if (w->text.n < sizeof h) return PL_OK;
  memcpy(&h, w->text.s, sizeof h);
  if (w->text.n - sizeof h < (size_t)h.size) return PL_OK;
  int task = w->task;
  w->task = -1;
  c->busy--;
  if (h.last) stop(w);
  pl_status s = c->p->done(c->p->ctx, task, w->text.s + sizeof h, (size_t)h.size);
  w->text.n = 0;
  return s;
}

static pl_status listen_to(crew *c, process *w) {
  char piece[1 << 16];
  ssize_t n = recv(w->fd, piece, sizeof piece, MSG_DONTWAIT);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return PL_OK;
  if (n > 0) {
    pl_text_put(&w->text, piece, (size_t)n);
    return w->text.failed ? PL_E_NOMEM : take(c, w);
  }
  pool_end how;
  int code;
  reap(w, &how, &code);
  return lose(c, w, how, code);
}

static pl_status watch_clock(crew *c, process *w) {
  if (w->task < 0 || !(c->p->limit > 0) || pl_wall_time() - w->since < c->p->limit) return PL_OK;
  stop(w);
  return lose(c, w, POOL_LIMIT, 0);
}

static pl_status turn(crew *c) {
  for (int i = 0; i < c->nprocess; i++)
    if (c->process[i].task < 0) PL_TRY(hand_out(c, &c->process[i]));
  for (int i = 0; i < c->nprocess; i++)
    c->poll[i] = (struct pollfd){c->process[i].pid ? c->process[i].fd : -1, POLLIN, 0};
  if (poll(c->poll, (nfds_t)c->nprocess, LOOK) < 0 && errno != EINTR)
    return pl_fail(c->p->env, PL_E_INTERNAL, "poll: %s", strerror(errno));
  for (int i = 0; i < c->nprocess; i++) {
    if (c->poll[i].fd >= 0 && c->poll[i].revents) PL_TRY(listen_to(c, &c->process[i]));
    PL_TRY(watch_clock(c, &c->process[i]));
  }
  return c->p->progress(c->p->ctx);
}

pl_status processes_run(const pool *p, int n, const int *task) {
  crew c = {.p = p, .n = n, .task = task, .nprocess = p->nprocess < n ? p->nprocess : n};
  c.process = pl_alloc(p->env, (size_t)c.nprocess, sizeof *c.process);
  c.poll = pl_alloc(p->env, (size_t)c.nprocess, sizeof *c.poll);
  pl_status s = c.process && c.poll ? PL_OK : PL_E_NOMEM;
  for (int i = 0; s == PL_OK && i < c.nprocess; i++) {
    c.process[i].task = -1;
    pl_text_init(&c.process[i].text, p->env);
  }
  while (s == PL_OK && (c.next < n || c.busy > 0)) s = turn(&c);
  for (int i = 0; c.process && i < c.nprocess; i++) {
    stop(&c.process[i]);
    pl_text_free(&c.process[i].text);
  }
  pl_free(p->env, c.process);
  pl_free(p->env, c.poll);
  return s;
}
