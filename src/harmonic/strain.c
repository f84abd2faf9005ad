// Largest strain over a period: samples of every element, and a golden-section search between
// samples for the largest of all.
#include "harmonic_impl.h"
#include "strain_impl.h"

#include <string.h>

enum { SEARCH = 60 };

static int strain_field(const pl_elem_kind *k) {
  for (int f = 0; f < k->nfield; f++)
    if (strcmp(k->field_info[f].name, "strain") == 0) return f;
  return -1;
}

typedef struct gauge {
  const pl_model *m;
  const pl_params *p;
  phase_state_fn at;
  const void *ctx;
  pl_threads *threads;
  pl_state *s;
  double *value; // [elements of the largest group]
} gauge;

// all elements at one phase
static void sample(gauge *g, double phase, double *each, pl_strain *most) {
  g->at(g->ctx, phase, g->s);
  for (int k = 0; k < pl_model_ngroup(g->m); k++) {
    int field = strain_field(pl_model_group_kind(g->m, k)), n = pl_model_group_size(g->m, k);
    if (field >= 0) {
      pl_eval_field(g->m, g->p, g->s, k, field, g->threads, g->value);
      for (int e = 0; e < n; e++) {
        double v = g->value[e];
        if (each && fabs(v) > each[e]) each[e] = fabs(v);
        if (fabs(v) > fabs(most->value)) *most = (pl_strain){v, k, e, phase};
      }
    }
    if (each) each += n;
  }
}

// one element at one phase; keeps it when it is the largest so far
static double bordering(gauge *g, double phase, pl_strain *most) {
  int field = strain_field(pl_model_group_kind(g->m, most->group));
  g->at(g->ctx, phase, g->s);
  double v = pl_element_field(g->m, g->p, g->s, most->group, most->elem, field);
  if (fabs(v) > fabs(most->value)) {
    most->value = v;
    most->phase = phase;
  }
  return fabs(v);
}

static void refine(gauge *g, double spacing, pl_strain *most) {
  const double golden = 0.61803398874989484820;
  double lo = most->phase - spacing, hi = most->phase + spacing;
  double a = hi - golden * (hi - lo), b = lo + golden * (hi - lo);
  double fa = bordering(g, a, most), fb = bordering(g, b, most);
  for (int i = 0; i < SEARCH && hi - lo > 1e-9; i++) {
    if (fa > fb) {
      hi = b;
      b = a;
      fb = fa;
      fa = bordering(g, a = hi - golden * (hi - lo), most);
    } else {
      lo = a;
      a = b;
      fa = fb;
      fb = bordering(g, b = lo + golden * (hi - lo), most);
    }
  }
  most->phase -= 2 * PL_PI * floor(most->phase / (2 * PL_PI));
}

pl_status strain_over_period(const pl_model *m, const pl_params *p, pl_work *w, phase_state_fn at,
                             const void *ctx, int nsample, double *each, pl_strain *most) {
  gauge g = {.m = m, .p = p, .at = at, .ctx = ctx, .threads = w->threads};
  pl_env *env = w->env;
  size_t all = 0, largest = 1;
  *most = (pl_strain){0};
  for (int k = 0; k < pl_model_ngroup(m); k++) {
    size_t n = (size_t)pl_model_group_size(m, k);
    all += n;
    if (n > largest) largest = n;
  }
  if (each) memset(each, 0, all * sizeof *each);
  g.value = pl_alloc(env, largest, sizeof *g.value);
  pl_status st = g.value ? pl_state_create(m, p, &g.s) : PL_E_NOMEM;
  for (int i = 0; st == PL_OK && i < nsample; i++) {
    sample(&g, 2 * PL_PI * i / nsample, each, most);
    st = pl_report_progress(env, "strain", (double)i / nsample, NULL);
  }
  if (st == PL_OK && most->value != 0) refine(&g, 2 * PL_PI / nsample, most);
  if (g.s) pl_state_free(m, g.s);
  pl_free(env, g.value);
  return st;
}

typedef struct motion {
  const pl_model *m;
  const pl_params *p;
  const pl_orbit *o;
} motion;

static void orbit_state(const void *ctx, double phase, pl_state *s) {
  const motion *t = ctx;
  pl_orbit_state(t->m, t->p, t->o, phase, s);
}

pl_status pl_orbit_strain(const pl_model *m, const pl_params *p, pl_work *w, const pl_orbit *o,
                          int nsample, double *each, pl_strain *most) {
  motion t = {m, p, o};
  if (nsample < 0)
    return pl_fail(w->env, PL_E_ARG, "strain: samples must be >= 0, got %d", nsample);
  if (nsample == 0) nsample = 8 * o->nharm > 64 ? 8 * o->nharm : 64;
  return strain_over_period(m, p, w, orbit_state, &t, nsample, each, most);
}
