// Bending limits of an interlocking material along all angles, up and down: periodic cylinders, and
// disks on paraboloids, whose curvature across is free.
#include "run_limits.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { UP, DOWN };
enum { COLUMNS = 9 }; // of a side

// z = curvature / 2 times the square along the angle; up: it is positive
typedef struct bends {
  job *j;
  limits_keeper *keep;
  const pl_analysis *a;
  int n, nfolds; // angles over half a turn; limits that are folds
  int across;    // elements across a disk; 0: cylinders
  int distinct;  // limits that were solved; the others follow by symmetry
  pl_taut_goal *goal;
  pl_taut *taut; // [SIDES n]
  int *solved;
} bends;

static const pl_taut *bend(const bends *k, int direction, int side) {
  return &k->taut[SIDES * direction + side];
}

// columns of one side: name, unit
static int columns(const bends *k, const char *const (**out)[2]) {
  static const char *const cylinder[COLUMNS][2] = {
      {"curvature", "1/m"}, {"strain", ""},    {"strain_across", ""},
      {"shear", ""},        {"folds", ""},     {"bound", "1/m"},
      {"contacts", ""},     {"spread", "1/m"}, {"certified", ""}};
  static const char *const disk[COLUMNS][2] = {
      {"curvature", "1/m"}, {"curvature_across", "1/m"}, {"folds", ""},    {"bound", "1/m"},
      {"contacts", ""},     {"spread", "1/m"},           {"certified", ""}};
  *out = k->across ? disk : cylinder;
  return k->across ? 7 : 9;
}

static void fill_columns(const bends *k, const pl_taut *r, double sign, double *to) {
  int n = 0;
  to[n++] = sign * r->value;
  for (int i = 0; i < (k->across ? 1 : 3); i++) to[n++] = r->e[i];
  to[n++] = r->folds;
  to[n++] = r->bound;
  to[n++] = r->ncontact;
  to[n++] = r->spread;
  to[n++] = r->certified;
}

static pl_status write_table(const bends *k) {
  const char *const(*name)[2];
  int each = columns(k, &name);
  pl_table *t;
  if (!job_tables(k->j)) return PL_OK;
  PL_TRY(pl_table_create(k->j->env, 1 + SIDES * each, &t));
  pl_status s = pl_table_column(t, 0, "angle", "deg");
  for (int c = 0; s == PL_OK && c < SIDES * each; c++) {
    char column[64];
    snprintf(column, sizeof column, "%s_%s", name[c % each][0], c < each ? "up" : "down");
    s = pl_table_column(t, 1 + c, column, name[c % each][1]);
  }
  for (int i = 0; s == PL_OK && i < k->n; i++) {
    double row[1 + SIDES * COLUMNS] = {180.0 * i / k->n};
    for (int side = 0; side < SIDES; side++)
      fill_columns(k, bend(k, i, side), side == UP ? 1 : -1, row + 1 + side * each);
    s = pl_table_row(t, row);
  }
  return job_table_end(k->j, t, s, k->a->name, k->across ? "-patch.csv" : "-bending.csv");
}

// folds are left out: they are no limits
static pl_status draw(const bends *k) {
  int nangle = 2 * k->n;
  double *angle = pl_alloc(k->j->env, (size_t)((1 + SIDES) * nangle), sizeof *angle);
  pl_polar_series series[SIDES] = {{.name = "up", .fill = 1}, {.name = "down", .dashed = 1}};
  char name[PL_TEXT];
  if (!angle) return PL_E_NOMEM;
  for (int side = 0; side < SIDES; side++) {
    double *v = angle + (1 + side) * nangle;
    for (int i = 0; i < nangle; i++) {
      const pl_taut *r = bend(k, i % k->n, side);
      angle[i] = PL_PI * i / k->n;
      v[i] = r->folds ? NAN : r->value;
    }
    series[side].n = nangle;
    series[side].angle = angle;
    series[side].stretch = v;
    series[side].colour = -1;
  }
  const pl_polar_plot p = {.title = k->across ? "bending limits of a patch" : "bending limits",
                           .nseries = SIDES,
                           .series = series,
                           .unit = "1/m"};
  snprintf(name, sizeof name, "%s-%s", k->a->name, k->across ? "patch" : "bending");
  pl_status s = job_polar(
      k->j, name, &p,
      k->across ? "Curvature at which a patch is taut when it is bent to a paraboloid along each "
                  "direction, up (middle below the ends) and down; the curvature across is free."
                : "Curvature at which the material is taut when it is bent to a cylinder along "
                  "each direction, up (middle below the ends) and down; strains are free.");
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

// names of figures begin with patch_ where disks are bent
static void set_figure(const bends *k, json_t *f, const char *name, json_t *value) {
  char full[PL_TEXT];
  snprintf(full, sizeof full, "%s%s", k->across ? "patch_" : "", name);
  job_set(f, full, value);
}

static void report_folds(const bends *k, json_t *f) {
  double fold = INFINITY;
  for (int i = 0; i < SIDES * k->n; i++)
    if (k->solved[i] && k->taut[i].folds) fold = fmin(fold, k->taut[i].value);
  set_figure(k, f, "folds", json_integer(k->nfolds));
  if (!k->nfolds) return;
  set_figure(k, f, "fold_radius", json_real(1 / fold));
  job_note(k->j,
           "%s: bends until it folds (%d of %d limits, radius below %.3g mm): elements that are "
           "not linked meet, or none",
           k->a->name, k->nfolds, SIDES * k->n, 1e3 / fold);
}

static void set_figures(const bends *k, json_t *f, int unsolved) {
  static const char *const name[SIDES][2] = {{"curvature_up_min", "curvature_up_max"},
                                             {"curvature_down_min", "curvature_down_max"}};
  double bound = 0;
  for (int i = 0; i < SIDES * k->n; i++)
    if (k->solved[i] && !k->taut[i].folds) bound = fmax(bound, k->taut[i].bound);
  for (int side = 0; side < SIDES; side++) {
    double end[2];
    extremes(k, side, &end[0], &end[1]);
    for (int i = 0; i < 2; i++)
      if (isfinite(end[i])) set_figure(k, f, name[side][i], json_real(end[i]));
    if (isfinite(end[0]))
      job_note(k->j, "%s: %s to curvatures from %.4g to %.4g 1/m", k->a->name,
               k->across ? (side == UP ? "a patch bends up" : "a patch bends down")
                         : (side == UP ? "bends up" : "bends down"),
               end[0], end[1]);
  }
  set_figure(k, f, "curvature_bound", json_real(bound));
  int certified = 0;
  for (int i = 0; i < SIDES * k->n; i++) certified += k->solved[i] && k->taut[i].certified;
  set_figure(k, f, "certified_bending", json_integer(certified));
  set_figure(k, f, "unsolved_bending", json_integer(unsolved));
  set_figure(k, f, "solved_bending", json_integer(k->distinct));
  report_folds(k, f);
  if (unsolved) job_alarm(k->j, "%d of %d bending limits were not found.", unsolved, SIDES * k->n);
}

static void add_curvature(grid *g, const pl_taut *r) {
  if (r->folds)
    grid_add(g, "folds (%.3g mm)", 1e3 / r->value);
  else
    grid_add(g, "%.3f", r->value);
}

static void report_rows(const bends *k, grid *g) {
  int step = (k->n + 17) / 18;
  for (int i = 0; i < k->n; i += step) {
    grid_add(g, "%.4g", 180.0 * i / k->n);
    for (int side = 0; side < SIDES; side++) {
      const pl_taut *r = bend(k, i, side);
      add_curvature(g, r);
      grid_add(g, "%.3f", (k->across ? 1 : 100) * r->e[0]);
      if (!k->across) grid_add(g, "%.3f", 100 * r->e[1]);
    }
  }
  grid_end(g);
}

static void report(const bends *k) {
  static const char *const disk[] = {"angle (deg)", "up (1/m)", "across (1/m)", "down (1/m)",
                                     "across (1/m)"};
  static const char *const cylinder[] = {"angle (deg)", "up (1/m)",  "along (%)", "across (%)",
                                         "down (1/m)",  "along (%)", "across (%)"};
  if (k->across)
    job_say(k->j,
            "A disk with %d elements across, whose origins lie on a paraboloid; the curvature "
            "across is free. These limits depend on the size of the disk: a larger one tightens "
            "them, because double curvature strains it.",
            k->across);
  else
    job_say(k->j,
            "Bending to a cylinder along each direction, while strains are free; curvatures of "
            "the surface through the origins of elements. Where elements meet that are not "
            "linked the material folds: the radius is told instead.");
  grid g = job_grid(k->j, k->across ? 5 : 7, k->across ? disk : cylinder);
  report_rows(k, &g);
}

static pl_status solve(bends *k, const pl_taut_opts *o, int *unsolved) {
  const pl_limits_opts *l = &k->a->opts.limits_;
  int n = SIDES * k->n;
  for (int i = 0; i < n; i++) {
    double angle = PL_PI * (i / SIDES) / k->n, sign = i % SIDES == UP ? 1 : -1;
    k->goal[i] = k->across ? pl_taut_bend_disk(angle, sign) : pl_taut_bend(angle, sign);
    // alone, and leaning on the strains
    if (!k->across) k->goal[i].starts = l->starts < 3 ? l->starts : 3;
  }
  pl_status s = limits_solve(k->keep, o, k->across, n, k->goal, k->taut, k->solved, &k->distinct);
  for (int i = 0; s >= 0 && i < n; i++) {
    *unsolved += !k->solved[i];
    k->nfolds += k->solved[i] && k->taut[i].folds;
  }
  return s;
}

// the largest curvature of a side that is no fold; -1: there is none
static int find_farthest(const bends *k, int side) {
  int best = -1;
  for (int i = side; i < SIDES * k->n; i += SIDES)
    if (k->solved[i] && !k->taut[i].folds && (best < 0 || k->taut[i].value > k->taut[best].value))
      best = i;
  return best;
}

static pl_status show_states(const bends *k) {
  const char *kind = k->across ? "-patch" : "-bending";
  PL_TRY(limits_states(k->j, k->a, kind, SIDES, SIDES * k->n, k->taut, k->solved));
  for (int side = 0; side < SIDES && k->a->opts.limits_.states; side++) {
    char name[64], caption[PL_TEXT];
    int at = find_farthest(k, side);
    if (at < 0) continue;
    snprintf(name, sizeof name, "%s-%s", kind, side == UP ? "up" : "down");
    snprintf(
        caption, sizeof caption,
        "Bent %s as far as it goes, along %.4g degrees: %.4g 1/m; arrows are forces of contacts.",
        side == UP ? "up" : "down", 180.0 * (at / SIDES) / k->n, k->taut[at].value);
    PL_TRY(limits_picture(k->j, k->a, name, &k->taut[at], caption));
  }
  return PL_OK;
}

static pl_status report_all(bends *k, const pl_taut_opts *o, int lost, json_t *figures,
                            int *unsolved, pl_boundary *out) {
  set_figures(k, figures, lost);
  report(k);
  PL_TRY(write_table(k));
  PL_TRY(show_states(k));
  limits_verified(k->keep, k->across ? "patch_" : "bending_", figures);
  if (k->nfolds + lost < SIDES * k->n) PL_TRY(draw(k));
  if (!k->across && k->a->opts.limits_.gradients)
    PL_TRY(limits_bend_gradients(k->j, k->a, k->n, k->goal, k->taut, k->solved));
  if (!k->across || k->a->opts.limits_.patch_boundary == 0) return PL_OK;
  return limits_boundary(k->keep, o, k->across, SIDES * k->n, k->taut, figures, unsolved, out);
}

// limits of one kind
static pl_status bend_all(limits_keeper *keep, const pl_taut_opts *o, int across, json_t *figures,
                          int *unsolved, pl_boundary *out) {
  job *j = keep->j;
  bends k = {
      .j = j, .keep = keep, .a = keep->a, .n = keep->a->opts.limits_.directions, .across = across};
  size_t n = (size_t)(SIDES * k.n);
  int lost = 0;
  k.goal = pl_alloc(j->env, n, sizeof *k.goal);
  k.taut = pl_alloc(j->env, n, sizeof *k.taut);
  k.solved = pl_alloc(j->env, n, sizeof *k.solved);
  pl_status s = k.goal && k.taut && k.solved ? solve(&k, o, &lost) : PL_E_NOMEM;
  if (s == PL_OK)
    s = report_all(&k, o, lost, figures, unsolved, out);
  else if (s == PL_CANCELLED) {
    pl_status reported = write_table(&k);
    if (reported != PL_OK) s = reported;
  }
  if (s == PL_OK && !across && lost == 0 && k.nfolds < SIDES * k.n)
    s = limits_cylinders(j->env, k.n, k.taut, out);
  for (size_t i = 0; k.taut && i < n; i++) pl_taut_free(j->env, &k.taut[i]);
  pl_free(j->env, k.goal);
  pl_free(j->env, k.taut);
  pl_free(j->env, k.solved);
  *unsolved += lost;
  return s;
}

pl_status limits_bend(limits_keeper *k, const pl_taut_opts *o, json_t *figures, int *unsolved,
                      pl_boundary *out) {
  const pl_limits_opts *l = &k->a->opts.limits_;
  pl_env *env = k->j->env;
  pl_boundary whole = {0};
  if (l->bending) PL_TRY(bend_all(k, o, 0, figures, unsolved, out));
  int across = l->patch == 0 && l->patch_boundary > 0 ? PATCH : l->patch;
  pl_status s = across ? bend_all(k, o, across, figures, unsolved, &whole) : PL_OK;
  if (s == PL_OK && whole.n > 0 && out->n > 0) s = limits_join(env, out, &whole);
  if (s == PL_OK && (whole.n > 0 || out->n > 0) && l->boundary > 0)
    job_say(k->j, "Sheets take their limits of curvature from %s.",
            whole.n == 0  ? "cylinders, flat between single curvatures"
            : out->n == 0 ? "patches"
                          : "patches, which cylinders scale where they go less far");
  // all directions of curvature say more than cylinders
  if (whole.n > 0) {
    pl_boundary_free(env, out);
    *out = whole;
  }
  return s;
}
