// Bending limits of an interlocking material: cylinders along all angles, up and down.
#include "job_impl.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { UP, DOWN, SIDES };

// z = curvature / 2 times the square along the angle; up: it is positive
typedef struct bends {
  job *j;
  const pl_analysis *a;
  int n, nfolds; // angles over half a turn; limits that are folds
  pl_taut_goal *goal;
  pl_taut *taut; // [SIDES n]
  int *solved;
} bends;

static const pl_taut *bend(const bends *k, int direction, int side) {
  return &k->taut[SIDES * direction + side];
}

static pl_status write_table(const bends *k) {
  static const char *const name[] = {"curvature", "strain", "strain_across", "shear",
                                     "folds",     "bound",  "contacts",      "spread"};
  static const char *const unit[] = {"1/m", "", "", "", "", "1/m", "", "1/m"};
  enum { EACH = sizeof name / sizeof *name, N = 1 + SIDES * EACH };
  pl_table *t;
  if (!job_tables(k->j)) return PL_OK;
  PL_TRY(pl_table_create(k->j->env, N, &t));
  pl_status s = pl_table_column(t, 0, "angle", "deg");
  for (int c = 0; s == PL_OK && c < N - 1; c++) {
    char column[64];
    snprintf(column, sizeof column, "%s_%s", name[c % EACH], c < EACH ? "up" : "down");
    s = pl_table_column(t, 1 + c, column, unit[c % EACH]);
  }
  for (int i = 0; s == PL_OK && i < k->n; i++) {
    double row[N] = {180.0 * i / k->n};
    for (int side = 0; side < SIDES; side++) {
      const pl_taut *r = bend(k, i, side);
      const double to[EACH] = {side == UP ? r->value : -r->value,
                               r->e[0],
                               r->e[1],
                               r->e[2],
                               r->folds,
                               r->bound,
                               r->ncontact,
                               r->spread};
      memcpy(row + 1 + side * EACH, to, sizeof to);
    }
    s = pl_table_row(t, row);
  }
  if (s == PL_OK) s = job_table(k->j, t, k->a->name, "-bending.csv");
  pl_table_free(t);
  return s;
}

// folds are left out: they are no limits
static pl_status draw(const bends *k) {
  int turn = 2 * k->n;
  double *angle = pl_alloc(k->j->env, (size_t)((1 + SIDES) * turn), sizeof *angle);
  pl_polar_series series[SIDES] = {{.name = "up", .fill = 1}, {.name = "down", .dashed = 1}};
  char name[PL_TEXT];
  if (!angle) return PL_E_NOMEM;
  for (int side = 0; side < SIDES; side++) {
    double *v = angle + (1 + side) * turn;
    for (int i = 0; i < turn; i++) {
      const pl_taut *r = bend(k, i % k->n, side);
      angle[i] = PL_PI * i / k->n;
      v[i] = r->folds ? NAN : r->value;
    }
    series[side].n = turn;
    series[side].angle = angle;
    series[side].stretch = v;
    series[side].colour = -1;
  }
  const pl_polar_plot p = {
      .title = "bending limits", .nseries = SIDES, .series = series, .unit = "1/m"};
  snprintf(name, sizeof name, "%s-bending", k->a->name);
  pl_status s = job_polar(k->j, name, &p,
                          "Curvature at which the material is taut when it is bent to a cylinder "
                          "along each direction, up (middle below the ends) and down; strains are "
                          "free.");
  pl_free(k->j->env, angle);
  return s;
}

// the smallest and the largest limit of a side
static void extremes(const bends *k, int side, double *least, double *most) {
  *least = INFINITY;
  *most = -INFINITY;
  for (int i = 0; i < k->n; i++) {
    const pl_taut *r = bend(k, i, side);
    if (r->folds || !isfinite(r->value)) continue;
    *least = fmin(*least, r->value);
    *most = fmax(*most, r->value);
  }
}

static void set_figures(const bends *k, json_t *f, int unsolved) {
  static const char *const name[SIDES][2] = {{"curvature_up_min", "curvature_up_max"},
                                             {"curvature_down_min", "curvature_down_max"}};
  double bound = 0, fold = INFINITY;
  for (int i = 0; i < SIDES * k->n; i++) {
    const pl_taut *r = &k->taut[i];
    if (k->solved[i] && r->folds) fold = fmin(fold, r->value);
    if (k->solved[i] && !r->folds) bound = fmax(bound, r->bound);
  }
  for (int side = 0; side < SIDES; side++) {
    double end[2];
    extremes(k, side, &end[0], &end[1]);
    for (int i = 0; i < 2; i++)
      if (isfinite(end[i])) job_set(f, name[side][i], json_real(end[i]));
    if (isfinite(end[0]))
      job_note(k->j, "%s: bends %s to curvatures from %.4g to %.4g 1/m", k->a->name,
               side == UP ? "up" : "down", end[0], end[1]);
  }
  job_set(f, "curvature_bound", json_real(bound));
  job_set(f, "folds", json_integer(k->nfolds));
  job_set(f, "unsolved_bending", json_integer(unsolved));
  if (k->nfolds) {
    job_set(f, "fold_radius", json_real(1 / fold));
    job_note(k->j,
             "%s: bends until it folds (%d of %d limits, radius below %.3g mm): elements "
             "that are not linked meet, or none",
             k->a->name, k->nfolds, SIDES * k->n, 1e3 / fold);
  }
  if (unsolved) job_alarm(k->j, "%d of %d bending limits were not found.", unsolved, SIDES * k->n);
}

static void add_curvature(grid *g, const pl_taut *r) {
  if (r->folds)
    grid_add(g, "folds (%.3g mm)", 1e3 / r->value);
  else
    grid_add(g, "%.3f", r->value);
}

static void report(const bends *k) {
  static const char *const head[] = {"angle (deg)", "up (1/m)",  "along (%)", "across (%)",
                                     "down (1/m)",  "along (%)", "across (%)"};
  int step = (k->n + 17) / 18;
  job_say(k->j, "Bending to a cylinder along each direction, while strains are free; curvatures of "
                "the surface through the origins of elements. Where elements meet that are not "
                "linked the material folds: the radius is told instead.");
  grid g = job_grid(k->j, sizeof head / sizeof *head, head);
  for (int i = 0; i < k->n; i += step) {
    grid_add(&g, "%.4g", 180.0 * i / k->n);
    for (int side = 0; side < SIDES; side++) {
      const pl_taut *r = bend(k, i, side);
      add_curvature(&g, r);
      grid_add(&g, "%.3f", 100 * r->e[0]);
      grid_add(&g, "%.3f", 100 * r->e[1]);
    }
  }
  grid_end(&g);
}

static pl_status solve(bends *k, const pl_taut_opts *o, int *unsolved) {
  const pl_limits_opts *l = &k->a->opts.limits_;
  for (int i = 0; i < SIDES * k->n; i++) {
    k->goal[i] = pl_taut_bend(PL_PI * (i / SIDES) / k->n, i % SIDES == UP ? 1 : -1);
    k->goal[i].starts = l->starts < 3 ? l->starts : 3; // alone, and leaning on the strains
  }
  PL_TRY(pl_mail_taut(k->j->env, k->j->scene->mail[k->a->mail].m,
                      (const int[]){l->copies, l->copies}, o, SIDES * k->n, k->goal,
                      pl_threads_size(k->j->work->threads), k->taut, k->solved));
  for (int i = 0; i < SIDES * k->n; i++) {
    *unsolved += !k->solved[i];
    k->nfolds += k->solved[i] && k->taut[i].folds;
  }
  return PL_OK;
}

pl_status job_limits_bend(job *j, const pl_analysis *a, const pl_taut_opts *o, json_t *figures,
                          int *unsolved) {
  bends k = {.j = j, .a = a, .n = a->opts.limits_.directions};
  size_t n = (size_t)(SIDES * k.n);
  k.goal = pl_alloc(j->env, n, sizeof *k.goal);
  k.taut = pl_alloc(j->env, n, sizeof *k.taut);
  k.solved = pl_alloc(j->env, n, sizeof *k.solved);
  pl_status s = k.goal && k.taut && k.solved ? solve(&k, o, unsolved) : PL_E_NOMEM;
  if (s == PL_OK) {
    set_figures(&k, figures, *unsolved);
    report(&k);
    s = write_table(&k);
  }
  if (s == PL_OK && k.nfolds + *unsolved < SIDES * k.n) s = draw(&k);
  for (size_t i = 0; k.taut && i < n; i++) pl_taut_free(j->env, &k.taut[i]);
  pl_free(j->env, k.goal);
  pl_free(j->env, k.taut);
  pl_free(j->env, k.solved);
  return s;
}
