// Storage of curves.
#include "curve_impl.h"

const char *const pl_special_name[PL_SPECIAL_COUNT] = {
    [PL_PEAK] = "peak",
    [PL_FOLD] = "fold",
    [PL_BRANCH_POINT] = "branch-point",
    [PL_PERIOD_DOUBLING] = "period-doubling",
    [PL_NEIMARK_SACKER] = "neimark-sacker",
};

pl_status curve_create(pl_env *env, pl_curve **out) {
  *out = pl_alloc(env, 1, sizeof **out);
  if (!*out) return PL_E_NOMEM;
  **out = (pl_curve){.env = env, .start = "", .reason = PL_STOP_STEP, .truncation = -1};
  return PL_OK;
}

void pl_curve_free(pl_curve *c) {
  if (!c) return;
  for (int i = 0; i < c->npoint; i++) pl_orbit_free(c->point[i].orbit);
  for (int i = 0; i < c->nspecial; i++) pl_orbit_free(c->special[i].orbit);
  pl_free(c->env, c->point);
  pl_free(c->env, c->special);
  pl_free(c->env, c);
}

double pl_curve_peak(const pl_curve *c) {
  for (int k = 0; k < c->nspecial; k++)
    if (c->special[k].kind == PL_PEAK) return c->special[k].omega;
  return 0;
}

static pl_status keep_orbit(const continuation *k, const curve_point *s, pl_orbit **out) {
  pl_orbit o = curve_point_orbit(k, s);
  return pl_orbit_copy(&o, k->H, out);
}

static pl_leading leading(const pl_floquet *f) {
  pl_leading l = {.n = f->n < PL_LEADING ? f->n : PL_LEADING};
  // no half of a pair
  if (f->n > l.n && f->im[l.n - 1] > 0) l.n--;
  for (int i = 0; i < l.n; i++) {
    l.re[i] = f->re[i];
    l.im[i] = f->im[i];
  }
  return l;
}

// How many multipliers of a point lie beyond the unit circle; where too few harmonics make them
// contradict the folds, as the folds have it. -1: not computed.
static int curve_point_unstable(const curve_point *s) {
  const pl_floquet *f = &s->floquet;
  int real = 0;
  if (f->n == 0) return -1;
  for (int i = 0; i < f->n; i++) real += f->im[i] == 0 && f->re[i] > 1;
  if (s->parity < 0 || real % 2 == s->parity) return f->nunstable;
  // between two folds one more is real and beyond +1
  int beyond = f->nunstable + (s->parity ? 1 : -1);
  return beyond > 0 ? beyond : 0;
}

static void fill_point(pl_curve_point *p, const continuation *k, const curve_point *s) {
  const pl_floquet *f = &s->floquet;
  p->residual = s->residual;
  p->change = s->change;
  p->energy = s->energy;
  p->iterations = s->iterations;
  p->subharmonic = k->sub;
  int beyond = curve_point_unstable(s);
  p->stable = beyond < 0 ? -1 : beyond == 0;
  p->multiplier = f->n > 0 ? hypot(f->re[0], f->im[0]) : 0;
  p->leading = leading(f);
}

pl_status curve_add(pl_curve *c, const continuation *k, const curve_point *s, int branch) {
  PL_TRY(pl_grow(c->env, &c->point, c->npoint, &c->cap, sizeof *c->point));
  pl_curve_point p = {.branch = branch};
  PL_TRY(keep_orbit(k, s, &p.orbit));
  fill_point(&p, k, s);
  c->point[c->npoint++] = p;
  return PL_OK;
}

pl_status curve_replace(pl_curve *c, const continuation *k, const curve_point *s) {
  pl_curve_point *p = &c->point[c->npoint - 1];
  pl_orbit *o;
  PL_TRY(keep_orbit(k, s, &o));
  pl_orbit_free(p->orbit);
  p->orbit = o;
  fill_point(p, k, s);
  return PL_OK;
}

void curve_cut(pl_curve *c, int n) {
  while (c->nspecial > 0 && c->special[c->nspecial - 1].after >= n - 1)
    pl_orbit_free(c->special[--c->nspecial].orbit);
  while (c->npoint > n) pl_orbit_free(c->point[--c->npoint].orbit);
}

void curve_reverse(pl_curve *c) {
  for (int i = 0, j = c->npoint - 1; i < j; i++, j--) {
    pl_curve_point p = c->point[i];
    c->point[i] = c->point[j];
    c->point[j] = p;
  }
  for (int i = 0, j = c->nspecial - 1; i <= j; i++, j--) {
    pl_special s = c->special[i];
    c->special[i] = c->special[j];
    c->special[j] = s;
  }
  for (int i = 0; i < c->nspecial; i++) c->special[i].after = c->npoint - 2 - c->special[i].after;
}

pl_status curve_add_special(pl_curve *c, const continuation *k, const curve_point *s,
                            pl_special_kind kind, int probe) {
  PL_TRY(pl_grow(c->env, &c->special, c->nspecial, &c->cap_special, sizeof *c->special));
  pl_special p = {.kind = kind, .after = c->npoint - 1, .probe = probe};
  p.omega = s->omega * k->sub;
  p.amplitude = k->nprobe > 0 ? s->path[probe] : 0;
  p.leading = leading(&s->floquet);
  PL_TRY(keep_orbit(k, s, &p.orbit));
  c->special[c->nspecial++] = p;
  return PL_OK;
}
