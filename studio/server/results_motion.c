// Shapes and motions of a result folder, from its files for ParaView.
#include "results.h"

#include "files.h"
#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES_MAX = 2000 };

// A mode, largest displacement 1; 0: the file has none.
static int read_mode(reading *k, const char *file, const char *data, size_t n, float *mode) {
  double(*u)[3] = calloc((size_t)k->nvert, sizeof *u), most = 0;
  pl_env quiet = k->env;
  quiet.diag = NULL;
  int ok = u && pl_vtu_vectors(&quiet, file, data, n, "mode", k->nvert, u) == PL_OK;
  for (int i = 0; ok && i < k->nvert; i++) most = fmax(most, pl_norm3(u[i]));
  for (int i = 0; ok && i < 3 * k->nvert; i++)
    mode[i] = most > 0 ? part_float(u[i / 3][i % 3] / most) : 0;
  free(u);
  return ok && most > 0 && isfinite(most);
}

// Places of the model's vertices in a VTU file, x[nvert][3], and the mode about them, where that is
// wanted and there is one; 0: they are not there.
static int read_places(reading *k, const char *file, float *x, float *mode, int *has_mode) {
  char *data;
  size_t n;
  pl_mesh *m = NULL;
  if (!results_file(k, file, &data, &n)) {
    k->missing++;
    return 0;
  }
  int ok = pl_mesh_parse(&k->env, "vtu", file, data, n, &m) == PL_OK && m->nvert == k->nvert;
  for (int i = 0; ok && i < 3 * k->nvert; i++) x[i] = part_float(m->X[i]);
  if (has_mode) *has_mode = ok && read_mode(k, file, data, n, mode);
  pl_mesh_free(m);
  free(data);
  return ok;
}

void results_shape(reading *k, const char *name, const char *title) {
  char file[PL_TEXT];
  int moves = 0;
  if (k->nvert <= 0) return;
  size_t nvert = (size_t)k->nvert;
  float *x = calloc(3 * nvert, sizeof *x), *mode = calloc(3 * nvert, sizeof *mode);
  snprintf(file, sizeof file, "%.400s.vtu", name);
  if (x && mode && read_places(k, file, x, mode, &moves)) {
    json_t *item = json_object();
    part_set(item, "kind", json_string("shape"));
    part_set(item, "name", part_words(name));
    part_set(item, "title", json_string(title));
    part_set(item, "caption", json_string(""));
    part_set(item, "x", run_array(k->r, DATA_F32, x, 2, (size_t[]){nvert, 3}));
    part_set(item, "mode", moves ? run_array(k->r, DATA_F32, mode, 2, (size_t[]){nvert, 3}) : NULL);
    run_item(k->r, item);
  }
  free(mode);
  free(x);
}

// ---- lists of frames ----------------------------------------------------------------------------

typedef struct frames {
  int n;
  double time[FRAMES_MAX];
  char file[FRAMES_MAX][96];
} frames;

// as pl_pvd_write writes it
static void read_list(char *text, frames *f) {
  for (char *at = strstr(text, "timestep=\""); at && f->n < FRAMES_MAX;
       at = strstr(at, "timestep=\"")) {
    at += 10;
    size_t n = pl_number_scan(at, strcspn(at, "\""), &f->time[f->n]);
    char *file = strstr(at, "file=\""), *end = file ? strchr(file + 6, '"') : NULL;
    if (n == 0 || !end) return;
    int fits = snprintf(f->file[f->n], sizeof f->file[0], "%.*s", (int)(end - file - 6), file + 6);
    if (fits < (int)sizeof f->file[0] && path_good(f->file[f->n])) f->n++;
    at = end;
  }
}

// x[n][nvert][3]; 0: not all of them are there
static int read_frames(reading *k, const frames *f, int stride, int n, float *x) {
  for (int i = 0; i < n; i++)
    if (!read_places(k, f->file[i * stride], x + (size_t)i * 3 * (size_t)k->nvert, NULL, NULL))
      return 0;
  return 1;
}

static json_t *film_of(const reading *k, const char *analysis, const frames *f, int stride,
                       size_t n, const float *x) {
  double *time = calloc(n + 1, sizeof *time);
  if (!time) return NULL;
  for (size_t i = 0; i < n; i++) time[i] = f->time[i * (size_t)stride];
  json_t *item = json_object();
  part_set(item, "kind", json_string("film"));
  part_set(item, "analysis", part_words(analysis));
  part_set(item, "time", run_reals(k->r, time, 1, (size_t[]){n}));
  part_set(item, "x", run_array(k->r, DATA_F32, x, 3, (size_t[]){n, (size_t)k->nvert, 3}));
  part_set(item, "face", json_null());
  free(time);
  return item;
}

// frames that are evenly spaced over a period, as coefficients of as many harmonics as they tell
static json_t *orbit_of(const reading *k, const char *name, const frames *f, const float *x) {
  int n = f->n, H = (n - 1) / 2 > 11 ? 11 : (n - 1) / 2;
  size_t per = 3 * (size_t)k->nvert, L = 2 * (size_t)H + 1;
  double period = (f->time[n - 1] - f->time[0]) * n / (n - 1);
  double *z = calloc(per * L + 1, sizeof *z);
  if (!z || !(period > 0)) {
    free(z);
    return NULL;
  }
  for (int i = 0; i < n; i++) {
    double phase = 2 * PL_PI * f->time[i] / period;
    for (size_t c = 0; c < per; c++) {
      double v = x[(size_t)i * per + c];
      z[c * L] += v / n;
      for (size_t h = 1; h <= (size_t)H; h++) {
        z[c * L + 2 * h - 1] += 2 * v * sin((double)h * phase) / n;
        z[c * L + 2 * h] += 2 * v * cos((double)h * phase) / n;
      }
    }
  }
  json_t *item = json_object();
  part_set(item, "kind", json_string("orbit"));
  part_set(item, "name", part_words(name));
  part_set(item, "title", json_string(""));
  part_set(item, "omega", part_number(2 * PL_PI / period));
  part_set(item, "harmonics", json_integer(H));
  part_set(item, "coefficients", run_reals(k->r, z, 3, (size_t[]){per / 3, 3, L}));
  free(z);
  return item;
}

void results_motion(reading *k, const char *analysis, const char *name, int periodic) {
  char file[PL_TEXT], *text;
  size_t size;
  snprintf(file, sizeof file, "%.400s.pvd", name);
  if (k->nvert <= 0 || !results_file(k, file, &text, &size)) return;
  frames *f = calloc(1, sizeof *f);
  if (f) read_list(text, f);
  free(text);
  int stride = 1, n = f ? f->n : 0;
  size_t per = 3 * (size_t)k->nvert * sizeof(float);
  while (!periodic && (size_t)(n / stride) * per > FILM_BYTES) stride++;
  n = (n + stride - 1) / stride;
  float *x = n ? calloc((size_t)n, per) : NULL;
  if (x && read_frames(k, f, stride, n, x)) {
    json_t *item = periodic && n >= 3 ? orbit_of(k, name, f, x)
                                      : film_of(k, analysis, f, stride, (size_t)n, x);
    if (item) run_item(k->r, item);
  }
  free(x);
  free(f);
}
