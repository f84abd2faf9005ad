#include "cli.h"
#include "pliant/studio.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef PL_STUDIO
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

extern char **environ;

// ---- the browser --------------------------------------------------------------------------------

// A page that leads to the address, for this user alone: command lines, and with them tokens, are
// seen by all users of a machine.
static int write_door(const char *address, char path[PL_TEXT]) {
  const char *folder = getenv("XDG_RUNTIME_DIR");
  if (!folder) folder = getenv("TMPDIR");
  snprintf(path, PL_TEXT, "%.400s/pliant-studio-XXXXXX.html", folder ? folder : "/tmp");
  int fd = mkostemps(path, 5, O_CLOEXEC);
  if (fd < 0) return 0;
  int ok =
      dprintf(fd,
              "<!doctype html><meta charset=utf-8><title>pliant studio</title>\n"
              "<meta http-equiv=refresh content=\"0;url=%s\">\n<a href=\"%s\">pliant studio</a>\n",
              address, address) > 0;
  if (close(fd) == 0 && ok) return 1;
  unlink(path);
  return 0;
}

// 0: there is no browser to be had
static int open_browser(const char *door) {
  char *const words[] = {"xdg-open", (char *)door, NULL};
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attr;
  sigset_t none;
  pid_t pid;
  sigemptyset(&none);
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_init(&attr);
  posix_spawnattr_setsigmask(&attr, &none);
  // Ctrl-C is for the server
  posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  int failed = posix_spawnp(&pid, words[0], &files, &attr, words, environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attr);
  return !failed;
}

// ---- what is opened -----------------------------------------------------------------------------

typedef struct target {
  char folder[PL_TEXT], scene[PL_TEXT], results[PL_TEXT];
} target;

static int is_there(const char *folder, const char *name) {
  char path[2 * PL_TEXT];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return access(path, F_OK) == 0;
}

// folder and name of a path, links resolved
static pl_status split(pl_env *env, const char *path, char folder[PL_TEXT], char name[PL_TEXT]) {
  char *full = realpath(path, NULL);
  if (!full) return pl_fail_at(env, PL_E_IO, path, 0, 0, NULL, "cannot open: %s", strerror(errno));
  char *slash = strrchr(full, '/');
  int fits = snprintf(name, PL_TEXT, "%s", slash + 1) < PL_TEXT;
  slash[slash == full] = 0;
  fits &= snprintf(folder, PL_TEXT, "%s", full) < PL_TEXT;
  free(full);
  return fits ? PL_OK : pl_fail_at(env, PL_E_IO, path, 0, 0, NULL, "the name is too long");
}

static pl_status find_target(const cli_args *a, target *t) {
  char file[PL_TEXT];
  struct stat st;
  const char *word = a->npos ? a->pos[0] : NULL;
  snprintf(t->folder, sizeof t->folder, ".");
  if (!word) return PL_OK;
  // a copy of it is made in the working folder
  if (access(word, F_OK) != 0 && strncmp(word, "gallery/", 8) == 0) {
    snprintf(t->scene, sizeof t->scene, "%s", word);
    return PL_OK;
  }
  if (is_there(word, "summary.json")) return split(a->env, word, t->folder, t->results);
  const char *path = cli_scene(word, file);
  if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
    snprintf(t->folder, sizeof t->folder, "%s", path);
    return PL_OK;
  }
  return split(a->env, path, t->folder, t->scene);
}

// -1: nonsense, reported
static int read_port(const cli_args *a) {
  const char *text = cli_value(a, "port");
  if (!text) return 0;
  char *end;
  long n = strtol(text, &end, 10);
  if (!*end && end != text && n >= 0 && n <= 65535) return (int)n;
  fprintf(stderr, "pliant: error: --port must be a whole number from 0 to 65535, got '%s'\n", text);
  return -1;
}

// ---- the command --------------------------------------------------------------------------------

static void warn_of_others(const pl_studio_opts *o) {
  if (!o->bind || strncmp(o->bind, "127.", 4) == 0) return;
  fprintf(
      stderr,
      "pliant: warning: the studio can be reached from other machines: whoever has the address "
      "with its\n  token may read and write files in '%s', and nothing is encrypted on the way\n",
      o->folder);
}

static int serve(const cli_args *a, const pl_studio_opts *o) {
  pl_studio *s;
  sigset_t stops, old;
  char door[PL_TEXT] = "";
  // they come while sigsuspend waits, and nowhere between
  sigemptyset(&stops);
  sigaddset(&stops, SIGINT);
  sigaddset(&stops, SIGTERM);
  sigprocmask(SIG_BLOCK, &stops, &old);
  pl_status status = pl_studio_start(a->env, o, &s);
  if (status != PL_OK) return cli_exit_code(status);
  warn_of_others(o);
  puts(pl_studio_address(s));
  fflush(stdout);
  int display = getenv("DISPLAY") || getenv("WAYLAND_DISPLAY");
  if (!cli_value(a, "no-browser") && display && write_door(pl_studio_address(s), door) &&
      !open_browser(door))
    fprintf(stderr, "pliant: there is no xdg-open: open the address above in a browser\n");
  if (!cli_value(a, "quiet")) fprintf(stderr, "pliant: Ctrl-C stops the studio\n");
  while (pl_report_progress(a->env, NULL, 0, NULL) == PL_OK) {
    sigsuspend(&old);
    while (waitpid(-1, NULL, WNOHANG) > 0) continue;
  }
  if (door[0]) unlink(door);
  pl_studio_stop(s);
  return CODE_DONE;
}

int cmd_studio(const cli_args *a) {
  target t = {0};
  pl_studio_opts o = {
      .bind = cli_value(a, "bind"), .port = read_port(a), .threads = cli_threads(a)};
  if (o.port < 0 || o.threads < 0) return CODE_USAGE;
  screen_attach(a->env, cli_value(a, "quiet") != NULL);
  pl_status status = find_target(a, &t);
  if (status != PL_OK) return cli_exit_code(status);
  o.folder = t.folder;
  o.scene = t.scene[0] ? t.scene : NULL;
  o.results = t.results[0] ? t.results : NULL;
  if (cli_value(a, "replay"))
    return cli_exit_code(pl_studio_replay(a->env, &o, cli_value(a, "replay")));
  return serve(a, &o);
}

#else

int cmd_studio(const cli_args *a) {
  (void)a;
  fprintf(stderr, "pliant: error: this pliant was built without the studio\n"
                  "  hint: configure with -DPLIANT_STUDIO=ON\n");
  return CODE_USAGE;
}

#endif
