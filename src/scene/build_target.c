// Closed curves that nodes shall follow: CSV files and points.
#include "build_design.h"

#include "pliant/math.h"
#include "pliant/report.h"

#include <stdio.h>
#include <string.h>

enum { HARMONICS_MOST = 8 }; // of a target where nothing else says how many

typedef struct curve {
  int n, timed;
  double *x;     // [n][dim] m
  double *times; // [n] parts of a period
} curve;

// ---- files ------------------------------------------------------------------------------------

// column `x` or `NAME_x`; -1: none
static int find_axis(const pl_table *t, char axis) {
  for (int c = 0; c < pl_table_cols(t); c++) {
    const char *name = pl_table_name(t, c);
    size_t n = strlen(name);
    if (n > 0 && name[n - 1] == axis && (n == 1 || name[n - 2] == '_')) return c;
  }
  return -1;
}

static int read_table(reader *r, const char *path, const pl_table *t, double omega, curve *c) {
  int dim = r->b->dim, rows = pl_table_rows(t), cols = pl_table_cols(t), col[3],
      time = pl_table_find(t, "t");
  double factor[3], second = 1;
  const char *hint = "the header is e.g. t_s,x_mm,y_mm";
  const double *data = pl_table_data(t);
  if (time < 0) time = pl_table_find(t, "time");
  for (int k = 0; k < dim; k++) {
    col[k] = find_axis(t, "xyz"[k]);
    if (col[k] < 0) {
      problem_at(r, path, 1, 0, hint, "there is no column for %c", "xyz"[k]);
      return 0;
    }
    if (!column_scale(r, path, t, col[k], "m", hint, &factor[k])) return 0;
  }
  if (time >= 0 && !column_scale(r, path, t, time, "s", hint, &second)) return 0;
  c->x = scene_alloc(r, (size_t)(rows * dim) + 1, sizeof *c->x);
  c->times = scene_alloc(r, (size_t)rows + 1, sizeof *c->times);
  if (!c->x || !c->times) return 0;
  c->n = rows;
  c->timed = time >= 0;
  for (int i = 0; i < rows; i++) {
    for (int k = 0; k < dim; k++)
      c->x[i * dim + k] = factor[k] * data[(size_t)i * (size_t)cols + (size_t)col[k]];
    if (time >= 0)
      c->times[i] = second * data[(size_t)i * (size_t)cols + (size_t)time] * omega / (2 * PL_PI);
  }
  return 1;
}

static int read_file(reader *r, const pl_node *at, double omega, curve *c) {
  char path[PL_TEXT];
  pl_table *t;
  if (!read_csv(r, at, "trajectory", path, &t)) return 0;
  int ok = read_table(r, path, t, omega, c);
  pl_table_free(t);
  return ok;
}

// ---- points -----------------------------------------------------------------------------------

static int read_points(reader *r, const pl_node *at, curve *c) {
  const pl_node *list = at->first;
  if (at->n != 1 || strcmp(list->key, "points") != 0 || list->kind != NODE_LIST) {
    problem(r, at, "e.g. {points: [[0, 0], [1, 0], [1, 1]]}",
            "trajectory must be a file or {points: list}");
    return 0;
  }
  c->x = scene_alloc(r, (size_t)(list->n * r->b->dim) + 1, sizeof *c->x);
  if (!c->x) return 0;
  for (const pl_node *d = list->first; d; d = d->next) {
    vec v;
    if (!read_vec(r, d, "points", "m", r->b->dim, r->b->dim, &v)) return 0;
    for (int k = 0; k < r->b->dim; k++) {
      if (v.v[k].par >= 0) {
        problem(r, d, NULL, "points cannot depend on a parameter");
        return 0;
      }
      c->x[c->n * r->b->dim + k] = v.v[k].v;
    }
    c->n++;
  }
  return 1;
}

// ---- coefficients -----------------------------------------------------------------------------

// points that differ: the last may repeat the first
static int distinct(const reader *r, const curve *c) {
  int same = c->n > 1;
  for (int k = 0; k < r->b->dim && same; k++) same = c->x[k] == c->x[(c->n - 1) * r->b->dim + k];
  return c->n - same;
}

static int count_harmonics(reader *r, const pl_node *at, const curve *c, int *nharm) {
  char hint[PL_TEXT];
  int n = distinct(r, c), most = (n - 1) / 2;
  if (*nharm == 0) *nharm = most < HARMONICS_MOST ? most : HARMONICS_MOST;
  if (*nharm >= 1 && n >= 2 * *nharm + 1) return 1;
  if (most >= 1)
    snprintf(hint, sizeof hint, "draw more points, or write 'harmonics: %d' in this objective",
             most);
  else
    snprintf(hint, sizeof hint, "a closed curve needs at least 3 points");
  problem(r, at, hint, "trajectory: %d %s cannot tell %d harmonics, which need %d", n,
          pl_plural(n, "point", "points"), *nharm > 0 ? *nharm : 1,
          2 * (*nharm > 0 ? *nharm : 1) + 1);
  return 0;
}

int read_target(reader *r, const plan *p, const pl_node *at, const pl_node *whole, double omega,
                pl_objective *o, double **coef) {
  int *nharm = &o->nharm;
  curve c = {0};
  int ok = at->kind == NODE_MAP      ? read_points(r, at, &c)
           : at->kind == NODE_SCALAR ? read_file(r, at, omega, &c)
                                     : 0;
  if (at->kind == NODE_LIST)
    problem(r, at, "e.g. trajectory: toe.csv", "trajectory must be a file or {points: list}");
  if (!ok || !count_harmonics(r, at, &c, nharm)) return 0;
  if (c.timed && !(omega > 0)) return 0; // the missing frequency is told elsewhere
  if (p->harmonics > 0 && *nharm > p->harmonics) {
    problem(r, node_get(whole, "harmonics") ? node_get(whole, "harmonics") : at,
            "use more harmonics in the analysis",
            "trajectory: the target has %d harmonics, the motions %d", *nharm, p->harmonics);
    return 0;
  }
  *coef = scene_alloc(r, (size_t)r->b->dim * (2 * (size_t)*nharm + 1) + 1, sizeof **coef);
  if (!*coef) return 0;
  int arc = o->resample == 2 || (o->resample == 0 && !c.timed);
  pl_status s = pl_curve_coefficients(r->env, c.n, r->b->dim, c.x, arc ? PL_BY_ARC : PL_BY_TIME,
                                      c.timed && !arc ? c.times : NULL, *nharm, *coef);
  if (s == PL_E_NOMEM) r->failed = s;
  return s == PL_OK;
}
