// The boundary of all strains without shear along an angle and across it, angle by angle.
#include "run_limits.h"

#include "pliant/math.h"

#include <math.h>

typedef struct sweep {
  job *j;
  const pl_analysis *a;
  int nangle, nray; // over half a turn; of each angle, over a whole turn of both strains
  pl_taut_goal *goal;
  pl_taut *taut; // [nangle][nray]
  int *solved;
} sweep;

// strains (along, across) = e (cos, sin)
static void direction(const sweep *s, int i, double d[2]) {
  double rot = 2 * PL_PI * (i % s->nray) / s->nray;
  d[0] = cos(rot);
  d[1] = sin(rot);
}

static void fill(sweep *s) {
  for (int i = 0; i < s->nangle * s->nray; i++) {
    double d[2], angle = PL_PI * (i / s->nray) / s->nangle;
    const pl_taut_goal along = pl_taut_along(angle, 1);
    direction(s, i, d);
    s->goal[i] = (pl_taut_goal){.n = 1, .goal = {1}};
    for (int c = 0; c < 3; c++)
      s->goal[i].basis[0][c] = d[0] * along.basis[0][c] + d[1] * along.basis[1][c];
  }
}

static pl_status write_table(const sweep *s) {
  static const table_column column[] = {
      {"angle", "deg"}, {"strain_along", ""}, {"strain_across", ""}, {"green_xx", ""},
      {"green_yy", ""}, {"green_xy", ""},     {"bound", ""},         {"contacts", ""}};
  enum { N = sizeof column / sizeof *column };
  pl_table *t;
  if (!job_tables(s->j)) return PL_OK;
  PL_TRY(job_table_open(s->j, N, column, &t));
  pl_status st = PL_OK;
  for (int i = 0; st == PL_OK && i < s->nangle * s->nray; i++) {
    const pl_taut *r = &s->taut[i];
    double d[2], S[3];
    direction(s, i, d);
    for (int c = 0; c < 3; c++) S[c] = r->value * s->goal[i].basis[0][c];
    double row[N] = {180.0 * (i / s->nray) / s->nangle, r->value * d[0], r->value * d[1]};
    limits_green(S, row + 3);
    row[6] = r->bound;
    row[7] = r->ncontact;
    st = pl_table_row(t, row);
  }
  return job_table_end(s->j, t, st, s->a->name, "-sweep.csv");
}

pl_status limits_sweep(limits_keeper *k, const pl_taut_opts *o, json_t *figures, int *unsolved) {
  const pl_limits_opts *l = &k->a->opts.limits_;
  pl_env *env = k->j->env;
  sweep s = {.j = k->j, .a = k->a, .nangle = l->directions, .nray = 2 * l->sweep};
  size_t n = (size_t)(s.nangle * s.nray);
  int distinct = 0;
  if (n == 0) return PL_OK;
  s.goal = pl_alloc(env, n, sizeof *s.goal);
  s.taut = pl_alloc(env, n, sizeof *s.taut);
  s.solved = pl_alloc(env, n, sizeof *s.solved);
  pl_status st = s.goal && s.taut && s.solved ? PL_OK : PL_E_NOMEM;
  if (st == PL_OK) {
    fill(&s);
    st = limits_solve(k, o, 0, (int)n, s.goal, s.taut, s.solved, &distinct);
  }
  if (st == PL_CANCELLED) {
    pl_status reported = write_table(&s);
    if (reported != PL_OK) st = reported;
  }
  for (size_t i = 0; st == PL_OK && i < n; i++) *unsolved += !s.solved[i];
  if (st == PL_OK) {
    job_set(figures, "sweep_points", json_integer((json_int_t)n));
    job_set(figures, "sweep_solved", json_integer(distinct));
    st = write_table(&s);
  }
  if (st == PL_OK) st = limits_states(k->j, k->a, "-sweep", 1, (int)n, s.taut, s.solved);
  if (st == PL_OK) limits_verified(k, "sweep_", figures);
  for (size_t i = 0; s.taut && i < n; i++) pl_taut_free(env, &s.taut[i]);
  pl_free(env, s.goal);
  pl_free(env, s.taut);
  pl_free(env, s.solved);
  return st;
}
