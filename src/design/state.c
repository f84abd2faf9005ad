// A run as plain numbers: one list of fields counts, saves and loads.
#include "run_impl.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { VERSION = 2, HEAD = 8, STEP_REALS = 8 };

typedef enum mode { COUNT, SAVE, LOAD } mode;

typedef struct pass {
  mode how;
  int nint, nreal;
  int *ints;
  double *reals;
} pass;

static void ints(pass *p, int n, int *x) {
  size_t bytes = (size_t)n * sizeof *x;
  if (p->how == SAVE) memcpy(p->ints + p->nint, x, bytes);
  if (p->how == LOAD) memcpy(x, p->ints + p->nint, bytes);
  p->nint += n;
}

static void reals(pass *p, int n, double *x) {
  size_t bytes = (size_t)n * sizeof *x;
  if (p->how == SAVE) memcpy(p->reals + p->nreal, x, bytes);
  if (p->how == LOAD) memcpy(x, p->reals + p->nreal, bytes);
  p->nreal += n;
}

static void text(pass *p, int n, char *x) {
  for (int i = 0; i < n; i++) {
    int c = x[i];
    ints(p, 1, &c);
    if (p->how == LOAD) x[i] = (char)c;
  }
}

// what a file says may be no number
static int count(double x) {
  return (int)fmin(fmax(x, 0), INT_MAX);
}

static void steps(pass *p, run *t) {
  pl_design_result *r = t->r;
  for (int i = 0; i < r->nstep; i++) {
    pl_design_step *s = &r->step[i];
    double row[STEP_REALS] = {s->value,    s->gradient, s->step,           s->evaluations,
                              s->failures, s->newton,   s->factorisations, s->seconds};
    reals(p, STEP_REALS, row);
    if (p->how != LOAD) continue;
    *s = (pl_design_step){.value = row[0],
                          .gradient = row[1],
                          .step = row[2],
                          .evaluations = count(row[3]),
                          .failures = count(row[4]),
                          .newton = count(row[5]),
                          .factorisations = count(row[6]),
                          .seconds = row[7]};
  }
  reals(p, r->nstep * t->d->nvar, r->path);
}

// everything after the head
static void fields(pass *p, run *t) {
  pl_design *d = t->d;
  pl_design_result *r = t->r;
  int n = d->nvar, nz = d->nsolution * d->n;
  int counts[] = {r->evaluations, r->failures, d->newton,  solutions_factorisations(d),
                  d->regularised, t->slow,     t->restart, t->start,
                  r->best_start,  r->nstart};
  enum { COUNTS = sizeof counts / sizeof counts[0] };
  ints(p, COUNTS, counts);
  if (p->how == LOAD) {
    r->evaluations = counts[0];
    r->failures = counts[1];
    d->newton = counts[2];
    // what was done before this run counts, too
    d->factorisations += counts[3] - solutions_factorisations(d);
    d->regularised = counts[4];
    t->slow = counts[5];
    t->restart = counts[6];
    t->start = counts[7];
    r->best_start = counts[8];
    r->nstart = counts[9];
  }
  ints(p, 4 * n, t->b.nbd);
  ints(p, 4, t->b.lsave);
  ints(p, 44, t->b.isave);
  text(p, 60, t->b.task);
  text(p, 60, t->b.csave);
  reals(p, 4 * n + t->b.nwa, t->b.x);
  reals(p, 29, t->b.dsave);
  double one[] = {t->b.f, t->factor, t->value, t->best, r->value_before, t->trust};
  reals(p, 6, one);
  if (p->how == LOAD) {
    t->b.f = one[0];
    t->factor = one[1];
    t->value = r->value = one[2];
    t->best = one[3];
    r->value_before = one[4];
    t->trust = one[5];
  }
  reals(p, n, t->g);
  reals(p, n, d->base);
  for (int i = 0; i < d->nsolution; i++) {
    reals(p, d->n, d->solution[i].base);
    reals(p, 1, &d->solution[i].base_omega);
    reals(p, 2 * d->n, d->solution[i].bordering);
  }
  reals(p, n, t->best_x);
  reals(p, nz, t->best_z);
  reals(p, d->nsolution, t->best_omega);
  reals(p, d->o.starts, r->start_value);
  steps(p, t);
}

static void make_head(const run *t, int head[HEAD]) {
  const pl_design *d = t->d;
  int all[HEAD] = {VERSION, d->nvar,     d->n,        d->nsolution,
                   d->nobj, d->o.memory, d->o.starts, t->r->nstep};
  memcpy(head, all, sizeof all);
}

pl_status state_grow(run *t) {
  pl_design_result *r = t->r;
  if (r->nstep < t->capstep) return PL_OK;
  int cap = t->capstep ? 2 * t->capstep : 64;
  size_t n = (size_t)cap, nv = (size_t)t->d->nvar;
  double *path = pl_realloc(t->d->env, r->path, n * nv, sizeof(double));
  if (!path) return PL_E_NOMEM;
  r->path = path;
  pl_design_step *step = pl_realloc(t->d->env, r->step, n, sizeof *step);
  if (!step) return PL_E_NOMEM;
  r->step = step;
  t->capstep = cap;
  return PL_OK;
}

pl_status state_save(run *t, pl_design_state **out) {
  pl_env *env = t->d->env;
  int head[HEAD];
  pass p = {.how = COUNT};
  *out = NULL;
  make_head(t, head);
  ints(&p, HEAD, head);
  fields(&p, t);
  pl_design_state *s = pl_alloc(env, 1, sizeof *s);
  if (!s) return PL_E_NOMEM;
  *s = (pl_design_state){.env = env, .nint = p.nint, .nreal = p.nreal};
  s->ints = pl_alloc(env, (size_t)p.nint, sizeof(int));
  s->reals = pl_alloc(env, (size_t)p.nreal, sizeof(double));
  if (!s->ints || !s->reals) {
    pl_design_state_free(s);
    return PL_E_NOMEM;
  }
  p = (pass){.how = SAVE, .ints = s->ints, .reals = s->reals};
  ints(&p, HEAD, head);
  fields(&p, t);
  *out = s;
  return PL_OK;
}

pl_status state_load(run *t, const pl_design_state *s) {
  pl_design *d = t->d;
  int head[HEAD];
  make_head(t, head);
  int same = s->nint >= HEAD && memcmp(head, s->ints, (HEAD - 1) * sizeof(int)) == 0;
  if (same) {
    t->r->nstep = s->ints[HEAD - 1];
    same = t->r->nstep >= 1 && t->r->nstep < 100000000;
  }
  // room for all steps, then a pass that only counts
  for (int n = t->r->nstep, i = 0; same && i <= n; i = t->capstep) {
    t->r->nstep = t->capstep;
    PL_TRY(state_grow(t));
    t->r->nstep = n;
  }
  pass p = {.how = COUNT};
  ints(&p, HEAD, head);
  if (same) fields(&p, t);
  if (!same || p.nint != s->nint || p.nreal != s->nreal)
    return pl_fail_at(d->env, PL_E_INPUT, NULL, 0, 0, "start anew",
                      "design: the state to go on from belongs to another problem");
  p = (pass){.how = LOAD, .ints = s->ints, .reals = s->reals};
  ints(&p, HEAD, head);
  fields(&p, t);
  for (int i = 0; i < d->nsolution; i++) d->solution[i].have_ray = 0;
  PL_TRY(solutions_restore(d));
  // as they were when the gradient was made
  return solutions_linearise(d);
}

void pl_design_state_free(pl_design_state *s) {
  if (!s) return;
  pl_free(s->env, s->ints);
  pl_free(s->env, s->reals);
  pl_free(s->env, s);
}
