// Facets: what they take away from limits, by twice as many, four times and so on, and by none.
#include "run_limits.h"

#include "pliant/math.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double STILL = 1e-3; // strain, by which limits of two refinements differ at most

typedef struct refine {
  const survey *k;
  const pl_scene_mail *mail;
  int nlevel;   // with facets, then without
  double *most; // [nlevel + 1][n] longest strains
  pl_taut_goal *goal;
  pl_taut *taut;
  int *solved;
} refine;

static pl_facet_plan plan_of(const refine *r, int level) {
  pl_facet_plan f = r->mail->facets;
  f.segments <<= level;
  f.points <<= level;
  return f;
}

static pl_status solve_level(refine *r, const pl_taut_opts *o, int level) {
  const survey *k = r->k;
  pl_env *env = k->j->env;
  const pl_facet_plan f = plan_of(r, level);
  const pl_mail *m = r->mail->smooth;
  void *buffer = NULL;
  pl_status s = PL_OK;
  if (level < r->nlevel) {
    buffer = pl_alloc(env, pl_mail_faceted_size(r->mail->smooth, &f), 1);
    s = buffer ? pl_mail_faceted(env, r->mail->smooth, &f, buffer, &m) : PL_E_NOMEM;
  }
  if (s == PL_OK) s = keeper_solve_of(k->keep, m, o, k->n, r->goal, r->taut, r->solved);
  for (int i = 0; s >= 0 && i < k->n; i++) {
    r->most[level * k->n + i] = r->solved[i] && !r->taut[i].open ? r->taut[i].value : NAN;
    pl_taut_free(env, &r->taut[i]);
  }
  pl_free(env, buffer);
  return s;
}

// largest change from one level to another
static double change(const refine *r, int from, int to) {
  double most = 0;
  for (int i = 0; i < r->k->n; i++) {
    double by = fabs(r->most[to * r->k->n + i] - r->most[from * r->k->n + i]);
    if (by > most) most = by;
  }
  return most;
}

static void level_name(const refine *r, int level, char out[32]) {
  const pl_facet_plan f = plan_of(r, level);
  if (level < r->nlevel)
    snprintf(out, 32, "%d x %d", f.segments, f.points);
  else
    snprintf(out, 32, "smooth");
}

static void report(const refine *r) {
  enum { COLS = 6, ANGLES = COLS - 2 };
  const survey *k = r->k;
  char text[COLS][32] = {"segments x points"};
  const char *head[COLS];
  int at[ANGLES], n = k->n < ANGLES ? k->n : ANGLES;
  for (int c = 0; c < n; c++) {
    at[c] = c * k->n / n;
    snprintf(text[1 + c], sizeof text[0], "%.4g deg (%%)", k->angle[at[c]] * 180 / PL_PI);
  }
  snprintf(text[1 + n], sizeof text[0], "largest change (%%)");
  for (int c = 0; c < n + 2; c++) head[c] = text[c];
  job_say(k->j, "Facets touch before smooth elements do. The longest strains, with finer and finer "
                "ones:");
  grid g = job_grid(k->j, n + 2, head);
  for (int l = 0; l <= r->nlevel; l++) {
    char name[32];
    level_name(r, l, name);
    grid_add(&g, "%s", name);
    for (int c = 0; c < n; c++) grid_add(&g, "%.3f", 100 * r->most[l * k->n + at[c]]);
    if (l == 0)
      grid_add(&g, "-");
    else
      grid_add(&g, "%.3f", 100 * change(r, l - 1, l));
  }
  grid_end(&g);
}

static void set_figures(const refine *r, json_t *figures) {
  const survey *k = r->k;
  int last = r->nlevel - 1;
  double displaced = change(r, last > 0 ? last - 1 : 0, last), bias = change(r, 0, r->nlevel);
  json_t *f = json_object();
  job_set(f, "levels", json_integer(r->nlevel));
  job_set(f, "last_change", json_real(displaced));
  job_set(f, "bias", json_real(bias));
  job_set(f, "bias_finest", json_real(change(r, last, r->nlevel)));
  job_set(figures, "refine", f);
  job_note(k->j, "%s: facets take up to %.2f %% of strain, the finest ones up to %.2f %%",
           k->a->name, 100 * bias, 100 * change(r, last, r->nlevel));
  if (displaced > STILL)
    job_warn(k->j,
             "Limits still move by %.2f %% with the last refinement: these facets are too coarse "
             "to tell limits of the smooth material by.",
             100 * displaced);
  else
    job_say(k->j, "With the last refinement limits move by %.3f %% at most.", 100 * displaced);
}

static pl_status write_table(const refine *r) {
  static const table_column column[] = {
      {"segments", ""}, {"points", ""}, {"angle", "deg"}, {"strain_max", ""}};
  enum { N = sizeof column / sizeof *column };
  const survey *k = r->k;
  pl_table *t;
  if (!job_tables(k->j)) return PL_OK;
  PL_TRY(job_table_open(k->j, N, column, &t));
  pl_status s = PL_OK;
  for (int i = 0; s == PL_OK && i < (r->nlevel + 1) * k->n; i++) {
    int level = i / k->n, smooth = level == r->nlevel;
    const pl_facet_plan f = plan_of(r, level);
    // without facets both are infinite
    const double row[N] = {smooth ? (double)INFINITY : f.segments,
                           smooth ? (double)INFINITY : f.points, k->angle[i % k->n] * 180 / PL_PI,
                           r->most[i]};
    s = pl_table_row(t, row);
  }
  return job_table_end(k->j, t, s, k->a->name, "-refine.csv");
}

pl_status limits_refine(const survey *k, const pl_taut_opts *o, json_t *figures) {
  pl_env *env = k->j->env;
  refine r = {
      .k = k, .mail = &k->j->scene->mail[k->a->mail], .nlevel = k->a->opts.limits_.refine + 1};
  size_t n = (size_t)k->n;
  r.most = pl_alloc(env, (size_t)(r.nlevel + 1) * n, sizeof *r.most);
  r.goal = pl_alloc(env, n, sizeof *r.goal);
  r.taut = pl_alloc(env, n, sizeof *r.taut);
  r.solved = pl_alloc(env, n, sizeof *r.solved);
  pl_status s = r.most && r.goal && r.taut && r.solved ? PL_OK : PL_E_NOMEM;
  for (int i = 0; s == PL_OK && i < k->n; i++) r.goal[i] = pl_taut_along(k->angle[i], 1);
  for (int l = 0; s == PL_OK && l <= r.nlevel; l++) s = solve_level(&r, o, l);
  if (s == PL_OK) {
    report(&r);
    set_figures(&r, figures);
    s = write_table(&r);
  }
  pl_free(env, r.most);
  pl_free(env, r.goal);
  pl_free(env, r.taut);
  pl_free(env, r.solved);
  return s;
}
