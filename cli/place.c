// Where scenes lie.
#include "cli.h"

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
