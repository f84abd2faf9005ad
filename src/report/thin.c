#include "report_impl.h"

#include <math.h>
#include <string.h>

// Series are thinned in pixels: curves that run along x by the extremes of each half-pixel column,
// other curves by dropping short steps and strokes drawn before, dots by one per pixel.

enum { LONG = 3000, STROKES = 1 << 18 };

// 1 when the finite points run to the right (or all to the left)
static int runs_along_x(int n, const double *xy) {
  double last = NAN;
  int right = 0, left = 0;
  for (int i = 0; i < n; i++) {
    double x = xy[2 * i];
    if (isnan(x)) continue;
    if (x > last) right = 1;
    if (x < last) left = 1;
    last = x;
  }
  return !(right && left);
}

static void stroke_to(rp_pen *pen, int *down, const double *p) {
  if (*down)
    rp_line(pen, p[0], p[1]);
  else
    rp_move(pen, p[0], p[1]);
  *down = 1;
}

// first, lowest, highest and last point of one column, in their order
static void put_column(rp_pen *pen, int *down, const double *xy, const int at[4]) {
  int order[4] = {at[0], at[1] < at[2] ? at[1] : at[2], at[1] < at[2] ? at[2] : at[1], at[3]};
  for (int k = 0; k < 4; k++)
    if (k == 0 || order[k] != order[k - 1]) stroke_to(pen, down, xy + 2 * order[k]);
}

static void thin_columns(rp_pen *pen, int n, const double *xy) {
  int down = 0;
  for (int i = 0; i < n;) {
    if (isnan(xy[2 * i])) {
      down = 0;
      i++;
      continue;
    }
    double column = floor(2 * xy[2 * i]);
    int at[4] = {i, i, i, i};
    for (; i < n && floor(2 * xy[2 * i]) == column; i++) {
      if (xy[2 * i + 1] < xy[2 * at[1] + 1]) at[1] = i;
      if (xy[2 * i + 1] > xy[2 * at[2] + 1]) at[2] = i;
      at[3] = i;
    }
    put_column(pen, &down, xy, at);
  }
}

// 1 when a stroke between these two pixels was drawn before; remembers it otherwise
static int seen(uint64_t *table, const double *a, const double *b) {
  uint64_t key = 1;
  double end[4] = {a[0], a[1], b[0], b[1]};
  for (int k = 0; k < 4; k++) key = key << 15 | ((uint64_t)lround(end[k]) & 0x7fff);
  uint64_t at = (key * 0x9e3779b97f4a7c15u) >> 46;
  // a crowded table forgets: strokes are then drawn twice, no harm
  for (int k = 0; k < 8; k++, at = (at + 1) & (STROKES - 1)) {
    if (table[at] == key) return 1;
    if (table[at] == 0) {
      table[at] = key;
      return 0;
    }
  }
  return 0;
}

static void thin_strokes(rp_pen *pen, int n, const double *xy, uint64_t *table) {
  int down = 0, last = -1;
  for (int i = 0; i < n; i++) {
    const double *p = xy + 2 * i;
    if (isnan(p[0])) {
      down = 0;
      last = -1;
      continue;
    }
    int end = i + 1 == n || isnan(p[2]);
    if (last >= 0 && !end && table && hypot(p[0] - xy[2 * last], p[1] - xy[2 * last + 1]) < 0.4)
      continue;
    if (last >= 0 && table && seen(table, xy + 2 * last, p))
      down = 0;
    else {
      // lift the pen over what was left out
      if (last >= 0 && !down) stroke_to(pen, &down, xy + 2 * last);
      if (last >= 0 || end) stroke_to(pen, &down, p);
      // a point alone is a dot
      if (last < 0 && end) rp_dot(pen, p[0], p[1]);
    }
    last = i;
  }
}

pl_status rp_thin_line(rp_pen *pen, int n, const double *xy) {
  if (n > LONG && runs_along_x(n, xy)) {
    thin_columns(pen, n, xy);
    return PL_OK;
  }
  uint64_t *table = NULL;
  if (n > LONG && !(table = pl_alloc(pen->t->env, STROKES, sizeof *table))) return PL_E_NOMEM;
  thin_strokes(pen, n, xy, table);
  pl_free(pen->t->env, table);
  return PL_OK;
}

pl_status rp_thin_dots(rp_pen *pen, int n, const double *xy, int width, int height) {
  unsigned char *taken = NULL;
  if (n > LONG && !(taken = pl_alloc(pen->t->env, (size_t)width * (size_t)height, 1)))
    return PL_E_NOMEM;
  for (int i = 0; i < n; i++) {
    const double *p = xy + 2 * i;
    if (isnan(p[0])) continue;
    if (taken) {
      int x = (int)p[0], y = (int)p[1];
      if (x < 0 || x >= width || y < 0 || y >= height) continue;
      unsigned char *at = taken + (size_t)y * (size_t)width + x;
      if (*at) continue;
      *at = 1;
    }
    rp_dot(pen, p[0], p[1]);
  }
  pl_free(pen->t->env, taken);
  return PL_OK;
}
