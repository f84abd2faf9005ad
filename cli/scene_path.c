// Where scenes lie.
#include "cli.h"
#include "pliant/scene.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_folder(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

// beside the installed program, or in the source tree it was built from
const char *cli_gallery(char out[PL_TEXT]) {
  char self[PL_TEXT / 2];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  for (int up = 0; n > 0 && up < 2; up++) {
    self[n] = 0;
    char *slash = strrchr(self, '/');
    if (!slash) break;
    *slash = 0;
    n = slash - self;
  }
  if (n > 0) {
    snprintf(out, PL_TEXT, "%s/share/pliant/gallery", self);
    if (is_folder(out)) return out;
  }
  snprintf(out, PL_TEXT, "%s", PL_GALLERY);
  if (!is_folder(out)) out[0] = 0;
  return out;
}

const char *cli_scene(const char *word, char out[PL_TEXT]) {
  char gallery[PL_TEXT];
  if (access(word, F_OK) != 0 && strncmp(word, "gallery/", 8) == 0 && cli_gallery(gallery)[0]) {
    int n = (int)strlen(word + 8);
    while (n > 0 && word[8 + n - 1] == '/') n--;
    snprintf(out, PL_TEXT, "%.300s/%.*s/scene.yaml", gallery, n > 150 ? 150 : n, word + 8);
    if (access(out, F_OK) == 0) return out;
  }
  if (!is_folder(word)) return word;
  size_t n = strlen(word);
  snprintf(out, PL_TEXT, "%.480s%sscene.yaml", word, n && word[n - 1] == '/' ? "" : "/");
  // a folder without a scene stays what was asked for
  return access(out, F_OK) == 0 ? out : word;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(a, b);
}

int cli_gallery_names(char name[][CLI_NAME], int most) {
  char folder[PL_TEXT], path[PL_TEXT];
  int n = 0;
  DIR *dir = cli_gallery(folder)[0] ? opendir(folder) : NULL;
  for (struct dirent *e; dir && n < most && (e = readdir(dir));) {
    if (e->d_name[0] == '.' || strlen(e->d_name) >= CLI_NAME) continue;
    snprintf(path, sizeof path, "%.400s/%.60s/scene.yaml", folder, e->d_name);
    if (access(path, R_OK) != 0) continue;
    snprintf(name[n++], CLI_NAME, "%s", e->d_name);
  }
  if (dir) closedir(dir);
  qsort(name, (size_t)n, CLI_NAME, compare_names);
  return n;
}

// a scene that is not there: the gallery may have what was meant
static pl_status no_scene(const cli_args *a, const char *word) {
  enum { MOST = 100 };
  char name[MOST][CLI_NAME], hint[PL_TEXT];
  const char *known[MOST];
  int n = cli_gallery_names(name, MOST), gallery = strncmp(word, "gallery/", 8) == 0;
  for (int k = 0; k < n; k++) known[k] = name[k];
  int best = pl_closest(gallery ? word + 8 : word, n, known);
  size_t at = 0;
  hint[0] = 0;
  if (best >= 0) at = (size_t)snprintf(hint, PL_TEXT, "did you mean 'gallery/%s'?  ", name[best]);
  if (!gallery && best < 0) return PL_OK;
  if (!gallery)
    return pl_fail_at(a->env, PL_E_IO, word, 0, 0, hint, "cannot open: No such file or directory");
  at += (size_t)snprintf(hint + at, sizeof hint - at, n ? "known:" : "there is no gallery");
  for (int k = 0; k < n && at + CLI_NAME + 2 < sizeof hint; k++)
    at += (size_t)snprintf(hint + at, sizeof hint - at, " %s", name[k]);
  return pl_fail_at(a->env, PL_E_IO, NULL, 0, 0, hint, "the gallery has no '%.60s'", word + 8);
}

pl_status cli_load(const cli_args *a, const char *path, int nset, const char *const *set,
                   const pl_exploration *e, pl_scene **out) {
  pl_scene_limits limits = {.root = cli_value(a, "root")};
  *out = NULL;
  if (access(path, F_OK) != 0) PL_TRY(no_scene(a, path));
  return e ? pl_scene_load_explore(a->env, path, e, &limits, out)
           : pl_scene_load_limited(a->env, path, nset, set, &limits, out);
}

void cli_folder(const char *scene, const char *suffix, char out[PL_TEXT]) {
  const char *base = strrchr(scene, '/'), *from = scene;
  int n;
  if (base && strcmp(base, "/scene.yaml") == 0 && base > scene) {
    // the folder says more than the file
    while (base > scene && base[-1] == '/') base--;
    from = base;
    while (from > scene && from[-1] != '/') from--;
    n = (int)(base - from);
  } else {
    from = base ? base + 1 : scene;
    const char *dot = strrchr(from, '.');
    n = dot && dot > from ? (int)(dot - from) : (int)strlen(from);
  }
  if (n == 1 && from[0] == '.') from = "scene", n = 5;
  snprintf(out, PL_TEXT, "%.*s.%s", n > 400 ? 400 : n, from, suffix);
}

int cli_threads(const cli_args *a) {
  const char *text = cli_value(a, "threads");
  if (!text) return 0;
  char *end;
  long n = strtol(text, &end, 10);
  if (!*end && end != text && n >= 1 && n <= 1024) return (int)n;
  fprintf(stderr, "pliant: error: --threads must be a whole number from 1 to 1024, got '%s'\n",
          text);
  return -1;
}
