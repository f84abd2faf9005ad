// The result folder: one run at a time, and a list of the files that runs have written, so that the
// next one replaces all of them and nothing else. The list is `.pliant` in the folder, a name a
// line, written before the file is; the lock is on it.
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char LIST[] = ".pliant", END[] = "# done"; // END: the run came to its end
static const char AGAIN[] = "# resumed";

// ---- names --------------------------------------------------------------------------------------

static int find(const folder *f, const char *name) {
  for (int k = 0; k < f->n; k++)
    if (strcmp(f->name[k], name) == 0) return k;
  return -1;
}

// a list may have been edited: nothing outside of the folder is ever touched
static int is_inside(const char *name) {
  if (name[0] == 0 || name[0] == '/' || name[0] == '#' || strcmp(name, LIST) == 0) return 0;
  for (const char *p = name; p; p = strchr(p, '/') ? strchr(p, '/') + 1 : NULL)
    if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || p[2] == 0)) return 0;
  return 1;
}

static pl_status add(folder *f, const char *name) {
  if (find(f, name) >= 0) return PL_OK;
  PL_TRY(pl_grow(f->env, &f->name, f->n, &f->cap, sizeof *f->name));
  f->name[f->n] = pl_strdup(f->env, name);
  if (!f->name[f->n]) return PL_E_NOMEM;
  f->n++;
  return PL_OK;
}

static void forget(folder *f) {
  for (int k = 0; k < f->n; k++) pl_free(f->env, f->name[k]);
  f->n = 0;
}

static const char *path_of(const folder *f, const char *name, const char *suffix, char path[4096]) {
  snprintf(path, 4096, "%s/%s%s", f->path, name, suffix);
  return path;
}

// ---- the list -----------------------------------------------------------------------------------

static pl_status fail(const folder *f, const char *verb) {
  const char *why = strerror(errno);
  return pl_fail_at(f->env, PL_E_IO, f->path, 0, 0, NULL, "cannot %s: %s", verb, why);
}

static pl_status append(folder *f, const char *line) {
  char text[4096 + 2];
  int n = snprintf(text, sizeof text, "%s\n", line);
  // one write, so that a line is there or is not
  return write(f->fd, text, (size_t)n) == n ? PL_OK : fail(f, "write the list of files");
}

static pl_status read_list(folder *f) {
  char path[4096], *data, *line, *rest;
  size_t size;
  PL_TRY(pl_file_read(f->env, path_of(f, LIST, "", path), 0, &data, &size));
  pl_status s = PL_OK;
  for (line = strtok_r(data, "\n", &rest); s == PL_OK && line; line = strtok_r(NULL, "\n", &rest)) {
    f->ended = strcmp(line, END) == 0;
    if (is_inside(line)) s = add(f, line);
  }
  pl_free(f->env, data);
  return s;
}

// the host's own receiver is called as well
static void note(void *ctx, const char *path) {
  folder *f = ctx;
  size_t n = strlen(f->path);
  if (f->file) f->file(f->ctx, path);
  if (strncmp(path, f->path, n) != 0 || path[n] != '/') return;
  if (find(f, path + n + 1) >= 0 || f->status != PL_OK) return;
  f->status = add(f, path + n + 1);
  if (f->status == PL_OK) f->status = append(f, path + n + 1);
}

// ---- opening ------------------------------------------------------------------------------------

static pl_status lock(folder *f) {
  if (flock(f->fd, LOCK_EX | LOCK_NB) == 0) return PL_OK;
  // some network file systems have no locks
  if (errno != EWOULDBLOCK) return PL_OK;
  return pl_fail_at(f->env, PL_E_IO, f->path, 0, 0,
                    "wait until it is done, or give another folder: -o DIR",
                    "another run is writing into this folder");
}

pl_status folder_open(pl_env *env, const char *path, folder *f) {
  char list[4096];
  *f = (folder){.env = env, .path = path, .fd = -1, .file = env->file, .ctx = env->file_ctx};
  PL_TRY(pl_dir_make(env, path));
  f->fd = open(path_of(f, LIST, "", list), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (f->fd < 0) return fail(f, "write");
  PL_TRY(lock(f));
  PL_TRY(read_list(f));
  env->file = note;
  env->file_ctx = f;
  return PL_OK;
}

pl_status folder_close(folder *f, int ended) {
  pl_status s = f->status;
  if (f->fd < 0) return s;
  f->env->file = f->file;
  f->env->file_ctx = f->ctx;
  if (s == PL_OK && ended) s = append(f, END);
  // the lock goes with it
  close(f->fd);
  forget(f);
  pl_free(f->env, f->name);
  return s;
}

void folder_remove(folder *f, const char *path) {
  size_t n = strlen(f->path);
  unlink(path);
  if (strncmp(path, f->path, n) != 0 || path[n] != '/') return;
  int k = find(f, path + n + 1);
  if (k < 0) return;
  // the others keep their order; the name stays in the list on disk, where it does no harm
  pl_free(f->env, f->name[k]);
  memmove(f->name + k, f->name + k + 1, (size_t)(--f->n - k) * sizeof *f->name);
}

// ---- the results of an earlier run --------------------------------------------------------------

static int is_checkpoint(const char *name) {
  size_t n = strlen(name), m = strlen(".checkpoint");
  return n > m && strcmp(name + n - m, ".checkpoint") == 0;
}

// in the folder, or in one of those inside it (within: "" or "NAME/")
static void clear_halves_within(const folder *f, const char *within) {
  char path[4096];
  DIR *d = opendir(path_of(f, within, "", path));
  for (struct dirent *e; d && (e = readdir(d));) {
    char name[2048];
    int n = snprintf(name, sizeof name, "%s%s", within, e->d_name);
    char *end = strstr(name, ".tmp");
    if (n >= (int)sizeof name || !end || end[4] == 0) continue;
    if (strspn(end + 4, "0123456789") != strlen(end + 4)) continue;
    path_of(f, name, "", path);
    *end = 0;
    if (find(f, name) >= 0) unlink(path);
  }
  if (d) closedir(d);
}

// what a run that was killed left half written: NAME.tmp and digits
static void clear_halves(const folder *f) {
  char within[2048] = "";
  clear_halves_within(f, within);
  for (int k = 0; k < f->n; k++) {
    const char *slash = strrchr(f->name[k], '/');
    size_t n = slash ? (size_t)(slash - f->name[k]) + 1 : 0;
    if (n == 0 || n >= sizeof within || strncmp(within, f->name[k], n) == 0) continue;
    snprintf(within, sizeof within, "%.*s", (int)n, f->name[k]);
    clear_halves_within(f, within);
  }
}

pl_status folder_clear(folder *f) {
  char path[4096], old[4096];
  int gone = 0, kept = 0;
  clear_halves(f);
  for (int k = 0; k < f->n; k++) {
    const char *name = f->name[k];
    path_of(f, name, "", path);
    // who forgets --resume does not lose what was computed
    if (is_checkpoint(name) && !f->ended)
      kept += rename(path, path_of(f, name, ".old", old)) == 0;
    else
      gone += unlink(path) == 0;
    // a folder of frames, when nothing else is in it
    char *slash = strrchr(path, '/');
    *slash = 0;
    if (strlen(path) > strlen(f->path)) rmdir(path);
  }
  if (gone)
    pl_report(f->env, PL_NOTE, NULL, 0, 0, NULL, "%s: the results of an earlier run are replaced",
              f->path);
  if (kept)
    pl_report(f->env, PL_WARNING, f->path, 0, 0, "use --resume to go on with a run",
              "the earlier run was not done; its checkpoints stay as NAME.checkpoint.old");
  forget(f);
  return ftruncate(f->fd, 0) == 0 ? PL_OK : fail(f, "write the list of files");
}

pl_status folder_continue(folder *f) {
  clear_halves(f);
  return f->n > 0 ? append(f, AGAIN) : PL_OK;
}

// ---- for runs of other kinds --------------------------------------------------------------------

pl_status pl_folder_open(pl_env *env, const char *path, pl_folder **out) {
  *out = NULL;
  folder *f = pl_alloc(env, 1, sizeof *f);
  if (!f) return PL_E_NOMEM;
  pl_status s = folder_open(env, path, f);
  if (s == PL_OK) {
    *out = f;
    return PL_OK;
  }
  folder_close(f, 0);
  pl_free(env, f);
  return s;
}

pl_status pl_folder_clear(pl_folder *f) {
  return folder_clear(f);
}

pl_status pl_folder_close(pl_folder *f, int ended) {
  if (!f) return PL_OK;
  pl_env *env = f->env;
  pl_status s = folder_close(f, ended);
  pl_free(env, f);
  return s;
}
