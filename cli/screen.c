#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// the terminal is one per process, and so is this
static volatile sig_atomic_t interrupted;
static struct timespec interrupted_at;
static int quiet, on_terminal, drawn;
static double last_drawn;

// One signal may come several times: `timeout`, shells and batch systems send it to the process and
// to its group. Repeats within a second are the same one; a later one ends the program at once.
static void on_interrupt(int sig) {
  static const char text[] = "\npliant: stopping; what there is will be written. Once more ends at "
                             "once, without writing.\n";
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (!interrupted) {
    interrupted = 1;
    interrupted_at = now;
    int was = errno;
    if (on_terminal && !quiet) (void)!write(STDERR_FILENO, text, sizeof text - 1);
    errno = was;
    return;
  }
  double passed = (double)(now.tv_sec - interrupted_at.tv_sec) +
                  1e-9 * (double)(now.tv_nsec - interrupted_at.tv_nsec);
  if (passed < 1) return;
  signal(sig, SIG_DFL);
  raise(sig);
}

void screen_clear(void) {
  if (drawn) fprintf(stderr, "\r\033[K");
  drawn = 0;
}

void cli_summary(void *ctx, const char *json) {
  (void)ctx;
  screen_clear();
  puts(json);
}

static void show(void *ctx, const pl_diag *d) {
  (void)ctx;
  if (quiet && d->level != PL_ERROR) return;
  char raw[4 * PL_TEXT], line[sizeof raw];
  pl_diag_format(d, raw, sizeof raw);
  screen_clear();
  // names and values come from files
  fprintf(stderr, "%s%s\n", d->file[0] ? "" : "pliant: ", pl_printable(raw, line, sizeof line));
}

static int progress(void *ctx, const pl_progress *p) {
  (void)ctx;
  double now = pl_wall_time();
  // ten times a second on a terminal, a plain line every ten seconds elsewhere
  if (p->what && !quiet && now - last_drawn > (on_terminal ? 0.1 : 10)) {
    last_drawn = now;
    if (on_terminal) fprintf(stderr, "\r\033[K");
    if (p->done >= 0) fprintf(stderr, "%s %3.0f %%", p->what, 100 * p->done);
    if (p->done < 0) fprintf(stderr, "%s", p->what);
    if (p->text) fprintf(stderr, "  %s", p->text);
    if (!on_terminal) fputc('\n', stderr);
    drawn = on_terminal;
    fflush(stderr);
  }
  return interrupted;
}

void screen_attach(pl_env *env, int be_quiet) {
  quiet = be_quiet;
  on_terminal = isatty(STDERR_FILENO);
  last_drawn = pl_wall_time();
  env->diag = show;
  env->progress = progress;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_interrupt;
  // one of them does not come in the middle of the other
  sigaddset(&action.sa_mask, SIGINT);
  sigaddset(&action.sa_mask, SIGTERM);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}
