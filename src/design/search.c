// Global search and local polish by NLopt, which asks for one value after the other. Here it is run
// from its beginning whenever designs are wanted, and answered from the table of what is known; the
// places that it asks for where nothing is known are the next designs.
#include "pliant/design.h"

#include <math.h>
#include <nlopt.h>
#include <string.h>

// starts of local searches are apart by this part of a range; their first steps, at most and least
static const double APART = 0.1, STEP_MOST = 0.1, STEP_LEAST = 0.01;

// rows of a table by the bytes of their places
typedef struct row_table {
  int cap;   // slots, a power of two, more than half of them empty
  int *slot; // -1: empty
} row_table;

typedef struct replay {
  const pl_search_table *t;
  row_table rows;
  nlopt_opt opt;
  double *x; // [most][nvariable] the batch
  int n, most;
  int open; // calls from the beginning on whose places do not depend on values; -1: all may be
            // asked
  int calls;
} replay;

static const double *row(const pl_search_table *t, int i) {
  return t->x + (size_t)i * (size_t)t->nvariable;
}

static int is_at(const pl_search_table *t, const double *a, const double *b) {
  return memcmp(a, b, (size_t)t->nvariable * sizeof *a) == 0;
}

// the slot of a place, empty where it is not known
static int *find_slot(const pl_search_table *t, const row_table *r, const double *x) {
  size_t mask = (size_t)r->cap - 1, at = pl_hash(0, x, (size_t)t->nvariable * sizeof *x) & mask;
  while (r->slot[at] >= 0 && !is_at(t, row(t, r->slot[at]), x)) at = (at + 1) & mask;
  return &r->slot[at];
}

static pl_status open_rows(pl_env *env, const pl_search_table *t, row_table *r) {
  r->cap = 16;
  while (r->cap < 2 * t->n) r->cap *= 2;
  r->slot = pl_alloc(env, (size_t)r->cap, sizeof *r->slot);
  if (!r->slot) return PL_E_NOMEM;
  for (int i = 0; i < r->cap; i++) r->slot[i] = -1;
  for (int i = 0; i < t->n; i++) {
    int *slot = find_slot(t, r, row(t, i));
    if (*slot < 0) *slot = i;
  }
  return PL_OK;
}

static double distance(int n, const double *a, const double *b) {
  double most = 0;
  for (int k = 0; k < n; k++) most = fmax(most, fabs(a[k] - b[k]));
  return most;
}

// the value of the nearest design that is known
static double guess(const pl_search_table *t, const double *x) {
  double value = 0, least = INFINITY;
  for (int i = 0; i < t->n; i++) {
    double d = distance(t->nvariable, row(t, i), x);
    if (d >= least) continue;
    least = d;
    value = t->value[i];
  }
  return value;
}

static double answer(unsigned n, const double *x, double *slope, void *ctx) {
  replay *r = ctx;
  double at[PL_SEARCH_MOST];
  (void)slope;
  // no minus zero, so that equal places have equal bytes
  for (unsigned k = 0; k < n; k++) at[k] = fmin(fmax(x[k], 0), 1) + 0.0;
  int known = *find_slot(r->t, &r->rows, at), again = 0;
  r->calls++;
  if (known >= 0) return r->t->value[known];
  for (int i = 0; i < r->n; i++) again |= is_at(r->t, r->x + (size_t)i * n, at);
  if (!again) {
    if (r->n < r->most)
      memcpy(r->x + (size_t)r->n++ * n, at, n * sizeof *at);
    else
      nlopt_force_stop(r->opt);
  }
  if (r->open >= 0 && r->calls >= r->open) nlopt_force_stop(r->opt);
  return guess(r->t, at);
}

// runs a method from x on until it asks for what is not known; PL_E_NOMEM is all that can fail
static pl_status run(replay *r, const pl_search_opts *o, nlopt_algorithm method, int population,
                     double step, const double *from) {
  int n = r->t->nvariable;
  double x[PL_SEARCH_MOST], value;
  r->opt = nlopt_create(method, (unsigned)n);
  if (!r->opt) return PL_E_NOMEM;
  memcpy(x, from, (size_t)n * sizeof *x);
  nlopt_set_min_objective(r->opt, answer, r);
  nlopt_set_lower_bounds1(r->opt, 0);
  nlopt_set_upper_bounds1(r->opt, 1);
  // each design is asked for once; what is asked for again costs nothing
  nlopt_set_maxeval(r->opt, 10 * o->budget + 1000);
  if (population > 0) nlopt_set_population(r->opt, (unsigned)population);
  if (step > 0) {
    nlopt_set_initial_step1(r->opt, step);
    nlopt_set_xtol_abs1(r->opt, o->tolerance);
  }
  // its random numbers are those of the thread
  nlopt_srand((unsigned long)o->seed);
  nlopt_result result = nlopt_optimize(r->opt, x, &value);
  nlopt_destroy(r->opt);
  return result == NLOPT_OUT_OF_MEMORY ? PL_E_NOMEM : PL_OK;
}

// ---- over all of the ranges ---------------------------------------------------------------------

static pl_status ask_global(const pl_search_opts *o, int budget, replay *r) {
  static const nlopt_algorithm method[] = {NLOPT_GN_DIRECT_L, NLOPT_GN_CRS2_LM, NLOPT_GN_ISRES,
                                           NLOPT_GN_ESCH};
  int n = r->t->nvariable, population = 0;
  // populations that leave a small budget some generations
  if (o->method > 0) population = budget / 4 < 2 * n + 3 ? 2 * n + 3 : budget / 4;
  if (population > 20 * (n + 1)) population = 20 * (n + 1);
  r->open = -1;
  return run(r, o, method[o->method], population, 0, r->t->start);
}

// ---- from the best on ---------------------------------------------------------------------------

// the best designs of the global search that are apart; returns how many
static int choose_starts(const pl_search_table *t, int most, int *start) {
  int n = 0;
  for (; n < most; n++) {
    int best = -1;
    for (int i = 0; i < t->n; i++) {
      int near = t->phase[i] == PL_SEARCH_LOCAL;
      for (int k = 0; k < n; k++)
        near |= distance(t->nvariable, row(t, i), row(t, start[k])) <= APART;
      if (!near && (best < 0 || t->value[i] < t->value[best])) best = i;
    }
    if (best < 0) break;
    start[n] = best;
  }
  return n;
}

// half the way to the nearest other design of the global search
static double first_step(const pl_search_table *t, int start) {
  double step = STEP_MOST;
  for (int i = 0; i < t->n; i++)
    if (i != start && t->phase[i] != PL_SEARCH_LOCAL)
      step = fmin(step, distance(t->nvariable, row(t, i), row(t, start)) / 2);
  return fmax(step, STEP_LEAST);
}

static pl_status ask_local(const pl_search_opts *o, replay *r) {
  static const nlopt_algorithm method[] = {NLOPT_LN_NELDERMEAD, NLOPT_LN_SBPLX, NLOPT_LN_BOBYQA,
                                           NLOPT_LN_COBYLA};
  // places about the start: a simplex, or what a quadratic model is begun with
  int first = method[o->local] == NLOPT_LN_BOBYQA ? 2 * r->t->nvariable + 1 : r->t->nvariable + 1;
  int start[20], most = r->most;
  int n = choose_starts(r->t, o->starts < 20 ? o->starts : 20, start);
  for (int k = 0; k < n && r->n < most; k++) {
    r->open = first;
    r->calls = 0;
    // bobyqa needs two variables
    int simplex = method[o->local] == NLOPT_LN_BOBYQA && r->t->nvariable < 2;
    PL_TRY(run(r, o, simplex ? NLOPT_LN_NELDERMEAD : method[o->local], 0,
               first_step(r->t, start[k]), row(r->t, start[k])));
  }
  return PL_OK;
}

pl_status pl_search_ask(pl_env *env, const pl_search_opts *o, const pl_search_table *t, double *x,
                        int *phase, int *n) {
  int global = (int)((1 - o->polish) * o->budget + 0.5), added = 0;
  *n = 0;
  PL_TRY(pl_opts_check(env, pl_search_option_table, pl_search_option_count, o));
  if (t->nvariable < 1 || t->nvariable > PL_SEARCH_MOST)
    return pl_fail(env, PL_E_ARG, "a search has 1 to %d variables, got %d", PL_SEARCH_MOST,
                   t->nvariable);
  replay r = {.t = t, .x = x};
  pl_status s = open_rows(env, t, &r.rows);
  if (s == PL_OK && t->n == 0) {
    memcpy(x, t->start, (size_t)t->nvariable * sizeof *x);
    phase[r.n++] = PL_SEARCH_START;
  }
  int polished = 0;
  for (int i = 0; i < t->n; i++) polished |= t->phase[i] == PL_SEARCH_LOCAL;
  r.most = global - t->n < o->batch ? global - t->n : o->batch;
  added = r.n;
  if (s == PL_OK && !polished && r.n < r.most) s = ask_global(o, global, &r);
  for (int i = added; i < r.n; i++) phase[i] = PL_SEARCH_GLOBAL;
  if (s == PL_OK && r.n == 0 && o->polish > 0) {
    r.most = o->budget - t->n < o->batch ? o->budget - t->n : o->batch;
    s = ask_local(o, &r);
    for (int i = 0; i < r.n; i++) phase[i] = PL_SEARCH_LOCAL;
  }
  *n = r.n;
  pl_free(env, r.rows.slot);
  return s == PL_E_NOMEM ? pl_fail(env, s, "out of memory in the search") : s;
}
